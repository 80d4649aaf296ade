"""The opened form of a result: spec 2.3 shows references with all their scalars, and empty lists."""

from __future__ import annotations

from functools import cache
from typing import Any

from .body import Row
from .desk import Desk
from .ownership import OWNED_OBJECTS
from .selection import Selection, selection
from .shape import REQUEST_ONLY, SCALARS, Shape, shapes

__all__ = ["expanded"]


def expanded(desk: Desk, entity: str, row: Row) -> Row:
    """``row`` with its references opened one level deep; lists are empty as in spec 2.3."""
    shape = shapes()[entity]
    data = _opened(desk, shape, row)
    for name, target in _references(entity):
        cut = row.get(name)
        if cut is not None:
            found = desk.find(target.name, cut["Id"])
            data[name] = _opened(desk, target, found) if found else cut
    return data


def _opened(desk: Desk, shape: Shape, row: Row) -> Row:
    """Scalars, empty lists and the two flags of spec 2.1."""
    return _scalars(shape.name).show(desk, row) | _empty(shape.name)


@cache
def _scalars(entity: str) -> Selection:
    shape = shapes()[entity]
    names = {field.name for field in shape.fields if field.type in SCALARS}
    return selection(entity, tuple(sorted(names - REQUEST_ONLY)))


@cache
def _empty(entity: str) -> dict[str, Any]:
    return {field.name: [] for field in shapes()[entity].fields if field.is_list}


@cache
def _references(entity: str) -> tuple[tuple[str, Shape], ...]:
    return tuple(
        (field.name, shapes()[field.of or ""])
        for field in shapes()[entity].fields
        if field.type == "ref" and field.of not in OWNED_OBJECTS
    )
