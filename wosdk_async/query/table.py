"""Arrow tables: :class:`TableBuilder` makes batches, :class:`RecordTable` holds them.

:func:`read_batches` reads a query's pages. A page is converted column by column: a list of equally typed
values becomes an Arrow array in one call.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from contextlib import aclosing
from typing import Any

import attrs

from wosdk_async.protocol import calls
from wosdk_async.protocol.wire import Call
from wosdk_async.query.cells import cell_text, cells_of, pyarrow
from wosdk_async.query.columns import Column, columns_of
from wosdk_async.query.paging import Cursor, KeyCursor, OffsetCursor, key_ranges, prefetch
from wosdk_async.query.plan import Plan
from wosdk_async.query.row_values import Extras, RowSplitter
from wosdk_async.version import VERSION


class TableBuilder:
    """Builder of Arrow batches with these columns."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        self._cells = [cells_of(column) for column in self.columns]
        self.schema: Any = _schema(self.columns, [cells.type for cells in self._cells])
        """The ``pyarrow.Schema``; the metadata holds the entity's name and each field's description."""
        self._splitter = RowSplitter(self.columns)

    def rows(self, body: bytes) -> list[Any]:
        """Return a query response's rows in the form that :meth:`batch` reads fastest."""
        return self._splitter.rows(body)

    def batch(self, rows: Sequence[Any]) -> Any:
        """Return the ``pyarrow.RecordBatch`` for ``rows``: the result of :meth:`rows`, or raw dicts."""
        values, extras = self._splitter.split(rows)
        arrays = {index: self._array(index, values[index], extras) for index in values}
        for index, column in enumerate(self.columns):
            if column.type == "extra":  # last, because the other columns add values to ``extras``
                arrays[index] = pyarrow().array(_texts(column, extras, len(rows)), self._cells[index].type)
        ordered = [arrays[index] for index in range(len(self.columns))]
        return pyarrow().RecordBatch.from_arrays(ordered, schema=self.schema)

    def _array(self, index: int, values: list[Any], extras: Extras) -> Any:
        array, odd = self._cells[index].array(values)
        for row, value in odd.items():
            extras.setdefault(row, {})[self.columns[index].name] = value
        return array


def _texts(column: Column, extras: Extras, count: int) -> list[str | None]:
    texts: list[str | None] = [None] * count
    for row, extra in extras.items():
        texts[row] = cell_text(
            column, extra if len(extra) == 1 else {name: extra[name] for name in sorted(extra)}
        )
    return texts


def _schema(columns: Sequence[Column], types: Sequence[Any]) -> Any:
    arrow = pyarrow()
    fields = [
        arrow.field(column.name, type, column.nullable, _metadata_of(column))
        for column, type in zip(columns, types, strict=True)
    ]
    about = {"entity": columns[0].entity.wire_name, "wosdk_async": VERSION}
    return arrow.schema(fields, metadata=about)


def _metadata_of(column: Column) -> dict[str, str]:
    from wosdk_async.catalogue import load

    if column.type == "extra":
        return {
            "type": "extra",
            "description": "JSON text of values that have no column or do not fit their column.",
        }
    found = load().entity(column.owner)
    meanings = {field.name: field.meaning for field in found.fields} if found else {}
    metadata = {"type": f"enum {column.of}" if column.type == "enum" else column.type}
    meaning = meanings.get(column.steps[-1])
    return metadata | ({"description": meaning} if meaning else {})


class RecordTable:
    """Query records as an Arrow table.

    polars, pandas, duckdb and pyarrow read it without copying, through ``__arrow_c_stream__``. See
    ``docs/tables.md``.
    """

    __slots__ = ("_table", "columns")

    def __init__(self, builder: TableBuilder, batches: Iterable[Any]) -> None:
        self.columns = builder.columns
        """Columns, as described in the catalogue."""
        self._table = pyarrow().Table.from_batches(batches, builder.schema)

    def __repr__(self) -> str:
        entity = self.columns[0].entity.wire_name
        return f"<RecordTable {entity} rows={self.num_rows} columns={len(self.columns)}>"

    def __len__(self) -> int:
        return self.num_rows

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        return self._table.__arrow_c_stream__(requested_schema)

    @property
    def num_rows(self) -> int:
        """Number of records."""
        return int(self._table.num_rows)

    @property
    def schema(self) -> Any:
        """The ``pyarrow.Schema``."""
        return self._table.schema

    def to_pyarrow(self) -> Any:
        """Return the ``pyarrow.Table``, which shares this table's memory."""
        return self._table


# --- reading ----------------------------------------------------------------------------------


def builder_of(plan: Plan) -> TableBuilder:
    """Return the builder of a query's columns."""
    return TableBuilder(columns_of(plan.entity, plan.properties))


async def read_batches(
    builder: TableBuilder,
    plan: Plan,
    send: Callable[[Call[list[Any]]], Awaitable[list[Any]]],
    size: int,
    parallel: int | None,
    verb: str,
) -> AsyncGenerator[Any, None]:
    """Iterate over a query's batches, read in order or by ``parallel`` calls; errors name ``verb``."""

    async def fetch(plan: Plan, expression: dict[str, Any]) -> list[Any]:
        call = calls.query(plan.name, expression, isolation=plan.isolation)
        return await send(attrs.evolve(call, decode=builder.rows))

    cursors: list[Cursor]
    if parallel is not None:
        cursors = await key_ranges(fetch, plan, size, parallel, f"{verb}(parallel=...)")
    else:
        cursors = [(KeyCursor if plan.by_key else OffsetCursor)(fetch, plan, size)]
    async with aclosing(prefetch(cursors)) as pages:
        async for page in pages:
            yield builder.batch(page)
