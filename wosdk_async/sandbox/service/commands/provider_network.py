"""Orders sent to a connected provider: SendWorkOrderCommand (spec 4.6), recall and messages (facts 5).

An order is with its provider while it has a ``WonId`` (not shown; assumed by its name).
"""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.service.commands.arguments import Arguments
from wosdk_async.sandbox.service.commands.orders import find_order, save_action
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import show_default

__all__ = ["message", "recall", "send_work_order"]

# facts 6
_ONLY_SENT = "Sorry, this command can be used only for Work Order sent to a connected Service Pro"
_ONLY_RECALL = "Sorry, this command can be used only to recall a Work Order sent to a connected Service Pro"


def send_work_order(context: RequestContext, arguments: Arguments) -> Record:
    """Send the order to its provider; the result's name is the schema's, its shape by analogy (facts 5).

    Raises:
        Refusal: no connected provider is assigned (not shown; assumed), or the network fails.
    """
    order = find_order(context, arguments)
    provider = _connected_provider(context, order)
    if provider is None:
        raise broken_rule(f"Work order {order['Id']} has no connected Service Pro to be sent to: assign one.")
    _notify(context, provider)
    order["WonId"] = order["WonId"] or context.next_number("WonId")
    save_action(context, order, "WonWoSend", arguments)
    return {"WorkOrder": show_default(context, "WorkOrder", order)}


def recall(context: RequestContext, order: Record, _arguments: Arguments) -> bool:
    """Take the order back from its provider: it loses its ``WonId`` (not shown; assumed)."""
    _check_sent(context, order, _ONLY_RECALL)
    order["WonId"] = 0
    return True


def message(context: RequestContext, order: Record, _arguments: Arguments) -> bool:
    """Send the ``Comment`` to the provider; here it is only logged (not shown; assumed)."""
    _check_sent(context, order, _ONLY_SENT)
    return True


def _check_sent(context: RequestContext, order: Record, refusal: str) -> None:
    if not order["WonId"] or _connected_provider(context, order) is None:
        hint = f". Work order {order['Id']} is not sent: run SendWorkOrderCommand first."
        raise broken_rule(refusal, hint)


def _connected_provider(context: RequestContext, order: Record) -> Record | None:
    provider = context.find("Employee", order["Employee"]["Id"]) if "Employee" in order else None
    return provider if provider is not None and provider["ProviderStatusId"] == "Connected" else None


def _notify(context: RequestContext, provider: Record) -> None:
    """Call the provider network, which knows a provider as a member with a location.

    Raises:
        Refusal: the network does not know the provider (spec 7 has the text; when it fails is assumed).
    """
    if not (provider["WonMemberId"] and provider["WonLocationId"]):
        raise broken_rule(
            f"Unexpected failure of a call: requestor {context.company.id}, target location "
            f"{provider['WonLocationId']}, action RequestorSend, service https://network.invalid/api."
        )
