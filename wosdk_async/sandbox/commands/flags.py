"""Flags of a work order: set and cleared by commands only (facts 3.9, WoFlag)."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.body import Row
from wosdk_async.sandbox.desk import Desk
from wosdk_async.sandbox.ownership import Link
from wosdk_async.sandbox.shape import shapes
from wosdk_async.sandbox.values import UNREADABLE, read

from .registry import Arguments, needed

__all__ = ["clear_flags", "set_flags"]


def set_flags(desk: Desk, order: Row, arguments: Arguments) -> None:
    """Add the flags of ``FlagsToSet``: ids of WoActionReasonLookup rows (assumed, as for reasons)."""
    present = {row["FlagId"] for row in _flags(desk, order)}
    for key in _keys(arguments.get("FlagsToSet")):
        needed(desk.find("WoActionReasonLookup", key), "WoActionReasonLookup", key)
        if key not in present:
            flag = {"WoId": order["Id"], "FlagId": key, "UtcStamp": desk.now.utc}
            desk.insert(shapes()["WoFlag"], flag | {"Comment": arguments.get("Comment", "")})
    _show(desk, order)


def clear_flags(desk: Desk, order: Row, arguments: Arguments) -> None:
    """Take the flags of ``FlagsToClear`` away; one that is not set is passed over (assumed)."""
    cleared = _keys(arguments.get("FlagsToClear"))
    for row in _flags(desk, order):
        if row["FlagId"] in cleared:
            desk.remove("WoFlag", row["Id"])
    _show(desk, order)


def _show(desk: Desk, order: Row) -> None:
    """``Flag`` and ``FlagId`` name the newest flag (not shown; assumed)."""
    order.pop("Flag", None)
    order["FlagId"] = 0
    for row in _flags(desk, order)[-1:]:
        order["FlagId"] = row["FlagId"]
        order["Flag"] = {"Id": row["FlagId"]}


def _flags(desk: Desk, order: Row) -> list[Row]:
    return desk.children(Link(shapes()["WoFlag"], "WoId"), order["Id"])


def _keys(sent: Any) -> list[int]:
    field = shapes()["WoFlag"].by_name["flagid"]
    known = [read(field, value) for value in sent] if isinstance(sent, list) else []
    return [key for key in known if key is not UNREADABLE]
