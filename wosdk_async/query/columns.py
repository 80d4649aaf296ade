"""Table columns, derived from the catalogue before any row is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import attrs

from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record, entity_class, registry
from wosdk_async.model.metadata import OWNED, Wire, is_nested
from wosdk_async.protocol.arguments import described, entity_name
from wosdk_async.query.paths import fields_of, find, root
from wosdk_async.query.plan import KEYS

EXTRA = "Extra"
"""Name of the last column, for all values that have no other column."""

_SENT_PROPERTIES = {"Actor": ("Id", "TypeId")}
"""Properties that the service sends for a reference, if more than ``Id`` (facts 3.4)."""


@attrs.frozen
class Column:
    """Column of a table: a single value of a record, or a part of the record as JSON text."""

    entity: type[Record] = attrs.field(repr=False)
    """Class of the records."""
    steps: tuple[str, ...]
    """Wire names from the record to the value; the Extra column has none."""
    type: str
    """Catalogue type; ``list``, ``object`` and ``extra`` are columns of JSON text."""
    owner: str = attrs.field(default="", repr=False)
    """Wire name of the class that has the property: ``Customer`` for ``Customer.Name``."""
    of: str | None = attrs.field(default=None, repr=False)
    """Name of the enum."""
    nullable: bool = True
    """Always true: the service omits empty values, and a value may not fit its column."""

    @property
    def name(self) -> str:
        """Wire path, ``Customer.Name``."""
        return ".".join(self.steps) or EXTRA

    @property
    def is_json(self) -> bool:
        """Whether the column holds JSON text."""
        return self.type in ("list", "object", "extra")


def columns_of(entity: type[Record] | str, paths: Sequence[str] = ()) -> tuple[Column, ...]:
    """Return the columns for a query's property paths: the id, those of the paths, and :data:`EXTRA`.

    Values that the service adds come before Extra: ids of objects along a path, the currency of an amount.
    Raises InvalidCallError for a secret or an entity without columns, and UnknownPropertyError.
    """
    cls = _class_of(entity)
    asked: dict[tuple[str, ...], Column] = {}
    implied: dict[tuple[str, ...], Column] = {}
    for path in paths or ("*",):
        if path != "*":
            found = find(root(cls), path.removesuffix(".*"))
            if path.endswith(".*") and found.below is None:
                found.by_wire("*")  # raises: a single value has no properties
        for column in _columns_below(_RecordPart(cls, cls), path.split(".")):
            asked.setdefault(column.steps, column)
    for column in tuple(asked.values()):
        implied |= {each.steps: each for each in _implied_columns(column)}
    own = {steps: column for steps, column in implied.items() if steps == ("Id",) and steps not in asked}
    return (*(own | asked | implied).values(), Column(cls, (), "extra"))


def _class_of(entity: type[Record] | str) -> type[Record]:
    found = entity_class(entity) if isinstance(entity, str) else entity
    if found is None:
        raise InvalidCallError(
            f"{described(entity)} is not in the catalogue, so its table columns are unknown; "
            f"read the records as dicts: query({described(entity)}).all()"
        )
    entity_name(found)
    if "Id" not in fields_of(found) and found.wire_name not in KEYS:  # part of other records, not a record
        raise InvalidCallError(
            f"{found.wire_name} has no Id and cannot be queried, because it is part of other records or"
            f" results; query the record, and select its path"
        )
    return found


@attrs.frozen
class _RecordPart:
    """Object in a record whose properties can be columns."""

    entity: type[Record]
    cls: type[Record]
    steps: tuple[str, ...] = ()

    def into(self, meta: Wire) -> _RecordPart:
        return _RecordPart(self.entity, registry.resolve(meta["of"]), (*self.steps, meta["name"]))

    def column(self, meta: Wire) -> Column:
        kind = "list" if meta.get("many") else meta["type"]
        steps = (*self.steps, meta["name"])
        return Column(self.entity, steps, kind, self.cls.wire_name, meta["of"])


def _columns_below(part: _RecordPart, steps: Sequence[str]) -> Iterator[Column]:
    name, *rest = steps
    if name == "*":
        yield from _star_columns(part)
        return
    meta = fields_of(part.cls)[name]
    if meta.get("secret"):
        raise InvalidCallError(f"{part.cls.wire_name}.{name} is a secret; tables exclude secrets")
    if meta.get("many") or not is_nested(meta):
        yield part.column(meta)  # a list is one column, even if only some of its properties are selected
    else:
        inside = part.into(meta)
        for each in [rest] if rest else _default_paths(inside.cls):
            yield from _columns_below(inside, each)


def _star_columns(part: _RecordPart) -> Iterator[Column]:
    """Yield the columns of ``*``: single values, amounts, and ids of references (facts 3.4)."""
    for meta in fields_of(part.cls).values():
        if not (meta.get("many") or meta.get("secret") or meta["of"] in OWNED):
            yield from _columns_below(part, [meta["name"]])


def _default_paths(cls: type[Record]) -> list[list[str]]:
    """Return the paths to read in an object if no requested path names its properties."""
    if cls.wire_name == "Money":  # facts 3.4: the service always sends whole amounts
        return [["*"]]
    return [[name] for name in _SENT_PROPERTIES.get(cls.wire_name, ("Id",)) if name in fields_of(cls)]


def _implied_columns(column: Column) -> Iterator[Column]:
    """Yield the columns that the service adds: ids along the path, and the rest of an amount."""
    part = _RecordPart(column.entity, column.entity)
    for name in (*column.steps[:-1], None):
        fields = fields_of(part.cls)
        if part.cls.wire_name == "Money":
            yield from _star_columns(part)
        elif "Id" in fields:
            yield part.column(fields["Id"])
        if name is not None:
            part = part.into(fields[name])
