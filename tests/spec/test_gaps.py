"""Gaps of the specification: docs/assumptions.md names each, and both sides do what it says.

The names of the gaps are transcribed from the specification, section by section; each has its case here.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from typing import Any

import pytest

import wosdk_async as wosdk
from tests.docs.pages import ROOT
from tests.sandbox.company import Caller
from tests.spec.local import ASSET, ATTRIBUTE, CUSTOMER, PROVIDER, space_request
from tests.spec.raw import command, made, post, put, refusal
from tests.support.service import COMPANY, Answer, Service
from wosdk_async import AccessToken, Client
from wosdk_async.codec import structure, unstructure

STATES = ["Unknown", "Open", "Paused", "Cancelled", "New", "OnHold", "InProgress", "Completed"]
SEND, COMPLETE = "SendWorkOrderCommand", "WoCompleteCommand"


def completed(acme: Caller, **command: Any) -> int:
    order = int(acme.order({"EmployeeId": PROVIDER})["Id"])
    for name in ("WoPickUpCommand", "WoStartCommand"):
        acme.run(name, WorkOrderId=order)
    acme.run(COMPLETE, WorkOrderId=order, **command)
    return order


# --- the sandbox, raw ------------------------------------------------------------------------------------


def asset_info(acme: Caller) -> None:
    """Facts 10 row 10: it is read with its Location."""
    assert acme.get("Location", ASSET, "Info.*")["Info"]["SerialNumber"] == "AH3-55120"
    (row,) = acme.query("Location", ("Id", "Equal", str(ASSET)), PropertySet={"Properties": ["Info.*"]})
    assert row["Info"]["SerialNumber"] == "AH3-55120"
    assert acme.refused("POST", "query/AssetInfo", {"QueryExpression": {}}) == "ERROR_CODE_1000"


def further_fields(acme: Caller) -> None:
    (row,) = acme.query("AssetTree", ("ChildId", "Equal", str(ASSET)), ("Distance", "Equal", "0"))
    assert {"ParentId", "ChildId", "Distance"} <= row.keys()
    assert acme.get("Address2", 1)["Zip"] == "04099"
    assert "ModelId" in acme.get("Location", ASSET)


def further_values(acme: Caller) -> None:
    assert acme.order(Access="Appointment")["Access"] == "Appointment"
    assert acme.order(Access="Invented")["Access"] == "NotApplicable"


def labour(acme: Caller) -> None:
    """Facts 10 row 11: it is a line of the cost."""
    order = acme.order()["Id"]
    line = {"WoId": order, "CostCategoryId": "Labor", "Duration": 45}
    acme.ok(*put("WorkOrderCost", ["Items.*"], Id=order, Items=[line]))
    (item,) = acme.query("FinancialItem", ("WoId", "Equal", str(order)))
    assert (item["CostCategoryId"], item["Duration"]) == ("Labor", 45)
    (item,) = acme.get("WorkOrder", order, "WorkOrderCost.Items.*")["WorkOrderCost"]["Items"]
    assert item["Duration"] == 45


def price_list(acme: Caller) -> None:
    assert (
        acme.refused("GET", f"base/Customer/{CUSTOMER}?properties=DefaultPriceList.Id") == "ERROR_CODE_1002"
    )
    assert acme.refused("GET", "base/Contract/1?properties=DefaultPriceList.Id") == "ERROR_CODE_1002"
    acme.get("Employee", PROVIDER, "DefaultPriceList.Id")


def end_of_a_space(acme: Caller) -> None:
    ends = {"EndDate": "2025-01-01T00:00:00", "MoveOutDate": "2025-01-02T00:00:00"}
    space = acme.run("SpaceCreateCommand", **space_request("Suite 1"), **ends)["NewSpace"]
    assert ends.items() <= acme.get("Space", space["Id"]).items()


def states(acme: Caller) -> None:
    for state in STATES:
        acme.query("WorkOrder", ("StatusId", "Equal", state))
    wrong = {
        "Criteria": {"Conditions": [{"PropertyName": "StatusId", "Operator": "Equal", "Values": ["Closed"]}]}
    }
    assert acme.refused("POST", "query/WorkOrder", {"QueryExpression": wrong}) == "INCORRECT_MODEL"


def transitions(acme: Caller) -> None:
    """Facts 10 row 4: by commands, never by a PUT."""
    order = acme.order()["Id"]
    refusal(acme, *put("WorkOrder", ["StatusId"], Id=order, StatusId="Cancelled"))
    refusal(acme, *command(COMPLETE, WorkOrderId=order))
    (reason, *_) = acme.ids("WoActionReasonLookup", ("ActionId", "Equal", "OnHold"))
    assert acme.run("WoOnHoldCommand", WorkOrderId=order, ActionReasonId=reason)["Wo"]["StatusId"] == "OnHold"
    assert acme.run("WoReopenCommand", WorkOrderId=order)["Wo"]["StatusId"] == "New"


def after_sending(acme: Caller) -> None:
    order = acme.order({"EmployeeId": PROVIDER})["Id"]
    sent = acme.run(SEND, WorkOrderId=order)["WorkOrder"]
    assert (sent["StatusId"], sent["WonId"] > 0) == ("New", True)
    before = acme.get("WorkOrder", order)
    refusal(acme, *command(SEND, WorkOrderId=order))
    assert acme.get("WorkOrder", order) == before
    acme.run("WoRecallCommand", WorkOrderId=order)
    acme.run(SEND, WorkOrderId=order)


def after_verification(acme: Caller) -> None:
    order = completed(acme)
    rated = [
        acme.run("VerifyWorkCommand", WorkOrderId=order, WoRatingId=rating)["WorkVerification"]
        for rating in ("Negative", "Positive")
    ]
    assert [each["Idx"] for each in rated] == [0, 1]
    assert acme.get("WorkOrder", order)["StatusId"] == "Completed"


def existing_units(acme: Caller) -> None:
    first = acme.run("SpaceCreateCommand", **space_request("Suite 2"))["NewSpace"]["Asset"]["Id"]
    for mode in ("Fail", "Unknown"):
        refusal(acme, *command("SpaceCreateCommand", **space_request("Suite 2", IfUnitAlreadyExists=mode)))
    again = acme.run("SpaceCreateCommand", **space_request("Suite 2", IfUnitAlreadyExists="Ignore"))
    assert again["NewSpace"]["Asset"]["Id"] != first


def response_of_a_create(acme: Caller) -> None:
    found = acme.ok(*post("Contact", FirstName="Ann", CustomerId=CUSTOMER))
    assert found.keys() == {"EntitySpecifier"}
    assert found["EntitySpecifier"].keys() == {"ConcurrencyId", "EntityType", "Id"}


def response_of_a_delete(acme: Caller) -> None:
    """Facts 12 row 10: the id stands behind the path, as the specification has it, or in it."""
    for form in ("base/Contact?ID={}", "base/Contact/{}"):
        key = made(acme, "Contact", FirstName="Ann", CustomerId=CUSTOMER)
        found = acme.ok("DELETE", form.format(key))
        assert found == {"EntitySpecifier": {"EntityType": "Contact", "Id": key}}
        assert acme.get("Contact", key)["IsRemoved"] is True


def removal_of_an_attribute(acme: Caller) -> None:
    """Facts 12 row 14."""
    gone = [{"Id": ATTRIBUTE, "PerformDeletion": True}]
    acme.ok(*put("Location", ["Attributes.*"], Id=ASSET, Attributes=gone))
    assert acme.get("Location", ASSET, "Attributes.*")["Attributes"] == []


def recording_a_document(acme: Caller) -> None:
    order = acme.order()["Id"]
    entity = {"DocType": {"Id": 32}, "StorageTypeId": "Cloud", "ActorId": order, "ActorTypeId": "WO"}
    made(acme, "Document", **entity, Blob={"FileName": "a.pdf", "Body": "AAAA"})
    log = acme.get("WorkOrder", order, "ActionLogRecords.*")["ActionLogRecords"]
    assert [entry["TypeId"] for entry in log] == ["Create"]


def retrieve(acme: Caller) -> None:
    for path in (f"base/Customer/{CUSTOMER}", f"base/Customer?ID={CUSTOMER}"):
        assert acme.ok("GET", path)["Data"]["Id"] == CUSTOMER


def query(acme: Caller) -> None:
    condition = {"PropertyName": "Id", "Operator": "Equal", "Values": [str(CUSTOMER)]}
    expression = {"PropertySet": {"Properties": ["Name"]}, "Criteria": {"Conditions": [condition]}}
    (row,) = acme.ok("POST", "query/Customer", {"QueryExpression": expression})["Entities"]
    assert row["Data"]["Id"] == CUSTOMER


def results(acme: Caller) -> None:
    order = completed(acme)
    sent = acme.order({"EmployeeId": PROVIDER})["Id"]
    assert acme.run("ApStatusChangeCommand", WorkOrderid=order, VendorInvoiceStatusId=4).keys() == {
        "Financial"
    }
    assert acme.run(SEND, WorkOrderId=sent).keys() == {"WorkOrder"}
    assert acme.run("VerifyWorkCommand", WorkOrderId=order).keys() == {"WorkVerification"}


def completion(acme: Caller) -> None:
    for option, body in (({}, None), ({"CompletionNoteOption": "Replace"}, "Done.")):
        order = completed(acme, Comment="Done.", **option)
        notes = acme.get("WorkOrder", order, "Notes.*")["Notes"]
        assert next((note["Body"] for note in notes), None) == body


def token(acme: Caller) -> None:
    form = {"client_id": acme.company.client_id, "client_secret": acme.company.client_secret}
    found = acme.http.post(
        f"{acme.root}/OAuth/token", data=form | {"grant_type": "client_credentials"}
    ).json()
    assert 1190 <= found["expires_in"] <= 1200


def permissions(acme: Caller) -> None:
    key = made(acme, "Specialty", DisplayAs="Roofing")
    acme.ok("DELETE", f"base/Specialty?ID={key}")


def events(acme: Caller) -> None:
    assert acme.http.get("http://localhost/_sandbox/events").status_code == 404


def statuses(acme: Caller) -> None:
    bare = acme.http.get(f"{acme.root}/api/v1/base/Customer/1")
    found = [
        acme.send("GET", "base/Customer/4711").status_code,
        bare.status_code,
        acme.send("GET", "base/Customer/1", Authorization="Basic x").status_code,
        acme.send("PUT", "base/Customer/1", {"Entity": {}}).status_code,
    ]
    assert found == [400, 401, 403, 405]


def codes(acme: Caller) -> None:
    assert acme.refused("GET", "base/Nothing/1") == "ENTITY_NOT_FOUND"


def limits(acme: Caller) -> None:
    refusals = {acme.send("GET", f"base/Customer/{CUSTOMER}").status_code for _ in range(200)}
    assert refusals == {200}


def versions(acme: Caller) -> None:
    found = acme.http.get(f"{acme.root}/api/v2/base/Customer/{CUSTOMER}", headers=acme.headers)
    assert found.status_code == 404


GAPS: dict[str, Callable[[Caller], None]] = {
    "2.11 fields of `AssetInfo`": asset_info,
    "2.11 further fields of `Location`, `AssetTree`, `Address2`, `WoFlag`, `AssetAttribute`": further_fields,
    "2.11 further values of enumerations": further_values,
    "2.11 entity of labour durations": labour,
    "2.11 entity of the default price list": price_list,
    "2.7 end of a space": end_of_a_space,
    "3 complete list of order states": states,
    "3 further transitions": transitions,
    "3 state after SendWorkOrder": after_sending,
    "3 state after VerifyWorkCommand": after_verification,
    "4.4 other values of `IfUnitAlreadyExists`": existing_units,
    "4.9 response of a create": response_of_a_create,
    "4.9 response of a delete": response_of_a_delete,
    "4.9 removal of an attribute (rule 3)": removal_of_an_attribute,
    "4.9 recording a document in the log (rule 5)": recording_a_document,
    "4.10 path of a retrieve": retrieve,
    "4.10 shapes of QueryExpression": query,
    "4.10 results of ApStatusChangeCommand, SendWorkOrder and VerifyWorkCommand": results,
    "4.10 payload of WoCompleteCommand": completion,
    "5 token endpoint, credentials and lifetime (rule 3)": token,
    "5 permissions (rule 4)": permissions,
    "6 events": events,
    "7 statuses of errors": statuses,
    "7 further codes": codes,
    "8 limits": limits,
    "9 other versions and deprecation": versions,
}


@pytest.mark.parametrize("gap", GAPS)
def test_what_the_sandbox_does(either: Caller, gap: str) -> None:
    """What the page says was assumed holds, in both dialects."""
    GAPS[gap](either)


def rows() -> list[list[str]]:
    """Return the rows of the table of the page."""
    page = (ROOT / "docs" / "assumptions.md").read_text("utf-8")
    part = page[page.index("## Gaps in the specification") : page.index("## The client")]
    lines = re.findall(r"^\| (\d.*) \|$", part, re.MULTILINE)
    return [line.split(" | ") for line in lines]


def test_the_page_names_every_gap() -> None:
    """In the order of the specification, with the assumption and the sign that it is wrong."""
    assert [re.sub(r" \(\w+ only\)|, \w+ only(?=\))", "", row[0]) for row in rows()] == [*GAPS]
    assert {(len(row), all(row)) for row in rows()} == {(3, True)}


# --- the client ------------------------------------------------------------------------------------------

DONE = {"Data": {"Id": 7}, "CommandResult": {}, "EntitySpecifier": {"Id": 7}, "Entities": []}


def unknown_values(_: Service) -> None:
    order = structure({"StatusId": "Parked", "Access": "Invented", "New": 1}, wosdk.WorkOrder)
    assert [str(each) for each in wosdk.WOStatus] == STATES
    assert (order.status_id.is_known, order.extra) == (False, {"New": 1})  # type: ignore[union-attr]
    assert unstructure(order) == {"StatusId": "Parked", "Access": "Invented", "New": 1}


async def own_token(service: Service) -> None:
    async def provider(_: str) -> AccessToken:
        return AccessToken("token-of-the-program", 600.0, service.url)

    async with Client(credentials=provider) as client:
        await client.company(COMPANY).get(wosdk.Customer, 7)
    assert (len(service.tokens), service.calls[0].path) == (0, "/api/v1/base/Customer/7")


OF_THE_CLIENT = {
    "2.11 further values of enumerations": unknown_values,
    "5 token endpoint, credentials and lifetime (rule 3)": own_token,
}


@pytest.mark.parametrize("gap", OF_THE_CLIENT)
async def test_what_the_client_does(gap: str) -> None:
    """The same of the client, alone; the other files of this folder have what else it sends and reads."""
    assert gap in GAPS
    async with Service(lambda _: Answer(body=DONE)) as service:
        done = OF_THE_CLIENT[gap](service)
        if inspect.isawaitable(done):
            await done
