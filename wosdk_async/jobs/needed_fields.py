"""Fields that the service requires of a new work order, and that a row or a plan leaves empty."""

from __future__ import annotations

from collections.abc import Iterator

from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import ListNode, Node, ObjectNode, ReferenceNode
from wosdk_async.model import Record, WoCreateCommand, WorkOrder
from wosdk_async.model.enums import WOType

__all__ = ["empty_fields", "lacking"]


def lacking(record: Record, import_map: ImportMap) -> Iterator[str]:
    """Yield each required field of a new work order that has no value, with the column or line to add.

    Nothing else is required of new records: the marks of the catalogue were not seen enforced there.

    Args:
        record: what the map makes of a row.
        import_map: the map.
    """
    if not isinstance(record, WoCreateCommand) or not isinstance(order := record.work_order, WorkOrder):
        return
    for path in empty_fields(order):
        yield _reason(("work_order", *path), import_map, " of a Request" if path == ("customer",) else "")


def empty_fields(order: WorkOrder) -> Iterator[tuple[str, ...]]:
    """Yield the path of each required field of a new work order that has no value: ``("items", "task")``."""
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
        if name == "work_zone" and isinstance(record, WorkOrder):  # that of the customer is taken
            needed = record.type_category != WOType.Request and record.customer is None
        if needed and getattr(record, name) in (None, []):
            yield name


def _reason(path: tuple[str, ...], import_map: ImportMap, of: str) -> str:
    """Return that a field is empty, and where its value would come from."""
    table = f"{import_map.action.table}.{'.'.join(path[:-1])}"
    needed = f"{table}.{path[-1]} is empty, and the service requires it{of}"
    node = _node(import_map.record, path)
    if node is None:
        form = f"[[{table}]]" if path[-2:-1] == ("items",) else f"[{table}]"
        return f"{needed}: the map does not fill it; add {path[-1]} to {form}"
    columns = node.columns
    if isinstance(node, ReferenceNode):
        columns = columns.union(*(each.columns for each in import_map.references if each.name == node.name))
    names = ", ".join(map(repr, sorted(columns)))
    return f"{needed}: column{'s' if len(columns) > 1 else ''} {names}" if names else needed


def _node(node: Node | None, path: tuple[str, ...]) -> Node | None:
    """Return the node of a field; of a list, that of its first element."""
    for name in path:
        if isinstance(node, ListNode):
            node = node.elements[0] if node.elements else None
        node = node.fields.get(name) if isinstance(node, ObjectNode) else None
    return node
