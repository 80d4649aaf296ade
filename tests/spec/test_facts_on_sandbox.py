"""Rules of the public facts that an outside review found missing in the sandbox, with bare httpx."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.sandbox.company import ORDER, Caller
from tests.spec.local import ASSET, CONTACT, CUSTOMER, EMPLOYEE, Local, refused, succeeded
from tests.spec.raw import command, made
from tests.spec.rules import differs
from tests.spec.table import Json
from tests.support.laws import case
from wosdk_async.sandbox import LocalCompany

ZONE, OTHER_ZONE, TIME_CARD, CARD_WEEK = 14, 15, 6001, "2024-05-13T00:00:00"
RULE = "BUSINESS_LOGIC_ERROR"
MOVED = "Existing Time Card cannot be moved to another week"


@pytest.fixture(scope="module")
def recorded() -> Iterator[Local]:
    """The other dialect: a running release as it was recorded."""
    with LocalCompany(dialect="recorded") as company, Local(company.variables) as opened:
        yield opened


# --- facts 3.9 --------------------------------------------------------------------------------


@pytest.mark.parametrize("week", ["2024-05-20T00:00:00", "2024-05-06", None])
def test_a_time_card_keeps_its_week(local: Local, week: str | None) -> None:
    """Facts 3.9 and 6: the PUT fails on a business rule, a card cannot move to another week."""
    for properties in (["WeekStartDate"], ["*"]):
        reply = local.put("TimeCard", properties, {"Id": TIME_CARD, "WeekStartDate": week})
        assert refused(reply, "BUSINESS_LOGIC_ERROR") == MOVED
    reply = local.put("TimeCard", ["Week.Id"], {"Id": TIME_CARD, "Week": {"Id": 12345}})
    assert refused(reply, "BUSINESS_LOGIC_ERROR") == MOVED
    card = local.read("TimeCard", TIME_CARD)
    assert card["WeekStartDate"] == CARD_WEEK


def test_a_time_card_is_written_within_its_week(local: Local) -> None:
    """Facts 3.9: only the week is refused, and not when it stays."""
    card = {"Id": TIME_CARD, "WeekStartDate": CARD_WEEK, "Flagged": 1}
    succeeded(local.put("TimeCard", ["*"], card))
    assert local.read("TimeCard", TIME_CARD)["Flagged"] == 1


@pytest.mark.parametrize(
    "element",
    [{"Comment": "Made up", "TypeId": "Note"}, {"PerformDeletion": True}, {"Comment": "Rewritten"}],
    ids=["add", "remove", "modify"],
)
def test_the_action_log_is_read_only(local: Local, element: Json) -> None:
    """Facts 3.9: WoActionLog is read-only, also as the list of its order."""
    order = local.new_order()
    before = local.rows("WoActionLog", "WorkOrderId", order)
    if "TypeId" not in element:
        element = {"Id": before[0]["Id"], **element}
    reply = local.put("WorkOrder", ["ActionLogRecords.*"], {"Id": order, "ActionLogRecords": [element]})
    refused(reply)
    assert local.rows("WoActionLog", "WorkOrderId", order) == before
    empty = local.put("WorkOrder", ["ActionLogRecords.*"], {"Id": order, "ActionLogRecords": []})
    succeeded(empty)  # facts 3.6: an empty list does no harm


READ_ONLY = [
    "Actor",
    "AssetTree",
    "WoFlag",
    "Address",
    "Contract",
    "WoLastAction",
    "WoActionLog",
    "ApInvoiceStatus",
]


def test_put_on_what_takes_none(local: Local) -> None:
    """Spec 4.9 rule 1: ERROR_CODE_1000, whether there is such a row or not."""
    for key in [987_654, 1]:
        for entity in READ_ONLY:
            with case(key, entity):
                message = refused(local.put(entity, ["*"], {"Id": key, "DisplayAs": "x"}), "ERROR_CODE_1000")
                assert message == f"Update operation is not supported by {entity} entity."


def test_how_a_work_zone_is_deleted(local: Local) -> None:
    """Facts 3.9 and 6: DELETE is refused with the path of a command, and that path leads to one."""
    zone = local.run(
        "WorkZoneCreateCommand", {"WorkZone": {"DisplayAs": "Short lived", "WoNumberPrefix": "S"}}
    )
    key = zone["WorkZone"]["Id"]
    message = refused(local.send("DELETE", f"base/WorkZone?ID={key}"), "CUSTOM_COMMAND_ERROR")
    path = message.partition("'/cmd/")[2].partition("'")[0]
    local.run(path, {"WorkZoneId": key})
    assert local.read("WorkZone", key)["IsRemoved"] is True
    assert refused(local.command("Workzone/delete", {"WorkZoneId": key}), "COMMAND_NOT_FOUND")  # facts 5


# --- facts 3.10 and 3.3 -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("storage", "kind", "missing"),
    [("URL", kind, "DocType.Id") for kind in ("Picture", 3, None, {"DisplayAs": "No such type"}, {})]
    + [("Floppy", {"Id": 3}, "StorageTypeId")],
)
def test_a_document_needs_members_that_can_be_read(
    local: Local, storage: str, kind: Any, missing: str
) -> None:
    """Facts 3.10: two are required; facts 3.3: a member that cannot be read counts as left out."""
    document = {"ActorId": CUSTOMER, "ActorTypeId": "CommLease", "StorageTypeId": storage, "DocType": kind}
    message = refused(local.send("POST", "base/Document", {"Entity": document}), "BUSINESS_LOGIC_ERROR")
    assert message.startswith(f"{missing} is a required field")


@differs("message of a refusal")
def test_the_recorded_text_of_a_required_field(local: Local, recorded: Local) -> None:
    """Facts 6: "X is a required field", and nothing else, as recorded; here the entity stands behind it."""
    order = {
        "Items": [{"Asset": {"Id": ASSET}, "Task": {"Id": 14211}}],
        "TypeCategory": "Basic",
        "SubType": {"Id": 256},
    }
    texts = [refused(each.command("WoCreateCommand", {"WorkOrder": order})) for each in (local, recorded)]
    assert texts == ["WorkZone.Id is a required field of WorkOrder", "WorkZone.Id is a required field"]


def test_the_rate_of_a_labor_code(recorded: Local) -> None:
    """Facts 3.3: decimals keep the zeros of their scale, LaborCode.Rate has one digit."""
    code = {"DisplayAs": "Standby", "Rate": 0}
    made = succeeded(recorded.send("POST", "base/LaborCode", {"Entity": code}))["EntitySpecifier"]["Id"]
    for rate, written in ((0, "0.0"), (45, "45.0"), (12.5, "12.5"), (0.125, "0.125")):
        succeeded(recorded.put("LaborCode", ["Rate"], {"Id": made, "Rate": rate}))
        reply = recorded.send("GET", f"base/LaborCode?ID={made}")
        assert f'"Rate":{written},' in reply.text
        assert json.loads(reply.text, parse_float=Decimal)["Data"]["Rate"] == Decimal(written)


# --- facts 3.6, single references -------------------------------------------------------------


@pytest.fixture
def zone(local: Local) -> int:
    """A work zone that a customer of its own is in."""
    made = local.run("WorkZoneCreateCommand", {"WorkZone": {"DisplayAs": "Inside", "WoNumberPrefix": "I"}})
    return int(made["WorkZone"]["Id"])


@pytest.fixture
def customer(local: Local, zone: int) -> int:
    entity = {"Name": "Inside Ltd", "DisplayAs": "Inside Ltd", "WorkZone": {"Id": zone}}
    return int(succeeded(local.send("POST", "base/Customer", {"Entity": entity}))["EntitySpecifier"]["Id"])


@pytest.mark.parametrize("entry", ["WorkZone.*", "WorkZone.Number"])
@pytest.mark.parametrize("named", [True, False])
def test_writing_inside_a_reference(local: Local, zone: int, customer: int, entry: str, named: bool) -> None:
    """Facts 3.6: Child.* and Child.Field write inside the record that the reference names."""
    before = local.read("Customer", customer)["ConcurrencyId"]
    inside = {"Number": "WZ-9"} | ({"Id": zone} if named else {})
    succeeded(local.put("Customer", [entry], {"Id": customer, "WorkZone": inside}))
    written = local.read("WorkZone", zone)
    assert (written["Number"], written["DisplayAs"], written["ConcurrencyId"]) == ("WZ-9", "Inside", 2)
    after = local.read("Customer", customer)
    assert (after["WorkZone"]["Id"], after["ConcurrencyId"]) == (zone, before)  # facts 3.7


def test_a_field_that_is_not_listed_stays(local: Local, zone: int, customer: int) -> None:
    """Facts 3.6: one name writes one member of the other record."""
    inside = {"Id": zone, "Number": "WZ-8", "DisplayAs": "Renamed"}
    succeeded(local.put("Customer", ["WorkZone.Number"], {"Id": customer, "WorkZone": inside}))
    assert local.read("WorkZone", zone)["DisplayAs"] == "Inside"


def test_pointing_a_reference_elsewhere_writes_nothing_there(local: Local, customer: int) -> None:
    """Facts 3.4 names the Id as the end of such a path: the reference changes, the record does not."""
    before = local.read("WorkZone", OTHER_ZONE)
    sent = {"Id": OTHER_ZONE, "DisplayAs": "Not to be written", "Number": "WZ-7"}
    succeeded(local.put("Customer", ["WorkZone.Id"], {"Id": customer, "WorkZone": sent}))
    assert local.read("Customer", customer)["WorkZone"]["Id"] == OTHER_ZONE
    assert local.read("WorkZone", OTHER_ZONE) == before


def test_a_whole_record_as_a_reference(local: Local, customer: int) -> None:
    """Facts 3.6: with Child.* what was read before overwrites what others wrote since."""
    read = local.read("WorkZone", OTHER_ZONE)
    succeeded(local.put("WorkZone", ["Number"], {"Id": OTHER_ZONE, "Number": "WZ-NEW"}))
    succeeded(local.put("Customer", ["WorkZone.*"], {"Id": customer, "WorkZone": read}))
    assert local.read("Customer", customer)["WorkZone"]["Id"] == OTHER_ZONE
    assert local.read("WorkZone", OTHER_ZONE)["Number"] == read["Number"]


def test_inside_of_what_nobody_may_write(local: Local) -> None:
    """Facts 3.9: WoLastAction is read-only, also through its order; the bare reference does no harm."""
    order = local.new_order()
    last = {"Id": order, "XNumber": "forged"}
    reply = local.put("WorkOrder", ["LastAction.*"], {"Id": order, "LastAction": last})
    refused(reply, "ERROR_CODE_1000")
    succeeded(local.put("WorkOrder", ["LastAction.*"], {"Id": order, "LastAction": {"Id": order}}))
    assert local.read("WorkOrder", order, "LastAction.*")["LastAction"]["XNumber"] == ""


def test_inside_of_a_reference_that_leads_nowhere(local: Local, zone: int, customer: int) -> None:
    """Facts 6: there is no such row; nothing is written."""
    sent = {"Id": 55_555, "Number": "WZ-1"}
    refused(local.put("Customer", ["WorkZone.*"], {"Id": customer, "WorkZone": sent}), "ERROR_CODE_1019")
    assert local.read("Customer", customer)["WorkZone"]["Id"] == zone


# --- messages ---------------------------------------------------------------------------------


def test_put_with_an_id_in_the_path(local: Local) -> None:
    """Facts 3.1: 405; the text says where the id goes."""
    reply = local.send("PUT", f"base/contact/{CONTACT}", {"Properties": ["*"], "Entity": {}})
    assert reply.status_code == 405
    message = refused(reply)
    assert "send PUT /api/v1/base/Contact with the id in the body" in message
    assert f'"Entity": {{"Id": {CONTACT}}}' in message


def test_a_method_that_is_not_offered(local: Local) -> None:
    """The method and what to send in its place."""
    for method, path, wanted in (
        ("GET", "query/Contact", "use POST"),
        ("PATCH", "base/Contact", "use POST or PUT"),
    ):
        reply = local.send(method, path)
        assert reply.status_code == 405
        assert wanted in refused(reply)


def test_an_invented_status(local: Local) -> None:
    """The value that was sent, cut, and the names there are."""
    for value in ("Dispatched", "x" * 500):
        condition = {"PropertyName": "StatusId", "Operator": "Equal", "Values": [value]}
        body = {"QueryExpression": {"Criteria": {"Conditions": [condition]}}}
        message = refused(local.send("POST", "query/WorkOrder", body), "INCORRECT_MODEL")
        assert repr(value)[:40] in message
        assert "InProgress" in message
        assert len(message) < 300


@differs("`/cmd/SendWorkOrder`")
def test_sending_an_order_that_nobody_could_be_sent(local: Local) -> None:
    """The order, and what it lacks: nothing about orders that were sent."""
    order = local.new_order(EmployeeId=EMPLOYEE)
    message = refused(local.command("SendWorkOrder", {"WorkOrderId": order}), "BUSINESS_LOGIC_ERROR")
    assert message == f"Work order {order} has no connected Service Pro: assign one before sending."


# --- facts 9, 10 and 12 ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("number", "name"), [(1, "Basic"), (2, "PMRM"), (3, "Turn"), (4, "Request")])
def test_numbers_of_categories(either: Caller, number: int, name: str) -> None:
    """Facts 9: an input takes the number or the name of a category, an output has the name."""
    for sent in (number, str(number), name):
        assert either.order(TypeCategory=sent)["TypeCategory"] == name
    assert either.refused(*command("WoCreateCommand", WorkOrder=ORDER | {"TypeCategory": 5})) == RULE
    note = {"WorkOrderId": either.order()["Id"], "NoteTypeId": 1, "Body": "Done"}
    assert either.get("WoNote", made(either, "WoNote", **note))["NoteTypeId"] == "Completion"


def test_names_of_attributes_come_in_one_query(either: Caller) -> None:
    """Facts 10 row 19: the descriptor is opened in the query of the attributes."""
    properties = {"Properties": ["*", "Descriptor.*"]}
    rows = either.query("AssetAttribute", ("AssetId", "Equal", str(ASSET)), PropertySet=properties)
    assert [row["Descriptor"]["Name"] for row in rows] == ["Service line"]
