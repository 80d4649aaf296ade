"""What every work order action leaves behind: an entry in the log, and new last-action times."""

from __future__ import annotations

from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.values import zone_of
from wosdk_async.sandbox.service.commands.registry import Arguments
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["log_action", "record", "stamp"]


def log_action(context: RequestContext, order: Record, kind: str, arguments: Arguments) -> Record:
    """Write a WoActionLog row; the order stays as it is.

    Args:
        kind: a WOActionType.
        arguments: the command's; ``Comment``, ``ActionDate`` and ``ActionReasonId`` are logged (facts 5).
    """
    moment = context.now.local(zone_of(order["TimeZone"]))
    happened = arguments.get("ActionDate", moment)
    shape = schemas()["WoActionLog"]
    return context.insert(
        shape,
        {
            **shape.blank,
            "WorkOrderId": order["Id"],
            "TypeId": kind,
            "Actor": context.account,
            "ActionDate": happened,
            "Comment": arguments.get("Comment", ""),
            "ActionReasonId": arguments.get("ActionReasonId", 0),
            "IsBackDate": happened < moment,  # facts 5: back-dating; what a later date does is assumed
            "UiTypeId": "IntegrationWS",  # not shown; assumed by its name
            "TimeZone": order["TimeZone"],
            "SystemDateUtc": context.now.utc,
        },
    )


def stamp(context: RequestContext, order: Record) -> None:
    """Make this the moment of the order's last action, also of a back-dated one (not shown; assumed)."""
    order["LastActionDate"] = context.now.local(zone_of(order["TimeZone"]))
    order["LastActionDateUtc"] = context.now.utc


def record(
    context: RequestContext, order: Record, kind: str, arguments: Arguments, reason: Record | None = None
) -> None:
    """Log an action, let the order's WoLastAction name it, and keep the changed order."""
    entry = log_action(context, order, kind, arguments)
    stamp(context, order)
    last = context.get("WoLastAction", order["Id"])
    last["LastAction"] = {"Id": entry["Id"]}
    last.pop("Reason", None)
    if reason is not None:
        last["Reason"] = {"Id": reason["Id"]}
    context.replace(schemas()["WoLastAction"], last)
    context.replace(schemas()["WorkOrder"], order)
