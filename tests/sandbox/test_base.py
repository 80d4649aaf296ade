"""The base operations (spec 4.9, facts 3)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.sandbox.company import Caller, calling
from wosdk_async.sandbox.store import Store


def test_read_answers_in_both_envelopes(acme: Caller) -> None:
    reply = acme.ok("GET", "base/Customer/512")
    assert reply["Entities"] == [{"Data": reply["Data"]}]
    assert reply["Data"]["Name"] == "Lindqvist Dental LLC"


@pytest.mark.parametrize(
    "path", ["base/customer/512", "base/Customer?ID=512", "base/Customer?id=512&properties="]
)
def test_every_form_of_a_read_is_the_same(acme: Caller, path: str) -> None:
    assert acme.ok("GET", path)["Data"] == acme.get("Customer", 512)


def test_default_read_cuts_references_and_leaves_lists_out(acme: Caller) -> None:
    order = acme.get("WorkOrder", acme.order()["Id"])
    assert order["Customer"] == {"Id": 512}
    assert "Items" not in order
    assert "RepairCode" not in order  # null
    assert order["CreatedDateUtc"].endswith("Z")  # spec 2.1
    assert order["IsNew"] is order["PerformDeletion"] is False  # spec 2.1


def test_paths_open_references_and_lists(acme: Caller) -> None:
    made = acme.order()
    order = acme.get("WorkOrder", made["Id"], "Number,customer.name,Items.Task.DisplayAs,Notes.*")
    assert order == {
        "Number": made["Number"],
        "Customer": {"Name": "Lindqvist Dental LLC", "Id": 512},
        "Items": [{"Task": {"DisplayAs": "Not cooling", "Id": 14211}, "Id": order["Items"][0]["Id"]}],
        "Notes": [],
        "Id": made["Id"],
    }


def test_compound_key(acme: Caller) -> None:
    row = acme.ok("GET", 'base/AssetTree?ID={"ParentId":20400,"ChildId":20440}')["Data"]
    known = {"ParentId": 20400, "ChildId": 20440, "Child": {"Id": 20440}, "Distance": 3, "Id": 20400}
    assert row == known | {"IsNew": False, "PerformDeletion": False}


@pytest.mark.parametrize(
    ("method", "path", "body", "code"),
    [
        ("GET", "base/WorkOrder/99", None, "ERROR_CODE_1019"),
        ("GET", "base/WorkOrder", None, "IDENTIFIER_NOT_FOUND"),
        ("GET", "base/WorkOrder/abc", None, "DATA_PARSING_ERROR"),
        ("GET", "base/WorkOrderNote/1", None, "ENTITY_NOT_FOUND"),
        ("GET", "base/Customer/512?properties=Nme", None, "ERROR_CODE_1002"),
        ("GET", "base/Customer/512?properties=WorkZone", None, "ERROR_CODE_1003"),
        ("POST", "base/WoFlag", {"Entity": {"FlagId": 1}}, "ERROR_CODE_1000"),
        ("POST", "base/WorkOrder", {"Entity": {}}, "ERROR_CODE_1000"),
        ("DELETE", "base/WorkOrder?ID=1", None, "ERROR_CODE_1000"),
        ("POST", "base/WorkZone", {"Entity": {}}, "CUSTOM_COMMAND_ERROR"),
        ("POST", "base/AssetAttribute", {"Entity": {"AssetId": 20440}}, "BUSINESS_LOGIC_ERROR"),
        ("DELETE", "base/AssetAttribute?ID=811", None, "BUSINESS_LOGIC_ERROR"),
        ("DELETE", "base/Contact?ID=99", None, "ERROR_CODE_1019"),
        ("POST", "base/Document", {"Entity": {"StorageTypeId": "URL"}}, "BUSINESS_LOGIC_ERROR"),
        ("POST", "base/Contact", b"", "EMPTY_INPUT_PARAMETER"),
        ("POST", "base/Contact", b'{"Entity": ', "EMPTY_INPUT_PARAMETER"),
        ("PUT", "base/Contact", {"Entity": {"Id": 731}}, "EMPTY_INPUT_PARAMETER"),
        ("PUT", "base/Contact", {"Properties": ["Nme"], "Entity": {"Id": 731}}, "ERROR_CODE_1002"),
        ("POST", "base/Customer", {"Entity": {"Name": "x" * 65}}, "BUSINESS_LOGIC_ERROR"),
    ],
)
def test_refusals(acme: Caller, method: str, path: str, body: object, code: str) -> None:
    assert acme.refused(method, path, body) == code


def test_attribute_refusal_names_the_parent(acme: Caller) -> None:
    assert "20440" in acme.send("DELETE", "base/AssetAttribute/811").json()["ErrorMessage"]


def test_create_gives_the_specifier_and_ignores_id_and_counter(acme: Caller) -> None:
    entity = {"Id": 5, "ConcurrencyId": 4, "firstName": "Ann", "LastName": "Lee", "Nope": 1, "Number": 7}
    made = acme.ok("POST", "base/contact", {"Entity": entity})["EntitySpecifier"]
    assert list(made) == ["ConcurrencyId", "EntityType", "Id"]
    assert (made["ConcurrencyId"], made["EntityType"]) == (1, "Contact")
    row = acme.get("Contact", made["Id"])
    assert made["Id"] != 5
    assert row["DisplayAs"] == "Ann Lee"  # facts 3.4
    assert row["Number"] == ""  # a number for a text is left at its default


def test_create_of_an_entity_without_a_lock(acme: Caller) -> None:
    entity = {"Name": "Roof", "ParentId": 20400, "TypeId": 5}
    made = acme.ok("POST", "base/Asset", {"Entity": entity})["EntitySpecifier"]
    assert made == {"EntityType": "Location", "Id": made["Id"]}
    row = acme.get("Location", made["Id"])
    assert (row["TypeId"], row["RootId"]) == ("RoomArea", 20400)
    assert acme.ids("AssetTree", ("ChildId", "Equal", made["Id"])) == [20400, made["Id"]]


def test_ids_are_never_handed_out_again(acme: Caller) -> None:
    def make() -> int:
        specifier = acme.ok("POST", "base/Location", {"Entity": {"Name": "x"}})["EntitySpecifier"]
        return int(specifier["Id"])

    first = make()
    acme.ok("DELETE", f"base/Location/{first}")
    assert acme.refused("GET", f"base/Location/{first}") == "ERROR_CODE_1019"
    assert make() > first


def test_counter_advances_only_with_a_change(acme: Caller) -> None:
    def put(properties: list[str], **members: Any) -> int:
        body = {"Properties": properties, "Entity": {"Id": 731, **members}}
        return int(acme.ok("PUT", "base/Contact", body)["EntitySpecifier"]["ConcurrencyId"])

    assert put(["*"], FirstName="Tomas", ConcurrencyId=9) == 1
    assert put(["FirstName"], FirstName="Tom", LastName="Ignored") == 2
    assert put(["*"], Username="tom") == 3
    row = acme.get("Contact", 731)
    assert (row["FirstName"], row["LastName"], row["Username"]) == ("Tom", "Lindqvist", "tom")
    assert row["TypeId"] == "Primary"  # left out, so kept


@pytest.mark.parametrize(
    ("entity", "key"),
    [("Customer", 512), ("WorkZone", 14), ("Contact", 731), ("Employee", 208), ("Task", 14211)],
)
def test_writing_back_what_was_read_changes_nothing(acme: Caller, entity: str, key: int) -> None:
    row = acme.get(entity, key)
    reply = acme.ok("PUT", f"base/{entity}", {"Properties": ["*"], "Entity": row})
    assert reply["EntitySpecifier"]["ConcurrencyId"] == row["ConcurrencyId"]  # facts 3.7
    assert acme.get(entity, key) == row


def test_writing_back_a_work_order_changes_nothing(store: Store, clock: Any) -> None:
    clock.now = 1_730_608_200_000_000_000  # 2024-11-03T04:30Z: to be acknowledged in the hour that is twice
    with calling(store, clock) as acme:
        row = acme.get("WorkOrder", acme.order({"ComputeSchedule": True})["Id"])
        assert (row["DtAcknowledgeBy"], row["AcknowledgeByUtc"]) == (
            "2024-11-03T01:30:00",
            "2024-11-03T06:30:00Z",
        )
        reply = acme.ok("PUT", "base/WorkOrder", {"Properties": ["*"], "Entity": row})
        assert reply["EntitySpecifier"]["ConcurrencyId"] == row["ConcurrencyId"]
        assert acme.get("WorkOrder", row["Id"]) == row


def test_what_a_deleted_row_owns_goes_with_it(acme: Caller) -> None:
    acme.ok("DELETE", "base/Location/20440")
    assert acme.ids("AssetAttribute", ("AssetId", "Equal", 20440)) == []


def test_lists_are_added_changed_and_removed_by_element(acme: Caller) -> None:
    def put(*attributes: dict[str, Any]) -> list[dict[str, Any]]:
        entity = {"Id": 20440, "Attributes": list(attributes)}
        acme.ok("PUT", "base/Location", {"Properties": ["Attributes.*"], "Entity": entity})
        rows: list[dict[str, Any]] = acme.get("Location", 20440, "Attributes.*")["Attributes"]
        return rows

    assert len(put()) == 1  # spec 4.9 rule 3
    kept, added = put({"Id": 0, "Descriptor": {"Id": 46}, "Value": "AH3"})
    assert (added["Value"], added["TopAssetId"]) == ("AH3", 20400)
    assert [row["Value"] for row in put({"Id": added["Id"], "Value": "AH4"})] == [kept["Value"], "AH4"]
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
    row = acme.get("WorkOrder", made["Id"])
    assert (row["PoNumber"], row["DueDateUtc"]) == ("7", "2024-07-01T12:00:00Z")


def test_null_empties_a_property(acme: Caller) -> None:
    body = {"Properties": ["Dba", "Contract.Id"], "Entity": {"Id": 512, "Dba": None, "Contract": None}}
    acme.ok("PUT", "base/Customer", body)
    row = acme.get("Customer", 512)
    assert row["Dba"] == ""
    assert "Contract" not in row


def test_removal_is_soft_and_can_be_undone(acme: Caller) -> None:
    for _ in range(2):  # facts 3.4: again does no harm
        reply = acme.ok("DELETE", "base/Contact?ID=731")
        assert reply == {"EntitySpecifier": {"EntityType": "Contact", "Id": 731}}
    row = acme.get("Contact", 731)
    assert (row["IsRemoved"], row["DisplayAs"]) == (True, "Tomas Lindqvist (deleted)")
    assert 731 in acme.ids("Contact")
    acme.run("RestoreCommand", EntitySpecifier={"EntityType": "Contact", "Id": 731})
    row = acme.get("Contact", 731)
    assert (row["IsRemoved"], row["DisplayAs"]) == (False, "Tomas Lindqvist")


def test_missing_row_is_passed_over_on_request(acme: Caller) -> None:
    reply = acme.ok("DELETE", "base/Contact?ID=99", IgnoreMissingEntityOnDelete="true")
    assert reply["EntitySpecifier"]["Id"] == 99


def test_one_completion_note_only(acme: Caller) -> None:
    note = {"WorkOrderId": acme.order()["Id"], "NoteTypeId": "Completion", "Body": "done"}
    made = acme.ok("POST", "base/WoNote", {"Entity": note})["EntitySpecifier"]
    assert list(made) == ["EntityType", "Id"]
    assert acme.refused("POST", "base/WoNote", {"Entity": note}) == "BUSINESS_LOGIC_ERROR"


def test_document_names_its_type(acme: Caller) -> None:
    document = {"DocType": {"DisplayAs": "Picture"}, "StorageTypeId": "Cloud"}  # spec 2.9
    made = acme.ok("POST", "base/Document", {"Entity": document})["EntitySpecifier"]
    assert acme.get("Document", made["Id"], "DocType.DisplayAs")["DocType"]["DisplayAs"] == "Picture"
    document["DocType"] = {"DisplayAs": "Painting"}
    assert acme.refused("POST", "base/Document", {"Entity": document}) == "BUSINESS_LOGIC_ERROR"


def test_type_of_a_document_follows_its_mime_type(acme: Caller) -> None:
    document = {
        "DocType": {"Id": 9},
        "StorageTypeId": "Cloud",
        "MimeType": "image/png",
        "ActorId": acme.order()["Id"],
        "ActorTypeId": "WO",
        "Blob": {"FileName": "a.png", "Body": "AAAA"},
    }
    made = acme.ok("POST", "base/Document", {"Entity": document})["EntitySpecifier"]
    row = acme.get("Document", made["Id"], "*,Blob.*")
    assert (row["DocType"], row["Blob"]["FileName"]) == ({"Id": 3}, "a.png")
    assert acme.get("WorkOrder", document["ActorId"], "Documents.Id")["Documents"] == [{"Id": made["Id"]}]
