"""WoCreateCommand (spec 4.3, facts 5)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import attrs

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.values import reference_id
from wosdk_async.sandbox.service.commands.assignment import assign_primary, preferred_assignee
from wosdk_async.sandbox.service.commands.log import log_action, stamp
from wosdk_async.sandbox.service.commands.plans import join_plan
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.commands.schedule import schedule
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import create_response
from wosdk_async.sandbox.service.rules import lineage
from wosdk_async.sandbox.service.write import blank, create, own, recognised

__all__ = ["create_work_order", "make_order"]

_NOTHING = Decimal("0.00")  # two decimals on an order just created (facts 3.3)
_MAX_DIGITS = 32  # not shown; assumed
# Lists a creation may carry. That the others are written by actions only is not shown; assumed.
_LISTS = ("CustomFields", "Notes", "Documents", "EquipmentWorkedOn", "ContactAddress")


@attrs.frozen
class _Parts:
    """The rows a new work order refers to, and its items as (sent, asset, task)."""

    sub_type: Record
    zone: Record
    customer: Record | None
    items: list[tuple[Record, Record, Record]]


@command("WoCreateCommand")
def create_work_order(context: RequestContext, arguments: Arguments) -> Record:
    sent = arguments.get("WorkOrder")
    if not isinstance(sent, dict):
        raise required("WorkOrder")
    order = make_order(context, sent, arguments)
    return {"Wo": create_response(context, "WorkOrder", order)}


def make_order(context: RequestContext, sent: Record, arguments: Arguments) -> Record:
    """A new work order from the members of ``sent``, kept with all its rows.

    Raises:
        Refusal: something that the order needs or refers to is missing.
    """
    shape = schemas()["WorkOrder"]
    members = recognised(shape, sent)
    order = blank(shape, members)
    if context.dialect.contactid_is_requestor:
        _requestor(order, sent)
    parts = _parts(context, order, sent)
    order["Id"] = context.next_number("WorkOrder")
    _describe(context, order, parts)
    schedule(context, order, parts.items[0][2], computed=arguments.get("ComputeSchedule", False))
    _file(context, order, parts, arguments)
    own(context, shape, order, [(field, value) for field, value in members if field.name in _LISTS])
    join_plan(context, order, arguments.get("WpTree"))
    return order


def _requestor(order: Record, sent: Record) -> None:
    """Take ``Contactid`` as the requestor, as spec 4.3 sends it."""
    key = reference_id({"Id": get_ignore_case(sent, "Contactid")})
    if key is not None and order.get("RequestorContact") is None:
        order["RequestorContact"] = {"Id": key}


def _parts(context: RequestContext, order: Record, sent: Record) -> _Parts:
    """What the order refers to; all of it must exist (spec 3)."""
    if order["TypeCategory"] == "Unknown":
        raise required("TypeCategory", "WorkOrder")
    sub_type = _referred(context, order, "SubType", "WorkOrderType")
    if sub_type is None:
        raise required("SubType.Id", "WorkOrder")
    customer = _referred(context, order, "Customer", "Customer")
    if customer is None and order["TypeCategory"] == "Request":
        raise required("Customer.Id", "WorkOrder")  # facts 5: for TypeCategory Request
    if customer is not None:
        order.setdefault("WorkZone", customer.get("WorkZone"))  # facts 5: the customer's zone
    zone = _referred(context, order, "WorkZone", "WorkZone")
    if zone is None:
        raise required("WorkZone.Id", "WorkOrder")  # facts 5: a Basic order without a customer
    for name in ("RequestorContact", "Priority", "Specialty", "RepairCode"):
        _referred(context, order, name, str(schemas()["WorkOrder"].by_name[name.lower()].of))
    return _Parts(sub_type, zone, customer, _items(context, get_ignore_case(sent, "Items")))


def _referred(context: RequestContext, order: Record, name: str, entity: str) -> Record | None:
    cut = order.get(name)
    if cut is None:
        order.pop(name, None)
        return None
    return _live(context, entity, name, cut["Id"])


def _live(context: RequestContext, entity: str, name: str, key: int) -> Record:
    """A row that a new order may refer to: it is there, and not removed (the latter not shown; assumed)."""
    row = needed(context.find(entity, key), name, key)
    if row.get("IsRemoved") and entity != "WorkZone":  # a removed zone still takes orders (assumed)
        raise broken_rule(f"{name} with id {key} is removed.")
    return row


def _items(context: RequestContext, sent: Any) -> list[tuple[Record, Record, Record]]:
    items = [item for item in sent if isinstance(item, dict)] if isinstance(sent, list) else []
    if not items:
        raise required("Items", "WorkOrder")
    return [
        (item, _named(context, item, "Asset", "Location"), _named(context, item, "Task", "Task"))
        for item in items
    ]


def _named(context: RequestContext, item: Record, name: str, entity: str) -> Record:
    key = reference_id(get_ignore_case(item, name))
    if key is None:
        raise required(f"Items.{name}.Id", "WorkOrder")
    return _live(context, entity, name, key)


def _describe(context: RequestContext, order: Record, parts: _Parts) -> None:
    """Where and what: asset, texts, number, currency and money."""
    _, asset, task = parts.items[0]
    zone = parts.zone
    place = ", ".join(row["Name"] for row in reversed(lineage(context, asset)))
    order["MainAsset"] = {"Id": asset["Id"]}
    order["ShortLocation"] = asset["Name"]
    # facts 5: three parts; the second is the short location too, the third the task's name
    order["TaskRefinement"] = f"{place}:{asset['Name']}:{task['DisplayAs']}"
    serial = context.next_number(f"Number of WorkZone {zone['Id']}")
    digits = min(zone["WoNumberDigits"], _MAX_DIGITS)
    order["Number"] = zone["WoNumberPrefix"] + str(serial).zfill(digits)  # facts 7
    order["TimeZone"] = zone["TimeZone"]
    order["CurrencyTypeId"] = zone["CurrencyTypeId"]
    if order["VendorNte"]["CurrencyTypeId"] == "Unknown":
        order["VendorNte"] = {
            "CurrencyTypeId": zone["CurrencyTypeId"],
            "Value": order["VendorNte"]["Value"] or _NOTHING,
        }
    order["StatusId"] = "New"
    order["InductionAndSafetyStatusID"] = "NotRequired"  # spec 2.3
    if order["Access"] == "Unknown":
        order["Access"] = zone["DefaultAccess"]
    if "Specialty" not in order and "Specialty" in task:
        order["Specialty"] = task["Specialty"]
    order["Duration"] = order["Duration"] or task["CompletionTime"]


def _file(context: RequestContext, order: Record, parts: _Parts, arguments: Arguments) -> None:
    """Keep the order and the rows that come with it."""
    for name in ("WorkOrderCost", "LastAction"):
        order[name] = {"Id": order["Id"]}  # facts 5: their Ids equal the order's
    employee = preferred_assignee(context, order, arguments)
    if employee is not None:
        assign_primary(context, order, employee)
    entry = log_action(context, order, "Create", arguments)
    stamp(context, order)
    context.insert_with_id(schemas()["WorkOrder"], order)
    context.insert_with_id(schemas()["WorkOrderCost"], _cost(order))
    context.insert_with_id(schemas()["WoLastAction"], _last_action(order, entry, arguments))
    for index, (item, _, _) in enumerate(parts.items):
        place = {"WorkOrderId": order["Id"], "SortOrderIdx": index}
        create(context, schemas()["WoItem"], item, place)


def _cost(order: Record) -> Record:
    shape = schemas()["WorkOrderCost"]
    money = {"CurrencyTypeId": order["CurrencyTypeId"], "Value": _NOTHING}
    amounts = {field.name: money for field in shape.fields if field.type == "money"}
    return {
        **shape.blank,
        **amounts,
        "Id": order["Id"],
        "CurrencyTypeId": order["CurrencyTypeId"],
        "BillToType": "None",  # spec 2.4
        "BillToOption": {"Id": 0},  # facts 5, Shape of a result
        "ChargeCode": {"Id": 0},  # the same; its number is not shown, assumed
        "ApStatusId": 1,  # facts 9: row 1 is the state None
        "CostStatusId": 1,
    }


def _last_action(order: Record, entry: Record, arguments: Arguments) -> Record:
    return {
        **schemas()["WoLastAction"].blank,
        "Id": order["Id"],
        "WorkOrderId": order["Id"],
        "LastAction": {"Id": entry["Id"]},
        "BillStatus": "NotBilled",  # spec 3
        "XNumber": arguments.get("ExternalNumber", ""),  # facts 5, Retry safety
    }
