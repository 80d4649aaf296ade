"""The catalogue as the local service needs it: look-ups by any letter case, worked out once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs

from wosdk_async import catalogue
from wosdk_async.catalogue import Entity, Field
from wosdk_async.sandbox.errors import unknown_entity
from wosdk_async.sandbox.service.dialect import SPEC, Dialect

__all__ = [
    "FLAGS",
    "REQUEST_ONLY",
    "SCALARS",
    "EntitySchema",
    "Enumeration",
    "enumeration",
    "shape_of",
    "shapes",
]

SCALARS = frozenset(
    {"string", "integer", "number", "boolean", "datetime-local", "datetime-utc", "money", "enum"}
)
# Marks on the elements of a request; returned entities show them as false (spec 2.1).
FLAGS = frozenset({"PerformDeletion", "IsNew"})
REQUEST_ONLY = frozenset({"Contactid"})  # spec 4.3: what it names comes back as RequestorContact
# What a property starts with in spite of its type: facts 3.4 saw one enum missing, spec 2.8 one text.
_OWN_STARTS = {"SelfHelpType": None, "CriticalFacilities": "Inherit"}
_LAST = ("IsRemoved", "ConcurrencyId", "Id")  # they close an entity (facts 3.3)
_ID_OPENS = frozenset({"WorkOrderCost", "AssetTree"})  # but for these two (facts 3.3)


@attrs.frozen
class Enumeration:
    """An enum's names by lower-case name and by number."""

    by_name: Mapping[str, str]
    by_number: Mapping[int, str]
    numbers: Mapping[str, int]

    def name_of(self, value: object) -> str | None:
        """The server's spelling of a name or number, or None when there is no such value (facts 3.3)."""
        if isinstance(value, bool):
            return None
        if isinstance(value, int):
            return self.by_number.get(value)
        if not isinstance(value, str):
            return None
        text = value.strip()
        if text.isascii() and text.isdigit() and len(text) < 10:
            return self.by_number.get(int(text))
        return self.by_name.get(text.lower())


@attrs.frozen(eq=False)
class EntitySchema:
    """One entity type in one dialect: its fields by lower-case name and what a new row starts with."""

    name: str
    dialect: Dialect
    fields: tuple[Field, ...]
    by_name: Mapping[str, Field]
    operations: Mapping[str, bool | None]
    composite_key: tuple[str, ...]
    blank: Mapping[str, Any]
    locked: bool
    removable: bool

    def field(self, name: str) -> Field | None:
        return self.by_name.get(name.lower())

    def target(self, field: Field) -> EntitySchema | None:
        """The entity type behind a reference or list of this one; None for what has no rows."""
        return shapes(self.dialect).get(field.of or "")

    def behind(self, field: Field) -> EntitySchema:
        """The same for a field that is known to have rows behind it."""
        return shapes(self.dialect)[field.of or ""]


@cache
def enumeration(name: str) -> Enumeration:
    values = catalogue.load().enums[name].values
    # facts 9: inputs accept the position in the list, unless a number is documented
    numbers = {
        value.name: index if value.value is None else value.value for index, value in enumerate(values)
    }
    return Enumeration(
        by_name={name.lower(): name for name in numbers},
        by_number={number: name for name, number in reversed(numbers.items())},
        numbers=numbers,
    )


@cache
def shapes(dialect: Dialect = SPEC) -> dict[str, EntitySchema]:
    """Every entity type that has rows, by its name on the wire."""
    entities = catalogue.load().entities.values()
    return {entity.name: _shape(entity, dialect) for entity in entities if entity.kind == "entity"}


def shape_of(name: str, dialect: Dialect = SPEC) -> EntitySchema:
    """The shape of an entity type named in any letter case or by its alias (spec 2.2).

    Raises:
        Refusal: ``ENTITY_NOT_FOUND``.
    """
    entity = catalogue.load().entity(name)
    shape = shapes(dialect).get(entity.name) if entity else None
    if shape is None or not (dialect.spec_entities or shape.name.lower() == name.lower()):
        raise unknown_entity(name)
    return shape


def _shape(entity: Entity, dialect: Dialect) -> EntitySchema:
    last = _LAST[:-1] if entity.name in _ID_OPENS else _LAST
    opening = [field for field in entity.fields if field.name == "Id" and "Id" not in last]
    closing = [field for name in last for field in entity.fields if field.name == name]
    between = [field for field in entity.fields if field not in (*opening, *closing)]
    fields = tuple(field for field in (*opening, *between, *closing) if _exists(field, dialect))
    names = {field.name.lower(): field for field in fields}
    aliases = {alias.lower(): field for field in fields for alias in field.aliases}
    return EntitySchema(
        name=entity.name,
        dialect=dialect,
        fields=fields,
        by_name=aliases | names,
        operations=entity.operations,
        composite_key=entity.composite_key,
        blank={f.name: _start(f) for f in entity.fields if _start(f) is not None},
        locked="concurrencyid" in names,
        removable="isremoved" in names,
    )


def _exists(field: Field, dialect: Dialect) -> bool:
    """What only the specification names may be missing from a running release (facts 12)."""
    return dialect.spec_fields or field.sources != "spec" or field.name in FLAGS


def _start(field: Field) -> Any:
    """What an unset property reads as: only references, dates and one enum go missing (facts 3.4)."""
    if field.name in FLAGS | REQUEST_ONLY | _OWN_STARTS.keys():
        return _OWN_STARTS.get(field.name)
    if field.type == "enum":
        return enumeration(field.of or "").by_number.get(0)
    starts = {
        "string": "",
        "integer": 0,
        "number": 0,
        "boolean": False,
        "money": {"CurrencyTypeId": "Unknown", "Value": 0},
    }
    return starts.get(field.type)
