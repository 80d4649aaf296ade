"""The tool call that shows the effect of a plan in doubt, where the catalogue says what the plan is about."""

from __future__ import annotations

from typing import Any

from wosdk_async.catalogue import Command, load
from wosdk_async.mcp.filters import entity_named
from wosdk_async.mcp.plan_journal import Plan
from wosdk_async.mcp.planned_names import order_id
from wosdk_async.query.plan import KEYS

__all__ = ["look_with"]

_NEWEST = 5
# Their WorkOrderId is not the order that they make, by the meanings in the catalogue.
_MAKE_ANOTHER_ORDER = ("WoCopyCommand", "GeneratePmWoCommand")


def look_with(plan: Plan) -> dict[str, Any] | None:
    """Return a tool call that shows the effect of a plan, if there was one; None if none is known to."""
    if plan.marker is not None:
        return _by_marker(plan)
    if plan.action == "update":
        return _record(plan.name, plan.record)
    if plan.action == "create":
        return _newest(plan.name)
    return _of_command(plan)


def _of_command(plan: Plan) -> dict[str, Any] | None:
    if plan.name in _MAKE_ANOTHER_ORDER:
        return _newest("WorkOrder")
    command = load().commands[plan.name]
    result = _of_result(command)
    if result and any(each.kind == "ref" and each.of == result for each in command.request):
        return _newest(result)  # it carries a record and gives it back: it creates one
    order = order_id(plan.fields)
    if order is not None:
        return {"tool": "get_work_order", "arguments": {"order": f"id:{order}"}}
    named = plan.fields.get("EntitySpecifier")
    if isinstance(named, dict):
        return _record(named.get("EntityType"), named.get("Id"))
    subjects = {name.removesuffix("Id"): id for name, id in plan.fields.items() if name.endswith("Id")}
    found = [each for each in subjects if each in load().entities]
    if len(found) == 1 and result in ("", found[0]):
        return _record(found[0], subjects[found[0]])
    return None


def _of_result(command: Command) -> str:
    """Return the entity that a command gives back; empty if it gives none."""
    return next((each.of or "" for each in command.response if each.kind == "ref"), "")


def _can(entity: Any, operation: str) -> bool:
    row = load().entity(entity) if isinstance(entity, str) else None
    return row is not None and row.operations.get(operation) is True


def _record(entity: Any, id: Any) -> dict[str, Any] | None:
    if isinstance(id, str) and id.isdecimal() and len(id) <= 18:
        id = int(id)
    if type(id) is not int or not _can(entity, "retrieve"):
        return None
    return {"tool": "get_record", "arguments": {"entity": entity, "record": id}}


def _newest(entity: str) -> dict[str, Any] | None:
    if not _can(entity, "query") or entity in KEYS:
        return None
    return {
        "tool": "query_records",
        "arguments": {"entity": entity, "order_by": ["-Id"], "limit": _NEWEST},
    }


def _by_marker(plan: Plan) -> dict[str, Any]:
    entity = plan.name if plan.action == "create" else "WorkOrder"
    field = entity_named(entity).__wire__[str(plan.marker).rpartition(".")[2]]["name"]
    arguments = {"entity": entity, "filters": [{"property": field, "value": plan.id}]}
    return {"tool": "query_records", "arguments": arguments}
