"""Waits of a job say what they wait for, again every few seconds, and end with a stop."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Any, TypeVar

from benchmarks.jobs_process import running
from benchmarks.simulate.loop import VirtualLoop
from benchmarks.simulate.network import Network
from benchmarks.simulate.plan import World
from wosdk_async.jobs.waits import NowAndThen, stopped_within

T = TypeVar("T")


def virtually(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on virtual time."""
    rng = random.Random(0)
    loop = VirtualLoop(rng, Network(rng, World(), lambda *_, **__: None))
    with running(loop):
        return loop.run_until_complete(main)


def test_a_long_wait_says_how_much_is_left() -> None:
    said: list[int] = []

    async def main() -> bool:
        return await stopped_within(asyncio.Event(), 27, lambda left: said.append(round(left)))

    assert virtually(main()) is False
    assert said == [22, 17, 12, 7, 2]


def test_a_stop_ends_a_wait_at_once() -> None:
    said: list[float] = []

    async def main() -> tuple[bool, float]:
        stopped, loop = asyncio.Event(), asyncio.get_running_loop()
        began = loop.time()
        loop.call_later(7, stopped.set)
        found = await stopped_within(stopped, 600, said.append)
        assert await stopped_within(stopped, 600), "it was set before"
        return found, loop.time() - began

    found, took = virtually(main())
    assert (found, round(took), len(said)) == (True, 7, 1)


def test_texts_come_now_and_then() -> None:
    said: list[str] = []

    async def main() -> None:
        now_and_then = NowAndThen(said.append)
        for second in range(13):
            now_and_then(str(second))
            await asyncio.sleep(1)

    virtually(main())
    assert said == ["5", "10"]
