"""``Query``: an immutable description of the records to read, with methods to read them."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import attrs

from wosdk_async.errors import InvalidCallError, NotFoundError, NotUniqueError
from wosdk_async.fork_safety import Uncopied
from wosdk_async.model import Record
from wosdk_async.protocol import calls
from wosdk_async.protocol.arguments import described, entity_name
from wosdk_async.protocol.envelopes import page_decoder
from wosdk_async.protocol.redaction import Redaction
from wosdk_async.protocol.wire import Call
from wosdk_async.query.paging import (
    KeyCursor,
    OffsetCursor,
    checked_size,
    complete,
    id_of,
    key_ranges,
    prefetch,
    require_objects,
)
from wosdk_async.query.paths import ResolvedPath, find, root
from wosdk_async.query.plan import Comparison, Condition, Order, Plan, comparisons
from wosdk_async.query.properties import Path, resolved
from wosdk_async.text.suggestions import suggestion

if TYPE_CHECKING:
    from wosdk_async.model import IsolationLevel
    from wosdk_async.query.table import RecordTable

T = TypeVar("T")

Send = Callable[[Call[list[Any]]], Awaitable[list[Any]]]

_PAGE = 1000


class Query(Uncopied, Generic[T]):
    """Query of one entity. Methods that narrow a query return a new one.

    ::

        f = fields(WorkOrder)
        new = acme.query(WorkOrder).where(f.status_id == "New", f.customer.name.like("%mall%"))
        async for order in new.select("*", "Items.*"):
            ...

    Names and values are checked immediately: an invalid one raises
    :class:`~wosdk_async.errors.InvalidCallError`, and nothing is sent. Records are read in pages by ``Id``,
    so the result may exceed the cap of 4,000 rows, and concurrent additions do not affect it; see
    ``docs/queries.md`` for other orders.
    """

    __slots__ = ("_company", "_plan", "_send")
    _instead = (
        "share this query (it is immutable); in another process, build it from a Company of that process"
    )

    def __init__(self, entity: type[Record] | str, send: Send, company: str | None = None) -> None:
        self._plan = Plan(entity)
        self._send = send
        self._company = company

    def __repr__(self) -> str:
        return f"<Query {self._plan.name} {self.expression}>"

    @property
    def expression(self) -> dict[str, Any]:
        """``QueryExpression`` of this query, without the bounds that paging adds."""
        return self._plan.expression(Count=self._plan.limit)

    # --- narrowing --------------------------------------------------------------------------

    def where(self, *conditions: Condition) -> Query[T]:
        """Keep only records that match all of these and all earlier conditions."""
        checked = tuple(condition_of(self._plan, condition) for condition in conditions)
        return self._with(conditions=self._plan.conditions + checked)

    def select(self, *properties: str | Path) -> Query[T]:
        """Read these property paths and the ``Id``: ``select("*", "Items.*", f.customer.name)``.

        By default, the service sends scalars, references as ids, and no lists.
        """
        # facts 3.4
        checked = tuple(selected(self._plan, path) for path in properties)
        return self._with(properties=self._plan.properties + checked)

    def order_by(self, *orders: str | Path | Order) -> Query[T]:
        """Sort by properties, after any earlier orders: ``order_by(f.number, f.id.desc(), "-PoNumber")``.

        If the order is not by ``Id`` alone, records are paged by offset. If records change in the meantime,
        other records may be repeated or missed.
        """
        checked = tuple(_order_of(self._plan, order) for order in orders)
        return self._with(orders=self._plan.orders + checked)

    def distinct(self) -> Query[T]:
        """Remove duplicate records."""
        return self._with(distinct=True)

    def limit(self, rows: int) -> Query[T]:
        """Read at most ``rows`` records; no further pages are fetched."""
        if isinstance(rows, bool) or not isinstance(rows, int) or rows < 1:
            raise InvalidCallError(f"limit is {rows!r}; it must be a whole number, 1 or more")
        return self._with(limit=rows)

    def isolation(self, level: IsolationLevel | str) -> Query[T]:
        """Read at an isolation level: ``isolation("ReadUncommitted")``."""
        # facts 3.8
        return self._with(isolation=_isolation_of(level))

    def _with(self, **changes: Any) -> Query[T]:
        narrowed: Query[T] = Query(self._plan.entity, self._send, self._company)
        narrowed._plan = attrs.evolve(self._plan, **changes)
        return narrowed

    # --- reading ----------------------------------------------------------------------------

    async def __aiter__(self) -> AsyncGenerator[T, None]:
        with Redaction():
            async with aclosing(self.pages()) as pages:
                async for page in pages:
                    for row in page:
                        yield row

    def pages(self, size: int = _PAGE) -> AsyncGenerator[list[T], None]:
        """Iterate over lists of at most ``size`` records, and prefetch the next list."""
        cursor = KeyCursor if self._plan.by_key else OffsetCursor
        return prefetch([cursor(self._fetch, self._plan, checked_size(size))])

    async def all(self) -> list[T]:
        """Return all records as a list."""
        with Redaction():
            return [row async for row in self]

    async def first(self) -> T | None:
        """Return the first record, by ``Id`` unless ordered otherwise; None if there is none."""
        rows = await self._first_rows(self._plan, 1)
        return rows[0] if rows else None

    async def one(self) -> T:
        """Return the only record.

        Raises NotFoundError if there is none, and NotUniqueError if there are several.
        """
        with Redaction():
            plan = attrs.evolve(self._plan, distinct=True)
            rows = await self._first_rows(plan, 2)
            ids = [id_of(row) for row in rows] if plan.key == ("Id",) else []
            if len(ids) > 1 and type(ids[0]) is int and ids.count(ids[0]) == len(ids):
                # A condition on a list may return a record once per element, as in KeyCursor.
                other = Comparison(plan.name, "Id", "NotEqual", (str(ids[0]),))
                rows = rows[:1] + await self._fetch(plan, plan.expression((other,), Count=1))
            if len(rows) == 1:
                return rows[0]
            kind, why = (NotUniqueError, "several rows match") if rows else (NotFoundError, "no row matches")
            raise kind(why, company=self._company, operation=f"query {self._plan.name}")

    async def scan(self, *, parallel: int = 4, size: int = _PAGE) -> AsyncGenerator[T, None]:
        """Iterate over all records in any order, for fast full reads.

        ``parallel`` concurrent calls each read part of the id range. Records added after the start are not
        read. At most ``parallel`` pages wait in memory.
        """
        with Redaction():
            cursors = await key_ranges(self._fetch, self._plan, checked_size(size), parallel, "scan")
            async with aclosing(prefetch(cursors)) as pages:
                async for page in pages:
                    for row in page:
                        yield row

    async def table(self, *, size: int = _PAGE, parallel: int | None = None) -> RecordTable:
        """Read all records into an Arrow table, for polars, pandas, duckdb and pyarrow.

        With ``parallel``, that many concurrent calls read them in any order, as in :meth:`scan`.
        ``docs/tables.md`` describes the columns. Requires the ``arrow`` extra.
        """
        from wosdk_async.query.table import RecordTable, builder_of, read_batches

        builder = builder_of(self._plan)
        pages = read_batches(builder, self._plan, self._send, checked_size(size), parallel, "table")
        with Redaction():
            async with aclosing(pages) as batches:
                return RecordTable(builder, [batch async for batch in batches])

    def batches(self, *, size: int = _PAGE, parallel: int | None = None) -> AsyncGenerator[Any, None]:
        """Iterate over the batches of :meth:`table`, one ``pyarrow.RecordBatch`` per page."""
        from wosdk_async.query.table import builder_of, read_batches

        builder = builder_of(self._plan)
        return read_batches(builder, self._plan, self._send, checked_size(size), parallel, "batches")

    async def _fetch(self, plan: Plan, expression: dict[str, Any]) -> list[T]:
        call = calls.query(plan.entity, expression, isolation=plan.isolation)
        with Redaction():
            rows = await complete(await self._send(attrs.evolve(call, decode=page_decoder(plan.entity))))
            require_objects(rows, plan.name)
            return rows

    async def _first_rows(self, plan: Plan, count: int) -> list[T]:
        return await self._fetch(plan, plan.expression(Count=min(count, plan.limit or count)))


async def first_page(query: Query[T], rows: int) -> list[T]:
    """Return the first records of a query ordered by ``Id``. Raises WosdkError if they are out of order."""
    return await KeyCursor(query._fetch, query._plan, rows).page()


# --- checks of the query's parts -------------------------------------------------------------


def condition_of(plan: Plan, condition: Any) -> Condition:
    """Return ``condition``. Raises InvalidCallError if it is not a condition for the query's entity."""
    if not isinstance(condition, Condition):
        raise InvalidCallError(
            f"where() takes conditions, not {_shown(condition)}; build one: fields({plan.name}).id == 1"
        )
    for comparison in comparisons(condition):
        _same_entity(plan, comparison)
    return condition


