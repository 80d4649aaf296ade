"""Spec 4.2 to 4.8 against a scripted service: what the client sends, and what it makes of the answers."""

from __future__ import annotations

from typing import Any

from tests.samples import ask_commands
from tests.samples.sample import load
from tests.spec.rules import spec
from tests.spec.tables_records import WORK_ORDER
from tests.support.laws import each_of
from tests.support.service import Answer, Service
from wosdk_async import ApStatusChangeCommand, WoCreateCommand, WorkOrder


def result(content: Any) -> Answer:
    return Answer(body={"CommandResult": content})


SAMPLES = {  # tests/samples/test_requests.py compares all of their bodies
    "wo_create": "WoCreateCommand",
    "space_create": "SpaceCreateCommand",
    "ap_status_change": "ApStatusChangeCommand",
    "send_work_order": "SendWorkOrder",
    "verify_work": "VerifyWorkCommand",
    "wo_complete": "WoCompleteCommand",
}


@spec("4.2", "command endpoint")
@spec("4.3", "WoCreateCommand")
@spec("4.4", "SpaceCreateCommand")
@spec("4.5", "ApStatusChangeCommand")
@spec("4.6", "SendWorkOrder")
@spec("4.7", "VerifyWorkCommand")
@spec("4.8", "WoCompleteCommand")
@each_of(("sample", "path"), SAMPLES.items())
async def test_what_a_command_sends(sample: str, path: str) -> None:
    """Spec 4.2 to 4.8: method, path and members; RequestId is a string, another one for each call."""
    made = {"Wo": {"Id": 90417}, "NewSpace": {"Id": 7}}
    async with Service(lambda _: result(made)) as service, service.client() as client:
        for _ in range(2):
            await getattr(ask_commands, sample)(client.company())
    for call in service.calls:
        assert (call.method, call.path) == ("POST", f"/api/v1/cmd/{path}")
        assert call.json.keys() == {"Command", "RequestId"}
        assert call.json["Command"].keys() >= load(sample, "request")["body"]["Command"].keys()
    first, second = (call.json["RequestId"] for call in service.calls)
    assert isinstance(first, str)
    assert "" != first != second


@spec("4.2", "command endpoint")
async def test_any_command_can_be_called() -> None:
    """Spec 4.2: any class of the Commands namespace, with the properties the Company has for it."""
    content = {"WorkOrderId": 90417, "ReasonCode": "NoAccess", "Nested": {"List": [1, None, "x"]}}
    async with Service(lambda _: result({"Some": {"Thing": 1}})) as service, service.client() as client:
        assert await client.company().run("MyOwnCommand", content) == {"Some": {"Thing": 1}}
    assert service.calls[0].path == "/api/v1/cmd/MyOwnCommand"
    assert service.calls[0].json["Command"] == content
    assert isinstance(service.calls[0].json["RequestId"], str)


@spec("4.3", "WoCreateCommand")
async def test_the_created_work_order() -> None:
    """Spec 4.3: CommandResult.Wo is the created work order, typed all the way down."""
    async with Service(lambda _: result({"Wo": WORK_ORDER.payload})) as service, service.client() as client:
        made = (await ask_commands.wo_create(client.company())).wo
    assert (type(made), made.id, made.number, made.status_id) == (WorkOrder, 90417, "RSC000417", "New")
    assert (made.work_order_cost.cost_state, made.priority.due_in_minutes, made.items) == ("Pending", 240, [])


@spec("4.3", "WoCreateCommand")
@each_of(("number", "name"), list(enumerate(["Unknown", "Basic", "PMRM", "Turn", "Request"])), ids=str)
@each_of("by_name", [True, False], ids=["name", "integer"])
async def test_type_category_goes_out_as_an_integer(number: int, name: str, by_name: bool) -> None:
    """Spec 2.3 and 4.3: TypeCategory is an integer in the create request and a string in responses."""
    order = WorkOrder(type_category=name if by_name else number)
    answer = result({"Wo": {"Id": 7, "TypeCategory": name}})
    async with Service(lambda _: answer) as service, service.client() as client:
        made = await client.company().run(WoCreateCommand(work_order=order))
    assert service.calls[0].json["Command"] == {"WorkOrder": {"TypeCategory": number}}
    assert made.wo.type_category == name


@spec("2.4", "AP statuses")
@spec("4.5", "ApStatusChangeCommand")
async def test_a_status_is_a_row_of_the_company() -> None:
    """Spec 2.4: some are defined by the Company, so any id goes out, and any state comes back."""
    answer = result({"Financial": {"ApStatusId": 4711, "ApStateId": "Parked"}})
    async with Service(lambda _: answer) as service, service.client() as client:
        command = ApStatusChangeCommand(work_order_id=7, vendor_invoice_status_id=4711)
        made = (await client.company().run(command)).financial
    assert service.calls[0].json["Command"] == {"WorkOrderid": 7, "VendorInvoiceStatusId": 4711}
    assert (made.ap_status_id, made.ap_state_id) == (4711, "Parked")


@spec("4.10", "responses that are not shown")
@each_of("content", [{}, {"Something": {"Not": "shown"}}], ids=["empty", "unknown"])
@each_of("sample", ["ap_status_change", "send_work_order", "verify_work"])
async def test_results_that_are_not_shown(sample: str, content: Any) -> None:
    """Spec 4.10: the answers of 4.5 to 4.7 are not shown, so none of them makes a success fail."""
    async with Service(lambda _: result(content)) as service, service.client() as client:
        made = await getattr(ask_commands, sample)(client.company())
    assert made.extra == (content or None)
