"""OpenAPI 3.1 document of the service, generated from the catalogue, and a page to view it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wosdk_async import catalogue
from wosdk_async.catalogue import Command, Entity, EnumType, Field
from wosdk_async.sandbox.console.routes import page
from wosdk_async.sandbox.schema.bodies import dump
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS

Schema = dict[str, Any]

_DESCRIPTION = """\
JSON over HTTPS, one host per Company. Get a token (valid for 20 minutes) from the token endpoint, then send
the Company's name in the CompanyName header of every call. Names of members and entity types are
case-insensitive; unknown members are dropped. Nulls are omitted from responses. Lists and the members of
references are returned only if the properties parameter lists their paths. GET reads one entity, POST
creates, PUT updates the members listed in Properties, DELETE deletes; queries and commands are POSTs."""


def openapi_routes() -> list[Route]:
    """Return the routes ``/openapi.json`` and ``/docs``; neither exposes Company data."""

    async def openapi(_request: Request) -> Response:
        return Response(_document(), media_type="application/json")

    async def docs(_request: Request) -> Response:
        return page("docs.html")

    return [Route("/openapi.json", openapi), Route("/docs", docs)]


@cache
def _document() -> bytes:
    entities = catalogue.load().entities.values()
    families = sorted({entity.family for entity in entities if entity.kind == "entity"})
    return dump(
        {
            "openapi": "3.1.0",
            "info": {
                "title": "Work-order service of the local sandbox",
                "version": "v1",
                "description": _DESCRIPTION,
            },
            "servers": [{"url": "/"}],
            "security": [{"token": [], "company": []}],
            "tags": [{"name": name} for name in ("access", "commands", *families)],
            "paths": _paths(),
            "components": {
                "securitySchemes": _SECURITY,
                "parameters": _PARAMETERS,
                "requestBodies": {"Query": _QUERY},
                "responses": {"Changed": _CHANGED, "Refused": _refused()},
                "schemas": _catalogue_schemas() | _SCHEMAS,
            },
        }
    )


def _reference(name: str, part: str = "schemas") -> Schema:
    return {"$ref": f"#/components/{part}/{name}"}


def _object(members: Schema, *required: str) -> Schema:
    return {"type": "object", "required": list(required), "properties": members}


def _content(schema: Schema, kind: str = "application/json") -> Schema:
    return {"content": {kind: {"schema": schema}}}


def _body(members: Schema, *required: str) -> Schema:
    return {"required": True} | _content(_object(members | {"RequestId": _reference("RequestId")}, *required))


def _response(description: str, schema: Schema) -> Schema:
    return {"description": description} | _content(schema)


# --- hand-written parts ----------------------------------------------------------------------

_TEXT: Schema = {"type": "string"}
_KEY: Schema = {"type": "string", "minLength": 1}
_SECURITY: Schema = {
    "token": {
        "type": "oauth2",
        "flows": {"clientCredentials": {"tokenUrl": "/OAuth/token", "scopes": {}}},
    },
    "company": {"type": "apiKey", "in": "header", "name": "CompanyName"},
}
_PARAMETERS: Schema = {
    "Company": {"name": "company", "in": "path", "required": True, "schema": _KEY},
    "Id": {
        "name": "id",
        "in": "path",
        "required": True,
        "description": "A number, or the identifying fields as a JSON object.",  # facts 3.1
        "schema": _KEY,
    },
    "Removed": {"name": "ID", "in": "query", "required": True, "schema": _KEY},
    "Properties": {
        "name": "properties",
        "in": "query",
        "description": "Property paths, separated by commas; the default, *, omits lists and owned objects.",
        "schema": _TEXT,
    },
    "IgnoreMissing": {
        "name": "IgnoreMissingEntityOnDelete",
        "in": "header",
        "description": "Whether deleting a missing record succeeds.",
        "schema": {"type": "boolean"},
    },
}
_SCHEMAS: dict[str, Schema] = {
    "TokenRequest": _object(
        {"grant_type": {"const": "client_credentials"}, "client_id": _TEXT, "client_secret": _TEXT},
        "grant_type",
    ),
    "Token": _object(
        {
            "access_token": _TEXT,
            "token_type": {"const": "bearer"},
            "expires_in": {"type": "integer", "description": "Seconds."},
        },
        "access_token",
        "token_type",
        "expires_in",
    ),
    "TokenRefused": _object({"error": {"enum": ["unsupported_grant_type", "invalid_client"]}}, "error"),
    "Reference": {
        "type": "object",
        "properties": {"Id": {"type": "integer"}},
        "description": "Another entity: its Id and, in responses, the requested members.",
    },
    "RequestId": _TEXT | {"description": "Returned in the response."},  # facts 5
    "Properties": {"type": "array", "items": _TEXT, "description": "Property paths."},
}
_QUERY = _body({"QueryExpression": _reference("QueryExpression")}, "QueryExpression")
_CHANGED = _response("Done.", _object({"EntitySpecifier": _reference("EntitySpecifier")}, "EntitySpecifier"))


def _refused() -> Schema:
    errors = catalogue.load().enums["ErrorCode"].values
    codes = ", ".join(f"{error.name} ({error.http_status})" for error in errors if error.http_status)
    required = ("ErrorMessage", "ErrorCode", "TimeStamp")
    body = _object(dict.fromkeys((*required, "RequestId"), _TEXT), *required)
    return _response(f"Refused. Known codes and their statuses: {codes}.", body)


# --- schemas of entities, enums and commands -------------------------------------------------

_PLAIN = ("string", "integer", "number", "boolean")
_REMARKS = {"datetime-local": "Local time, without a zone.", "datetime-utc": "UTC."}  # facts 3.5


def _catalogue_schemas() -> dict[str, Schema]:
    """Return the schemas by name: ``{Entity}``, ``{Enum}.Enum``, ``{Command}.Request`` and ``.Result``."""
    known = catalogue.load()
    found = {name: _entity(entity) for name, entity in known.entities.items()}
    found |= {_enum_name(name): _enum(enum) for name, enum in known.enums.items()}
    # The schemas allow other members, because the service drops unknown ones (facts 3.3).
    for command in known.commands.values():
        required = [field.name for field in command.request if field.required and not field.aliases]
        request = _fields(command.request, whole=True) | ({"required": required} if required else {})
        found |= {f"{command.name}.Request": request, f"{command.name}.Result": _fields(command.response)}
    return found


def _entity(entity: Entity) -> Schema:
    own = _fields(entity.own_fields)
    if entity.base:
        own = {"allOf": [_reference(entity.base), own]}
    return own | ({"description": entity.meaning} if entity.meaning else {})


def _fields(fields: Iterable[Field], *, whole: bool = False) -> Schema:
    """Return an object schema for fields. With ``whole``, nested entities are complete, not references."""
    return {"type": "object", "properties": {field.name: _field(field, whole) for field in fields}}


def _field(field: Field, whole: bool) -> Schema:
    schema = _bare(field, whole)
    if field.nullable and "type" in schema:
        schema = {**schema, "type": [schema["type"], "null"]}
    elif field.nullable and schema:
        schema = {"anyOf": [schema, {"type": "null"}]}
    target = f"Refers to {field.of}." if field.type == "ref" else None
    description = " ".join(filter(None, [field.meaning, _REMARKS.get(field.type), target]))
    return schema | ({"description": description} if description else {})


def _bare(field: Field, whole: bool) -> Schema:
    if field.is_list:
        return {"type": "array", "items": _value(field, whole)}
    # Omit a limit that only third parties state, because the service sends longer values.
    stated = field.max_length if field.max_length_source != "peer" else None
    return _value(field, whole) | ({"maxLength": stated} if stated else {})


def _value(field: Field, whole: bool) -> Schema:
    if field.kind == "money":
        return _reference("Money")
    if field.kind == "enum" and field.of:
        return _reference(_enum_name(field.of))
    entity = catalogue.load().entities.get(field.of or "")
    if entity is not None:
        inside = entity.kind != "entity" or entity.name in OWNED_OBJECTS  # nested in full, not as an Id
        return _reference(entity.name if whole or field.is_list or inside else "Reference")
    if field.kind in _PLAIN:
        return {"type": field.kind}
    return {"type": "object"} if field.kind == "ref" else _TEXT if field.kind in _REMARKS else {}


def _enum_name(name: str) -> str:
    """Return the name of an enum's schema, with a suffix because some enums and entities share a name."""
    return f"{name}.Enum"


