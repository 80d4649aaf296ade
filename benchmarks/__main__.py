"""What the package costs beside what it is compared with.

    python -m benchmarks [--quick] [--json OUT.json] [--svg OUT.svg]

CPU time of this process, medians of rounds in which the cases take turns, so that a slow moment of
the machine meets all of them; ratios are taken within each round. A local server answers on another core.
Needs wosdk_async[bench].

codec_vs_pydantic         bytes of a 5 KB WorkOrder to objects, each looked at, by pydantic's
                          model_validate_json (limit 0.5)
typed_create_vs_aiohttp   a typed create, 100 at once, by aiohttp + orjson to a dict (limit 0.5)
typed_create_vs_floor     the same by a hand-written client of 100 lines to a dict (limit 1.7)
httpx_vs_typed_create     httpx + json to a dict, by the same typed create (at least 25)
outstanding_50k_vs_1k     a call when 50,000 are gathered at once, by 1,000 (limit 1.5)
run_many_50k_vs_1k        the same through run_many (limit 1.1)
latency_50ms_vs_floor     calls each second to a server that takes 50 ms, by the floor's (at least 0.9)

Not with --quick:
*_looked_at_vs_*          the same of ours when every object of the answer is looked at, which makes them
latency_50ms_typed_floor_vs_floor  the same of the floor with our typed objects
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path

import attrs

from benchmarks import codec, growth, load, memory
from benchmarks.picture import picture

ROUND = 0.02  # seconds that a case runs in each round: the clock counts in much smaller steps


@attrs.frozen
class Effort:
    """Rounds of the decoding, of the comparison, of latency, of growth; calls of a stack in a round; and
    what else is compared.
    """

    codec: int
    load: int
    latency: int
    growth: int
    calls: int
    beside: list[str]


QUICK = Effort(11, 5, 6, 1, 2000, [])
FULL = Effort(101, 25, 11, 5, 4000, [load.FLOOR_TYPED, load.OURS_LOOKED_AT])


def measure(cases: dict[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """Seconds of CPU time that each case takes, by name."""
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
    took = measure(codec.cases(), effort.codec)
    for name, seconds in took.items():
        print(f"{name:36} {seconds * 1e6:8.1f} us")
    return codec.ratios(took)


async def creating(effort: Effort) -> tuple[dict[str, load.Figures], dict[str, float]]:
    """The figures of each stack, and the ratios."""
    compared = [load.OURS, load.FLOOR, *effort.beside, load.PYREQWEST, load.AIOHTTP, load.HTTPX]
    found = await load.compare(effort.load, effort.calls, names=compared)
    late = await load.latency(effort.latency, 2 * effort.calls, [load.OURS, *effort.beside])
    ratios = {
        "typed_create_vs_aiohttp": found.ratio(load.OURS, load.AIOHTTP),
        "typed_create_vs_floor": found.ratio(load.OURS, load.FLOOR),
        "httpx_vs_typed_create": found.ratio(load.HTTPX, load.OURS),
        "outstanding_50k_vs_1k": await growth.outstanding(effort.growth),
        "run_many_50k_vs_1k": growth.run_many(effort.growth),
        "latency_50ms_vs_floor": late[load.OURS],
    }
    if load.FLOOR_TYPED in late:
        ratios["latency_50ms_typed_floor_vs_floor"] = late[load.FLOOR_TYPED]
    if load.OURS_LOOKED_AT in late:
        ratios["typed_create_looked_at_vs_aiohttp"] = found.ratio(load.OURS_LOOKED_AT, load.AIOHTTP)
        ratios["typed_create_looked_at_vs_floor"] = found.ratio(load.OURS_LOOKED_AT, load.FLOOR)
        ratios["latency_50ms_looked_at_vs_floor"] = late[load.OURS_LOOKED_AT]
    return found.medians(), ratios


HEADINGS = ("a create, 100 at once", "CPU us", "calls/s", "p50 ms", "p99 ms", "server us")


def table(found: dict[str, load.Figures]) -> str:
    rows = [
        f"{name:28} {row.cpu_us:9.1f} {row.per_second:9.0f} {row.p50_ms:9.2f} {row.p99_ms:9.2f} "
        f"{row.server_us:9.1f}"
        for name, row in found.items()
    ]
    return "\n".join(["{:28} {:>9} {:>9} {:>9} {:>9} {:>9}".format(*HEADINGS), *rows])


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--quick", action="store_true", help="fewer rounds, under 50 s")
    parser.add_argument("--json", type=Path, metavar="OUT.json", help="where to write the ratios")
    parser.add_argument("--svg", type=Path, metavar="OUT.svg", help="where to draw the comparison")
    args = parser.parse_args()
    effort = QUICK if args.quick else FULL
    ratios = decoding(effort)
    with load.own_core():
        stacks, more = asyncio.run(creating(effort))
    print(f"\nserver on core {load.CORES[-1]}, clients on core {load.CORES[0]}\n{table(stacks)}\n")
    if not args.quick:
        for name, megabytes in memory.peaks().items():
            print(f"{name:28} {megabytes:9.1f} MB at the most")
    if args.svg:
        args.svg.write_text(picture(stacks, "CPU time of a create, 100 at once"), encoding="utf-8")
    found = {name: round(value, 3) for name, value in {**ratios, **more}.items()}
    for name, value in found.items():
        print(f"{name:36} {value:8.3f}")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
