"""Callers who wait for one query: each may leave, and none is harmed by another."""

from __future__ import annotations

import asyncio

import pytest

from tests.jobs.conftest import Local
from wosdk_async import Customer

CUSTOMERS = "query/Customer"
PIER, DENTAL = "Pier Coffee Inc", "Lindqvist Dental LLC"


@pytest.fixture
async def held(local: Local) -> asyncio.Event:
    """Hold back the responses to queries of customers until the event is set."""
    await local.company.connect()
    local.server.creation, local.server.held = CUSTOMERS, asyncio.Event()
    return local.server.held


def asking(local: Local, name: str) -> asyncio.Task[Customer]:
    return asyncio.create_task(local.company.resolve(Customer, name=name))


def queries() -> list[str]:
    """Return the shared work that has not ended."""
    return [task.get_name() for task in asyncio.all_tasks() if task.get_name().startswith("wosdk lookup")]


async def test_a_caller_who_is_cancelled_takes_nobody_along(local: Local, held: asyncio.Event) -> None:
    """The query goes on for the others, and a name that is under way is waited for."""
    first, second = asking(local, PIER), asking(local, DENTAL)
    await local.server.arrived.wait()
    third = asking(local, PIER.lower())
    await asyncio.sleep(0)
    first.cancel()
    held.set()
    ended = await asyncio.gather(first, second, third, return_exceptions=True)
    assert isinstance(ended[0], asyncio.CancelledError)
    assert ended[1:] == [Customer.ref(512), Customer.ref(513)]
    assert local.server.count(CUSTOMERS) == 1


async def test_a_name_that_comes_late_goes_into_the_next_query(local: Local, held: asyncio.Event) -> None:
    first = asking(local, PIER)
    await local.server.arrived.wait()
    second = asking(local, DENTAL)
    await asyncio.sleep(0)
    held.set()
    assert await asyncio.gather(first, second) == [Customer.ref(513), Customer.ref(512)]
    assert local.server.count(CUSTOMERS) == 2


async def test_who_waits_for_one_query_is_counted_at_the_next_too(local: Local, held: asyncio.Event) -> None:
    """The other who waits for the second query leaves while the first is awaited."""
    first = asking(local, PIER)
    await local.server.arrived.wait()
    both = asyncio.create_task(local.company.resolve(Customer, names=[PIER, DENTAL]))
    other = asking(local, DENTAL)
    await asyncio.sleep(0)
    other.cancel()
    await asyncio.gather(other, return_exceptions=True)
    held.set()
    assert await both == {PIER: Customer.ref(513), DENTAL: Customer.ref(512)}
    assert await first == Customer.ref(513)


@pytest.mark.parametrize("turns", [1, 2, 60])
async def test_the_last_caller_who_leaves_ends_the_query(
    local: Local, held: asyncio.Event, turns: int
) -> None:
    """Whether it was sent or not; who asks for the name in the same turn asks anew."""
    first = asking(local, PIER)
    for _ in range(turns):
        await asyncio.sleep(0)
    first.cancel()
    second = asking(local, PIER)
    await asyncio.gather(first, return_exceptions=True)
    held.set()
    assert await second == Customer.ref(513)
    assert queries() == []


async def test_no_query_is_left_behind(local: Local, held: asyncio.Event) -> None:
    """It ends while its answer is still held back."""
    first = asking(local, PIER)
    await local.server.arrived.wait()
    assert len(queries()) == 1
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    async with asyncio.timeout(5):
        while queries():
            await asyncio.sleep(0)
    assert not held.is_set()
