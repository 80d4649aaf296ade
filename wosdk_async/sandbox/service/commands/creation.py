"""WoCreateCommand (spec 4.3, facts 5) and WoCopyCommand."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import EntitySchema, schemas
from wosdk_async.sandbox.schema.values import reference_id, zone_of
from wosdk_async.sandbox.service.commands.orders import find_order, log_action, set_last_action
from wosdk_async.sandbox.service.commands.scheduling import (
    assign_primary,
    choose_assignee,
    join_plan,
    set_deadlines,
)
from wosdk_async.sandbox.service.context import Arguments, RequestContext, required_record
from wosdk_async.sandbox.service.crud import create_response
from wosdk_async.sandbox.service.query.selection import show_default
from wosdk_async.sandbox.service.references import check_references
from wosdk_async.sandbox.service.rules import ON_WRITE, ancestors
from wosdk_async.sandbox.service.update import COMMAND_ONLY
from wosdk_async.sandbox.service.write import blank_record, create, create_owned, known_members

_ZERO = Decimal("0.00")  # two decimals on newly created orders (facts 3.3)
_MAX_DIGITS = 32  # not shown; assumed
# Lists that a creation may contain. Not shown; assumed: other lists are only written by actions.
_LISTS = ("CustomFields", "Notes", "Documents", "EquipmentWorkedOn", "ContactAddress")
# Members that a copy takes from the original; facts 5 lists none. Not shown; assumed.
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


_Item = tuple[Record, Record, Record]  # item as sent, its asset and its task


def create_work_order(context: RequestContext, arguments: Arguments) -> Record:
    """Run WoCreateCommand."""
    sent = arguments.get("WorkOrder")
    if not isinstance(sent, dict):
        raise required("WorkOrder")
    order = _make_order(context, sent, arguments)
    return {"Wo": create_response(context, "WorkOrder", order)}


def copy_work_order(context: RequestContext, arguments: Arguments) -> Record:
    """Create an order with the items and terms of an existing order.

    Not shown; assumed: notes, documents, custom fields and assignees are not copied, and the schedule is
    recomputed if the original has one.
    """
    original = find_order(context, arguments)
    sent = {name: original[name] for name in _COPIED if name in original}
    sent["Items"] = [
        {name: item[name] for name in ("Asset", "Task", "Comment") if name in item}
        for item in context.pointing("WoItem", "WorkOrderId", original["Id"])
    ]
    logged = {name: arguments[name] for name in ("Comment", "ActionDate") if name in arguments}
    order = _make_order(context, sent, logged | {"ComputeSchedule": "DtDue" in original})
    return {"Wo": show_default(context, "WorkOrder", order)}


def _make_order(context: RequestContext, sent: Record, arguments: Arguments) -> Record:
    schema = schemas()["WorkOrder"]
    # facts 5: the command's EmployeeId is the assignee. Not shown; assumed: COMMAND_ONLY members are dropped
    members = [each for each in known_members(schema, sent) if each[0].name not in COMMAND_ONLY["WorkOrder"]]
    order = blank_record(schema, members)
    if context.dialect.contactid_is_requestor and order.get("RequestorContact") is None:
        key = reference_id({"Id": get_ignore_case(sent, "Contactid")})  # spec 4.3
        if key is not None:
            order["RequestorContact"] = {"Id": key}
    zone = _find_zone(context, order)
    items = _find_items(context, get_ignore_case(sent, "Items"))
    order["Id"] = context.next_number("WorkOrder")
    _fill_in(context, order, zone, items[0])
    _schedule(context, order, items[0][2], computed=arguments.get("ComputeSchedule", False))
    _insert(context, order, items, arguments)
    lists = [(field, value) for field, value in members if field.name in _LISTS]
    create_owned(context, schema, order, lists)
    join_plan(context, order, arguments.get("WpTree"))
    return order


def _find_zone(context: RequestContext, order: Record) -> Record:
    """Return the order's work zone. Refuse if a record that the order refers to does not exist (spec 3)."""
    if order["TypeCategory"] == "Unknown":
        raise required("TypeCategory", "WorkOrder")
    if "SubType" not in order:
        raise required("SubType.Id", "WorkOrder")
    if "Customer" not in order and order["TypeCategory"] == "Request":
        raise required("Customer.Id", "WorkOrder")  # facts 5: required for TypeCategory Request
    if "Customer" in order and "WorkZone" not in order:
        customer = required_record(context, "Customer", order["Customer"]["Id"])
        order |= {name: customer[name] for name in ("WorkZone",) if name in customer}  # facts 5
    if "WorkZone" not in order:
        raise required("WorkZone.Id", "WorkOrder")  # facts 5: required for a Basic order without a customer
    check_references(context, schemas()["WorkOrder"], order)
    return context.get("WorkZone", order["WorkZone"]["Id"])


def _find_items(context: RequestContext, sent: Any) -> list[_Item]:
    items = [item for item in sent if isinstance(item, dict)] if isinstance(sent, list) else []
    if not items:
        raise required("Items", "WorkOrder")
    return [
        (item, _item_part(context, item, "Asset", "Location"), _item_part(context, item, "Task", "Task"))
        for item in items
    ]


def _item_part(context: RequestContext, item: Record, name: str, entity: str) -> Record:
    key = reference_id(get_ignore_case(item, name))
    if key is None:
        raise required(f"Items.{name}.Id", "WorkOrder")
    return required_record(context, entity, key, name)


