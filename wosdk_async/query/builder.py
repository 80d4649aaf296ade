"""``Query``: an immutable description of the records to read, and the ways to read them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from wosdk_async.errors import InvalidCallError, NotFoundError, NotUniqueError
from wosdk_async.fork_safety import Uncopied
from wosdk_async.model import Record
from wosdk_async.protocol import calls
from wosdk_async.protocol.wire import Call
from wosdk_async.query.conditions import Condition, Order
from wosdk_async.query.paging import (
    KeyCursor,
    OffsetCursor,
    checked_size,
    key_ranges,
    prefetch,
)
from wosdk_async.query.plan import Plan, condition_of, isolation_of, order_of, selected
from wosdk_async.query.properties import Path

if TYPE_CHECKING:
    from wosdk_async.model import IsolationLevel
    from wosdk_async.query.table import RecordTable

__all__ = ["Query", "first_page"]

T = TypeVar("T")

Send = Callable[[Call[list[Any]]], Awaitable[list[Any]]]

_PAGE = 1000


class Query(Uncopied, Generic[T]):
    """A query of one entity; every method that narrows it returns a new query.

    ::

        f = fields(WorkOrder)
        new = acme.query(WorkOrder).where(f.status_id == "New", f.customer.name.like("%mall%"))
        async for order in new.select("*", "Items.*"):
            ...

    Names and values are checked when they are given: a wrong one raises
    :class:`~wosdk_async.errors.InvalidCallError` and nothing is sent. Records are read in pages by ``Id``,
    past the cap of 4,000 rows and stable while records are added; see ``docs/queries.md`` for other orders.
    """

    __slots__ = ("_plan", "_send")
    _instead = "share this one, its methods never change it; in another process build it with a Company there"

    def __init__(self, entity: type[Record] | str, send: Send) -> None:
        self._plan = Plan(entity)
        self._send = send

    def __repr__(self) -> str:
        return f"<Query {self._plan.name} {self.expression}>"

    @property
    def expression(self) -> dict[str, Any]:
        """``QueryExpression`` as it is sent, without the bounds that paging adds."""
        return self._plan.expression(Count=self._plan.limit)

    # --- narrowing --------------------------------------------------------------------------

    def where(self, *conditions: Condition) -> Query[T]:
        """Keep only records that match all ``conditions``, and those given before."""
        checked = tuple(condition_of(self._plan, condition) for condition in conditions)
        return self._with(conditions=self._plan.conditions + checked)

    def select(self, *properties: str | Path) -> Query[T]:
        """Read these property paths, ``select("*", "Items.*", f.customer.name)``, and always the ``Id``.

        Without any, the service sends scalars and references cut to their id, and no lists.
        """
        # facts 3.4
        checked = tuple(selected(self._plan, path) for path in properties)
        return self._with(properties=self._plan.properties + checked)

    def order_by(self, *orders: str | Path | Order) -> Query[T]:
        """Order by properties, after those given before: ``order_by(f.number, f.id.desc(), "-PoNumber")``.

        An order other than by ``Id`` alone is paged by offset, which is not stable while records change.
        """
        checked = tuple(order_of(self._plan, order) for order in orders)
        return self._with(orders=self._plan.orders + checked)

    def distinct(self) -> Query[T]:
        """Drop equal records."""
        return self._with(distinct=True)

    def limit(self, rows: int) -> Query[T]:
        """Read at most ``rows`` records; no further page is fetched."""
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise InvalidCallError(f"limit is {rows!r}; it takes a whole number from 1")
        return self._with(limit=rows)

    def isolation(self, level: IsolationLevel | str) -> Query[T]:
        """Read at an isolation level: ``isolation("ReadUncommitted")``."""
        # facts 3.8
        return self._with(isolation=isolation_of(level))

    def _with(self, **changes: Any) -> Query[T]:
        made: Query[T] = Query(self._plan.entity, self._send)
        made._plan = attrs.evolve(self._plan, **changes)
        return made

    # --- reading ----------------------------------------------------------------------------

    async def __aiter__(self) -> AsyncGenerator[T, None]:
        async with aclosing(self.pages()) as pages:
            async for page in pages:
                for row in page:
                    yield row

    def pages(self, size: int = _PAGE) -> AsyncGenerator[list[T], None]:
        """Iterate over lists of at most ``size`` records; the next one is fetched while one is read."""
        cursor = KeyCursor if self._plan.by_key else OffsetCursor
        return prefetch([cursor(self._fetch, self._plan, checked_size(size))])

    async def all(self) -> list[T]:
        """Return all records as a list."""
        return [row async for row in self]

    async def first(self) -> T | None:
        """Return the first record, by ``Id`` unless ordered otherwise; None when there is none."""
        rows = await self._some(self._plan, 1)
        return rows[0] if rows else None

    async def one(self) -> T:
        """Return the only record.

        Raises NotFoundError when there is none, and NotUniqueError when there are several.
        """
        rows = await self._some(attrs.evolve(self._plan, distinct=True), 2)
        if not rows:
            raise NotFoundError("no row matches", operation=f"query {self._plan.name}")
        if len(rows) > 1:
            raise NotUniqueError("several rows match", operation=f"query {self._plan.name}")
        return rows[0]

    async def scan(self, *, parallel: int = 4, size: int = _PAGE) -> AsyncGenerator[T, None]:
        """Iterate over all records in any order, for full pulls.

        ``parallel`` calls at once read a part of the ids each. Records that are added after it began are not
        read. At most ``parallel`` pages wait in memory.
        """
        cursors = await key_ranges(self._fetch, self._plan, checked_size(size), parallel, "scan")
        async with aclosing(prefetch(cursors)) as pages:
            async for page in pages:
                for row in page:
                    yield row

    async def table(self, *, size: int = _PAGE, parallel: int | None = None) -> RecordTable:
        """Read all records into a table in the format of Arrow, for polars, pandas, duckdb and pyarrow.

        ``parallel`` calls at once read them in any order, as :meth:`scan` does. ``docs/tables.md`` describes
        the columns. It needs the extra ``arrow``.
        """
        from wosdk_async.query.table import RecordTable, builder_of, read_batches

        builder = builder_of(self._plan)
        pages = read_batches(builder, self._plan, self._send, checked_size(size), parallel, "table")
        async with aclosing(pages) as batches:
            return RecordTable(builder, [batch async for batch in batches])

    def batches(self, *, size: int = _PAGE, parallel: int | None = None) -> AsyncGenerator[Any, None]:
        """Iterate over the batches of :meth:`table`, one for each page: a ``pyarrow.RecordBatch``."""
        from wosdk_async.query.table import builder_of, read_batches

        builder = builder_of(self._plan)
        return read_batches(builder, self._plan, self._send, checked_size(size), parallel, "batches")

    # --- helpers ----------------------------------------------------------------------------

    async def _fetch(self, plan: Plan, expression: dict[str, Any]) -> list[T]:
        return await self._send(calls.query(plan.entity, expression, isolation=plan.isolation))

    async def _some(self, plan: Plan, count: int) -> list[T]:
        return await self._fetch(plan, plan.expression(Count=min(count, plan.limit or count)))


async def first_page(query: Query[T], rows: int) -> list[T]:
    """Return the first records of a query by ``Id``. Raises WosdkError when they are not in its order."""
    return await KeyCursor(query._fetch, query._plan, rows).page()
