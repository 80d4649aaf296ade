"""Records in the console: lists and details of any entity type, and of work orders with their actions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import msgspec

from wosdk_async import catalogue
from wosdk_async.sandbox.console.presentation import (
    Pointer,
    columns,
    label_of,
    label_paths,
    opened_paths,
    pointers,
    pointers_to,
    referrer_counts,
    shown_record,
)
from wosdk_async.sandbox.schema.bodies import Record, dump
from wosdk_async.sandbox.schema.entities import SCALARS, EntitySchema, enumeration, find_schema, schemas
from wosdk_async.sandbox.service.commands.workflow import ACTIONS
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.crud import retrieve
from wosdk_async.sandbox.service.query.expression import run_query
from wosdk_async.sandbox.service.query.selection import selection
from wosdk_async.sandbox.storage.database import REPEATED_IDS
from wosdk_async.sandbox.storage.store import Store

PAGE_SIZE = 25  # records per page

# Form operator -> query operator, and whether the text may occur anywhere in the value
_OPERATORS = {
    "contains": ("Like", True),
    "is": ("Equal", False),
    "is not": ("NotEqual", False),
    "at least": ("GreaterOrEqual", False),
    "at most": ("LessOrEqual", False),
}
# No local times: the console shows them in UTC, so filtering by the shown text would not find them.
_FILTERED = SCALARS - {"money", "datetime-local"}


def record_types(context: RequestContext) -> Record:
    """Return all entity types of the catalogue with a Company's record counts."""
    entities = catalogue.load().entities
    rows = [
        {
            "Name": name,
            "Count": count_records(context.store, context.company.id, name),
            "Family": entities[name].family,
            "Meaning": entities[name].meaning or "",
        }
        for name in sorted(schemas())
    ]
    return {"Types": rows}


def count_records(store: Store, company: int, entity: str) -> int:
    """Return a Company's record count for an entity type."""
    return store.count(f'"{entity}" WHERE company = ?', [company])


def list_records(context: RequestContext, entity: str, form: Mapping[str, str], page: int) -> Record:
    """Return page ``page`` (from 0) of the records that match a form. Raises ValueError for a bad form.

    ``form`` may filter by ``field``, ``operator`` and ``value``, and order by ``sort`` and ``direction``. If
    it has ``by`` and ``to``, the property ``by`` must refer to the record ``to``, such as ``Customer:12``.
    """
    schema = find_schema(entity)
    chosen = columns(schema)
    paths = [field.name for field in chosen if field.type in SCALARS]
    names = [path for path in label_paths(schema) if path.partition(".")[0] in {f.name for f in chosen}]
    zone = ["TimeZone"] if schema.field("TimeZone") else []
    id_path = ["Id"] if schema.field("Id") else []
    sort = form.get("sort") or "".join(id_path)
    direction = "Ascending" if form.get("direction") == "ascending" else "Descending"
    order_by = [{"PropertyName": sort, "OrderType": direction}] if sort else []
    properties = [*paths, *names, *zone, *id_path]
    rows, about = _page(context, schema, properties, _filters(schema, form), order_by, page)
    return {
        "Type": schema.name,
        "Meaning": catalogue.load().entities[schema.name].meaning or "",
        "Columns": [{"Name": field.name, "Type": _target(schema, field.name)} for field in chosen],
        "Texts": any(field.type == "string" for field in schema.fields),
        "Fields": [field.name for field in schema.fields if field.type in _FILTERED],
        "Sorts": [field.name for field in schema.fields if field.type in SCALARS - {"money"}],
        "Operators": list(_OPERATORS),
        "Rows": rows,
        "Opened": bool(id_path) and schema.name not in REPEATED_IDS,
        **about,
    }


def _page(
    context: RequestContext,
    schema: EntitySchema,
    properties: list[str],
    filters: list[Record],
    order_by: list[Record],
    page: int,
) -> tuple[list[Record], Record]:
    """Return the records of a page, and which page it is and whether more follow."""
    found = run_query(
        context,
        attrs.evolve(schema, operations={}),  # the console may list entity types that clients cannot query
        {
            "PropertySet": {"Properties": properties},
            "Criteria": {"Filters": filters},
            "Orders": order_by,
            "FirstResultIndex": page * PAGE_SIZE,
            "Count": PAGE_SIZE + 1,
        },
    )
    rows = [shown_record(context, schema, each) for each in found[:PAGE_SIZE]]
    return rows, {"More": len(found) > PAGE_SIZE, "Page": page}


