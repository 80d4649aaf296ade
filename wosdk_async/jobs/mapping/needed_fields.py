"""Required fields that are empty in a row, and fields that the service overwrites."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.mapping.import_map import ImportMap, columns_of
from wosdk_async.jobs.mapping.nodes import ListNode, Node, ObjectNode, RowContext, named_columns
from wosdk_async.jobs.mapping.reference_index import NO_RECORDS
from wosdk_async.model import Record, WoCreateCommand, WorkOrder
from wosdk_async.model.enums import WOType
from wosdk_async.protocol.order_rules import replaced_fields


def lacking(record: Record, import_map: ImportMap) -> Iterator[str]:
    """Yield a message for each required field that a new work order lacks; name the columns to fill in.

    Records of other types may lack fields, because the service does not seem to require them.
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
    table = f"{import_map.action.table}.{'.'.join(path[:-1])}"
    needed = f"{table}.{path[-1]} is empty, but the service requires it{of}"
    node = _node(import_map.record, path)
    if node is None:
        form = f"[[{table}]]" if path[-2:-1] == ("items",) else f"[{table}]"
        return f"{needed}: the map does not set it; add {path[-1]} to {form}"
    columns = columns_of(node, import_map)
    return f"{needed}; fill in the blank {named_columns(columns)}" if columns else needed


def _node(node: Node | None, path: tuple[str, ...]) -> Node | None:
    """Return a field's node; in a list, use the first element."""
    for name in path:
        if isinstance(node, ListNode):
            node = node.elements[0] if node.elements else None
        node = node.fields.get(name) if isinstance(node, ObjectNode) else None
    return node


def replaced_fields_warning(import_map: ImportMap) -> Callable[[Mapping[str, str]], str | None] | None:
    """Return a function that warns about the fields of a row that the service silently overwrites.

    Return None if the map creates no work orders, sets no ``compute_schedule``, or fills no such field.
    """
    order = import_map.record.fields.get("work_order")
    computes = import_map.record.fields.get("compute_schedule")
    columns = dict[str, frozenset[str]]()
    if import_map.action.kind is WoCreateCommand and isinstance(order, ObjectNode):
        names = {WorkOrder.__wire__[name]["name"]: name for name in order.fields}
        for name in map(names.__getitem__, replaced_fields(names)):
            columns[f"work_order.{name}"] = columns_of(order.fields[name], import_map)
    if computes is None or not columns:
        return None

    def warning(cells: Mapping[str, str]) -> str | None:
        if not _is_true(computes, cells):
            return None
        all_cells = dict(cells.items())  # unlike [], items() never raises RowError
        # a field that reads no column is set in every row; any other is set if one of its cells is filled
        filled = [
            name for name, of in columns.items() if not of or any(all_cells[each].strip() for each in of)
        ]
        if not filled:
            return None
        them = "it" if len(filled) == 1 else "them"
        return (
            f"with compute_schedule, the service overwrites {' and '.join(filled)}; remove {them} or "
            "compute_schedule from the map"
        )

    return warning


def _is_true(node: Node, cells: Mapping[str, str]) -> bool:
    with suppress(RowError):  # the row fails anyway
        return node.fill(RowContext(cells, NO_RECORDS)) is True
    return False
