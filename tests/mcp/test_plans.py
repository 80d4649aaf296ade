"""plan, commit, settle: a change is carried out once, and a doubt is a result."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections.abc import Awaitable, Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.mcp.agents import ORDER, Agent, Workplace
from tests.support.users import make_foreign
from wosdk_async import Client, ConfigurationError, Customer, InvalidCallError, WorkOrder
from wosdk_async.mcp.commits import Commits, WriteOptions
from wosdk_async.mcp.plan_journal import PlansUnusableError, state_folder
from wosdk_async.mcp.plan_rules import WriteGate
from wosdk_async.mcp.plan_tools import PlanTools
from wosdk_async.sandbox import LocalCompany
from wosdk_async.testing import Sandbox
from wosdk_async.text.remedies import Remedy

HOLD = {"ActionReasonId": 2201, "Comment": "Belt ordered"}


async def plan_order(agent: Agent, **more: Any) -> str:
    found = await agent("plan", action="create", name="WorkOrder", fields=ORDER | more)
    assert "plan" in found, found
    return str(found["plan"])


def sent(sandbox: Sandbox, path: str) -> int:
    """Return how many requests to a path there were."""
    return sum(request.path.endswith(path) for request in sandbox.requests)


async def test_a_plan_shows_what_commit_sends_and_sends_nothing(work: Workplace) -> None:
    async with work.agent() as agent:
        planned = await agent("plan", action="create", name="WorkOrder", fields=ORDER)
        assert await work.orders() == []
        assert not any("cut" in each for each in planned["warnings"])
        (request,) = planned["would_send"]
        assert request["path"] == "api/v1/cmd/WoCreateCommand"
        assert request["body"]["Command"]["WorkOrder"]["PoNumber"] == planned["plan"]
        assert request["body"]["Command"]["ComputeSchedule"] is True
        assert planned["marker"]
        assert planned["plan"] in planned["warnings"][0]

        done = await agent("commit", plan=planned["plan"])
        assert done["outcome"] == "done"
        (order,) = await work.orders()
        assert order.po_number == planned["plan"]
        assert done["untrusted_result"]["Wo"]["Number"] == order.number


async def test_the_same_commit_again_gives_the_same_record(work: Workplace) -> None:
    async with work.agent() as agent:
        plan = await plan_order(agent)
        first = await agent("commit", plan=plan)
        assert await agent("commit", plan=plan) == first
        assert await agent("settle", plan=plan) == first
    async with work.agent() as another:  # a server that was started later
        assert await another("commit", plan=plan) == first
    assert sent(work.sandbox, "WoCreateCommand") == 1


async def test_a_command_is_carried_out_once(work: Workplace) -> None:
    async with work.agent() as agent:
        order = (await agent("commit", plan=await plan_order(agent)))["untrusted_result"]["Wo"]
        planned = await agent(
            "plan", action="command", name="WoOnHoldCommand", fields=HOLD | {"WorkOrderId": order["Id"]}
        )
        assert planned["untrusted_now"]["StatusId"] == "New"
        assert not planned["marker"]
        assert "no marker" in planned["warnings"][0]
        for _ in range(2):
            done = await agent("commit", plan=planned["plan"])
            assert done["untrusted_result"]["Wo"]["StatusId"] == "OnHold"
    assert sent(work.sandbox, "WoOnHoldCommand") == 1


async def test_an_update_is_refused_when_somebody_changed_the_record_since_the_plan(work: Workplace) -> None:
    company = work.sandbox.client().company()
    async with work.agent() as agent:
        fields = {"instructions": "Ring twice"}
        planned = await agent("plan", action="update", name="customer", record=512, fields=fields)
        assert planned["untrusted_now"]["Instructions"] == "Ring at the side door."
        assert planned["would_send"][0]["method"] == "PUT"
        await company.update(Customer(id=512), dba="Changed by somebody else")
        refused = await agent("commit", plan=planned["plan"])
        assert (refused["outcome"], refused["problem"]["kind"]) == ("refused", "conflict")
        assert agent.last is not None
        assert agent.last.is_error
        assert (await agent("commit", plan=planned["plan"]))["outcome"] == "refused"

        planned = await agent("plan", action="update", name="Customer", record=512, fields=fields)
        assert (await agent("commit", plan=planned["plan"]))["outcome"] == "done"
    assert (await company.get(Customer, 512)).instructions == "Ring twice"


async def test_a_record_can_carry_the_plan_in_a_field_of_choice(work: Workplace) -> None:
    fields = {"Name": "New Shop", "WorkZone": {"Id": 14}}
    async with work.agent() as agent:
        planned = await agent("plan", action="create", name="Customer", fields=fields, marker="TenantCode")
        assert planned["would_send"][0]["body"]["Entity"]["TenantCode"] == planned["plan"]
        done = await agent("commit", plan=planned["plan"])
    made = await work.sandbox.client().company().get(Customer, done["untrusted_result"]["Id"])
    assert made.tenant_code == planned["plan"]


async def test_a_plan_names_what_the_service_requires_and_the_order_lacks(work: Workplace) -> None:
    items = [{"Asset": {"Id": 20440}}]
    fields = {"TypeCategory": "Request", "SubType": {"Id": 259}, "Items": items}
    async with work.agent() as agent:
        planned = await agent("plan", action="create", name="WorkOrder", fields=fields)
        named = [each.split()[3] for each in planned["warnings"] if "requires" in each]
        assert named == ["Customer", "Items.Task"]
        assert (await agent("commit", plan=planned["plan"]))["outcome"] == "refused"
        whole = await agent("plan", action="create", name="WorkOrder", fields=ORDER)
        assert not any("requires" in each for each in whole["warnings"])


@pytest.mark.parametrize(
    ("by", "due"), [("create", "DtDue"), ("create", "dt_due"), ("command", "dtDue"), ("command", "DTDUE")]
)
async def test_a_due_time_is_kept_in_each_spelling_that_is_taken(work: Workplace, by: str, due: str) -> None:
    fields = ORDER | {due: "2031-05-05T08:00"}
    name, given = ("workOrder", fields) if by == "create" else ("wocreatecommand", {"workOrder": fields})
    async with work.agent() as agent:
        planned = await agent("plan", action=by, name=name, fields=given)
        body = planned["would_send"][0]["body"]["Command"]
        assert body["WorkOrder"]["DtDue"].startswith("2031-05-05T08:00")
        assert "ComputeSchedule" not in body
        assert planned["marker"]
        assert not any("due time" in each for each in planned["warnings"])
        assert (await agent("commit", plan=planned["plan"]))["outcome"] == "done"
    (order,) = await work.orders()
    assert order.dt_due is not None
    assert order.dt_due.isoformat() == "2031-05-05T08:00:00"


@pytest.mark.parametrize(
    ("id_name", "kind"), [("WorkOrderId", str), ("workOrderId", int), ("work_order_id", str)]
)
async def test_a_plan_shows_its_order_in_each_spelling_of_the_id(
    work: Workplace, id_name: str, kind: type
) -> None:
    async with work.agent() as agent:
        order = (await agent("commit", plan=await plan_order(agent)))["untrusted_result"]["Wo"]
        fields = HOLD | {id_name: kind(order["Id"])}
        planned = await agent("plan", action="command", name="woonholdcommand", fields=fields)
        assert planned["untrusted_now"]["Number"] == order["Number"]


def creating(name: str = "Customer", marker: str = "", **fields: Any) -> dict[str, Any]:
    return {"action": "create", "name": name, "fields": fields} | ({"marker": marker} if marker else {})


def updating(**fields: Any) -> dict[str, Any]:
    return {"action": "update", "name": "Customer", "record": 512, "fields": fields}


def running(name: str, **fields: Any) -> dict[str, Any]:
    return {"action": "command", "name": name, "fields": fields}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (creating("WorkOrder", **ORDER, PoNumbr="1"), "did you mean 'PoNumber'"),
        (running("WoOnHoldComand", **HOLD), "did you mean 'WoOnHoldCommand'"),
        (
            running("WoOnHoldCommand", WorkOrderId=1),
            "WoOnHoldCommand: ActionReasonId is missing; set it to the id of a reason",
        ),
        (
            creating("WorkOrder", **ORDER | {"Items": [{"Comment": "x" * 9000}]}),
            "WoCreateCommand: WorkOrder.Items[0].Comment has 9000 characters",
        ),
        (running("GetDocDownloadUrlCommand"), "changes nothing"),
        (updating(Items=[{"PerformDeletion": True}]) | {"name": "WorkOrder"}, "agents cannot delete"),
        (updating(IsRemoved=True), "agents cannot delete"),
        ({"action": "update", "name": "Customer", "fields": {"Name": "x"}}, "'record' is required"),
        (updating(Name="x", TenantCod="y"), "did you mean 'TenantCode'"),
        (creating(Name="x") | {"record": 1}, "'record' is required"),
        (creating("Employee", Password="x"), "is a secret"),
        (creating(Name="x", marker="Nam"), "no text field"),
        (creating(Name="x", marker="TaxExempt"), "no text field"),
        (creating(Name="x", marker="DisplayAs"), "may overwrite it"),
        (
            creating("WorkOrder", "ShortLocation", **ORDER),
            "ShortLocation is set by the service for new",
        ),
        (creating("WorkOrder", "TaskRefinement", **ORDER), "TaskRefinement is set by the service for new"),
        (creating(Name="x", marker="Name"), "has a value"),
        (updating(Name="x") | {"marker": "Dba"}, "only a new record"),
        (creating(Name="x" * 70_000), "bytes"),
        (creating(Name="x") | {"fields": {"Name": "x", "name": "y"}}, "Name twice"),
        (creating("WorkOrder", **ORDER, items=[{"perform_deletion": True}]), "Items twice"),
    ],
)
async def test_a_change_that_cannot_be_sent_gets_no_plan(
    work: Workplace, arguments: dict[str, Any], says: str
) -> None:
    async with work.agent() as agent:
        found = await agent("plan", **arguments)
        assert says in found["problem"]["detail"]
        assert "plan" not in found
        assert not [each for each in work.sandbox.requests if each.method != "GET"]


async def test_a_plan_expires_unless_it_was_begun(work: Workplace) -> None:
    async with work.agent() as agent:
        plan = await plan_order(agent)
        work.clock.seconds += 600
        for tool in ("settle", "commit"):
            assert (await agent(tool, plan=plan))["outcome"] == "expired"
        assert await work.orders() == []
        assert (await agent("commit", plan="mcp-0000000000000000"))["outcome"] == "unknown"


async def test_a_refusal_is_final_and_explained(work: Workplace) -> None:
    async with work.agent() as agent:
        plan = await plan_order(agent, Customer={"Id": 999_999})
        for tool in ("commit", "commit", "settle"):
            found = await agent(tool, plan=plan)
            assert found["outcome"] == "refused"
            assert "999999" in json.dumps(found["problem"])
    assert sent(work.sandbox, "WoCreateCommand") == 1


async def test_what_was_certainly_not_sent_can_be_committed_again(work: Workplace) -> None:
    async with work.agent() as agent:
        plan = await plan_order(agent)
        work.sandbox.faults.add("status", operation="token", status=503)
        found = await agent("commit", plan=plan)
        assert (found["outcome"], found["do_not_repeat"]) == ("planned", False)
        work.sandbox.faults.clear()
        assert (await agent("commit", plan=plan))["outcome"] == "done"
        assert len(await work.orders()) == 1


# --- doubts ---------------------------------------------------------------------------------


async def hold_in_doubt(work: Workplace, agent: Agent) -> str:
    """Commit a hold whose response is lost, and return its plan."""
    order = (await agent("commit", plan=await plan_order(agent)))["untrusted_result"]["Wo"]
    fields = HOLD | {"WorkOrderId": order["Id"]}
    planned = await agent("plan", action="command", name="WoOnHoldCommand", fields=fields)
    work.sandbox.faults.add("reset", operation="WoOnHoldCommand", carried_out=True)
    found = await agent("commit", plan=planned["plan"])
    work.sandbox.faults.clear()
    assert found["outcome"] == "in_doubt"
    return str(planned["plan"])


async def test_without_a_marker_a_doubt_stays_for_good(work: Workplace) -> None:
    async with work.agent() as agent:
        plan = await hold_in_doubt(work, agent)
        assert agent.last is not None
        assert not agent.last.is_error  # a client would try an error again
        for seconds, tool in ((0, "settle"), (0, "commit"), (10**6, "commit")):
            work.clock.seconds += seconds
            found = await agent(tool, plan=plan)
            assert found["outcome"] == "in_doubt"
            assert found["do_not_repeat"]
            assert "Do not repeat it" in found["next"]
            assert found["look_with"] == {"tool": "get_work_order", "arguments": {"order": "id:1"}}
        shown = await agent(found["look_with"]["tool"], **found["look_with"]["arguments"])
        assert shown["untrusted_record"]["StatusId"] == "OnHold"
    assert sent(work.sandbox, "WoOnHoldCommand") == 1


class Hooked(WriteGate):
    """Gate that calls a function before each call that it lets pass."""

    def __init__(self, before: Callable[[Any], Awaitable[None]]) -> None:
        super().__init__()
        self.before = before

    async def __call__(self, call: Any, company: str) -> Any:
        """Let a call pass."""
        found = await super().__call__(call, company)
        if found is None:
            await self.before(call)
        return found


async def test_a_doubt_with_a_marker_is_settled_by_a_later_server(work: Workplace) -> None:
    """The response is lost, and so is every look-up of that server."""
    was_sent = False

    async def before(call: Any) -> None:
        nonlocal was_sent
        if was_sent and call.reads:
            raise InvalidCallError("no look-up gets through")
        was_sent = was_sent or call.operation == "WoCreateCommand"

    async with work.agent(gate=Hooked(before)) as agent:
        plan = await plan_order(agent)
        work.sandbox.faults.add("reset", operation="WoCreateCommand", carried_out=True)
        found = await agent("commit", plan=plan)
        assert (found["outcome"], found["do_not_repeat"], found["wait_seconds"]) == ("in_doubt", True, 30)
        assert "Call settle" in found["next"]
        assert agent.last is not None
        assert not agent.last.is_error
        assert (await agent("settle", plan=plan))["outcome"] == "in_doubt"
    work.sandbox.faults.clear()
    async with work.agent() as later:
        shown = await later(found["look_with"]["tool"], **found["look_with"]["arguments"])
        assert shown["returned"] == 1
        for tool in ("settle", "commit"):
            assert (await later(tool, plan=plan))["outcome"] == "done"
    assert len(await work.orders()) == 1


async def test_a_begun_plan_is_looked_up_and_sent_again_only_when_its_time_is_over(work: Workplace) -> None:
    """A server ended between the journal and the request, or after it: the next one cannot tell."""
    async with work.agent(settle=30) as agent:
        plan = await plan_order(agent)
        journal = work.plans().commits.journal
        journal.begin(plan)
        for tool in ("commit", "settle"):
            found = await agent(tool, plan=plan)
            assert (found["outcome"], found["wait_seconds"]) == ("in_doubt", 30)
            assert found["look_with"]["arguments"]["filters"] == [{"property": "PoNumber", "value": plan}]
        assert sent(work.sandbox, "WoCreateCommand") == 0
        work.clock.seconds += 30
        assert (await agent("settle", plan=plan))["outcome"] == "planned"  # certainly not there
        assert sent(work.sandbox, "WoCreateCommand") == 0
        assert (await agent("commit", plan=plan))["outcome"] == "done"
        assert len(await work.orders()) == 1


async def test_a_longer_settle_time_is_kept(work: Workplace) -> None:
    async with work.agent(settle=90) as agent:
        plan = await plan_order(agent)
        work.plans().commits.journal.begin(plan)
        assert (await agent("commit", plan=plan))["wait_seconds"] == 90
        work.clock.seconds += 60
        assert (await agent("commit", plan=plan))["outcome"] == "in_doubt"
    assert sent(work.sandbox, "WoCreateCommand") == 0


async def test_a_begun_plan_without_a_marker_is_never_sent_again(work: Workplace) -> None:
    async with work.agent() as agent:
        planned = await agent("plan", action="create", name="WorkOrder", fields=ORDER, marker="none")
        work.plans().commits.journal.begin(planned["plan"])
        work.clock.seconds += 10**6
        assert (await agent("commit", plan=planned["plan"]))["outcome"] == "in_doubt"
    assert sent(work.sandbox, "WoCreateCommand") == 0


async def test_one_of_many_commits_at_once_sends(work: Workplace) -> None:
    """Two servers with one journal, and several commits of each at the same time."""
    async with work.agent() as one:
        plan = await plan_order(one)
        journals = [work.plans().commits, work.plans().commits]
        found = await asyncio.gather(*(journals[i % 2].outcome(plan, send=True) for i in range(6)))
        assert sorted({each.state for each in found}) == ["busy", "done"]
        assert (await one("commit", plan=plan))["outcome"] == "done"
    assert sent(work.sandbox, "WoCreateCommand") == 1


async def test_a_commit_that_was_cancelled_is_in_doubt(work: Workplace) -> None:
    arrived = asyncio.Event()

    async def before(call: Any) -> None:
        if call.operation == "WoCreateCommand":
            arrived.set()
            await asyncio.Event().wait()

    async with work.agent() as agent:
        plan = await plan_order(agent)
        task = asyncio.create_task(work.plans(gate=Hooked(before)).commits.outcome(plan, send=True))
        await arrived.wait()
        assert (await agent("commit", plan=plan))["outcome"] == "busy"
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await agent("commit", plan=plan))["outcome"] == "in_doubt"
        work.clock.seconds += 30
        assert (await agent("commit", plan=plan))["outcome"] == "done"
    assert len(await work.orders()) == 1


async def test_a_mistake_of_this_program_during_a_commit_is_a_doubt(work: Workplace) -> None:
    """It says nothing of the request: that may have been sent before."""

    async def before(call: Any) -> None:
        if call.operation == "WoCreateCommand":
            raise ZeroDivisionError("a mistake")

    async with work.agent(gate=Hooked(before)) as agent:
        plan = await plan_order(agent)
        for tool in ("commit", "settle"):
            found = await agent(tool, plan=plan)
            assert (found["outcome"], found["do_not_repeat"]) == ("in_doubt", True)
        assert "a mistake" not in agent.text


async def test_what_is_no_id_of_a_plan_is_repeated_escaped_and_without_secrets(work: Workplace) -> None:
    async with work.agent() as agent:
        for id in ("client_secret=hunter2", "mcp-\u202e0\n1"):
            assert (await agent("commit", plan=id))["outcome"] == "unknown"
            assert "hunter2" not in agent.text
            assert not {"\u202e", "\n"} & set(agent.text)


async def test_a_plan_of_another_company_is_not_there(state: Path) -> None:
    two = Sandbox(company=["One", "Two"])
    async with Workplace(two, state).agent() as agent:
        plan = await plan_order(agent)
    other = Workplace(Sandbox(company="Two"), state)
    async with other.agent() as agent:
        assert (await agent("commit", plan=plan))["outcome"] == "unknown"


async def test_a_plan_of_the_same_name_in_another_region_is_not_there(state: Path) -> None:
    """Two sandboxes, or two regions, may have a Company of one name."""
    with LocalCompany() as one, LocalCompany() as two:
        assert one.variables["WOSDK_COMPANY"] == two.variables["WOSDK_COMPANY"]
        found = []
        for local in (one, two):
            gate = WriteGate()
            async with Client.from_env(local.variables, before_send=gate) as client:
                company = client.company()
                commits = Commits.open(company, gate, WriteOptions(state=state))
                tools = PlanTools(commits=commits, reads=company)
                if not found:
                    planned = await tools.plan("create", "WorkOrder", dict(ORDER))
                found.append((await tools.settle(str(planned.plan))).outcome)
    assert found == ["planned", "unknown"]


async def test_a_result_is_not_lost_with_the_journal(work: Workplace) -> None:
    """The file of plans breaks while the request is under way."""

    async def before(call: Any) -> None:
        if call.operation in ("WoCreateCommand", "WoOnHoldCommand"):
            with closing(sqlite3.connect(work.state / "plans.db")) as journal:
                journal.execute("ALTER TABLE plan RENAME TO gone")

    async with work.agent(gate=Hooked(before)) as agent:
        made = await agent("commit", plan=await plan_order(agent))
        assert made["outcome"] == "done"
        with closing(sqlite3.connect(work.state / "plans.db")) as journal:
            journal.execute("ALTER TABLE gone RENAME TO plan")
        fields = HOLD | {"WorkOrderId": made["untrusted_result"]["Wo"]["Id"]}
        planned = await agent("plan", action="command", name="WoOnHoldCommand", fields=fields)
        work.sandbox.faults.add("reset", operation="WoOnHoldCommand", carried_out=True)
        doubt = await agent("commit", plan=planned["plan"])
        assert (doubt["outcome"], doubt["do_not_repeat"]) == ("in_doubt", True)


# --- the journal ----------------------------------------------------------------------------


async def test_a_plan_is_on_the_disk_before_it_is_sent(work: Workplace) -> None:
    """When a request of it leaves, the file says that it was begun, and not only to this connection."""
    states = []

    async def before(call: Any) -> None:
        with closing(sqlite3.connect(work.state / "plans.db")) as journal:
            states.append((call.operation, journal.execute("SELECT state FROM plan").fetchone()[0]))

    async with work.agent() as agent:
        plan = await plan_order(agent)
        await work.plans(gate=Hooked(before)).commits.outcome(plan, send=True)
    assert states == [("query WorkOrder", "sending"), ("WoCreateCommand", "sending")]


async def test_only_the_owner_can_read_plans(work: Workplace) -> None:
    async with work.agent() as agent:
        await plan_order(agent)
    for path in (work.state, work.state / "plans.db", work.state / "locks"):
        assert path.stat().st_mode & 0o077 == 0
    for path, mode, remedy in (
        (work.state / "plans.db", 0o644, "chmod 600"),
        (work.state / "locks", 0o777, "chmod 700"),
        (work.state, 0o750, "chmod 700"),
    ):
        before = path.stat().st_mode
        path.chmod(mode)
        with pytest.raises(ConfigurationError, match=remedy):
            work.plans()
        path.chmod(before)
    work.plans()


@pytest.mark.parametrize("name", ["", "plans.db", "locks"])
async def test_no_link_leads_to_plans(work: Workplace, tmp_path: Path, name: str) -> None:
    """What is behind a link is made and kept by somebody else."""
    work.plans()
    path = work.state / name
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(ConfigurationError, match="is a link"):
        work.plans()


async def test_plans_of_another_user_are_not_used(work: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Root can read them, whatever their mode is."""
    work.plans()
    make_foreign(work.state, monkeypatch)
    with pytest.raises(ConfigurationError, match="belongs to another user"):
        work.plans()


