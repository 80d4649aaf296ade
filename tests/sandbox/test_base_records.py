"""Records that come and go: creation, removal, notes and documents (spec 4.9, facts 3)."""

from __future__ import annotations

from tests.sandbox.company import Caller


def test_create_gives_the_specifier_and_ignores_id_and_counter(acme: Caller) -> None:
    entity = {"Id": 5, "ConcurrencyId": 4, "firstName": "Ann", "LastName": "Lee", "Nope": 1, "Number": 7}
    made = acme.ok("POST", "base/contact", {"Entity": entity})["EntitySpecifier"]
    assert list(made) == ["ConcurrencyId", "EntityType", "Id"]
    assert (made["ConcurrencyId"], made["EntityType"]) == (1, "Contact")
    record = acme.get("Contact", made["Id"])
    assert made["Id"] != 5
    assert record["DisplayAs"] == "Ann Lee"  # facts 3.4
    assert record["Number"] == ""  # a number for a text is left at its default


def test_create_of_an_entity_without_a_lock(acme: Caller) -> None:
    entity = {"Name": "Roof", "ParentId": 20400, "TypeId": 5}
    made = acme.ok("POST", "base/Asset", {"Entity": entity})["EntitySpecifier"]
    assert made == {"EntityType": "Location", "Id": made["Id"]}
    record = acme.get("Location", made["Id"])
    assert (record["TypeId"], record["RootId"]) == ("RoomArea", 20400)
    assert acme.ids("AssetTree", ("ChildId", "Equal", made["Id"])) == [20400, made["Id"]]


def test_ids_are_never_handed_out_again(acme: Caller) -> None:
    def make() -> int:
        specifier = acme.ok("POST", "base/Location", {"Entity": {"Name": "x"}})["EntitySpecifier"]
        return int(specifier["Id"])

    first = make()
    acme.ok("DELETE", f"base/Location/{first}")
    assert acme.refused("GET", f"base/Location/{first}") == "ERROR_CODE_1019"
    assert make() > first


def test_a_delete_removes_owned_records(acme: Caller) -> None:
    acme.ok("DELETE", "base/Location/20440")
    assert acme.ids("AssetAttribute", ("AssetId", "Equal", 20440)) == []


def test_removal_is_soft_and_can_be_undone(acme: Caller) -> None:
    for _ in range(2):  # facts 3.4: again does no harm
        response = acme.ok("DELETE", "base/Contact?ID=731")
        assert response == {"EntitySpecifier": {"EntityType": "Contact", "Id": 731}}
    record = acme.get("Contact", 731)
    assert (record["IsRemoved"], record["DisplayAs"]) == (True, "Tomas Lindqvist (deleted)")
    assert 731 in acme.ids("Contact")
    acme.run("RestoreCommand", EntitySpecifier={"EntityType": "Contact", "Id": 731})
    record = acme.get("Contact", 731)
    assert (record["IsRemoved"], record["DisplayAs"]) == (False, "Tomas Lindqvist")


def test_missing_record_is_ignored_on_request(acme: Caller) -> None:
    response = acme.ok("DELETE", "base/Contact?ID=99", IgnoreMissingEntityOnDelete="true")
    assert response["EntitySpecifier"]["Id"] == 99


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
    record = acme.get("Document", made["Id"], "*,Blob.*")
    assert (record["DocType"], record["Blob"]["FileName"]) == ({"Id": 3}, "a.png")
    assert acme.get("WorkOrder", document["ActorId"], "Documents.Id")["Documents"] == [{"Id": made["Id"]}]


def test_a_password_is_not_read_back(acme: Caller) -> None:
    """facts 3.4: it reads as an empty text."""
    (row, *_) = acme.query("Employee")
    assert row.get("Password", "") == ""
