"""What every work order action leaves behind: an entry in the log, and new last-action times."""

from __future__ import annotations

from wosdk_async.sandbox.body import Row
from wosdk_async.sandbox.desk import Desk
from wosdk_async.sandbox.shape import shapes
from wosdk_async.sandbox.times import zone_of

from .registry import Arguments

__all__ = ["log_action"]


def log_action(desk: Desk, order: Row, kind: str, arguments: Arguments) -> Row:
    """Write a WoActionLog row and stamp ``order``; the caller keeps the order.

    Args:
        order: the work order; its ``LastActionDate`` and UTC twin become this moment.
        kind: a WOActionType.
        arguments: the command's; ``Comment``, ``ActionDate`` and ``ActionReasonId`` are logged (facts 5).
    """
    moment = desk.now.local(zone_of(order["TimeZone"]))
    shape = shapes()["WoActionLog"]
    entry = desk.insert(
        shape,
        {
            **shape.blank,
            "WorkOrderId": order["Id"],
            "TypeId": kind,
            "Actor": desk.account,
            "ActionDate": arguments.get("ActionDate", moment),
            "Comment": arguments.get("Comment", ""),
            "ActionReasonId": arguments.get("ActionReasonId", 0),
            "IsBackDate": "ActionDate" in arguments,  # facts 5: back-dating
            "UiTypeId": "IntegrationWS",  # not shown; assumed by its name
            "TimeZone": order["TimeZone"],
            "SystemDateUtc": desk.now.utc,
        },
    )
    order["LastActionDate"] = moment
    order["LastActionDateUtc"] = desk.now.utc
    return entry
