"""Every input has exactly one outcome: a run from its inputs to its last outcome."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.bulk.step_by_step import StepByStep, double, kinds, one_each, read
from tests.support.laws import examples
from wosdk_async import Done, Failed, InDoubt, InDoubtError, NotStarted, Run
from wosdk_async.transport.telemetry.statistics import Trace


async def test_bounded() -> None:
    """No more calls are under way than the limit allows, and all of them are when there is work."""
    work = StepByStep()
    async with Run(range(50), work, limit=5) as run:
        await work.begun(5)
        work.open.set()
        assert len(await read(run)) == 50
    assert work.most == 5


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


async def test_a_block_that_does_not_read_slows_the_workers() -> None:
    """From the start: nothing was read yet. Once it ends, all inputs are carried out."""
    work = StepByStep()
    work.open.set()
    run = Run(range(1000), work, limit=4)
    async with run:
        for _ in range(200):
            await asyncio.sleep(0)
        assert 4 <= len(work.started) < 2 * 4
    assert kinds(await read(run)) == {"Done": 1000}


async def test_ready_outcomes_are_read_once_and_make_room() -> None:
    """None is read twice, and the workers carry on with room for others."""
    outcomes, together = [], 0
    async with Run(range(20), double, limit=4) as run:
        async for outcome in run:
            ready = run.ready()
            together = max(together, len(ready))
            outcomes += [outcome, *ready]
        assert run.ready() == []
    assert one_each(outcomes, 20)
    assert 0 < together < 4


@examples(40)
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


async def test_as_many_outcomes_wait_as_the_limit_allows() -> None:
    """To the last one: with a limit of 1 no second input is carried out before the first outcome is read."""
    async with Run(range(5), double, limit=1) as run:
        outcomes = aiter(run)
        await anext(outcomes)
        for _ in range(50):
            await asyncio.sleep(0)
        assert repr(run) == "<Run 0 of 1 in progress, 1 outcomes unread>"
        assert len([outcome async for outcome in outcomes]) == 4


async def test_an_input_that_comes_after_a_stop_is_not_started() -> None:
    """It was asked for before; it has one outcome, as all later ones have."""
    started: list[int] = []

    async def call(item: int, _: Trace) -> int:
        started.append(item)
        return item

    async def inputs() -> AsyncIterator[int]:
        yield 0
        run.stop()
        yield 1
        yield 2

    async with Run(inputs(), call) as run:
        outcomes = await read(run)
    assert (started, kinds(outcomes), one_each(outcomes, 3)) == ([0], {"Done": 1, "NotStarted": 2}, True)


async def test_a_stop_ends_a_block_whose_inputs_do_not_come() -> None:
    """The block waits for them, until another task stops the run."""
    waiting = asyncio.Event()

    async def one_input() -> AsyncIterator[int]:
        yield 1
        waiting.set()
        await asyncio.Event().wait()

    async def stop_later() -> None:
        await waiting.wait()
        for _ in range(10):
            await asyncio.sleep(0)
        run.stop()

    async with asyncio.timeout(20):
        async with Run(one_input(), double) as run:
            stopping = asyncio.create_task(stop_later())
        await stopping
    assert kinds(run.ready()) == {"Done": 1}


async def test_a_reader_that_waits_leaves_the_loop_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """It sleeps until there is an outcome, and does not ask in every turn of the loop."""
    work, loop, scheduled = StepByStep(), asyncio.get_running_loop(), 0
    call_soon = loop.call_soon

    def counting(*args: Any, **options: Any) -> asyncio.Handle:
        nonlocal scheduled
        scheduled += 1
        return call_soon(*args, **options)

    async with Run([1], work) as run:
        reader = asyncio.create_task(read(run))
        await work.begun(1)
        monkeypatch.setattr(loop, "call_soon", counting)
        for _ in range(100):
            await asyncio.sleep(0)  # a turn of the loop, with one callback of ours
        monkeypatch.undo()
        work.open.set()
        assert kinds(await reader) == {"Done": 1}
    assert scheduled < 110
