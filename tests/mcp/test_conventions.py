"""What clients of other makers send for the same call, and what they can read of a schema."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.agents import ORDER, Workplace
from wosdk_async.testing import Sandbox

CALLS: dict[str, dict[str, Any]] = {
    "find_work_orders": {},
    "get_work_order": {"order": "RSC000001"},
    "changes_since": {"since": "2026-01-01"},
    "get_record": {"entity": "Customer", "record": 512},
    "query_records": {"entity": "Customer", "filters": [{"property": "Id", "value": 512}]},
    "count_records": {"entity": "Customer"},
    "describe": {},
    "plan": {"action": "update", "name": "WorkOrder", "record": 1, "fields": {"PoNumber": "1"}},
}
OF_ITS_OWN = {"plan", "expires_at", "next_since"}


@pytest.mark.parametrize("tool", CALLS)
async def test_null_is_left_out(sandbox: Sandbox, state: Path, tool: str) -> None:
    """A client with strict schemas sends every argument, null where it means none; in a filter, too."""
    await sandbox.client().company().run("WoCreateCommand", {"WorkOrder": ORDER})
    async with Workplace(sandbox, state).agent() as agent:
        tools = (await agent.client.list_tools()).tools
        schema = next(each.input_schema for each in tools if each.name == tool)
        nulls: dict[str, Any] = dict.fromkeys(schema["properties"])
        plain = await agent(tool, **CALLS[tool])
        given = nulls | CALLS[tool]
        if given.get("filters"):
            given["filters"] = [{"operator": None, **each} for each in given["filters"]]
        full = await agent(tool, **given)
    assert "problem" not in plain
    assert {name for name in plain if full[name] != plain[name]} <= OF_ITS_OWN


async def test_null_for_what_is_needed(sandbox: Sandbox, state: Path) -> None:
    async with Workplace(sandbox, state).agent() as agent:
        found = await agent("get_work_order", order=None)
    assert found["problem"]["kind"] == "invalid"


async def test_one_is_a_list_of_one(sandbox: Sandbox, state: Path) -> None:
    """A text, an object, and the JSON text of a list, where the schema has a list."""
    company = sandbox.client().company()
    for _ in range(2):
        await company.run("WoCreateCommand", {"WorkOrder": ORDER})
    async with Workplace(sandbox, state).agent() as agent:
        one = {"property": "Number", "value": "RSC000001"}
        for given in ("New", ["New"], '["New"]'):
            assert len((await agent("find_work_orders", states=given))["untrusted_records"]) == 2
        for given in ("RSC000001", ["RSC000001"], '["RSC000001"]'):
            assert len((await agent("find_work_orders", numbers=given))["untrusted_records"]) == 1
        for filters in (one, [one], json.dumps([one])):
            found = await agent("query_records", entity="WorkOrder", filters=filters, properties="Number")
            assert [row["Number"] for row in found["untrusted_records"]] == ["RSC000001"]
        found = await agent("find_work_orders", states="Nwe")
        assert found["problem"]["kind"] == "invalid"


async def test_schemas_are_plain(sandbox: Sandbox, state: Path) -> None:
    """Some clients read no references: each part is where it belongs."""
    async with Workplace(sandbox, state).agent() as agent:
        tools = (await agent.client.list_tools()).tools
    shown = {tool.name: json.dumps([tool.input_schema, tool.output_schema]) for tool in tools}
    assert [name for name, text in shown.items() if "$ref" in text or "$defs" in text] == []
    filters = next(tool.input_schema for tool in tools if tool.name == "count_records")["properties"][
        "filters"
    ]
    assert set(filters["items"]["properties"]) == {"property", "operator", "value"}
    assert filters["maxItems"] == 20


WORDS = {
    "type", "properties", "required", "items", "enum", "anyOf", "additionalProperties", "minimum", "maximum",
    "maxItems", "maxLength", "default", "description", "title",
}  # fmt: skip
"""Words of JSON Schema that the function calls of OpenAI, Gemini and Claude know, or leave out."""


def unusual(part: Any, place: str = "") -> Iterator[str]:
    """Yield what one of these clients refuses or does not read in a schema of arguments."""
    yield from (f"{place}: {word}" for word in part if word not in WORDS)
    if not isinstance(part.get("type", ""), str) or part.get("type") == "null":
        yield f"{place}: the type {part['type']}"
    if ("type" in part) == ("anyOf" in part):
        yield f"{place}: one of type and anyOf"
    if "default" in part and part["default"] is None:
        yield f"{place}: null by default"
    if part.get("type") == "array" and "items" not in part:
        yield f"{place}: elements of any kind"
    if "enum" in part and part.get("type") != "string":
        yield f"{place}: an enum that is no text"
    alternatives = part.get("anyOf", [])
    if len({each.get("type") for each in alternatives}) != len(alternatives) or len(alternatives) == 1:
        yield f"{place}: alternatives of one type"
    more = part.get("additionalProperties")
    inner = [
        *part.get("properties", {}).items(),
        *((f"anyOf {i}", each) for i, each in enumerate(alternatives)),
    ]
    inner += [("items", part["items"])] if "items" in part else []
    inner += [("others", more)] if isinstance(more, dict) else []
    for name, each in inner:
        yield from unusual(each, f"{place}.{name}")


async def test_every_client_can_read_the_arguments(sandbox: Sandbox, state: Path) -> None:
    """Gemini reads no lists of types and no null, OpenAI wants items, and none a reference."""
    async with Workplace(sandbox, state).agent() as agent:
        tools = (await agent.client.list_tools()).tools
    assert [each for tool in tools for each in unusual(tool.input_schema, tool.name)] == []
    assert all(tool.input_schema["additionalProperties"] is False for tool in tools)
