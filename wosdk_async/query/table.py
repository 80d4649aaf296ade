"""Arrow tables: :class:`TableBuilder` makes batches, :class:`RecordTable` holds them.

:func:`read_batches` reads a query's pages. A page is converted column by column: a list of equally typed
values becomes an Arrow array in one call.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import aclosing
from itertools import chain
from operator import attrgetter
from typing import Any

import attrs
import msgspec
from msgspec import UNSET

from wosdk_async.codec.dicts import sort_out, spellings
from wosdk_async.codec.json import UNREADABLE, check_size, exact_decoder
from wosdk_async.codec.record_reader import MAX_UNKNOWN
from wosdk_async.model import Record, registry
from wosdk_async.protocol import calls
from wosdk_async.protocol.envelopes import ROWS, objects
from wosdk_async.protocol.redaction import Redaction
from wosdk_async.protocol.wire import Call
from wosdk_async.query.columns import Column, cell_text, cells_of, columns_of, pyarrow
from wosdk_async.query.paging import Cursor, KeyCursor, OffsetCursor, key_ranges, prefetch, require_objects
from wosdk_async.query.paths import fields_of
from wosdk_async.query.plan import Plan
from wosdk_async.version import VERSION


class TableBuilder:
    """Builder of Arrow batches with the given columns."""

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
        """Return the ``pyarrow.RecordBatch`` for ``rows``, which come from :meth:`rows` or are raw dicts."""
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
    """Iterate over a query's batches, in order or, with ``parallel``, in any order; errors name ``verb``."""

    async def fetch(plan: Plan, expression: dict[str, Any]) -> list[Any]:
        call = calls.query(plan.name, expression, isolation=plan.isolation)
        return await send(attrs.evolve(call, decode=builder.rows))

    cursors: list[Cursor]
    if parallel is not None:
        cursors = await key_ranges(fetch, plan, size, parallel, f"{verb}(parallel=...)")
    else:
        cursors = [(KeyCursor if plan.by_key else OffsetCursor)(fetch, plan, size)]
    with Redaction():
        async with aclosing(prefetch(cursors)) as pages:
            async for page in pages:
                yield builder.batch(page)


# --- column values from the rows of a page ----------------------------------------------------
# The slow path, for rows as dicts, defines the result: names are case-insensitive, and values without a
# column are kept. The fast path decodes a page into Structs with the columns as fields, in half the time. If
# a page does not fit (an unknown name, a string where an object is documented), the slow path reads it, and
# adds its names to the Structs for the next page.

Values = dict[int, list[Any]]  # column number -> values
Extras = dict[int, dict[str, Any]]
"""Row number -> path -> value that has no column or does not fit its column."""
Objects = Sequence[dict[str, Any] | None]
Getter = Callable[[Any], Any]


