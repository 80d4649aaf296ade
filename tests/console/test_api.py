"""The JSON of the console: rules that are switched, work orders that are narrowed, refusals in words."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sandbox.company import Caller
from wosdk_async.sandbox import open_store

RULE = {"fault": "status", "status": 503, "first": 2}


def put(http: httpx.Client, *switches: tuple[dict[str, Any], bool]) -> dict[str, Any]:
    rules = [{"rule": rule, "on": on} for rule, on in switches]
    response = http.put("/console/api/faults", json={"seed": 7, "rules": rules})
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def test_a_rule_that_is_off_is_kept_and_strikes_nothing(http: httpx.Client) -> None:
    """Off rules stay in their place; the others have their counters."""
    latency = {"fault": "latency", "fixed": 0}
    put(http, (RULE, False), (latency, True))
    assert http.get("/api/v1/base/Contact/1").status_code == 401
    rules = http.get("/console/api/faults").json()["rules"]
    assert [(each["rule"], each["on"], each["applied"]) for each in rules] == [
        (RULE, False, 0),
        (latency, True, 1),
    ]
    assert http.get("/_sandbox/faults").json()["rule"] == [latency]
    put(http, (RULE, True), (latency, True))
    assert http.get("/api/v1/base/Contact/1").status_code == 503


def test_a_script_from_elsewhere_replaces_all(http: httpx.Client) -> None:
    """Rules that were put into force in another way are shown; those that were off here are gone."""
    put(http, (RULE, False))
    http.put("/_sandbox/faults", json={"seed": 1, "rule": [{"fault": "reset", "rate": 0.5}]})
    rules = http.get("/console/api/faults").json()["rules"]
    assert [(each["rule"]["fault"], each["on"]) for each in rules] == [("reset", True)]


def test_verification_is_switched(http: httpx.Client, tmp_path: Path) -> None:
    """The list of Companies says what the service then does."""
    store = open_store(str(tmp_path / "sandbox.db"))
    acme = Caller(http, store.companies()[0])
    store.close()
    for on in (False, True):
        made = http.put(f"/console/api/companies/{acme.company.id}", json={"verification": on})
        assert [each["Verification"] for each in made.json()["Companies"]] == [on]
        text = acme.send("POST", "cmd/VerifyWorkCommand", {"Command": {"WorkOrderId": 1}}).json()
        assert ("does not use verification" in text["ErrorMessage"]) is not on
    wrong = http.put("/console/api/companies/46", json={"verification": "off"})
    assert (wrong.status_code, wrong.json()["ErrorMessage"]) == (400, "verification must be true or false.")
    assert http.put("/console/api/companies/47", json={"verification": True}).status_code == 404


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ({"rules": [{"rule": {"fault": "fire"}, "on": False}]}, "one of latency"),
        ({"rules": [{"rule": {"fault": "latency", "fixed": -0.5}, "on": True}]}, "fixed is -0.5; it must be"),
        ({"rules": [{"rule": RULE}]}, "true or false"),
        ({"rules": 7}, "list"),
        ({"rules": [], "seed": "x"}, "whole number"),
    ],
)
def test_a_wrong_rule_is_refused_also_when_it_is_off(http: httpx.Client, body: object, expected: str) -> None:
    """The text says what would be right, and what was in force stays."""
    put(http, (RULE, True))
    response = http.put("/console/api/faults", json=body)
    assert (response.status_code, expected in response.json()["ErrorMessage"]) == (400, True)
    assert http.get("/_sandbox/faults").json()["rule"] == [RULE]


@pytest.mark.parametrize(
    "rule",
    [
        {"fault": "latency", "fixed": 0.5},
        {"fault": "latency", "uniform": [0.1, 0.5]},
        {"fault": "latency", "lognormal": {"p50": 0.01, "p99": 0.2}},
        {"fault": "status", "status": 503, "rate": 0.07},
        {"fault": "status", "status": 429, "retry_after": 1.5},
    ],
)
def test_a_rule_takes_fractions(http: httpx.Client, rule: dict[str, Any]) -> None:
    """Both ways in take them, and show them as they were sent."""
    assert put(http, (rule, True))["rules"][0]["rule"] == rule
    assert http.put("/_sandbox/faults", json={"rule": [rule]}).json()["rule"] == [rule]


def test_the_clock_takes_fractions(http: httpx.Client) -> None:
    before = datetime.fromisoformat(http.get("/console/api/clock").json()["now"])
    after = http.post("/console/api/clock", json={"days": 0.5}).json()["now"]
    assert timedelta(0) <= datetime.fromisoformat(after) - before - timedelta(hours=12) < timedelta(minutes=1)


@pytest.mark.parametrize("days", [1e12, 1.7e308])
def test_a_span_beyond_the_calendar_is_refused_in_words(http: httpx.Client, days: float) -> None:
    response = http.post("/console/api/clock", json={"days": days})
    assert (response.status_code, response.json()["ErrorCode"]) == (400, "INCORRECT_MODEL")
    assert "before the year 2300" in response.json()["ErrorMessage"]


@pytest.mark.parametrize("body", [{"years": 1}, {"days": "1"}, {"days": -1}, {"days": True}, {}, 7])
def test_a_wrong_span_is_refused(http: httpx.Client, body: object) -> None:
    """The clock stays where it is."""
    before = http.get("/console/api/clock").json()["now"]
    assert http.post("/console/api/clock", json=body).status_code == 400
    assert http.get("/console/api/clock").json()["now"][:10] == before[:10]


def test_work_orders_are_narrowed(http: httpx.Client, tmp_path: Path) -> None:
    """By state and by text in any letter case; a pattern sign of SQL is not a wildcard."""
    store = open_store(str(tmp_path / "sandbox.db"))
    acme = Caller(http, store.companies()[0])
    first, second = acme.order(ContactName="Ana Ruiz"), acme.order(ContactName="100% Berg")
    acme.run("WoPickUpCommand", WorkOrderId=second["Id"])

    def numbers(**asked: str) -> list[str]:
        found = http.get("/console/api/companies/46/orders", params=asked).json()["Orders"]
        return [order["Number"] for order in found]

    assert numbers() == [second["Number"], first["Number"]]
    assert numbers(state="New") == [first["Number"]]
    assert numbers(text="ANA") == [first["Number"]]
    assert numbers(text="100%") == [second["Number"]]
    assert numbers(text="no such thing") == []
    store.close()


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("companies/999/orders", 404),
        ("companies/46/orders/999999", 400),
        ("companies/46/orders?page=-1", 400),
        ("companies/46/orders?page=99999999", 400),
        ("companies/46/orders?state=Nowhere", 400),
        (f"companies/46/orders?text={'%25' * 5000}", 400),
        ("log/999", 404),
        ("log?after=x", 400),
        ("log?aftr=1", 400),
        ("companies/46/orders?states=New", 400),
        ("companies/46/types/Customer?text=pier", 400),
    ],
)
def test_missing_things_are_reported(http: httpx.Client, path: str, status: int) -> None:
    """A refusal carries a text for the page to show."""
    response = http.get(f"/console/api/{path}")
    assert (response.status_code, bool(response.json()["ErrorMessage"])) == (status, True)