def _fill_in(context: RequestContext, order: Record, zone: Record, item: _Item) -> None:
    _, asset, task = item
    ancestor_names = ", ".join(location["Name"] for location in reversed(ancestors(context, asset)))
    order["MainAsset"] = {"Id": asset["Id"]}
    order["ShortLocation"] = asset["Name"]
    # facts 5: three parts; the second is also the short location, the third the task name
    order["TaskRefinement"] = f"{ancestor_names}:{asset['Name']}:{task['DisplayAs']}"
    order["Number"] = _next_number(context, zone["WoNumberPrefix"], zone["WoNumberDigits"])
    order["TimeZone"] = zone["TimeZone"]
    order["CurrencyTypeId"] = zone["CurrencyTypeId"]
    if order["VendorNte"]["CurrencyTypeId"] == "Unknown":
        amount = order["VendorNte"]["Value"] or _ZERO
        order["VendorNte"] = {"CurrencyTypeId": zone["CurrencyTypeId"], "Value": amount}
    order["StatusId"] = "New"
    order["InductionAndSafetyStatusID"] = "NotRequired"  # spec 2.3
    if order["Access"] == "Unknown":
        order["Access"] = zone["DefaultAccess"]
    if "Specialty" not in order and "Specialty" in task:
        order["Specialty"] = task["Specialty"]
    # not shown; assumed: a duration of 0 counts as missing, so the task's time is used
    order["Duration"] = order["Duration"] or task["CompletionTime"]


def _next_number(context: RequestContext, prefix: str, digits: int) -> str:
    """Return an unused number (facts 7). Not shown; assumed: zones with the same prefix share a counter."""
    while True:
        serial = context.next_number(f"Number {prefix.upper()}")
        number = prefix + str(serial).zfill(min(digits, _MAX_DIGITS))
        if not _with_number(context, number):
            return number


def _with_number(context: RequestContext, number: str) -> list[Record]:
    context.store.indexes.ensure("WorkOrder", "Number", "string")
    return context.named("WorkOrder", "Number", number)


def complete_order(context: RequestContext, schema: EntitySchema, row: Record) -> None:
    """Give a seeded order a cost and a last action, as a create does, each with the order's id (facts 5).

    Not shown; assumed: two orders cannot have the same number.
    """
    key = row["Id"]
    order = context.get(schema.name, key)
    if order["Number"] and len(_with_number(context, order["Number"])) > 1:
        raise broken_rule(f"Another work order has the Number {order['Number']}.")
    for name, entity, record in (
        ("WorkOrderCost", "WorkOrderCost", _cost(order)),
        ("LastAction", "WoLastAction", _last_action(order, {})),
    ):
        order.setdefault(name, {"Id": key})
        if context.find(entity, key) is None:
            context.insert_with_id(schemas()[entity], record)
    context.replace_uncounted(schema, order)


def _schedule(context: RequestContext, order: Record, task: Record, *, computed: bool) -> None:
    # facts 5, Creation traps: with ComputeSchedule, the task's priority overrides the sent one
    if "Priority" in task and (computed or "Priority" not in order):
        order["Priority"] = task["Priority"]
    ON_WRITE["WorkOrder"](context, order)  # sets UTC times for the local times sent
    order["DtCreated"] = context.now.local(zone_of(order["TimeZone"]))
    order["CreatedDateUtc"] = context.now.utc
    if computed:
        set_deadlines(context, order)


def _insert(context: RequestContext, order: Record, items: list[_Item], arguments: Arguments) -> None:
    for name in ("WorkOrderCost", "LastAction"):
        order[name] = {"Id": order["Id"]}  # facts 5: same Id as the order
    employee = choose_assignee(context, order, arguments)
    if employee is not None:
        assign_primary(context, order, employee)
    entry = log_action(context, order, "Create", arguments)
    set_last_action(context, order)
    context.insert_with_id(schemas()["WorkOrder"], order)
    context.insert_with_id(schemas()["WorkOrderCost"], _cost(order))
    last = {"LastAction": {"Id": entry["Id"]}, "XNumber": arguments.get("ExternalNumber", "")}
    context.insert_with_id(schemas()["WoLastAction"], _last_action(order, last))  # facts 5, Retry safety
    for index, (item, _, _) in enumerate(items):
        parent_fields = {"WorkOrderId": order["Id"], "SortOrderIdx": index}
        create(context, schemas()["WoItem"], item, parent_fields)


def _cost(order: Record) -> Record:
    schema = schemas()["WorkOrderCost"]
    zero = {"CurrencyTypeId": order["CurrencyTypeId"], "Value": _ZERO}
    amounts = {field.name: zero for field in schema.fields if field.type == "money"}
    return {
        **schema.blank,
        **amounts,
        "Id": order["Id"],
        "CurrencyTypeId": order["CurrencyTypeId"],
        "BillToType": "None",  # spec 2.4
        "BillToOption": {"Id": 0},  # facts 5, Shape of a result
        "ChargeCode": {"Id": 0},  # facts 5, as above. Not shown; assumed: the Id
        "ApStatusId": 1,  # facts 9: ApInvoiceStatus 1 has the state None
        "CostStatusId": 1,
    }


def _last_action(order: Record, last: Record) -> Record:
    return {
        **schemas()["WoLastAction"].blank,
        "Id": order["Id"],
        "WorkOrderId": order["Id"],
        "BillStatus": "NotBilled",  # spec 3
        **last,
    }
