"""The columns of a table: from the catalogue alone, in the order of the selection."""

from __future__ import annotations

import sys

import pytest

from tests.support.laws import each_of
from wosdk_async import AssetTree, Employee, Location, WorkOrder, catalogue
from wosdk_async.errors import InvalidCallError, UnknownPropertyError
from wosdk_async.model import WoNote, registry
from wosdk_async.query.columns import columns_of
from wosdk_async.query.table import TableBuilder

QUERIED = sorted(name for name, found in catalogue.load().entities.items() if found.kind == "entity")


def names(entity: type, *paths: str) -> list[str]:
    return [column.name for column in columns_of(entity, paths)]


@each_of(
    ("path", "found"),
    [
        ("Number", ["Number"]),
        ("Customer.Name", ["Customer.Name", "Customer.Id"]),
        ("Customer", ["Customer.Id"]),
        ("VendorNte", ["VendorNte.CurrencyTypeId", "VendorNte.Value"]),
        ("VendorNte.Value", ["VendorNte.Value", "VendorNte.CurrencyTypeId"]),
        ("Items.*", ["Items"]),
        ("Items.Task.DisplayAs", ["Items"]),
        ("CustomFields.*", ["CustomFields"]),
        (
            "LastAction.Reason.DisplayAs",
            ["LastAction.Reason.DisplayAs", "LastAction.Id", "LastAction.Reason.Id"],
        ),
        ("WorkOrderCost.BillingContact.Name", ["WorkOrderCost.BillingContact", "WorkOrderCost.Id"]),
    ],
)
def test_a_path_becomes_columns(path: str, found: list[str]) -> None:
    assert names(WorkOrder, path) == ["Id", *found, "Extra"]


def test_columns_come_in_the_order_of_the_selection_and_once() -> None:
    assert names(WorkOrder, "StatusId", "Customer.Name", "Id", "Customer.*", "StatusId")[:4] == [
        *("StatusId", "Customer.Name", "Id", "Customer.Id"),
    ]
    assert len(set(names(WorkOrder, "*", "Customer.*"))) == len(names(WorkOrder, "*", "Customer.*"))


def test_without_a_selection_columns_are_what_the_service_sends() -> None:
    found = names(WorkOrder)
    assert found == names(WorkOrder, "*")
    assert {"Id", "Customer.Id", "VendorNte.Value", "DueDateUtc", "Priority.Id"} <= set(found)
    assert not {"Items", "Customer", "Customer.Name", "Address.Id"} & set(found)


def test_a_reference_to_an_actor_has_its_type() -> None:
    assert {"CreatedBy.Id", "CreatedBy.TypeId"} <= set(names(WoNote))


def test_an_entity_may_be_given_by_its_name() -> None:
    assert columns_of("workorder", ["Number"]) == columns_of(WorkOrder, ["Number"])


def test_secrets_have_no_column() -> None:
    assert "Password" not in names(Employee)
    with pytest.raises(InvalidCallError, match=r"Employee\.Password is a secret; tables exclude secrets"):
        columns_of(Employee, ["Password"])
    builder = TableBuilder(columns_of(Employee))
    body = b'{"Entities":[{"Data":{"Id":5,"Password":"abc"}}]}'
    for _ in range(2):  # the second time the name was learned
        assert "abc" not in str(builder.batch(builder.rows(body)).to_pylist())


def test_what_the_catalogue_does_not_know_is_refused() -> None:
    with pytest.raises(
        InvalidCallError, match=r"'NewEntity' is not in the catalogue.*read the records as dicts"
    ):
        columns_of("NewEntity")
    with pytest.raises(UnknownPropertyError, match="unknown property 'Nme' of Customer; did you mean 'Name'"):
        columns_of(WorkOrder, ["Customer.Nme"])
    with pytest.raises(UnknownPropertyError, match="single value"):
        columns_of(WorkOrder, ["Number.*"])


@each_of("name", ["UserSignInInfo", "LicensedProvider", "TaxDetail", "Money", "ErrorInfo"])
def test_parts_of_records_and_results_are_not_queried(name: str) -> None:
    """Their pages could not be read: that is said before anything is sent."""
    for entity in (name, registry.resolve(name)):
        with pytest.raises(
            InvalidCallError,
            match=f"{name} has no Id and cannot be queried, because it is part of other records",
        ):
            columns_of(entity)


@each_of("name", QUERIED)
def test_each_entity_has_columns_and_a_schema(name: str) -> None:
    columns = columns_of(registry.resolve(name))
    schema = TableBuilder(columns).schema
    assert schema.names == [column.name for column in columns]
    assert schema.names[-1] == "Extra"
    assert all(column.nullable for column in columns)


def test_types_are_those_of_the_catalogue() -> None:
    paths = ["Id", "IsWarranty", "Number", "StatusId", "VendorNte.Value", "DtDue", "DueDateUtc", "Items.*"]
    schema = TableBuilder(columns_of(WorkOrder, paths)).schema
    assert [str(each) for each in schema.types[:8]] == [
        *("int64", "bool", "string", "string", "decimal128(38, 15)"),
        *("timestamp[us]", "timestamp[us, tz=UTC]", "string"),
    ]
    assert (
        str(TableBuilder(columns_of(Location, ["Address.Latitude"])).schema.types[1]) == "decimal128(38, 15)"
    )


def test_the_schema_describes_the_columns() -> None:
    schema = TableBuilder(columns_of(WorkOrder, ["StatusId"])).schema
    assert schema.metadata[b"entity"] == b"WorkOrder"
    assert schema.field("StatusId").metadata == {
        b"type": b"enum WorkOrderStatus",
        b"description": b"Current status.",
    }


def test_columns_need_no_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert columns_of(AssetTree)[-1].name == "Extra"
