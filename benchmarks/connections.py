"""CPU time of opening an https connection, once the client has read its first response.

    python -m benchmarks.connections [--rounds 9] [--json OUT.json]

Each round opens a client and makes one call. Then it makes 100 calls at once, which open 99 connections, and
100 more, which open none. The difference is the cost of the connections. The clients take turns.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import time

from benchmarks import load
from benchmarks.stacks import STACKS, Call
from tests.support import arguments

_NAMES = [load.OURS, load.FLOOR, load.PYREQWEST, load.AIOHTTP]


async def _cpu(call: Call) -> float:
    gc.collect()
    start = time.process_time()
    await asyncio.gather(*(call() for _ in range(load.AT_ONCE)))
    return time.process_time() - start


async def opened(name: str, server: load.Server) -> float:
    """Return the CPU seconds of one new connection."""
    async with STACKS[name](server.target, load.AT_ONCE) as call:
        await call()
        with_new, without = await _cpu(call), await _cpu(call)
        return (with_new - without) / (load.AT_ONCE - 1)


async def compare(rounds: int) -> dict[str, float]:
    """Return the median CPU microseconds of a connection for each client."""
    found: dict[str, list[float]] = {name: [] for name in _NAMES}
    with load.Server(tls=True) as server:
        for number in range(rounds + 1):
            for name in _NAMES:
                took = await opened(name, server)
                if number:  # not in the first round, which imports packages
                    found[name].append(took * 1e6)
    return {name: statistics.median(times) for name, times in found.items()}


def main() -> None:
    """Measure and print."""
    parser = arguments.parser("benchmarks.connections", __doc__)
    parser.add_argument(
        "--rounds", type=arguments.count, default=9, metavar="N", help="rounds of each client"
    )
    arguments.add_json(parser)
    args = parser.parse_args()
    arguments.require(parser, *arguments.BENCH)
    with load.own_core():
        found = asyncio.run(compare(args.rounds))
    for name, microseconds in found.items():
        print(f"{name:28} {microseconds:9.0f} us a connection")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