def _enum(enum: EnumType) -> Schema:
    """Return the schema of an enum: a name or a number. Releases may add names (facts 9)."""
    numbers = [value.value for value in enum.values if value.value is not None]
    names: Schema = {"type": "string", "enum": list(dict.fromkeys(value.name for value in enum.values))}
    return {"anyOf": [names, {"type": "integer"} | ({"examples": numbers} if numbers else {})]}


# --- paths and their operations --------------------------------------------------------------


def _paths() -> dict[str, Schema]:
    known = catalogue.load()
    found: dict[str, Schema] = {"/OAuth/token": {"post": _token()}}
    for entity in known.entities.values():
        if entity.kind == "entity":
            found |= _entity_paths(entity)
    for command in known.commands.values():
        found[f"/api/v1/cmd/{command.path}"] = {"post": _command(command)}
    sent, done = _parameters("Company"), _command_result("GetCompanyWsdkUrlCommand")
    find = _operation("findCompany", "access", done, sent, "Find the host of a Company")
    found["/api/v1/CorrigoService/GetCompanyWsdkUrl/{company}"] = {"get": find}
    return found


def _entity_paths(entity: Entity) -> Mapping[str, Schema]:
    """Return the paths of an entity type, without the operations that the service is known to refuse."""
    own, changed = _reference(entity.name), _reference("Changed", "responses")
    rows = {"type": "array", "items": _object({"Data": own}, "Data")}
    one = _response("Done.", _object({"Data": own}, "Data"))
    several = _response("Done.", _object({"Entities": rows}, "Entities"))
    create = _body({"Entity": own}, "Entity")
    update = _body({"Entity": own, "Properties": _reference("Properties")}, "Entity", "Properties")
    base, query = f"/api/v1/base/{entity.name}", _reference("Query", "requestBodies")
    operations = (
        ("create", "post", base, {"requestBody": create}, changed),
        ("update", "put", base, {"requestBody": update}, changed),
        ("delete", "delete", base, _parameters("Removed", "IgnoreMissing"), changed),
        ("retrieve", "get", f"{base}/{{id}}", _parameters("Id", "Properties"), one),
        ("query", "post", f"/api/v1/query/{entity.name}", {"requestBody": query}, several),
    )
    paths: dict[str, Schema] = {}
    for name, method, path, sent, done in operations:
        if entity.operations.get(name) is not False:
            verb = "get" if name == "retrieve" else name
            operation = _operation(f"{verb}{entity.name}", entity.family, done, sent)
            paths.setdefault(path, {})[method] = operation
    return paths


def _operation(name: str, tag: str, done: Schema, sent: Schema, summary: str = "") -> Schema:
    about = {"operationId": name, "tags": [tag]} | ({"summary": summary} if summary else {})
    return about | sent | {"responses": {"200": done, "4XX": _reference("Refused", "responses")}}


def _parameters(*names: str) -> Schema:
    return {"parameters": [_reference(name, "parameters") for name in names]}


def _command_result(name: str) -> Schema:
    return _response("Done.", _object({"CommandResult": _reference(f"{name}.Result")}, "CommandResult"))


def _command(command: Command) -> Schema:
    sent = {"requestBody": _body({"Command": _reference(f"{command.name}.Request")}, "Command")}
    done = _command_result(command.name)
    return _operation(f"run{command.name}", "commands", done, sent, command.meaning or command.name)


def _token() -> Schema:
    form = _content(_reference("TokenRequest"), "application/x-www-form-urlencoded")
    summary = "Get a token; send the client credentials in the form or as HTTP Basic"
    sent = {"security": [], "requestBody": {"required": True} | form}
    token = _operation("getToken", "access", _response("Granted.", _reference("Token")), sent, summary)
    token["responses"]["400"] = _response("Refused.", _reference("TokenRefused"))
    return token
