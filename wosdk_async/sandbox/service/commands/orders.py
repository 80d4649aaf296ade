"""The work order that a command names, and the reason it gives."""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule, modified, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.service.commands.registry import Arguments, needed
from wosdk_async.sandbox.service.context import RequestContext

__all__ = ["reason_row", "the_order"]


def the_order(context: RequestContext, arguments: Arguments) -> Record:
    """The order a command names, checked against the state the caller expects (facts 3.7).

    Raises:
        Refusal: there is no such order, or ``ERROR_CODE_6``: its state or counter is another.
    """
    key = arguments.get("WorkOrderId", 0)
    if not key:
        raise required("WorkOrderId")
    order = needed(context.find("WorkOrder", key), "WorkOrder", key)
    state, version = arguments.get("StatusId", "Unknown"), arguments.get("ConcurrencyId", 0)
    if state not in ("Unknown", order["StatusId"]) or version not in (0, order["ConcurrencyId"]):
        raise modified()
    return order


def reason_row(context: RequestContext, key: int, action: str) -> Record:
    """The WoActionReasonLookup row that a command names by its Id, not its ReasonId (facts 4).

    Raises:
        Refusal: there is none, or it is one of another action (not shown; assumed).
    """
    row = needed(context.find("WoActionReasonLookup", key), "WoActionReasonLookup", key)
    if row["ActionId"] != action:
        raise broken_rule(f"Reason {key} is not one of {action}.")
    return row
