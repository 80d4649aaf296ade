"""Work orders in the console: list, details and available actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wosdk_async.sandbox.console.records import label_of, page_of, raw_text, shown_record
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import enumeration, find_schema, schemas
from wosdk_async.sandbox.service.commands.workflow import ACTIONS
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import retrieve
from wosdk_async.sandbox.service.references import referrer_counts

# Properties of work orders to search, and to list (the columns of static/orders.js)
_SEARCHED = ("Number", "PoNumber", "ContactName", "ShortLocation", "TaskRefinement", "Customer.Name")
_LISTED = [
    "Number",
    "StatusId",
    "ShortLocation",
    "TaskRefinement",
    "PoNumber",
    "LastActionDateUtc",
    "Customer.Name",
    "Priority.DisplayAs",
]
# Properties to show for one work order
_OPENED = [
    "*",
    "Customer.Name",
    "Priority.DisplayAs",
    "SubType.DisplayAs",
    "WorkZone.DisplayAs",
    "Employee.DisplayAs",
    "RequestorContact.DisplayAs",
    "Specialty.DisplayAs",
    "RepairCode.DisplayAs",
    "MainAsset.Name",
    "Flag.DisplayAs",
    "Items.*",
    "Items.Asset.Name",
    "Items.Task.DisplayAs",
    "Notes.*",
    "Notes.CreatedBy.*",
    "Documents.*",
    "ActionLogRecords.*",
    "ActionLogRecords.Actor.*",
]
# Actions in display order, with display names.
_ACTION_TITLES = {
    "WoPickUpCommand": "Pick up",
    "WoStartCommand": "Start",
    "WoPauseCommand": "Pause",
    "WoCompleteCommand": "Complete",
    "WoOnHoldCommand": "Hold",
    "WoReopenCommand": "Reopen",
    "WoAssignCommand": "Assign",
    "WoFlagCommand": "Flag",
    "WoCancelCommand": "Cancel",
}
_MAX_CHOICES = 200
_CHOICES = {  # members of a new work order -> the entity type to choose from
    "Customer": "Customer",
    "Asset": "Location",
    "Task": "Task",
    "SubType": "WorkOrderType",
    "Priority": "WoPriority",
}


def orders(context: RequestContext, form: Mapping[str, str], page: int) -> Record:
    """Return a page of work orders, newest first, that match the form's ``state`` and ``text``."""
    schema = find_schema("WorkOrder")
    filters: list[Record] = []
    if state := form.get("state"):
        filters.append({"Conditions": [_condition("StatusId", "Equal", state)]})
    if text := form.get("text"):
        likes = [_condition(name, "Like", f"%{text}%") for name in _SEARCHED]
        filters.append({"Conditions": likes, "FilterOperator": "Or"})
    newest_first: list[Record] = [{"PropertyName": "Id", "OrderType": "Descending"}]
    found, about = page_of(context, schema, _LISTED, filters, newest_first, page)
    return {
        "Orders": found,
        **about,
        "States": sorted(enumeration("WorkOrderStatus").by_name.values()),
    }


def one_order(context: RequestContext, key: int) -> Record:
    """Return a work order with its lists, its history and the actions that its state allows."""
    schema = find_schema("WorkOrder")
    data: Record = retrieve(context, schema, str(key), ",".join(_OPENED))["Data"]
    shown = shown_record(context, schema, data)
    lists: dict[str, Any] = {name: shown.pop(name, []) for name in ("Items", "Notes", "Documents")}
    history = shown.pop("ActionLogRecords", [])
    return {
        "Fields": shown,
        **lists,
        "History": [entry | {"Reason": _reason(context, entry)} for entry in history],
        "Actions": _actions(context, data["StatusId"]),
        "Types": {field.name: target.name for field in schema.fields if (target := schema.target(field))},
        "ReferredBy": referrer_counts(context, "WorkOrder", key),
        "Raw": raw_text(data),
    }


def choices(context: RequestContext) -> Record:
    """Return, for each member of a new work order, up to 200 records to choose from."""
    offered = {member: _choices_of(context, entity) for member, entity in _CHOICES.items()}
    subtypes = {each["Id"]: each for each in _usable_records(context, "WorkOrderType")}
    for choice in offered["SubType"]:
        choice["Type"] = subtypes[choice["Id"]]["TypeId"]
    return {"Choices": offered}


def _actions(context: RequestContext, state: str) -> list[Record]:
    return [
        {
            "Command": command,
            "Title": title,
            "Target": action.target or state,
            "Reasons": _reasons(context, action.logged) if action.takes_reason else None,
            "Assignees": _choices_of(context, "Employee") if command == "WoAssignCommand" else None,
        }
        for command, title in _ACTION_TITLES.items()
        if (action := ACTIONS[command]).sources is None or state in action.sources
    ]


def _reasons(context: RequestContext, action: str) -> list[Record]:
    usable = _usable_records(context, "WoActionReasonLookup", "json_extract(body, '$.ActionId') = ?", action)
    return [{"Id": each["Id"], "Label": each["DisplayAs"]} for each in usable if not each["Hide"]]


def _reason(context: RequestContext, entry: Record) -> str:
    found = context.find("WoActionReasonLookup", entry.get("ActionReasonId") or 0)
    return found["DisplayAs"] if found else ""


def _choices_of(context: RequestContext, entity: str) -> list[Record]:
    schema = schemas()[entity]
    return [
        {"Id": each["Id"], "Label": label_of(schema, each) or f"Id {each['Id']}"}
        for each in _usable_records(context, entity)
    ]


def _usable_records(
    context: RequestContext, entity: str, condition: str = "1", *values: object
) -> list[dict[str, Any]]:
    found = context.select(entity, condition, *values, limit=_MAX_CHOICES)
    return [each for each in found if not each.get("IsRemoved")]


def _condition(name: str, operator: str, value: str) -> Record:
    return {"PropertyName": name, "Operator": operator, "Values": [value]}
