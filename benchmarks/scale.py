"""Scale on one machine: memory and CPU time of many Companies, calls, rows and threads, at growing sizes.

    python -m benchmarks.scale [--json OUT.json] [--svg MEMORY.svg CPU.svg] [--page docs/load.md]

Each size has its own process, which first does a little of the same work, to load and compile the code.
Memory is the peak of that process. ``python -m benchmarks`` measures the ratios of two sizes.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from itertools import cycle
from pathlib import Path

import attrs

from benchmarks import export, jobs_load, threads
from benchmarks.chart import grouped_chart
from benchmarks.load import AT_ONCE, OURS, Server, drive, open_stacks, own_core
from benchmarks.memory import peak_of_this
from benchmarks.report import insert, markdown
from benchmarks.stacks import Call, Target, client, command
from tests.support import arguments
from tests.support.import_files import write_requests
from wosdk_async.jobs import tune_process

EACH = 10  # calls per Company
LEAST = 8000  # minimum calls per measurement
WARM_UP = 1000  # rows


@attrs.frozen
class Figures:
    """Peak memory of a process, and CPU time of one of its calls or rows."""

    mb: float
    cpu_us: float


@attrs.frozen
class Case:
    """Work of growing size. ``cpu_us`` does it at a size, and returns the CPU time per call or row."""

    what: str
    ratio: str
    cpu_us: Callable[[int], float]
    sizes: tuple[int, ...]
    quick: tuple[int, ...] = ()
    """Sizes of a short run, if ``sizes`` would take minutes."""


# --- what a process does -----------------------------------------------------------------------


def companies(count: int) -> float:
    """Log in to Companies and call them in turn. Few Companies are called again, by new clients."""

    async def once(target: Target) -> float:
        order = command()
        async with client(target, AT_ONCE) as own:
            turns = cycle([own.company(f"Company {number}") for number in range(count)])
            await drive(lambda: own.company("Warm-up").run(order), 3 * AT_ONCE, AT_ONCE)
            return await cpu_time(lambda: drive(lambda: next(turns).run(order), EACH * count, AT_ONCE))

    times = max(1, LEAST // (EACH * count))
    with Server() as server, own_core():
        return sum(asyncio.run(once(server.target)) for _ in range(times)) / (times * EACH * count)


def waiting(count: int) -> float:
    """Gather calls, and drop each result at once, because kept results cost more than waiting."""

    async def one(call: Call) -> None:
        await call()

    async def gathered(call: Call, times: int) -> None:
        for _ in range(times):
            await asyncio.gather(*(one(call) for _ in range(count)))

    async def run(target: Target) -> float:
        async with open_stacks(target, AT_ONCE, [OURS]) as stacks:
            times = max(1, LEAST // count)
            return await cpu_time(lambda: gathered(stacks[OURS], times)) / (times * count)

    with Server() as server, own_core():
        return asyncio.run(run(server.target))


def imported(rows: int) -> float:
    """Import rows as ``wosdk import`` does."""
    tune_process()

    def once(target: Target, rows: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            source = write_requests(Path(folder, "requests.csv"), rows)
            return asyncio.run(cpu_time(lambda: jobs_load.import_once(target, source, marked=False))) / rows

    with Server() as server, own_core():
        once(server.target, WARM_UP)
        return once(server.target, rows)


def exported(rows: int) -> float:
    """Export rows to Parquet."""

    def once(rows: int) -> float:
        with tempfile.TemporaryDirectory() as folder, export.serving(rows) as port, own_core():
            return asyncio.run(cpu_time(lambda: export.export(port, Path(folder, "orders.parquet")))) / rows

    once(WARM_UP)
    return once(rows)


def shared(count: int) -> float:
    """Call through one client from the event loops of several threads."""
    case = threads.Case(count, shared=True)
    with Server() as server, own_core():
        return threads.Race(case, server.target, asyncio.new_event_loop, LEAST).run().cpu_us


async def cpu_time(work: Callable[[], Awaitable[object]]) -> float:
    """Return the CPU microseconds of ``work``."""
    gc.collect()
    start = time.process_time()
    await work()
    return (time.process_time() - start) * 1e6


COMPANIES, CALLS = (100, 500, 2000), (1000, 10_000, 50_000)
ROWS, QUICK_ROWS = (50_000, 200_000, 1_000_000), (10_000, 50_000)
CASES = [
    Case("Companies, each with a log-in and 10 calls", "companies_2k_vs_100", companies, COMPANIES),
    Case("calls waiting at once", "outstanding_50k_vs_1k", waiting, CALLS),
    Case("rows imported from CSV", "import_50k_vs_10k", imported, ROWS, QUICK_ROWS),
    Case("rows exported to Parquet", "export_50k_vs_10k", exported, ROWS, QUICK_ROWS),
    Case("threads that share a client", "threads_4_vs_1", shared, (1, 2, 4)),
]


# --- measurements, tables and charts ----------------------------------------------------------------


def measure(case: Case, size: int) -> Figures:
    """Measure a size in its own process."""
    this = [sys.executable, "-m", "benchmarks.scale", "--child", case.ratio, str(size)]
    found = Figures(**json.loads(subprocess.run(this, check=True, stdout=subprocess.PIPE).stdout))
    print(f"{size:9,} {case.what:44} {found.mb:7.0f} MB {found.cpu_us:7.1f} us", file=sys.stderr, flush=True)
    return found


def ratios() -> dict[str, float]:
    """Return the figures of the largest size, divided by those of the smallest, measured before and after."""
    found = {}
    for case in CASES:
        small, *_, large = case.quick or case.sizes
        before, most, after = (measure(case, size) for size in (small, large, small))
        found[case.ratio] = 2 * most.cpu_us / (before.cpu_us + after.cpu_us)
        found[f"{case.ratio}_mb"] = 2 * most.mb / (before.mb + after.mb)
    return found


Found = dict[str, dict[int, Figures]]


def table(found: Found) -> str:
    """Return the figures of all cases as a table in Markdown."""
    rows = []
    for case in CASES:
        (small, few), *_, (large, many) = found[case.ratio].items()
        pairs = (small, large), (few.mb, many.mb), (few.cpu_us, many.cpu_us)
        shown = (f"{before:,.0f} to {after:,.0f}" for before, after in pairs)
        growth = (f"{after / before:.2f}" for before, after in pairs[1:])
        rows.append([case.what, *shown, *growth, f"`{case.ratio}`"])
    head = ["what", "size", "peak MB", "CPU us", "MB grow by", "CPU by", "ratio"]
    return markdown(head, rows)


def pictures(found: Found) -> list[str]:
    """Return the charts of memory and of CPU time."""
    charts = ("Peak memory of the process", "MB", "mb"), ("CPU time of a call or row", "us", "cpu_us")
    return [
        grouped_chart(title, unit, {case.what: _bars(found[case.ratio], figure) for case in CASES})
        for title, unit, figure in charts
    ]


def _bars(sizes: dict[int, Figures], figure: str) -> dict[str, float]:
    return {f"{size:,}": getattr(each, figure) for size, each in sizes.items()}


def main() -> None:
    """Read the arguments, then measure or act as a child process."""
    parser = arguments.parser("benchmarks.scale", __doc__)
    arguments.add_json(parser)
    parser.add_argument(
        "--svg",
        type=arguments.output,
        nargs=2,
        metavar=("MEMORY.svg", "CPU.svg"),
        help="where to draw both figures",
    )
    parser.add_argument("--page", type=Path, metavar="PAGE.md", help="page to write the table into")
    parser.add_argument("--child", nargs=2, metavar=("RATIO", "SIZE"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.child:
        name, size = args.child
        cpu_us = next(case for case in CASES if case.ratio == name).cpu_us(int(size))
        print(json.dumps({"mb": peak_of_this(), "cpu_us": cpu_us}))
        return
    found = {case.ratio: {size: measure(case, size) for size in case.sizes} for case in CASES}
    print(table(found))
    if args.json:
        args.json.write_text(json.dumps(found, indent=1, default=attrs.asdict) + "\n", encoding="utf-8")
    if args.svg:
        for path, picture in zip(args.svg, pictures(found), strict=True):
            path.write_text(picture, encoding="utf-8")
    if args.page:
        page = insert(args.page.read_text(encoding="utf-8"), {"scale": table(found)})
        args.page.write_text(page, encoding="utf-8")


if __name__ == "__main__":
    main()
