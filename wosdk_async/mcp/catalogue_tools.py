"""The catalogue as a tool and resources: entities, commands, enums and error codes."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Annotated, Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ResourceNotFoundError
from pydantic import Field

from wosdk_async.catalogue import VERBS, Command, Entity, EnumType, load
from wosdk_async.catalogue import Field as CatalogueField
from wosdk_async.errors import UnknownNameError
from wosdk_async.mcp.results import Result, known_codes
from wosdk_async.protocol.verdicts import CODES
from wosdk_async.text.suggestions import suggestion

_JSON = "application/json"


class DescribeResult(Result):
    """A list of names, or one definition."""

    names: dict[str, list[str]] = Field(
        default_factory=dict, description="Names of entities, commands and enums."
    )
    definition: dict[str, Any] | None = Field(default=None, description="The definition of the name.")


async def describe(
    name: Annotated[str, Field(max_length=100, description="Name of an entity, command or enum.")] = "",
    containing: Annotated[str, Field(max_length=100, description="Only names that contain this text.")] = "",
) -> DescribeResult:
    """Describe an entity, command or enum: fields, types, values and operations.

    Without a name, list all names or, with ``containing``, those that contain this text.
    """
    if not name:
        return DescribeResult(names=_names(containing.lower()))
    catalogue = load()
    found = catalogue.definition(name.strip())
    if (to_dict := _DICTS.get(type(found))) is not None:
        return DescribeResult(definition=to_dict(found))
    known_names = (*catalogue.entities, *catalogue.aliases, *catalogue.commands, *catalogue.enums)
    near = suggestion(name, known_names) or "; the describe tool, without a name, lists all names"
    raise UnknownNameError(f"the catalogue has no entity, command or enum {name!r:.100}{near}")


def add_resources(server: MCPServer) -> None:
    """Add catalogue resources to a server: an index, the error codes, and a template per kind of entry."""

    def resource(path: str, title: str) -> Callable[[Callable[..., str]], Callable[..., str]]:
        uri = f"wosdk://catalogue{path}"
        return server.resource(uri, title=title, description=title, mime_type=_JSON)

    @resource("", "All names in the catalogue")
    def index() -> str:
        return _text(_names(""))

    @resource("/entities/{name}", "Fields and operations of an entity")
    def entity(name: str) -> str:
        return _resource_text(load().entities, load().aliases.get(name, name), _entity)

    @resource("/commands/{name}", "Fields of a command and its result")
    def command(name: str) -> str:
        return _resource_text(load().commands, name, _command)

    @resource("/enums/{name}", "Values of an enum")
    def enum(name: str) -> str:
        return _resource_text(load().enums, name, _enum)

    @resource("/errors", "Service error codes")
    def errors() -> str:
        return _text({code: _error(code) for code in sorted(known_codes())})

    @resource("/errors/{code}", "Meaning of an error code")
    def error(code: str) -> str:
        return _resource_text({each: each for each in known_codes()}, code, _error)


def _text(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False)


def _resource_text(table: Any, name: str, to_dict: Any) -> str:
    if name not in table:
        raise ResourceNotFoundError(f"the catalogue has no {name!r:.100}{suggestion(name, table)}")
    return _text(to_dict(table[name]))


def _names(part: str) -> dict[str, list[str]]:
    catalogue = load()
    kinds: dict[str, Iterable[str]] = {
        "entities": (name for name, row in catalogue.entities.items() if row.kind == "entity"),
        "commands": catalogue.commands,
        "enums": catalogue.enums,
    }
    return {kind: sorted(name for name in names if part in name.lower()) for kind, names in kinds.items()}


def _entity(row: Entity) -> dict[str, Any]:
    can = {name: row.operations.get(name) for name in VERBS if name in row.operations}
    return _without_empty(
        {
            "name": row.name,
            "kind": row.kind,
            "meaning": row.meaning,
            "operations": can,
            "instead": dict(row.instead),
            "needs": dict(row.needs),
            "key": list(row.composite_key),
            "note": row.note,
            "fields": [_field(each) for each in row.fields],
        }
    )


def _command(row: Command) -> dict[str, Any]:
    return _without_empty(
        {
            "name": row.name,
            "kind": "command",
            "meaning": row.meaning,
            "changes_something": row.repeat != "safe",
            "note": row.note,
            "fields": [_field(each) for each in row.request],
            "result": [_field(each) for each in row.response],
        }
    )


def _enum(row: EnumType) -> dict[str, Any]:
    values = [
        _without_empty({"name": each.name, "meaning": each.meaning or each.note}) for each in row.values
    ]
    return _without_empty({"name": row.name, "kind": "enum", "note": row.note, "values": values})


def _field(row: CatalogueField) -> dict[str, Any]:
    return _without_empty(
        {
            "name": row.name,
            "type": row.shown_type,
            "required": bool(row.required),
            "read_only": not row.updatable,
            "max_length": row.max_length,
            "meaning": row.meaning or row.note,
        }
    )


_DICTS: dict[type, Callable[[Any], dict[str, Any]]] = {Entity: _entity, Command: _command, EnumType: _enum}


def _error(code: str) -> dict[str, Any]:
    listed = {each.name: each for each in load().enums["ErrorCode"].values}
    row, rule = listed.get(code), CODES.get(code)
    return _without_empty(
        {
            "code": code,
            "meaning": row.meaning if row else None,
            "http_status": row.http_status if row else None,
            "verdict": rule.verdict.name if rule else "refused",
            "then": rule.verdict.then if rule else "",
            "error": rule.error.__name__ if rule else "RefusedError",
        }
    )


def _without_empty(data: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in data.items() if value not in (None, "", [], {}, False)}
