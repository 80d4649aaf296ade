"""Assignees, deadlines and work plans of work orders; time cards and suspension of assignees (facts 5)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta
from typing import Any

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.values import read_ids, reference_id, zone_of
from wosdk_async.sandbox.service.context import (
    Arguments,
    RequestContext,
    named_record,
    not_modelled,
    required_record,
)
from wosdk_async.sandbox.service.query.selection import property_paths, selection, show_default
from wosdk_async.sandbox.service.rules import PAIRED_TIMES
from wosdk_async.sandbox.service.write import blank_record, create, known_members

# Deadline of an order -> priority field with its minutes (facts 5, Creation traps).
_DEADLINES = {
    "DtDue": "DueInMinutes",
    "DtAcknowledgeBy": "AcknowledgeInMinutes",
    "DtOnSiteBy": "RespondInMinutes",
}
# Option of WoScheduleOptions -> deadline to leave unchanged; other options have no effect here.
_SKIPPED = {"SkipDueDate": "DtDue", "SkipOnSiteBy": "DtOnSiteBy", "SkipAcknowledgeBy": "DtAcknowledgeBy"}


def choose_assignee(context: RequestContext, order: Record, arguments: Arguments) -> int | None:
    """Return a new order's assignee; None if it gets none.

    Not shown; assumed: with ComputeAssignment, the first suitable employee.
    """
    if arguments.get("KeepUnassigned", False):
        return None
    if not arguments.get("ComputeAssignment", False):
        named = arguments.get("EmployeeId", 0)  # facts 5: 0 means none
        return int(required_record(context, "Employee", named)["Id"]) if named else None
    return next(iter(_suitable_employees(context, order.get("Specialty"), order.get("WorkZone"))), None)


def assign_primary(context: RequestContext, order: Record, employee: int) -> None:
    """Make an employee the order's primary assignee; the caller saves the order."""
    order["Employee"] = {"Id": employee}
    _insert_assignment(context, order["Id"], employee, primary=True)


def reassign(context: RequestContext, order: Record, employees: list[int], mode: str) -> bool:
    """Change the assignees as a ChangeAssignmentMode requires (facts 5); return whether any changed."""
    assignments = context.pointing("WoAssignment", "WorkOrderId", order["Id"])
    before = {each["EmployeeId"]: each["IsPrimary"] for each in assignments}
    after = _assignees_after(before, list(dict.fromkeys(employees)), mode)
    for each in assignments:
        if after.get(each["EmployeeId"]) != each["IsPrimary"]:
            context.remove("WoAssignment", each["Id"])
    for key, primary in after.items():
        if before.get(key) != primary:
            required_record(context, "Employee", key)
            _insert_assignment(context, order["Id"], key, primary=primary)
    order.pop("Employee", None)
    for key, primary in after.items():
        if primary:
            order["Employee"] = {"Id": key}
    return after != before


def _assignees_after(before: dict[int, bool], employees: list[int], mode: str) -> dict[int, bool]:
    """Return the assignees after a change: their ids, and whether each is primary."""
    if mode == "Snapshot":  # facts 5: the list replaces all; its first employee is the primary assignee
        return {key: index == 0 for index, key in enumerate(employees)}
    if mode == "AddSecondary":
        return dict.fromkeys(employees, False) | before
    if mode == "RemoveSecondary":
        return {key: primary for key, primary in before.items() if primary or key not in employees}
    if len(employees) > 1:
        raise broken_rule("Mode Primary takes one assignee.")  # not shown; assumed
    kept = {key: False for key, primary in before.items() if not primary}
    return kept | dict.fromkeys(employees, True)


def _insert_assignment(context: RequestContext, order: int, employee: int, *, primary: bool) -> None:
    record: dict[str, Any] = {"WorkOrderId": order, "EmployeeId": employee, "IsPrimary": primary}
    context.insert(schemas()["WoAssignment"], record)


def _suitable_employees(context: RequestContext, specialty: Record | None, zone: Record | None) -> list[int]:
    skilled = _linked_employees(context, "LinkUserAndSpecialty", "SpecialtyId", specialty)
    local = _linked_employees(context, "LinkUserAndWorkZone", "WorkZoneId", zone)
    found = ((key, context.find("Employee", key)) for key in sorted(skilled & local))
    return [key for key, employee in found if employee is not None and not employee["IsRemoved"]]


def _linked_employees(context: RequestContext, entity: str, key: str, reference: Record | None) -> set[int]:
    links = context.pointing(entity, key, reference["Id"]) if reference else []
    return {link["UserId"] for link in links}


def set_deadlines(context: RequestContext, order: Record, skipped: Collection[str] = ()) -> list[str]:
    """Set the deadlines to now plus the priority's minutes (spec 3, facts 5); return the fields set."""
    if "Priority" not in order:
        return []
    priority = context.get("WoPriority", order["Priority"]["Id"])
    zone = zone_of(order["TimeZone"])
    written = []
    for local, minutes in _DEADLINES.items():
        if local not in skipped:
            utc, moment = PAIRED_TIMES[local], context.now.later(priority[minutes])
            order[local], order[utc] = moment.local(zone), moment.utc
            written += [local, utc]
    return written


