"""Imports on many workers: the promise while everything is killed and stopped, and the costs.

    python -m tests.chaos.workers [--quick] [--seed 1] [--only processes|dask|costs]

An import with 3 workers sends rows to a sandbox in its own process. The sandbox resets connections after its
commit, and commits late, but within half a second. At random moments, workers and the coordinator get ``kill
-9``. Workers also get SIGSTOP, and SIGCONT once their leases are over. With Dask, the scheduler is killed,
too, and the command is repeated with a new cluster. Leases last 3 s, rows have a deadline of 2 s, and
look-ups are reliable after 1 s. Then the store is compared with the journal and its audit: every row must
exist exactly once.

Every fault is applied while a worker is sending a row; other faults do not count. Every process records its
boot clock at the first byte of each request. A window of 10 s may have 10 times the rate and one burst. The
fullest window must have 60 % of that, because otherwise the rate limited nothing. The costs are measured with
a sandbox without faults.

Both engines run at the same time, because they mostly wait. ``--quick`` uses 2 workers, some hundred rows and
one fault of each kind. The exit status is 1 if a promise is broken. Linux only; needs
wosdk_async[dask,sandbox].
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import attrs

from tests.chaos.dask_processes import DaskProcesses
from tests.chaos.fault_server import FaultServer
from tests.chaos.worker_import import Effort, break_workers, write_import
from tests.chaos.worker_notes import WINDOW
from tests.support import arguments

_RATE_BOUND = 0.6  # share of its bound that the fullest window must have
_BURST = 0.1  # seconds' worth of its rate that a sender may send at once (docs/load.md)
_ENGINES = ("processes", "dask")
_FULL = Effort(
    rows=20_000,
    workers=3,
    rate=150.0,  # for 2 imports at a time, which the CPU must not limit
    faults={"kill": 10, "stop": 10, "coordinator": 5, "scheduler": 3},
    cost_rows=10_000,
)
_QUICK = Effort(
    rows=700,
    workers=2,
    rate=50.0,
    faults={"kill": 1, "stop": 1, "coordinator": 1, "scheduler": 1},
    cost_rows=1_000,
)


async def _break(effort: Effort, engine: str, seed: int) -> bool:
    """Print the figures of an import with all faults; return whether every promise was kept."""
    dask = engine == "dask"
    with tempfile.TemporaryDirectory() as folder:
        found = await break_workers(effort, dask=dask, seed=seed, folder=Path(folder))
    allowed = (WINDOW + _BURST) * effort.rate
    if found.fullest < _RATE_BOUND * allowed:
        found.broken.append(f"the fullest 10 s hold {found.fullest} requests: the rate limited nothing")
    if found.excess > _BURST * effort.rate:
        found.broken.append(f"10 s hold {found.excess:.0f} requests beyond 10 times the rate")
    figures = attrs.asdict(found) | {"rows": effort.rows, "asked": effort.faults, "may": allowed}
    name = f"{effort.workers} {'Dask workers' if dask else 'processes'}, seed {seed}"
    print(f"## {name}\n\n{arguments.table(('what', 'number'), figures.items())}\n", flush=True)
    return not found.broken


def _print_costs(rows: int) -> None:
    """Print the costs of imports by one process, 2 processes and 2 Dask workers, without faults."""
    shown = []
    for engine in ("one process", *_ENGINES):
        with tempfile.TemporaryDirectory() as folder:
            shown.append((engine, *_cost(engine, rows, Path(folder))))
    print(arguments.table(("Engine", "Coordinator, CPU µs for a row", "Rows a second"), shown), flush=True)


def _cost(engine: str, rows: int, folder: Path) -> tuple[str, str]:
    with FaultServer(folder / "sandbox.db") as server, contextlib.ExitStack() as stack:
        where = ["--processes", "2"] if engine == "processes" else []
        if engine == "dask":
            cluster = stack.enter_context(DaskProcesses(folder))
            cluster.add_worker()
            cluster.add_worker()
            where = ["--dask", cluster.address]
        command = [sys.executable, "-m", "tests.chaos.import_child", *write_import(folder, rows), *where]
        process = subprocess.run(
            [*command, "--limit", "64"],
            env=os.environ | server.variables,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
    last = process.stdout.rstrip().rpartition("\n")[2]
    found = json.loads(last.partition(" ")[2]) if last.startswith("summary") else {}
    if not found.get("complete"):
        raise SystemExit(f"{engine}: {last}")
    return f"{found['cpu_us_per_row']:.0f}", f"{found['rows_per_second']:,.0f}"


async def _break_all(effort: Effort, engines: Iterable[str], seed: int) -> bool:
    return all(await asyncio.gather(*(_break(effort, engine, seed) for engine in engines)))


def main() -> int:
    parser = arguments.parser("tests.chaos.workers", __doc__)
    parser.add_argument("--quick", action="store_true", help="2 workers and one fault of each kind")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="seed of the moments of the faults")
    parser.add_argument("--only", choices=[*_ENGINES, "costs"], help="one part")
    args = parser.parse_args()
    arguments.require(parser, "distributed", extra="dask")
    if not os.path.exists("/proc/self/task"):
        parser.error("it finds the processes of workers in /proc, so it needs Linux")
    effort = _QUICK if args.quick else _FULL
    began = time.monotonic()
    engines = [engine for engine in _ENGINES if args.only in (None, engine)]
    kept = asyncio.run(_break_all(effort, engines, args.seed))
    if args.only in (None, "costs"):
        _print_costs(effort.cost_rows)
    print(f"{time.monotonic() - began:.0f} s in all")
    return int(not kept)


if __name__ == "__main__":
    sys.exit(main())
