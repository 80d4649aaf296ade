"""Each fault ends in the process as it does over a socket: the same verdict, and the same left behind."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.faulty import DOUBTFUL
from tests.testing.orders import count, create_command
from wosdk_async import Client, Company, Customer, InDoubtError
from wosdk_async.errors import ThrottledError
from wosdk_async.sandbox import Faults, FaultScriptError
from wosdk_async.testing import Sandbox


@pytest.mark.parametrize(("script", "left"), DOUBTFUL)
async def test_in_doubt(
    wosdk_company: Company, wosdk_faults: Faults, script: dict[str, Any], left: int
) -> None:
    """Sent once, without a clear response; the store holds what it holds over a socket."""
    wosdk_faults.load(script)
    with pytest.raises(InDoubtError) as raised:
        await wosdk_company.run(create_command())
    wosdk_faults.clear()
    assert (raised.value.attempts, await count(wosdk_company)) == (1, left)


@pytest.mark.parametrize(
    ("fault", "settings"),
    [
        ("latency", {"uniform": [1, 20]}),
        ("slow_drip", {"piece": 100, "pause": 0.5}),
        ("expired_token", {"first": 1}),
        ("moved_host", {"first": 1}),
        ("status", {"status": 429, "first": 2}),
    ],
)
async def test_carried_out_once(
    wosdk_company: Company, wosdk_faults: Faults, fault: str, settings: dict[str, Any]
) -> None:
    """The caller does not see faults that cost only time, a new session or another attempt."""
    await wosdk_company.connect()
    wosdk_faults.add(fault, operation="WoCreateCommand", **settings)
    await wosdk_company.run(create_command())
    assert wosdk_faults.injected[fault] >= 1
    wosdk_faults.clear()
    assert await count(wosdk_company) == 1


async def test_a_marked_create_is_found_when_it_was_late(
    wosdk_company: Company, wosdk_faults: Faults
) -> None:
    """The look-ups until the settle time pass on the one clock: nothing is created twice."""
    wosdk_faults.add("late_commit", after=10, hold=1, operation="WoCreateCommand", first=1)
    made = await wosdk_company.run(create_command("PO-KEY"), marker="work_order.po_number")
    assert made.wo is not None
    assert await count(wosdk_company, "PO-KEY") == 1


async def test_rules_add_up(wosdk_company: Company, wosdk_faults: Faults) -> None:
    """A rule comes behind those in force, and a wrong one changes nothing."""
    wosdk_faults.add("latency", fixed=1, operation="retrieve")
    wosdk_faults.add("status", status=503, operation="retrieve")
    with pytest.raises(FaultScriptError, match="rule 3: fault is 'resett'"):
        wosdk_faults.add("resett")
    with pytest.raises(ThrottledError):
        await wosdk_company.get(Customer, 512)
    assert set(wosdk_faults.injected) == {"latency", "status"}


@pytest.mark.wosdk(company=["North", "South"])
async def test_one_of_several_companies(wosdk_client: Client, wosdk_sandbox: Sandbox) -> None:
    """Rules strike the Company they name; rows, tokens and credentials are each Company's own."""
    wosdk_sandbox.faults.add("status", status=503, company="South", operation="retrieve")
    wosdk_sandbox.seed({"Customer": [{"Id": 900, "Name": "Only there"}]}, company="South")
    assert (await wosdk_client.company("North").get(Customer, 512)).id == 512
    with pytest.raises(ThrottledError):
        await wosdk_client.company("South").get(Customer, 900)
    wosdk_sandbox.faults.clear()
    assert (await wosdk_client.company("south").get(Customer, 900)).name == "Only there"
    with pytest.raises(KeyError, match="'East' here; use North, South"):
        wosdk_sandbox.variables_of("East")
