"""The places where a recorded release differs from the specification, one after the other (facts 12)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.sandbox.company import ORDER, Caller, calling
from wosdk_async.sandbox import LocalCompany, create_app
from wosdk_async.sandbox.storage.store import Store


@pytest.fixture
def both(store: Store, clock: Any) -> Iterator[tuple[Caller, Caller]]:
    """One Company in both dialects: spec, recorded."""
    with calling(store, clock) as spec, calling(store, clock, "recorded") as recorded:
        yield spec, recorded


def test_a_creation_is_opened_or_cut(both: tuple[Caller, Caller]) -> None:
    """Facts 12 rows 2 and 11, facts 5: nothing is expanded, and no list is there."""
    spec, recorded = (caller.order(RequestorContact={"Id": 731}) for caller in both)
    assert (spec["Customer"]["Name"], spec["Items"]) == ("Lindqvist Dental LLC", [])
    cut = ("WorkOrderCost", "Priority", "MainAsset", "WorkZone", "Specialty", "SubType", "Customer")
    assert all(recorded[name].keys() == {"Id"} for name in (*cut, "LastAction", "RequestorContact"))
    assert not any(isinstance(value, list) for value in recorded.values())
    assert recorded["WorkOrderCost"] == recorded["LastAction"] == {"Id": recorded["Id"]}


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("WoScheduleRoutine", {"WorkOrder": ORDER}),
        ("WoScheduleRoutine", {"WorkOrder": ORDER, "OutputPropertySet": {"Properties": ["*", "Customer.*"]}}),
        ("AddChildWorkOrderRoutine", {"WoItemIds": [1]}),
        ("GetPreferredAssigneesRoutine", {"SpecialtyId": 27, "WorkZoneId": 14}),
        ("AssetMatchByTaskCodeCommand", {"ParentAssetId": 20400, "TaskCode": "NC"}),
    ],
)
def test_marks_of_a_result(both: tuple[Caller, Caller], name: str, arguments: dict[str, Any]) -> None:
    """Facts 12 row 2: routines that compute a record show the marks no more than a read does."""
    recorded = both[1]
    recorded.order()
    response = recorded.send("POST", f"cmd/{name}", {"Command": arguments})
    assert response.status_code == 200, response.text
    assert not [mark for mark in ("IsNew", "PerformDeletion") if mark in response.text]


def test_envelope_of_a_retrieve(both: tuple[Caller, Caller]) -> None:
    """Facts 12 rows 2 and 5: the specification's serves a client of either form, and has two members more."""
    spec, recorded = (caller.ok("GET", "base/Contact/731") for caller in both)
    assert spec["Entities"] == [{"Data": spec["Data"]}]
    assert recorded.keys() == {"Data"}
    assert spec["Data"].keys() ^ recorded["Data"].keys() == {"IsNew", "PerformDeletion"}


def test_requestor_of_a_creation(both: tuple[Caller, Caller]) -> None:
    """Facts 12 row 3: Contactid is taken, or dropped."""
    spec, recorded = (caller.order(Contactid=731) for caller in both)
    assert spec["RequestorContact"]["Id"] == 731
    assert "RequestorContact" not in recorded


def test_names_that_only_the_specification_has(both: tuple[Caller, Caller]) -> None:
    """Facts 12 rows 6, 7 and 12: entity types, and properties that a running release does not expose."""
    spec, recorded = both
    order = spec.order()["Id"]
    for path in ("base/Priority/3", "base/SubType/259", "base/Asset/20440"):
        assert spec.ok("GET", path)
        assert recorded.refused("GET", path) == "ENTITY_NOT_FOUND"
    for path in (
        f"WorkOrderCost/{order}?properties=BillToType",
        "Location/20440?properties=CriticalFacilities",
    ):
        assert spec.ok("GET", f"base/{path}")
        assert recorded.refused("GET", f"base/{path}") == "ERROR_CODE_1002"
    for caller in both:
        assert caller.get("WorkOrderCost", order, "BillToOption.Id")["BillToOption"] == {"Id": 0}
    gone = {"Criteria": {"Conditions": [{"PropertyName": "Child.IsRestricted", "Operator": "NotNull"}]}}
    assert spec.ok("POST", "query/AssetTree", {"QueryExpression": gone})
    assert recorded.refused("POST", "query/AssetTree", {"QueryExpression": gone}) == "ERROR_CODE_1002"
    body = {"Properties": ["IsRestricted"], "Entity": {"Id": 20440, "IsRestricted": True}}
    assert recorded.refused("PUT", "base/Location", body) == "ERROR_CODE_1002"


def test_path_of_sending(both: tuple[Caller, Caller]) -> None:
    """Facts 12 row 4: SendWorkOrder is the path, or unknown."""
    body = {"Command": {"WorkOrderId": both[0].order()["Id"]}}
    codes = [caller.refused("POST", "cmd/SendWorkOrder", body) for caller in both]
    assert codes == ["BUSINESS_LOGIC_ERROR", "COMMAND_NOT_FOUND"]
    assert both[1].refused("POST", "cmd/SendWorkOrderCommand", body) == "BUSINESS_LOGIC_ERROR"


