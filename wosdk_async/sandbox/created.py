"""How a creation answers: opened, with empty lists, as in spec 2.3, or as a default read."""

from __future__ import annotations

from functools import cache
from typing import Any

from .body import Row
from .desk import Desk
from .ownership import OWNED_OBJECTS
from .selection import Selection, selection, shown
from .shape import REQUEST_ONLY, SCALARS, Shape, shapes

__all__ = ["created"]


def created(desk: Desk, entity: str, row: Row) -> Row:
    """A row that was just made, in the form of the dialect."""
    return _expanded(desk, entity, row) if desk.dialect.opens_created else shown(desk, entity, row)


def _expanded(desk: Desk, entity: str, row: Row) -> Row:
    """``row`` with its references opened one level deep; lists are empty as in spec 2.3."""
    data = _opened(desk, shapes(desk.dialect)[entity], row)
    for name, target in _references(shapes(desk.dialect)[entity]):
        cut = row.get(name)
        if cut is not None:
            found = desk.find(target.name, cut["Id"])
            data[name] = _opened(desk, target, found) if found else cut
    return data


def _opened(desk: Desk, shape: Shape, row: Row) -> Row:
    """Scalars, empty lists and the two flags of spec 2.1."""
    return _scalars(shape).show(desk, row) | _empty(shape)


@cache
def _scalars(shape: Shape) -> Selection:
    names = {field.name for field in shape.fields if field.type in SCALARS}
    return selection(shape.name, tuple(sorted(names - REQUEST_ONLY)), shape.dialect)


@cache
def _empty(shape: Shape) -> dict[str, Any]:
    return {field.name: [] for field in shape.fields if field.is_list}


@cache
def _references(shape: Shape) -> tuple[tuple[str, Shape], ...]:
    return tuple(
        (field.name, target)
        for field in shape.fields
        if field.type == "ref" and field.of not in OWNED_OBJECTS and (target := shape.target(field))
    )