def compute_schedule(context: RequestContext, arguments: Arguments) -> Record:
    """Return the sent order with deadlines from its priority; the order need not be stored (facts 5)."""
    order = _draft(context, arguments)
    skipped = _SKIPPED.get(arguments.get("Options", "None"), "")
    written = set_deadlines(context, order, {skipped})
    chosen = arguments.get("OutputPropertySet")  # assumed from its name: the result's properties
    paths = property_paths(get_ignore_case(chosen, "Properties") if isinstance(chosen, dict) else None)
    result = selection("WorkOrder", paths, context.dialect).show(context, order)
    return {"Wo": result, "UpdatedPropertySet": {"Properties": written}}


def auto_assign(context: RequestContext, arguments: Arguments) -> Record:
    """Return the first suitable employee, or 0. Not shown; assumed."""
    order = _draft(context, arguments)
    found = _suitable_employees(context, order.get("Specialty"), order.get("WorkZone"))
    return {"EmployeeId": found[0] if found else 0}


def preferred_assignees(context: RequestContext, arguments: Arguments) -> Record:
    """Return up to ``RecordCount`` suitable employees. Not shown; assumed: other arguments have no effect."""
    specialty, zone = ({"Id": arguments.get(name, 0)} for name in ("SpecialtyId", "WorkZoneId"))
    found = _suitable_employees(context, specialty, zone)
    count = arguments.get("RecordCount", 0)
    employees = [context.find("Employee", key) for key in found[: count if count > 0 else None]]
    return {"Employees": [show_default(context, "Employee", each) for each in employees if each is not None]}


def _draft(context: RequestContext, arguments: Arguments) -> Record:
    sent = arguments.get("WorkOrder")
    if not isinstance(sent, dict):
        raise required("WorkOrder")
    order = blank_record(schemas()["WorkOrder"], known_members(schemas()["WorkOrder"], sent)) | {"Id": 0}
    customer = _referenced_record(context, order, "Customer", "Customer")
    if "WorkZone" not in order and customer is not None and "WorkZone" in customer:
        order["WorkZone"] = customer["WorkZone"]  # facts 5: the default is the customer's zone
    zone = _referenced_record(context, order, "WorkZone", "WorkZone")
    order["TimeZone"] = zone["TimeZone"] if zone else order["TimeZone"]
    _referenced_record(context, order, "Priority", "WoPriority")
    return order


def _referenced_record(context: RequestContext, order: Record, name: str, entity: str) -> Record | None:
    return required_record(context, entity, order[name]["Id"], name) if name in order else None


# --- work plans ------------------------------------------------------------------------------
# Parent-child and waiting relations between orders (WpTree). Not shown; assumed: the members of WpTree mean
# what their names say.


# Members that a prepared child copies from its parent.
_INHERITED = ("TypeCategory", "SubType", "Customer", "WorkZone", "RequestorContact", "Priority", "Specialty")
_MAX_CHAIN = 32  # orders


def prepare_child(context: RequestContext, arguments: Arguments) -> Record:
    """Return a child order for items of one order, as input for WoCreateCommand; nothing is stored."""
    items = [required_record(context, "WoItem", key) for key in read_ids(arguments.get("WoItemIds"))]
    if not items:
        raise required("WoItemIds")
    if len({item["WorkOrderId"] for item in items}) > 1:
        raise broken_rule("The items belong to several work orders.")
    parent = context.get("WorkOrder", items[0]["WorkOrderId"])
    inherited = {name: parent[name] for name in _INHERITED if name in parent}
    shown = [{name: item[name] for name in ("Asset", "Task", "Comment") if name in item} for item in items]
    root, level = _place_in_plan(context, parent["Id"])
    plan = {"Level": level + 1, "ParentWorkOrder": {"Id": parent["Id"]}, "RootWorkOrder": {"Id": root}}
    return {"WorkOrder": inherited | {"Items": shown}, "WorkPlanLink": plan}


def set_dependency(context: RequestContext, arguments: Arguments) -> Record:
    """Make one order wait for another."""
    main = int(named_record(context, arguments, "MainWorkOrderId", "WorkOrder")["Id"])
    dependent = int(named_record(context, arguments, "DependentWorkOrderId", "WorkOrder")["Id"])
    if dependent in _dependency_chain(context, main):
        raise broken_rule(f"Work order {main} would wait for itself.")
    plan = _plan_of(context, dependent)
    if plan is None:
        plan = create(context, schemas()["WpTree"], {"ChildWoId": dependent})
    if plan.get("DependOnWorkOrder") != {"Id": main}:
        plan["DependOnWorkOrder"] = {"Id": main}
        context.replace(schemas()["WpTree"], plan)
    return {}


