"""A refused move of a work order says how the order goes on, in the error and in a problem body.

Facts 5.1: a client explains refusals, and enforces no table of states.
"""

from __future__ import annotations

import copy

import pytest

from tests.support.laws import each_of
from tests.testing.orders import create_command
from wosdk_async import BusinessRuleError, Company, WosdkError, problem_of
from wosdk_async.protocol.order_rules import warning_of_move

TEXT = "{!{Work Order}!} that is in state 'New' cannot be placed in the state 'Completed'"
WAY = (
    "to move the order from New to InProgress, pick it up and then start it; "
    "each Company configures its state transitions"
)


async def refused(acme: Company, *actions: str) -> BusinessRuleError:
    """Return the error of the last of these actions on a new order."""
    await acme.run(create_command())
    *before, last = (getattr(acme.work_orders, action) for action in actions)
    reasons = [{"reason": "Entered twice"} if action == "cancel" else {} for action in actions]
    for action, reason in zip(before, reasons, strict=False):
        await action(1, **reason)
    with pytest.raises(BusinessRuleError) as caught:
        await last(1, **reasons[-1])
    return caught.value


async def test_an_order_that_is_new(wosdk_company: Company) -> None:
    """The message is the service's own; people read words without its markup, and what to do."""
    error = await refused(wosdk_company, "complete")
    assert (error.message, error.remedy) == (TEXT, WAY)
    shown = f"Work Order that is in state 'New' cannot be placed in the state 'Completed'; {WAY}"
    assert str(error).startswith(f"{shown} (operation WoCompleteCommand, ")
    assert problem_of(error).body["detail"] == shown
    assert problem_of(error).status == 422
    assert str(copy.deepcopy(error)) == str(error)


@pytest.mark.parametrize(
    ("actions", "way"),
    [
        (("pick_up", "complete"), "to move the order from Open to InProgress, start it"),
        (("cancel", "complete"), "to reopen the order, run WoReopenCommand"),
        (("cancel", "cancel"), ""),  # it is there already
    ],
)
async def test_an_order_that_is_not_new(wosdk_company: Company, actions: tuple[str, ...], way: str) -> None:
    error = await refused(wosdk_company, *actions)
    assert error.remedy.partition("; ")[0] == way


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("{!{Work Order}!} and {!{Customer}!}", "Work Order and Customer"),
        ("{!{a{!{b}!}", "{!{ab"),
        ("{!{}!} {Name} }!}", " {Name} }!}"),
    ],
)
def test_markup_is_shown_as_words(text: str, shown: str) -> None:
    assert str(WosdkError(text)) == shown


@each_of("state", [None, "", "Waiting for a quote", 3, ["New"]])
def test_a_state_that_is_not_known_has_no_warning(state: object) -> None:
    """A Company may have states of its own; nothing is known of their moves."""
    assert warning_of_move("WoCompleteCommand", "New")
    assert warning_of_move("WoCompleteCommand", state) == ""
