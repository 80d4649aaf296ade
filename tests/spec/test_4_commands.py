"""Spec 4.1 to 4.8 against a scripted service: what the client sends, and what it makes of the answers."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from tests.spec.table import Json
from tests.spec.tables_records import SPACE, WORK_ORDER
from tests.support.service import COMPANY, Answer, Service
from wosdk_async import (
    Address2,
    ApStatusChangeCommand,
    GetCompanyWsdkUrlCommand,
    NewUnitSpecifier,
    Ref,
    Region,
    SendWorkOrderCommand,
    Space,
    SpaceCreateCommand,
    VerifyWorkCommand,
    WoCompleteCommand,
    WoCreateCommand,
    WoItem,
    WorkOrder,
)

CREATE = WoCreateCommand(
    work_order=WorkOrder(
        items=[WoItem(asset=Ref(20440), task=Ref(14211)), WoItem(asset=Ref(20441), task=Ref(14213))],
        contactid=731,
        type_category="Request",
        sub_type=Ref(259),
        customer=Ref(512),
    ),
    compute_schedule=True,
)
CREATED = {
    "WorkOrder": {
        "Items": [
            {"Asset": {"Id": 20440}, "Task": {"Id": 14211}},
            {"Asset": {"Id": 20441}, "Task": {"Id": 14213}},
        ],
        "Contactid": 731,
        "RequestorContact": {"Id": 731},  # facts 5: the recordings drop Contactid and take this
        "TypeCategory": 4,
        "SubType": {"Id": 259},
        "Customer": {"Id": 512},
    },
    "ComputeSchedule": True,
}
SPACE_CREATE = SpaceCreateCommand(
    customer_id=512,
    start_date=datetime(2024, 6, 1),
    if_unit_already_exists="Reuse",
    instructions="Keys at the desk.",
    new_unit_specifier=NewUnitSpecifier(
        unit_name="Suite 210",
        unit_floor_plan="Small suite",
        street_address=Address2(
            actor_type_id="CommLeaseSpace",
            type_id="Primary",
            street="18 Quay Street",
            street2="Door 3",
            city="Portmouth",
            state="ME",
            zip="04099",
            country="USA",
        ),
    ),
)
SPACE_CREATED = {
    "CustomerId": "512",
    "StartDate": "2024-06-01T00:00:00",
    "IfUnitAlreadyExists": "Reuse",
    "Instructions": "Keys at the desk.",
    "NewUnitSpecifier": {
        "UnitName": "Suite 210",
        "UnitFloorPlan": "Small suite",
        "StreetAddress": {
            "ActorTypeId": "CommLeaseSpace",
            "TypeId": "Primary",
            "Street": "18 Quay Street",
            "Street2": "Door 3",
            "City": "Portmouth",
            "State": "ME",
            "Zip": "04099",
            "Country": "USA",
        },
    },
}

# section, command, path segment, its ``Command``
COMMANDS: list[tuple[str, Any, str, Json]] = [
    ("4.3", CREATE, "WoCreateCommand", CREATED),
    ("4.4", SPACE_CREATE, "SpaceCreateCommand", SPACE_CREATED),
    (
        "4.5",
        ApStatusChangeCommand(work_order_id=90417, vendor_invoice_status_id=7),
        "ApStatusChangeCommand",
        {"WorkOrderid": 90417, "VendorInvoiceStatusId": 7},
    ),
    ("4.6", SendWorkOrderCommand(work_order_id=90417), "SendWorkOrder", {"WorkOrderId": 90417}),
    (
        "4.7",
        VerifyWorkCommand(work_order_id=90417, wo_rating_id="Positive", comment="Neat."),
        "VerifyWorkCommand",
        {"WorkOrderId": 90417, "WoRatingId": "Positive", "Comment": "Neat."},
    ),
    (
        "4.8",
        WoCompleteCommand(work_order_id=90417, comment="Belt replaced."),
        "WoCompleteCommand",
        {"WorkOrderId": 90417, "Comment": "Belt replaced."},
    ),
    (
        "4.8-with-Region-and-type",
        WoCompleteCommand(work_order_id=90417, comment="Done.", region="Americas", type="WoCompleteCommand"),
        "WoCompleteCommand",
        {"WorkOrderId": 90417, "Comment": "Done.", "Region": "Americas", "type": "WoCompleteCommand"},
    ),
]
EACH = pytest.mark.parametrize(
    ("section", "command", "path", "content"), COMMANDS, ids=[row[0] for row in COMMANDS]
)


def result(content: Any) -> Answer:
    return Answer(body={"CommandResult": content, "RequestId": "echo"})


@EACH
async def test_what_a_command_sends(section: str, command: Any, path: str, content: Json) -> None:
    """Spec 4.2 to 4.8: method, path and body of each command, member by member."""
    async with Service(lambda _: result({})) as service, service.client() as client:
        await client.company().run(command)
    (call,) = service.calls
    assert (call.method, call.path) == ("POST", f"/api/v1/cmd/{path}")
    assert call.json.keys() == {"Command", "RequestId"}
    assert call.json["Command"] == content


@EACH
async def test_every_command_has_its_own_request_id(
    section: str, command: Any, path: str, content: Json
) -> None:
    """Spec 4.2: RequestId is a correlation string of the client, another one for each call."""
    async with Service(lambda _: result({})) as service, service.client() as client:
        for _ in range(2):
            await client.company().run(command)
    first, second = (call.json["RequestId"] for call in service.calls)
    assert isinstance(first, str)
    assert first
    assert first != second


async def test_any_command_can_be_called() -> None:
    """Spec 4.2: any class of the Commands namespace, with the properties the Company has for it."""
    content = {"WorkOrderId": 90417, "ReasonCode": "NoAccess", "Nested": {"List": [1, None, "x"]}}
    async with Service(lambda _: result({"Some": {"Thing": 1}})) as service, service.client() as client:
        assert await client.company().run("MyOwnCommand", content) == {"Some": {"Thing": 1}}
    assert service.calls[0].path == "/api/v1/cmd/MyOwnCommand"
    assert service.calls[0].json["Command"] == content
    assert isinstance(service.calls[0].json["RequestId"], str)


async def test_the_created_work_order() -> None:
    """Spec 4.3: CommandResult.Wo is the created work order, typed all the way down."""
    async with Service(lambda _: result({"Wo": WORK_ORDER.payload})) as service, service.client() as client:
        made = (await client.company().run(CREATE)).wo
    assert (type(made), made.id, made.number, made.status_id) == (WorkOrder, 90417, "RSC000417", "New")
    assert (made.work_order_cost.cost_state, made.priority.due_in_minutes, made.items) == ("Pending", 240, [])


async def test_the_created_space() -> None:
    """Spec 4.4: CommandResult.NewSpace is the created space, with the Id of its asset."""
    async with Service(lambda _: result({"NewSpace": SPACE.payload})) as service, service.client() as client:
        made = (await client.company().run(SPACE_CREATE)).new_space
    assert (type(made), made.asset.id, made.status_id) == (Space, 20440, "Current")
    assert made.start_date == datetime(2024, 6, 1)


@pytest.mark.parametrize("customer", [512, "512"], ids=["integer", "text"])
async def test_customer_id_goes_out_as_text(customer: Any) -> None:
    """Spec 4.4: CustomerId is sent as a string, whichever the caller gives."""
    async with Service(lambda _: result({})) as service, service.client() as client:
        await client.company().run(SpaceCreateCommand(customer_id=customer))
    assert service.calls[0].json["Command"] == {"CustomerId": "512"}


@pytest.mark.parametrize("category", ["Request", 4], ids=["text", "integer"])
async def test_type_category_goes_out_as_an_integer(category: Any) -> None:
    """Spec 2.3 and 4.3: TypeCategory is an integer in the create request and a string in responses."""
    order = WorkOrder(type_category=category)
    answer = result({"Wo": {"TypeCategory": "Request"}})
    async with Service(lambda _: answer) as service, service.client() as client:
        made = await client.company().run(WoCreateCommand(work_order=order))
    assert service.calls[0].json["Command"] == {"WorkOrder": {"TypeCategory": 4}}
    assert made.wo.type_category == "Request"


@pytest.mark.parametrize(
    "content", [{}, None, {"Something": {"Not": "shown"}}], ids=["empty", "null", "unknown"]
)
@pytest.mark.parametrize("command", [row[1] for row in COMMANDS[2:5]], ids=["4.5", "4.6", "4.7"])
async def test_results_that_are_not_shown(command: Any, content: Any) -> None:
    """Spec 4.10: the answers of 4.5 to 4.7 are not shown, so none of them makes a success fail."""
    async with Service(lambda _: result(content)) as service, service.client() as client:
        made = await client.company().run(command)
    assert made.extra == (content or None)


# --- discovery --------------------------------------------------------------------------------


async def test_discovery() -> None:
    """Spec 4.1: POST to the locator with ApiType, CompanyName and Protocol, and no RequestId."""
    async with Service() as service, service.client() as client:
        company = client.company()
        await company.connect()
        (call,) = service.discoveries
        assert (call.method, call.path) == ("POST", "/api/v1/cmd/GetCompanyWsdkUrlCommand")
        assert call.json == {"Command": {"ApiType": "REST", "CompanyName": COMPANY, "Protocol": "HTTPS"}}
        assert (company.host, company.version, company.id) == (service.url, "9.21.4.118", 40217)


async def test_the_discovered_host_is_the_base_url() -> None:
    """Spec 4.1: Url is the host of all further calls; the locator gets none of them."""
    async with Service(lambda _: result({})) as host, Service() as locator, locator.client() as client:
        locator.company_url = host.url
        await client.company().run("AnyCommand", {})
    assert (len(host.calls), len(locator.calls), len(locator.discoveries), len(host.discoveries)) == (
        1,
        0,
        1,
        0,
    )


async def test_discovery_as_a_typed_command() -> None:
    """Spec 4.1: the command goes to the locator also when a caller runs it, and its result is typed."""
    command = GetCompanyWsdkUrlCommand(api_type="REST", company_name=COMPANY, protocol="HTTPS")
    async with Service() as host, Service() as locator, locator.client() as client:
        locator.company_url = host.url
        found = await client.company().run(command)
    assert host.discoveries == []
    assert (found.url, found.company_name, found.protocol) == (host.url, COMPANY, "HTTPS")
    assert (found.company_version, found.company_id) == ("9.21.4.118", 40217)


def test_one_locator_per_region() -> None:
    """Spec 4.1: there is one locator per region: Americas, Asia Pacific, and EMEA."""
    locators = [region.locator_url for region in (Region.AMERICAS, Region.APAC, Region.EMEA)]
    assert len(set(locators)) == 3
