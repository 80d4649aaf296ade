"""Reading the outcomes of runs over workers."""

import asyncio
from collections import Counter

import pytest

from tests.jobs.cluster.world import Source
from wosdk_async.errors import WosdkError


async def outcomes_of(coordinator, source, *, encode=str):
    """Return the outcomes of a run; each claim that was fetched has one."""
    async with coordinator.run(source, encode) as run:
        ends = [outcome async for outcome in run]
    assert_one_each(source, ends)
    return ends


async def read(run, ends):
    """Add the outcomes of a run to ``ends``, also when it raises in the end."""
    async with run:
        async for outcome in run:
            ends.append(outcome)


def assert_one_each(source, ends):
    assert Counter(id(end.input) for end in ends) == Counter(id(claim) for claim in source.fetched)
    assert sorted(end.index for end in ends) == list(range(len(ends)))


def kinds(ends):
    return Counter(type(end).__name__ for end in ends)


def rows_of(ends, kind):
    return [end.input.record for end in ends if isinstance(end, kind)]


async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)


async def failing_run(world, rows=50):
    """Return the error that a run raises after its outcomes."""
    source, ends = Source(range(rows)), []
    async with world.coordinator() as coordinator:
        with pytest.raises(WosdkError) as caught:
            await read(coordinator.run(source, str), ends)
    assert_one_each(source, ends)
    return caught.value, ends
