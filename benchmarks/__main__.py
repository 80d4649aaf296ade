"""Cost of the package, compared with other clients and codecs.

    python -m benchmarks [--quick] [--json OUT.json] [--svg OUT.svg]

The figures are CPU time of this process: medians of rounds in which the cases take turns, so that a slow
moment of the machine affects all of them. Ratios are computed within each round. A local server responds on
another core. ``python -m benchmarks.report`` turns --json files into the tables of docs/benchmarks.md.
Needs wosdk_async[bench].

The names of ratios over https begin with tls_, on uvloop with uvloop_, and of both with uvloop_tls_.

codec_vs_pydantic         decoding a 5 KB WorkOrder and reading every object of it, divided by
                          pydantic's model_validate_json (limit 0.5)
typed_create_vs_aiohttp   a typed create, 100 at once, divided by aiohttp + orjson to a dict (limit 0.5)
typed_create_vs_floor     the same divided by a hand-written client of 150 lines to a dict (limit 1.7)
typed_create_vs_pyreqwest the same divided by pyreqwest (Rust) + orjson to a dict (limits 0.75, tls 0.85,
                          uvloop 0.95, uvloop and tls 1.05; tls, aiohttp 0.4)
httpx_vs_typed_create     httpx + json to a dict, divided by the same typed create (at least 25)
run_many_50k_vs_1k        a call of run_many when it makes 50,000, divided by 1,000 (limit 1.1)
latency_50ms_vs_floor     calls per second to a server that takes 50 ms, divided by the floor's (at least 0.9)

Growth of CPU time and, if the name ends with _mb, of peak memory (benchmarks.scale):

companies_2k_vs_100       a log-in and 10 calls for each Company of a client
outstanding_50k_vs_1k     a call when so many are in flight and each result is dropped as it comes
import_50k_vs_10k         a row imported from CSV
export_50k_vs_10k         a row exported to Parquet
threads_4_vs_1            a call of threads that share a client

Not with --quick:
*_looked_at_vs_*          the same when the program reads every object of the result
latency_50ms_typed_floor_vs_floor  the same for the floor with our typed objects

Ratios that miss their goals are marked with **. They do not affect the exit status: 0 if everything was
measured, 1 for an error, 2 for wrong arguments.
"""

from __future__ import annotations

import asyncio
import os
import platform
import statistics
import time
from collections.abc import Callable

import attrs

from benchmarks import cells, codec, goals, growth, load, memory, report, scale
from tests.support import arguments

ROUND = 0.02  # seconds that a case runs in each round, much longer than a step of the clock


@attrs.frozen
class Effort:
    """Size of a run: rounds of each measurement, calls per stack and round, and further stacks to compare."""

    codec: int
    load: int
    latency: int
    growth: int
    calls: int
    also: list[str]


QUICK = Effort(11, 5, 6, 1, 2000, [])
FULL = Effort(101, 25, 11, 5, 4000, [load.FLOOR_TYPED, load.OURS_LOOKED_AT])


def measure(cases: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Return the CPU seconds of each case by name."""
    times = {name: max(1, int(ROUND / _once(case, 50))) for name, case in cases.items()}
    took: dict[str, list[float]] = {name: [] for name in cases}
    for _ in range(rounds):
        for name, case in cases.items():
            took[name].append(_once(case, times[name]))
    return {name: statistics.median(values) for name, values in took.items()}


def _once(case: Callable[[], object], times: int) -> float:
    start = time.process_time()
    for _ in range(times):
        case()
    return max((time.process_time() - start) / times, 1e-9)


def decoding(effort: Effort) -> dict[str, float]:
    """Measure the codec and print its figures; return the ratios."""
    took = measure(codec.cases(), effort.codec)
    for name, seconds in took.items():
        print(f"{name:36} {seconds * 1e6:8.1f} us")
    return codec.ratios(took)


async def creating(effort: Effort) -> tuple[load.Rounds, dict[str, float]]:
    """Measure creates; return the rounds of each stack, and the ratios."""
    compared = [load.OURS, load.FLOOR, *effort.also, load.PYREQWEST, load.AIOHTTP, load.HTTPX]
    found = await load.compare(effort.load, effort.calls, names=compared)
    late = await load.latency(effort.latency, 2 * effort.calls, [load.OURS, *effort.also])
    ratios = {
        "httpx_vs_typed_create": found.ratio(load.HTTPX, load.OURS),
        "run_many_50k_vs_1k": growth.run_many(effort.growth),
        "latency_50ms_vs_floor": late[load.OURS],
    }
    if load.FLOOR_TYPED in late:
        ratios["latency_50ms_typed_floor_vs_floor"] = late[load.FLOOR_TYPED]
    if load.OURS_LOOKED_AT in late:
        ratios["typed_create_looked_at_vs_aiohttp"] = found.ratio(load.OURS_LOOKED_AT, load.AIOHTTP)
        ratios["typed_create_looked_at_vs_floor"] = found.ratio(load.OURS_LOOKED_AT, load.FLOOR)
        ratios["latency_50ms_looked_at_vs_floor"] = late[load.OURS_LOOKED_AT]
    return found, ratios


HEADINGS = ("a create, 100 at once", "CPU us", "calls/s", "p50 ms", "p99 ms", "server us")


def table(found: dict[str, load.Figures]) -> str:
    """Return the figures of all stacks as a table."""
    rows = [
        f"{name:28} {row.cpu_us:9.1f} {row.per_second:9.0f} {row.p50_ms:9.2f} {row.p99_ms:9.2f} "
        f"{row.server_us:9.1f}"
        for name, row in found.items()
    ]
    return "\n".join(["{:28} {:>9} {:>9} {:>9} {:>9} {:>9}".format(*HEADINGS), *rows])


def main() -> None:
    """Read the arguments, measure, and write the results."""
    parser = arguments.parser("benchmarks", __doc__)
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds: about two minutes on a quiet machine"
    )
    arguments.add_json(parser, "the ratios and medians")
    parser.add_argument(
        "--svg", type=arguments.output, metavar="OUT.svg", help="where to draw the four cells"
    )
    args = parser.parse_args()
    arguments.require(parser, *arguments.BENCH)
    arguments.require(parser, "pyarrow", extra="bench,dev")
    load_before = os.getloadavg()[0]
    effort = QUICK if args.quick else FULL
    ratios = decoding(effort)
    with load.own_core():
        creates, more = asyncio.run(creating(effort))
        by_cell = {cells.HTTP: creates} | cells.measure(effort.load, effort.calls)
    stacks = creates.medians()
    print(f"\nserver on core {load.CORES[-1]}, clients on core {load.CORES[0]}\n{table(stacks)}\n")
    print(f"{cells.table(by_cell)}\n")
    peaks = {} if args.quick else memory.peaks()
    for name, megabytes in peaks.items():
        print(f"{name:28} {megabytes:9.1f} MB peak")
    ratios |= cells.ratios(by_cell) | more | scale.ratios()
    found = {name: round(value, 3) for name, value in ratios.items()}
    print(goals.lines(found))
    run = report.Run(
        quick=args.quick,
        python=platform.python_version(),
        load=load_before,
        ratios=found,
        cells=cells.figures(by_cell),
        peak_mb=peaks,
    )
    if args.svg:
        args.svg.write_text(report.picture([run]), encoding="utf-8")
    if args.json:
        run.write(args.json)


if __name__ == "__main__":
    main()
