"""What a server offers: tools, annotations, schemas, resources; in both eras of the protocol."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, MCPError

from tests.mcp.agents import ERAS, Workplace
from wosdk_async import InvalidCallError, WoNote
from wosdk_async.mcp import make_server
from wosdk_async.testing import Sandbox

SNAPSHOT = Path(__file__).parent / "tools.json"
READS = {
    "find_work_orders", "get_work_order", "changes_since", "list_choices", "get_record", "query_records",
    "count_records", "describe",
}  # fmt: skip
CHANGES = {"plan", "commit", "settle"}


@pytest.mark.parametrize("era", ERAS)
async def test_a_server_only_reads_unless_writes_are_allowed(sandbox: Sandbox, state: Path, era: str) -> None:
    company = sandbox.client(read_only=True).company()
    async with Client(make_server(company), mode=era) as client:
        assert {tool.name for tool in (await client.list_tools()).tools} == READS
        assert "read-only" in (client.instructions or "")
    async with Client(make_server(company, Workplace(sandbox, state).plans()), mode=era) as client:
        tools = (await client.list_tools()).tools
        assert {tool.name for tool in tools} == READS | CHANGES
        assert len(tools) <= 12
        assert "do not make another plan" in (client.instructions or "")


async def test_every_tool_says_all_of_itself(sandbox: Sandbox, state: Path) -> None:
    async with Workplace(sandbox, state).agent() as agent:
        for tool in (await agent.client.list_tools()).tools:
            hints = tool.annotations
            assert hints is not None
            given = (
                hints.read_only_hint,
                hints.destructive_hint,
                hints.idempotent_hint,
                hints.open_world_hint,
            )
            assert None not in given, tool.name
            assert hints.read_only_hint == (tool.name in READS)
            assert hints.destructive_hint == (tool.name == "commit")
            assert hints.idempotent_hint == (tool.name != "plan")
            assert tool.title == hints.title
            assert len(tool.description or "") > 80
            schema = tool.output_schema or {}
            assert {"company", "problem"} <= set(schema["properties"])
            assert all("description" in each for each in tool.input_schema["properties"].values()), tool.name
            free = [name for name in schema["properties"] if name.startswith("untrusted")]
            assert ("untrusted" in (tool.description or "")) <= bool(free)


async def test_the_schemas_are_those_that_were_looked_at(sandbox: Sandbox, state: Path) -> None:
    """After a change that is wanted: delete the file, run the test, and read the difference."""
    async with Workplace(sandbox, state).agent() as agent:
        tools = (await agent.client.list_tools()).tools
    found = {
        tool.name: {
            "title": tool.title,
            "takes": _types(tool.input_schema),
            "gives": _types(tool.output_schema or {}),
        }
        for tool in tools
    }
    if not SNAPSHOT.exists():
        SNAPSHOT.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
        pytest.fail(f"{SNAPSHOT} was written: look at it")
    assert found == json.loads(SNAPSHOT.read_text(encoding="utf-8"))


def _types(schema: dict[str, object]) -> dict[str, object]:
    """Return the properties with what a caller has to keep to; wording and order of keys may change."""
    required = schema.get("required", [])
    properties = schema.get("properties", {})
    assert isinstance(properties, dict)
    assert isinstance(required, list)
    return {
        name: _shape(each) | ({"required": True} if name in required else {})
        for name, each in properties.items()
    }


def _shape(schema: dict[str, object]) -> dict[str, object]:
    kept = ("type", "enum", "const", "$ref", "maximum", "minimum", "maxLength", "maxItems", "default")
    found = {name: schema[name] for name in kept if name in schema}
    if isinstance(items := schema.get("items"), dict):
        found["items"] = _shape(items)
    if isinstance(several := schema.get("anyOf"), list):
        found["anyOf"] = [_shape(each) for each in several]
    return found


async def test_the_client_below_the_reading_tools_refuses_changes(sandbox: Sandbox, state: Path) -> None:
    """Two locks: no tool of a reading server changes anything, and its client would refuse to."""
    work = Workplace(sandbox, state)
    with pytest.raises(InvalidCallError, match="read_only"):
        await work.plans().reads.create(WoNote(work_order_id=1, body="x"))
    with pytest.raises(InvalidCallError, match="not part of a plan"):
        await work.plans().commits.company.create(WoNote(work_order_id=1, body="x"))
    async with work.agent(writes=False) as agent:
        for tool in CHANGES:
            assert (await agent.client.call_tool(tool, {"plan": "mcp-1"})).is_error


# --- the catalogue ------------------------------------------------------------------------------


@pytest.mark.parametrize("era", ERAS)
async def test_the_catalogue_is_there_as_resources(sandbox: Sandbox, era: str) -> None:
    async with Client(make_server(sandbox.client(read_only=True).company()), mode=era) as client:
        uris = {str(each.uri) for each in (await client.list_resources()).resources}
        assert uris == {"wosdk://catalogue", "wosdk://catalogue/errors"}
        templates = {
            each.uri_template for each in (await client.list_resource_templates()).resource_templates
        }
        assert templates == {
            "wosdk://catalogue/entities/{name}",
            "wosdk://catalogue/commands/{name}",
            "wosdk://catalogue/enums/{name}",
            "wosdk://catalogue/errors/{code}",
        }
        names = await _read(client, "wosdk://catalogue")
        assert "WorkOrder" in names["entities"]
        order = await _read(client, "wosdk://catalogue/entities/WorkOrder")
        assert {"name": "Number", "type": "string"}.items() <= order["fields"][4].items()
        hold = await _read(client, "wosdk://catalogue/commands/WoOnHoldCommand")
        assert hold["changes_something"]
        states = await _read(client, "wosdk://catalogue/enums/WorkOrderStatus")
        assert "OnHold" in [each["name"] for each in states["values"]]
        conflict = await _read(client, "wosdk://catalogue/errors/ERROR_CODE_6")
        assert conflict["error"] == "ConflictError"
        with pytest.raises(MCPError, match="did you mean 'WorkOrder'"):
            await client.read_resource("wosdk://catalogue/entities/WorkOrdr")


async def _read(client: Client, uri: str) -> dict[str, list[dict[str, object]]]:
    found = (await client.read_resource(uri)).contents[0]
    assert found.mime_type == "application/json"
    data: dict[str, list[dict[str, object]]] = json.loads(found.text)
    return data


async def test_describe_shows_definitions_and_names(sandbox: Sandbox, state: Path) -> None:
    async with Workplace(sandbox, state).agent(writes=False) as agent:
        assert (await agent("describe", containing="onhold"))["names"]["commands"] == ["WoOnHoldCommand"]
        found = (await agent("describe", name="woonholdcommand"))["definition"]
        assert {"WorkOrderId", "ActionReasonId"} <= {
            each["name"] for each in found["fields"] if each.get("required")
        }
        wrong = await agent("describe", name="WoOnHoldComand")
        assert "did you mean 'WoOnHoldCommand'" in wrong["problem"]["detail"]
        assert not sandbox.requests


@pytest.mark.parametrize(
    ("tool", "arguments", "says"),
    [
        ("find_work_orders", {"limit": 101}, "limit: Input should be less than or equal to 100"),
        ("find_work_orders", {"state": ["New"]}, "no argument 'state'; did you mean 'states'?"),
        ("count_records", {"entity": "Customer", "where": []}, "'where'; it takes entity, filters"),
        (
            "count_records",
            {"entity": "Customer", "filters": [{"property": "Id", "op": "!="}]},
            "filters.0.op: unknown name; it takes property, operator, value",
        ),
        ("count_records", {}, "entity: missing"),
        ("describe", {"\x1b[31m" * 100: 1}, r"no argument '\x1b[31m"),
        ("describe", {"name": "x" * 10**6}, "name: String should have at most 100"),
    ],
)
async def test_arguments_that_do_not_fit_are_refused_and_explained(
    sandbox: Sandbox, state: Path, tool: str, arguments: dict[str, Any], says: str
) -> None:
    """The library drops arguments that it does not know: a condition among them would count all records."""
    async with Workplace(sandbox, state).agent(writes=False) as agent:
        found = await agent(tool, **arguments)
        assert agent.last is not None
        assert agent.last.is_error
        assert (found["company"], found["problem"]["kind"]) == (sandbox.client().company().name, "invalid")
        assert says in found["problem"]["detail"]
        assert len(agent.text) < 600
        assert not sandbox.requests
