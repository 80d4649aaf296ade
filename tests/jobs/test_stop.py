"""The stop of a run ends what changes nothing at once, and lets calls under way end."""

from __future__ import annotations

import asyncio

import pytest

from wosdk_async.jobs.errors import RunStoppedError
from wosdk_async.jobs.stop import Stop, StoppedError


async def within(stop: Stop, *, exempt: bool = False) -> str:
    """Wait for ever in a block that the stop ends; return how it ended."""
    stops: list[str] = []
    try:
        async with stop.cancellable():
            if exempt:
                with stop.shielded(lambda: stops.append("told")):
                    await asyncio.sleep(0.01)
                    if stop.requests < 2:
                        return f"ended {stops}"
                    await asyncio.Event().wait()
            await asyncio.Event().wait()
    except StoppedError:
        return f"stopped {stops}"
    return "not reached"


async def test_a_wait_ends_with_the_stop_without_a_check_of_its_own() -> None:
    stop = Stop()
    tasks = [asyncio.create_task(within(stop)) for _ in range(3)]
    await asyncio.sleep(0)
    stop.ask()
    assert await asyncio.gather(*tasks) == ["stopped []"] * 3
    assert (stop.reason.kind, stop.cause, await within(stop)) == ("asked", None, "stopped []")
    assert all(not task.cancelling() for task in tasks)


async def test_calls_that_may_change_something_end_by_themselves_or_by_an_abort() -> None:
    stop = Stop()
    task = asyncio.create_task(within(stop, exempt=True))
    await asyncio.sleep(0)
    stop.ask()
    assert await task == "ended ['told']"
    stop = Stop()
    task = asyncio.create_task(within(stop, exempt=True))
    await asyncio.sleep(0)
    stop.ask()
    stop.ask()
    assert await task == "stopped ['told', 'told']"


async def test_what_follows_exempt_calls_is_ended() -> None:
    stop = Stop()
    with pytest.raises(StoppedError):
        async with stop.cancellable():
            with stop.shielded(lambda: None):
                stop.ask()
                await asyncio.sleep(0)
            await asyncio.Event().wait()


async def test_a_rule_starts_no_more_and_ends_no_wait() -> None:
    stop, told, first = Stop(), [], RunStoppedError("too many failures")
    async with stop.cancellable():
        stop.start_no_more(first)
        stop.start_no_more(RunStoppedError("another"))
        await asyncio.sleep(0)
        with stop.shielded(lambda: told.append(stop.reason)):
            pass
    stop.ask()
    assert (told, stop.reason) == ([first], first)


async def test_a_cancellation_and_a_timeout_of_the_program_stay_what_they_are() -> None:
    stop = Stop()
    task = asyncio.create_task(within(stop))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    with pytest.raises(TimeoutError):
        async with stop.cancellable():
            raise TimeoutError
