"""Example bodies: each command of the catalogue has one, and the sandbox carries it out."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.console.conftest import HERE
from tests.console.served import document
from tests.sandbox.company import Caller, Direct, calling
from wosdk_async import catalogue
from wosdk_async.sandbox import create_app, open_store
from wosdk_async.sandbox.seed.initial import create_company
from wosdk_async.sandbox.service.commands.registry import NOT_MODELLED

COMMANDS = catalogue.load().commands
PROVIDER = 230  # of the seed: connected
HOLD, ATTENTION = 2201, 1901  # of the seed: reasons


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store with a record for each command: orders in all states, and what goes with them."""
    path = tmp_path_factory.mktemp("prepared") / "sandbox.db"
    store = open_store(str(path))
    with calling(store) as caller:
        prepare(caller)
    store.close()
    return path


@pytest.fixture
def acme(prepared: Path, tmp_path: Path) -> Iterator[Caller]:
    """Return a caller of a copy of the prepared store."""
    store = open_store(str(shutil.copy(prepared, tmp_path)))
    with httpx.Client(transport=Direct(create_app(store)), base_url=HERE) as http:
        yield Caller(http, store.companies()[0])
    store.close()


def prepare(acme: Caller) -> None:
    new, opened, started, paused, held, sent, unsent, flagged, done = (acme.order()["Id"] for _ in range(9))
    for order in (opened, started, paused, done):
        acme.run("WoPickUpCommand", WorkOrderId=order)
    for order in (started, paused, done):
        acme.run("WoStartCommand", WorkOrderId=order)
    acme.run("WoPauseCommand", WorkOrderId=paused)
    acme.run("WoCompleteCommand", WorkOrderId=done)
    acme.run("WoOnHoldCommand", WorkOrderId=held, ActionReasonId=HOLD)
    for order in (sent, unsent):
        acme.run("WoAssignCommand", WorkOrderId=order, Assignees=[PROVIDER])
    acme.run("SendWorkOrderCommand", WorkOrderId=sent)
    acme.run("WoFlagCommand", WorkOrderId=flagged, ActionReasonId=ATTENTION)
    document(acme, new, "Plan", b"plan", "text/plain")
    acme.ok("POST", "base/Payment", {"Entity": {"Comments": "May"}})
    key = acme.ok("POST", "base/Contact", {"Entity": {"LastName": "Gone"}})["EntitySpecifier"]["Id"]
    acme.ok("DELETE", f"base/Contact/{key}")


def example(http: httpx.Client, name: str, company: int = 46) -> dict[str, Any]:
    response = http.get(f"/console/api/companies/{company}/examples/{name}")
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_an_example_can_be_sent_as_it_is(acme: Caller, name: str) -> None:
    """Each command of the catalogue: carried out, or refused for the reason that the example names."""
    found = example(acme.http, name)
    sent, known = found["Body"]["Command"].keys(), COMMANDS[name].request
    assert {field.name for field in known if field.required} <= sent <= {field.name for field in known}
    response = acme.send("POST", f"cmd/{COMMANDS[name].path}", found["Body"])
    if name in NOT_MODELLED:
        assert response.status_code == 400
        assert NOT_MODELLED[name] in response.json()["ErrorMessage"]
        assert NOT_MODELLED[name] in found["Note"]
    else:
        assert (found["Note"], response.status_code) == ("", 200), response.text


def test_an_example_says_what_a_company_lacks(seeded_store: Path, tmp_path: Path) -> None:
    """Without a fitting record the note names it; an empty Company lacks everything."""
    store = open_store(shutil.copy(seeded_store, tmp_path))
    empty = create_company(store, "Empty", seeded=False)
    with httpx.Client(transport=Direct(create_app(store)), base_url=HERE) as http:
        http.headers["X-Sandbox-Console"] = "1"
        note = example(http, "WoStartCommand")["Note"]
        assert note == "AcmeFacilities has no WorkOrder in state Open or Paused: create one first."
        for name in COMMANDS:
            example(http, name, empty.id)
        assert example(http, "WoCreateCommand", empty.id)["Note"].startswith("Empty has no WorkOrderType")
        assert http.get("/console/api/companies/46/examples/NoCommand").status_code == 404
    store.close()
