"""VerifyWorkCommand (spec 4.7)."""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import Relation
from wosdk_async.sandbox.schema.values import zone_of
from wosdk_async.sandbox.service.commands.log import record
from wosdk_async.sandbox.service.commands.orders import the_order
from wosdk_async.sandbox.service.commands.registry import Arguments, command
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read

__all__ = ["verify_work"]


@command("VerifyWorkCommand")
def verify_work(context: RequestContext, arguments: Arguments) -> Record:
    """Record a rating and a comment of completed work; the log has it as Verified (assumed by its name).

    Raises:
        Refusal: the order is not completed (spec 3 names the state; the text is assumed).
    """
    order = the_order(context, arguments)
    if order["StatusId"] != "Completed":
        raise broken_rule(f"{{!{{Work Order}}!}} that is in state '{order['StatusId']}' cannot be verified")
    shape = schemas()["WoVerification"]
    earlier = context.children(Relation(shape, "WorkOrderId"), order["Id"])
    row = context.insert(
        shape,
        {
            **shape.blank,
            "Idx": len(earlier),  # facts 5: 0 for the first
            "WorkOrderId": order["Id"],
            "WoRatingId": arguments.get("WoRatingId", "Unknown"),
            "Comment": arguments.get("Comment", ""),
            "EditedDate": context.now.local(zone_of(order["TimeZone"])),
            "Actor": context.account,
        },
    )
    record(context, order, "Verified", arguments)
    return {"WorkVerification": default_read(context, "WoVerification", row)}
