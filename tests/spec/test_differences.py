"""Where the specification and the recordings differ (facts 12, 3 and 5), what is done works with both.

``catalogue/differences.json`` is the one list of these places; each entry has its case here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any

import pytest

import wosdk_async as wosdk
from tests.model.recorded import recorded
from tests.spec.table import Json
from tests.support.laws import each_of
from tests.support.service import Answer, Request, Service, error
from wosdk_async import Company, Ref, Region
from wosdk_async.catalogue import load
from wosdk_async.codec import structure, unstructure

DONE = {
    "CommandResult": {"Wo": {"Id": 7}, "NewSpace": {"Id": 7}},
    "EntitySpecifier": {"Id": 7},
    "Data": {"Id": 7},
}
CREATE = wosdk.WoCreateCommand(work_order=wosdk.WorkOrder(contactid=731, type_category="Request"))


async def sent(call: Callable[[Company], Awaitable[Any]]) -> tuple[str, str, Any]:
    async with recorded(DONE) as (acme, hook):
        await call(acme)
    return hook.sent


async def command(made: Any) -> Json:
    found: Json = (await sent(lambda acme: acme.run(made)))[2]["Command"]
    return found


async def answered(body: Any, call: Callable[[Company], Awaitable[Any]]) -> Any:
    async with recorded(body) as (acme, _):
        return await call(acme)


async def utc_suffix() -> None:
    for text in ("2024-05-14T13:15:07", "2024-05-14T13:15:07Z"):
        order = structure({"DueDateUtc": text}, wosdk.WorkOrder)
        assert order.due_date_utc == datetime(2024, 5, 14, 13, 15, 7, tzinfo=UTC)
        assert unstructure(order) == {"DueDateUtc": "2024-05-14T13:15:07Z"}
    due = wosdk.fields(wosdk.WorkOrder).due_date_utc >= datetime(2024, 5, 14, 13, 15, 7, tzinfo=UTC)
    async with recorded({"Entities": []}) as (acme, hook):
        await acme.query(wosdk.WorkOrder).where(due).all()
    criteria = hook.sent[2]["QueryExpression"]["Criteria"]
    assert criteria["Conditions"][0]["Values"] == ["2024-05-14T13:15:07"]  # facts 3.5


async def flags_and_lists() -> None:
    absent = structure({"Id": 7}, wosdk.WorkOrder)
    present = structure({"Id": 7, "IsNew": False, "PerformDeletion": False, "Items": []}, wosdk.WorkOrder)
    assert (absent.is_new, absent.perform_deletion, absent.items) == (None, None, None)
    assert (present.is_new, present.perform_deletion, present.items) == (False, False, [])


async def requestor() -> None:
    either = [CREATE, wosdk.WoCreateCommand(work_order=wosdk.WorkOrder(requestor_contact=Ref(731)))]
    for made in either:
        order = (await command(made))["WorkOrder"]
        assert (order["Contactid"], order["RequestorContact"]) == (731, {"Id": 731})


async def type_category() -> None:
    assert (await command(CREATE))["WorkOrder"]["TypeCategory"] == 4
    basic = wosdk.WoCreateCommand(work_order=wosdk.WorkOrder(type_category="Basic"))
    assert (await command(basic))["WorkOrder"]["TypeCategory"] == 1
    newer = wosdk.WoCreateCommand(work_order=wosdk.WorkOrder(type_category=wosdk.WOType("Newer")))
    assert (await command(newer))["WorkOrder"]["TypeCategory"] == "Newer"


async def invoice_order_id() -> None:
    made = wosdk.ApStatusChangeCommand(work_order_id=7, vendor_invoice_status_id=5)
    assert await command(made) == {"WorkOrderid": 7, "VendorInvoiceStatusId": 5}
    assert structure({"WorkOrderid": 7}, wosdk.ApStatusChangeCommand).work_order_id == 7


async def space_customer() -> None:
    for given in (512, "512"):
        assert await command(wosdk.SpaceCreateCommand(customer_id=given)) == {"CustomerId": "512"}
    body = {"CommandResult": {"NewSpace": {"Id": 7, "CustomerId": 512}}}
    made = await answered(body, lambda acme: acme.run(wosdk.SpaceCreateCommand(customer_id=512)))
    assert made.new_space.customer_id == 512


NOT_FOUND = error(400, "COMMAND_NOT_FOUND")


async def by_two_paths(made: Any, first: str, second: str, unknown: Answer = NOT_FOUND) -> None:
    """The second path only after the first is unknown, and from then on first."""

    def handler(request: Request) -> Answer:
        return unknown if request.path.endswith(first) else Answer(body=DONE)

    async with Service(handler) as service, service.client() as client:
        for _ in range(2):
            await client.company().run(made)
    paths = [call.path.removeprefix("/api/v1/cmd/") for call in service.calls]
    assert paths == [first, second, second]
    assert service.calls[0].json == service.calls[1].json


async def send_path() -> None:
    send = wosdk.SendWorkOrderCommand(work_order_id=7)
    await by_two_paths(send, "SendWorkOrder", "SendWorkOrderCommand")
    await by_two_paths(send, "SendWorkOrder", "SendWorkOrderCommand", Answer(404, b"<html>not found</html>"))


async def create_path() -> None:
    await by_two_paths(CREATE, "WoCreateCommand", "WorkOrder/Create")


async def retrieve_envelope() -> None:
    for body in ({"Data": {"Id": 7}}, {"Entities": [{"Data": {"Id": 7}}]}):
        assert await answered(body, lambda acme: acme.get(wosdk.Customer, 7)) == wosdk.Customer(id=7)


async def entity_names() -> None:
    for alias, name in (("Priority", "WoPriority"), ("SubType", "WorkOrderType"), ("Asset", "Location")):
        cls = getattr(wosdk, alias)
        assert cls is getattr(wosdk, name)
        assert (await sent(lambda acme, cls=cls: acme.get(cls, 7)))[1] == f"api/v1/base/{name}/7"


async def note_fields() -> None:
    both = {"Body": "x", "WorkOrderId": 7, "NoteTypeId": "Completion", "NoteText": "y", "ActorId": 8}
    assert structure(both, wosdk.Note).extra is None
    assert unstructure(structure(both, wosdk.Note)) == both


async def bill_to() -> None:
    both = {"BillToType": "None", "BillToOption": {"Id": 2}}
    cost = structure(both, wosdk.WorkOrderCost)
    assert (cost.extra, cost.bill_to_option.id, unstructure(cost)) == (None, 2, both)


async def completion_extras() -> None:
    complete = wosdk.WoCompleteCommand
    assert await command(complete(work_order_id=7)) == {"WorkOrderId": 7}
    with_both = complete(work_order_id=7, region="Americas", type="WoCompleteCommand")
    assert (await command(with_both)).keys() == {"WorkOrderId", "Region", "type"}


async def error_request_id() -> None:
    body = {"ErrorMessage": "no", "ErrorCode": "BUSINESS_LOGIC_ERROR", "TimeStamp": "2024-05-14T13:15:07.22Z"}
    for echo in (False, True):
        async with (
            Service(lambda _, echo=echo: Answer(400, body, echo=echo)) as service,
            service.client() as client,
        ):
            with pytest.raises(wosdk.BusinessRuleError) as caught:
                await client.company().run("AnyCommand", {})
        assert (caught.value.message, caught.value.time_stamp) == ("no", body["TimeStamp"])


async def delete_path() -> None:
    done = await sent(lambda acme: acme.delete(wosdk.Contact, 7))
    assert done == ("DELETE", "api/v1/base/Contact?ID=7", None)


async def references() -> None:
    cut, opened = {"Id": 27}, {"Id": 27, "DisplayAs": "HVAC", "Currencies": []}
    for specialty in (cut, opened):
        made = structure({"Specialty": specialty}, wosdk.WorkOrder)
        assert (type(made.specialty), made.specialty.id) == (wosdk.Specialty, 27)
        assert unstructure(made) == {"Specialty": specialty}


async def asset_fields() -> None:
    newer = {"IsRestricted": False, "IsDirectParts": True, "CriticalFacilities": "Inherit"}
    made = structure(newer, wosdk.Asset)
    assert (made.extra, unstructure(made)) == (None, newer)
    assert structure({}, wosdk.Asset).is_restricted is None


async def locator_scheme() -> None:
    found = {region.locator_url for region in (Region.AMERICAS, Region.APAC, Region.EMEA)}
    assert sorted(url.startswith("https://") for url in found) == [True] * 3


async def attribute_removal() -> None:
    gone = wosdk.AssetAttribute(id=811, perform_deletion=True)
    put = await sent(lambda acme: acme.update(wosdk.Location(id=7), attributes=[gone]))
    entity = {"Id": 7, "Attributes": [{"Id": 811, "PerformDeletion": True}]}
    assert put[2] == {"Properties": ["Attributes.*"], "Entity": entity}
    with pytest.raises(wosdk.InvalidCallError, match="perform_deletion=True"):
        await sent(lambda acme: acme.update(wosdk.Location(id=7), attributes=[]))


async def update_answer() -> None:
    for more, version in (({}, None), ({"ConcurrencyId": 4}, 4)):
        body = {"EntitySpecifier": {"EntityType": "Contact", "Id": 7, **more}}
        contact = wosdk.Contact(id=7, concurrency_id=3)
        updated = await answered(body, lambda acme, c=contact: acme.update(c, language_id=1036))
        assert updated.concurrency_id == version


async def error_info() -> None:
    info = {"Number": 6, "Description": "Data was already modified by another user.", "Type": "X"}
    with pytest.raises(wosdk.ConflictError, match="already modified"):
        await answered({"CommandResult": {"ErrorInfo": info}}, lambda acme: acme.run(CREATE))


LISTED = [entry["id"] for entry in load().sources_differ]


@each_of("name", LISTED)
async def test_difference(name: str) -> None:
    """Facts 12: what the entry says is done; an entry without a case fails."""
    function = name.replace("-", "_")
    assert function in globals(), f"write {function}() in this file: the case of {name} in differences.json"
    await globals()[function]()
