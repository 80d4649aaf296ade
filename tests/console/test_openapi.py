"""The OpenAPI document: made of the catalogue, without loose ends."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import httpx

from wosdk_async import catalogue

MAX_SIZE = 640_000  # bytes


def walk(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        yield value
    for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from walk(inner)


def document(http: httpx.Client) -> dict[str, Any]:
    response = http.get("/openapi.json")
    assert len(response.content) < MAX_SIZE
    assert "AcmeFacilities" not in response.text, "anyone may read it"
    found: dict[str, Any] = response.json()
    return found


def test_every_reference_leads_somewhere(http: httpx.Client) -> None:
    """Nothing points at a part that is not there."""
    found = document(http)
    for reference in {part["$ref"] for part in walk(found) if isinstance(part.get("$ref"), str)}:
        target: Any = found
        for name in reference.removeprefix("#/").split("/"):
            target = target[name]


def test_operations_are_complete(http: httpx.Client) -> None:
    """Each has a name of its own, a known tag, its path parameters, and says how it is refused."""
    found = document(http)
    operations = [(path, each) for path, verbs in found["paths"].items() for each in verbs.values()]
    names = [operation["operationId"] for _, operation in operations]
    assert len(set(names)) == len(names)
    assert {tag for _, each in operations for tag in each["tags"]} == {tag["name"] for tag in found["tags"]}
    shared = found["components"]["parameters"]
    for path, operation in operations:
        parameters = [shared[each["$ref"].rpartition("/")[2]] for each in operation.get("parameters", ())]
        assert {each["name"] for each in parameters if each["in"] == "path"} == set(
            re.findall(r"{(\w+)}", path)
        )
        assert "4XX" in operation["responses"]


def test_it_says_what_the_catalogue_says(http: httpx.Client) -> None:
    """Every command and entity has its schema; an operation that is known to be refused has no path."""
    found, known = document(http), catalogue.load()
    schemas, paths = found["components"]["schemas"], found["paths"]
    for command in known.commands.values():
        assert f"/api/v1/cmd/{command.path}" in paths
        asked = schemas[f"{command.name}.Request"]["properties"]
        assert asked.keys() == {field.name for field in command.request}
    for entity in known.entities.values():
        assert entity.name in schemas
        assert ("post" in paths.get(f"/api/v1/base/{entity.name}", {})) == (
            entity.kind == "entity" and entity.operations.get("create") is not False
        )
    assert "post" not in paths["/api/v1/base/WorkOrder"]
    description = found["components"]["responses"]["Refused"]["description"]
    assert "EXPIRED_TOKEN (403)" in description
    statuses = schemas["WorkOrderStatus.Enum"]["anyOf"][0]["enum"]
    assert statuses == [value.name for value in known.enums["WorkOrderStatus"].values]
    order = schemas["WoCreateCommand.Request"]["properties"]["WorkOrder"]
    assert "#/components/schemas/WorkOrder" in str(order), "whole in a command"
    assert "#/components/schemas/Reference" in str(schemas["WorkOrder"]), "in an entity only referred to"
