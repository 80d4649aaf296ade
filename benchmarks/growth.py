"""Growth of the cost of a call in ``run_many``: 50,000 calls compared with 1,000."""

from __future__ import annotations

import asyncio
import gc
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Self

from benchmarks.load import AT_ONCE, Server
from benchmarks.stacks import Target, client, command


def run_many(rounds: int, few: int = 1000, many: int = 50_000) -> float:
    """Return the CPU time per call of ``run_many`` with ``many`` calls, divided by that with ``few`` calls.

    ``run_many`` holds only as many calls as its limit. The speed of a shared machine varies during the long
    run, so the long run pauses ten times, with a short run before and after each part. The short runs have
    their own process, so that their garbage collector does not see what the long run keeps.
    """
    ratios = []
    with Server() as server:
        for _ in range(rounds):
            with _Runner(server.target.port, many) as long, _Runner(server.target.port, few) as short:
                parts = [(short.part(few), long.part(many // 10), short.part(few)) for _ in range(10)]
            before, large, after = map(sum, zip(*parts, strict=True))
            ratios.append(large / many / ((before + after) / (20 * few)))
    return statistics.median(ratios)


class _Runner:
    """Process that repeats runs of ``calls`` calls, and pauses between parts."""

    def __init__(self, port: int, calls: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.growth", str(port), str(calls)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def part(self, calls: int) -> float:
        """Make ``calls`` more calls, and return their CPU seconds."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(f"{calls}\n")
        self._process.stdin.flush()
        return float(self._process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate("")


async def _runs(port: int, calls: int) -> None:
    """Repeat runs of ``calls`` calls, with pauses.

    Each line on standard input ends a pause, and is the number of outcomes to read before the next pause.
    Then the CPU time since the pause is printed.
    """

    async def run(calls: int) -> AsyncGenerator[None]:
        async with bench.run_many((command() for _ in range(calls)), limit=AT_ONCE) as outcomes:
            async for outcome in outcomes:
                assert type(outcome).__name__ == "Done"
                yield

    async def runs() -> AsyncGenerator[None]:
        while True:
            async for one in run(calls):
                yield one

    async with client(Target(port), AT_ONCE) as own:
        bench = own.company("Bench")
        async for _ in run(3 * AT_ONCE):
            pass  # connect and fill the caches
        gc.collect()
        async with aclosing(runs()) as outcomes:
            while line := sys.stdin.readline():
                start = time.process_time()
                for _ in range(int(line)):
                    await anext(outcomes)
                while own.stats().in_flight:  # noqa: ASYNC110 - there is no event for it
                    await asyncio.sleep(0.001)
                print(time.process_time() - start, flush=True)


if __name__ == "__main__":
    asyncio.run(_runs(*map(int, sys.argv[1:])))
