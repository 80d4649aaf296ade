"""A service that repeats the token and the client secret: an agent sees neither, whichever tool it calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client

from tests.mcp.agents import Agent, Workplace
from tests.mcp.test_plans import Hooked
from tests.support.service import Answer, Request, Service, error
from wosdk_async import BusinessRuleError, Credentials, NotUniqueError
from wosdk_async.mcp import make_server
from wosdk_async.mcp.commits import Commits, WriteOptions
from wosdk_async.mcp.plan_rules import WriteGate
from wosdk_async.mcp.plan_tools import PlanTools
from wosdk_async.mcp.results import Result, as_tool
from wosdk_async.testing import Sandbox

SECRET = 'cl13nt/"w&Lm3+Xr8tPv2B'
TOKEN = "eyJhbGciOi.J9tR4~vN8_qW2-0aQ"
PIECE = 12


def repeating(request: Request) -> Answer:
    """Repeat what only the service and the client know, in texts, in names, and where a text is cut."""
    said = f"{TOKEN} {SECRET} {quote(SECRET, safe='')}"
    if request.path.endswith("/GetCommand"):
        return error(400, said, said)
    record = {"Id": 7, "ConcurrencyId": 3, "Number": said, "Name": "x" * 3990 + said, said: 1}
    record |= {
        "DisplayAs": json.dumps({"a": said}),
        "Notes": [{"Body": said}],
        "WorkZone": {"DisplayAs": said},
    }
    if "/query/" in request.path:
        return Answer(body={"Entities": [{"Data": record}]}, headers={"X-Echo": said})
    if "/cmd/" in request.path:
        return Answer(body={"CommandResult": {"Wo": record, "Note": said}})
    if request.method == "GET":
        return Answer(body={"Data": record})
    return Answer(body={"EntitySpecifier": {"Id": 7, "ConcurrencyId": 4}, "Note": said})


def leaks(text: str) -> set[str]:
    """Return the pieces of the secrets in a text, whether or not JSON has escaped them."""
    forms = {quote(SECRET, safe=""), json.dumps(SECRET)[1:-1], SECRET, TOKEN}
    pieces = {form[at : at + PIECE] for form in forms for at in range(len(form) - PIECE + 1)}
    return {piece for piece in pieces if piece in text}


def kept(folder: Path) -> list[str]:
    """Return what the files below a folder hold."""
    return [path.read_bytes().decode("latin-1") for path in folder.rglob("*") if path.is_file()]


@pytest.fixture
def service() -> Service:
    made = Service(repeating)
    made.on_token = lambda _: Answer(body={"access_token": TOKEN, "expires_in": 1199})
    return made


async def test_no_tool_shows_what_a_response_repeats(service: Service, state: Path) -> None:
    """In records, rows, choices, errors, plans and results, nor do the plans on the disk hold it."""
    pair = {"credentials": Credentials("id-1", SECRET)}
    gate = WriteGate()
    async with (
        service,
        service.client(read_only=True, **pair) as reads,
        service.client(before_send=gate, **pair) as writes,
    ):
        company = reads.company()
        commits = Commits.open(writes.company(), gate, WriteOptions(state=state, settle=0))
        plans = PlanTools(commits=commits, reads=company)
        async with Client(make_server(company, plans)) as client:
            agent = Agent(client)
            shown = []

            async def call(tool: str, **arguments: Any) -> dict[str, Any]:
                found = await agent(tool, **arguments)
                shown.append(json.dumps(found) + agent.text)
                return found

            for tool, arguments in (
                ("get_record", {"entity": "Customer", "record": 7}),
                ("get_record", {"entity": "Customer", "record": "N1"}),
                ("query_records", {"entity": "Customer"}),
                ("get_work_order", {"order": "id:7"}),
                ("find_work_orders", {}),
                ("list_choices", {"kind": "priorities"}),
                ("list_choices", {"kind": "hold_reasons"}),
            ):
                await call(tool, **arguments)
            planned = await call("plan", action="update", name="Customer", record=7, fields={"Dba": "x"})
            held = await call(
                "plan",
                action="command",
                name="WoOnHoldCommand",
                fields={"WorkOrderId": 7, "ActionReasonId": 1},
            )
            for made in (planned, held):
                done = await call("commit", plan=made["plan"])
                assert done["outcome"] == "done"
        assert "***" in shown[0]
        assert not leaks("\n".join(shown))
    files = kept(state)
    assert files
    assert not leaks("\n".join(files))


async def test_a_plan_that_repeats_a_secret_says_so(state: Path) -> None:
    """The agent may have read it elsewhere. It is sent whole, so a warning names the place."""
    sandbox = Sandbox()
    work = Workplace(sandbox, state)
    secret = sandbox.variables["WOSDK_CLIENT_SECRET"]
    async with work.agent() as agent:
        planned = await agent(
            "plan", action="update", name="Customer", record=512, fields={"Dba": f"<{secret}>"}
        )
        assert secret not in agent.text
    assert planned["would_send"][0]["body"]["Entity"]["Dba"] == "<***>"
    assert any(each.startswith("body.Entity.Dba ") for each in planned["warnings"])


async def test_a_refused_plan_keeps_no_secret(state: Path) -> None:
    """Whoever raises the error: what it says is on the disk as the agent sees it."""
    sandbox = Sandbox()
    work = Workplace(sandbox, state)
    secret = sandbox.variables["WOSDK_CLIENT_SECRET"]

    async def before(_: Any) -> None:
        raise BusinessRuleError(f"no customer is named {secret}", status=400)

    async with work.agent() as agent:
        made = await agent("plan", action="update", name="Customer", record=512, fields={"Dba": "x"})
        commits = work.plans(gate=Hooked(before)).commits
        await commits.company.connect()
        ending = await commits.outcome(made["plan"], send=True)
    assert ending.state == "refused"
    files = "\n".join(kept(state))
    assert "no customer is named" in files
    assert secret not in files


async def test_an_error_that_names_a_value_of_a_record() -> None:
    """The library raises it, so no reader of a response has hidden anything in it."""
    sandbox = Sandbox()
    secret = sandbox.variables["WOSDK_CLIENT_SECRET"]

    async def tool() -> Result:
        raise NotUniqueError(f"two records are named {secret}")

    company = sandbox.client().company()
    await company.connect()
    found = await as_tool(tool, company)()
    assert found.structured_content is not None
    shown = found.structured_content["problem"]["untrusted_detail"]
    assert secret not in shown
    assert "***" in shown
