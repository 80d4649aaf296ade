"""Resuming and assigning work orders, notes, and work orders by their numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.resources.conftest import ordered, started
from tests.support.service import Answer, Request, Service
from wosdk_async import (
    BusinessRuleError,
    ConflictError,
    Employee,
    InvalidCallError,
    NotFoundError,
    NotUniqueError,
    Ref,
    WorkOrder,
)


async def test_an_order_on_hold_is_reopened(local: Local, order: WorkOrder) -> None:
    """It is New; with start it is in progress, and the comment is in the log once."""
    acme = local.company
    await acme.work_orders.hold(order, reason="Weather")
    assert (await acme.work_orders.resume(order, comment="Rain is over")).status_id == "New"
    await acme.work_orders.hold(order, reason="Weather")
    assert (await acme.work_orders.resume(order, start=True, comment="Sun")).status_id == "InProgress"
    found = await acme.get(WorkOrder, order.id or 0, properties=["ActionLogRecords.*"])
    comments = [row.comment for row in found.action_log_records or [] if row.comment]
    assert comments == ["Rain is over", "Sun"]


async def test_an_order_that_is_not_on_hold_is_not_resumed(local: Local, order: WorkOrder) -> None:
    """The command that reopens would take it, or a finished one; nothing is sent."""
    orders = local.company.work_orders
    for state in ("New", "Completed"):
        if state == "Completed":
            await orders.complete(await orders.start(await orders.pick_up(order)))
        with pytest.raises(BusinessRuleError, match=f"'{state}'; resume requires OnHold or Paused") as found:
            await orders.resume(order, start=True)
        assert found.value.status == 0
    assert local.server.count("WoReopenCommand") == 0


async def test_a_move_while_an_order_is_resumed_is_a_conflict() -> None:
    """The state that was read goes with the command, so that the service sees that it is another now."""

    def respond(request: Request) -> Answer:
        if request.method == "GET":
            return Answer(body={"Data": {"Id": 7, "StatusId": "Paused"}})
        return Answer(400, {"ErrorCode": "ERROR_CODE_6", "ErrorMessage": "Data was already modified."})

    async with Service(respond) as service, service.client() as client:
        with pytest.raises(ConflictError):
            await client.company().work_orders.resume(7)
    assert service.calls[-1].json["Command"]["StatusId"] == "Paused"


@pytest.mark.parametrize(
    "to", ["mira.okafor", " MIRA.okafor ", "T-208", "Mira Okafor", 208, Ref(208), Employee(id=208)]
)
async def test_an_order_is_assigned_to_an_employee(local: Local, order: WorkOrder, to: Any) -> None:
    """By user name, number, name, id, reference or record; the state stays."""
    done = await local.company.work_orders.assign(order, to)
    assert (done.status_id, done.employee and done.employee.id) == ("New", 208)


async def test_assignees_are_added_and_removed(local: Local, order: WorkOrder) -> None:
    orders = local.company.work_orders
    await orders.assign(order, ["mira.okafor", "P-230"], mode="Snapshot")
    await orders.assign(order, "paul.renner", mode="AddSecondary")
    await orders.assign(order, 230, mode="RemoveSecondary")
    found = await local.company.get(WorkOrder, order.id or 0, properties=["Assignments.*"])
    assignees = {row.employee_id: row.is_primary for row in found.assignments or []}
    assert assignees == {208: True, 215: False}


async def test_nobody_is_assigned_by_a_snapshot_alone(local: Local, order: WorkOrder) -> None:
    """The empty list of a filter takes no order from anybody."""
    orders = local.company.work_orders
    await orders.assign(order, ["mira.okafor", "P-230"], mode="Snapshot")
    for mode in ("Primary", "AddSecondary", "RemoveSecondary"):
        with pytest.raises(
            InvalidCallError, match=f"no assignees given, and {mode} would .* mode='Snapshot'"
        ):
            await orders.assign(order, iter(()), mode=mode)
    assert local.server.count("WoAssignCommand") == 1
    await orders.assign(order, [], mode="Snapshot")
    found = await local.company.get(WorkOrder, order.id or 0, properties=["Assignments.*"])
    assert found.assignments == []


async def test_who_is_not_one_employee_is_reported(local: Local, order: WorkOrder) -> None:
    acme = local.company
    with pytest.raises(NotFoundError, match="no Employee has the user name, number or name 'Nobody'"):
        await acme.work_orders.assign(order, "Nobody")
    made = await acme.create(Employee(first_name="Mira", display_as="mira okafor", username="other"))
    with pytest.raises(NotUniqueError, match=r"several Employee .* 'Mira Okafor': ids 208, \d+; use an id"):
        await acme.work_orders.assign(order, "Mira Okafor")
    with pytest.raises(InvalidCallError, match="mode is 'Main'; it must be one of Primary, AddSecondary"):
        await acme.work_orders.assign(order, 208, mode="Main")
    assert local.server.count("WoAssignCommand") == 0
    await acme.delete(Employee, made.id or 0)
    assert await acme.work_orders.employee("Mira Okafor") == 208


async def test_a_note_is_private_unless_it_is_said(local: Local, order: WorkOrder) -> None:
    acme = local.company
    made = await acme.work_orders.note(order, "Gate code 4711")
    await acme.work_orders.note(order.id or 0, "We come at eight", note_type="Public")
    found = await acme.get(WorkOrder, order.id or 0, properties=["Notes.*"])
    notes = [(row.body, row.note_type_id) for row in found.notes or []]
    assert notes == [("Gate code 4711", "Private"), ("We come at eight", "Public")]
    assert made.entity_type == "WoNote"
    for body, kind, message in ((" ", "Public", "the note is ' '"), ("x", "Secret", "note_type is 'Secret'")):
        with pytest.raises(InvalidCallError, match=message):
            await acme.work_orders.note(order, body, note_type=kind)


async def test_orders_are_found_by_their_numbers(local: Local, order: WorkOrder) -> None:
    """With one query, in any letter case; the result has the texts as they were given."""
    other = await started(local, await ordered(local))
    orders = local.company.work_orders
    found = await orders.by_numbers([f" {(order.number or '').lower()} ", other.number or ""])
    assert [row.id for row in found.values()] == [order.id, other.id]
    assert local.server.count("query/WorkOrder") == 1
    one = await orders.by_number(order.number or "", properties=["Customer.DisplayAs"])
    assert (one.id, one.number, one.status_id) == (order.id, order.number, None)
    assert one.customer is not None
    assert one.customer.display_as == "Lindqvist Dental"


async def test_numbers_that_no_order_has_are_named(local: Local, order: WorkOrder) -> None:
    with pytest.raises(NotFoundError, match="no WorkOrder has the number 'X1', 'X2'") as caught:
        await local.company.work_orders.by_numbers(["X1", order.number or "", "X2"])
    assert (caught.value.status, caught.value.company) == (0, "AcmeFacilities")
    with pytest.raises(InvalidCallError, match="must be a string such as 'RSC000005', not ' '"):
        await local.company.work_orders.by_number(" ")


async def test_reasons_to_choose_from(local: Local) -> None:
    """Those of the action that users can see."""
    names = [row.display_as for row in await local.company.work_orders.reasons("Attention")]
    assert names == ["Needs attention", "Customer called again", "Follow up"]
