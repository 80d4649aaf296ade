"""A planned command that the state of its order is not known to allow has a warning; the service decides."""

from __future__ import annotations

from typing import Any

import pytest

from tests.mcp.agents import Agent, Workplace
from tests.sandbox.test_states import MOVES, REASONS, WAYS, body
from tests.support.laws import some
from tests.testing.orders import create_command
from wosdk_async import Company
from wosdk_async.testing import Sandbox

TO_COMPLETE = (
    "WoCompleteCommand is not known to move an order from state 'New' to 'Completed':"
    " the service may refuse the command; to move the order from New to InProgress, pick it up and then start"
    " it; each Company configures its state transitions."
)


@pytest.fixture
def acme(sandbox: Sandbox) -> Company:
    return sandbox.client().company()


async def order_in(acme: Company, state: str) -> int:
    """Return the id of a new order that was brought into a state."""
    made = (await acme.run(create_command())).wo
    assert made is not None
    assert made.id is not None
    for name in WAYS[state]:
        await acme.run(f"Wo{name}Command", {**body(made.id, name)["Command"]})
    return made.id


async def plan(agent: Agent, command: str, order: int, **fields: Any) -> dict[str, Any]:
    """Return the plan of a command on an order."""
    return await agent("plan", action="command", name=command, fields={"WorkOrderId": order} | fields)


def about_moves(planned: dict[str, Any]) -> list[str]:
    """Return the warnings about the move."""
    return [each for each in planned["warnings"] if "service may refuse the command" in each]


async def test_a_move_that_the_state_does_not_allow_has_the_words_of_its_refusal(
    work: Workplace, acme: Company
) -> None:
    """So the user reads before the commit what the refusal would say after it."""
    async with work.agent() as agent:
        planned = await plan(agent, "WoCompleteCommand", await order_in(acme, "New"))
        assert planned["warnings"][0] == TO_COMPLETE
        refused = await agent("commit", plan=planned["plan"])
    assert refused["outcome"] == "refused"
    assert refused["problem"]["remedy"] in planned["warnings"][0]
    assert "'New'" in refused["problem"]["untrusted_detail"]
    assert "pick it up" not in refused["problem"]["untrusted_detail"]


@pytest.mark.parametrize("before", some(WAYS, 2))
async def test_there_is_a_warning_exactly_where_the_service_refuses(
    work: Workplace, acme: Company, before: str
) -> None:
    """With the sandbox as the service. A warning never stops a commit: the refusal is the service's."""
    async with work.agent() as agent:
        for name, (target, sources) in MOVES.items():
            reason = {"ActionReasonId": REASONS[name]} if name in REASONS else {}
            planned = await plan(agent, f"Wo{name}Command", await order_in(acme, before), **reason)
            warned = about_moves(planned)
            assert len(warned) == (before not in sources.split()), name
            done = await agent("commit", plan=planned["plan"])
            assert work.sandbox.requests[-1].path.endswith(f"Wo{name}Command")
            assert done["outcome"] == ("refused" if warned else "done"), name
            if warned:
                assert done["problem"].get("remedy", "") in warned[0]
            else:
                assert done["untrusted_result"]["Wo"]["StatusId"] == target


async def test_an_order_that_is_there_already_needs_no_way_on(work: Workplace, acme: Company) -> None:
    async with work.agent() as agent:
        planned = await plan(agent, "WoOnHoldCommand", await order_in(acme, "OnHold"), ActionReasonId=2201)
    assert about_moves(planned) == [
        "The order is already in state 'OnHold': the service may refuse the command;"
        " each Company configures its state transitions."
    ]


async def test_each_spelling_has_the_warning(work: Workplace, acme: Company) -> None:
    async with work.agent() as agent:
        fields = {"work_order_id": str(await order_in(acme, "New"))}
        planned = await agent("plan", action="command", name="wocompletecommand", fields=fields)
    assert about_moves(planned) == [TO_COMPLETE]


async def test_what_moves_no_order_has_no_warning(work: Workplace, acme: Company) -> None:
    """A copy, flags and an assignment leave the state of the order as it is."""
    order = await order_in(acme, "Cancelled")
    async with work.agent() as agent:
        for command in ("WoCopyCommand", "WoSetFlagsCommand", "WoAssignCommand", "WoFlagCommand"):
            assert about_moves(await plan(agent, command, order)) == []


async def test_a_plan_reads_its_order_once(work: Workplace, acme: Company) -> None:
    """The warning needs no request of its own."""
    order = await order_in(acme, "New")
    before = len(work.sandbox.requests)
    async with work.agent() as agent:
        await plan(agent, "WoCompleteCommand", order)
    calls = [each for each in list(work.sandbox.requests)[before:] if "/base/" in each.path]
    assert len(calls) == 1
