"""Imports on many workers: the promise while everything is killed and stopped, the rate, and the costs.

    python -m benchmarks.cluster [--quick] [--seed 1] [--rows 20000] [--only processes|dask|costs]

Imports with 3 workers go to a sandbox in a process of its own that resets connections after its commit, and
commits late, but within half a second. At random moments workers and the coordinator get ``kill -9``, and
workers get SIGSTOP until their leases are over, and then SIGCONT. With Dask, the scheduler is killed, too,
and the command repeated with a new cluster. Leases last 3 s, rows have a deadline of 2 s, and look-ups can
be believed after 1 s. Then the store is compared with the journal and its audit: with a marker every row is
there exactly once; without one no row is there twice, and each that is not known to be there is in doubt.

Every process notes the reading of its boot clock at the first byte of each request: a window of 10 s may
hold 10 times the rate, and one burst. The costs are measured against a server that responds from memory.
``--quick`` is 2 workers, some hundred rows and one fault of each kind: processes without a marker and Dask
with one, at the same time and without costs. The exit status is 1 when a promise was broken or a limit
missed. Linux only; needs wosdk_async[dask,sandbox].
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from pathlib import Path

import attrs

from benchmarks import arguments
from benchmarks.cluster_costs import COSTS, measure
from benchmarks.cluster_kills import Faults, Found, break_workers
from benchmarks.cluster_rates import burst

__all__: list[str] = []

_MOST_US = 250.0  # CPU time of the coordinator for a row, over processes


@attrs.frozen(kw_only=True)
class _Effort:
    rows: int
    workers: int
    rate: float
    faults: Faults
    cost_rows: int


_FULL = _Effort(
    rows=20_000,
    workers=3,
    rate=300.0,
    faults=Faults(kills=10, stops=10, coordinators=5, schedulers=3),
    cost_rows=20_000,
)
_QUICK = _Effort(
    rows=700,
    workers=2,
    rate=70.0,
    faults=Faults(kills=1, stops=1, coordinators=1, schedulers=1),
    cost_rows=2_000,
)


async def _break_all(effort: _Effort, seed: int, *cases: tuple[str, bool]) -> bool:
    """Import at the same time over engines, with or without a marker: most of the time is waiting."""
    return all(
        await asyncio.gather(*(_break(effort, engine, marked=marked, seed=seed) for engine, marked in cases))
    )


async def _break(effort: _Effort, engine: str, *, marked: bool, seed: int) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        found = await break_workers(
            effort.faults,
            dask=engine == "dask",
            marked=marked,
            seed=seed,
            folder=Path(folder),
            rows=effort.rows,
            workers=effort.workers,
            rate=effort.rate,
        )
    name = f"{effort.workers} {'Dask workers' if engine == 'dask' else 'processes'}"
    print(f"## {name}, {'with' if marked else 'without'} a marker, seed {seed}\n")
    print(f"{_table(effort, found)}\n", flush=True)
    return not found.broken and found.excess <= burst(effort.rate)


def _table(effort: _Effort, found: Found) -> str:
    figures: dict[str, object] = {"rows": effort.rows, "runs of the command": found.runs}
    figures |= {f"fault: {kind}": number for kind, number in sorted(found.faults.items())}
    figures |= {f"rows {state.name}": number for state, number in sorted(found.states.items())}
    figures |= {"in doubt and in the store": found.there}
    figures |= {f"injected: {kind}": number for kind, number in sorted(found.injected.items())}
    allowed = f"at most {burst(effort.rate):.0f}"
    figures |= {
        "requests": found.requests,
        f"most in 10 s beyond 10 x {effort.rate:.0f} ({allowed})": f"{found.excess:.0f}",
        "broken promises": len(found.broken),
        "seconds": f"{found.seconds:.0f}",
    }
    rows = ["| what | number |", "|---|---:|", *(f"| {what} | {value} |" for what, value in figures.items())]
    return "\n".join([*rows, *found.broken[:20]])


def _costs(rows: int, *, limited: bool) -> bool:
    print("| case | coordinator, CPU us a row | rows a second |\n|---|---:|---:|", flush=True)
    kept = True
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (engine, hook)) in enumerate(COSTS.items()):
            cost = measure(engine, hook, rows, Path(folder) / f"{number}")
            print(f"| {name} | {cost.cpu_us:.0f} | {cost.per_second:,.0f} |", flush=True)
            if limited and (engine, hook) == ("processes", "instant"):
                kept = cost.cpu_us <= _MOST_US
    return kept


def main() -> int:
    """Read the arguments, break workers, and measure."""
    parser = arguments.parser("benchmarks.cluster", __doc__)
    parser.add_argument("--quick", action="store_true", help="2 workers and one fault of each kind")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the moments of the faults")
    parser.add_argument(
        "--rows",
        type=arguments.count,
        metavar="N",
        help=f"rows of each import (default: {_FULL.rows}, with --quick {_QUICK.rows})",
    )
    parser.add_argument("--only", choices=["processes", "dask", "costs"], help="one part")
    args = parser.parse_args()
    arguments.require(parser, "distributed", extra="dask")
    if not os.path.exists("/proc/self/task"):
        parser.error("it finds the processes of workers in /proc, so it needs Linux")
    effort = _QUICK if args.quick else _FULL
    effort = attrs.evolve(effort, rows=args.rows or effort.rows)
    if args.quick and args.only is None:
        return int(not asyncio.run(_break_all(effort, args.seed, ("processes", False), ("dask", True))))
    kept = True
    for engine in ("processes", "dask"):
        if args.only in (None, engine):
            kept &= asyncio.run(_break_all(effort, args.seed, (engine, True), (engine, False)))
    if args.only in (None, "costs"):
        kept &= _costs(effort.cost_rows, limited=not args.quick)
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