class RowSplitter:
    """Splitter of a page's rows into column values and values without a column."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._entity = columns[0].entity
        self._root = _Branch(self._entity, (), {i: each for i, each in enumerate(columns) if each.steps})
        self._form = _form_of(self._root)
        self._forms = {self._form.struct: self._form}

    def rows(self, body: bytes) -> list[Any]:
        """Return a query response's rows for :meth:`split`: Structs, or dicts if the Structs do not fit.

        Raises an error for invalid JSON, as :func:`~wosdk_async.codec.loads` does, and for JSON with an
        unexpected structure.
        """
        check_size(body)
        try:
            return [row.data for row in self._form.decode(body).entities]
        except UNREADABLE:
            rows = _plain_rows(body)
        if len(self._forms) < _MAX_FORMS and self._root.learn(rows):
            self._form = _form_of(self._root)
            # Earlier forms are kept, because split() may still get pages that were read in them.
            self._forms[self._form.struct] = self._form
        return rows  # type: ignore[no-any-return]

    def split(self, rows: Sequence[Any]) -> tuple[Values, Extras]:
        """Return values by column, and those without a column. Raises WosdkError unless rows are objects."""
        kinds = set(map(type, rows))
        extras: Extras = {}
        if len(kinds) == 1 and (form := self._forms.get(next(iter(kinds)))) is not None:
            for path, get in form.more:
                for row, value in enumerate(map(get, rows)):
                    if value is not UNSET:
                        extras.setdefault(row, {})[path] = value
            # Read the values row by row, while a row's values are in the CPU cache.
            values, count = list(chain.from_iterable(map(form.values, rows))), len(form.columns)
            return {column: values[i::count] for i, column in enumerate(form.columns)}, extras
        require_objects(rows, self._entity.wire_name)
        found: Values = {}
        self._root.read(rows, found, extras)
        return found, extras


_plain_rows = objects(ROWS, None)
_MAX_NAME = 100  # maximum characters of a learned name
_MAX_FORMS = 8  # maximum Structs per query, even if the service keeps sending new names


@attrs.frozen(eq=False)
class _Form:
    struct: Any
    decode: Callable[[bytes], Any]
    columns: tuple[int, ...]  # column numbers
    values: Callable[[Any], tuple[Any, ...]]  # reads the column values from a Struct
    more: tuple[tuple[str, Getter], ...]  # path and getter of each property without a column


def _form_of(root: _Branch) -> _Form:
    struct = root.struct()
    leaves = dict(root.leaves())
    decode = exact_decoder(ROWS.envelope[struct])
    return _Form(struct, decode, tuple(leaves), _values_at(tuple(leaves.values())), tuple(root.more()))


def _values_at(paths: tuple[str, ...]) -> Callable[[Any], tuple[Any, ...]]:
    if len(paths) > 1:
        return attrgetter(*paths)
    # With a single name, attrgetter returns the value instead of a tuple.
    return lambda row: tuple(attrgetter(path)(row) for path in paths)


class _Branch:
    def __init__(self, cls: type[Record], steps: tuple[str, ...], columns: Mapping[int, Column]) -> None:
        self._cls = cls
        self._steps = steps
        self._leaves: dict[str, int] = {}
        inside: dict[str, dict[int, Column]] = {}
        for index, column in columns.items():
            name, *rest = column.steps[len(steps) :]
            if rest:
                inside.setdefault(name, {})[index] = column
            else:
                self._leaves[name] = index
        self._branches = {
            name: _Branch(registry.resolve(fields_of(cls)[name]["of"]), (*steps, name), below)
            for name, below in inside.items()
        }
        self._names = {*self._leaves, *self._branches}
        self._learned: dict[str, str] = {}  # struct attributes for names that have no column

    # --- Structs ----------------------------------------------------------------------------

    def struct(self) -> Any:
        """Return the Struct class. An absent object becomes an empty Struct, so that no path ends early."""
        fields: list[tuple[str, Any, Any]] = [(_attribute(name), Any, None) for name in self._leaves]
        fields += [(attribute, Any, UNSET) for attribute in self._learned.values()]
        for name, branch in self._branches.items():
            inner = branch.struct()
            fields.append((_attribute(name), inner, inner()))
        wire = {_attribute(name): name for name in self._names}
        wire |= {attribute: name for name, attribute in self._learned.items()}
        name = f"{self._cls.__name__}Row"
        return msgspec.defstruct(name, fields, rename=wire, forbid_unknown_fields=True, frozen=True, gc=False)

    def leaves(self, before: str = "") -> Iterator[tuple[int, str]]:
        """Yield each column with the attribute path to its value in a Struct."""
        for name, index in self._leaves.items():
            yield index, before + _attribute(name)
        for name, branch in self._branches.items():
            yield from branch.leaves(f"{before}{_attribute(name)}.")

    def more(self, before: str = "") -> Iterator[tuple[str, Getter]]:
        """Yield each learned property with the getter for its value in a Struct."""
        for name, attribute in self._learned.items():
            if not self._is_secret(name):
                yield self._path(name), attrgetter(before + attribute)
        for name, branch in self._branches.items():
            yield from branch.more(f"{before}{_attribute(name)}.")

    def learn(self, objects: Iterable[Any]) -> bool:
        """Learn the names that have no column; return whether any was new."""
        here = [each for each in objects if each.__class__ is dict]
        names = {name for each in here for name in each} - self._names - self._learned.keys()
        room = MAX_UNKNOWN - len(self._learned)
        new = [name for name in sorted(names) if self._is_learnable(name)][:room]
        self._learned |= {name: f"more_{len(self._learned) + i}" for i, name in enumerate(new)}
        inner = [branch.learn(each.get(name) for each in here) for name, branch in self._branches.items()]
        return bool(new) or any(inner)

    def _is_learnable(self, name: str) -> bool:
        known, meant_by = spellings(self._cls)  # type: ignore[arg-type]  # as in codec/dicts.py
        is_other_spelling = name not in known and name.lower() in meant_by
        msgspec_accepts_it = name.isprintable() and not {'"', "\\"} & set(name)
        return msgspec_accepts_it and len(name) <= _MAX_NAME and not is_other_spelling

    # --- dicts ------------------------------------------------------------------------------

    def read(self, objects: Objects, values: Values, extras: Extras) -> None:
        """Add column values to ``values``, and all others to ``extras``."""
        found = self._values_of(objects)
        members = sum(map(len, filter(None, objects)))
        if members != sum(len(objects) - column.count(None) for column in found.values()):
            found = self._values_of(self._tidy(objects, extras))  # some have other names, or nulls
        for name, index in self._leaves.items():
            values[index] = found[name]
        for name, branch in self._branches.items():
            branch.read(branch.objects(found[name], extras), values, extras)

    def _values_of(self, objects: Objects) -> dict[str, list[Any]]:
        return {name: [None if each is None else each.get(name) for each in objects] for name in self._names}

    def _tidy(self, objects: Objects, extras: Extras) -> Objects:
        """Return the objects with the catalogue's keys; copy properties without a column to ``extras``."""
        return [
            each if each is None or each.keys() <= self._names else self._known_fields(i, each, extras)
            for i, each in enumerate(objects)
        ]

    def _known_fields(self, row: int, data: dict[str, Any], extras: Extras) -> dict[str, Any]:
        known, unknown = sort_out(self._cls, data)
        for name in known.keys() - self._names:
            if not self._is_secret(name):
                extras.setdefault(row, {})[self._path(name)] = known[name]
        for name, value in (unknown or {}).items():
            extras.setdefault(row, {})[self._path(name)] = value
        return known

    def objects(self, values: list[Any], extras: Extras) -> Objects:
        """Return ``values``, with None for each value that is not an object; move these to ``extras``."""
        if set(map(type, values)) <= {dict, type(None)}:
            return values
        kept: list[dict[str, Any] | None] = []
        for row, value in enumerate(values):
            fits = value is None or value.__class__ is dict
            kept.append(value if fits else None)
            if not fits:
                extras.setdefault(row, {})[self._path()] = value
        return kept

    def _path(self, *name: str) -> str:
        r"""Return a property's path, with dots in its own name escaped as ``\.`` to keep paths distinct."""
        own = (each.replace("\\", r"\\").replace(".", r"\.") for each in name)
        return ".".join((*self._steps, *own))

    def _is_secret(self, name: str) -> bool:
        return bool(fields_of(self._cls).get(name, {}).get("secret"))


def _attribute(name: str) -> str:
    """Return a property's Struct attribute, with a prefix to avoid names that Python reserves."""
    return "id" if name == "Id" else f"of_{name}"
