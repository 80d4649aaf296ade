"""``wosdk mcp`` as a process: the protocol over its stdin and stdout, and what a kill leaves."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from click.testing import CliRunner
from mcp import Client

import wosdk_async as wosdk
from tests.cli.conftest import COMMAND, ROOT
from tests.mcp.agents import ORDER, Agent
from tests.support.laws import case, some
from tests.support.preloaded import Preloaded
from wosdk_async.cli.app import app
from wosdk_async.mcp import make_server
from wosdk_async.mcp.commits import Commits, WriteOptions
from wosdk_async.mcp.plan_journal import state_folder
from wosdk_async.mcp.plan_rules import WriteGate
from wosdk_async.mcp.plan_tools import PlanTools
from wosdk_async.sandbox import LocalCompany

WRITES = ("mcp", "--allow-writes", "--settle", "0")
HELLO: dict[str, Any] = {
    "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "by hand", "version": "1"},
    },
}


INITIALIZED = {"method": "notifications/initialized"}


def _tool(name: str, **arguments: Any) -> dict[str, Any]:
    return {"method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.fixture
def local(dialect: str) -> Iterator[LocalCompany]:
    """A Company on a real socket."""
    with LocalCompany(dialect=dialect) as company:
        yield company


def environment(local: LocalCompany, state: Path) -> dict[str, str]:
    return {
        **local.variables,
        "XDG_STATE_HOME": str(state),
        "PYTHONPATH": str(ROOT),
        "PATH": os.environ["PATH"],
    }


def start(local: LocalCompany, state: Path, *arguments: str, **options: Any) -> Preloaded:
    """Start a server whose protocol is written and read by hand."""
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    given = {"env": environment(local, state), "cwd": ROOT, "text": True, **pipes, **options}
    return Preloaded(arguments, modules=["wosdk_async.mcp"], **given)


def send(process: Preloaded, *messages: str | dict[str, Any]) -> None:
    """Write messages, each as a line; those that are texts as they are."""
    assert process.stdin is not None
    for each in messages:
        process.stdin.write(f"{each if isinstance(each, str) else json.dumps({'jsonrpc': '2.0', **each})}\n")
    process.stdin.flush()


def receive(process: Preloaded) -> dict[str, Any]:
    """Read the next message."""
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


@asynccontextmanager
async def beside(local: LocalCompany, state: Path, settle: float | None = 0) -> AsyncIterator[Agent]:
    """Connect an agent to a server in this process, with the journal of those that are processes."""
    folder = state_folder({"XDG_STATE_HOME": str(state)})
    options = WriteOptions(state=folder, settle=settle)
    gate = WriteGate()
    async with (
        wosdk.Client.from_env(local.variables, read_only=True) as reading,
        wosdk.Client.from_env(local.variables, before_send=gate) as writing,
    ):
        commits = Commits.open(writing.company(), gate, options)
        plans = PlanTools(commits=commits, reads=reading.company())
        async with Client(make_server(reading.company(), plans)) as client:
            yield Agent(client)


def test_without_the_option_there_are_only_reads(local: LocalCompany, state: Path) -> None:
    with start(local, state, "mcp") as process:
        calls = {"method": "tools/list"}, _tool("count_records", entity="Customer")
        send(
            process,
            {"id": 0, **HELLO},
            INITIALIZED,
            *({"id": id, **call} for id, call in enumerate(calls, 1)),
        )
        found = {each["id"]: each["result"] for each in (receive(process) for _ in range(3))}
    assert {tool["annotations"]["readOnlyHint"] for tool in found[1]["tools"]} == {True}
    assert found[2]["structuredContent"]["count"] > 0
    assert not state.exists()


def test_stdout_has_the_protocol_only_and_no_secret_is_anywhere(local: LocalCompany, state: Path) -> None:
    """Also with -vv, which shows requests: on stderr."""
    local.faults.add("status", operation="query", status=500)
    process = start(local, state, "-vv", *WRITES, stderr=subprocess.PIPE)
    lines = []
    for number, call in enumerate(
        (HELLO, _tool("get_record", entity="Customer", record=512), _tool("nothing"))
    ):
        send(process, *[INITIALIZED] * (number == 1), {"id": number, **call})
        lines.append(receive(process))
    rest, errors = process.communicate(timeout=20)
    assert (process.returncode, rest) == (0, "")
    assert [line["id"] for line in lines] == [0, 1, 2]
    assert "Lindqvist" in str(lines[1])
    assert "GET" in errors  # -vv has shown the request
    for secret in (local.variables["WOSDK_CLIENT_SECRET"], local.variables["WOSDK_CLIENT_ID"]):
        assert secret not in str(lines) + errors


UNREADABLE: list[tuple[str, Any, int]] = [
    (r'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"\ud800"}}', 7, -32700),
    (r'{"jsonrpc":"2.0","id":"a","method":"ping","params":{"x":"\udfff"}}', "a", -32700),
    (f'{{"jsonrpc":"2.0","id":8,"method":"ping","params":{{"x":{"9" * 5000}}}}}', 8, -32700),
    (f'{{"jsonrpc":"2.0","id":9,"method":"ping","params":{{"x":{"[" * 5000}{"]" * 5000}}}}}', 9, -32700),
    (r'{"jsonrpc":"2.0","method":"ping","params":{"id":1,"x":"\ud800"},"id":10}', None, -32700),
    (r'{"jsonrpc":"2.0","id":"\ud800","method":"ping"}', None, -32700),
    ("garbage", None, -32700),
    ("[]", None, -32600),
]


def test_a_request_that_cannot_be_read_gets_a_response(local: LocalCompany, state: Path) -> None:
    """Otherwise the client would wait for ever. The server continues, also when it comes first."""
    with start(local, state, "mcp") as process:
        for number, (line, id, code) in enumerate(UNREADABLE):
            with case(line[:60]):
                send(process, line, "", {"id": number, **HELLO})
                found = receive(process)
                assert (found["id"], found["error"]["code"]) == (id, code)
                assert receive(process)["id"] == number
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize("number", some([signal.SIGTERM, signal.SIGINT, signal.SIGHUP], 2))
def test_a_signal_ends_the_server_at_once(local: LocalCompany, state: Path, number: signal.Signals) -> None:
    """Also while its client keeps stdin open."""
    with start(local, state, *WRITES) as process:
        send(process, {"id": 1, **HELLO})
        assert receive(process)["id"] == 1
        process.send_signal(number)
        try:
            assert process.wait(10) == 128 + number
        finally:
            process.kill()


_SERVE = """
import asyncio, sys
from pathlib import Path
from wosdk_async.mcp import serve
from wosdk_async.mcp.commits import WriteOptions
from wosdk_async.testing import Sandbox

