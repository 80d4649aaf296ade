"""Fields of a new work order that the map fills, and that ``compute_schedule`` replaces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Self

import attrs

from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import Node, ObjectNode, ReferenceNode, RowContext
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.model import WoCreateCommand, WorkOrder
from wosdk_async.order_schedule import replaced_fields

__all__ = ["ReplacedFields"]

_NO_RECORDS = ReferenceIndex(())


@attrs.frozen
class ReplacedFields:
    """The fields of the map that the service would replace without a word, in rows that fill them."""

    computes: Node | None = None
    """What the map writes into ``compute_schedule``."""
    columns: Mapping[str, frozenset[str]] = attrs.field(factory=dict)
    """The fields, each with the columns that fill it; without columns it has a value in every row."""

    @classmethod
    def of(cls, import_map: ImportMap) -> Self:
        """Return those of a map; none unless it creates work orders."""
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
        """Return the warning about a row; None if nothing in it is replaced."""
        if self.computes is None or not _is_true(self.computes, cells):
            return None
        known = dict(cells.items())  # also cells that cannot be used
        filled = [
            name
            for name, columns in self.columns.items()
            if not columns or any(known[each].strip() for each in columns)
        ]
        if not filled:
            return None
        them = "it" if len(filled) == 1 else "them"
        return (
            f"compute_schedule replaces {' and '.join(filled)}: the service computes {them}, and what the "
            f"map says is lost. Delete compute_schedule from the map, or {them}"
        )


def _is_true(node: Node, cells: Mapping[str, str]) -> bool:
    try:
        return node.fill(RowContext(cells, _NO_RECORDS)) is True
    except RowError:  # the row is refused
        return False


def _columns(node: Node, import_map: ImportMap) -> frozenset[str]:
    """Return the columns of which one must have content, so that a field has a value."""
    own = [each.columns for each in import_map.references if each.name in node.references]
    if isinstance(node, ReferenceNode | ObjectNode):
        return node.columns.union(*own)
    return node.columns
