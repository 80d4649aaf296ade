"""Leaving early: whatever ends the loop, no task stays behind and no further page is asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from typing import Any

import anyio
import pytest

from tests.query.table import Table
from tests.support.laws import each_of
from wosdk_async import InvalidCallError, WoNote

Read = Callable[[Table], AsyncGenerator[object, None]]
WAYS: dict[str, Read] = {
    "rows": lambda table: aiter(table.query()),
    "pages": lambda table: table.query().pages(size=2),
    "scan": lambda table: table.query().scan(parallel=3, size=2),
}
TURNS = 60  # of the loop; every reading below is over in fewer


@pytest.fixture(params=WAYS)
def way(request: pytest.FixtureRequest) -> Read:
    return WAYS[request.param]


def others() -> set[asyncio.Task[object]]:
    return asyncio.all_tasks() - {asyncio.current_task()}


async def consume(table: Table, way: Read) -> None:
    """Read all and do something with each."""
    async with aclosing(way(table)) as found:
        async for _ in found:
            await asyncio.sleep(0)


async def consume_plainly(table: Table, way: Read) -> None:
    """The loop as most write it: it is closed by the event loop, a few turns after it was left."""
    async for _ in way(table):
        await asyncio.sleep(0)


async def turns(count: int) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize(("consume", "later"), [(consume, 0), (consume_plainly, 10)])
async def test_cancelled_at_every_await(way: Read, consume: Any, later: int) -> None:
    """task.cancel() at each turn of the loop: when the task has ended nothing else is left.

    Without ``aclosing`` the loop needs some turns to give up the page that was begun.
    """
    endings = set()
    for turn in range(TURNS):
        table = Table(range(1, 8), turns=3)
        task = asyncio.create_task(consume(table, way))
        await turns(turn)
        task.cancel()
        await asyncio.wait([task])
        await turns(later)
        assert others() == set(), turn
        assert table.in_flight == 0
        endings.add(task.cancelled())
    assert endings == {True, False}


async def test_left_by_a_scope_at_every_await(way: Read) -> None:
    """An anyio scope cancels again and again until its block is left: the clean-up is shielded."""
    for turn in range(TURNS):
        table = Table(range(1, 8), turns=3)
        with anyio.CancelScope() as scope:
            cancelling = asyncio.create_task(_later(scope, turn))
            await consume(table, way)
        assert table.in_flight == 0, turn
        cancelling.cancel()
        await asyncio.wait([cancelling])
        assert others() == set(), turn
        assert table.in_flight == 0


async def _later(scope: anyio.CancelScope, turn: int) -> None:
    await turns(turn)
    scope.cancel()


async def test_break_without_closing(way: Read) -> None:
    """The loop closes the generator as soon as it gets a turn; the page that was begun is given up."""
    table = Table(range(1, 8), turns=50)
    async for _ in way(table):
        break
    await turns(10)
    assert others() == set()
    assert table.in_flight == 0


@each_of("failing", [0, 1, 2, 3])
async def test_a_page_that_fails_ends_the_reading(way: Read, failing: int) -> None:
    """The error comes where its page would have come, and the other calls are given up."""
    table = Table(range(1, 8), turns=3)

    def fail(number: int) -> None:
        if number == failing:
            raise InvalidCallError("refused")

    table.before = fail
    if way is WAYS["rows"]:
        table.cap = 2
    with pytest.raises(InvalidCallError, match="refused"):
        await consume(table, way)
    assert others() == set()


async def test_the_next_page_is_fetched_while_one_is_read() -> None:
    """When the first row is seen, the second page is under way already; the third is not."""
    table = Table(range(1, 8), turns=3)
    async with aclosing(table.query().pages(size=2)) as pages:
        first: list[WoNote] = await anext(pages)
        assert [note.id for note in first] == [1, 2]
        await turns(50)
        assert len(table.asked) == 2
        await anext(pages)
        await turns(50)
        assert len(table.asked) == 3
