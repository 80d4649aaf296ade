"""The catalogue in OpenAPI: schemas of entities, enums and commands, and paths with their operations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from wosdk_async import catalogue
from wosdk_async.catalogue import Command, Entity, EnumType, Field
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS

__all__ = ["Schema", "paths", "reference", "schemas"]

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
    """Return a reference to a schema of the document."""
    return {"$ref": f"#/components/schemas/{name}"}


def schemas() -> dict[str, Schema]:
    """Return all schemas by name: ``{Entity}``, ``{Enum}.Enum``, ``{Command}.Request`` and ``.Result``."""
    known = catalogue.load()
    found = {name: _entity(entity) for name, entity in known.entities.items()}
    found |= {_enum_name(name): _enum(enum) for name, enum in known.enums.items()}
    for command in known.commands.values():
        found |= _command_schemas(command)
    return found


def _command_schemas(command: Command) -> dict[str, Schema]:
    """Return request and result of a command. Both are open: unknown members are dropped (facts 3.3)."""
    required = [field.name for field in command.request if field.required and not field.aliases]
    request = _fields(command.request, whole=True) | ({"required": required} if required else {})
    return {f"{command.name}.Request": request, f"{command.name}.Result": _fields(command.response)}


def _entity(entity: Entity) -> Schema:
    own = _fields(entity.own_fields)
    if entity.base:
        own = {"allOf": [reference(entity.base), own]}
    return own | ({"description": entity.meaning} if entity.meaning else {})


def _fields(fields: Iterable[Field], *, whole: bool = False) -> Schema:
    """Return an object with these fields. ``whole``: an entity in it is sent with all its fields."""
    return {"type": "object", "properties": {field.name: _field(field, whole) for field in fields}}


def _field(field: Field, whole: bool) -> Schema:
    schema = _bare(field, whole)
    if field.nullable:
        schema = _or_null(schema)
    description = " ".join(filter(None, [field.meaning, _REMARKS.get(field.type), _target(field)]))
    return schema | ({"description": description} if description else {})


def _target(field: Field) -> str | None:
    return f"Of {field.of}." if field.type == "ref" else None


def _bare(field: Field, whole: bool) -> Schema:
    if field.is_list:
        return {"type": "array", "items": _value(field, whole)}
    # A length that only third parties state is no limit: the service sends longer values
    stated = field.max_length if field.max_length_source != "peer" else None
    return _value(field, whole) | ({"maxLength": stated} if stated else {})


def _value(field: Field, whole: bool) -> Schema:
    known = catalogue.load()
    if field.kind == "money":
        return reference("Money")
    if field.kind == "enum" and field.of:
        return reference(_enum_name(field.of))
    entity = known.entities.get(field.of or "")
    if entity is not None:
        return reference(entity.name if whole or field.is_list or _is_whole(entity) else "Reference")
    if field.kind == "ref":
        return {"type": "object"}
    return {"type": _TYPES[field.kind]} if field.kind in _TYPES else {}


def _is_whole(entity: Entity) -> bool:
    """Return whether a member of this type holds the whole entity, not only its Id."""
    return entity.kind != "entity" or entity.name in OWNED_OBJECTS


def _or_null(schema: Schema) -> Schema:
    if "type" in schema:
        return schema | {"type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]} if schema else {}


def _enum_name(name: str) -> str:
    """Return a name that differs from those of entities: some enums have the same name."""
    return f"{name}.Enum"


def _enum(enum: EnumType) -> Schema:
    """Return the names that the service sends; it reads numbers too, and a release may add some (facts 9)."""
    numbers = [value.value for value in enum.values if value.value is not None]
    names: Schema = {"type": "string", "enum": list(dict.fromkeys(value.name for value in enum.values))}
    whole: Schema = {"type": "integer"} | ({"examples": numbers} if numbers else {})
    return {"anyOf": [names, whole]}


_REFUSED = {"4XX": {"$ref": "#/components/responses/Refused"}}
_REQUEST_ID = reference("RequestId")
_CHANGED = {"$ref": "#/components/responses/Changed"}


def paths() -> dict[str, Schema]:
    """Return all paths with their operations."""
    known = catalogue.load()
    found: dict[str, Schema] = {"/OAuth/token": {"post": _token()}}
    for entity in known.entities.values():
        if entity.kind == "entity":
            found |= dict(_entity_paths(entity))
    for command in known.commands.values():
        found[f"/api/v1/cmd/{command.path}"] = {"post": _command(command)}
    found["/api/v1/CorrigoService/GetCompanyWsdkUrl/{company}"] = {"get": _discovery()}
    return found


def _entity_paths(entity: Entity) -> Iterator[tuple[str, Schema]]:
    """Yield the operations of an entity type but those that the service is known to refuse."""
    made = {"create": ("post", _create), "update": ("put", _update), "delete": ("delete", _delete)}
    offered = {verb: make(entity) for name, (verb, make) in made.items() if _offers(entity, name)}
    if offered:
        yield f"/api/v1/base/{entity.name}", offered
    if _offers(entity, "retrieve"):
        yield f"/api/v1/base/{entity.name}/{{id}}", {"get": _retrieve(entity)}
    if _offers(entity, "query"):
        yield f"/api/v1/query/{entity.name}", {"post": _query(entity)}


def _offers(entity: Entity, operation: str) -> bool:
    return entity.operations.get(operation) is not False


def _operation(entity: Entity, verb: str, done: Schema, **more: Any) -> Schema:
    return {
        "operationId": f"{verb}{entity.name}",
        "tags": [entity.family],
        **more,
        "responses": {"200": done} | _REFUSED,
    }


def _retrieve(entity: Entity) -> Schema:
    response = _json("Done.", _object({"Data": reference(entity.name)}, "Data"))
    return _operation(entity, "get", response, parameters=_named("Id", "Properties"))


def _create(entity: Entity) -> Schema:
    body = _body({"Entity": reference(entity.name), "RequestId": _REQUEST_ID}, "Entity")
    return _operation(entity, "create", _CHANGED, requestBody=body)


def _update(entity: Entity) -> Schema:
    members = {"Entity": reference(entity.name), "Properties": reference("Properties")}
    body = _body(members | {"RequestId": _REQUEST_ID}, "Entity", "Properties")
    return _operation(entity, "update", _CHANGED, requestBody=body)


def _delete(entity: Entity) -> Schema:
    return _operation(entity, "delete", _CHANGED, parameters=_named("Removed", "IgnoreMissing"))


def _query(entity: Entity) -> Schema:
    row = _object({"Data": reference(entity.name)}, "Data")
    response = _json("Done.", _object({"Entities": {"type": "array", "items": row}}, "Entities"))
    return _operation(entity, "query", response, requestBody={"$ref": "#/components/requestBodies/Query"})


def _command(command: Command) -> Schema:
    members = {"Command": reference(f"{command.name}.Request"), "RequestId": _REQUEST_ID}
    response = _object({"CommandResult": reference(f"{command.name}.Result")}, "CommandResult")
    return {
        "operationId": f"run{command.name}",
        "tags": ["commands"],
        "summary": command.meaning or command.name,
        "requestBody": _body(members, "Command"),
        "responses": {"200": _json("Done.", response)} | _REFUSED,
    }


def _discovery() -> Schema:
    response = _object({"CommandResult": reference("GetCompanyWsdkUrlCommand.Result")}, "CommandResult")
    return {
        "operationId": "findCompany",
        "tags": ["access"],
        "summary": "Where a Company is served",
        "parameters": _named("Company"),
        "responses": {"200": _json("Done.", response)} | _REFUSED,
    }


def _token() -> Schema:
    form = {"application/x-www-form-urlencoded": {"schema": reference("TokenRequest")}}
    refused = {"400": _json("Refused.", reference("TokenRefused"))}
    return {
        "operationId": "getToken",
        "tags": ["access"],
        "summary": "A token for client credentials, in the form or as HTTP Basic",
        "security": [],
        "requestBody": {"required": True, "content": form},
        "responses": {"200": _json("Granted.", reference("Token"))} | refused | _REFUSED,
    }


def _named(*names: str) -> list[Schema]:
    return [{"$ref": f"#/components/parameters/{name}"} for name in names]


def _object(members: Schema, *required: str) -> Schema:
    return {"type": "object", "required": list(required), "properties": members}


def _body(members: Schema, *required: str) -> Schema:
    return {"required": True, "content": {"application/json": {"schema": _object(members, *required)}}}


def _json(text: str, schema: Schema) -> Schema:
    return {"description": text, "content": {"application/json": {"schema": schema}}}
