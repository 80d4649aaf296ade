"""The fault ``request_id``: the command was carried out, and its response carries another RequestId."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.sandbox.company import ORDER, Caller
from tests.sandbox.faulty import Raw, raw_client
from wosdk_async.sandbox import LocalCompany


@pytest.fixture
def raw() -> Iterator[Raw]:
    """In the dialect whose errors carry a RequestId, too."""
    with LocalCompany(dialect="recorded") as local, raw_client(local) as opened:
        yield opened


def struck(raw: Raw, mode: str, **rule: Any) -> None:
    raw.local.faults.load({"rule": [{"fault": "request_id", "mode": mode, "operation": "command", **rule}]})


def create(caller: Caller, name: str, request_id: str | None = None) -> dict[str, Any]:
    body = {"Command": {"WorkOrder": ORDER | {"PoNumber": name}}, "RequestId": request_id or name}
    return caller.ok("POST", "cmd/WoCreateCommand", body)


def test_altered(raw: Raw) -> None:
    """One that differs, not by case or blanks alone, as the last key; all else is as it was."""
    struck(raw, "altered")
    for sent in ("0a", "Za", "-"):
        response = create(raw.caller, "P-1", sent)
        assert list(response) == ["CommandResult", "RequestId"]
        assert response["RequestId"].strip().lower() != sent.lower()
        assert response["CommandResult"]["Wo"]["PoNumber"] == "P-1"
    assert raw.count("P-1") == 3
    assert raw.local.faults.injected == {"request_id": 3}


def test_missing(raw: Raw) -> None:
    """The key is absent, from a refusal too, and what was carried out stays so."""
    struck(raw, "missing")
    assert list(create(raw.caller, "P-2")) == ["CommandResult"]
    assert raw.count("P-2") == 1
    refused = raw.caller.send("POST", "cmd/WoStartCommand", {"Command": {}, "RequestId": "r"})
    assert list(refused.json()) == ["ErrorMessage", "ErrorCode", "TimeStamp"]


def test_foreign(raw: Raw) -> None:
    """That of the response before; attempts under the same RequestId do not count as another's."""
    struck(raw, "foreign", every=3)
    assert [create(raw.caller, name)["RequestId"] for name in ("A", "B", "C")] == ["A", "B", "B"]
    assert [create(raw.caller, "D")["RequestId"] for _ in range(3)] == ["D", "D", "B"]
    assert raw.count("C") == 1


def test_foreign_without_an_earlier_response(raw: Raw) -> None:
    """A random one."""
    struck(raw, "foreign", first=1)
    assert len(create(raw.caller, "E")["RequestId"]) == 32


def test_calls_without_a_request_id(raw: Raw) -> None:
    """They are left as they are."""
    raw.local.faults.load({"rule": [{"fault": "request_id"}]})
    assert raw.caller.get("Customer", 512)["Id"] == 512
    assert list(raw.caller.ok("GET", "base/Customer/512")) == ["Data"]


@pytest.mark.parametrize("rule", [{"status": 503}, {"status": 500, "carried_out": True}])
def test_an_injected_error_of_the_service_echoes(raw: Raw, rule: dict[str, Any]) -> None:
    """A JSON body is the service's own error, so it ends in the RequestId as every error does."""
    raw.local.faults.load({"rule": [{"fault": "status", "operation": "command", **rule}]})
    url = f"{raw.caller.root}/api/v1/cmd/WoStartCommand"
    body = {"Command": {}, "RequestId": "r"}
    found = raw.caller.http.post(url, json=body, headers=raw.caller.headers).json()
    assert list(found) == ["ErrorMessage", "ErrorCode", "TimeStamp", "RequestId"]
    assert found["RequestId"] == "r"


def test_a_moved_company_echoes(raw: Raw) -> None:
    raw.local.faults.load({"rule": [{"fault": "moved_host", "operation": "WoStartCommand", "first": 1}]})
    response = raw.caller.send("POST", "cmd/WoStartCommand", {"Command": {}, "RequestId": "r"}).json()
    assert (response["ErrorCode"], response["RequestId"]) == ("DATABASE_VERSION_MISMATCH", "r")
