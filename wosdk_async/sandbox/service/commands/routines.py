"""Routines: what the service would choose, worked out without keeping anything (facts 5)."""

from __future__ import annotations

from wosdk_async.sandbox.errors import required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.service.commands.assignment import suitable
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.commands.schedule import deadlines
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read, property_paths, selection
from wosdk_async.sandbox.service.write import blank, recognised

__all__ = ["auto_assign", "compute_schedule", "preferred_assignees"]

# Which deadline an option of WoScheduleOptions leaves alone; the other options have no effect here.
_SKIPPED = {"SkipDueDate": "DtDue", "SkipOnSiteBy": "DtOnSiteBy", "SkipAcknowledgeBy": "DtAcknowledgeBy"}


@command("WoScheduleRoutine")
def compute_schedule(context: RequestContext, arguments: Arguments) -> Record:
    """The order as sent, with the deadlines of its priority; it need not be stored (facts 5).

    ``OutputPropertySet`` selects what is shown (by its name; assumed).
    """
    order = _draft(context, arguments)
    skipped = _SKIPPED.get(arguments.get("Options", "None"), "")
    written = deadlines(context, order, {skipped})
    paths = property_paths(_paths(arguments.get("OutputPropertySet")))
    result = selection("WorkOrder", paths).show(context, order)
    return {"Wo": result, "UpdatedPropertySet": {"Properties": written}}


@command("WoAutoAssignRoutine")
def auto_assign(context: RequestContext, arguments: Arguments) -> Record:
    """Who would get the order: the first suitable employee, 0 for nobody (assumed)."""
    order = _draft(context, arguments)
    found = suitable(context, order.get("Specialty"), order.get("WorkZone"))
    return {"EmployeeId": found[0] if found else 0}


@command("GetPreferredAssigneesRoutine")
def preferred_assignees(context: RequestContext, arguments: Arguments) -> Record:
    """Employees of a specialty and work zone; postal code and round robin have no effect here (assumed)."""
    keys = (arguments.get("SpecialtyId", 0), arguments.get("WorkZoneId", 0))
    found = suitable(context, {"Id": keys[0]}, {"Id": keys[1]})
    count = arguments.get("RecordCount", 0)
    rows = [context.find("Employee", key) for key in found[: count if count > 0 else None]]
    return {"Employees": [default_read(context, "Employee", row) for row in rows if row is not None]}


def _draft(context: RequestContext, arguments: Arguments) -> Record:
    """The sent order with what it refers to: its zone, its time zone and its priority exist."""
    sent = arguments.get("WorkOrder")
    if not isinstance(sent, dict):
        raise required("WorkOrder")
    order = blank(schemas()["WorkOrder"], recognised(schemas()["WorkOrder"], sent)) | {"Id": 0}
    customer = _referred(context, order, "Customer", "Customer")
    if "WorkZone" not in order and customer is not None and "WorkZone" in customer:
        order["WorkZone"] = customer["WorkZone"]  # facts 5: the customer's zone
    zone = _referred(context, order, "WorkZone", "WorkZone")
    order["TimeZone"] = zone["TimeZone"] if zone else order["TimeZone"]
    _referred(context, order, "Priority", "WoPriority")
    return order


def _referred(context: RequestContext, order: Record, name: str, entity: str) -> Record | None:
    return needed(context.find(entity, order[name]["Id"]), name, order[name]["Id"]) if name in order else None


def _paths(properties: object) -> object:
    return get_ignore_case(properties, "Properties") if isinstance(properties, dict) else None