def test_version_in_the_response_to_an_update(both: tuple[Caller, Caller]) -> None:
    """Facts 12 row 15: type and id, or the new counter before them."""
    spec, recorded = (
        caller.ok("PUT", "base/Contact", {"Properties": ["Number"], "Entity": {"Id": 731, "Number": number}})
        for caller, number in zip(both, "12", strict=True)
    )
    assert list(spec["EntitySpecifier"].items()) == [("EntityType", "Contact"), ("Id", 731)]
    assert list(recorded["EntitySpecifier"].items()) == [
        ("ConcurrencyId", 3),
        ("EntityType", "Contact"),
        ("Id", 731),
    ]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "cmd/WoPickUpCommand", {"Command": {}, "RequestId": "r"}),
        ("POST", "query/Nothing", {"QueryExpression": {}, "requestid": "r"}),
        ("PUT", "base/Contact", {"RequestId": "r"}),
        ("GET", "base/Contact/9?requestId=r", None),
        ("DELETE", "base/WorkOrder?ID=9&RequestId=r", None),
    ],
)
def test_request_id_of_an_error(both: tuple[Caller, Caller], method: str, path: str, body: object) -> None:
    """Facts 12 row 9: three members, or the request's own id behind them, whatever went wrong."""
    members = ["ErrorMessage", "ErrorCode", "TimeStamp"]
    responses = [caller.send(method, path, body) for caller in both]
    assert [response.status_code for response in responses] == [400, 400]
    assert [list(response.json()) for response in responses] == [members, [*members, "RequestId"]]
    assert responses[1].json()["RequestId"] == "r"


def test_times(both: tuple[Caller, Caller], clock: Any) -> None:
    """Facts 12 row 1, facts 3.5: Z and seven digits only where the same call set the time."""
    spec, recorded = both
    made = recorded.order({"ComputeSchedule": True})
    assert (made["CreatedDateUtc"], made["DueDateUtc"]) == (
        "2024-05-14T13:12:31.4400000Z",
        "2024-05-16T13:12:00Z",
    )
    clock.advance(61)
    moved = recorded.run("WoPickUpCommand", WorkOrderId=made["Id"])["Wo"]
    assert (moved["LastActionDate"], moved["LastActionDateUtc"]) == (
        "2024-05-14T09:13:32.4400000",
        "2024-05-14T13:13:32.4400000Z",
    )
    assert (moved["CreatedDateUtc"], moved["DueDateUtc"]) == ("2024-05-14T13:12:31.44", "2024-05-16T13:12:00")
    read = recorded.get("WorkOrder", made["Id"])
    assert (read["DtCreated"], read["LastActionDateUtc"]) == (
        "2024-05-14T09:12:31.44",
        "2024-05-14T13:13:32.44",
    )
    same = [("LastActionDateUtc", "Equal", read["LastActionDateUtc"])]
    assert recorded.ids("WorkOrder", *same) == [made["Id"]]
    assert spec.get("WorkOrder", made["Id"])["DueDateUtc"] == "2024-05-16T13:12:00Z"


@pytest.mark.parametrize("mark", ["", "Z"])
def test_a_time_in_a_condition_with_and_without_its_mark(both: tuple[Caller, Caller], mark: str) -> None:
    """Spec 2.1: times in UTC end in Z. Facts 3.5: a condition without it was accepted."""
    for company in both:
        made = company.order(DueDateUtc="2026-07-01T12:00:00Z")["Id"]
        for operator, seconds in (("Equal", "00"), ("LessThan", "01"), ("GreaterOrEqual", "00")):
            condition = ("DueDateUtc", operator, f"2026-07-01T12:00:{seconds}{mark}")
            assert made in company.ids("WorkOrder", condition)
        later = ("DueDateUtc", "GreaterThan", f"2026-07-01T12:00:00{mark}")
        assert made not in company.ids("WorkOrder", later)


