"""Properties that a read returns: property paths, compiled into steps (facts 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import incorrect_model, unfinished_path, unknown_property
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.dialect import SPEC, Dialect, NumberFormat
from wosdk_async.sandbox.schema.entities import (
    MONEY_PARTS,
    REQUEST_MARKS,
    REQUEST_ONLY,
    SCALARS,
    EntitySchema,
    schemas,
)
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS, relation_of
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.documents import address_of

MAX_STEPS = 16  # not shown; assumed: a limit. Longer paths can only follow cycles of references

# facts 3.5: a recorded release returns these times only in the response to a create
ON_CREATE_ONLY = ("AcknowledgeByUtc", "DtUtcOnSiteBy")

Show = Callable[[RequestContext, Record], Any]


@attrs.frozen
class Selection:
    """Members to return for a record, in order; members whose step returns None are omitted."""

    steps: tuple[tuple[str, Show], ...]

    def show(self, context: RequestContext, record: Record) -> Record:
        """Return the selected members of a record."""
        data = {}
        for name, show in self.steps:
            value = show(context, record)
            if value is not None:
                data[name] = value
        return data


def property_paths(value: object) -> tuple[str, ...]:
    """Return a request's property paths; ``*`` if none are given, or the list is empty (facts 3.1)."""
    if value is None:
        return ("*",)
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        raise incorrect_model("Properties must be a list of property paths.")
    return tuple(path.strip() for path in value if path.strip()) or ("*",)


def show_default(context: RequestContext, entity: str, record: Record) -> Record:
    """Return a record as in a default read."""
    return selection(entity, ("*",), context.dialect).show(context, record)


@lru_cache(maxsize=1024)
def selection(entity: str, paths: tuple[str, ...], dialect: Dialect = SPEC) -> Selection:
    """Return the selection for property paths."""
    return _compile(schemas(dialect)[entity], [path.split(".") for path in paths])


def _compile(schema: EntitySchema, paths: Sequence[list[str]]) -> Selection:
    whole: set[str] = set()
    deeper: dict[str, list[list[str]]] = {}
    for path in paths:
        if path == ["*"]:
            whole.update(field.name for field in schema.fields if _is_default(schema, field))
            continue
        field = _first_field(schema, path)
        if len(path) == 1 or field.type == "money":
            whole.add(field.name)
        else:
            deeper.setdefault(field.name, []).append(path[1:])
    whole.add("Id")  # partial objects include their Id (facts 3.4)
    return Selection(
        tuple(
            (field.name, _step(schema, field, deeper.get(field.name)))
            for field in schema.fields
            if field.name in deeper or field.name in whole
        )
    )


def _is_default(schema: EntitySchema, field: Field) -> bool:
    """Return whether a default read includes the field; it omits lists and owned objects (facts 3.4)."""
    if field.name in REQUEST_ONLY or field.is_list:
        return False
    if field.name in REQUEST_MARKS:
        return schema.dialect.marks_records
    if field.name in ON_CREATE_ONLY:
        return schema.dialect.shows_all_times
    return field.of not in OWNED_OBJECTS


def _first_field(schema: EntitySchema, path: list[str]) -> Field:
    field = schema.field(path[0])
    if field is None or len(path) > MAX_STEPS:
        raise unknown_property(schema.name, path[0])
    if len(path) == 1 and field.type in ("ref", "list"):
        raise unfinished_path(field.name)
    is_money_part = field.type == "money" and len(path) == 2 and path[1].lower() in (*MONEY_PARTS, "*")
    if len(path) > 1 and field.type in SCALARS and not is_money_part:
        raise unknown_property(schema.name, path[0])
    return field


def _step(schema: EntitySchema, field: Field, paths: list[list[str]] | None) -> Show:
    target = schema.target(field)
    if paths is None or target is None:  # without a path into another record, return the value
        return _value_step(schema, field)
    inner = _compile(target, paths)
    if not field.is_list:
        return _reference_step(field, inner)
    relation = relation_of(schema.name, field)
    name = field.name
    if relation is None:
        return lambda context, record: [inner.show(context, each) for each in record.get(name, ())]
    return lambda context, record: [
        inner.show(context, child) for child in context.children(relation, record["Id"])
    ]


# The dialect's value formats, by type and by field.
_BY_TYPE: dict[str, Callable[[NumberFormat, Any], Any]] = {
    "datetime-utc": NumberFormat.utc,
    "datetime-local": NumberFormat.local,
    "money": NumberFormat.money,
}
_BY_FIELD: dict[tuple[str, str], Callable[[NumberFormat, Any], Any]] = {
    ("LaborCode", "Rate"): NumberFormat.rate
}


def _value_step(schema: EntitySchema, field: Field) -> Show:
    name, entity = field.name, schema.name
    convert = _BY_FIELD.get((entity, name)) or _BY_TYPE.get(field.type)
    if convert is not None:

        def show(context: RequestContext, record: Record) -> Any:
            value = record.get(name)
            return None if value is None else convert(context.number_format(entity, record, value), value)

        return show
    if name == "Password":
        return lambda _context, _record: ""  # facts 3.4
    if name in REQUEST_MARKS:
        return lambda _context, _record: False
    if name == "DocUrl":
        return address_of
    return lambda _context, record: record.get(name)


def _reference_step(field: Field, inner: Selection) -> Show:
    name, target = field.name, field.of or ""

    def show(context: RequestContext, record: Record) -> Record | None:
        reference = record.get(name)
        if reference is None:
            return None
        is_actor = target == "Actor"
        found = context.find_actor(reference) if is_actor else context.find(target, reference["Id"])
        return inner.show(context, found) if found else reference

    return show
