"""Work plans: which order is the child of another, and which one waits for another (WpTree).

The members of WpTree mean what their names say; nothing about them is shown (assumed).
"""

from __future__ import annotations

from typing import Any

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record, get_ignore_case
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.relations import list_of
from wosdk_async.sandbox.schema.values import read_ids, reference_id
from wosdk_async.sandbox.service.commands.arguments import Arguments, named_record, required_record
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.write import create

__all__ = ["join_plan", "prepare_child", "set_dependency"]

# What a prepared child takes from its parent, as the request of a creation wants it.
_INHERITED = ("TypeCategory", "SubType", "Customer", "WorkZone", "RequestorContact", "Priority", "Specialty")
_MAX_LEVELS = 32


def prepare_child(context: RequestContext, arguments: Arguments) -> Record:
    """Return a child for items of one order, as WoCreateCommand takes it; nothing is stored."""
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
    """Let one order wait for another.

    Raises:
        Refusal: an order is missing, or the main one waits for the dependent one already.
    """
    main = int(named_record(context, arguments, "MainWorkOrderId", "WorkOrder")["Id"])
    dependent = int(named_record(context, arguments, "DependentWorkOrderId", "WorkOrder")["Id"])
    if dependent in _waits_for(context, main):
        raise broken_rule(f"Work order {main} would wait for itself.")
    plan = _plan_of(context, dependent)
    if plan is None:
        plan = create(context, schemas()["WpTree"], {"ChildWoId": dependent})
    if plan.get("DependOnWorkOrder") != {"Id": main}:
        plan["DependOnWorkOrder"] = {"Id": main}
        context.replace(schemas()["WpTree"], plan)
    return {}


def join_plan(context: RequestContext, order: Record, sent: Any) -> None:
    """Make a new order the child that the ``WpTree`` of its creation says it is."""
    parent = reference_id(get_ignore_case(sent, "ParentWorkOrder")) if isinstance(sent, dict) else None
    if parent is None:
        return
    required_record(context, "WorkOrder", parent, "ParentWorkOrder")
    root, level = _place_in_plan(context, parent)
    place = {"ParentWorkOrder": {"Id": parent}, "RootWorkOrder": {"Id": root}, "Level": level + 1}
    create(context, schemas()["WpTree"], sent | place, {"ChildWoId": order["Id"]})


def _place_in_plan(context: RequestContext, order: int) -> tuple[int, int]:
    """Return the root of an order's plan and the order's level in it; itself and 0 without a plan."""
    plan = _plan_of(context, order)
    if plan is None or "RootWorkOrder" not in plan:
        return order, 0
    return plan["RootWorkOrder"]["Id"], plan["Level"]


def _waits_for(context: RequestContext, order: int) -> list[int]:
    """Return an order and those that it waits for; a circle or great length ends the list."""
    found = [order]
    while len(found) < _MAX_LEVELS:
        plan = _plan_of(context, found[-1])
        if plan is None or "DependOnWorkOrder" not in plan or plan["DependOnWorkOrder"]["Id"] in found:
            break
        found.append(plan["DependOnWorkOrder"]["Id"])
    return found


def _plan_of(context: RequestContext, order: int) -> Record | None:
    found = context.children(list_of("WpTree", "ChildWoId"), order)
    return found[0] if found else None
