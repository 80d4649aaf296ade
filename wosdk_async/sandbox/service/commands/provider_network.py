"""Orders sent to a connected provider: SendWorkOrderCommand (spec 4.6), recall and messages (facts 5).

An order is with its provider while it has a ``WonId`` (not shown; assumed by its name).
"""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.service.commands.log import record
from wosdk_async.sandbox.service.commands.orders import the_order
from wosdk_async.sandbox.service.commands.registry import Arguments, command
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read

__all__ = ["message", "recall", "send_work_order"]

_ONLY_SENT = "Sorry, this command can be used only for Work Order sent to a connected Service Pro"
_ONLY_RECALL = "Sorry, this command can be used only to recall a Work Order sent to a connected Service Pro"


@command("SendWorkOrderCommand")
def send_work_order(context: RequestContext, arguments: Arguments) -> Record:
    """Notify the assigned provider; the reply is keyed by the schema, its shape by analogy (facts 5).

    Raises:
        Refusal: no connected provider is assigned (not shown; assumed), or the network fails.
    """
    order = the_order(context, arguments)
    provider = _connected(context, order)
    if provider is None:
        raise broken_rule(f"Work order {order['Id']} has no connected Service Pro to be sent to: assign one.")
    _notify(context, provider)
    order["WonId"] = order["WonId"] or context.next_number("WonId")
    record(context, order, "WonWoSend", arguments)
    return {"WorkOrder": default_read(context, "WorkOrder", order)}


def recall(context: RequestContext, order: Record, _arguments: Arguments) -> bool:
    """Take the order back from its provider: it has no ``WonId`` any more (not shown; assumed)."""
    if not order["WonId"] or _connected(context, order) is None:
        raise broken_rule(_ONLY_RECALL, _not_sent(order))  # facts 6
    order["WonId"] = 0
    return True


def message(context: RequestContext, order: Record, _arguments: Arguments) -> bool:
    """The ``Comment`` goes to the provider; here it is only logged (not shown; assumed)."""
    if not order["WonId"] or _connected(context, order) is None:
        raise broken_rule(_ONLY_SENT, _not_sent(order))  # facts 6
    return True


def _not_sent(order: Record) -> str:
    return f". Work order {order['Id']} is not sent: run SendWorkOrderCommand first."


def _connected(context: RequestContext, order: Record) -> Record | None:
    provider = context.find("Employee", order["Employee"]["Id"]) if "Employee" in order else None
    return provider if provider is not None and provider["ProviderStatusId"] == "Connected" else None


def _notify(context: RequestContext, provider: Record) -> None:
    """Call the provider network, which knows a provider as a member with a location.

    Raises:
        Refusal: it does not know this one (spec 7 names what the text tells; when it fails is assumed).
    """
    if not (provider["WonMemberId"] and provider["WonLocationId"]):
        raise broken_rule(
            f"Unexpected failure of a call: requestor {context.company.id}, target location "
            f"{provider['WonLocationId']}, action RequestorSend, service https://network.invalid/api."
        )
