"""The service as an OpenAPI 3.1 document, made from the catalogue, and a page that shows it."""

from __future__ import annotations

from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wosdk_async import catalogue
from wosdk_async.sandbox.console.routes import page
from wosdk_async.sandbox.http.openapi_catalogue import Schema, paths, reference, schemas
from wosdk_async.sandbox.schema.bodies import dump

__all__ = ["document", "openapi_routes"]

_DESCRIPTION = """\
JSON over HTTPS, one host per Company. Ask the token endpoint for a token of 20 minutes, then name the
Company in the header CompanyName of every call. Names of members and entity types are case-insensitive;
unknown members are dropped. Nulls are omitted from responses. Lists and the members of references come only
when properties names their paths. GET reads one entity, POST creates, PUT updates what Properties names,
DELETE removes; queries and commands are POSTs."""


def openapi_routes() -> list[Route]:
    """Return the routes ``/openapi.json`` and ``/docs``. They show nothing of any Company."""

    async def openapi(_request: Request) -> Response:
        return Response(_document_json(), media_type="application/json")

    async def docs(_request: Request) -> Response:
        return page("docs.html")

    return [Route("/openapi.json", openapi), Route("/docs", docs)]


def document() -> dict[str, Any]:
    """Return the whole document as plain data."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Work-order service, as the local sandbox serves it", "version": "v1"}
        | {"description": _DESCRIPTION},
        "servers": [{"url": "/"}],
        "security": [{"token": [], "company": []}],
        "tags": [{"name": name} for name in ("access", "commands", *_families())],
        "paths": paths(),
        "components": {
            "securitySchemes": _SECURITY,
            "parameters": _PARAMETERS,
            "requestBodies": _BODIES,
            "responses": _RESPONSES | {"Refused": _refused()},
            "schemas": schemas() | _SHARED,
        },
    }


@cache
def _document_json() -> bytes:
    return dump(document())


def _families() -> list[str]:
    entities = catalogue.load().entities.values()
    return sorted({entity.family for entity in entities if entity.kind == "entity"})


_SECURITY: Schema = {
    "token": {
        "type": "oauth2",
        "flows": {"clientCredentials": {"tokenUrl": "/OAuth/token", "scopes": {}}},
    },
    "company": {"type": "apiKey", "in": "header", "name": "CompanyName"},
}

_PARAMETERS: Schema = {
    "Company": {
        "name": "company",
        "in": "path",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    },
    "Id": {
        "name": "id",
        "in": "path",
        "required": True,
        "description": "A number, or the identifying fields as a JSON object.",  # facts 3.1
        "schema": {"type": "string", "minLength": 1},
    },
    "Removed": {
        "name": "ID",
        "in": "query",
        "required": True,
        "schema": {"type": "string", "minLength": 1},
    },
    "Properties": {
        "name": "properties",
        "in": "query",
        "description": "Property paths, separated by commas; * or nothing means all plain properties.",
        "schema": {"type": "string"},
    },
    "IgnoreMissing": {
        "name": "IgnoreMissingEntityOnDelete",
        "in": "header",
        "description": "Whether removing a record that does not exist succeeds.",
        "schema": {"type": "boolean"},
    },
}

_SHARED: dict[str, Schema] = {
    "TokenRequest": {
        "type": "object",
        "required": ["grant_type"],
        "properties": {
            "grant_type": {"const": "client_credentials"},
            "client_id": {"type": "string"},
            "client_secret": {"type": "string"},
        },
    },
    "Token": {
        "type": "object",
        "required": ["access_token", "token_type", "expires_in"],
        "properties": {
            "access_token": {"type": "string"},
            "token_type": {"const": "bearer"},
            "expires_in": {"type": "integer", "description": "Seconds."},
        },
    },
    "TokenRefused": {
        "type": "object",
        "required": ["error"],
        "properties": {"error": {"enum": ["unsupported_grant_type", "invalid_client"]}},
    },
    "Reference": {
        "type": "object",
        "properties": {"Id": {"type": "integer"}},
        "description": "Another entity: its Id, and in responses the members that property paths ask for.",
    },
    "RequestId": {"type": "string", "description": "Comes back in the response."},  # facts 5
    "Properties": {"type": "array", "items": {"type": "string"}, "description": "Property paths."},
}


_BODIES: dict[str, Schema] = {
    "Query": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "required": ["QueryExpression"],
                    "properties": {
                        "QueryExpression": reference("QueryExpression"),
                        "RequestId": reference("RequestId"),
                    },
                }
            }
        },
    }
}

_RESPONSES: dict[str, Schema] = {
    "Changed": {
        "description": "Done.",
        "content": {
            "application/json": {
                "schema": {
                    "type": "object",
                    "properties": {"EntitySpecifier": reference("EntitySpecifier")},
                }
            }
        },
    }
}


def _refused() -> Schema:
    errors = catalogue.load().enums["ErrorCode"].values
    known = ", ".join(f"{error.name} ({error.http_status})" for error in errors if error.http_status)
    body = {
        "type": "object",
        "required": ["ErrorMessage", "ErrorCode", "TimeStamp"],
        "properties": {
            name: {"type": "string"} for name in ("ErrorMessage", "ErrorCode", "TimeStamp", "RequestId")
        },
    }
    description = f"Refused. Known codes and their status: {known}."
    return {"description": description, "content": {"application/json": {"schema": body}}}
