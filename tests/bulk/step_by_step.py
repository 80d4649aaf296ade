"""Calls for runs to make, and what their outcomes add up to."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import Any

from wosdk_async import Run
from wosdk_async.transport.telemetry.statistics import Trace


async def double(item: int, _: Trace) -> int:
    await asyncio.sleep(0)
    return item * 2


async def read(run: Run[Any, Any]) -> list[Any]:
    return [outcome async for outcome in run]


def kinds(outcomes: list[Any]) -> dict[str, int]:
    return dict(Counter(type(outcome).__name__ for outcome in outcomes))


def one_each(outcomes: list[Any], count: int) -> bool:
    return sorted(outcome.index for outcome in outcomes) == list(range(count))


class StepByStep:
    """Calls that hang until the test lets them go."""

    def __init__(self) -> None:
        self.started: list[int] = []
        self.open = asyncio.Event()
        self.most = self.now = 0

    async def __call__(self, item: int, trace: Trace) -> int:
        self.started.append(item)
        self.now += 1
        self.most = max(self.most, self.now)
        trace.sent, trace.request_id = True, f"r-{item}"
        try:
            await self.open.wait()
        finally:
            self.now -= 1
        return item

    async def begun(self, count: int) -> None:
        while len(self.started) < count:
            await asyncio.sleep(0)
