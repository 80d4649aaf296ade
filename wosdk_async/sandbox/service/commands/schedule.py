"""When a work order is due: from the minutes of its priority (spec 3, facts 5)."""

from __future__ import annotations

from collections.abc import Collection

from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.values import zone_of
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.rules import ON_WRITE

__all__ = ["DEADLINES", "deadlines", "schedule"]

# The local time, its UTC twin, and the priority's minutes for it (facts 5, Creation traps).
DEADLINES = (
    ("DtDue", "DueDateUtc", "DueInMinutes"),
    ("DtAcknowledgeBy", "AcknowledgeByUtc", "AcknowledgeInMinutes"),
    ("DtOnSiteBy", "DtUtcOnSiteBy", "RespondInMinutes"),
)


def schedule(context: RequestContext, order: Record, task: Record, *, computed: bool) -> None:
    """Set the priority and creation times of a new order, and its deadlines if they are computed."""
    # facts 5, Creation traps: with ComputeSchedule the task's own priority wins over a sent one
    if "Priority" in task and (computed or "Priority" not in order):
        order["Priority"] = task["Priority"]
    ON_WRITE["WorkOrder"](context, order)  # the UTC twins of times that were sent
    order["DtCreated"] = context.now.local(zone_of(order["TimeZone"]))
    order["CreatedDateUtc"] = context.now.utc
    if computed:
        deadlines(context, order)


def deadlines(context: RequestContext, order: Record, skipped: Collection[str] = ()) -> list[str]:
    """Set the deadlines by the order's priority, counted from now; the names of what was set.

    Args:
        skipped: local names that stay as they are.
    """
    if "Priority" not in order:
        return []
    priority = context.get("WoPriority", order["Priority"]["Id"])
    zone = zone_of(order["TimeZone"])
    written = []
    for local, utc, minutes in DEADLINES:
        if local not in skipped:
            moment = context.now.later(priority[minutes])
            order[local], order[utc] = moment.local(zone), moment.utc
            written += [local, utc]
    return written
