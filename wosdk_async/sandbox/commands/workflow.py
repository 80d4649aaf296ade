"""The actions that move a work order from state to state (facts 5.1).

The table is the whole workflow: a new action is a row of it.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from wosdk_async.sandbox.body import Row
from wosdk_async.sandbox.desk import Desk
from wosdk_async.sandbox.errors import broken_rule, modified, required
from wosdk_async.sandbox.selection import shown
from wosdk_async.sandbox.shape import shapes
from wosdk_async.sandbox.values import UNREADABLE, read

from .assignment import reassign
from .flags import clear_flags, set_flags
from .log import log_action
from .notes import completion_note
from .registry import Arguments, command, needed

__all__ = ["ACTIONS", "Action", "act"]

Effect = Callable[[Desk, Row, Arguments], None]


@attrs.frozen
class Action:
    """One row of the workflow: the log's name, the states it starts from, the state it leads to."""

    logged: str
    sources: frozenset[str] | None = None
    target: str | None = None
    needs_reason: bool = False
    effect: Effect | None = None


def _assign(desk: Desk, order: Row, arguments: Arguments) -> None:
    sent = arguments.get("Assignees", [])
    field = shapes()["WoAssignment"].by_name["employeeid"]
    known = [read(field, value) for value in sent] if isinstance(sent, list) else []
    reassign(desk, order, [key for key in known if key is not UNREADABLE], arguments.get("Mode", "Primary"))


def _complete(desk: Desk, order: Row, arguments: Arguments) -> None:
    if code := arguments.get("RepairCodeId", 0):
        needed(desk.find("RepairCode", code), "RepairCode", code)
        order["RepairCode"] = {"Id": code}
    completion_note(desk, order, arguments)


def _states(*names: str) -> frozenset[str]:
    return frozenset(names)


_ACTIVE = _states("New", "Open", "InProgress", "Paused", "OnHold")

# facts 5.1 shows New to Open, Open to InProgress, InProgress to Paused, OnHold, Cancelled and
# Completed, and Cancelled, Completed or Paused to New. The other sources are assumed: an active
# order can be held or cancelled from any state, a paused one started again, a held one reopened.
ACTIONS = {
    "WoAssignCommand": Action("Assign", _ACTIVE, effect=_assign),
    "WoPickUpCommand": Action("PickUp", _states("New"), "Open"),
    "WoStartCommand": Action("Start", _states("Open", "Paused"), "InProgress"),
    "WoPauseCommand": Action("Stop", _states("InProgress"), "Paused"),
    "WoOnHoldCommand": Action("OnHold", _ACTIVE - {"OnHold"}, "OnHold", needs_reason=True),
    "WoCancelCommand": Action("Cancel", _ACTIVE, "Cancelled", needs_reason=True),
    "WoCompleteCommand": Action("Complete", _states("InProgress"), "Completed", effect=_complete),
    "WoReopenCommand": Action("Reopen", _states("Cancelled", "Completed", "Paused", "OnHold"), "New"),
    "WoSetFlagsCommand": Action("Attention", effect=set_flags),
    "WoClearFlagsCommand": Action("FlagCleared", effect=clear_flags),
}


def act(desk: Desk, name: str, arguments: Arguments) -> Row:
    """Run one action and give the order as a default read shows it (facts 5, Shape of a result).

    Raises:
        Refusal: the order is missing or in another state, a reason is wanted, or the expected
            ``StatusId`` or ``ConcurrencyId`` is not the current one.
    """
    action = ACTIONS[name]
    order = the_order(desk, arguments)
    _check_state(order, action)
    reason = _reason(desk, action, arguments)
    if action.effect is not None:
        action.effect(desk, order, arguments)
    if action.target is not None:
        order["StatusId"] = action.target
    entry = log_action(desk, order, action.logged, arguments)
    _remember(desk, order, entry, reason)
    desk.replace(shapes()["WorkOrder"], order)
    return {"Wo": shown(desk, "WorkOrder", order)}


def the_order(desk: Desk, arguments: Arguments) -> Row:
    """The order a command names, checked against the state the caller expects (facts 3.7)."""
    key = arguments.get("WorkOrderId", 0)
    if not key:
        raise required("WorkOrderId")
    order = needed(desk.find("WorkOrder", key), "WorkOrder", key)
    expected = (arguments.get("StatusId", "Unknown"), arguments.get("ConcurrencyId", 0))
    if expected[0] not in ("Unknown", order["StatusId"]) or expected[1] not in (0, order["ConcurrencyId"]):
        raise modified()
    return order


def _check_state(order: Row, action: Action) -> None:
    """The state is checked before the reason (facts 5.1)."""
    state = order["StatusId"]
    if action.sources is not None and state not in action.sources:
        target = action.target or state
        raise broken_rule(
            f"{{!{{Work Order}}!}} that is in state '{state}' cannot be placed in the state '{target}'"
        )


def _reason(desk: Desk, action: Action, arguments: Arguments) -> Row | None:
    """The WoActionReasonLookup row a command names by its Id, not its ReasonId (facts 4)."""
    key = arguments.get("ActionReasonId", 0)
    if not key:
        if action.needs_reason:
            raise broken_rule(f"status {action.target} requires reason")  # facts 5: words of a peer
        return None
    row = needed(desk.find("WoActionReasonLookup", key), "WoActionReasonLookup", key)
    if action.needs_reason and row["ActionId"] != action.logged:  # not shown; assumed
        raise broken_rule(f"Reason {key} is not one of {action.logged}.")
    return row


def _remember(desk: Desk, order: Row, entry: Row, reason: Row | None) -> None:
    """Let the order's WoLastAction name this action."""
    last = desk.row("WoLastAction", order["Id"])
    last["LastAction"] = {"Id": entry["Id"]}
    last.pop("Reason", None)
    if reason is not None:
        last["Reason"] = {"Id": reason["Id"]}
    desk.replace(shapes()["WoLastAction"], last)


def _register(name: str) -> None:
    @command(name)
    def run(desk: Desk, arguments: Arguments) -> Row:
        return act(desk, name, arguments)


for _name in ACTIONS:
    _register(_name)
