"""Effects that appear late, and a folder of plans that fails: by the clock of the service, without waits."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.mcp.agents import ORDER, ByService, Workplace, creates
from wosdk_async import WoCreateCommand, WorkOrder, from_dict
from wosdk_async.mcp.plan_journal import Plan, PlanBusyError, PlanJournal
from wosdk_async.mcp.plan_rules import WriteGate
from wosdk_async.protocol.writes import State
from wosdk_async.testing import Sandbox


@pytest.fixture
def work(sandbox: Sandbox, state: Path) -> Workplace:
    """A workplace whose servers have the clock of the service."""
    return ByService(sandbox, state)


async def planned(agent: Any) -> str:
    return str((await agent("plan", action="create", name="WorkOrder", fields=ORDER))["plan"])


@pytest.mark.parametrize("seconds", [12, 20, 29])
async def test_an_effect_that_appears_after_a_commit_in_doubt_is_found_and_not_made_again(
    work: Workplace, seconds: int
) -> None:
    """The commit was given up. Until the effect is there, no later commit of any server sends it."""
    async with work.agent(settle=30) as agent:
        plan = await planned(agent)
        work.sandbox.faults.add("late_commit", after=seconds, operation="WoCreateCommand")
        assert (await agent("commit", plan=plan))["outcome"] == "in_doubt"
    work.sandbox.faults.clear()
    async with work.agent(settle=30) as later:
        for tool in ("settle", "commit"):
            found = await later(tool, plan=plan)
            assert (found["outcome"], found["do_not_repeat"]) == ("in_doubt", True)
        work.sandbox.clock.advance(seconds=seconds)
        for tool in ("settle", "commit"):
            assert (await later(tool, plan=plan))["outcome"] == "done"
        work.sandbox.clock.advance(seconds=100)
        assert (await later("commit", plan=plan))["outcome"] == "done"
    assert [order.po_number for order in await work.orders()] == [plan]
    assert creates(work.sandbox) == 1


async def test_the_time_that_an_earlier_server_waited_is_not_believed(work: Workplace) -> None:
    """Its clock may have been another one, and it may have been stopped meanwhile."""
    async with work.agent(settle=30) as agent:
        plan = await planned(agent)
        work.plans().commits.journal.begin(plan)
        assert (await agent("settle", plan=plan))["outcome"] == "in_doubt"
    work.sandbox.clock.advance(seconds=30)
    async with work.agent(settle=30) as later:
        found = await later("settle", plan=plan)
        assert (found["outcome"], found["wait_seconds"]) == ("in_doubt", 30)
        work.sandbox.clock.advance(seconds=30)
        assert (await later("settle", plan=plan))["outcome"] == "planned"


async def test_what_another_server_sent_meanwhile_has_to_settle_from_then(work: Workplace) -> None:
    async with work.agent(settle=30) as agent:
        plan = await planned(agent)
        other = work.plans().commits.journal
        other.begin(plan)
        assert (await agent("settle", plan=plan))["outcome"] == "in_doubt"
        work.sandbox.clock.advance(seconds=30)
        other.plan_again(plan)
        other.begin(plan)
        other.end(plan, State.IN_DOUBT)
        found = await agent("commit", plan=plan)
        assert (found["outcome"], found["wait_seconds"]) == ("in_doubt", 30)
    assert creates(work.sandbox) == 0


async def test_a_commit_waits_for_a_late_effect_itself_if_there_is_time(work: Workplace) -> None:
    async with work.agent(settle=30) as agent:
        plan = await planned(agent)
        work.sandbox.faults.add("late_commit", after=10, hold=1, operation="WoCreateCommand", first=1)
        assert (await agent("commit", plan=plan))["outcome"] == "done"
    assert [order.po_number for order in await work.orders()] == [plan]
    assert creates(work.sandbox) == 1


# --- a folder that fails ----------------------------------------------------------------------


def garbage(file: Path) -> None:
    file.write_bytes(b"no database" * 1000)


def damaged(state: str) -> Callable[[Path], None]:
    """Return a function that damages each plan of a file."""

    def damage(file: Path) -> None:
        with closing(sqlite3.connect(file)) as journal, journal:
            journal.execute(f"UPDATE plan SET {state}")  # noqa: S608 - our texts

    return damage


@pytest.mark.parametrize(
    "harm",
    [
        garbage,
        Path.unlink,
        damaged("state = 'sent'"),
        damaged("fields = '{'"),
        damaged("expires = 9e999"),
    ],
    ids=["garbage", "removed", "state", "fields", "time"],
)
async def test_plans_that_cannot_be_read_send_nothing_and_say_so(
    work: Workplace, harm: Callable[[Path], None]
) -> None:
    """Not as a mistake of the arguments: an agent would plan the same again."""
    async with work.agent() as agent:
        plan = await planned(agent)
        file = work.state / "plans.db"
        harm(file)
        was_there = file.exists()
        for tool in ("commit", "settle"):
            found = await agent(tool, plan=plan)
            assert found["problem"]["kind"] == "configuration"
            assert "Nothing was sent this time" in found["problem"]["detail"]
            assert "Do not plan committed changes again" in found["problem"]["remedy"]
            assert str(work.state) not in agent.text
        assert file.exists() == was_there  # a new one could be read by others
    assert creates(work.sandbox) == 0


async def test_a_lock_that_cannot_be_taken_keeps_a_doubt(work: Workplace) -> None:
    async with work.agent() as agent:
        first, second, third = [await planned(agent) for _ in range(3)]
        work.plans().commits.journal.begin(second)
        assert (await agent("commit", plan=third))["outcome"] == "done"
        (work.state / "locks").rename(work.state / "gone")
        (work.state / "locks").write_bytes(b"")
        for plan, outcome in ((first, "planned"), (second, "in_doubt")):
            found = await agent("commit", plan=plan)
            assert (found["outcome"], found["do_not_repeat"]) == (outcome, outcome == "in_doubt")
            assert found["problem"]["kind"] == "configuration"
        assert (await agent("commit", plan=third))["outcome"] == "done"
    assert creates(work.sandbox) == 1


async def test_a_plan_begins_once_even_without_locks(work: Workplace) -> None:
    async with work.agent() as agent:
        plan = await planned(agent)
    journal = work.plans().commits.journal
    journal.begin(plan)
    for each in (plan, "mcp-0000000000000000"):
        with pytest.raises(PlanBusyError):
            journal.begin(each)
    found = journal.get(plan)
    assert found is not None
    assert found.state is State.SENDING


async def test_a_plan_that_cannot_be_written_down_as_begun_is_not_sent(work: Workplace) -> None:
    """The disk is full: the plan can still be read."""
    async with work.agent() as agent:
        plan = await planned(agent)
        with closing(sqlite3.connect(work.state / "plans.db")) as journal, journal:
            journal.execute(
                "CREATE TRIGGER full BEFORE UPDATE ON plan BEGIN SELECT RAISE(ABORT, 'full'); END"
            )
        found = await agent("commit", plan=plan)
        assert (found["outcome"], found["problem"]["kind"]) == ("planned", "configuration")
        assert creates(work.sandbox) == 0
        with closing(sqlite3.connect(work.state / "plans.db")) as journal, journal:
            journal.execute("DROP TRIGGER full")
        assert (await agent("commit", plan=plan))["outcome"] == "done"
    assert creates(work.sandbox) == 1


async def test_what_another_server_did_between_the_look_and_the_lock_is_seen(work: Workplace) -> None:
    async with work.agent() as agent:
        plan = await planned(agent)
        late = work.plans().commits
        seen = late.journal.get(plan)
        done = await agent("commit", plan=plan)

    class Late(PlanJournal):
        """Journal whose first look is from before the commit of the other server."""

        def get(self, id: str) -> Plan | None:
            nonlocal seen
            found, seen = seen or super().get(id), None
            return found

    ending = await attrs.evolve(late, journal=Late(work.state, work.clock)).outcome(plan, send=True)
    assert (ending.state, ending.record) == ("done", done["untrusted_result"])
    assert creates(work.sandbox) == 1


# --- the field of the marker is edited ----------------------------------------------------------


async def test_two_records_with_the_id_of_a_plan_keep_it_in_doubt(work: Workplace) -> None:
    async with work.agent() as agent:
        plan = await planned(agent)
        journal = work.plans().commits.journal
        for _ in range(2):
            order = from_dict(WorkOrder, {**ORDER, "PoNumber": plan})
            await work.sandbox.client().company().run(WoCreateCommand(work_order=order))
        journal.begin(plan)
        for _ in range(2):
            work.sandbox.clock.advance(seconds=100)
            for tool in ("settle", "commit"):
                found = await agent(tool, plan=plan)
                assert (found["outcome"], found["do_not_repeat"]) == ("in_doubt", True)
                assert found["problem"]["kind"] == "not-unique"
    assert len(await work.orders()) == 2


async def test_an_order_with_the_id_of_a_plan_is_its_order_as_the_manual_says(work: Workplace) -> None:
    """A commit looks for the id before it sends: whoever wrote it, there is no second order."""
    async with work.agent() as agent:
        plan = await planned(agent)
        made = from_dict(WoCreateCommand, {"WorkOrder": ORDER | {"PoNumber": plan}})
        await work.sandbox.client().company().run(made)
        before = creates(work.sandbox)
        assert (await agent("commit", plan=plan))["outcome"] == "done"
    assert creates(work.sandbox) == before
    assert [each.po_number for each in await work.orders()] == [plan]


async def test_one_look_that_finds_nothing_is_not_believed(work: Workplace) -> None:
    """It may have read the response of another request; the second look finds the order."""
    looks = 0

    class Looking(WriteGate):
        """Gate that makes the order after the first look."""

        async def __call__(self, call: Any, company: str) -> Any:
            nonlocal looks
            looks += call.reads
            if looks == 2:
                made = from_dict(WoCreateCommand, {"WorkOrder": ORDER | {"PoNumber": plan}})
                await work.sandbox.client().company().run(made)
            return await super().__call__(call, company)

    async with work.agent(settle=30, gate=Looking()) as agent:
        plan = await planned(agent)
        work.plans().commits.journal.begin(plan)
        assert (await agent("settle", plan=plan))["outcome"] == "in_doubt"
        work.sandbox.clock.advance(seconds=30)
        looks = 0
        assert (await agent("settle", plan=plan))["outcome"] == "done"
    assert [each.po_number for each in await work.orders()] == [plan]


async def test_a_marker_that_was_edited_hides_its_record_as_the_manual_says(work: Workplace) -> None:
    """The risk that is left: it is not found, and after the time of --settle it is sent again."""
    async with work.agent(settle=30) as agent:
        plan = await planned(agent)
        await agent("commit", plan=plan)
        (order,) = await work.orders()
        await work.sandbox.client().company().update(WorkOrder(id=order.id), po_number="PO 7")
        journal = work.plans().commits.journal
        journal.plan_again(plan)
        journal.begin(plan)
        assert (await agent("commit", plan=plan))["outcome"] == "in_doubt"
        assert len(await work.orders()) == 1
        work.sandbox.clock.advance(seconds=30)
        assert (await agent("commit", plan=plan))["outcome"] == "done"
    assert [each.po_number for each in await work.orders()] == ["PO 7", plan]


async def test_a_gateway_that_refuses_what_was_done_makes_two_as_the_manual_says(work: Workplace) -> None:
    """A risk that is left: a 429 is believed, whoever sends it."""
    async with work.agent() as agent:
        plan = await planned(agent)
        work.sandbox.faults.add(
            "status", status=429, body="html", carried_out=True, operation="WoCreateCommand", first=1
        )
        assert (await agent("commit", plan=plan))["outcome"] == "done"
    assert [each.po_number for each in await work.orders()] == [plan, plan]