sandbox, given = Sandbox(), []

def make_client(**options):
    given.append((options.get("read_only", False), type(options.get("before_send")).__name__))
    return sandbox.client(**options)

writes = WriteOptions(state=Path(sys.argv[1])) if sys.argv[2] == "yes" else None
asyncio.run(serve(make_client, None, writes))
print(given)
raise SystemExit
"""


_READS, _WRITES = (True, "NoneType"), (False, "WriteGate")


@pytest.mark.parametrize(("writes", "clients"), [("no", [_READS]), ("yes", [_READS, _WRITES])])
def test_the_only_client_is_read_only_unless_writes_are_allowed(
    tmp_path: Path, writes: str, clients: list[tuple[bool, str]]
) -> None:
    """The first one is that of the tools that read; that which writes has the gate; nothing else is made."""
    streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "text": True}
    modules = ["wosdk_async.mcp", "wosdk_async.testing.sandbox"]
    process = Preloaded([tmp_path / "state", writes], modules=modules, code=_SERVE, **streams)
    stdout, _ = process.communicate(timeout=60)
    assert (process.returncode, stdout.split("\n")[-2]) == (0, str(clients))


# --- a server that is killed -------------------------------------------------------------------


async def orders(local: LocalCompany) -> int:
    async with wosdk.Client.from_env(local.variables) as client:
        return len(await client.company().query(wosdk.WorkOrder).all())


async def kill_while_it_commits(
    local: LocalCompany, state: Path, fields: dict[str, Any], *, carried_out: bool = False, **fault: Any
) -> str:
    """Plan, commit, and kill the server when the sandbox has got a request that the fault is for."""
    async with beside(local, state) as agent:
        plan = str((await agent("plan", **fields))["plan"])
    local.faults.add(**fault)
    process = start(local, state, *WRITES)
    try:
        send(process, {"id": 1, **HELLO}, INITIALIZED, {"id": 2, **_tool("commit", plan=plan)})
        with anyio.fail_after(60):
            while not local.faults.injected or (carried_out and not await orders(local)):
                await anyio.sleep(0.01)  # the sandbox is another thread, and tells nobody
    finally:
        process.kill()
        process.communicate()
    local.faults.clear()
    return plan


NEW = {"action": "create", "name": "WorkOrder", "fields": ORDER}


async def test_a_kill_between_the_journal_and_the_request(local: LocalCompany, state: Path) -> None:
    """It is looked up, not found, and sent: once."""
    plan = await kill_while_it_commits(local, state, NEW, operation="token", fault="latency", fixed=60)
    assert await orders(local) == 0
    async with beside(local, state) as agent:
        for _ in range(2):
            assert (await agent("commit", plan=plan))["outcome"] == "done"
    assert await orders(local) == 1


async def test_a_kill_after_the_request_was_carried_out(local: LocalCompany, state: Path) -> None:
    """Its response was never written down. The record is found by the plan's id."""
    slow = {"operation": "WoCreateCommand", "fault": "slow_drip", "pause": 60}
    plan = await kill_while_it_commits(local, state, NEW, carried_out=True, **slow)
    async with beside(local, state) as agent:
        done = await agent("commit", plan=plan)
        assert done["outcome"] == "done"
        assert done["untrusted_result"]["Wo"]["PoNumber"] == plan
    assert await orders(local) == 1


