"""The work order state machine (facts 5.1): every state and every action that moves it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.sandbox.company import Caller, calling
from tests.support.laws import each_of
from wosdk_async.sandbox import open_store

# The way of an order to each state.
WAYS = {
    "New": (),
    "Open": ("PickUp",),
    "InProgress": ("PickUp", "Start"),
    "Paused": ("PickUp", "Start", "Pause"),
    "OnHold": ("PickUp", "Start", "OnHold"),
    "Completed": ("PickUp", "Start", "Complete"),
    "Cancelled": ("PickUp", "Start", "Cancel"),
}
REASONS = {"OnHold": 2201, "Cancel": 1841}
LOGGED = {"Pause": "Stop"}

# action: (state it leads to, states it starts from); the others are refused.
MOVES = {
    "PickUp": ("Open", "New"),
    "Start": ("InProgress", "Open Paused"),
    "Pause": ("Paused", "InProgress"),
    "OnHold": ("OnHold", "New Open InProgress Paused"),
    "Cancel": ("Cancelled", "New Open InProgress Paused OnHold"),
    "Complete": ("Completed", "InProgress"),
    "Reopen": ("New", "Cancelled Completed Paused OnHold"),
}
CASES = [(state, name) for state in WAYS for name in MOVES]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Caller]:
    store = open_store(str(tmp_path_factory.mktemp("states") / "sandbox.db"))
    with calling(store) as caller:
        yield caller
    store.close()


def body(order: int, name: str) -> dict[str, Any]:
    reason = {"ActionReasonId": REASONS[name]} if name in REASONS else {}
    return {"Command": {"WorkOrderId": order} | reason}


def order_in(acme: Caller, state: str) -> int:
    order: int = acme.order()["Id"]
    for name in WAYS[state]:
        acme.ok("POST", f"cmd/Wo{name}Command", body(order, name))
    assert acme.get("WorkOrder", order)["StatusId"] == state
    return order


PATHS = "*,ActionLogRecords.*,LastAction.LastAction.Id"


@each_of(("state", "name"), CASES)
def test_every_state_and_action(shared: Caller, state: str, name: str) -> None:
    """A move advances state, counter and log together; a refusal names both states and leaves all."""
    order = order_in(shared, state)
    before = shared.get("WorkOrder", order, PATHS)
    response = shared.send("POST", f"cmd/Wo{name}Command", body(order, name))
    after = shared.get("WorkOrder", order, PATHS)
    target, sources = MOVES[name]
    if state not in sources.split():
        assert response.status_code == 400, response.text
        assert response.json()["ErrorCode"] == "BUSINESS_LOGIC_ERROR"
        text = f"{{!{{Work Order}}!}} that is in state '{state}' cannot be placed in the state '{target}'"
        assert response.json()["ErrorMessage"] == text
        assert after == before
        return
    assert response.status_code == 200, response.text
    assert response.json()["CommandResult"]["Wo"]["StatusId"] == after["StatusId"] == target
    assert after["ConcurrencyId"] == before["ConcurrencyId"] + 1
    *earlier, entry = after["ActionLogRecords"]
    assert earlier == before["ActionLogRecords"]
    assert entry["TypeId"] == LOGGED.get(name, name)
    assert (entry["ActionReasonId"], entry["UiTypeId"]) == (REASONS.get(name, 0), "IntegrationWS")
    assert entry["Actor"] == {"Id": 46, "TypeId": "CorrigoNet"}
    assert entry["ActionDate"] == after["LastActionDate"]
    assert entry["SystemDateUtc"] == after["LastActionDateUtc"] > before["LastActionDateUtc"]
    assert after["LastAction"]["LastAction"]["Id"] == entry["Id"]


@pytest.mark.parametrize(("state", "name"), [("Completed", "Cancel"), ("OnHold", "OnHold")])
def test_the_state_is_checked_before_the_reason(shared: Caller, state: str, name: str) -> None:
    """facts 5.1: a recorded call without a reason was refused for its state."""
    sent = {"Command": {"WorkOrderId": order_in(shared, state)}}
    response = shared.send("POST", f"cmd/Wo{name}Command", sent)
    assert response.status_code == 400, response.text
    assert f"in state '{state}'" in response.json()["ErrorMessage"]


@pytest.mark.parametrize("wrong", [{"StatusId": "Open"}, {"ConcurrencyId": 9}])
def test_the_expected_state_is_checked_before_all_else(shared: Caller, wrong: dict[str, Any]) -> None:
    """facts 3.7: an expectation that does not hold is ERROR_CODE_6, whatever else is wrong."""
    sent = {"Command": {"WorkOrderId": order_in(shared, "New")} | wrong}
    for name in ("Complete", "Cancel", "Flag", "Copy", "Recall"):
        assert shared.refused("POST", f"cmd/Wo{name}Command", sent) == "ERROR_CODE_6"


@each_of("name", ["OnHold", "Cancel"])
@each_of("reason", [None, 9, 1901, 3])
def test_reasons_belong_to_their_action(shared: Caller, name: str, reason: int | None) -> None:
    """facts 4 and 5: the command names a reason of its own action by Id; 3 is a ReasonId, 1901 a flag."""
    order = order_in(shared, "New")
    sent = {"WorkOrderId": order} | ({"ActionReasonId": reason} if reason else {})
    assert shared.refused("POST", f"cmd/Wo{name}Command", {"Command": sent}) == "BUSINESS_LOGIC_ERROR"
    assert shared.get("WorkOrder", order)["StatusId"] == "New"


@pytest.mark.parametrize(("given", "back"), [("2024-01-02T08:00:00", True), ("2099-01-01T00:00:00", False)])
def test_back_dating(shared: Caller, given: str, back: bool) -> None:
    """facts 5: ActionDate is logged beside the real moment, and the log says that it is an earlier one."""
    order = order_in(shared, "New")
    shared.run("WoPickUpCommand", WorkOrderId=order, ActionDate=given, Comment="by phone")
    read = shared.get("WorkOrder", order, PATHS)
    entry = read["ActionLogRecords"][-1]
    assert (entry["ActionDate"], entry["IsBackDate"], entry["Comment"]) == (given, back, "by phone")
    assert entry["SystemDateUtc"] == read["LastActionDateUtc"]
