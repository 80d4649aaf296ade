"""The service as an OpenAPI 3.1 document, made of the catalogue, and a page to browse it."""

from __future__ import annotations

from functools import cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wosdk_async import catalogue
from wosdk_async.sandbox.console.pages import page
from wosdk_async.sandbox.http.openapi.paths import paths
from wosdk_async.sandbox.http.openapi.schemas import Schema, reference, schemas
from wosdk_async.sandbox.schema.bodies import dump

__all__ = ["document", "openapi_routes"]

_DESCRIPTION = """\
JSON over HTTPS, one host per Company. Ask the token endpoint for a token of 20 minutes, then name the
Company in the header CompanyName of every call. Names of members and of entity types ignore letter case;
unknown members are dropped. Nulls are omitted from replies. Lists and the members of references come only
when properties names their paths. GET reads one entity, POST creates, PUT updates what Properties names,
DELETE removes; queries and commands are POSTs."""


def openapi_routes() -> list[Route]:
    """``/openapi.json`` and ``/docs``. They hold nothing of any Company."""

    async def described(_request: Request) -> Response:
        return Response(_written(), media_type="application/json")

    async def docs(_request: Request) -> Response:
        return page("docs.html")

    return [Route("/openapi.json", described), Route("/docs", docs)]


def document() -> dict[str, Any]:
    """The whole description, as plain data."""
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
def _written() -> bytes:
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
        "description": "Property paths joined by commas; * and none mean all plain ones.",
        "schema": {"type": "string"},
    },
    "IgnoreMissing": {
        "name": "IgnoreMissingEntityOnDelete",
        "in": "header",
        "description": "Whether removing what is not there succeeds.",
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
        "description": "Another entity: its Id, and in replies what the property paths open of it.",
    },
    "RequestId": {"type": "string", "description": "Comes back with the reply."},  # facts 5
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
            "ErrorMessage": {"type": "string"},
            "ErrorCode": {"type": "string"},
            "TimeStamp": {"type": "string"},
            "Reference": {
                "type": "object",
                "properties": {"Id": {"type": "integer"}},
                "description": "Another entity: its Id, and in replies what the property paths open of it.",
            },
            "RequestId": {"type": "string"},
        },
    }
    told = f"Refused. Known codes and their status: {known}."
    return {"description": told, "content": {"application/json": {"schema": body}}}