def _filters(schema: EntitySchema, form: Mapping[str, str]) -> list[Record]:
    filters: list[Record] = []
    if form.get("by"):
        pointer, key = _pointer(schema, form["by"], form.get("to", ""))
        filters.append({"Conditions": pointer.conditions(key)})
    value, name = form.get("value", "").strip(), form.get("operator") or "contains"
    if name not in _OPERATORS:
        raise ValueError(f"operator is {name[:40]!r}; it must be one of {', '.join(_OPERATORS)}.")
    if not value:
        return filters
    operator, anywhere = _OPERATORS[name]
    texts = [field.name for field in schema.fields if field.type == "string"]
    fields = [form["field"]] if form.get("field") else texts or ["Id"]
    if anywhere and not all((found := schema.field(each)) and found.type == "string" for each in fields):
        operator, anywhere = "Equal", False  # only strings have substrings
    sent = f"%{value}%" if anywhere else value
    conditions = [
        {"PropertyName": each, "Operator": operator, "Values": [_read(schema, each, sent)]} for each in fields
    ]
    return [*filters, {"Conditions": conditions, "FilterOperator": "Or"}]


def _read(schema: EntitySchema, name: str, value: str) -> str | bool:
    """Convert a form value for a query; times may have the console's format."""
    field = schema.field(name)
    kind = field.type if field is not None else ""
    if kind == "boolean":
        return {"true": True, "false": False}.get(value.lower(), value)
    return value.replace(" ", "T") if kind == "datetime-utc" else value


def _pointer(schema: EntitySchema, path: str, target: str) -> tuple[Pointer, int]:
    entity, _, key = target.partition(":")
    for pointer in pointers_to(entity):
        if (pointer.source, pointer.path) == (schema.name, path) and key.isdecimal() and len(key) < 19:
            return pointer, int(key)
    raise ValueError(f"{schema.name}.{path[:40]} does not refer to {target[:40]!r}.")


def one_record(context: RequestContext, entity: str, key: int) -> Record:
    """Return a record, its references, and the number of referring records."""
    schema = find_schema(entity)
    stored = context.get(schema.name, key)
    data = selection(schema.name, tuple(opened_paths(schema))).show(context, stored)
    lists = {field.name for field in schema.fields if field.is_list}
    shown = shown_record(context, schema, data)
    return {
        "Type": schema.name,
        "Meaning": catalogue.load().entities[schema.name].meaning or "",
        "Label": label_of(schema, data) or f"Id {key}",
        "Fields": {name: value for name, value in shown.items() if name not in lists},
        "Lists": {name: value for name, value in shown.items() if name in lists and value},
        "Types": {name: _target(schema, name) for name in shown},
        "RefersTo": _refers_to(context, schema.name, stored),
        "ReferredBy": referrer_counts(context, schema.name, key),
        "Raw": _raw_text(data),
    }


def _raw_text(data: Any) -> str:
    """Return data as indented JSON, with numbers in the service's format."""
    return msgspec.json.format(dump(data), indent=2).decode()


def _refers_to(context: RequestContext, entity: str, stored: Record) -> list[Record]:
    found = []
    for pointer in pointers():
        key = pointer.key_in(stored) if pointer.source == entity else None
        target = context.find(pointer.target, key) if key is not None else None
        if target is not None:
            name = label_of(schemas()[pointer.target], target)
            found.append({"Path": pointer.path, "Type": pointer.target, "Id": key, "Label": name})
    return found


def _target(schema: EntitySchema, name: str) -> str:
    """Return the entity type that a property refers to; empty for plain values."""
    field = schema.field(name)
    target = schema.target(field) if field is not None else None
    return target.name if target is not None else ""


# --- work orders -----------------------------------------------------------------------------------

# Properties to search, to list (the columns of static/orders.js), and to show for one work order.
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
    """Return a page of work orders, newest first, that match the form's ``state`` and ``text``, if any."""
    schema = find_schema("WorkOrder")
    filters: list[Record] = []
    if state := form.get("state"):
        filters.append({"Conditions": [_condition("StatusId", "Equal", state)]})
    if text := form.get("text"):
        likes = [_condition(name, "Like", f"%{text}%") for name in _SEARCHED]
        filters.append({"Conditions": likes, "FilterOperator": "Or"})
    newest_first: list[Record] = [{"PropertyName": "Id", "OrderType": "Descending"}]
    found, about = _page(context, schema, _LISTED, filters, newest_first, page)
    return {
        "Orders": found,
        **about,
        "States": sorted(enumeration("WorkOrderStatus").by_name.values()),
    }


def one_order(context: RequestContext, key: int) -> Record:
    """Return a work order with its lists, history, and the actions that its state allows."""
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
        "Raw": _raw_text(data),
    }


def choices(context: RequestContext) -> Record:
    """Return up to 200 records to choose from for each member of a new work order."""
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
