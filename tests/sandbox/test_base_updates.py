"""Updates: what is written, what is kept and when the counter advances (spec 4.9, facts 3)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from tests.sandbox.company import Caller, calling
from wosdk_async.sandbox import VirtualClock
from wosdk_async.sandbox.storage.store import Store


def test_counter_advances_only_with_a_change(acme: Caller) -> None:
    def put(properties: list[str], **members: Any) -> int:
        body = {"Properties": properties, "Entity": {"Id": 731, **members}}
        acme.ok("PUT", "base/Contact", body)
        return int(acme.get("Contact", 731)["ConcurrencyId"])

    assert put(["*"], FirstName="Tomas", ConcurrencyId=9) == 1
    assert put(["FirstName"], FirstName="Tom", LastName="Ignored") == 2
    assert put(["*"], Username="tom") == 3
    record = acme.get("Contact", 731)
    assert (record["FirstName"], record["LastName"], record["Username"]) == ("Tom", "Lindqvist", "tom")
    assert record["TypeId"] == "Primary"  # left out, so kept


@pytest.mark.parametrize(
    ("entity", "key"),
    [("Customer", 512), ("WorkZone", 14), ("Contact", 731), ("Employee", 208), ("Task", 14211)],
)
def test_writing_back_what_was_read_changes_nothing(acme: Caller, entity: str, key: int) -> None:
    record = acme.get(entity, key)
    acme.ok("PUT", f"base/{entity}", {"Properties": ["*"], "Entity": record})
    assert acme.get(entity, key) == record  # its counter too (facts 3.7)


def test_writing_back_a_work_order_changes_nothing(store: Store) -> None:
    # to be acknowledged in the hour that is twice
    clock = VirtualClock(datetime(2024, 11, 3, 4, 30, tzinfo=UTC))
    with calling(store, clock) as acme:
        record = acme.get("WorkOrder", acme.order({"ComputeSchedule": True})["Id"])
        assert (record["DtAcknowledgeBy"], record["AcknowledgeByUtc"]) == (
            "2024-11-03T01:30:00",
            "2024-11-03T06:30:00Z",
        )
        acme.ok("PUT", "base/WorkOrder", {"Properties": ["*"], "Entity": record})
        assert acme.get("WorkOrder", record["Id"]) == record


def test_lists_are_added_changed_and_removed_by_element(acme: Caller) -> None:
    def put(*attributes: dict[str, Any]) -> list[dict[str, Any]]:
        entity = {"Id": 20440, "Attributes": list(attributes)}
        acme.ok("PUT", "base/Location", {"Properties": ["Attributes.*"], "Entity": entity})
        records: list[dict[str, Any]] = acme.get("Location", 20440, "Attributes.*")["Attributes"]
        return records

    assert len(put()) == 1  # spec 4.9 rule 3
    kept, added = put({"Id": 0, "Descriptor": {"Id": 46}, "Value": "AH3"})
    assert (added["Value"], added["TopAssetId"]) == ("AH3", 20400)
    assert [record["Value"] for record in put({"Id": added["Id"], "Value": "AH4"})] == [kept["Value"], "AH4"]
    assert put({"Id": kept["Id"], "PerformDeletion": True}) == [added | {"Value": "AH4", "ConcurrencyId": 2}]


def test_an_element_of_another_parent_is_not_found(acme: Caller) -> None:
    entity = {"Id": 20441, "Attributes": [{"Id": 811, "Value": "stolen"}]}
    body = {"Properties": ["Attributes.*"], "Entity": entity}
    assert acme.refused("PUT", "base/Location", body) == "ERROR_CODE_1019"
    assert acme.get("AssetAttribute", 811)["Value"] == "+1 207 555 0134"


def test_references_and_owned_objects_are_written_by_path(acme: Caller) -> None:
    entity = {"Id": 512, "WorkZone": {"Id": 15, "DisplayAs": "ignored"}}
    acme.ok("PUT", "base/Customer", {"Properties": ["WorkZone.Id"], "Entity": entity})
    assert acme.get("Customer", 512)["WorkZone"] == {"Id": 15}
    assert acme.get("WorkZone", 15)["DisplayAs"] == "Harbor Mall"
    for street in ("1 Main", "2 Main"):
        entity = {"Id": 208, "Address": {"Street": street, "City": "X"}}
        acme.ok("PUT", "base/Employee", {"Properties": ["Address.Street"], "Entity": entity})
    address = acme.get("Employee", 208, "*,Address.*")["Address"]
    assert (address["Street"], address["ActorId"]) == ("2 Main", 208)
    assert "Address" not in acme.get("Employee", 208)


def test_status_is_not_changed_by_an_update(acme: Caller) -> None:
    made = acme.order()
    entity = {"Id": made["Id"], "StatusId": "Completed"}
    body = {"Properties": ["StatusId"], "Entity": entity}
    assert acme.refused("PUT", "base/WorkOrder", body) == "BUSINESS_LOGIC_ERROR"
    entity = {"Id": made["Id"], "StatusId": "New", "PoNumber": "7", "DtDue": "2024-07-01T08:00:00"}
    acme.ok("PUT", "base/WorkOrder", {"Properties": ["*"], "Entity": entity})
    record = acme.get("WorkOrder", made["Id"])
    assert (record["PoNumber"], record["DueDateUtc"]) == ("7", "2024-07-01T12:00:00Z")


def test_null_empties_a_property(acme: Caller) -> None:
    body = {"Properties": ["Dba", "Contract.Id"], "Entity": {"Id": 512, "Dba": None, "Contract": None}}
    acme.ok("PUT", "base/Customer", body)
    record = acme.get("Customer", 512)
    assert record["Dba"] == ""
    assert "Contract" not in record
