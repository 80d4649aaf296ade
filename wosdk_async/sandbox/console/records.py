"""Records of any entity type in the console, with UTC times and labels of references."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from functools import cache
from typing import Any

import attrs
import msgspec

from wosdk_async import catalogue
from wosdk_async.catalogue import Field
from wosdk_async.sandbox.schema.bodies import Record, dump
from wosdk_async.sandbox.schema.entities import (
    REQUEST_MARKS,
    SCALARS,
    EntitySchema,
    find_schema,
    schemas,
)
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS
from wosdk_async.sandbox.schema.values import zone_of
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.expression import run_query
from wosdk_async.sandbox.service.query.selection import selection
from wosdk_async.sandbox.service.references import Pointer, pointers, pointers_to, referrer_counts
from wosdk_async.sandbox.storage.database import REPEATED_IDS
from wosdk_async.sandbox.storage.store import Store

_LABELS = ("DisplayAs", "Name", "Number", "Title", "LastName")
_MAX_COLUMNS = 6
_NOT_LISTED = REQUEST_MARKS | {"Id", "ConcurrencyId", "IsRemoved"}  # not useful in a list


def _label_field(schema: EntitySchema) -> str | None:
    fields = (schema.field(name) for name in _LABELS)
    return next((field.name for field in fields if field is not None and field.type == "string"), None)


def label_of(schema: EntitySchema, record: Record) -> str:
    """Return the display name of a record; empty if it has none."""
    name = _label_field(schema)
    return str(record.get(name) or "") if name else ""


def _label_paths(schema: EntitySchema) -> Iterator[str]:
    for field in schema.fields:
        target = schema.target(field)
        if field.type == "ref" and target is not None:
            yield f"{field.name}.{_label_field(target) or 'Id'}"


def _opened_paths(schema: EntitySchema) -> list[str]:
    """Return the property paths for a full record: reference names, owned objects and lists."""
    whole = ["*", *_label_paths(schema)]
    inner = (field for field in schema.fields if field.is_list or field.of in OWNED_OBJECTS)
    return [*whole, *(f"{field.name}.*" for field in inner if schema.target(field) is not None)]


@cache
def _columns(schema: EntitySchema) -> tuple[Field, ...]:
    def rank(field: Field) -> int:
        if field.name in _LABELS:
            return 0
        return {"enum": 1, "ref": 2, "string": 3, "datetime-utc": 4, "datetime-local": 4}.get(field.type, 5)

    offered = [field for field in schema.fields if field.name not in _NOT_LISTED]
    known = [
        field
        for field in offered
        if field.type in SCALARS or (field.type == "ref" and schema.target(field) is not None)
    ]
    return tuple(sorted(known, key=rank)[:_MAX_COLUMNS])


def shown_record(context: RequestContext, schema: EntitySchema, data: Record) -> Record:
    """Return a record with each time as ``{"Time": UTC}``, including inside references and lists.

    Not shown; assumed: local times are in the time zone of the record, else of its work order, else of the
    Company.
    """
    order = (
        context.find("WorkOrder", data["WorkOrderId"]) if isinstance(data.get("WorkOrderId"), int) else None
    )
    number = data.get("TimeZone") or (order or {}).get("TimeZone")
    zone = zone_of(number) if isinstance(number, int) and number else context.zone
    return {name: _shown(context, schema.field(name), value, zone) for name, value in data.items()}


def _shown(context: RequestContext, field: Field | None, value: Any, zone: tzinfo) -> Any:
    if field is None:
        return value
    if field.type in ("datetime-local", "datetime-utc"):
        return _time(value, zone if field.type == "datetime-local" else UTC)
    target = schemas().get(field.of or "")
    if target is None:
        return value
    if isinstance(value, list):
        return [shown_record(context, target, each) if isinstance(each, dict) else each for each in value]
    return shown_record(context, target, value) if isinstance(value, dict) else value


def _time(text: Any, zone: tzinfo) -> Any:
    try:
        moment = datetime.fromisoformat(str(text)[:19]).replace(tzinfo=zone).astimezone(UTC)
    except (ValueError, OverflowError):
        return text
    return {"Time": moment.replace(tzinfo=None).isoformat() + "Z"}


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

    ``form`` may filter by ``field``, ``operator`` and ``value``, and order by ``sort`` and ``direction``. A
    form with ``by`` and ``to`` matches only records whose property ``by`` refers to ``to``, such as
    ``Customer:12``.
    """
    schema = find_schema(entity)
    chosen = _columns(schema)
    paths = [field.name for field in chosen if field.type in SCALARS]
    names = [path for path in _label_paths(schema) if path.partition(".")[0] in {f.name for f in chosen}]
    zone = ["TimeZone"] if schema.field("TimeZone") else []
    id_path = ["Id"] if schema.field("Id") else []
    sort = form.get("sort") or "".join(id_path)
    direction = "Ascending" if form.get("direction") == "ascending" else "Descending"
    order_by = [{"PropertyName": sort, "OrderType": direction}] if sort else []
    properties = [*paths, *names, *zone, *id_path]
    rows, about = page_of(context, schema, properties, _filters(schema, form), order_by, page)
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


def page_of(
    context: RequestContext,
    schema: EntitySchema,
    properties: list[str],
    filters: list[Record],
    order_by: list[Record],
    page: int,
) -> tuple[list[Record], Record]:
    """Return a page's records, and a dict with the page's number and whether more records follow."""
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
    data = selection(schema.name, tuple(_opened_paths(schema))).show(context, stored)
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
        "Raw": raw_text(data),
    }


def raw_text(data: Any) -> str:
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
    field = schema.field(name)
    target = schema.target(field) if field is not None else None
    return target.name if target is not None else ""
