"""The marker of a plan: its own id, in a field of the record that it creates."""

from __future__ import annotations

from typing import Any

from wosdk_async.errors import InvalidCallError
from wosdk_async.mcp.filters import entity_named
from wosdk_async.model import WoCreateCommand

__all__ = ["marked"]

_ORDER_MARKER = "PoNumber"
_NO_MARKER = "none"
_SHOWN = "DisplayAs"  # facts 3.4: the service makes it of other fields, at least for contacts


def marked(
    action: str, name: str, fields: dict[str, Any], wanted: str, id: str
) -> tuple[dict[str, Any], str | None]:
    """Return the fields with the plan's id in its marker, and the Python path of the marker, if there is one.

    Args:
        action: ``create``, ``update`` or ``command``.
        name: the entity or command.
        fields: by the service's names.
        wanted: the field that the agent named; empty for the usual one, ``none`` for no marker.
        id: the plan's id.

    Raises:
        InvalidCallError: the field cannot carry a marker, or has a value.
    """
    is_order = action == "command" and name == WoCreateCommand.wire_name
    if wanted == _NO_MARKER:
        return fields, None
    if action == "update" or (action == "command" and not is_order):
        if wanted:
            raise InvalidCallError("only a create can carry a marker; leave 'marker' out")
        return fields, None
    holder = fields.get("WorkOrder") if is_order else fields
    if not isinstance(holder, dict):
        raise InvalidCallError("the field 'WorkOrder' is missing; it holds the fields of the order")
    given = {field for field, value in holder.items() if value is not None}
    key = wanted or (_ORDER_MARKER if is_order and _ORDER_MARKER not in given else "")
    if not key:
        return fields, None
    if key in given:
        raise InvalidCallError(f"marker {key!r:.60}: it has a value; leave that out, or name another field")
    if key.lower() == _SHOWN.lower():
        raise InvalidCallError(f"marker {key!r:.60}: the service may write that field itself; name another")
    owner: Any = entity_named("WorkOrder" if is_order else name)
    python = next((python for python, meta in owner.__wire__.items() if meta["name"] == key), None)
    if python is None or owner.__wire__[python]["type"] != "string":
        raise InvalidCallError(f"marker {key!r:.60}: {owner.wire_name} has no text field of this name")
    if is_order:
        return {**fields, "WorkOrder": {**holder, key: id}}, f"work_order.{python}"
    return {**fields, key: id}, python
