"""The law of the change feed: whatever others write meanwhile, no move is lost and none comes twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import aclosing
from datetime import timedelta

from hypothesis import example, given
from hypothesis import strategies as st

from tests.resources.moving import Moving, version_of
from tests.support.laws import examples
from tests.support.service import Service
from wosdk_async import Company, Watermark, WorkOrder

OVERLAP = 5  # seconds
Write = Callable[[Moving], None]


def create(table: Moving) -> None:
    table.create()


def move(which: int) -> Write:
    return lambda table: table.move(1 + which % len(table.rows))


def move_late(which: int, seconds: int) -> Write:
    """Show a transaction now that got its time some seconds ago."""
    return lambda table: table.commit(1 + which % len(table.rows), table.now - seconds)


def create_late(seconds: int) -> Write:
    return lambda table: void(table.create(table.now - seconds))


def void(_: object) -> None:
    """Nothing."""


WHICH = st.integers(0, 11)
LATE = st.integers(0, OVERLAP)
WRITES = st.one_of(
    st.just(void),
    st.just(create),
    st.builds(move, WHICH),
    st.builds(move_late, WHICH, LATE),
    st.builds(create_late, LATE),
)
CLOCKS = st.sampled_from([None, 0, 3, 1000, -1000])
PATIENCE = st.lists(st.none() | st.integers(0, 6), min_size=1, max_size=6)


class Reader:
    """Keeps the watermark as text between its feeds, and what it took of each row, in order."""

    def __init__(self, acme: Company) -> None:
        self.acme = acme
        self.stored: str | None = None
        self.taken: list[tuple[int, int]] = []

    async def read(self, rows: int | None = None) -> None:
        """Read one pass; after ``rows`` records the next one is read and dropped."""
        since = Watermark.parse(self.stored) if self.stored else None
        feed = self.acme.changes(WorkOrder, since=since, overlap=timedelta(seconds=OVERLAP))
        async with aclosing(aiter(feed)) as orders:
            async for order in orders:
                if rows == 0:
                    break
                rows = rows and rows - 1
                self.taken.append(version_of(order))
        self.stored = str(feed.watermark)


@given(
    rows=st.integers(1, 12),
    writes=st.lists(st.lists(WRITES, max_size=3), max_size=25),
    passes=PATIENCE,
    clock=CLOCKS,
)
@example(rows=9, writes=[[], [move_late(8, 1)]], passes=[None], clock=None)
@examples(30)
async def test_nothing_is_lost_and_nothing_comes_twice(
    rows: int, writes: list[list[Write]], passes: list[int | None], clock: int | None
) -> None:
    """Others write before every page, late too; passes are left in their middle; clocks are wrong."""
    table = Moving(clock_behind=clock)
    for _ in range(rows):
        table.create()
    left: Iterator[list[Write]] = iter(writes)
    async with Service(table) as service, service.client() as client:
        reader = Reader(client.company())
        table.before = lambda: void([write(table) for write in next(left, [])])
        for patience in passes:
            await reader.read(patience)
        table.before = lambda: None
        await reader.read()  # may end a pass that was left
        await reader.read()
    assert dict(reader.taken) == table.versions()
    assert sorted(set(reader.taken)) == sorted(reader.taken)
    assert len(Watermark.parse(reader.stored or "").seen) <= len(table.rows)
