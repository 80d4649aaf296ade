"""Imports on many workers: the promise while everything is killed and stopped, the rate, and the costs.

    python -m benchmarks.cluster [--quick] [--seed 1] [--rows 20000] [--only processes|dask|costs]

Imports with 3 workers go to a sandbox in a process of its own that resets connections after its commit, and
commits late, but within half a second. At random moments workers and the coordinator get ``kill -9``, and
workers get SIGSTOP until their leases are over, and then SIGCONT. With Dask, the scheduler is killed, too,
and the command repeated with a new cluster. Leases last 3 s, rows have a deadline of 2 s, and look-ups can
be believed after 1 s. Then the store is compared with the journal and its audit: with a marker every row is
there exactly once; without one no row is there twice, and each that is not known to be there is in doubt.

Every fault is applied while a worker has a request of a row under way, and only then it counts. Every
process notes the reading of its boot clock at the first byte of each request: a window of 10 s may hold 10
times the rate, and one burst; the fullest must hold 60 % of that, as otherwise the rate limited nothing. The
costs are measured against a server that responds from memory.

Imports with a marker and without run at the same time, as most of the time is waiting: all takes about 8
minutes on 2 cores. ``--quick`` is 2 workers, some hundred rows and one fault of each kind: processes without
a marker and Dask with one, at the same time; costs are measured with few rows, and not judged. The exit
status is 1 when a promise was broken or a limit missed. Linux only; needs wosdk_async[dask,sandbox].
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import attrs

from benchmarks import arguments
from benchmarks.cluster_costs import COSTS, measure
from benchmarks.cluster_exchanges import exchange_costs
from benchmarks.cluster_import import Faults, Found
from benchmarks.cluster_kills import break_workers
from benchmarks.cluster_rates import bound, burst

__all__: list[str] = []

_MOST_US = 250.0  # CPU time of the coordinator for a row, over processes
_RATE_BOUND = 0.6  # part of its bound that the fullest window must hold


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
    rate=200.0,  # 2 imports at a time, which must not be limited by the CPU
    faults=Faults(kills=10, stops=10, coordinators=5, schedulers=3),
    cost_rows=20_000,
)
_QUICK = _Effort(
    rows=700,
    workers=2,
    rate=50.0,
    faults=Faults(kills=1, stops=1, coordinators=1, schedulers=1),
    cost_rows=2_000,
)


Results = list[dict[str, Any]]


async def _break_all(effort: _Effort, seed: int, *cases: tuple[str, bool]) -> Results:
    """Import at the same time over engines, with or without a marker: most of the time is waiting."""
    return await asyncio.gather(
        *(_break(effort, engine, marked=marked, seed=seed) for engine, marked in cases)
    )


async def _break(effort: _Effort, engine: str, *, marked: bool, seed: int) -> dict[str, Any]:
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
    if found.fullest < _RATE_BOUND * bound(effort.rate):
        found.broken.append(f"the fullest 10 s hold {found.fullest} requests: the rate limited nothing")
    if found.excess > burst(effort.rate):
        found.broken.append(f"10 s hold {found.excess:.0f} requests beyond 10 times the rate")
    name = f"{effort.workers} {'Dask workers' if engine == 'dask' else 'processes'}"
    name = f"{name}, {'with' if marked else 'without'} a marker, seed {seed}"
    figures = _figures(effort, found, dask=engine == "dask")
    print(f"## {name}\n\n{_table(('what', 'number'), figures.items())}")
    print("\n".join(found.broken[:20]) + "\n", flush=True)
    return {"case": name, **figures, "broken": found.broken}


def _figures(effort: _Effort, found: Found, *, dask: bool) -> dict[str, object]:
    figures: dict[str, object] = {"rows": effort.rows, "runs of the command": found.runs}
    figures |= {
        f"{kind} with rows under way": f"{found.faults[kind]} of {number}"
        for kind, number in effort.faults.numbers(dask=dask).items()
    }
    figures |= {f"rows {state.name}": number for state, number in sorted(found.states.items())}
    figures |= {"in doubt and in the store": found.there}
    figures |= {f"injected: {kind}": number for kind, number in sorted(found.injected.items())}
    return figures | {
        "requests": found.requests,
        "requests in the fullest 10 s": found.fullest,
        "the rate and a burst allow": f"{bound(effort.rate):.0f} and one for each sender",
        "most beyond 10 times the rate": f"{found.excess:.0f}",
        "broken promises": len(found.broken),
        "seconds": f"{found.seconds:.0f}",
        "seconds up to the last fault": f"{found.faults_seconds:.0f}",
    }


def _table(head: tuple[str, ...], rows: Iterable[tuple[object, ...]]) -> str:
    lines = [head, ("---", *["---:"] * (len(head) - 1)), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _costs(rows: int, *, limited: bool) -> Results:
    """Measure each case; with ``limited`` the coordinator alone must not cost too much."""
    results = []
    with tempfile.TemporaryDirectory() as folder:
        for number, (name, (engine, hook)) in enumerate(COSTS.items()):
            cost = measure(engine, hook, rows, Path(folder) / f"{number}")
            too_much = limited and (engine, hook) == ("processes", "instant") and cost.cpu_us > _MOST_US
            broken = [f"a row costs {cost.cpu_us:.0f} us, more than {_MOST_US:.0f}"] if too_much else []
            results.append({"case": name, **attrs.asdict(cost), "broken": broken})
    shown = [(each["case"], f"{each['cpu_us']:.0f}", f"{each['per_second']:,.0f}") for each in results]
    print(_table(("Case", "Coordinator, CPU µs for a row", "Rows a second"), shown))
    exchanges = exchange_costs()
    print(f"\n{_table(('Exchange with', 'Coordinator, CPU µs'), _whole(exchanges))}")
    results += [
        {"case": f"exchange with {name}", "cpu_us": us, "broken": []} for name, us in exchanges.items()
    ]
    print("\n".join(text for each in results for text in each["broken"]), flush=True)
    return results


def _whole(numbers: dict[str, float]) -> Iterable[tuple[str, str]]:
    return [(name, f"{number:.0f}") for name, number in numbers.items()]


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
    arguments.add_json(parser)
    args = parser.parse_args()
    arguments.require(parser, "distributed", extra="dask")
    if not os.path.exists("/proc/self/task"):
        parser.error("it finds the processes of workers in /proc, so it needs Linux")
    effort = _QUICK if args.quick else _FULL
    effort = attrs.evolve(effort, rows=args.rows or effort.rows)
    began = time.monotonic()
    results: Results = []
    if args.quick and args.only is None:
        results += asyncio.run(_break_all(effort, args.seed, ("processes", False), ("dask", True)))
    else:
        for engine in ("processes", "dask"):
            if args.only in (None, engine):
                results += asyncio.run(_break_all(effort, args.seed, (engine, True), (engine, False)))
    if args.only in (None, "costs"):
        results += _costs(effort.cost_rows, limited=not args.quick)
    print(f"{time.monotonic() - began:.0f} s in all")
    if args.json:
        args.json.write_text(json.dumps(results, indent=1), encoding="utf-8")
    return int(any(each["broken"] for each in results))


if __name__ == "__main__":
    sys.exit(main())
