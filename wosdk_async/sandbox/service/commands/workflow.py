"""Work order actions (facts 5.1), in the table ``ACTIONS``, and SendWorkOrderCommand.

Not shown; assumed from the name: an order is with its provider while it has a ``WonId``.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.schema.values import read_ids
from wosdk_async.sandbox.service.commands.orders import (
    add_flag,
    clear_flags,
    find_order,
    find_reason,
    save_action,
    set_flags,
)
from wosdk_async.sandbox.service.commands.scheduling import reassign
from wosdk_async.sandbox.service.context import Arguments, RequestContext, required_record
from wosdk_async.sandbox.service.query.selection import show_default
from wosdk_async.sandbox.service.write import create

# facts 6
_ONLY_SENT = "Sorry, this command can be used only for Work Order sent to a connected Service Pro"
_ONLY_RECALL = "Sorry, this command can be used only to recall a Work Order sent to a connected Service Pro"

Effect = Callable[[RequestContext, Record, Arguments], bool]


@attrs.frozen
class Action:
    """Workflow action."""

    logged: str  # WOActionType in the log
    sources: frozenset[str] | None = None  # states that the action starts from; None for all
    target: str | None = None  # state that the action leads to; None keeps the state
    needs_reason: bool = False
    effect: Effect | None = None  # applies all other changes, and returns whether there were any

    @property
    def takes_reason(self) -> bool:
        """Whether the action requires a reason, or adds one as a flag (WoFlagCommand)."""
        return self.needs_reason or self.effect is add_flag


def _assign(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    employees = read_ids(arguments.get("Assignees"))
    return reassign(context, order, employees, arguments.get("Mode", "Primary"))


def _complete(context: RequestContext, order: Record, arguments: Arguments) -> bool:
    if code := arguments.get("RepairCodeId", 0):
        order["RepairCode"] = {"Id": required_record(context, "RepairCode", code)["Id"]}
    _write_completion_note(context, order, arguments)
    return True


def _write_completion_note(context: RequestContext, order: Record, arguments: Arguments) -> None:
    """Write ``Comment`` to the completion note (facts 5). Not shown; assumed: the effect of each option."""
    comment = arguments.get("Comment", "")
    option = arguments.get("CompletionNoteOption", "Ignore")
    if option == "Ignore" or not comment:
        return
    note = context.find("WoNote", order["CompletionNote"]["Id"]) if "CompletionNote" in order else None
    if note is None:
        body = {"Body": comment, "NoteTypeId": "Completion"}
        create(context, schemas()["WoNote"], body, {"WorkOrderId": order["Id"]})
    elif option == "Replace" or not note["Body"]:
        note["Body"] = comment
        context.replace(schemas()["WoNote"], note)


def _induct(_context: RequestContext, order: Record, arguments: Arguments) -> bool:
    """Set the induction and safety state (default: the enum's first member, as in facts 5)."""
    before = order["InductionAndSafetyStatusID"]
    order["InductionAndSafetyStatusID"] = arguments.get("InductionAndSafetyStatusID", "NotApplicable")
    return bool(order["InductionAndSafetyStatusID"] != before)


def _recall(context: RequestContext, order: Record, _arguments: Arguments) -> bool:
    """Recall the order from its provider. Not shown; assumed: this clears ``WonId``."""
    _check_sent(context, order, _ONLY_RECALL)
    order["WonId"] = 0
    return True


def _message(context: RequestContext, order: Record, _arguments: Arguments) -> bool:
    """Only log ``Comment``. Not shown; assumed: the service sends it to the provider."""
    _check_sent(context, order, _ONLY_SENT)
    return True


def _check_sent(context: RequestContext, order: Record, refusal: str) -> None:
    if not order["WonId"] or _connected_provider(context, order) is None:
        hint = f". Work order {order['Id']} has not been sent: run SendWorkOrderCommand first."
        raise broken_rule(refusal, hint)


_ACTIVE = frozenset({"New", "Open", "InProgress", "Paused", "OnHold"})

# facts 5.1 shows New to Open, Open to InProgress, InProgress to Paused, OnHold, Cancelled and Completed, and
# Cancelled, Completed or Paused to New. Not shown; assumed: any active order can be held or cancelled, a
# paused one started, and a held one reopened.
ACTIONS = {
    "WoAssignCommand": Action("Assign", _ACTIVE, effect=_assign),
    "WoPickUpCommand": Action("PickUp", frozenset({"New"}), "Open"),
    "WoStartCommand": Action("Start", frozenset({"Open", "Paused"}), "InProgress"),
    "WoPauseCommand": Action("Stop", frozenset({"InProgress"}), "Paused"),
    "WoOnHoldCommand": Action("OnHold", _ACTIVE - {"OnHold"}, "OnHold", needs_reason=True),
    "WoCancelCommand": Action("Cancel", _ACTIVE, "Cancelled", needs_reason=True),
    "WoCompleteCommand": Action("Complete", frozenset({"InProgress"}), "Completed", effect=_complete),
    "WoReopenCommand": Action("Reopen", frozenset({"Cancelled", "Completed", "Paused", "OnHold"}), "New"),
    "WoFlagCommand": Action("Attention", effect=add_flag),
    "WoSetFlagsCommand": Action("Attention", effect=set_flags),
    "WoClearFlagsCommand": Action("FlagCleared", effect=clear_flags),
    "WoRecallCommand": Action("WonWoRecall", effect=_recall),
    "WoMessageCommand": Action("Message", effect=_message),
    "UpdateWoInductionAndSafetyStatusCommand": Action("IsmStatusChanged", effect=_induct),
}


def run_action(action: Action, context: RequestContext, arguments: Arguments) -> Record:
    """Run an action and return the order as in a default read (facts 5, Shape of a result).

    An action that changes nothing is not logged. facts 5.1 shows this for WoFlagCommand. Not shown; assumed:
    other commands do the same.
    """
    order = find_order(context, arguments)
    _check_state(order, action)  # facts 5.1: the state is checked before the reason
    reason = _sent_reason(context, action, arguments)
    changed = action.effect is None or action.effect(context, order, arguments)
    if changed:
        order["StatusId"] = action.target or order["StatusId"]
        save_action(context, order, action.logged, arguments, reason)
    return {"Wo": show_default(context, "WorkOrder", order)}


def _check_state(order: Record, action: Action) -> None:
    state = order["StatusId"]
    if action.sources is not None and state not in action.sources:
        target = action.target or state
        raise broken_rule(
            f"{{!{{Work Order}}!}} that is in state '{state}' cannot be placed in the state '{target}'"
        )


def _sent_reason(context: RequestContext, action: Action, arguments: Arguments) -> Record | None:
    """Return the reason sent, or None. Not shown; assumed: an optional reason may belong to any action."""
    key = arguments.get("ActionReasonId", 0)
    if action.needs_reason:
        if not key:  # facts 5: the wording is from a third-party client
            raise broken_rule(f"status {action.target} requires reason")
        return find_reason(context, key, action.logged)
    return required_record(context, "WoActionReasonLookup", key) if key else None


def send_work_order(context: RequestContext, arguments: Arguments) -> Record:
    """Send the order to its connected provider (facts 5 names the result). Not shown; assumed: the rest."""
    order = find_order(context, arguments)
    if order["WonId"] or order["StatusId"] not in _ACTIVE:  # spec 3. Not shown; assumed: the text
        state = "has already been sent" if order["WonId"] else f"is {order['StatusId']}, so it cannot be sent"
        raise broken_rule(f"Work order {order['Id']} {state}.")
    provider = _connected_provider(context, order)
    if provider is None:
        raise broken_rule(
            f"Work order {order['Id']} has no connected Service Pro: assign one before sending."
        )
    _check_network(context, provider)
    order["WonId"] = context.next_number("WonId")
    save_action(context, order, "WonWoSend", arguments)
    return {"WorkOrder": show_default(context, "WorkOrder", order)}


def _connected_provider(context: RequestContext, order: Record) -> Record | None:
    provider = context.find("Employee", order["Employee"]["Id"]) if "Employee" in order else None
    if provider is None or provider["IsRemoved"] or provider["ProviderStatusId"] != "Connected":
        return None
    return provider


def _check_network(context: RequestContext, provider: Record) -> None:
    """Refuse if the provider network cannot be called (spec 7). Not shown; assumed: the conditions."""
    if not (provider["WonMemberId"] and provider["WonLocationId"]):
        raise broken_rule(
            f"Unexpected failure of a call: requestor {context.company.id}, target location "
            f"{provider['WonLocationId']}, action RequestorSend, service https://network.invalid/api."
        )
