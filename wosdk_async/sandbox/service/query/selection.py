"""Which properties a read shows: property paths, made into a list of steps (facts 3.4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.http.context import Desk
from wosdk_async.sandbox.http.errors import incorrect_model, unfinished_path, unknown_property
from wosdk_async.sandbox.service.dialect import SPEC, Dialect, Form
from wosdk_async.sandbox.service.entity_schema import FLAGS, REQUEST_ONLY, SCALARS, Shape, shapes
from wosdk_async.sandbox.service.query.expressions import Row
from wosdk_async.sandbox.service.relations import OWNED_OBJECTS, link
from wosdk_async.sandbox.storage.files import address_of

__all__ = ["MAX_STEPS", "Selection", "paths_of", "selection", "shown"]

MAX_STEPS = 16  # not shown; assumed. Longer paths would only go round in circles

Show = Callable[[Desk, Row], Any]


@attrs.frozen
class Selection:
    """The members a row is shown with, in order; a member that shows None is left out."""

    steps: tuple[tuple[str, Show], ...]

    def show(self, desk: Desk, row: Row) -> Row:
        data = {}
        for name, show in self.steps:
            value = show(desk, row)
            if value is not None:
                data[name] = value
        return data


def paths_of(value: object) -> tuple[str, ...]:
    """The property paths of a request; none at all means ``*`` (facts 3.1: an empty list is accepted).

    Raises:
        Refusal: ``INCORRECT_MODEL`` when it is no list of texts.
    """
    if value is None:
        return ("*",)
    if not isinstance(value, list) or not all(isinstance(path, str) for path in value):
        raise incorrect_model("Properties must be a list of property paths.")
    return tuple(path.strip() for path in value if path.strip()) or ("*",)


def shown(desk: Desk, entity: str, row: Row) -> Row:
    """A row as a default read shows it."""
    return selection(entity, ("*",), desk.dialect).show(desk, row)


@lru_cache(maxsize=1024)
def selection(entity: str, paths: tuple[str, ...], dialect: Dialect = SPEC) -> Selection:
    """The selection of these paths.

    Raises:
        Refusal: ``ERROR_CODE_1002`` for an unknown property, ``ERROR_CODE_1003`` for a path that
            ends in a reference.
    """
    return _compile(shapes(dialect)[entity], [path.split(".") for path in paths])


def _compile(shape: Shape, paths: Sequence[list[str]]) -> Selection:
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


def _by_default(shape: Shape, field: Field) -> bool:
    """A default read: scalars and cut references, without lists and owned objects (facts 3.4)."""
    if field.name in REQUEST_ONLY or field.is_list:
        return False
    if field.name in FLAGS:
        return shape.dialect.marks_rows
    return field.of not in OWNED_OBJECTS


def _step(shape: Shape, path: list[str]) -> Field:
    field = shape.field(path[0])
    if field is None or len(path) > MAX_STEPS:
        raise unknown_property(shape.name, path[0])
    if len(path) == 1 and field.type in ("ref", "list"):
        raise unfinished_path(field.name)
    if len(path) > 1 and field.type in SCALARS and field.type != "money":
        raise unknown_property(shape.name, path[0])
    return field


def _plain(shape: Shape, field: Field) -> Show:
    name, entity = field.name, shape.name
    write = _FORMED_FIELDS.get((entity, name)) or _FORMED.get(field.type)
    if write is not None:

        def show(desk: Desk, row: Row) -> Any:
            value = row.get(name)
            return None if value is None else write(desk.form(entity, row, value), value)

        return show
    if name == "Password":
        return lambda _desk, _row: ""  # facts 3.4
    if name in FLAGS:
        return lambda _desk, _row: False
    if name == "DocUrl":
        return address_of
    return lambda _desk, row: row.get(name)


# What the dialect writes in its own way.
_FORMED: dict[str, Callable[[Form, Any], Any]] = {
    "datetime-utc": Form.utc,
    "datetime-local": Form.local,
    "money": Form.money,
}
_FORMED_FIELDS: dict[tuple[str, str], Callable[[Form, Any], Any]] = {("LaborCode", "Rate"): Form.rate}


def _opened(shape: Shape, field: Field, paths: list[list[str]] | None) -> Show:
    target = shape.target(field)
    if paths is None or target is None:  # a value without rows of its own: shown whole
        return _plain(shape, field)
    inner = _compile(target, paths)
    if not field.is_list:
        return _reference(field, inner)
    owned = link(shape.name, field)
    name = field.name
    if owned is None:
        return lambda desk, row: [inner.show(desk, element) for element in row.get(name, ())]
    return lambda desk, row: [inner.show(desk, child) for child in desk.children(owned, row["Id"])]


def _reference(field: Field, inner: Selection) -> Show:
    name, target = field.name, field.of or ""

    def show(desk: Desk, row: Row) -> Row | None:
        cut = row.get(name)
        if cut is None:
            return None
        found = desk.find_actor(cut) if target == "Actor" else desk.find(target, cut["Id"])
        return inner.show(desk, found) if found else cut

    return show
