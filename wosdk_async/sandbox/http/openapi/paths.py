"""The paths of the OpenAPI document: each entity type with what it offers, and each command."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wosdk_async import catalogue
from wosdk_async.catalogue import Command, Entity
from wosdk_async.sandbox.http.openapi.schemas import Schema, reference

__all__ = ["paths"]

_REFUSED = {"4XX": {"$ref": "#/components/responses/Refused"}}
_REQUEST_ID = reference("RequestId")
_CHANGED = {"$ref": "#/components/responses/Changed"}


def paths() -> dict[str, Schema]:
    """Every path with its operations."""
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
    """The operations of an entity type, save those that the service is known to refuse."""
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
    reply = _json("Done.", _object({"Data": reference(entity.name)}, "Data"))
    return _operation(entity, "get", reply, parameters=_named("Id", "Properties"))


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
    reply = _json("Done.", _object({"Entities": {"type": "array", "items": row}}, "Entities"))
    return _operation(entity, "query", reply, requestBody={"$ref": "#/components/requestBodies/Query"})


def _command(command: Command) -> Schema:
    members = {"Command": reference(f"{command.name}.Request"), "RequestId": _REQUEST_ID}
    reply = _object({"CommandResult": reference(f"{command.name}.Result")}, "CommandResult")
    return {
        "operationId": f"run{command.name}",
        "tags": ["commands"],
        "summary": command.meaning or command.name,
        "requestBody": _body(members, "Command"),
        "responses": {"200": _json("Done.", reply)} | _REFUSED,
    }


def _discovery() -> Schema:
    reply = _object({"CommandResult": reference("GetCompanyWsdkUrlCommand.Result")}, "CommandResult")
    return {
        "operationId": "findCompany",
        "tags": ["access"],
        "summary": "Where a Company is served",
        "parameters": _named("Company"),
        "responses": {"200": _json("Done.", reply)} | _REFUSED,
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
