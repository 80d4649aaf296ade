"""Every input has exactly one outcome, whatever happens to the block."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from wosdk_async import Done, Failed, InDoubt, InDoubtError, NotStarted, Run
from wosdk_async.transport.trace import Trace

Call = Callable[[Any, Trace], Awaitable[Any]]


async def double(item: int, _: Trace) -> int:
    await asyncio.sleep(0)
    return item * 2


async def read(run: Run[Any, Any]) -> list[Any]:
    return [outcome async for outcome in run]


def kinds(outcomes: list[Any]) -> dict[str, int]:
    return dict(Counter(type(outcome).__name__ for outcome in outcomes))


def one_each(outcomes: list[Any], count: int) -> bool:
    return sorted(outcome.index for outcome in outcomes) == list(range(count))


class Desk:
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


async def numbers(count: int) -> AsyncIterator[int]:
    for number in range(count):
        await asyncio.sleep(0)
        yield number


@pytest.mark.parametrize("source", [lambda: range(100), lambda: iter(range(100)), lambda: numbers(100)])
async def test_sync_and_async_inputs(source: Callable[[], Any]) -> None:
    """A list, an iterator and an async generator are all carried out."""
    async with Run(source(), double, limit=7) as run:
        outcomes = await read(run)
    assert sorted(outcome.result for outcome in outcomes) == [2 * number for number in range(100)]
    assert one_each(outcomes, 100)
    assert await read(run) == []


async def test_bounded() -> None:
    """No more calls are under way than the limit allows, and all of them are when there is work."""
    desk = Desk()
    async with Run(range(50), desk, limit=5) as run:
        await desk.begun(5)
        desk.open.set()
        assert len(await read(run)) == 50
    assert desk.most == 5


async def test_a_failure_spares_the_others() -> None:
    """A call that raises is one Failed outcome; its siblings go on."""

    async def call(item: int, _: Trace) -> int:
        if item % 3 == 0:
            raise LookupError(item)
        return item

    async with Run(range(10), call, limit=4) as run:
        outcomes = await read(run)
    assert kinds(outcomes) == {"Failed": 4, "Done": 6}
    assert all(isinstance(outcome.error, LookupError) for outcome in outcomes if isinstance(outcome, Failed))


async def test_doubt_is_an_outcome_of_its_own() -> None:
    """InDoubtError makes InDoubt, with the error in it."""

    async def call(item: int, _: Trace) -> int:
        raise InDoubtError("?", request_id="r-1")

    async with Run([1], call) as run:
        (outcome,) = await read(run)
    assert isinstance(outcome, InDoubt)
    assert outcome.error.request_id == "r-1"


async def test_a_slow_reader_slows_the_workers() -> None:
    """While nobody reads, at most `limit` outcomes are kept and no further call starts."""
    taken = 0

    def source() -> Any:
        nonlocal taken
        for number in range(1000):
            taken += 1
            yield number

    async with Run(source(), double, limit=4) as run:
        outcomes = aiter(run)
        await anext(outcomes)
        for _ in range(200):
            await asyncio.sleep(0)
        assert taken <= 1 + 4 + 4
        rest = [outcome async for outcome in outcomes]
    assert len(rest) == 999


async def test_leaving_without_reading_carries_all_out() -> None:
    """A block that never reads runs everything, and the outcomes are there afterwards."""
    async with Run(range(100), double, limit=3) as run:
        pass
    assert kinds(await read(run)) == {"Done": 100}


async def test_break_takes_no_further_input() -> None:
    """After `break` nothing new starts; what was under way is done, the rest is NotStarted."""
    first = []
    async with Run(range(1000), double, limit=4) as run:
        async for outcome in run:
            first.append(outcome)
            break
    rest = await read(run)
    assert one_each(first + rest, 1000)
    assert kinds(rest)["NotStarted"] > 900
    assert kinds(rest).get("InDoubt", 0) == 0


async def test_an_exception_gives_calls_under_way_their_grace() -> None:
    """An exception in the block stops the run; calls that end within the grace are Done."""
    desk = Desk()
    run = Run(range(10), desk, limit=3, grace=5)
    with pytest.raises(KeyError):
        async with run:
            await desk.begun(3)
            asyncio.get_running_loop().call_soon(desk.open.set)
            raise KeyError
    outcomes = await read(run)
    assert kinds(outcomes) == {"Done": 3, "NotStarted": 7}
    assert one_each(outcomes, 10)


async def cancel_natively(block: Callable[[], Awaitable[None]], desk: Desk) -> None:
    task = asyncio.ensure_future(block())
    await desk.begun(3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def cancel_by_timeout(block: Callable[[], Awaitable[None]], desk: Desk) -> None:
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(0.05):
            await block()


async def cancel_by_scope(block: Callable[[], Awaitable[None]], desk: Desk) -> None:
    with anyio.move_on_after(0.05) as scope:
        await block()
    assert scope.cancelled_caught


@pytest.mark.parametrize("cancel", [cancel_natively, cancel_by_timeout, cancel_by_scope])
@pytest.mark.parametrize("answered", [True, False])
async def test_cancelled(cancel: Any, answered: bool) -> None:
    """Cancelled in any way: what ends within the grace is Done, what was sent and hangs is in doubt."""
    desk = Desk()
    run = Run(range(10), desk, limit=3, grace=5 if answered else 0.01)

    async def block() -> None:
        async with run:
            await desk.begun(3)
            if answered:
                asyncio.get_running_loop().call_later(0.1, desk.open.set)
            await asyncio.Event().wait()

    await cancel(block, desk)
    assert desk.now == 0, "no call outlives the block"
    outcomes = await read(run)
    assert kinds(outcomes) == {"Done" if answered else "InDoubt": 3, "NotStarted": 7}
    for outcome in outcomes:
        assert not isinstance(outcome, InDoubt) or outcome.error.request_id == f"r-{outcome.input}"
    assert one_each(outcomes, 10)


async def test_cancelled_before_anything_was_sent() -> None:
    """A call that is cancelled while it waits for its turn was not started."""

    async def waits(item: int, _: Trace) -> None:
        await asyncio.Event().wait()

    run = Run(range(5), waits, limit=2, grace=0.01)
    with pytest.raises(KeyError):
        async with run:
            await asyncio.sleep(0.01)
            raise KeyError
    assert kinds(await read(run)) == {"NotStarted": 5}


async def test_a_source_that_breaks() -> None:
    """What was taken before the inputs broke has its outcomes; then the reader gets the exception."""

    def source() -> Any:
        yield from range(5)
        raise OSError("disk")

    outcomes = []
    run = Run(source(), double, limit=2)
    with pytest.raises(OSError, match="disk"):
        async with run:
            async for outcome in run:
                outcomes.append(outcome)  # noqa: PERF401 - what came before the exception counts
    assert kinds(outcomes) == {"Done": 5}


async def test_a_broken_source_is_not_silent_without_a_reader() -> None:
    """Leaving a block that nobody read raises what the inputs raised."""

    def source() -> Any:
        yield 1
        raise OSError("disk")

    with pytest.raises(OSError, match="disk"):
        async with Run(source(), double):
            pass


async def test_an_async_source_that_hangs_does_not_hold_the_exit() -> None:
    """`break` leaves the block although the next input never comes."""

    async def source() -> AsyncIterator[int]:
        yield 1
        await asyncio.Event().wait()

    async with asyncio.timeout(2):
        async with Run(source(), double) as run:
            async for outcome in run:
                assert outcome == Done(0, 1, 2)
                break


def test_no_limit_is_a_mistake() -> None:
    """A limit below one is told at once."""
    with pytest.raises(ValueError, match="limit"):
        Run([], double, limit=0)


@settings(max_examples=100, deadline=None)
@given(
    results=st.lists(st.sampled_from(["ok", "fail", "doubt"]), max_size=30),
    limit=st.integers(1, 8),
    reads=st.integers(0, 40),
    end=st.sampled_from(["read", "leave", "raise"]),
)
def test_one_outcome_for_each_input(results: list[str], limit: int, reads: int, end: str) -> None:
    """However a run ends and however much of it was read, each input has one outcome that fits it."""

    async def call(item: str, _: Trace) -> str:
        await asyncio.sleep(0)
        if item == "fail":
            raise LookupError
        if item == "doubt":
            raise InDoubtError("?")
        return item

    async def scenario() -> list[Any]:
        run, outcomes = Run(results, call, limit=limit), []
        try:
            async with run:
                if reads or end == "read":
                    async for outcome in run:
                        outcomes.append(outcome)
                        if len(outcomes) == reads and end != "read":
                            break
                if end == "raise":
                    raise KeyError
        except KeyError:
            pass
        return outcomes + await read(run)

    outcomes = asyncio.run(scenario())
    assert one_each(outcomes, len(results))
    fits = {"ok": (Done, NotStarted), "fail": (Failed, NotStarted), "doubt": (InDoubt, NotStarted)}
    for outcome in outcomes:
        assert outcome.input == results[outcome.index]
        assert isinstance(outcome, fits[outcome.input])
    if end == "read":
        assert not any(isinstance(outcome, NotStarted) for outcome in outcomes)
