"""Work plans: which order is the child of another, and which one waits for another (WpTree).

The members of WpTree mean what their names say; nothing about them is shown (assumed).
"""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import Relation
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value, reference_id
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.write import create

__all__ = ["add_child", "join_plan", "set_dependency"]

# What a prepared child takes over from its parent, as the request of a creation wants it.
_TAKEN_OVER = ("TypeCategory", "SubType", "Customer", "WorkZone", "RequestorContact", "Priority", "Specialty")
_MAX_LEVEL = 32


@command("AddChildWorkOrderRoutine")
def add_child(context: RequestContext, arguments: Arguments) -> Record:
    """Prepare a child for items of one order: what WoCreateCommand then takes; nothing is kept."""
    items = [needed(context.find("WoItem", key), "WoItem", key) for key in _item_keys(arguments)]
    if not items:
        raise required("WoItemIds")
    if len({item["WorkOrderId"] for item in items}) > 1:
        raise broken_rule("The items belong to several work orders.")
    parent = context.get("WorkOrder", items[0]["WorkOrderId"])
    taken = {name: parent[name] for name in _TAKEN_OVER if name in parent}
    shown = [{name: item[name] for name in ("Asset", "Task", "Comment") if name in item} for item in items]
    root, level = _place_of(context, parent["Id"])
    plan = {"Level": level + 1, "ParentWorkOrder": {"Id": parent["Id"]}, "RootWorkOrder": {"Id": root}}
    return {"WorkOrder": taken | {"Items": shown}, "WorkPlanLink": plan}


@command("SetWorkOrderDependencyCommand")
def set_dependency(context: RequestContext, arguments: Arguments) -> Record:
    """Let one order wait for another.

    Raises:
        Refusal: an order is missing, or the main one waits for the dependent one already.
    """
    main, dependent = (_named(context, arguments, f"{role}WorkOrderId") for role in ("Main", "Dependent"))
    if dependent in _chain(context, main):
        raise broken_rule(f"Work order {main} would wait for itself.")
    row = _plan_of(context, dependent)
    if row is None:
        row = create(context, schemas()["WpTree"], {"ChildWoId": dependent})
    if row.get("DependOnWorkOrder") != {"Id": main}:
        row["DependOnWorkOrder"] = {"Id": main}
        context.replace(schemas()["WpTree"], row)
    return {}


def join_plan(context: RequestContext, order: Record, plan: Any) -> None:
    """Make a new order the child that ``WpTree`` of its creation says it is."""
    parent = reference_id(get_ignore_case(plan, "ParentWorkOrder")) if isinstance(plan, dict) else None
    if parent is None:
        return
    needed(context.find("WorkOrder", parent), "ParentWorkOrder", parent)
    root, level = _place_of(context, parent)
    place = {"ParentWorkOrder": {"Id": parent}, "RootWorkOrder": {"Id": root}, "Level": level + 1}
    create(context, schemas()["WpTree"], plan | place, {"ChildWoId": order["Id"]})


def _place_of(context: RequestContext, order: int) -> tuple[int, int]:
    """The root of an order's plan and the order's level in it: itself and 0 without a plan."""
    row = _plan_of(context, order)
    if row is None or "RootWorkOrder" not in row:
        return order, 0
    return row["RootWorkOrder"]["Id"], row["Level"]


def _chain(context: RequestContext, order: int) -> list[int]:
    """An order and those it waits for; a circle or great length ends it."""
    found = [order]
    while len(found) < _MAX_LEVEL:
        row = _plan_of(context, found[-1])
        if row is None or "DependOnWorkOrder" not in row or row["DependOnWorkOrder"]["Id"] in found:
            break
        found.append(row["DependOnWorkOrder"]["Id"])
    return found


def _plan_of(context: RequestContext, order: int) -> Record | None:
    rows = context.children(Relation(schemas()["WpTree"], "ChildWoId"), order)
    return rows[0] if rows else None


def _named(context: RequestContext, arguments: Arguments, name: str) -> int:
    key = arguments.get(name, 0)
    if not key:
        raise required(name)
    return int(needed(context.find("WorkOrder", key), name, key)["Id"])


def _item_keys(arguments: Arguments) -> list[int]:
    sent = arguments.get("WoItemIds", [])
    field = schemas()["WoItem"].by_name["id"]
    known = [read_value(field, value) for value in sent] if isinstance(sent, list) else []
    return [key for key in known if key is not UNREADABLE]
