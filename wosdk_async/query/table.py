"""Tables in the format of Arrow: :class:`TableBuilder` makes batches, :class:`RecordTable` holds them.

Rows are read column by column, because a list of values of one type becomes an Arrow array in one call. Only
a column, or an object, with something odd in it is looked at value by value.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from wosdk_async.codec.dicts import sort_out
from wosdk_async.model import Record, registry
from wosdk_async.query.cells import cells_of, json_text, pyarrow
from wosdk_async.query.columns import Column, fields_of

__all__ = ["RecordTable", "TableBuilder"]

Extras = dict[int, dict[str, Any]]
"""Number of the row -> path -> value that has no column or does not fit its column."""
Objects = Sequence[dict[str, Any] | None]


class TableBuilder:
    """Maker of Arrow batches of these columns."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self.columns = tuple(columns)
        self._cells = [cells_of(column) for column in self.columns]
        self.schema: Any = _schema(self.columns, [cells.type for cells in self._cells])
        """The ``pyarrow.Schema``; its metadata has the entity, and each field's its description."""
        self._root = _Branch(self.columns[0].entity, (), dict(enumerate(self.columns)))

    def batch(self, rows: Sequence[dict[str, Any]]) -> Any:
        """Return the ``pyarrow.RecordBatch`` of rows as the service sends them: dicts of ``codec.loads``."""
        values: dict[int, list[Any]] = {}
        extras: Extras = {}
        self._root.read(_require_objects(rows), values, extras)
        arrays = {index: self._array(index, values[index], extras) for index in values}
        for index, column in enumerate(self.columns):
            if column.type == "extra":  # complete now
                arrays[index] = pyarrow().array(_texts(extras, len(rows)), self._cells[index].type)
        ordered = [arrays[index] for index in range(len(self.columns))]
        return pyarrow().RecordBatch.from_arrays(ordered, schema=self.schema)

    def _array(self, index: int, values: list[Any], extras: Extras) -> Any:
        made, odd = self._cells[index].array(values)
        for row, value in odd.items():
            extras.setdefault(row, {})[self.columns[index].name] = value
        return made


def _require_objects(rows: Sequence[dict[str, Any]]) -> Sequence[dict[str, Any]]:
    odd = set(map(type, rows)) - {dict}
    if odd:
        raise TypeError(f"a row is a JSON object, not {odd.pop().__name__}")
    return rows


def _texts(extras: Extras, count: int) -> list[str | None]:
    made: list[str | None] = [None] * count
    for row, extra in extras.items():
        made[row] = json_text({name: extra[name] for name in sorted(extra)})
    return made


class _Branch:
    """The columns of one object: of the record, or of an object in it."""

    def __init__(self, cls: type[Record], steps: tuple[str, ...], columns: Mapping[int, Column]) -> None:
        self._cls = cls
        self._steps = steps
        self._leaves: dict[str, int] = {}
        inside: dict[str, dict[int, Column]] = {}
        for index, column in columns.items():
            name, *rest = column.steps[len(steps) :] or [""]
            if rest:
                inside.setdefault(name, {})[index] = column
            elif name:
                self._leaves[name] = index
        self._branches = {
            name: _Branch(registry.resolve(fields_of(cls)[name]["of"]), (*steps, name), below)
            for name, below in inside.items()
        }
        self._names = self._leaves.keys() | self._branches.keys()

    def read(self, objects: Objects, values: dict[int, list[Any]], extras: Extras) -> None:
        """Add the values of each column to ``values``, and what has no column to ``extras``."""
        found = self._found(objects)
        members = sum(map(len, filter(None, objects)))
        if members != sum(len(objects) - column.count(None) for column in found.values()):
            found = self._found(self._tidy(objects, extras))
        for name, index in self._leaves.items():
            values[index] = found[name]
        for name, branch in self._branches.items():
            branch.read(branch.objects(found[name], extras), values, extras)

    def _found(self, objects: Objects) -> dict[str, list[Any]]:
        """Return the values of each property. Most objects of a page have the same ones."""
        here = [each for each in objects if each is not None]
        if len(here) == len(objects):
            return {name: [each.get(name) for each in here] for name in self._names}
        return {name: [None if each is None else each.get(name) for each in objects] for name in self._names}

    def _tidy(self, objects: Objects, extras: Extras) -> Objects:
        """Return the objects with the names that the catalogue knows; the rest goes to ``extras``."""
        return [
            each if each is None or each.keys() <= self._names else self._sorted_out(i, each, extras)
            for i, each in enumerate(objects)
        ]

    def _sorted_out(self, row: int, data: dict[str, Any], extras: Extras) -> dict[str, Any]:
        known, unknown = sort_out(self._cls, data)
        fields = fields_of(self._cls)
        more = {
            name: value
            for name, value in known.items()
            if name not in self._names and value is not None and not fields[name].get("secret")
        }
        for name, value in (more | (unknown or {})).items():
            extras.setdefault(row, {})[".".join((*self._steps, name))] = value
        return known

    def objects(self, values: list[Any], extras: Extras) -> Objects:
        """Return ``values``, with None for what is not an object."""
        if set(map(type, values)) <= {dict, type(None)}:
            return values
        made: list[dict[str, Any] | None] = []
        for row, value in enumerate(values):
            fits = value is None or value.__class__ is dict
            made.append(value if fits else None)
            if not fits:
                extras.setdefault(row, {})[".".join(self._steps)] = value
        return made


# --- schema -----------------------------------------------------------------------------------


def _schema(columns: Sequence[Column], types: Sequence[Any]) -> Any:
    arrow = pyarrow()
    fields = [
        arrow.field(column.name, type, column.nullable, _described(column))
        for column, type in zip(columns, types, strict=True)
    ]
    version = sys.modules["wosdk_async"].__version__  # a layer imports only those below it
    about = {"entity": columns[0].entity.wire_name, "wosdk_async": version}
    return arrow.schema(fields, metadata=about)


def _described(column: Column) -> dict[str, str]:
    """Return the metadata of a column: its type in the catalogue, and its description."""
    from wosdk_async.catalogue import load

    if column.type == "extra":
        return {"type": "extra", "description": "JSON text of what has no column or does not fit its column."}
    found = load().entity(column.owner)
    meanings = {field.name: field.meaning for field in found.fields} if found else {}
    made = {"type": f"enum {column.of}" if column.type == "enum" else column.type}
    meaning = meanings.get(column.steps[-1])
    return made | ({"description": meaning} if meaning else {})


# --- the table --------------------------------------------------------------------------------


class RecordTable:
    """Records of a query as a table in the format of Arrow.

    polars, pandas, duckdb and pyarrow take it as it is, through ``__arrow_c_stream__``, without a copy. See
    ``docs/tables.md``.
    """

    __slots__ = ("_table", "columns")

    def __init__(self, builder: TableBuilder, batches: Iterable[Any]) -> None:
        self.columns = builder.columns
        """The columns, as the catalogue describes them."""
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
        """Return the ``pyarrow.Table``, which shares its memory with this one."""
        return self._table
