"""SendWorkOrderCommand (spec 4.6)."""

from __future__ import annotations

from wosdk_async.sandbox.body import Row
from wosdk_async.sandbox.desk import Desk
from wosdk_async.sandbox.errors import broken_rule
from wosdk_async.sandbox.selection import shown
from wosdk_async.sandbox.shape import shapes

from .log import log_action
from .registry import Arguments, command
from .workflow import the_order

__all__ = ["send_work_order"]


@command("SendWorkOrderCommand")
def send_work_order(desk: Desk, arguments: Arguments) -> Row:
    """Notify the assigned provider; the reply is keyed by the schema, its shape by analogy (facts 5).

    Raises:
        Refusal: no provider is assigned, or it is not connected (not shown; assumed).
    """
    order = the_order(desk, arguments)
    provider = desk.find("Employee", order["Employee"]["Id"]) if "Employee" in order else None
    if provider is None or provider["ProviderStatusId"] != "Connected":
        text = "Sorry, this command can be used only for Work Order sent to a connected Service Pro"
        raise broken_rule(text)  # facts 6
    _notify(desk, provider)
    order["WonId"] = order["WonId"] or desk.store.next_number("WonId")
    log_action(desk, order, "WonWoSend", arguments)
    desk.replace(shapes()["WorkOrder"], order)
    return {"WorkOrder": shown(desk, "WorkOrder", order)}


def _notify(desk: Desk, provider: Row) -> None:
    """Call the provider network, which knows a provider by its location there.

    Raises:
        Refusal: the provider has none (spec 7 names what the text tells; when it fails is assumed).
    """
    if not provider["WonLocationId"]:
        raise broken_rule(
            f"Unexpected failure of a call: requestor {desk.company.id}, target location "
            f"{provider['WonLocationId']}, action RequestorSend, service https://network.invalid/api."
        )
