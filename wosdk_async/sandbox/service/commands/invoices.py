"""Customer invoices and payments (facts 5): what their commands do follows their names (assumed)."""

from __future__ import annotations

from wosdk_async.sandbox.errors import broken_rule, required
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import enumeration, schemas
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.query.selection import default_read

__all__ = ["dispute_invoice", "post_payment", "recall_invoice", "update_invoice_state"]

# The action that leads to a state, where CiActionType names one.
_ACTIONS = {"Posted": "Posted", "Paid": "Paid", "PaidInFull": "Paid", "Approved": "Approved"}


@command("UpdateInvoiceStateCommand")
def update_invoice_state(context: RequestContext, arguments: Arguments) -> Record:
    """Move an invoice to a state and log it.

    Raises:
        Refusal: no action leads to the state; a missing one is read as 0 (facts 5).
    """
    state = arguments.get("State", "Draft")
    action = _ACTIONS.get(state)
    if action is None:
        number = enumeration("CiInvoiceState").numbers[state]
        raise broken_rule(f"No action associated with {number} invoice state.\r\nParameter name: state")
    invoice = _invoice(context, arguments)
    if invoice["State"] != state:
        invoice["State"] = state
        if state == "Posted":
            invoice["DtPosted"] = _moment(context, arguments)
        _keep(context, invoice, action, arguments)
    return {"Invoice": default_read(context, "Invoice", invoice)}


@command("InvoiceDisputeCommand")
def dispute_invoice(context: RequestContext, arguments: Arguments) -> Record:
    return _draft_step(context, arguments, "Disputed")


@command("InvoiceRecallCommand")
def recall_invoice(context: RequestContext, arguments: Arguments) -> Record:
    return _draft_step(context, arguments, "Recalled")


@command("PostPaymentCommand")
def post_payment(context: RequestContext, arguments: Arguments) -> Record:
    """Post a draft payment.

    Raises:
        Refusal: there is no such payment, or it is no draft.
    """
    key = arguments.get("PaymentId", 0)
    if not key:
        raise required("PaymentId")
    payment = needed(context.find("Payment", key), "Payment", key)
    if payment["State"] != "Draft":
        raise broken_rule(f"Payment {key} is {payment['State']}, not Draft.")
    payment |= {"State": "Posted", "DtPosted": _moment(context, arguments)}
    context.replace(schemas()["Payment"], payment)
    return {}


def _draft_step(context: RequestContext, arguments: Arguments, step: str) -> Record:
    """Set ``DraftProcessStepId``, whose values have the names of these commands."""
    invoice = _invoice(context, arguments)
    if invoice["DraftProcessStepId"] != step:
        invoice["DraftProcessStepId"] = step
        _keep(context, invoice, step, arguments)
    return {}


def _invoice(context: RequestContext, arguments: Arguments) -> Record:
    key = arguments.get("InvoiceId", 0)
    if not key:
        raise required("InvoiceId")
    return needed(context.find("Invoice", key), "Invoice", key)


def _keep(context: RequestContext, invoice: Record, action: str, arguments: Arguments) -> None:
    context.replace(schemas()["Invoice"], invoice)
    shape = schemas()["InvoiceLog"]
    entry = {
        **shape.blank,
        "Invoice": {"Id": invoice["Id"]},
        "Actor": context.account,
        "Idx": context.next_number(f"InvoiceLog of {invoice['Id']}") - 1,
        "ActionTypeId": action,
        "DtStamp": context.now.local(context.zone),
        "DtActual": _moment(context, arguments),
        "Comments": arguments.get("Comment", ""),
    }
    context.insert(shape, entry)


def _moment(context: RequestContext, arguments: Arguments) -> str:
    return str(arguments.get("Timestamp", context.now.local(context.zone)))