async def test_a_request_that_takes_effect_after_the_kill(local: LocalCompany, state: Path) -> None:
    """What is not there yet is not sent again as long as it may still appear."""
    late = {"operation": "WoCreateCommand", "fault": "late_commit", "after": 0.5}
    plan = await kill_while_it_commits(local, state, NEW, **late)
    async with beside(local, state, settle=None) as agent:
        outcomes = []
        with anyio.fail_after(60):
            while "done" not in outcomes:
                found = await agent("commit", plan=plan)
                outcomes.append(found["outcome"])
                await anyio.sleep(0.1)
        assert set(outcomes) <= {"in_doubt", "done"}
    assert await orders(local) == 1


async def test_two_servers_share_a_journal(local: LocalCompany, state: Path) -> None:
    with start(local, state, *WRITES) as one:
        async with beside(local, state) as two:
            plan = (await two("plan", **NEW))["plan"]
            send(one, {"id": 0, **HELLO}, INITIALIZED)
            receive(one)
            send(one, *({"id": id, **_tool("commit", plan=plan)} for id in (1, 2)))
            async with anyio.create_task_group() as group:
                found: list[str] = []
                for _ in range(2):
                    group.start_soon(_commit, two, plan, found)
            found += [receive(one)["result"]["structuredContent"]["outcome"] for _ in range(2)]
            assert set(found) <= {"done", "busy"}
            assert "done" in found
            assert (await two("commit", plan=plan))["outcome"] == "done"
    assert await orders(local) == 1


async def _commit(agent: Agent, plan: str, found: list[str]) -> None:
    done = await agent.client.call_tool("commit", {"plan": plan})
    assert done.structured_content is not None
    found.append(done.structured_content["outcome"])


# --- a server that cannot begin ----------------------------------------------------------------


def run(*code: str, **more: str) -> subprocess.CompletedProcess[str]:
    variables = {
        "PATH": os.environ["PATH"],
        "PYTHONPATH": str(ROOT),
        "XDG_CONFIG_HOME": "/nowhere",
        **more,
    }
    return subprocess.run(
        [sys.executable, *code],
        cwd=ROOT, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["mcp"], "no Company name given"),
        (["mcp", "--allow-writes"], "no Company name given"),
        (["--read-only", "mcp", "--allow-writes"], "are mutually exclusive"),
        (["mcp", "--state", "somewhere"], "need --allow-writes"),
    ],
)
def test_what_is_missing_is_one_line_on_stderr(
    arguments: list[str], says: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("WOSDK_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("XDG_CONFIG_HOME", "/nowhere")
    done = CliRunner().invoke(app, arguments)
    assert (done.exit_code, done.stdout) == (2, "")
    assert says in done.stderr


def test_without_the_extra_the_remedy_is_reported() -> None:
    done = run("-c", "import sys; sys.modules['mcp'] = None; " + COMMAND[2], "mcp")
    assert done.returncode == 2
    assert done.stderr == "wosdk: the MCP server needs mcp; run: pip install 'wosdk_async[cli,mcp]'\n"
