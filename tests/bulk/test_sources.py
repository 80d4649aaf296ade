"""Inputs that break, stop or are cut off: none of them is lost without a word."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from tests.bulk.step_by_step import double, kinds, read
from tests.support.laws import each_of
from wosdk_async import InvalidCallError, NotStarted, Run


class Odd(BaseException):
    """No Exception, and nobody's cancellation."""


RAISED = [asyncio.CancelledError, GeneratorExit, Odd, OSError]


def plain(error: type[BaseException]) -> Iterator[int]:
    yield from range(3)
    raise error


async def awaiting(error: type[BaseException]) -> AsyncIterator[int]:
    for number in range(3):
        await asyncio.sleep(0)
        yield number
    raise error


@each_of("source", [plain, awaiting])
@each_of("error", RAISED)
async def test_whatever_the_inputs_raise_is_raised_out_of_the_run(
    source: Callable[[type[BaseException]], Any], error: type[BaseException]
) -> None:
    """Plain iterating raises it, and so does a run, after the outcomes of what came before."""
    outcomes = []

    async def reading() -> None:
        async with Run(source(error), double, limit=2) as run:
            async for outcome in run:
                outcomes.append(outcome)  # noqa: PERF401 - what came before the exception counts

    with pytest.raises(error):
        await reading()
    assert kinds(outcomes) == {"Done": 3}


@each_of("error", RAISED)
async def test_it_is_raised_without_a_reader_too(error: type[BaseException]) -> None:
    """Leaving a block that nobody read raises it."""

    async def unread() -> None:
        async with Run(plain(error), double):
            pass

    with pytest.raises(error):
        await unread()


async def test_a_run_that_is_not_entered_says_so() -> None:
    """Without `async with` nothing was started, and nothing pretends that it was."""
    run = Run(range(3), double)
    with pytest.raises(InvalidCallError, match="async with"):
        await read(run)
    async with run:
        assert kinds(await read(run)) == {"Done": 3}


class Queue:
    """Inputs that come one by one, and go on after a wait for the next was cancelled."""

    def __init__(self) -> None:
        self.queue = asyncio.Queue[int | None]()

    def __aiter__(self) -> Queue:
        return self

    async def __anext__(self) -> int:
        if (item := await self.queue.get()) is None:
            raise StopAsyncIteration
        return item


async def test_inputs_that_go_on_after_the_block_are_read_on() -> None:
    """The wait for the next one was cut; what comes later is not started."""
    source = Queue()
    source.queue.put_nowait(1)
    async with Run(source, double) as run:
        async for _ in run:
            break
    for item in (2, 3, None):
        source.queue.put_nowait(item)
    assert await read(run) == [NotStarted(1, 2), NotStarted(2, 3)]


async def test_inputs_that_were_cut_off_are_not_taken_for_their_end() -> None:
    """An async generator does not outlive the cancelled wait: who reads on is told what is missing."""

    async def source() -> AsyncIterator[int]:
        yield 1
        await asyncio.Event().wait()
        yield 2

    async with Run(source(), double) as run:
        async for _ in run:
            break
    with pytest.raises(InvalidCallError, match="index 1 on are lost"):
        await read(run)


async def stalling() -> AsyncIterator[int]:
    """An input, and a wait for the next that never ends."""
    yield 1
    await asyncio.Event().wait()


def stalled_queue() -> Queue:
    source = Queue()
    source.queue.put_nowait(1)
    return source


STALLING = pytest.mark.parametrize("source", [stalling, stalled_queue], ids=["generator", "iterator"])


@STALLING
async def test_a_cancelled_run_is_drained_without_a_wait(source: Callable[[], AsyncIterable[int]]) -> None:
    """Inputs that do not come are not waited for, and nothing replaces the cancellation."""
    run, outcomes, hung = Run(source(), double), list[Any](), asyncio.Event()

    async def drained() -> None:
        try:
            async with run:
                async for outcome in run:
                    outcomes.append(outcome)
                    hung.set()
        finally:
            async for outcome in run:
                outcomes.append(outcome)

    task = asyncio.create_task(drained())
    async with asyncio.timeout(20):
        await hung.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
    assert kinds(outcomes) == {"Done": 1}


async def test_a_failed_block_is_told_which_inputs_are_lost() -> None:
    """A note on its error; one by one, the outcomes can still be read."""
    run = Run(stalling(), double)
    with pytest.raises(KeyError) as caught:
        async with run:
            await anext(aiter(run))
            raise KeyError
    assert any("index 1 on are lost" in note for note in caught.value.__notes__)
    assert await read(run) == []


async def test_a_failed_block_is_told_what_the_inputs_raised() -> None:
    def source() -> Iterator[int]:
        yield 1
        raise LookupError("row 2")

    run = Run(source(), double)
    with pytest.raises(KeyError) as caught:
        async with run:
            while not run._inputs.error:
                await asyncio.sleep(0)
            raise KeyError
    assert any("row 2" in note for note in caught.value.__notes__)
    assert kinds(await read(run)) == {"Done": 1}


@each_of("turns", range(8))
async def test_a_cancelled_drain_loses_no_input(turns: int) -> None:
    """In whichever turn of the loop it is cancelled: the next reader gets the input."""
    source = stalled_queue()
    async with Run(source, double) as run:
        async for _ in run:
            break
    source.queue.put_nowait(2)
    reading = asyncio.create_task(anext(aiter(run)))
    for _ in range(turns):
        await asyncio.sleep(0)
    reading.cancel()
    (got,) = await asyncio.gather(reading, return_exceptions=True)
    source.queue.put_nowait(None)
    assert [NotStarted(1, 2)] == ([got] if isinstance(got, NotStarted) else await read(run))


