"""The actions that move a work order from state to state (facts 5.1).

The table is the whole workflow: a new action is a row of it.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value
from wosdk_async.sandbox.service.commands.assignment import reassign
from wosdk_async.sandbox.service.commands.flags import clear_flags, flag, set_flags
from wosdk_async.sandbox.service.commands.log import record
from wosdk_async.sandbox.service.commands.notes import completion_note
from wosdk_async.sandbox.service.commands.orders import reason_row, the_order
from wosdk_async.sandbox.service.commands.provider_network import message, recall
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read

__all__ = ["ACTIONS", "Action", "act"]

Effect = Callable[[RequestContext, Record, Arguments], bool]


@attrs.frozen
class Action:
    """One row of the workflow: the log's name, the states it starts from, the state it leads to.

    ``effect`` does what else is to be done and tells whether anything changed.
    """

    logged: str
    sources: frozenset[str] | None = None
    target: str | None = None
    needs_reason: bool = False
    effect: Effect | None = None


def _assign(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    sent = arguments.get("Assignees", [])
    field = schemas()["WoAssignment"].by_name["employeeid"]
    known = [read_value(field, value) for value in sent] if isinstance(sent, list) else []
    employees = [key for key in known if key is not UNREADABLE]
    return reassign(context, order, employees, arguments.get("Mode", "Primary"))


def _complete(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    if code := arguments.get("RepairCodeId", 0):
        needed(context.find("RepairCode", code), "RepairCode", code)
        order["RepairCode"] = {"Id": code}
    completion_note(context, order, arguments)
    return True


def _induct(_context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Set the induction and safety state; unsent it is the enum's first member (facts 5, invoice state)."""
    before = order["InductionAndSafetyStatusID"]
    order["InductionAndSafetyStatusID"] = arguments.get("InductionAndSafetyStatusID", "NotApplicable")
    return bool(order["InductionAndSafetyStatusID"] != before)


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
    "WoFlagCommand": Action("Attention", effect=flag),
    "WoSetFlagsCommand": Action("Attention", effect=set_flags),
    "WoClearFlagsCommand": Action("FlagCleared", effect=clear_flags),
    "WoRecallCommand": Action("WonWoRecall", effect=recall),
    "WoMessageCommand": Action("Message", effect=message),
    "UpdateWoInductionAndSafetyStatusCommand": Action("IsmStatusChanged", effect=_induct),
}


def act(context: RequestContext, name: str, arguments: Arguments) -> Record:
    """Run one action and give the order as a default read shows it (facts 5, Shape of a result).

    An action that changes nothing leaves no trace, as a recorded WoFlagCommand did (facts 5.1; of
    the other commands assumed).

    Raises:
        Refusal: the order is missing or in another state, a reason is wanted, or the expected
            ``StatusId`` or ``ConcurrencyId`` is not the current one.
    """
    action = ACTIONS[name]
    order = the_order(context, arguments)
    _check_state(order, action)
    reason = _reason(context, action, arguments)
    changed = action.effect is None or action.effect(context, order, arguments)
    if changed:
        order["StatusId"] = action.target or order["StatusId"]
        record(context, order, action.logged, arguments, reason)
    return {"Wo": default_read(context, "WorkOrder", order)}


def _check_state(order: Record, action: Action) -> None:
    """The state is checked before the reason (facts 5.1)."""
    state = order["StatusId"]
    if action.sources is not None and state not in action.sources:
        target = action.target or state
        raise broken_rule(
            f"{{!{{Work Order}}!}} that is in state '{state}' cannot be placed in the state '{target}'"
        )


def _reason(context: RequestContext, action: Action, arguments: Arguments) -> Record | None:
    """The reason a command gives; one that its action does not ask for only has to exist (assumed)."""
    key = arguments.get("ActionReasonId", 0)
    if action.needs_reason:
        if not key:
            raise broken_rule(f"status {action.target} requires reason")  # facts 5: words of a peer
        return reason_row(context, key, action.logged)
    return needed(context.find("WoActionReasonLookup", key), "WoActionReasonLookup", key) if key else None


def _register(name: str) -> None:
    @command(name)
    def run(context: RequestContext, arguments: Arguments) -> Record:
        return act(context, name, arguments)


for _name in ACTIONS:
    _register(_name)
