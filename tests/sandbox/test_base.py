"""The base operations: reads, and what is refused (spec 4.9, facts 3)."""

from __future__ import annotations

from tests.sandbox.company import Caller
from tests.support.laws import each_of


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
    record = acme.ok("GET", 'base/AssetTree?ID={"ParentId":20400,"ChildId":20440}')["Data"]
    known = {"ParentId": 20400, "ChildId": 20440, "Child": {"Id": 20440}, "Distance": 3, "Id": 20400}
    assert record == known | {"IsNew": False, "PerformDeletion": False}


@each_of(
    ("method", "path", "body", "code"),
    [
        ("GET", "base/WorkOrder/99", None, "ERROR_CODE_1019"),
        ("POST", "base/WoFlag", {"Entity": {"FlagId": 1}}, "ERROR_CODE_1000"),
        ("POST", "base/WorkOrder", {"Entity": {}}, "ERROR_CODE_1000"),
        ("DELETE", "base/WorkOrder?ID=1", None, "ERROR_CODE_1000"),
        ("POST", "base/AssetAttribute", {"Entity": {"AssetId": 20440}}, "BUSINESS_LOGIC_ERROR"),
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
