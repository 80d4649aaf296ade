"""WoCopyCommand (facts 5): what a copy takes along is not shown; assumed."""

from __future__ import annotations

from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import relation_of
from wosdk_async.sandbox.service.commands.creation import make_order
from wosdk_async.sandbox.service.commands.orders import the_order
from wosdk_async.sandbox.service.commands.registry import Arguments, command
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read

__all__ = ["copy_work_order"]

_COPIED = (
    "TypeCategory",
    "SubType",
    "Customer",
    "WorkZone",
    "RequestorContact",
    "ContactName",
    "Priority",
    "Specialty",
    "Access",
    "Duration",
    "VendorNte",
    "PoNumber",
)


@command("WoCopyCommand")
def copy_work_order(context: RequestContext, arguments: Arguments) -> Record:
    """A new order with the items and terms of another one, which stays as it is.

    Notes, documents, custom fields and assignees stay behind; the schedule is computed anew if the
    original has one.
    """
    original = the_order(context, arguments)
    sent = {name: original[name] for name in _COPIED if name in original}
    sent["Items"] = [
        {name: item[name] for name in ("Asset", "Task", "Comment") if name in item}
        for item in _items(context, original)
    ]
    logged = {name: arguments[name] for name in ("Comment", "ActionDate") if name in arguments}
    made = make_order(context, sent, logged | {"ComputeSchedule": "DtDue" in original})
    return {"Wo": default_read(context, "WorkOrder", made)}


def _items(context: RequestContext, order: Record) -> list[Record]:
    owned = relation_of("WorkOrder", schemas()["WorkOrder"].by_name["items"])
    return context.children(owned, order["Id"]) if owned else []