def test_times_that_a_client_set(both: tuple[Caller, Caller]) -> None:
    """Facts 3.5: seven digits only in the response to the call that set the value, 0 or 2 when read back."""
    spec, recorded = both
    sent, cut = "2026-01-02T03:04:05.1234567", "2026-01-02T03:04:05.12"
    made = recorded.order(DtDue=sent)
    assert (made["DtDue"], made["DueDateUtc"]) == (sent, "2026-01-02T08:04:05.1234567Z")
    paid = recorded.run("ApSubmitPaymentCommand", WorkOrderId=made["Id"], CheckCutDate=sent)
    assert paid["Financial"]["CheckCutDate"] == sent
    space = recorded.run("SpaceCreateCommand", CustomerId="512", StartDate=sent, UnitId=20440)["NewSpace"]
    assert space["StartDate"] == sent
    put = {"Properties": ["DtDue"], "Entity": {"Id": made["Id"], "DtDue": sent}}
    order = ORDER | {"Priority": {"Id": 3}, "DtScheduledStart": sent}
    draft = recorded.run("WoScheduleRoutine", WorkOrder=order)["Wo"]  # set now, though nothing is stored
    assert (draft["DtScheduledStart"], draft["DueDateUtc"][-1]) == (sent, "Z")
    version = recorded.ok("PUT", "base/WorkOrder", put)["EntitySpecifier"]["ConcurrencyId"]
    for entity, key, name in (
        ("WorkOrder", made["Id"], "DtDue"),
        ("WorkOrderCost", made["Id"], "CheckCutDate"),
        ("Space", space["Id"], "StartDate"),
    ):
        assert recorded.get(entity, key)[name] == cut
        (found,) = recorded.query(entity, (name, "Equal", cut), ("Id", "Equal", str(key)))
        assert found[name] == cut
    put["Entity"]["DtDue"] = cut  # facts 3.7: a write of the values read changes nothing
    assert recorded.ok("PUT", "base/WorkOrder", put)["EntitySpecifier"]["ConcurrencyId"] == version
    for time, shown in (("03:04:05.0012345", "03:04:05"), ("03:04:05.9999999", "03:04:05.99")):
        put["Entity"]["DtDue"] = f"2026-01-02T{time}"
        recorded.ok("PUT", "base/WorkOrder", put)
        assert recorded.get("WorkOrder", made["Id"])["DtDue"] == f"2026-01-02T{shown}"
    spec.ok("PUT", "base/WorkOrder", put)  # a store may hold what the other dialect stored
    assert recorded.get("WorkOrder", made["Id"])["DtDue"] == "2026-01-02T03:04:05.99"
    assert spec.get("WorkOrder", made["Id"])["DtDue"] == "2026-01-02T03:04:05.9999999"


def test_scale_of_amounts(both: tuple[Caller, Caller]) -> None:
    """Facts 3.3: two decimals on an order just created, four when it is read back; by value the same."""
    spec, recorded = both
    for sent, fresh, stored in (("350", "350.00", "350.0000"), ("12.5", "12.50", "12.5000")):
        order = {"Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}], "TypeCategory": "Request"}
        order |= {"SubType": {"Id": 259}, "Customer": {"Id": 512}, "VendorNte": {"Value": float(sent)}}
        body = {"Command": {"WorkOrder": order}}
        made = recorded.send("POST", "cmd/WoCreateCommand", body)
        assert f'"VendorNte":{{"CurrencyTypeId":"USD","Value":{fresh}}}' in made.text
        key = made.json()["CommandResult"]["Wo"]["Id"]
        assert f'"Value":{stored}}}' in recorded.send("GET", f"base/WorkOrder/{key}").text
        assert spec.get("WorkOrder", key)["VendorNte"]["Value"] == float(sent)


def test_missing_record_of_a_delete(both: tuple[Caller, Caller]) -> None:
    """Facts 3.4 and 3.8: refused unless a header says otherwise, or successful like any other."""
    spec, recorded = both
    assert spec.refused("DELETE", "base/Customer/99999") == "ERROR_CODE_1019"
    gone = {"EntitySpecifier": {"EntityType": "Customer", "Id": 99999}}
    assert recorded.ok("DELETE", "base/Customer/99999") == gone


def test_address_without_a_kind(both: tuple[Caller, Caller]) -> None:
    """Facts 2: without ApiType a running locator gives the SOAP address, which is on the same host."""
    spec, recorded = (
        caller.run("GetCompanyWsdkUrlCommand", CompanyName="AcmeFacilities")["Url"] for caller in both
    )
    assert (spec, recorded) == ("http://acme.test/", "http://acme.test/wsdk/CorrigoService.asmx")
    for caller in both:
        named = {"ApiType": "rest", "CompanyName": "AcmeFacilities"}
        assert caller.run("GetCompanyWsdkUrlCommand", **named)["Url"] == "http://acme.test/"


def test_a_record_of_one_dialect_is_whole_in_the_other(both: tuple[Caller, Caller]) -> None:
    """A store keeps what its dialect does not show, and shows it in the other one."""
    spec, recorded = both
    made = recorded.ok("POST", "base/Location", {"Entity": {"Name": "Roof", "ParentId": 20400}})
    shown = spec.get("Location", made["EntitySpecifier"]["Id"])
    assert (shown["CriticalFacilities"], shown["IsRestricted"]) == ("Inherit", False)


def test_an_unknown_dialect(store: Store) -> None:
    """The error names those that are."""
    for make in (lambda: create_app(store, dialect="soap"), lambda: LocalCompany(dialect="soap")):
        with pytest.raises(ValueError, match=r"no dialect 'soap'.*spec, recorded"):
            make()
