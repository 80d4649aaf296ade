"""The schemas of the OpenAPI document: entities, values, enums, commands and results of the catalogue."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from wosdk_async import catalogue
from wosdk_async.catalogue import Command, Entity, EnumType, Field
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS

__all__ = ["Schema", "command_schemas", "reference", "schemas"]

Schema = dict[str, Any]

_TYPES = {
    "string": "string",
    "integer": "integer",
    "number": "number",
    "boolean": "boolean",
    "datetime-local": "string",
    "datetime-utc": "string",
}
_REMARKS = {"datetime-local": "Local time, without a zone.", "datetime-utc": "UTC."}  # facts 3.5


def reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def schemas() -> dict[str, Schema]:
    """Every shape of the catalogue by its name; what a command takes as ``{Command}.Request``."""
    known = catalogue.load()
    found = {name: _entity(entity) for name, entity in known.entities.items()}
    found |= {_enum_name(name): _enum(enum) for name, enum in known.enums.items()}
    for command in known.commands.values():
        found |= command_schemas(command)
    return found


def command_schemas(command: Command) -> dict[str, Schema]:
    """What a command takes and gives. Both are open: unknown members are dropped (facts 3.3)."""
    needed = [field.name for field in command.request if field.required and not field.aliases]
    request = _object(command.request) | ({"required": needed} if needed else {})
    return {f"{command.name}.Request": request, f"{command.name}.Result": _object(command.response)}


def _entity(entity: Entity) -> Schema:
    own = _object(entity.own_fields)
    if entity.base:
        own = {"allOf": [reference(entity.base), own]}
    return own | ({"description": entity.meaning} if entity.meaning else {})


def _object(fields: Iterable[Field]) -> Schema:
    return {"type": "object", "properties": {field.name: _field(field) for field in fields}}


def _field(field: Field) -> Schema:
    schema = _bare(field)
    if field.nullable:
        schema = _or_null(schema)
    told = " ".join(filter(None, [field.meaning, _REMARKS.get(field.type), _target(field)]))
    return schema | ({"description": told} if told else {})


def _target(field: Field) -> str | None:
    return f"Of {field.of}." if field.type == "ref" else None


def _bare(field: Field) -> Schema:
    if field.is_list:
        return {"type": "array", "items": _value(field)}
    # A length that only third parties state is not held to: longer values come back
    stated = field.max_length if field.max_length_source != "peer" else None
    return _value(field) | ({"maxLength": stated} if stated else {})


def _value(field: Field) -> Schema:
    known = catalogue.load()
    if field.kind == "money":
        return reference("Money")
    if field.kind == "enum" and field.of:
        return reference(_enum_name(field.of))
    entity = known.entities.get(field.of or "")
    if entity is not None:
        return reference(entity.name if field.is_list or _is_whole(entity) else "Reference")
    if field.kind == "ref":
        return {"type": "object"}
    return {"type": _TYPES[field.kind]} if field.kind in _TYPES else {}


def _is_whole(entity: Entity) -> bool:
    """Whether a member of this type holds all of it; of other entities it only names the Id."""
    return entity.kind != "entity" or entity.name in OWNED_OBJECTS


def _or_null(schema: Schema) -> Schema:
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]} if schema else {}


def _enum_name(name: str) -> str:
    """Enums beside entities: some have the same name."""
    return f"{name}.Enum"


def _enum(enum: EnumType) -> Schema:
    """The names as they come; a number is read too, and a release may add some (facts 9)."""
    numbers = [value.value for value in enum.values if value.value is not None]
    names: Schema = {"type": "string", "enum": list(dict.fromkeys(value.name for value in enum.values))}
    whole: Schema = {"type": "integer"} | ({"examples": numbers} if numbers else {})
    return {"anyOf": [names, whole]}
