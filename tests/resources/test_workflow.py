"""Completing, holding, cancelling and flagging work orders by the names of reasons."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.resources.conftest import ordered, started
from tests.support.facts import having
from tests.support.service import Answer, Request, Service
from wosdk_async import (
    BusinessRuleError,
    Company,
    InDoubtError,
    InvalidCallError,
    NameNotFoundError,
    NotFoundError,
    NotUniqueError,
    Ref,
    RepairCode,
    WoActionReasonLookup,
    WorkOrder,
)

REASONS = "query/WoActionReasonLookup"


async def flags_of(company: Company, order: WorkOrder) -> list[int | None]:
    found = await company.get(WorkOrder, order.id or 0, properties=["Flags.*"])
    return [flag.flag_id for flag in found.flags or []]


async def test_an_order_is_completed_with_a_note_and_a_repair_code(local: Local, order: WorkOrder) -> None:
    """The note is the completion note and the comment; the code goes by its name."""
    await started(local, order)
    done = await local.company.work_orders.complete(
        order, note="Filter changed", repair_code=" part REPLACED "
    )
    assert (done.id, done.status_id) == (order.id, "Completed")
    found = await local.company.get(
        WorkOrder, order.id or 0, properties=["RepairCode.DisplayAs", "CompletionNote.*"]
    )
    assert found.repair_code is not None
    assert found.repair_code.display_as == "Part replaced"
    assert found.completion_note is not None
    assert found.completion_note.body == "Filter changed"


async def test_a_note_may_be_a_comment_only(local: Local, order: WorkOrder) -> None:
    await started(local, order)
    await local.company.work_orders.complete(
        Ref(order.id or 0), note="only said", note_option="Ignore", repair_code=60
    )
    found = await local.company.get(WorkOrder, order.id or 0, properties=["Notes.*", "ActionLogRecords.*"])
    assert not found.notes
    assert (found.action_log_records or [])[-1].comment == "only said"


async def test_a_state_that_does_not_fit_is_the_services_refusal(local: Local, order: WorkOrder) -> None:
    with pytest.raises(BusinessRuleError, check=having(code="BUSINESS_LOGIC_ERROR", state="New")):
        await local.company.work_orders.complete(order)


async def test_an_order_is_held_and_cancelled_by_the_name_of_the_reason(
    local: Local, order: WorkOrder
) -> None:
    """Names of another action's reasons do not count; an id, a Ref or a row goes as it is."""
    held = await local.company.work_orders.hold(order, reason=" waiting FOR parts", comment="Belt")
    assert held.status_id == "OnHold"
    gone = await local.company.work_orders.cancel(order.id or 0, reason="Entered twice")
    assert gone.status_id == "Cancelled"
    found = await local.company.get(WorkOrder, order.id or 0, properties=["LastAction.Reason.*"])
    assert found.last_action is not None
    assert found.last_action.reason is not None
    assert found.last_action.reason.display_as == "Entered twice"
    other = await ordered(local)
    await local.company.work_orders.hold(other, reason=WoActionReasonLookup(id=2204))
    assert local.server.count(REASONS) == 1


async def test_an_unknown_reason_lists_those_there_are(local: Local, order: WorkOrder) -> None:
    with pytest.raises(NotFoundError) as caught:
        await local.company.work_orders.hold(order, reason="Wether")
    text = str(caught.value)
    assert "no hold reason is called 'Wether'; did you mean 'Weather'?" in text
    assert "'No access', 'Waiting for a quote'" in text
    assert "Entered twice" not in text
    assert (caught.value.status, caught.value.company) == (0, "AcmeFacilities")
    assert local.server.count("WoOnHoldCommand") == 0


