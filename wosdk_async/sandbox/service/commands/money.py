"""Commands on the cost record of a work order (spec 4.5, facts 5).

The order itself stays as it is: every record counts for itself (facts 3.7). The log gets an entry
(not shown; assumed, since facts 8 and WOActionType name both kinds).
"""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule, modified, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import schemas
from wosdk_async.sandbox.service.commands.log import log_action
from wosdk_async.sandbox.service.commands.orders import the_order
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read

__all__ = ["change_ap_status", "change_cost_status", "submit_payment"]


@command("ApStatusChangeCommand")
def change_ap_status(context: RequestContext, arguments: Arguments) -> Record:
    """Set the vendor invoice status to an ApInvoiceStatus row, whose state the cost takes."""
    order, cost = _cost(context, arguments, "ApStatusId")
    status = _status(context, arguments, "VendorInvoiceStatusId", "ApInvoiceStatus")
    changes = {"ApStatusId": status["Id"], "ApStateId": status["ApStateId"]}
    return _change(context, order, cost | changes, "APInvStatus", arguments)


@command("CostStatusChangeCommand")
def change_cost_status(context: RequestContext, arguments: Arguments) -> Record:
    """Set the internal cost status to an InternalCostStatus row (facts 5)."""
    order, cost = _cost(context, arguments, "CostStatusId")
    status = _status(context, arguments, "CostStatusId", "InternalCostStatus")
    changes = {"CostStatusId": status["Id"], "CostState": status["InternalCostStateId"]}
    return _change(context, order, cost | changes, "CostStatus", arguments)


@command("ApSubmitPaymentCommand")
def submit_payment(context: RequestContext, arguments: Arguments) -> Record:
    """Pay the vendor invoice: its state becomes Paid, an amount that is not sent stays (facts 5)."""
    order, cost = _cost(context, arguments, "ApStatusId")
    status = _paid_status(context, arguments)
    changed = cost | {"ApStatusId": status["Id"], "ApStateId": "Paid"}
    if "PaymentAmount" in arguments:
        amount = {"CurrencyTypeId": cost["CurrencyTypeId"], "Value": arguments["PaymentAmount"]}
        changed["PaymentAmount"] = amount
    changed |= {name: arguments[name] for name in ("CheckNumber", "CheckCutDate") if name in arguments}
    return _change(context, order, changed, "APInvStatus", arguments)


def _cost(context: RequestContext, arguments: Arguments, status_field: str) -> tuple[Record, Record]:
    """The order and its cost record, checked against what the caller expects (facts 3.7)."""
    order = the_order(context, arguments)
    cost = context.get("WorkOrderCost", order["Id"])
    expected = (arguments.get("CurrentStatusId", 0), arguments.get("FinancialConcurrencyId", 0))
    if expected[0] not in (0, cost[status_field]) or expected[1] not in (0, cost["ConcurrencyId"]):
        raise modified()
    return order, cost


def _status(context: RequestContext, arguments: Arguments, name: str, entity: str) -> Record:
    key = arguments.get(name, 0)
    if not key:
        raise required(name)
    return needed(context.find(entity, key), name, key)


def _paid_status(context: RequestContext, arguments: Arguments) -> Record:
    """The status row of a payment: the one named, else the first whose state is Paid (assumed)."""
    if arguments.get("VendorInvoiceStatusId", 0):
        status = _status(context, arguments, "VendorInvoiceStatusId", "ApInvoiceStatus")
        if status["ApStateId"] != "Paid":  # not shown; assumed
            raise broken_rule(f"Status {status['Id']} is not one of a paid invoice.")
        return status
    text = (
        "SELECT body FROM ApInvoiceStatus WHERE company = ? AND json_extract(body, '$.ApStateId') = 'Paid' "
        "ORDER BY id LIMIT 1"
    )
    for status in context.store.select(text, [context.company.id]):
        return status
    raise required("VendorInvoiceStatusId")


def _change(context: RequestContext, order: Record, cost: Record, kind: str, arguments: Arguments) -> Record:
    """Keep the cost record and log it; what changes nothing is not counted (facts 3.7)."""
    if cost != context.get("WorkOrderCost", order["Id"]):
        context.replace(schemas()["WorkOrderCost"], cost)
        log_action(context, order, kind, arguments)
    return {"Financial": default_read(context, "WorkOrderCost", cost)}
