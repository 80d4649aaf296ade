"""Required fields that are empty in a row, and fields that the service overwrites."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Self

import attrs

from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import (
    ListNode,
    Node,
    ObjectNode,
    ReferenceNode,
    RowContext,
    named_columns,
)
from wosdk_async.jobs.mapping.reference_index import ReferenceIndex
from wosdk_async.model import Record, WoCreateCommand, WorkOrder
from wosdk_async.model.enums import WOType
from wosdk_async.protocol.order_rules import replaced_fields


def lacking(record: Record, import_map: ImportMap) -> Iterator[str]:
    """Yield a message for each required field that a new work order lacks, naming the columns to fill in.

    For other records, the service does not seem to enforce the catalogue's ``required``.

    Args:
        record: the record that the map built from a row.
        import_map: the map.
    """
    if not isinstance(record, WoCreateCommand) or not isinstance(order := record.work_order, WorkOrder):
        return
    for path in empty_fields(order):
        yield _reason(("work_order", *path), import_map, " for a Request" if path == ("customer",) else "")


def empty_fields(order: WorkOrder) -> Iterator[tuple[str, ...]]:
    """Yield the paths of required fields that a new work order lacks, such as ``("items", "task")``."""
    for name in _required(order):
        yield (name,)
    for item in order.items or ():
        for name in _required(item):
            yield "items", name


def _required(record: Record) -> Iterator[str]:
    for name, meta in record.__wire__.items():
        needed = meta.get("required")
        if name == "customer" and isinstance(record, WorkOrder):
            needed = record.type_category == WOType.Request
        if name == "work_zone" and isinstance(record, WorkOrder):  # the default is the customer's zone
            needed = record.type_category != WOType.Request and record.customer is None
        if needed and getattr(record, name) in (None, []):
            yield name


def _reason(path: tuple[str, ...], import_map: ImportMap, of: str) -> str:
    """Return the message for an empty field, with its source columns."""
    table = f"{import_map.action.table}.{'.'.join(path[:-1])}"
    needed = f"{table}.{path[-1]} is empty, but the service requires it{of}"
    node = _node(import_map.record, path)
    if node is None:
        form = f"[[{table}]]" if path[-2:-1] == ("items",) else f"[{table}]"
        return f"{needed}: the map does not set it; add {path[-1]} to {form}"
    columns = node.columns
    if isinstance(node, ReferenceNode):
        columns = columns.union(*(each.columns for each in import_map.references if each.name == node.name))
    return f"{needed}; fill in the blank {named_columns(columns)}" if columns else needed


def _node(node: Node | None, path: tuple[str, ...]) -> Node | None:
    """Return a field's node; in a list, use the first element."""
    for name in path:
        if isinstance(node, ListNode):
            node = node.elements[0] if node.elements else None
        node = node.fields.get(name) if isinstance(node, ObjectNode) else None
    return node


_NO_RECORDS = ReferenceIndex(())


@attrs.frozen
class ReplacedFields:
    """Map fields that the service silently overwrites."""

    computes: Node | None = None
    """Map node of ``compute_schedule``."""
    columns: Mapping[str, frozenset[str]] = attrs.field(factory=dict)
    """Source columns by field; a field without columns has a value in every row."""

    @classmethod
    def of(cls, import_map: ImportMap) -> Self:
        """Find a map's overwritten fields; only work order creation has any."""
        fields = import_map.record.fields
        order, computes = fields.get("work_order"), fields.get("compute_schedule")
        if import_map.action.kind is not WoCreateCommand or not isinstance(order, ObjectNode):
            return cls()
        names = {WorkOrder.__wire__[name]["name"]: name for name in order.fields}
        columns = {}
        for wire in replaced_fields(names):
            node = order.fields[names[wire]]
            columns[f"work_order.{names[wire]}"] = _columns(node, import_map)
        return cls(computes, columns) if columns else cls()

    def in_row(self, cells: Mapping[str, str]) -> str | None:
        """Return a warning about the overwritten fields in a row, or None."""
        if self.computes is None or not _is_true(self.computes, cells):
            return None
        all_cells = dict(cells.items())  # items() includes unusable cells
        filled = [
            name
            for name, columns in self.columns.items()
            if not columns or any(all_cells[each].strip() for each in columns)
        ]
        if not filled:
            return None
        them = "it" if len(filled) == 1 else "them"
        return (
            f"with compute_schedule, the service overwrites {' and '.join(filled)}; delete {them} or "
            "compute_schedule from the map"
        )


def _is_true(node: Node, cells: Mapping[str, str]) -> bool:
    try:
        return node.fill(RowContext(cells, _NO_RECORDS)) is True
    except RowError:  # the row fails anyway
        return False


def _columns(node: Node, import_map: ImportMap) -> frozenset[str]:
    """Return a field's source columns; one non-empty cell is enough to give the field a value."""
    own = [each.columns for each in import_map.references if each.name in node.references]
    if isinstance(node, ReferenceNode | ObjectNode):
        return node.columns.union(*own)
    return node.columns
