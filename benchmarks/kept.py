"""Cost of kept results: a call when thousands are gathered, compared with 100 at a time.

    python -m benchmarks.kept [--rounds N] [--stack ours|floor]

The garbage collector walks over every container that it tracks, so results that a program holds make the
calls after them slower. All results of a gather are held until it ends.

kept_1k_vs_100    CPU time of a call when 1,000 are gathered, divided by that when 100 are
kept_5k_vs_100    the same for 5,000
tracked           objects of one kept result that the garbage collector tracks
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import time

from benchmarks.load import AT_ONCE, FLOOR, OURS, Server, open_stacks
from benchmarks.stacks import Call
from tests.support import arguments

_FEW = 100
_MANY = {"kept_1k_vs_100": 1000, "kept_5k_vs_100": 5000}
_STACKS = {"ours": OURS, "floor": FLOOR}


async def _gathered(call: Call, calls: int) -> list[object]:
    return await asyncio.gather(*(call() for _ in range(calls)))


async def _cpu(call: Call, calls: int, times: int) -> float:
    """Return the CPU seconds of a call when ``calls`` calls are gathered and their results kept."""
    gc.collect()
    start = time.process_time()
    for _ in range(times):
        await _gathered(call, calls)
    return (time.process_time() - start) / (calls * times)


async def _tracked(call: Call, calls: int = 1000) -> float:
    gc.collect()
    before = len(gc.get_objects())
    kept = await _gathered(call, calls)
    await asyncio.sleep(0)  # releases the tasks
    gc.collect()
    return (len(gc.get_objects()) - before) / len(kept)


async def measure(stack: str, rounds: int) -> dict[str, float]:
    """Return the figures. Few calls are measured before and after many: the machine's speed varies."""
    ratios: dict[str, list[float]] = {name: [] for name in _MANY}
    with Server() as server:
        async with open_stacks(server.target, AT_ONCE, [_STACKS[stack]]) as stacks:
            call = stacks[_STACKS[stack]]
            await _cpu(call, _FEW, 20)
            for _ in range(rounds):
                for name, many in _MANY.items():
                    times = many // _FEW
                    before = await _cpu(call, _FEW, times)
                    large = await _cpu(call, many, 1)
                    ratios[name].append(2 * large / (before + await _cpu(call, _FEW, times)))
            tracked = await _tracked(call)
    return {name: statistics.median(found) for name, found in ratios.items()} | {"tracked": tracked}


def main() -> None:
    """Read the arguments and measure."""
    parser = arguments.parser("benchmarks.kept", __doc__)
    parser.add_argument(
        "--rounds", type=arguments.count, default=9, metavar="N", help="rounds to take the median of"
    )
    parser.add_argument("--stack", choices=list(_STACKS), default="ours", help="the client that is measured")
    args = parser.parse_args()
    for name, figure in asyncio.run(measure(args.stack, args.rounds)).items():
        print(f"{name:16} {figure:.2f}")


if __name__ == "__main__":
    main()