def test_a_link_in_place_of_a_lock_is_not_followed(work: Workplace, tmp_path: Path) -> None:
    plans = work.plans().commits.journal
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    (work.state / "locks" / "p-1").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PlansUnusableError) as caught, plans.lock("p-1"):
        pass
    assert str(tmp_path) not in str(caught.value)
    assert list((tmp_path / "elsewhere").iterdir()) == []


def test_plans_that_cannot_be_opened_name_no_path(work: Workplace, tmp_path: Path) -> None:
    """The text goes to agents."""
    plans = work.plans().commits.journal
    (work.state / "plans.db").unlink()
    (work.state / "plans.db").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(PlansUnusableError) as caught:
        plans.get("p-1")
    assert str(tmp_path) not in str(caught.value)


def test_a_folder_that_cannot_be_used_is_named(work: Workplace, tmp_path: Path) -> None:
    work.state = tmp_path / "file" / "state"
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match="plans cannot be stored") as caught:
        work.plans()
    assert caught.value.remedies == (Remedy.STATE_FOLDER,)


def test_plans_are_kept_where_the_user_keeps_such_files(tmp_path: Path) -> None:
    assert state_folder({"XDG_STATE_HOME": str(tmp_path)}) == tmp_path / "wosdk" / "mcp"
    assert state_folder({"XDG_STATE_HOME": "relative"}) == Path.home() / ".local" / "state" / "wosdk" / "mcp"


async def test_a_plan_holds_no_secret_and_the_journal_no_token(work: Workplace) -> None:
    async with work.agent() as agent:
        await agent("commit", plan=await plan_order(agent))
    content = (work.state / "plans.db").read_bytes()
    for name in ("WOSDK_CLIENT_ID", "WOSDK_CLIENT_SECRET"):
        assert work.sandbox.variables[name].encode() not in content
    assert b"No cold air" in content
    assert isinstance((await work.orders())[0], WorkOrder)


async def test_an_update_of_the_state_says_which_commands_move_an_order(work: Workplace) -> None:
    """In the names of commands: the methods of the client are nothing to an agent."""
    async with work.agent() as agent:
        order = (await agent("commit", plan=await plan_order(agent)))["untrusted_result"]["Wo"]
        planned = await agent(
            "plan", action="update", name="WorkOrder", record=order["Id"], fields={"StatusId": "Completed"}
        )
        found = (await agent("commit", plan=planned["plan"]))["problem"]
    assert "WoCompleteCommand" in found["remedy"]
    assert "company.work_orders" not in str(found)
