"""The fixture of faults, and the clock beside it; tests/sandbox/test_faults_client has each kind of fault."""

from __future__ import annotations

import contextlib

import pytest

from tests.testing.orders import count, create_command
from wosdk_async import Client, Company, Customer, InDoubtError, WoCreateCommand
from wosdk_async.errors import BusinessRuleError, ConflictError, NotFoundError, RefusedError, ThrottledError
from wosdk_async.sandbox import Faults, FaultScriptError
from wosdk_async.testing import Sandbox


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


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("BUSINESS_LOGIC_ERROR", BusinessRuleError),
        ("ERROR_CODE_6", ConflictError),
        ("ERROR_CODE_1019", NotFoundError),
        ("MAINTENANCE_WINDOW", RefusedError),
        ("", RefusedError),
    ],
)
async def test_a_refusal_by_a_rule_of_the_company(
    wosdk_company: Company, wosdk_faults: Faults, code: str, error: type[RefusedError]
) -> None:
    """Code and message are the test's; nothing is created, and the next create is accepted."""
    text = "NTE above 5000 needs <approval>"
    wosdk_faults.add("status", status=400, code=code, message=text, operation="WoCreateCommand", first=1)
    with pytest.raises(error) as refused:
        await wosdk_company.run(create_command())
    assert type(refused.value) is error
    assert (refused.value.code, text in str(refused.value)) == (code or "HTTP_400", True)
    await wosdk_company.run(create_command())
    assert await count(wosdk_company) == 1


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


@pytest.mark.parametrize("kind", ["expired_token", "request_id", "moved_host"])
async def test_a_fault_counts_only_where_it_has_an_effect(
    wosdk_sandbox: Sandbox, wosdk_company: Company, wosdk_faults: Faults, kind: str
) -> None:
    """The token request is passed over by all, and the rest of the log-in by two."""
    wosdk_faults.add(kind, first=1)
    with pytest.raises(InDoubtError) if kind == "request_id" else contextlib.nullcontext():
        await wosdk_company.run(create_command())
    assert wosdk_faults.injected[kind] == 1
    names = {"token": "t", "GetCompanyWsdkUrlCommand": "d", "WoCreateCommand": "create"}
    assert (
        " ".join(names[each.path.rpartition("/")[2]] for each in wosdk_sandbox.requests)
        == {
            "expired_token": "t d t d create",
            "request_id": "t d create",
            "moved_host": "t d create t d create",
        }[kind]
    )
    refused = wosdk_sandbox.requests[1 if kind == "expired_token" else 2].status
    assert refused == {"expired_token": 403, "request_id": 200, "moved_host": 400}[kind]


def test_a_rule_is_given_as_in_a_script_or_with_a_command_class() -> None:
    faults = Faults()
    faults.add({"fault": "reset", "first": 1})
    faults.add("reset", operation=WoCreateCommand)
    faults.add("reset", operation=["create", WoCreateCommand])
    first, single, several = faults.script.written()["rule"]
    assert first == {"fault": "reset", "first": 1}
    assert (single["operation"], several["operation"]) == (["WoCreateCommand"], ["create", "WoCreateCommand"])
