"""The client of docs/examples: it asks, commits once, and follows a doubt until the plan is settled."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from docs.examples import mcp_client
from docs.examples.mcp_client import ORDER, ask, carry_out, run
from tests.cli.conftest import ROOT
from tests.mcp.agents import ByService, Workplace, creates
from tests.support.preloaded import python
from wosdk_async.sandbox import LocalCompany
from wosdk_async.testing import Sandbox


@pytest.fixture
def work(sandbox: Sandbox, state: Path) -> Workplace:
    """A workplace whose servers have the clock of the service."""
    return ByService(sandbox, state)


async def plan_of(agent: Any, name: str = "WorkOrder", **more: Any) -> str:
    arguments = {"action": "create", "name": name, "fields": ORDER} | more
    return str((await agent("plan", **arguments))["plan"])


def test_the_program_does_what_the_person_says(tmp_path: Path, dialect: str) -> None:
    """As it stands, with the command that pip installs and a Company on a real socket."""
    program = f"import runpy; runpy.run_path({mcp_client.__file__!r}, run_name='__main__')"
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with LocalCompany(dialect=dialect) as local:
        variables = {
            **local.variables,
            "XDG_STATE_HOME": str(tmp_path),
            "PATH": path,
            "PYTHONPATH": str(ROOT),
        }
        process = python(program, modules=["wosdk_async.mcp"], env=variables, **pipes)
        printed, said = process.communicate("y\n", timeout=60)
        assert (process.returncode, said) == (0, "")
    assert "find_work_orders: Find work orders" in printed
    assert '"Comment": "No cold air"' in printed
    assert "Warning: PoNumber will be mcp-" in printed
    assert "done RSC000001" in printed


async def test_a_plan_that_the_person_declines_is_not_sent(
    work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("builtins.input", lambda _: "n")
    async with work.agent() as agent:
        assert await run(agent.client, ask) is None
    assert creates(work.sandbox) == 0


async def test_a_doubt_is_followed_until_the_order_is_there(work: Workplace) -> None:
    """Waiting as long as the result says, and without a second plan."""
    waited = []

    async def wait(seconds: float) -> None:
        waited.append(seconds)
        work.sandbox.clock.advance(seconds=seconds)

    async with work.agent(settle=30) as agent:
        plan = await plan_of(agent)
        work.sandbox.faults.add("late_commit", after=20, operation="WoCreateCommand")
        done = await carry_out(agent.client, plan, wait)
    assert done["outcome"] == "done"
    assert [order.po_number for order in await work.orders()] == [plan]
    assert (creates(work.sandbox), bool(waited)) == (1, True)


async def test_what_was_not_carried_out_is_sent_again_by_the_same_plan(work: Workplace) -> None:
    """The request was lost before the service had it: the look-up says so, once the time is over."""

    async def wait(seconds: float) -> None:
        work.sandbox.faults.clear()
        work.sandbox.clock.advance(seconds=seconds)

    async with work.agent(settle=30) as agent:
        plan = await plan_of(agent)
        work.plans().commits.journal.begin(plan)  # a server ended between the journal and the request
        done = await carry_out(agent.client, plan, wait)
    assert done["outcome"] == "done"
    assert [order.po_number for order in await work.orders()] == [plan]


async def test_a_doubt_without_a_marker_is_told_and_not_repeated(
    work: Workplace, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody can know, so the person gets the words of the server and the call that shows the effect."""
    monkeypatch.setitem(ORDER, "PoNumber", "4711")  # then the plan has no marker
    async with work.agent(settle=0) as agent:

        def agree(planned: dict[str, Any]) -> bool:
            assert planned["would_send"]
            work.sandbox.faults.add("reset", operation="WoCreateCommand", carried_out=True)
            return True

        done = await run(agent.client, agree)
    assert done is not None
    assert (done["outcome"], creates(work.sandbox)) == ("in_doubt", 1)
    shown = capsys.readouterr().out
    assert "Do not repeat it" in shown
    assert "query_records" in shown


async def test_what_cannot_be_planned_is_an_error_with_its_words(
    work: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(ORDER, "Cutsomer", {"Id": 512})
    async with work.agent() as agent:
        with pytest.raises(RuntimeError, match="Cutsomer"):
            await run(agent.client, lambda _: True)
    assert await work.orders() == []
