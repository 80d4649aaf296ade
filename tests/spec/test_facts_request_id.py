"""Facts 5 and 6: a RequestId beside Command is the last key of every success and every error."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.spec.local import Local, create_request
from tests.spec.rules import spec
from wosdk_async.sandbox import LocalCompany

ERROR = ["ErrorMessage", "ErrorCode", "TimeStamp"]


@pytest.fixture(scope="module")
def local() -> Iterator[Local]:
    with LocalCompany(dialect="recorded") as company, Local(company.variables) as opened:
        yield opened


@pytest.fixture(scope="module")
def by_the_specification() -> Iterator[Local]:
    with LocalCompany(dialect="spec") as company, Local(company.variables) as opened:
        yield opened


def test_the_specification_shows_three_members(by_the_specification: Local) -> None:
    """Spec 4.2 and 7: a success has the RequestId, an error body three members; facts 12 row 9."""
    made = by_the_specification.command("WoCreateCommand", create_request(), "r-9")
    assert list(made.json()) == ["CommandResult", "RequestId"]
    refused = by_the_specification.command("WoPickUpCommand", {}, "r-9")
    assert (refused.status_code, list(refused.json())) == (400, ERROR)


@spec("4.2", "command endpoint")
def test_success(local: Local) -> None:
    """Facts 5: the RequestId comes back as it was sent, behind CommandResult."""
    reply = local.command("WoCreateCommand", create_request(), "Ångström / 17")
    assert (reply.status_code, list(reply.json())) == (200, ["CommandResult", "RequestId"])
    assert reply.json()["RequestId"] == "Ångström / 17"


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("WoPickUpCommand", {}),
        ("WoPickUpCommand", {"WorkOrderId": 10**9}),
        ("WoCompleteCommand", None),
        ("NoSuchCommand", {}),
        ("Workzone/delete", {"WorkZoneId": 14}),
        ("CompositeCommand", {"Commands": []}),
    ],
)
def test_error(local: Local, name: str, command: Any) -> None:
    """Facts 6: three members, and the RequestId as the last key: whatever went wrong."""
    reply = local.command(name, command, "r-9")
    assert (reply.status_code, list(reply.json())) == (400, [*ERROR, "RequestId"])
    assert reply.json()["RequestId"] == "r-9"


def test_refused_before_the_command_is_looked_at(local: Local) -> None:
    """Facts 1, 2 and 6: a token that is not valid and another host's Company echo as well."""
    body = {"Command": {}, "RequestId": "r-9"}
    for headers, code in (
        ({"Authorization": "Bearer stale"}, "INCORRECT_TOKEN"),
        ({"CompanyName": "Nobody"}, "DATABASE_VERSION_MISMATCH"),
    ):
        reply = local.send("POST", "cmd/WoStartCommand", body, headers=headers)
        assert (reply.json()["ErrorCode"], list(reply.json())[-1]) == (code, "RequestId")
        assert reply.json()["RequestId"] == "r-9"


def test_none_was_sent(local: Local) -> None:
    """Facts 6: the key is absent otherwise; facts 5: one inside Command is lost."""
    for command in ({}, {"RequestId": "lost"}):
        reply = local.send("POST", "cmd/WoStartCommand", {"Command": command})
        assert list(reply.json()) == ERROR


def test_base_and_query_calls_carry_none(local: Local) -> None:
    """Facts 5: no base or query call carries one, as none is sent with them."""
    assert "RequestId" not in succeeded_keys(local.send("GET", "base/Customer?ID=512"))
    found = local.send("POST", "query/Customer", {"QueryExpression": {}})
    assert "RequestId" not in succeeded_keys(found)
    assert list(local.send("DELETE", "base/WorkOrder?ID=1").json()) == ERROR


def succeeded_keys(reply: httpx.Response) -> set[str]:
    assert reply.status_code == 200
    return set(reply.json())
