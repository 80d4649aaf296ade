"""Entity types and enums of the catalogue, with case-insensitive look-ups."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import attrs

from wosdk_async import catalogue
from wosdk_async.catalogue import Entity, Field
from wosdk_async.sandbox.errors import Refusal, broken_rule, unsupported
from wosdk_async.sandbox.schema.dialect import SPEC, Dialect

SCALARS = frozenset(
    {"string", "integer", "number", "boolean", "datetime-local", "datetime-utc", "money", "enum"}
)
MONEY_PARTS = {
    "value": Field(name="Value", type="number"),
    "currencytypeid": Field(name="CurrencyTypeId", type="enum", of="CurrencyType"),
}
"""Members of an amount by lower-case name (spec 2.1)."""
# Flags on elements in a request; returned entities show them as false (spec 2.1).
REQUEST_MARKS = frozenset({"PerformDeletion", "IsNew"})
REQUEST_ONLY = frozenset({"Contactid"})  # spec 4.3: returned as RequestorContact
# Initial values that are not the default of their type: SelfHelpType has no value (facts 3.4),
# CriticalFacilities is Inherit (spec 2.8), CanCreateRequest is true (entities.json: default true), and three
# numbers of a work zone cannot be zero (entities.json). Not shown; assumed: their values.
_INITIAL_VALUES = {
    "SelfHelpType": None,
    "CriticalFacilities": "Inherit",
    "CanCreateRequest": True,
    "AccessOptionsMask": 15,
    "LatestSlot": 5,
    "SlotsCount": 5,
}
_LAST = ("IsRemoved", "ConcurrencyId", "Id")  # an entity's last members (facts 3.3)
_ID_FIRST = frozenset({"WorkOrderCost", "AssetTree"})  # these two begin with the Id (facts 3.3)
# Operations replaced by a command of the entity (facts 3.9; for Space spec 4.4). Not shown; assumed: the
# error code for Space.
_CUSTOM_COMMANDS = {
    ("Create", "WorkZone"): "WorkZone/Create",
    # facts 5: the short form got COMMAND_NOT_FOUND; the schema has the full name
    ("Delete", "WorkZone"): "WorkZoneDeleteCommand",
    ("Delete", "Portfolio"): "Portfolio/Delete",
    ("Create", "Space"): "Space/Create",
}
# Types that can only be changed in a list of their owner: spec 4.9 rule 2, facts 3.9
_THROUGH_PARENT = frozenset({"AssetAttribute", "Address2"})
# spec 3 row 4: needs a completed order. Not shown; assumed: no base operation writes WoVerification
_COMMAND_ONLY = frozenset({"WoVerification"})
# facts 3.4: a PUT to a deleted record got 200. Not shown; assumed: a DELETE marks the record, as if its type
# had IsRemoved
_MARKED = frozenset({"StockLocation"})
_SYNONYMS = {"CustomField": "CustomField2"}  # facts 3.9: the specification's name and the newer name


@attrs.frozen
class Enumeration:
    """Enum names by lower-case name and by number."""

    by_name: Mapping[str, str]
    by_number: Mapping[int, str]
    numbers: Mapping[str, int]

    def name_of(self, value: object) -> str | None:
        """Return a value's canonical name, from its name or number; None if unknown (facts 3.3)."""
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
    """Entity type in one dialect."""

    name: str
    dialect: Dialect
    fields: tuple[Field, ...]
    by_name: Mapping[str, Field]  # by lower-case name, including aliases
    operations: Mapping[str, bool | None]  # whether each base operation is available; None if unknown
    composite_key: tuple[str, ...]
    blank: Mapping[str, Any]  # initial values of a new record
    versioned: bool  # whether records have a ``ConcurrencyId``
    soft_deleted: bool  # whether a delete only sets ``IsRemoved``, which a read may not show

    def field(self, name: str) -> Field | None:
        """Return the field called ``name``, ignoring case; None if there is none."""
        return self.by_name.get(name.lower())

    def target(self, field: Field) -> EntitySchema | None:
        """Return the entity type of a reference or list; None if that type has no records."""
        return schemas(self.dialect).get(field.of or "")

    def required_target(self, field: Field) -> EntitySchema:
        """Return the entity type of a reference or list; the type must have records."""
        return schemas(self.dialect)[field.of or ""]