async def test_a_drain_can_be_cancelled_though_every_input_is_ready() -> None:
    """The loop gets its turns, and no input is lost."""
    count = 20_000
    async with Run(range(count), double, limit=1) as run:
        async for _ in run:
            break
    got: list[Any] = []

    async def drain() -> None:
        async for outcome in run:
            got.append(outcome)  # noqa: PERF401 - a cancelled list would lose them

    draining = asyncio.create_task(drain())
    while not got:
        await asyncio.sleep(0)
    draining.cancel()
    with pytest.raises(asyncio.CancelledError):
        await draining
    assert len(got) < count / 2
    rest = await read(run)
    assert [each.index for each in (*got, *rest)][-count // 2 :] == list(range(count // 2, count))
    assert len({each.index for each in (*got, *rest)}) == len(got) + len(rest)


@each_of(("name", "value"), [("limit", 0), ("limit", "8"), ("limit", True), ("limit", 2.0)])
def test_a_limit_that_is_no_number_of_calls(name: str, value: Any) -> None:
    """Refused with the value, before anything starts."""
    with pytest.raises(InvalidCallError, match=f"^{name} is {value!r}"):
        Run([], double, **{name: value})


@each_of("value", [-1, float("nan"), float("inf"), "5", None])
def test_a_grace_that_is_no_time(value: Any) -> None:
    """Refused with the value, before anything starts."""
    with pytest.raises(InvalidCallError, match=r"^grace is"):
        Run([], double, grace=value)


class Stumbling:
    """Inputs whose own code fails when somebody begins to iterate."""

    def __iter__(self) -> Iterator[int]:
        raise TypeError("a fault of the program")


def test_what_inputs_raise_at_the_start_is_the_programs_own() -> None:
    """It is not taken for a wrong argument."""
    with pytest.raises(TypeError, match="a fault of the program"):
        Run(Stumbling(), double)


def test_inputs_that_cannot_be_iterated_over() -> None:
    """One command instead of a list of them is told at once."""
    with pytest.raises(InvalidCallError, match="the inputs are an int; pass a list"):
        Run(5, double)  # type: ignore[arg-type]


async def test_inputs_that_come_together_start_together() -> None:
    """Calls of one turn of the event loop share its system calls."""
    turn, begun = 0, asyncio.Event()
    turns: list[int] = []

    async def count() -> None:
        nonlocal turn
        while True:
            turn += 1
            await asyncio.sleep(0)

    async def burst() -> AsyncIterator[int]:
        await begun.wait()
        for number in range(8):
            yield number

    async def call(number: int, _: Any) -> int:
        turns.append(turn)
        return number

    # Eight workers wait: the first burst has started them.
    async def bursts() -> AsyncIterator[int]:
        for number in range(8):
            yield number
        async for number in burst():
            yield number

    counting = asyncio.create_task(count())
    async with Run(bursts(), call, limit=8) as run:
        reading = asyncio.create_task(read(run))
        while len(turns) < 8:
            await asyncio.sleep(0)
        begun.set()
        outcomes = await reading
    counting.cancel()
    assert kinds(outcomes) == {"Done": 16}
    assert max(turns[8:]) - min(turns[8:]) <= 1


async def test_inputs_at_hand_are_taken_without_waiting() -> None:
    class Stock:
        """Ten inputs at hand, and one to wait for."""

        def __init__(self) -> None:
            self.left = list(range(10))
            self.waited = 0

        def at_hand(self) -> int | None:
            return self.left.pop() + 1 if self.left else None

        def __aiter__(self) -> Stock:
            return self

        async def __anext__(self) -> int:
            self.waited += 1
            if self.waited > 1:
                raise StopAsyncIteration
            return 11

    stock = Stock()
    async with Run(stock, double, limit=2) as run:
        outcomes = await read(run)
    assert sorted(outcome.input for outcome in outcomes) == list(range(1, 12))
    assert [outcome.index for outcome in outcomes] == list(range(11))
    assert stock.waited == 2


async def test_inputs_are_left_when_the_block_ends_before_the_first_was_read() -> None:
    """The task that reads them was cancelled before it began; those not started can still be read."""
    read_on: list[NotStarted[int]] = []

    async def numbers() -> AsyncIterator[int]:
        for number in range(3):
            yield number

    run = Run(numbers(), double, limit=1, grace=0)
    with pytest.raises(KeyError):
        async with run:
            await asyncio.sleep(0)  # a worker asks for the first input
            raise KeyError
    async with asyncio.timeout(5):
        async for outcome in run:
            assert isinstance(outcome, NotStarted)
            read_on.append(outcome)
    assert [outcome.input for outcome in read_on] == [0, 1, 2]


async def test_an_input_that_comes_in_the_turn_of_a_cancellation_is_left() -> None:
    """It was given to a worker that is cancelled before it can start the call."""
    given = asyncio.Event()

    async def numbers() -> AsyncIterator[int]:
        yield 0
        await given.wait()
        yield 1

    run = Run(numbers(), double, limit=1)
    async with run:
        async for outcome in run:
            assert outcome.input == 0
            break
        await asyncio.sleep(0)  # the worker waits for the second input
        given.set()
        await asyncio.sleep(0)
    assert [outcome.input async for outcome in run] == [1]
