"""Import marker, the command field that carries each row's key."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import Node, ObjectNode, RowContext, TextNode
from wosdk_async.jobs.mapping.reference_index import NO_RECORDS
from wosdk_async.jobs.mapping.tables import KINDS
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.model.metadata import Wire
from wosdk_async.protocol.calls import Written
from wosdk_async.text.suggestions import suggestion

_SHORT = 20  # characters; most keys are not longer


def no_marker_for_workers(import_map: ImportMap) -> ImportMapError:
    """Return the error for a distributed import without row keys."""
    return ImportMapError(
        f"{import_map.path}: workers need a key for each row, to look up the rows of lost workers; set "
        "`marker` in the map to the field for the key, or send the rows from a single process"
    )


@attrs.frozen
class RowKeys:
    """Row keys. If the map does not set the marker field, each key is ``{job}-{row}``."""

    path: str
    """Marker field, such as ``work_order.po_number``."""
    node: Node | None
    """Map node of the field; None if the map does not set it."""
    job: str
    """Job id, which makes default keys unique."""
    _column: str | None = attrs.field(init=False)
    """Column whose cell is the key if it is short and has neither a ``+`` nor surrounding blanks."""

    @_column.default
    def _find_column(self) -> str | None:
        node = self.node
        if not isinstance(node, TextNode) or not node.is_plain or (node.limit.length or _SHORT) < _SHORT:
            return None
        return node.template.first_column

    @property
    def are_own(self) -> bool:
        """Whether keys are computed from cells, so that a row has the same key in every job."""
        return self.node is not None

    @classmethod
    def of(cls, import_map: ImportMap, path: str, job: str) -> RowKeys:
        """Return the keys for the marker ``path``. Raise ImportMapError if the field cannot carry keys."""
        names = path.split(".")
        node: Node | None = import_map.record
        for i, name in enumerate(names):
            if not isinstance(node, ObjectNode):
                raise ImportMapError(
                    f"marker {path!r}: {'.'.join(names[:i])} is not an object in {import_map.path}"
                )
            table = node.make.__wire__
            if name not in table:
                inside = next(_nested_fields(import_map.record, path), None)
                hint = f"; did you mean {inside!r}?" if inside else suggestion(name, table)
                raise ImportMapError(f"marker {path!r}: {node.make.__name__} has no field {name!r}{hint}")
            if name not in node.fields and i < len(names) - 1:
                raise ImportMapError(
                    f"marker {path!r}: {import_map.path} sets no fields in {'.'.join(names[: i + 1])}"
                )
            if i == len(names) - 1:
                _require_key_type(import_map, path, table, filled=name in node.fields)
            node = node.fields.get(name)
        if node is not None and not (isinstance(node, TextNode) and node.columns):
            raise ImportMapError(
                f"marker {path!r}: {import_map.path} sets the same value for every row; use a unique "
                'column, as in "{number}"'
            )
        return cls(path, node, job)

    @property
    def template(self) -> str | None:
        """Key template, such as ``{number}``; None for default keys."""
        return self.node.template.source if isinstance(self.node, TextNode) else None

    def key(self, row: Row) -> str:
        """Return a row's key. Raise RowError if the key is invalid or missing."""
        if self.node is None:
            return f"{self.job}-{row.number}"
        if self._column is not None:
            text = row.cells[self._column]
            if type(text) is str and 0 < len(text) <= _SHORT and text == text.strip() and "+" not in text:
                return text
        if isinstance(self.node, TextNode):
            self.node.template.require_exact_key(row.cells)
        found = self.node.fill(RowContext(row.cells, NO_RECORDS))  # keys use columns only
        key = "" if found is None else str(found)
        if not key or key != key.strip():
            blanks = f"({key!r}) starts or ends with blanks; remove them"
            problem = blanks if key.strip() else "is empty; each row needs its own key"
            raise RowError(f"the key {self.template!r} in {self.path} {problem}")
        return key

    def key_or_none(self, row: Row) -> str | None:
        """Return a row's key, or None if the row is invalid."""
        try:
            return self.key(row) if row.fault is None else None
        except RowError:
            return None

    def put(self, command: Any, key: str | None) -> None:
        """Set the key in a row's command, if the map does not set it."""
        if isinstance(command, Written):
            command.key = key
        elif self.node is None and key is not None:
            *parents, name = self.path.split(".")
            setattr(functools.reduce(getattr, parents, command), name, key)


def own_keys(keys: RowKeys | None) -> RowKeys | None:
    """Return the keys if they are computed from cells and so identify rows; otherwise None."""
    return keys if keys is not None and keys.are_own else None


def _require_key_type(import_map: ImportMap, path: str, table: Mapping[str, Wire], *, filled: bool) -> None:
    """Raise ImportMapError unless the field is a string, or an integer that the map sets."""
    above, dot, name = path.rpartition(".")
    kind = table[name]["type"]
    if not table[name].get("many") and (kind == "string" or (kind == "integer" and filled)):
        return
    found: list[str] = []
    for each, meta in table.items():
        if meta["type"] == "string" and len(found) < _SHOWN:
            with contextlib.suppress(ImportMapError):
                import_map.action.require_marker(f"{above}{dot}{each}")
                found.append(f"{above}{dot}{each}")
    what = "a list" if table[name].get("many") else KINDS.get(kind, f"of type {kind}")
    fitting = f", such as {', '.join(found)}" if found else ""
    raise ImportMapError(
        f"marker {path!r}: {name} is {what}, but a key is a string; use a string field{fitting}"
    )


_SHOWN = 5  # fields in a message


def _nested_fields(node: ObjectNode, name: str) -> Iterator[str]:
    """Yield the paths of fields with the Python or wire name ``name`` in the map's nested objects."""
    for field, below in node.fields.items():
        if isinstance(below, ObjectNode):
            table = below.make.__wire__
            for each, meta in table.items():
                if name.casefold() in (each.casefold(), meta["name"].casefold()):
                    yield f"{field}.{each}"
            yield from (f"{field}.{each}" for each in _nested_fields(below, name))
