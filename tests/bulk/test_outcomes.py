"""Every input has exactly one outcome, whatever happens to the block: break, exceptions, cancellation."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from tests.bulk.step_by_step import StepByStep, kinds, one_each, read
from tests.support.laws import each_of
from wosdk_async import InDoubt, Run
from wosdk_async.transport.telemetry.statistics import Trace


async def cancel_natively(block: Callable[[], Awaitable[None]], work: StepByStep) -> None:
    task = asyncio.ensure_future(block())
    await work.begun(3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def cancel_by_timeout(block: Callable[[], Awaitable[None]], work: StepByStep) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await block()


async def cancel_by_scope(block: Callable[[], Awaitable[None]], work: StepByStep) -> None:
    with anyio.move_on_after(0.05) as scope:
        await block()
    assert scope.cancelled_caught


@each_of("cancel", [cancel_natively, cancel_by_timeout, cancel_by_scope])
@each_of("answered", [True, False])
async def test_cancelled(cancel: Any, answered: bool) -> None:
    """Cancelled in any way: what ends within the grace is Done, what was sent and hangs is in doubt."""
    work = StepByStep()
    run = Run(range(10), work, limit=3, grace=5 if answered else 0.01)

    async def block() -> None:
        async with run:
            await work.begun(3)
            if answered:
                asyncio.get_running_loop().call_later(0.1, work.open.set)
            await asyncio.Event().wait()

    await cancel(block, work)
    assert work.now == 0, "no call outlives the block"
    outcomes = await read(run)
    assert kinds(outcomes) == {"Done" if answered else "InDoubt": 3, "NotStarted": 7}
    for outcome in outcomes:
        assert not isinstance(outcome, InDoubt) or outcome.error.request_id == f"r-{outcome.input}"
    assert one_each(outcomes, 10)


async def test_a_call_that_takes_its_time_to_end_does_not_outlive_the_block() -> None:
    """What a cancelled call still has to do is awaited."""
    under_way = 0

    async def call(item: int, _: Trace) -> None:
        nonlocal under_way
        under_way += 1
        try:
            await asyncio.Event().wait()
        finally:
            for _ in range(20):
                await asyncio.sleep(0)
            under_way -= 1

    run = Run(range(3), call, limit=3, grace=0.0)
    with pytest.raises(KeyError):
        async with run:
            while under_way < 3:
                await asyncio.sleep(0)
            raise KeyError
    assert under_way == 0
