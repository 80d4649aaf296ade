"""Customer invoices and payments (facts 5): what their commands do follows their names (assumed)."""

from __future__ import annotations

from wosdk_async.sandbox.http.context import Desk
from wosdk_async.sandbox.http.errors import broken_rule, required
from wosdk_async.sandbox.service.commands.registry import Arguments, command, needed
from wosdk_async.sandbox.service.entity_schema import enumeration, shapes
from wosdk_async.sandbox.service.query.expressions import Row
from wosdk_async.sandbox.service.query.selection import shown

__all__ = ["dispute_invoice", "post_payment", "recall_invoice", "update_invoice_state"]

# The action that leads to a state, where CiActionType names one.
_ACTIONS = {"Posted": "Posted", "Paid": "Paid", "PaidInFull": "Paid", "Approved": "Approved"}


@command("UpdateInvoiceStateCommand")
def update_invoice_state(desk: Desk, arguments: Arguments) -> Row:
    """Move an invoice to a state and log it.

    Raises:
        Refusal: no action leads to the state; a missing one is read as 0 (facts 5).
    """
    state = arguments.get("State", "Draft")
    action = _ACTIONS.get(state)
    if action is None:
        number = enumeration("CiInvoiceState").numbers[state]
        raise broken_rule(f"No action associated with {number} invoice state.\r\nParameter name: state")
    invoice = _invoice(desk, arguments)
    if invoice["State"] != state:
        invoice["State"] = state
        if state == "Posted":
            invoice["DtPosted"] = _moment(desk, arguments)
        _keep(desk, invoice, action, arguments)
    return {"Invoice": shown(desk, "Invoice", invoice)}


@command("InvoiceDisputeCommand")
def dispute_invoice(desk: Desk, arguments: Arguments) -> Row:
    return _draft_step(desk, arguments, "Disputed")


@command("InvoiceRecallCommand")
def recall_invoice(desk: Desk, arguments: Arguments) -> Row:
    return _draft_step(desk, arguments, "Recalled")


@command("PostPaymentCommand")
def post_payment(desk: Desk, arguments: Arguments) -> Row:
    """Post a draft payment.

    Raises:
        Refusal: there is no such payment, or it is no draft.
    """
    key = arguments.get("PaymentId", 0)
    if not key:
        raise required("PaymentId")
    payment = needed(desk.find("Payment", key), "Payment", key)
    if payment["State"] != "Draft":
        raise broken_rule(f"Payment {key} is {payment['State']}, not Draft.")
    payment |= {"State": "Posted", "DtPosted": _moment(desk, arguments)}
    desk.replace(shapes()["Payment"], payment)
    return {}


def _draft_step(desk: Desk, arguments: Arguments, step: str) -> Row:
    """Set ``DraftProcessStepId``, whose values have the names of these commands."""
    invoice = _invoice(desk, arguments)
    if invoice["DraftProcessStepId"] != step:
        invoice["DraftProcessStepId"] = step
        _keep(desk, invoice, step, arguments)
    return {}


def _invoice(desk: Desk, arguments: Arguments) -> Row:
    key = arguments.get("InvoiceId", 0)
    if not key:
        raise required("InvoiceId")
    return needed(desk.find("Invoice", key), "Invoice", key)


def _keep(desk: Desk, invoice: Row, action: str, arguments: Arguments) -> None:
    desk.replace(shapes()["Invoice"], invoice)
    shape = shapes()["InvoiceLog"]
    entry = {
        **shape.blank,
        "Invoice": {"Id": invoice["Id"]},
        "Actor": desk.account,
        "Idx": desk.next_number(f"InvoiceLog of {invoice['Id']}") - 1,
        "ActionTypeId": action,
        "DtStamp": desk.now.local(desk.zone),
        "DtActual": _moment(desk, arguments),
        "Comments": arguments.get("Comment", ""),
    }
    desk.insert(shape, entry)


def _moment(desk: Desk, arguments: Arguments) -> str:
    return str(arguments.get("Timestamp", desk.now.local(desk.zone)))