@cache
def enumeration(name: str) -> Enumeration:
    """Return an enum by name."""
    values = catalogue.load().enums[name].values
    # facts 9: a value without a documented number is also accepted by its position in the list
    numbers = {
        value.name: index if value.value is None else value.value for index, value in enumerate(values)
    }
    return Enumeration(
        by_name={name.lower(): name for name in numbers},
        by_number={number: name for name, number in reversed(numbers.items())},
        numbers=numbers,
    )


@cache
def schemas(dialect: Dialect = SPEC) -> dict[str, EntitySchema]:
    """Return all entity types that have records, by wire name."""
    entities = catalogue.load().entities.values()
    return {entity.name: _schema(entity, dialect) for entity in entities if entity.kind == "entity"}


def find_schema(name: str, dialect: Dialect = SPEC) -> EntitySchema:
    """Return the entity type by name or alias, ignoring case (spec 2.2); refuse unknown names."""
    entity = catalogue.load().entity(name)
    schema = schemas(dialect).get(_SYNONYMS.get(entity.name, entity.name)) if entity else None
    # Only the dialect ``spec`` knows aliases
    is_known = entity is not None and (dialect.spec_entities or entity.name.lower() == name.lower())
    if schema is None or not is_known:
        raise Refusal(400, "ENTITY_NOT_FOUND", f"There are no such entityType as '{name}'")  # facts 6
    return schema


def check_supported(schema: EntitySchema, operation: str) -> None:
    """Refuse a base operation known to be unavailable for the entity type (spec 4.9 rule 1, facts 3.9)."""
    path = _CUSTOM_COMMANDS.get((operation, schema.name))
    if path is not None:
        raise Refusal(  # facts 6
            400,
            "CUSTOM_COMMAND_ERROR",
            f"There are some custom command for '{schema.name}' for that action. "
            f"Use '/cmd/{path}' endpoint for that please.",
        )
    if schema.name in _COMMAND_ONLY and operation in ("Create", "Update"):
        raise broken_rule(f"{schema.name} can only be changed by commands.")
    if schema.operations.get(operation.lower()) is False:
        raise unsupported(operation, schema.name)


def removal_of(schema: EntitySchema) -> str:
    """Return how to remove a record: DELETE, or the path of its command (facts 3.9)."""
    path = _CUSTOM_COMMANDS.get(("Delete", schema.name))
    return f"/cmd/{path}" if path else "DELETE"


def is_read_only(schema: EntitySchema) -> bool:
    """Return whether records are read-only: no base operation writes them, not even through their owner."""
    # facts 3.9 lists the read-only types. Not shown; assumed: a PUT of their owner does not write them.
    writes = (schema.operations.get(name) for name in ("create", "update", "delete"))
    unwritable = schema.name not in _THROUGH_PARENT and all(allowed is False for allowed in writes)
    return unwritable or schema.name in _COMMAND_ONLY


def _schema(entity: Entity, dialect: Dialect) -> EntitySchema:
    last = _LAST[:-1] if entity.name in _ID_FIRST else _LAST
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
        blank={f.name: _initial(f) for f in entity.fields if _initial(f) is not None},
        versioned="concurrencyid" in names,
        soft_deleted="isremoved" in names or entity.name in _MARKED,
    )


def _exists(field: Field, dialect: Dialect) -> bool:
    """Return whether a dialect has the field; some fields exist only in the specification (facts 12)."""
    return dialect.spec_fields or field.sources != "spec" or field.name in REQUEST_MARKS


def _initial(field: Field) -> Any:
    """Return a property's initial value; None for types without one, such as dates (facts 3.4)."""
    if field.name in REQUEST_MARKS | REQUEST_ONLY | _INITIAL_VALUES.keys():
        return _INITIAL_VALUES.get(field.name)
    if field.type == "enum":
        return enumeration(field.of or "").by_number.get(0)
    by_type = {
        "string": "",
        "integer": 0,
        "number": 0,
        "boolean": False,
        "money": {"CurrencyTypeId": "Unknown", "Value": 0},
    }
    return by_type.get(field.type)
