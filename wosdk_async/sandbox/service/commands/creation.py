"""WoCreateCommand (spec 4.3, facts 5)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import attrs

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.service.commands.assignment import assign_primary, preferred_assignee
from wosdk_async.sandbox.service.commands.log import log_action, stamp
from wosdk_async.sandbox.service.commands.plans import join_plan
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.commands.schedule import schedule
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import created
from wosdk_async.sandbox.service.entity_schema import shapes
from wosdk_async.sandbox.service.query.expressions import Row, pick
from wosdk_async.sandbox.service.rules import lineage
from wosdk_async.sandbox.service.values import reference_id
from wosdk_async.sandbox.service.write import blank, create, own, recognised

__all__ = ["create_work_order", "make_order"]

_NOTHING = Decimal("0.00")  # two decimals on an order just created (facts 3.3)
_MAX_DIGITS = 32  # not shown; assumed
# Lists a creation may carry. That the others are written by actions only is not shown; assumed.
_LISTS = ("CustomFields", "Notes", "Documents", "EquipmentWorkedOn", "ContactAddress")


@attrs.frozen
class _Parts:
    """The rows a new work order refers to, and its items as (sent, asset, task)."""

    sub_type: Row
    zone: Row
    customer: Row | None
    items: list[tuple[Row, Row, Row]]


@command("WoCreateCommand")
def create_work_order(context: RequestContext, arguments: Arguments) -> Row:
    sent = arguments.get("WorkOrder")
    if not isinstance(sent, dict):
        raise required("WorkOrder")
    order = make_order(context, sent, arguments)
    return {"Wo": created(context, "WorkOrder", order)}


def make_order(context: RequestContext, sent: Row, arguments: Arguments) -> Row:
    """A new work order from the members of ``sent``, kept with all its rows.

    Raises:
        Refusal: something that the order needs or refers to is missing.
    """
    shape = shapes()["WorkOrder"]
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


def _requestor(order: Row, sent: Row) -> None:
    """Take ``Contactid`` as the requestor, as spec 4.3 sends it."""
    key = reference_id({"Id": pick(sent, "Contactid")})
    if key is not None and order.get("RequestorContact") is None:
        order["RequestorContact"] = {"Id": key}


def _parts(context: RequestContext, order: Row, sent: Row) -> _Parts:
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
        _referred(context, order, name, str(shapes()["WorkOrder"].by_name[name.lower()].of))
    return _Parts(sub_type, zone, customer, _items(context, pick(sent, "Items")))


def _referred(context: RequestContext, order: Row, name: str, entity: str) -> Row | None:
    cut = order.get(name)
    if cut is None:
        order.pop(name, None)
        return None
    return _live(context, entity, name, cut["Id"])


def _live(context: RequestContext, entity: str, name: str, key: int) -> Row:
    """A row that a new order may refer to: it is there, and not removed (the latter not shown; assumed)."""
    row = needed(context.find(entity, key), name, key)
    if row.get("IsRemoved") and entity != "WorkZone":  # a removed zone still takes orders (assumed)
        raise broken_rule(f"{name} with id {key} is removed.")
    return row


def _items(context: RequestContext, sent: Any) -> list[tuple[Row, Row, Row]]:
    items = [item for item in sent if isinstance(item, dict)] if isinstance(sent, list) else []
    if not items:
        raise required("Items", "WorkOrder")
    return [
        (item, _named(context, item, "Asset", "Location"), _named(context, item, "Task", "Task"))
        for item in items
    ]


def _named(context: RequestContext, item: Row, name: str, entity: str) -> Row:
    key = reference_id(pick(item, name))
    if key is None:
        raise required(f"Items.{name}.Id", "WorkOrder")
    return _live(context, entity, name, key)


def _describe(context: RequestContext, order: Row, parts: _Parts) -> None:
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


def _file(context: RequestContext, order: Row, parts: _Parts, arguments: Arguments) -> None:
    """Keep the order and the rows that come with it."""
    for name in ("WorkOrderCost", "LastAction"):
        order[name] = {"Id": order["Id"]}  # facts 5: their Ids equal the order's
    employee = preferred_assignee(context, order, arguments)
    if employee is not None:
        assign_primary(context, order, employee)
    entry = log_action(context, order, "Create", arguments)
    stamp(context, order)
    context.place(shapes()["WorkOrder"], order)
    context.place(shapes()["WorkOrderCost"], _cost(order))
    context.place(shapes()["WoLastAction"], _last_action(order, entry, arguments))
    for index, (item, _, _) in enumerate(parts.items):
        place = {"WorkOrderId": order["Id"], "SortOrderIdx": index}
        create(context, shapes()["WoItem"], item, place)


def _cost(order: Row) -> Row:
    shape = shapes()["WorkOrderCost"]
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


def _last_action(order: Row, entry: Row, arguments: Arguments) -> Row:
    return {
        **shapes()["WoLastAction"].blank,
        "Id": order["Id"],
        "WorkOrderId": order["Id"],
        "LastAction": {"Id": entry["Id"]},
        "BillStatus": "NotBilled",  # spec 3
        "XNumber": arguments.get("ExternalNumber", ""),  # facts 5, Retry safety
    }
