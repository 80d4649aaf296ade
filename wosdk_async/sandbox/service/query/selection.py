"""Which properties a read shows: property paths, made into a list of steps (facts 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import incorrect_model, unfinished_path, unknown_property
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.dialect import SPEC, Dialect, NumberFormat
from wosdk_async.sandbox.schema.entities import REQUEST_MARKS, REQUEST_ONLY, SCALARS, EntitySchema, schemas
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS, relation_of
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.documents import address_of

__all__ = ["MAX_STEPS", "Selection", "default_read", "property_paths", "selection"]

MAX_STEPS = 16  # not shown; assumed. Longer paths would only go round in circles

Show = Callable[[RequestContext, Record], Any]


@attrs.frozen
class Selection:
    """The members a row is shown with, in order; a member that shows None is left out."""

    steps: tuple[tuple[str, Show], ...]

    def show(self, context: RequestContext, row: Record) -> Record:
        data = {}
        for name, show in self.steps:
            value = show(context, row)
            if value is not None:
                data[name] = value
        return data


def property_paths(value: object) -> tuple[str, ...]:
    """The property paths of a request; none at all means ``*`` (facts 3.1: an empty list is accepted).

    Raises:
        Refusal: ``INCORRECT_MODEL`` when it is no list of texts.
    """
    if value is None:
        return ("*",)
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        raise incorrect_model("Properties must be a list of property paths.")
    return tuple(path.strip() for path in value if path.strip()) or ("*",)


def default_read(context: RequestContext, entity: str, row: Record) -> Record:
    """A row as a default read shows it."""
    return selection(entity, ("*",), context.dialect).show(context, row)


@lru_cache(maxsize=1024)
def selection(entity: str, paths: tuple[str, ...], dialect: Dialect = SPEC) -> Selection:
    """The selection of these paths.

    Raises:
        Refusal: ``ERROR_CODE_1002`` for an unknown property, ``ERROR_CODE_1003`` for a path that
            ends in a reference.
    """
    return _compile(schemas(dialect)[entity], [path.split(".") for path in paths])


def _compile(shape: EntitySchema, paths: Sequence[list[str]]) -> Selection:
    whole: set[str] = set()
    deeper: dict[str, list[list[str]]] = {}
    for path in paths:
        if path == ["*"]:
            whole.update(field.name for field in shape.fields if _by_default(shape, field))
            continue
        field = _step(shape, path)
        if len(path) == 1 or field.type == "money":
            whole.add(field.name)
        else:
            deeper.setdefault(field.name, []).append(path[1:])
    whole.add("Id")  # an object shown in part shows its Id (facts 3.4)
    return Selection(
        tuple(
            (field.name, _opened(shape, field, deeper.get(field.name)))
            for field in shape.fields
            if field.name in deeper or field.name in whole
        )
    )


def _by_default(shape: EntitySchema, field: Field) -> bool:
    """A default read: scalars and cut references, without lists and owned objects (facts 3.4)."""
    if field.name in REQUEST_ONLY or field.is_list:
        return False
    if field.name in REQUEST_MARKS:
        return shape.dialect.marks_records
    return field.of not in OWNED_OBJECTS


def _step(shape: EntitySchema, path: list[str]) -> Field:
    field = shape.field(path[0])
    if field is None or len(path) > MAX_STEPS:
        raise unknown_property(shape.name, path[0])
    if len(path) == 1 and field.type in ("ref", "list"):
        raise unfinished_path(field.name)
    if len(path) > 1 and field.type in SCALARS and field.type != "money":
        raise unknown_property(shape.name, path[0])
    return field


def _plain(shape: EntitySchema, field: Field) -> Show:
    name, entity = field.name, shape.name
    write = _FORMED_FIELDS.get((entity, name)) or _FORMED.get(field.type)
    if write is not None:

        def show(context: RequestContext, row: Record) -> Any:
            value = row.get(name)
            return None if value is None else write(context.number_format(entity, row, value), value)

        return show
    if name == "Password":
        return lambda _context, _row: ""  # facts 3.4
    if name in REQUEST_MARKS:
        return lambda _context, _row: False
    if name == "DocUrl":
        return address_of
    return lambda _context, row: row.get(name)


# What the dialect writes in its own way.
_FORMED: dict[str, Callable[[NumberFormat, Any], Any]] = {
    "datetime-utc": NumberFormat.utc,
    "datetime-local": NumberFormat.local,
    "money": NumberFormat.money,
}
_FORMED_FIELDS: dict[tuple[str, str], Callable[[NumberFormat, Any], Any]] = {
    ("LaborCode", "Rate"): NumberFormat.rate
}


def _opened(shape: EntitySchema, field: Field, paths: list[list[str]] | None) -> Show:
    target = shape.target(field)
    if paths is None or target is None:  # a value without rows of its own: shown whole
        return _plain(shape, field)
    inner = _compile(target, paths)
    if not field.is_list:
        return _reference(field, inner)
    owned = relation_of(shape.name, field)
    name = field.name
    if owned is None:
        return lambda context, row: [inner.show(context, element) for element in row.get(name, ())]
    return lambda context, row: [inner.show(context, child) for child in context.children(owned, row["Id"])]


def _reference(field: Field, inner: Selection) -> Show:
    name, target = field.name, field.of or ""

    def show(context: RequestContext, row: Record) -> Record | None:
        cut = row.get(name)
        if cut is None:
            return None
        found = context.find_actor(cut) if target == "Actor" else context.find(target, cut["Id"])
        return inner.show(context, found) if found else cut

    return show
