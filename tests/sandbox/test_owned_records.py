"""Records of an owner, or with the id of another record: it must exist (spec 3 for references; assumed)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.company import Caller
from tests.sandbox.test_actions import logged
from tests.support.laws import each_of

DOCUMENT = {"DocType": {"Id": 9}, "StorageTypeId": "URL", "DocUrl": "https://manuals.example/1"}
OWNED: list[tuple[str, dict[str, Any]]] = [
    ("WoNote", {"WorkOrderId": 99, "Body": "x"}),
    ("WoItem", {"WorkOrderId": 99, "Asset": {"Id": 20440}, "Task": {"Id": 14211}}),
    ("Document", DOCUMENT | {"ActorId": 99, "ActorTypeId": "WO"}),
    ("Document", DOCUMENT | {"ActorId": 99, "ActorTypeId": "Asset"}),
    ("CustomField2", {"ObjectId": 99, "ObjectTypeId": "WO", "Descriptor": {"Id": 88}, "Value": "x"}),
    ("CustomField2", {"ObjectId": 99, "ObjectTypeId": 5, "Descriptor": {"Id": 90}, "Value": "x"}),
    ("Note", {"ActorId": 99, "ActorTypeId": "CommLease", "NoteText": "x"}),
    ("Contact", {"CustomerId": 99, "LastName": "Lee"}),
    ("Note", {"ActorId": 99, "ActorTypeId": "WO", "NoteText": "x"}),
    *(
        ("Document", DOCUMENT | {"ActorId": 99, "ActorTypeId": kind})
        for kind in ("CommLease", "CommLeaseSpace", "Employee", "LeaseUser", "Property", "Org")
    ),
    ("ContactInfo", {"ActorId": 99, "ActorTypeId": "CommLease", "Address": "x"}),
    ("AssetTemplate", {"RootAssetId": 99}),
    ("Contact", {"SupervisorId": 99, "LastName": "Lee"}),
    ("CustomFieldAutocompleteOption", {"DescriptorId": 99, "Value": "x"}),
    ("Employee", {"LimitAssignmentByPortfolioId": 99, "LastName": "Lee"}),
    ("MaterialTransaction", {"SourceStockLocationId": 99}),
    ("Portfolio", {"ParentPortfolioId": 99, "DisplayAs": "x"}),
    ("ToDoItem", {"CompletedEmployeeId": 99}),
    ("WoQuote", {"WoId": 99}),
    ("WpTree", {"ChildWoId": 99}),
]


@each_of(("entity", "members"), OWNED)
def test_an_owner_that_is_not_there(acme: Caller, entity: str, members: dict[str, Any]) -> None:
    """The record is refused with the owner's name and id, and not stored."""
    before = acme.ids(entity)
    response = acme.send("POST", f"base/{entity}", {"Entity": members})
    assert (response.status_code, response.json()["ErrorCode"]) == (400, "BUSINESS_LOGIC_ERROR")
    assert "99" in response.json()["ErrorMessage"]
    assert acme.ids(entity) == before


def test_an_owner_cannot_be_changed_to_nobody(acme: Caller) -> None:
    """A record cannot be moved to an owner that does not exist."""
    change = {"Properties": ["CustomerId"], "Entity": {"Id": 731, "CustomerId": 99}}
    assert acme.refused("PUT", "base/Contact", change) == "BUSINESS_LOGIC_ERROR"
    assert acme.get("Contact", 731)["CustomerId"] == 512


def test_only_a_note_of_a_work_order_needs_one(acme: Caller) -> None:
    """facts 3.9: a Note without an owner was accepted; a WoNote without an order says nothing."""
    acme.ok("POST", "base/Note", {"Entity": {"Body": "x", "WorkOrderId": acme.order()["Id"]}})
    assert acme.refused("POST", "base/WoNote", {"Entity": {"Body": "x"}}) == "BUSINESS_LOGIC_ERROR"


def test_a_note_stays_with_its_work_order(acme: Caller) -> None:
    """It cannot be handed to another order, which may have a completion note of its own."""
    first, second = (acme.order()["Id"] for _ in range(2))
    note = {"WorkOrderId": first, "NoteTypeId": "Completion", "Body": "done"}
    key = acme.ok("POST", "base/WoNote", {"Entity": note})["EntitySpecifier"]["Id"]
    for change in ({"WorkOrderId": second}, {"WorkOrderId": 0}):
        body = {"Properties": ["WorkOrderId"], "Entity": {"Id": key} | change}
        assert acme.refused("PUT", "base/WoNote", body) == "BUSINESS_LOGIC_ERROR"
    assert acme.get("WorkOrder", first, "CompletionNote.Id")["CompletionNote"] == {"Id": key}


@pytest.mark.parametrize("storage", ["Cloud", "URL"])
def test_documents_of_an_order_leave_its_log_alone(acme: Caller, storage: str) -> None:
    """spec 4.9 rule 5 says so of cloud uploads; of links it is assumed."""
    order = acme.order()["Id"]
    blob = {"Blob": {"FileName": "a.png", "Body": "AAAA"}} if storage == "Cloud" else {}
    document = DOCUMENT | blob | {"StorageTypeId": storage, "ActorId": order, "ActorTypeId": "WO"}
    key = acme.ok("POST", "base/Document", {"Entity": document})["EntitySpecifier"]["Id"]
    read = acme.get("WorkOrder", order, "*,Documents.Id")
    assert (read["Documents"], read["ConcurrencyId"]) == ([{"Id": key}], 1)
    assert logged(acme, order) == ["Create"]
