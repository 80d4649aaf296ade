"""Any record of the catalogue in the JSON of the console: lists, records, references, times in UTC."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.sandbox.company import Caller
from tests.support.laws import case, some
from wosdk_async import catalogue
from wosdk_async.sandbox import open_store

TYPES = sorted(name for name, entity in catalogue.load().entities.items() if entity.kind == "entity")
HOLD = 2201  # of the seed: the first reason to hold


@pytest.fixture
def acme(http: httpx.Client, tmp_path: Path) -> Iterator[Caller]:
    store = open_store(str(tmp_path / "sandbox.db"))
    yield Caller(http, store.companies()[0])
    store.close()


def read(http: httpx.Client, path: str, **asked: Any) -> dict[str, Any]:
    response = http.get(f"/console/api/companies/46/{path}", params=asked)
    assert response.status_code == 200, response.text
    found: dict[str, Any] = response.json()
    return found


def ids(http: httpx.Client, entity: str, **asked: Any) -> list[int]:
    return [row["Id"] for row in read(http, f"types/{entity}", **asked)["Rows"]]


def test_every_type_is_listed_sorted_and_opened(http: httpx.Client) -> None:
    """All entity types of the catalogue, by properties of the form, and each record of the seed."""
    listed = read(http, "types")["Types"]
    assert [one["Name"] for one in listed] == TYPES
    for one in listed:
        with case(one["Name"]):
            found = read(http, f"types/{one['Name']}")
            assert len(found["Rows"]) == min(one["Count"], 25)
            assert found["Company"] == "AcmeFacilities"
            for field in some(found["Sorts"], 5):
                read(http, f"types/{one['Name']}", sort=field, direction="ascending")
            for row in found["Rows"] if found["Opened"] else ():
                opened = read(http, f"types/{one['Name']}/{row['Id']}")
                assert json.loads(opened["Raw"])["Id"] == row["Id"]


def test_a_list_is_narrowed_sorted_and_paged(http: httpx.Client, acme: Caller) -> None:
    """By any text, by one property with each comparison, in both directions, and by pages of 25."""
    assert ids(http, "Employee", direction="ascending") == [208, 215, 230, 231]
    assert ids(http, "Employee", value="coastal") == [230]
    assert ids(http, "Employee", field="DisplayAs", operator="is", value="Mira Okafor") == [208]
    assert ids(http, "Employee", field="Id", operator="at least", value="230", sort="Id") == [231, 230]
    assert ids(http, "Employee", field="ActorTypeId", operator="is not", value="Provider") == [215, 208]
    assert ids(http, "Employee", field="IsRemoved", operator="is", value="true") == []
    assert ids(http, "Employee", sort="LastName", direction="ascending")[:1] != ids(http, "Employee")[:1]
    made = [acme.order()["Id"] for _ in range(27)]
    assert ids(http, "WorkOrder", page=1) == made[1::-1]
    created = acme.get("WorkOrder", made[0])["CreatedDateUtc"][:19].replace("T", " ")
    asked = {"field": "CreatedDateUtc", "operator": "at least", "value": created}
    assert made[-1] in ids(http, "WorkOrder", **asked)


@pytest.mark.parametrize(
    "asked",
    [
        {"operator": "like", "value": "x"},
        {"field": "Nothing", "value": "x"},
        {"field": "Id", "operator": "is", "value": "x"},
        {"sort": "Nothing"},
        {"by": "Role.Id", "to": "Employee:1"},
        {"by": "Nothing", "to": "Role:1"},
        {"by": "Role.Id", "to": "Role:x"},
        {"page": "-1"},
    ],
)
def test_a_wrong_question_is_refused_in_words(http: httpx.Client, asked: dict[str, str]) -> None:
    response = http.get("/console/api/companies/46/types/Employee", params=asked)
    assert (response.status_code, bool(response.json()["ErrorMessage"])) == (400, True)


def test_a_record_shows_both_directions_of_references(http: httpx.Client, acme: Caller) -> None:
    """What it refers to, by references and by ids, and what refers to it; the links select those."""
    first, second = acme.order()["Id"], acme.order(Customer={"Id": 513})["Id"]
    contact = acme.ok("POST", "base/Contact", {"Entity": {"LastName": "Ruiz", "CustomerId": 512}})
    key = contact["EntitySpecifier"]["Id"]
    up = read(http, f"types/Contact/{key}")["RefersTo"]
    assert {"Path": "CustomerId", "Type": "Customer", "Id": 512, "Label": "Lindqvist Dental"} in up
    down = {
        (one["Type"], one["Path"]): one["Count"] for one in read(http, "types/Customer/512")["ReferredBy"]
    }
    assert down["WorkOrder", "Customer.Id"] == 1
    assert ids(http, "WorkOrder", by="Customer.Id", to="Customer:512") == [first]
    assert ids(http, "WorkOrder", by="Customer.Id", to="Customer:513") == [second]
    assert key in ids(http, "Contact", by="CustomerId", to="Customer:512")


def test_a_shared_pointer_counts_its_own_kind_only(http: httpx.Client, acme: Caller) -> None:
    """A document names its owner by id and kind: one of a provider is not one of the order with that id."""
    order = acme.order()["Id"]
    for kind in ("WO", "Provider"):
        entity = {"Title": kind, "ActorId": order, "ActorTypeId": kind, "DocType": {"Id": 9}}
        acme.ok("POST", "base/Document", {"Entity": entity | {"StorageTypeId": "Cloud"}})
    found = read(http, f"orders/{order}")["ReferredBy"]
    assert [one["Count"] for one in found if one["Type"] == "Document"] == [1]
    rows = read(http, "types/Document", by="ActorId", to=f"WorkOrder:{order}")["Rows"]
    assert [row["Title"] for row in rows] == ["WO"]


def test_all_times_are_utc_in_one_form(http: httpx.Client, acme: Caller) -> None:
    """A local time is the same moment as its UTC twin, in lists, records, references and histories."""
    order = acme.order({"ComputeSchedule": True})["Id"]
    note = {"Id": order, "Notes": [{"Body": "Seen", "IsNew": True}]}
    acme.ok("PUT", "base/WorkOrder", {"Entity": note, "Properties": ["Notes.*"]})
    stored = acme.get("WorkOrder", order)
    assert stored["DtDue"][:19] != stored["DueDateUtc"][:19]
    found = read(http, f"orders/{order}")
    fields = found["Fields"]
    assert fields["DtDue"] == fields["DueDateUtc"] == {"Time": stored["DueDateUtc"][:19] + "Z"}
    created = stored["CreatedDateUtc"][:16]
    assert found["Notes"][0]["CreatedDate"]["Time"][:16] == created
    assert found["History"][0]["ActionDate"] == found["History"][0]["SystemDateUtc"]
    assert read(http, f"types/WorkOrder/{order}")["Fields"]["DtDue"] == fields["DueDateUtc"]
    assert json.loads(found["Raw"])["DtDue"][:19] == stored["DtDue"][:19]


def test_actions_are_those_of_the_state(http: httpx.Client, acme: Caller) -> None:
    """Each state offers what the service then does; a hold has its reasons."""
    order = acme.order()["Id"]

    def offered() -> dict[str, Any]:
        return {one["Command"]: one for one in read(http, f"orders/{order}")["Actions"]}

    assert "WoPickUpCommand" in offered()
    assert "WoCompleteCommand" not in offered()
    hold = offered()["WoOnHoldCommand"]
    assert hold["Reasons"][0] == {"Id": HOLD, "Label": "Waiting for parts"}
    for reason in hold["Reasons"]:
        acme.run("WoOnHoldCommand", WorkOrderId=order, ActionReasonId=reason["Id"])
        assert "WoOnHoldCommand" not in offered()
        acme.run("WoReopenCommand", WorkOrderId=order)


def test_a_flag_is_offered_with_reasons_and_its_example_has_one(http: httpx.Client, acme: Caller) -> None:
    """The service takes a flag without one, but then nothing happens; a start has no reason."""
    order = acme.order()["Id"]
    offered = {one["Command"]: one["Reasons"] for one in read(http, f"orders/{order}")["Actions"]}
    assert offered["WoFlagCommand"]
    assert offered["WoPickUpCommand"] is None
    assert "ActionReasonId" in read(http, "examples/WoFlagCommand")["Body"]["Command"]
    assert "ActionReasonId" not in read(http, "examples/WoPickUpCommand")["Body"]["Command"]
