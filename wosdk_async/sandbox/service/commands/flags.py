"""Flags of a work order: set and cleared by commands only (facts 3.9, WoFlag)."""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import Relation
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value
from wosdk_async.sandbox.service.commands.orders import reason_row
from wosdk_async.sandbox.service.commands.registry import Arguments
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["clear_flags", "flag", "set_flags"]


def flag(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """The older single flag, taken from ``ActionReasonId``; without one nothing changes (facts 5.1)."""
    key = arguments.get("ActionReasonId", 0)
    return _add(context, order, [key] if key else [], arguments)


def set_flags(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Add the flags of ``FlagsToSet``: ids of the reasons for attention (assumed, as for reasons)."""
    return _add(context, order, _keys(arguments.get("FlagsToSet")), arguments)


def clear_flags(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Take the flags of ``FlagsToClear`` away; one that is not set is passed over (assumed)."""
    cleared = _keys(arguments.get("FlagsToClear"))
    gone = [row for row in _flags(context, order) if row["FlagId"] in cleared]
    for row in gone:
        context.remove("WoFlag", row["Id"])
    _show(context, order)
    return bool(gone)


def _add(context: RequestContext, order: Record, keys: list[int], arguments: Arguments) -> bool:
    present = {row["FlagId"] for row in _flags(context, order)}
    added = [key for key in dict.fromkeys(keys) if key not in present]
    for key in added:
        reason_row(context, key, "Attention")
        row = {"WoId": order["Id"], "FlagId": key, "UtcStamp": context.now.utc}
        context.insert(schemas()["WoFlag"], row | {"Comment": arguments.get("Comment", "")})
    _show(context, order)
    return bool(added)


def _show(context: RequestContext, order: Record) -> None:
    """``Flag`` and ``FlagId`` name the newest flag (not shown; assumed)."""
    order.pop("Flag", None)
    order["FlagId"] = 0
    for row in _flags(context, order)[-1:]:
        order["FlagId"] = row["FlagId"]
        order["Flag"] = {"Id": row["FlagId"]}


def _flags(context: RequestContext, order: Record) -> list[Record]:
    return context.children(Relation(schemas()["WoFlag"], "WoId"), order["Id"])


def _keys(sent: Any) -> list[int]:
    field = schemas()["WoFlag"].by_name["flagid"]
    known = [read_value(field, value) for value in sent] if isinstance(sent, list) else []
    return [key for key in known if key is not UNREADABLE]