def _order_of(plan: Plan, order: Any) -> Order:
    if isinstance(order, Order):
        _same_entity(plan, order)
        return order
    descending = isinstance(order, str) and order.startswith("-")
    path = _resolve(plan, order[1:] if descending else order)
    if path.in_list or path.below is not None or path.kind == "entity":
        raise InvalidCallError(f"{path.entity} cannot be ordered by {path.path!r}; name a scalar property")
    return Order(path.entity, path.path, descending)


def selected(plan: Plan, path: Any) -> str:
    """Return the property path for an argument of :meth:`Query.select`. Raises InvalidCallError."""
    if isinstance(path, str) and (path == "*" or path.endswith(".*")):
        return f"{_resolve(plan, path[:-2]).path}.*" if path != "*" else path
    found = _resolve(plan, path)
    is_single = not found.checked or found.below is None or found.kind == "money"
    if is_single or not isinstance(path, str):
        return found.path if is_single else f"{found.path}.*".lstrip(".")
    raise InvalidCallError(  # facts 3.4: the service refuses such a path with ERROR_CODE_1003
        f"{plan.name}.{path} is not a single value; write '{path}.*' or name one of its properties"
        + (f", such as '{found.name_path}'" if found.name_path else "")
    )


def selection(entity: type[Record] | str, properties: Any, check: bool = True) -> list[str]:
    """Return the paths of a ``properties=`` argument, each checked as in :func:`selected`.

    Without ``check``, any string is accepted. Raises InvalidCallError.
    """
    if isinstance(properties, str | Path) or not isinstance(properties, Iterable):
        shown = _shown(properties)
        remedy = "leave it out" if properties is None else f"pass a list, [{shown}]"
        raise InvalidCallError(f"properties is {shown}; it must be a list of paths: {remedy}")
    paths = list(properties)
    if not paths:
        return []
    plan = Plan(entity if check else entity_name(entity))
    return [selected(plan, path) for path in paths]


def _shown(value: Any) -> str:
    return str(resolved(value)) if isinstance(value, Path) else described(value)


def _resolve(plan: Plan, path: Any) -> ResolvedPath:
    if isinstance(path, Path):
        found = resolved(path)
        _same_entity(plan, found)
        return found
    if not isinstance(path, str):
        raise InvalidCallError(f"a property is a path or f.name, not {described(path)}")
    return find(root(plan.entity), path)


def _same_entity(plan: Plan, part: Comparison | Order | ResolvedPath) -> None:
    if part.entity != plan.name:
        raise InvalidCallError(
            f"{part.entity}.{part.path} is not a property of {plan.name}, the queried entity"
        )


def _isolation_of(level: IsolationLevel | str) -> str:
    """Return the isolation header's value (facts 3.8). Raises InvalidCallError."""
    from wosdk_async.model import IsolationLevel  # imported here, because it loads all enums

    found = IsolationLevel(level)
    if not found.is_known:
        near = suggestion(str(level), map(str, IsolationLevel))
        raise InvalidCallError(f"there is no isolation level {str(level)!r}{near}")
    return str(found)