def join_plan(context: RequestContext, order: Record, sent: Any) -> None:
    """Add a new order to its parent's plan; ``sent`` is the ``WpTree`` of the command that creates it."""
    parent = reference_id(get_ignore_case(sent, "ParentWorkOrder")) if isinstance(sent, dict) else None
    if parent is None:
        return
    required_record(context, "WorkOrder", parent, "ParentWorkOrder")
    root, level = _place_in_plan(context, parent)
    link = {"ParentWorkOrder": {"Id": parent}, "RootWorkOrder": {"Id": root}, "Level": level + 1}
    create(context, schemas()["WpTree"], sent | link, {"ChildWoId": order["Id"]})


def _place_in_plan(context: RequestContext, order: int) -> tuple[int, int]:
    """Return the root of an order's plan, and the order's level in it. Without a plan: the order, and 0."""
    plan = _plan_of(context, order)
    if plan is None or "RootWorkOrder" not in plan:
        return order, 0
    return plan["RootWorkOrder"]["Id"], plan["Level"]


def _dependency_chain(context: RequestContext, order: int) -> list[int]:
    """Return an order and the chain of orders that it waits for, up to a cycle or ``_MAX_CHAIN`` orders."""
    found = [order]
    while len(found) < _MAX_CHAIN:
        plan = _plan_of(context, found[-1])
        if plan is None or "DependOnWorkOrder" not in plan or plan["DependOnWorkOrder"]["Id"] in found:
            break
        found.append(plan["DependOnWorkOrder"]["Id"])
    return found


def _plan_of(context: RequestContext, order: int) -> Record | None:
    found = context.pointing("WpTree", "ChildWoId", order)
    return found[0] if found else None


# --- time cards, by employee and week, and provider suspension -------------------------------

# Action -> states before and after it. Not shown; assumed from the names.
_MOVES = {
    "Submit": ("Pending", "Submitted"),
    "UnSubmit": ("Submitted", "Pending"),
    "Approve": ("Submitted", "Approved"),
    "UnApprove": ("Approved", "Submitted"),
    "ReadyForExport": ("Approved", "ReadyForExport"),
    "NotReadyForExport": ("ReadyForExport", "Approved"),
    "Export": ("ReadyForExport", "Exported"),
    "UnExport": ("Exported", "ReadyForExport"),
}
_FLAGS = {"Flag": 1, "ClearFlag": 0}


def change_time_card(context: RequestContext, arguments: Arguments) -> Record:
    """Change the state or the flag of an employee's weekly time card."""
    card = _find_card(context, arguments.get("EmployeeId", 0), arguments.get("WeekStartDate", ""))
    action = arguments.get("ActionId", "Uknown")
    if action in _FLAGS:
        changes: Record = {"Flagged": _FLAGS[action]}
    elif action in _MOVES and card["StatusId"] == _MOVES[action][0]:
        changes = {"StatusId": _MOVES[action][1]}
    else:
        raise broken_rule(f"Action {action} is not possible for a time card that is {card['StatusId']}.")
    if card | changes != card:
        card |= changes
        context.replace(schemas()["TimeCard"], card)
    return {"TimeCard": show_default(context, "TimeCard", card)}


def get_time_card(context: RequestContext, arguments: Arguments) -> Record:
    """Return the time card of the week of ``BaseDate``. Not shown; assumed: the result's form."""
    card = _find_card(context, arguments.get("EmployeeId", 0), arguments.get("BaseDate", ""))
    return {"TimeCard": show_default(context, "TimeCard", card)}


def _find_card(context: RequestContext, employee: int, day: str) -> Record:
    cards = context.pointing("TimeCard", "Employee.Id", employee)
    for card in cards if day else ():
        start = date.fromisoformat(card["WeekStartDate"][:10]) if "WeekStartDate" in card else None
        if start is not None and start <= date.fromisoformat(day[:10]) < start + timedelta(days=7):
            return card
    raise broken_rule("Time Card record cannot be found")  # facts 6


def suspend(context: RequestContext, arguments: Arguments) -> Record:
    """Suspend a connected provider, or reconnect a suspended one (assumed from EmployeeWonStatus)."""
    employee = named_record(context, arguments, "Id", "Employee", "Employee", removed_ok=True)
    if employee["ActorTypeId"] != "Provider":
        raise not_modelled(
            "UserOrProviderSuspendCommand", "it is unknown how a user record shows a suspension"
        )
    reactivates = arguments.get("Reactivate", False)
    before, after = ("Suspended", "Connected") if reactivates else ("Connected", "Suspended")
    if employee["ProviderStatusId"] != before:
        raise broken_rule(f"Provider {employee['Id']} is {employee['ProviderStatusId']}, not {before}.")
    employee["ProviderStatusId"] = after
    context.replace(schemas()["Employee"], employee)
    return {"EmployeeId": employee["Id"]}
