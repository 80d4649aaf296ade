"""WoCreateCommand (spec 2.3 to 2.6, spec 4.3, facts 5)."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox.company import ORDER, Caller
from tests.support.laws import each_of, examples


def test_schedule_comes_from_the_priority_of_the_task(acme: Caller) -> None:
    order = acme.order({"ComputeSchedule": True}, Priority={"Id": 1})
    assert order["Priority"]["Id"] == 3  # facts 5, Creation traps
    assert order["DtCreated"] == "2024-05-14T09:12:31.4470216"  # Eastern, 13:12 UTC
    assert order["CreatedDateUtc"] == "2024-05-14T13:12:31.4470216Z"
    assert (order["DtDue"], order["DueDateUtc"]) == ("2024-05-16T09:12:00", "2024-05-16T13:12:00Z")
    assert order["AcknowledgeByUtc"] == "2024-05-14T15:12:00Z"
    assert order["DtUtcOnSiteBy"] == "2024-05-14T21:12:00Z"


def test_without_schedule_a_sent_priority_stays(acme: Caller) -> None:
    order = acme.order(Priority={"Id": 1})
    assert order["Priority"]["Id"] == 1
    assert "DtDue" not in order


@pytest.mark.parametrize("sent", [{"DueDateUtc": "2024-07-01T12:00:00Z"}, {"DtDue": "2024-07-01T08:00:00"}])
def test_a_time_that_is_written_sets_its_twin(acme: Caller, sent: dict[str, str]) -> None:
    """Local or UTC, in a creation or by a PUT, which writes the properties that it lists (spec 4.9)."""
    both = ("2024-07-01T08:00:00", "2024-07-01T12:00:00Z")
    made = acme.order(**sent)
    assert (made["DtDue"], made["DueDateUtc"]) == both
    other = acme.order({"ComputeSchedule": True})
    for entity, due in ((sent, both), (dict.fromkeys(sent), (None, None))):
        body = {"Properties": [*sent], "Entity": {"Id": other["Id"], **entity}}
        acme.ok("PUT", "base/WorkOrder", body)
        found = acme.get("WorkOrder", other["Id"])
        assert (found.get("DtDue"), found.get("DueDateUtc")) == due


def test_of_two_times_that_disagree_the_local_one_counts(acme: Caller) -> None:
    order = acme.order(DtDue="2024-07-01T08:00:00", DueDateUtc="2024-01-01T00:00:00Z")
    assert (order["DtDue"], order["DueDateUtc"]) == ("2024-07-01T08:00:00", "2024-07-01T12:00:00Z")


def test_amounts_of_the_cost_record_are_written_into_it_only(acme: Caller) -> None:
    """Not in the order's creation (not shown; assumed), but by a PUT of the record with the order's id."""
    nte = {"CustomerNte": {"CurrencyTypeId": "USD", "Value": 12.5}}
    order = acme.order(WorkOrderCost=nte)
    assert acme.get("WorkOrderCost", order["Id"])["CustomerNte"]["Value"] == 0
    acme.ok(
        "PUT", "base/WorkOrderCost", {"Properties": ["CustomerNte"], "Entity": {"Id": order["Id"], **nte}}
    )
    assert acme.get("WorkOrderCost", order["Id"])["CustomerNte"]["Value"] == 12.5


def test_numbers_follow_the_work_zone(acme: Caller) -> None:
    assert [acme.order()["Number"] for _ in range(2)] == ["RSC000001", "RSC000002"]
    assert acme.order(Customer={"Id": 513})["Number"] == "0001"
    assert acme.order(Customer={"Id": 513}, WorkZone={"Id": 14})["Number"] == "RSC000003"


def test_what_is_sent_is_kept(acme: Caller) -> None:
    made = acme.order(
        {"Comment": "said on the phone", "ExternalNumber": "key-1"},
        RequestorContact={"Id": 731},
        Contactid=731,
        ContactName="Ann  ",
        PoNumber="PO-1",
        Items=[{"Asset": {"Id": 20440}, "Task": {"Id": 14211}, "Comment": "first"}],
        CustomFields=[{"Descriptor": {"Id": 88}, "Value": "Dock 2"}],
        Notes=[{"Body": "look", "NoteTypeId": 2}],
        ContactAddress={"Address": "555", "AddrTypeId": "Contact"},
    )
    paths = "*,Items.*,CustomFields.*,Notes.*,ActionLogRecords.*,LastAction.*,ContactAddress.*"
    order = acme.get("WorkOrder", made["Id"], paths)
    assert order["ContactName"] == "Ann"
    assert order["PoNumber"] == "PO-1"
    assert order["RequestorContact"] == {"Id": 731}
    assert "Contactid" not in order
    assert order["Items"][0].items() >= {"Comment": "first", "Task": {"Id": 14211}}.items()
    assert order["CustomFields"][0].items() >= {"Value": "Dock 2", "ObjectTypeId": "WO"}.items()
    assert order["Notes"][0].items() >= {"Body": "look", "NoteTypeId": "Public"}.items()
    (entry,) = order["ActionLogRecords"]
    assert entry.items() >= {"TypeId": "Create", "Comment": "said on the phone"}.items()
    assert order["LastAction"]["XNumber"] == "key-1"
    assert order["ContactAddress"]["Address"] == "555"
    assert acme.ids("WoItem", ("WorkOrderId", "Equal", made["Id"]))


def test_assignment_is_computed_only_on_request(acme: Caller) -> None:
    assert "Employee" not in acme.order()
    chosen = acme.order({"ComputeAssignment": True})
    assert chosen["Employee"]["Id"] == 208
    assert chosen["StatusId"] == "New"
    records = acme.get("WorkOrder", chosen["Id"], "Assignments.*")["Assignments"]
    assert [(record["EmployeeId"], record["IsPrimary"]) for record in records] == [(208, True)]


@each_of(
    ("change", "named"),
    [
        ({"Customer": {"Id": 9}}, "Customer"),
        ({"SubType": {"Id": 9}}, "SubType"),
        ({"Items": [{"Asset": {"Id": 9}, "Task": {"Id": 14211}}]}, "Asset"),
        ({"Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 9}}]}, "Task"),
        ({"Items": []}, "Items"),
        ({"Customer": None}, "Customer.Id"),
        ({"TypeCategory": None}, "TypeCategory"),
        ({"RequestorContact": {"Id": 9}}, "RequestorContact"),
        ({"ContactName": "x" * 257}, "ContactName"),
    ],
)
def test_what_is_missing_or_unknown_is_named(acme: Caller, change: dict[str, Any], named: str) -> None:
    body = {"Command": {"WorkOrder": ORDER | change}, "RequestId": "r9"}
    response = acme.send("POST", "cmd/WoCreateCommand", body)
    assert response.status_code == 400
    error = response.json()
    assert list(error) == ["ErrorMessage", "ErrorCode", "TimeStamp"]
    assert error["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
    assert named in error["ErrorMessage"]
    assert acme.ids("WorkOrder") == []  # nothing is left of it


def test_a_refused_order_leaves_nothing(acme: Caller) -> None:
    note = {"Body": "done", "NoteTypeId": "Completion"}
    body = {"Command": {"WorkOrder": ORDER | {"Notes": [note, note]}}}  # the second one is refused
    assert acme.refused("POST", "cmd/WoCreateCommand", body) == "BUSINESS_LOGIC_ERROR"
    for entity in ("WorkOrder", "WorkOrderCost", "WoItem", "WoNote", "WoActionLog"):
        assert acme.ids(entity) == []
    assert acme.order()["Number"] == "RSC000001"


shared = examples(15)
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=60)


@shared
@given(po=texts, comment=texts, note=texts, field=texts)
def test_any_text_survives(acme: Caller, po: str, comment: str, note: str, field: str) -> None:
    made = acme.order(
        PoNumber=po,
        Items=[{"Asset": {"Id": 20440}, "Task": {"Id": 14211}, "Comment": comment}],
        Notes=[{"Body": note, "NoteTypeId": "Public"}],
        CustomFields=[{"Descriptor": {"Id": 88}, "Value": field}],
    )
    wanted = {"Properties": ["PoNumber", "Items.Comment", "Notes.Body", "CustomFields.Value"]}
    (record,) = acme.query("WorkOrder", ("Id", "Equal", made["Id"]), PropertySet=wanted)
    assert made["PoNumber"] == record["PoNumber"] == po
    assert record["Items"][0]["Comment"] == comment
    assert record["Notes"][0]["Body"] == note
    assert record["CustomFields"][0]["Value"] == field


@shared
@given(amount=st.decimals(-(10**15), 10**15, places=4))
def test_money_is_exact(acme: Caller, amount: Decimal) -> None:
    order = ORDER | {"VendorNte": {"CurrencyTypeId": "usd", "Value": amount}}
    encoder = msgspec.json.Encoder(decimal_format="number")
    body = encoder.encode({"Command": {"WorkOrder": order}})
    made = acme.ok("POST", "cmd/WoCreateCommand", body)["CommandResult"]["Wo"]
    read = acme.send("GET", f"base/WorkOrder/{made['Id']}?properties=VendorNte").content
    money = msgspec.json.Decoder(float_hook=Decimal).decode(read)["Data"]["VendorNte"]
    assert money["CurrencyTypeId"] == "USD"
    assert str(money["Value"]) == str(amount) or money["Value"] == amount == 0
    found = acme.ids("WorkOrder", ("Id", "Equal", made["Id"]), ("VendorNte.Value", "Equal", str(amount)))
    assert found == [made["Id"]]
