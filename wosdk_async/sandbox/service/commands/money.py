"""Money commands: work order costs (spec 4.5, facts 5), invoices, payments and amounts.

Commands on a cost record do not change the order's version, because each record has its own (facts 3.7). Not
shown; assumed: these commands log APInvStatus or CostStatus, which facts 8 and WOActionType list; invoice and
payment commands do what their names say.
"""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule, modified, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import enumeration, schemas
from wosdk_async.sandbox.schema.values import UNREADABLE, read_value
from wosdk_async.sandbox.service.commands.orders import find_order, log_action
from wosdk_async.sandbox.service.context import Arguments, RequestContext, named_record, not_modelled
from wosdk_async.sandbox.service.query.selection import show_default

# Invoice state -> action that leads to this state, if CiActionType has one.
_INVOICE_ACTIONS = {"Posted": "Posted", "Paid": "Paid", "PaidInFull": "Paid", "Approved": "Approved"}


def change_ap_status(context: RequestContext, arguments: Arguments) -> Record:
    """Set the vendor invoice status, and the cost's state, from an ApInvoiceStatus record."""
    order, cost = _find_cost(context, arguments, "ApStatusId")
    status = named_record(context, arguments, "VendorInvoiceStatusId", "ApInvoiceStatus")
    changes = {"ApStatusId": status["Id"], "ApStateId": status["ApStateId"]}
    return _save_cost(context, order, cost | changes, "APInvStatus", arguments)


def change_cost_status(context: RequestContext, arguments: Arguments) -> Record:
    """Set the internal cost status, and the cost's state, from an InternalCostStatus record (facts 5)."""
    order, cost = _find_cost(context, arguments, "CostStatusId")
    status = named_record(context, arguments, "CostStatusId", "InternalCostStatus")
    changes = {"CostStatusId": status["Id"], "CostState": status["InternalCostStateId"]}
    return _save_cost(context, order, cost | changes, "CostStatus", arguments)


def submit_payment(context: RequestContext, arguments: Arguments) -> Record:
    """Pay the vendor invoice: set its state to Paid, and keep amounts that are not sent (facts 5)."""
    order, cost = _find_cost(context, arguments, "ApStatusId")
    status = _paid_status(context, arguments)
    changed = cost | {"ApStatusId": status["Id"], "ApStateId": "Paid"}
    if "PaymentAmount" in arguments:
        amount = {"CurrencyTypeId": cost["CurrencyTypeId"], "Value": arguments["PaymentAmount"]}
        changed["PaymentAmount"] = amount
    changed |= {name: arguments[name] for name in ("CheckNumber", "CheckCutDate") if name in arguments}
    return _save_cost(context, order, changed, "APInvStatus", arguments)


def _find_cost(context: RequestContext, arguments: Arguments, status_field: str) -> tuple[Record, Record]:
    """Return the order and its cost record, if both are in the expected state (facts 3.7)."""
    order = find_order(context, arguments)
    cost = context.get("WorkOrderCost", order["Id"])
    expected = (arguments.get("CurrentStatusId", 0), arguments.get("FinancialConcurrencyId", 0))
    if expected[0] not in (0, cost[status_field]) or expected[1] not in (0, cost["ConcurrencyId"]):
        raise modified()
    return order, cost


def _paid_status(context: RequestContext, arguments: Arguments) -> Record:
    """Return the payment status: the one named, else the first with state Paid. Not shown; assumed."""
    if arguments.get("VendorInvoiceStatusId", 0):
        status = named_record(context, arguments, "VendorInvoiceStatusId", "ApInvoiceStatus")
        if status["ApStateId"] != "Paid":  # not shown; assumed
            raise broken_rule(f"Status {status['Id']} is not a paid invoice status.")
        return status
    first = context.first("ApInvoiceStatus", "json_extract(body, '$.ApStateId') = 'Paid'")
    if first is None:
        raise required("VendorInvoiceStatusId")
    return first


def _save_cost(
    context: RequestContext, order: Record, cost: Record, kind: str, arguments: Arguments
) -> Record:
    """Save the cost record and log the change, if any (facts 3.7)."""
    if cost != context.get("WorkOrderCost", order["Id"]):
        context.replace(schemas()["WorkOrderCost"], cost)
        log_action(context, order, kind, arguments)
    return {"Financial": show_default(context, "WorkOrderCost", cost)}


def update_invoice_state(context: RequestContext, arguments: Arguments) -> Record:
    """Set an invoice's state and log the change; a missing state is read as 0, Draft (facts 5)."""
    state = arguments.get("State", "Draft")
    action = _INVOICE_ACTIONS.get(state)
    if action is None:
        number = enumeration("CiInvoiceState").numbers[state]
        raise broken_rule(f"No action associated with {number} invoice state.\r\nParameter name: state")
    invoice = _find_invoice(context, arguments)
    if invoice["State"] != state:
        invoice["State"] = state
        if state == "Posted":
            invoice["DtPosted"] = _moment(context, arguments)
        _save_invoice(context, invoice, action, arguments)
    return {"Invoice": show_default(context, "Invoice", invoice)}


def set_draft_step(step: str, context: RequestContext, arguments: Arguments) -> Record:
    """Set an invoice's ``DraftProcessStepId`` to ``step``, such as Disputed."""
    invoice = _find_invoice(context, arguments)
    if invoice["DraftProcessStepId"] != step:
        invoice["DraftProcessStepId"] = step
        _save_invoice(context, invoice, step, arguments)
    return {}


def post_payment(context: RequestContext, arguments: Arguments) -> Record:
    """Post a draft payment."""
    payment = named_record(context, arguments, "PaymentId", "Payment", "Payment")
    if payment["State"] != "Draft":
        raise broken_rule(f"Payment {payment['Id']} is {payment['State']}, not Draft.")
    payment |= {"State": "Posted", "DtPosted": _moment(context, arguments)}
    context.replace(schemas()["Payment"], payment)
    return {}


def _find_invoice(context: RequestContext, arguments: Arguments) -> Record:
    return named_record(context, arguments, "InvoiceId", "Invoice", "Invoice")


def _save_invoice(context: RequestContext, invoice: Record, action: str, arguments: Arguments) -> None:
    context.replace(schemas()["Invoice"], invoice)
    schema = schemas()["InvoiceLog"]
    entry = {
        **schema.blank,
        "Invoice": {"Id": invoice["Id"]},
        "Actor": context.account,
        "Idx": context.next_number(f"InvoiceLog of {invoice['Id']}") - 1,
        "ActionTypeId": action,
        "DtStamp": context.now.local(context.zone),
        "DtActual": _moment(context, arguments),
        "Comments": arguments.get("Comment", ""),
    }
    context.insert(schema, entry)


def _moment(context: RequestContext, arguments: Arguments) -> str:
    return str(arguments.get("Timestamp", context.now.local(context.zone)))


def convert_money(_context: RequestContext, arguments: Arguments) -> Record:
    """Return amounts in the requested currency; refuse others, because there are no exchange rates."""
    target, sent = arguments.get("TargetCurrencyTypeId", "Unknown"), arguments.get("Values")
    field = schemas()["WorkOrder"].by_name["vendornte"]
    amounts = [read_value(field, value) for value in sent] if isinstance(sent, list) else []
    known = [amount for amount in amounts if amount is not UNREADABLE]
    if any(amount["CurrencyTypeId"] != target for amount in known):
        raise not_modelled("ConvertMoneyValuesCommand", "it has no exchange rates")
    return {"Values": known}
