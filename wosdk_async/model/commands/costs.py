"""Commands and their results: costs.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Command, CommandResult
from wosdk_async.model.commands.bases import FinancialAction
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from wosdk_async.model.billing import Invoice
    from wosdk_async.model.costs import WorkOrderCost
    from wosdk_async.model.enums import CiInvoiceState, CurrencyType
    from wosdk_async.model.values import Money


@define(kw_only=True, eq=False, repr=False)
class ConvertMoneyValuesResponse(CommandResult):
    """Result of ConvertMoneyValuesCommand."""

    values: list[Money] | None = field(default=None, metadata=wire("Values", "money", "Money", many=True))
    """``Values`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class FinancialStatusChangeResponse(CommandResult):
    """Result of ApStatusChangeCommand, ApSubmitPaymentCommand and CostStatusChangeCommand."""

    financial: WorkOrderCost | None = field(default=None, metadata=wire("Financial", "ref", "WorkOrderCost"))
    """``Financial`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class UpdateInvoiceStateCommandResponse(CommandResult):
    """Result of UpdateInvoiceStateCommand."""

    invoice: Invoice | None = field(default=None, metadata=wire("Invoice", "ref", "Invoice"))
    """``Invoice`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class ApStatusChangeCommand(FinancialAction[FinancialStatusChangeResponse]):
    """Sets the vendor invoice status.

    Not safe to repeat.
    """

    path = "ApStatusChangeCommand"
    repeat = "unsafe"
    result_name = "FinancialStatusChangeResponse"

    work_order_id: int | None = field(
        default=None, metadata=wire("WorkOrderId", "integer", required=True, aliases=("WorkOrderid",))
    )
    """Work order acted on. Required."""
    vendor_invoice_status_id: int | None = field(
        default=None, metadata=wire("VendorInvoiceStatusId", "integer", required=True)
    )
    """Target payable status of the invoice. Required."""


@define(kw_only=True, eq=False, repr=False)
class ApSubmitPaymentCommand(FinancialAction[FinancialStatusChangeResponse]):
    """Records payment of the vendor invoice.

    Not safe to repeat.
    """

    path = "ApSubmitPaymentCommand"
    repeat = "unsafe"
    result_name = "FinancialStatusChangeResponse"

    vendor_invoice_status_id: int | None = field(
        default=None, metadata=wire("VendorInvoiceStatusId", "integer")
    )
    """Target payable status of the invoice."""
    payment_amount: Decimal | None = field(default=None, metadata=wire("PaymentAmount", "number"))
    """``PaymentAmount`` on the wire. Exact decimal."""
    check_number: str | None = field(default=None, metadata=wire("CheckNumber", "string"))
    """``CheckNumber`` on the wire."""
    check_cut_date: datetime | None = field(default=None, metadata=wire("CheckCutDate", "datetime-local"))
    """``CheckCutDate`` on the wire. Local time without a zone."""


@define(kw_only=True, eq=False, repr=False)
class ConvertMoneyValuesCommand(Command[ConvertMoneyValuesResponse]):
    """Converts amounts to another currency.

    Safe to repeat.
    """

    path = "ConvertMoneyValuesCommand"
    repeat = "safe"
    result_name = "ConvertMoneyValuesResponse"

    values: list[Money] | None = field(default=None, metadata=wire("Values", "money", "Money", many=True))
    """``Values`` on the wire."""
    target_currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("TargetCurrencyTypeId", "enum", "CurrencyType")
    )
    """``TargetCurrencyTypeId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class CostStatusChangeCommand(FinancialAction[FinancialStatusChangeResponse]):
    """Sets the internal cost status.

    Not safe to repeat.
    """

    path = "CostStatusChangeCommand"
    repeat = "unsafe"
    result_name = "FinancialStatusChangeResponse"

    cost_status_id: int | None = field(default=None, metadata=wire("CostStatusId", "integer"))
    """``CostStatusId`` on the wire."""
    keep_comment_intact: bool | None = field(default=None, metadata=wire("KeepCommentIntact", "boolean"))
    """``KeepCommentIntact`` on the wire."""
    current_status_id: int | None = field(default=None, metadata=wire("CurrentStatusId", "integer"))
    """``CurrentStatusId`` on the wire."""
    financial_concurrency_id: int | None = field(
        default=None, metadata=wire("FinancialConcurrencyId", "integer")
    )
    """``FinancialConcurrencyId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class InvoiceDisputeCommand(Command[CommandResult]):
    """Disputes a customer invoice.

    Not safe to repeat.
    """

    path = "InvoiceDisputeCommand"
    repeat = "unsafe"

    invoice_id: int | None = field(default=None, metadata=wire("InvoiceId", "integer"))
    """``InvoiceId`` on the wire."""
    timestamp: datetime | None = field(default=None, metadata=wire("Timestamp", "datetime-local"))
    """``Timestamp`` on the wire. Local time without a zone."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Comment stored with the action."""


@define(kw_only=True, eq=False, repr=False)
class InvoiceRecallCommand(Command[CommandResult]):
    """Recalls a customer invoice.

    Not safe to repeat.
    """

    path = "InvoiceRecallCommand"
    repeat = "unsafe"

    invoice_id: int | None = field(default=None, metadata=wire("InvoiceId", "integer"))
    """``InvoiceId`` on the wire."""
    timestamp: datetime | None = field(default=None, metadata=wire("Timestamp", "datetime-local"))
    """``Timestamp`` on the wire. Local time without a zone."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Comment stored with the action."""


@define(kw_only=True, eq=False, repr=False)
class PostPaymentCommand(Command[CommandResult]):
    """Posts a draft payment.

    Not safe to repeat.
    """

    path = "PostPaymentCommand"
    repeat = "unsafe"

    payment_id: int | None = field(default=None, metadata=wire("PaymentId", "integer"))
    """``PaymentId`` on the wire."""
    timestamp: datetime | None = field(default=None, metadata=wire("Timestamp", "datetime-local"))
    """``Timestamp`` on the wire. Local time without a zone."""


@define(kw_only=True, eq=False, repr=False)
class UpdateInvoiceStateCommand(Command[UpdateInvoiceStateCommandResponse]):
    """Sets the customer invoice state.

    Not safe to repeat.
    """

    path = "UpdateInvoiceStateCommand"
    repeat = "unsafe"
    result_name = "UpdateInvoiceStateCommandResponse"

    invoice_id: int | None = field(default=None, metadata=wire("InvoiceId", "integer"))
    """``InvoiceId`` on the wire."""
    state: CiInvoiceState | None = field(default=None, metadata=wire("State", "enum", "CiInvoiceState"))
    """Target state of the invoice."""
    timestamp: datetime | None = field(default=None, metadata=wire("Timestamp", "datetime-local"))
    """``Timestamp`` on the wire. Local time without a zone."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Comment stored with the action."""