async def test_removed_reasons_are_not_taken_and_new_ones_are(local: Local, order: WorkOrder) -> None:
    """What is remembered is read again before a name is called unknown."""
    acme = local.company
    assert (await acme.work_orders.hold(order, reason="Weather")).status_id == "OnHold"
    made = await acme.create(WoActionReasonLookup(display_as="Strike", action_id="OnHold"))
    other = await ordered(local)
    assert (await acme.work_orders.hold(other, reason="strike")).status_id == "OnHold"
    await acme.delete(WoActionReasonLookup, made.id or 0)
    await acme.update(WoActionReasonLookup(id=made.id), display_as="Strike")
    assert local.server.count(REASONS) == 2
    await acme.create(WoActionReasonLookup(display_as="weather ", action_id="OnHold"))
    with pytest.raises(NotFoundError):
        await acme.work_orders.hold(order, reason="Stroke")  # reads again: the removed one is seen to be gone
    with pytest.raises(NotFoundError):
        await acme.work_orders.hold(order, reason="Strike")
    with pytest.raises(NotUniqueError, match=r"'Weather' .* hold reason: ids 2205, 22"):
        await acme.work_orders.hold(order, reason="Weather")


async def test_flags_are_set_and_cleared_by_name_or_id(local: Local, order: WorkOrder) -> None:
    acme = local.company
    flagged = await acme.work_orders.set_flags(order, ["follow up", 1901], comment="look")
    assert flagged.flag_id == 1901
    assert await flags_of(acme, order) == [1903, 1901]
    assert (await acme.work_orders.clear_flags(order, ["Needs attention"])).flag_id == 1903
    assert await flags_of(acme, order) == [1903]


async def test_hidden_flags_go_by_id_only(local: Local, order: WorkOrder) -> None:
    with pytest.raises(NotFoundError, match="no flag is called 'Old escalation'"):
        await local.company.work_orders.set_flags(order, ["Old escalation"])
    assert (await local.company.work_orders.set_flags(order, [1904])).flag_id == 1904


async def test_what_is_no_work_order_is_told(local: Local) -> None:
    """Flags that are no list are in ``tests/test_mistakes.py``."""
    wrong: list[Any] = [None, True, WorkOrder(), RepairCode(id=5)]
    for order in wrong:
        with pytest.raises(InvalidCallError, match=r"the work order is .*; it must be Ref"):
            await local.company.work_orders.hold(order, reason="Weather")
    with pytest.raises(InvalidCallError, match="the hold reason is None; it must be Ref"):
        await local.company.work_orders.hold(1, reason=None)
    assert local.server.asked == []


async def test_many_at_once_read_the_reasons_once(local: Local) -> None:
    """Also with Company objects made anew; names that are unknown to all read them once more."""
    orders = [await ordered(local) for _ in range(5)]
    companies = [local.company.with_options() for _ in orders]
    pairs = zip(companies, orders, strict=True)
    held = await asyncio.gather(*(acme.work_orders.hold(order, reason="Weather") for acme, order in pairs))
    assert {order.status_id for order in held} == {"OnHold"}
    assert local.server.count(REASONS) == 1
    errors = await asyncio.gather(
        *(local.company.work_orders.hold(order, reason="?") for order in orders), return_exceptions=True
    )
    assert {type(error) for error in errors} == {NameNotFoundError}
    assert local.server.count(REASONS) == 2


async def test_an_action_without_an_answer_is_in_doubt(local: Local, order: WorkOrder) -> None:
    local.server.creation, local.server.broken = "WoOnHoldCommand", True
    with pytest.raises(InDoubtError) as caught:
        await local.company.work_orders.hold(order, reason="Weather")
    assert caught.value.request_id
    assert local.server.count("WoOnHoldCommand") == 1


async def test_an_answer_without_the_order_gives_its_id() -> None:
    """It was carried out all the same, so it is no error."""

    def answer(request: Request) -> Answer:
        assert json.loads(request.body)["Command"] == {"WorkOrderId": 7, "ActionReasonId": 2205}
        return Answer(body={"CommandResult": {}})

    async with Service(answer) as service, service.client() as client:
        assert await client.company().work_orders.hold(7, reason=2205) == WorkOrder.ref(7)
