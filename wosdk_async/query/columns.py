"""The columns of a table, from the catalogue alone: they are known before any row is read."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record, entity_class, registry
from wosdk_async.model.metadata import Wire, is_nested
from wosdk_async.protocol.arguments import described, entity_name
from wosdk_async.protocol.elements import OWNED
from wosdk_async.query.paths import find, root
from wosdk_async.query.plan import KEYS

__all__ = ["EXTRA", "Column", "columns_of", "fields_of"]

EXTRA = "Extra"
"""Name of the last column, for all values without another column."""

_CUT = {"Actor": ("Id", "TypeId")}
"""Properties of a reference that is not opened, where it has more than its ``Id`` (facts 3.4)."""


@attrs.frozen
class Column:
    """One column of a table: a single value of a record, or a part of it as JSON text."""

    entity: type[Record] = attrs.field(repr=False)
    """Class of the records."""
    steps: tuple[str, ...]
    """Wire names from the record to the value; the column Extra has none."""
    type: str
    """Type in the catalogue; ``list``, ``object`` and ``extra`` are columns of JSON text."""
    owner: str = attrs.field(default="", repr=False)
    """Wire name of the class that has the property, ``Customer`` for ``Customer.Name``."""
    of: str | None = attrs.field(default=None, repr=False)
    """Name of the enum."""
    nullable: bool = True
    """Always true: the service omits empty values, and a value may not fit its column."""

    @property
    def name(self) -> str:
        """Path on the wire, ``Customer.Name``."""
        return ".".join(self.steps) or EXTRA

    @property
    def is_json(self) -> bool:
        """Whether the column holds JSON text."""
        return self.type in ("list", "object", "extra")


def columns_of(entity: type[Record] | str, paths: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return the columns for the property paths of a query, ``["*", "Customer.Name"]``.

    They come in the order of ``paths``, each once, after the id of the record. Next are values that the
    service adds: ids of objects that a path goes through, the currency of an amount. Last is :data:`EXTRA`.
    Without ``paths`` they are those of ``*``.

    Raises:
        InvalidCallError: The catalogue does not know the entity, or only as a part of others, or a path
            names a secret.
        UnknownPropertyError: The catalogue does not know a property.
    """
    cls = _class_of(entity)
    asked: dict[tuple[str, ...], Column] = {}
    implied: dict[tuple[str, ...], Column] = {}
    for path in paths or ("*",):
        _check(cls, path)
        for column in _below(_Place(cls, cls), path.split(".")):
            asked.setdefault(column.steps, column)
    for column in tuple(asked.values()):
        implied |= {each.steps: each for each in _implied(column)}
    own = {steps: column for steps, column in implied.items() if steps == ("Id",) and steps not in asked}
    return (*(own | asked | implied).values(), Column(cls, (), "extra"))


def _check(cls: type[Record], path: str) -> None:
    """Raise UnknownPropertyError for a name that the catalogue does not know."""
    if path != "*":
        found = find(root(cls), path.removesuffix(".*"))
        if path.endswith(".*") and found.below is None:
            found.by_wire("*")  # raises for a single value


def fields_of(cls: type[Record]) -> dict[str, Wire]:
    """Return the metadata of the properties of a class, by wire name."""
    return _fields_of(cls)  # type: ignore[arg-type]  # mypy takes the objects for the class


@functools.cache
def _fields_of(cls: Any) -> dict[str, Wire]:
    return {meta["name"]: meta for meta in cls.__wire__.values()}


def _class_of(entity: type[Record] | str) -> type[Record]:
    found = entity_class(entity) if isinstance(entity, str) else entity
    if found is None:
        raise InvalidCallError(
            f"the catalogue does not know {described(entity)}, so the columns of a table are not known; "
            f"read the records as dicts: query({described(entity)}).all()"
        )
    entity_name(found)
    if "Id" not in fields_of(found) and found.wire_name not in KEYS:  # a value of the catalogue
        raise InvalidCallError(
            f"{found.wire_name} has no Id: it is a part of other records or of results, and is not queried; "
            "name the path to it in a query of the record"
        )
    return found


@attrs.frozen
class _Place:
    """A place in a record that has properties."""

    entity: type[Record]
    cls: type[Record]
    steps: tuple[str, ...] = ()

    def into(self, meta: Wire) -> _Place:
        return _Place(self.entity, registry.resolve(meta["of"]), (*self.steps, meta["name"]))

    def column(self, meta: Wire) -> Column:
        kind = "list" if meta.get("many") else meta["type"]
        steps = (*self.steps, meta["name"])
        return Column(self.entity, steps, kind, self.cls.wire_name, meta["of"])


def _below(place: _Place, steps: Sequence[str]) -> Iterator[Column]:
    """Yield the columns of a path from ``place``."""
    name, *rest = steps
    if name == "*":
        yield from _whole(place)
        return
    meta = fields_of(place.cls)[name]
    if meta.get("secret"):
        raise InvalidCallError(f"{place.cls.wire_name}.{name} is a secret; a table does not hold it")
    if meta.get("many") or not is_nested(meta):
        yield place.column(meta)  # a list is one column, whatever is selected of its elements
    else:
        inside = place.into(meta)
        for each in [rest] if rest else _cut(inside.cls):
            yield from _below(inside, each)


def _whole(place: _Place) -> Iterator[Column]:
    """Yield the columns of ``*``: single values, money, references cut to their id, and no lists.

    Owned objects and lists come only where a path names them (facts 3.4).
    """
    for meta in fields_of(place.cls).values():
        if not (meta.get("many") or meta.get("secret") or meta["of"] in OWNED):
            yield from _below(place, [meta["name"]])


def _cut(cls: type[Record]) -> list[list[str]]:
    """Return the paths of an object that no path opens."""
    if cls.wire_name == "Money":  # always whole (facts 3.4)
        return [["*"]]
    return [[name] for name in _CUT.get(cls.wire_name, ("Id",)) if name in fields_of(cls)]


def _implied(column: Column) -> Iterator[Column]:
    """Yield the columns that the service adds: ids along the path, and the rest of an amount."""
    place = _Place(column.entity, column.entity)
    for name in (*column.steps[:-1], None):
        fields = fields_of(place.cls)
        if place.cls.wire_name == "Money":
            yield from _whole(place)
        elif "Id" in fields:
            yield place.column(fields["Id"])
        if name is not None:
            place = place.into(fields[name])
