"""Entities: costs.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from wosdk_async.model.bases import Entity, LockedEntity, LookupEntity, RemovableEntity
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from wosdk_async.model.billing import BillingAccount, InvoiceDictionaryItem, LaborCode, TaxCode
    from wosdk_async.model.customers import Contract
    from wosdk_async.model.documents import Blob
    from wosdk_async.model.enums import (
        ActorType,
        ApState,
        BillingRule,
        BillToTypeRule,
        CostCategory,
        CostState,
        CurrencyType,
        ForecastGroup,
        QuoteStatus,
        TaxValidationStatus,
        WoCostExclusion,
        WoCostLineType,
    )
    from wosdk_async.model.inventory import Product, StockLocation
    from wosdk_async.model.people import Employee
    from wosdk_async.model.values import Money, TaxDetail


@define(kw_only=True, eq=False, repr=False)
class WorkOrderCost(LockedEntity):
    """Costs, vendor invoice and billing of a work order.

    Operations: retrieve, update, query. Not supported: create, delete. Read and update only.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    bill_to_option: BillToOption | None = field(
        default=None, metadata=wire("BillToOption", "ref", "BillToOption")
    )
    """The party billed for the work order."""
    costs_total: Money | None = field(default=None, metadata=wire("CostsTotal", "money", "Money"))
    """Sum of internal costs."""
    ap_state_id: ApState | None = field(default=None, metadata=wire("ApStateId", "enum", "ApState"))
    """Payable state derived from the invoice status."""
    ap_status_id: int | None = field(default=None, metadata=wire("ApStatusId", "integer"))
    """Id of the vendor invoice status."""
    job_code: str | None = field(default=None, metadata=wire("JobCode", "string"))
    """Job code."""
    contract: Contract | None = field(default=None, metadata=wire("Contract", "ref", "Contract"))
    """Billing contract."""
    authorization_code: str | None = field(
        default=None, metadata=wire("AuthorizationCode", "string", max_length=32, max_length_source="doc")
    )
    """Code entered when the invoice is authorized. At most 32 characters."""
    check_number: str | None = field(
        default=None, metadata=wire("CheckNumber", "string", max_length=64, max_length_source="doc")
    )
    """Check number entered when paid. At most 64 characters."""
    payment_amount: Money | None = field(default=None, metadata=wire("PaymentAmount", "money", "Money"))
    """Amount paid to the vendor."""
    payment_notes: str | None = field(default=None, metadata=wire("PaymentNotes", "string"))
    """Notes on the payment."""
    check_cut_date: datetime | None = field(default=None, metadata=wire("CheckCutDate", "datetime-local"))
    """Date of payment, no time part. Local time without a zone."""
    check_clear_date: datetime | None = field(default=None, metadata=wire("CheckClearDate", "datetime-local"))
    """Date the check cleared, no time part. Local time without a zone."""
    gl_account: str | None = field(default=None, metadata=wire("GlAccount", "string"))
    """General ledger account."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Vendor invoice number."""
    vendor_invoice_date: datetime | None = field(
        default=None, metadata=wire("VendorInvoiceDate", "datetime-local")
    )
    """Date on the vendor invoice. Local time without a zone."""
    vendor_invoice_received_date: datetime | None = field(
        default=None, metadata=wire("VendorInvoiceReceivedDate", "datetime-local")
    )
    """Date the vendor invoice arrived. Local time without a zone."""
    vendor_invoice_total: Money | None = field(
        default=None, metadata=wire("VendorInvoiceTotal", "money", "Money")
    )
    """Total of the vendor invoice."""
    is_pre_billed: bool | None = field(default=None, metadata=wire("IsPreBilled", "boolean"))
    """Pre-billed flag."""
    expenses_total: Money | None = field(default=None, metadata=wire("ExpensesTotal", "money", "Money"))
    """Costs plus vendor invoice."""
    billing_rule: BillingRule | None = field(
        default=None, metadata=wire("BillingRule", "enum", "BillingRule")
    )
    """What is billed to the customer."""
    tax_status: TaxValidationStatus | None = field(
        default=None, metadata=wire("TaxStatus", "enum", "TaxValidationStatus")
    )
    """Result of the tax check."""
    customer_nte: Money | None = field(default=None, metadata=wire("CustomerNte", "money", "Money"))
    """Not-to-exceed amount agreed with the customer."""
    items: list[FinancialItem] | None = field(
        default=None, metadata=wire("Items", "ref", "FinancialItem", many=True)
    )
    """Line items."""
    tax_validation_note: Blob | None = field(default=None, metadata=wire("TaxValidationNote", "ref", "Blob"))
    """Stored output of the tax check."""
    tax_details: list[TaxDetail] | None = field(
        default=None, metadata=wire("TaxDetails", "object", "TaxDetail", many=True)
    )
    """Taxes by jurisdiction."""
    service_fees_total: Money | None = field(
        default=None, metadata=wire("ServiceFeesTotal", "money", "Money")
    )
    """Sum of service fees."""
    cost_status_id: int | None = field(default=None, metadata=wire("CostStatusId", "integer"))
    """Id of the internal cost status."""
    cost_state: CostState | None = field(
        default=None, metadata=wire("CostState", "enum", "CostState", required=True)
    )
    """State derived from the cost status. Required on creation."""
    charge_code: ChargeCodeLookup | None = field(
        default=None, metadata=wire("ChargeCode", "ref", "ChargeCodeLookup", required=True)
    )
    """Charge-back code. Required on creation."""
    billing_account: BillingAccount | None = field(
        default=None, metadata=wire("BillingAccount", "ref", "BillingAccount")
    )
    """Billing account (customer group)."""
    external_id: str | None = field(default=None, metadata=wire("ExternalId", "string"))
    """Identifier in an external system."""
    bill_to_type: str | None = field(default=None, metadata=wire("BillToType", "string"))
    """The party billed, as a text value. In the specification only, with the value None; the public schemas
    have the record BillToOption instead, whose TypeId is a BillToTypeRule.
    """
    billing_contact: Any = field(default=None, metadata=wire("BillingContact", "object"))
    """Contact of the billing account. Listed only in the class help of release 9.15, without a type."""


@define(kw_only=True, eq=False, repr=False)
class ApInvoiceStatus(RemovableEntity):
    """Vendor invoice status.

    Operations: retrieve, query. Not supported: create, update, delete. Read only.
    """

    display_as: str | None = field(
        default=None, metadata=wire("DisplayAs", "string", max_length=80, max_length_source="doc")
    )
    """Label shown to users. At most 80 characters."""
    description: str | None = field(
        default=None, metadata=wire("Description", "string", max_length=256, max_length_source="doc")
    )
    """Longer description text. At most 256 characters."""
    forecast_group_id: ForecastGroup | None = field(
        default=None, metadata=wire("ForecastGroupId", "enum", "ForecastGroup")
    )
    """Forecast group it counts towards."""
    ap_state_id: ApState | None = field(default=None, metadata=wire("ApStateId", "enum", "ApState"))
    """Payable state the status belongs to."""
    ready_for_export: bool | None = field(default=None, metadata=wire("ReadyForExport", "boolean"))
    """Invoices with this status may be exported."""
    set_on_export: bool | None = field(default=None, metadata=wire("SetOnExport", "boolean"))
    """Status set by an export."""
    child_wo_default: bool | None = field(default=None, metadata=wire("ChildWoDefault", "boolean"))
    """``ChildWoDefault`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class BillToOption(Entity):
    """The service's ``BillToOption``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    code: str | None = field(default=None, metadata=wire("Code", "string"))
    """``Code`` on the wire."""
    type_id: BillToTypeRule | None = field(default=None, metadata=wire("TypeId", "enum", "BillToTypeRule"))
    """Kind of the record."""


@define(kw_only=True, eq=False, repr=False)
class ChargeCodeLookup(LookupEntity):
    """The service's ``ChargeCodeLookup``.

    Operations: unknown.
    """

    code: str | None = field(default=None, metadata=wire("Code", "string"))
    """``Code`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class FinancialItem(LockedEntity):
    """Line of the financial record.

    Operations: unknown.
    """

    wo_id: int | None = field(default=None, metadata=wire("WoId", "integer"))
    """Id of the owning work order."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=1024, max_length_source="doc")
    )
    """Free-text comment. At most 1024 characters."""
    amount: Money | None = field(default=None, metadata=wire("Amount", "money", "Money"))
    """Total amount."""
    cost_category_id: CostCategory | None = field(
        default=None, metadata=wire("CostCategoryId", "enum", "CostCategory")
    )
    """Cost category."""
    rate: Money | None = field(default=None, metadata=wire("Rate", "money", "Money"))
    """Rate per unit."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start of the labor. Local time without a zone."""
    duration: int | None = field(default=None, metadata=wire("Duration", "integer"))
    """Labor time in minutes."""
    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line."""
    exclude: bool | None = field(default=None, metadata=wire("Exclude", "boolean"))
    """Excluded from the customer invoice."""
    rule_modification: WoCostExclusion | None = field(
        default=None, metadata=wire("RuleModification", "enum", "WoCostExclusion")
    )
    """Rule for excluding other items."""
    product: Product | None = field(default=None, metadata=wire("Product", "ref", "Product"))
    """Product."""
    employee: Employee | None = field(default=None, metadata=wire("Employee", "ref", "Employee"))
    """Who did the labor."""
    quantity: Decimal | None = field(default=None, metadata=wire("Quantity", "number"))
    """Quantity. Exact decimal."""
    labor_code: LaborCode | None = field(default=None, metadata=wire("LaborCode", "ref", "LaborCode"))
    """Labor code."""
    type_id: WoCostLineType | None = field(default=None, metadata=wire("TypeId", "enum", "WoCostLineType"))
    """Part of the financial record."""
    tax_amount: Money | None = field(default=None, metadata=wire("TaxAmount", "money", "Money"))
    """``TaxAmount`` on the wire."""
    withholding_tax_rate: Decimal | None = field(default=None, metadata=wire("WithholdingTaxRate", "number"))
    """``WithholdingTaxRate`` on the wire. Exact decimal."""
    withholding_tax_rate_undefined: bool | None = field(
        default=None, metadata=wire("WithholdingTaxRateUndefined", "boolean")
    )
    """``WithholdingTaxRateUndefined`` on the wire."""
    stock_location: StockLocation | None = field(
        default=None, metadata=wire("StockLocation", "ref", "StockLocation")
    )
    """``StockLocation`` on the wire."""
    tax_code_reference: TaxCode | None = field(
        default=None, metadata=wire("TaxCodeReference", "ref", "TaxCode")
    )
    """Tax code record applied."""
    non_billable: bool | None = field(default=None, metadata=wire("NonBillable", "boolean"))
    """Not billed."""
    merchant_name: str | None = field(default=None, metadata=wire("MerchantName", "string"))
    """Merchant of a purchase."""
    check_for_non_billable: bool | None = field(default=None, metadata=wire("CheckForNonBillable", "boolean"))
    """``CheckForNonBillable`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class InternalCostStatus(Entity):
    """The service's ``InternalCostStatus``.

    Operations: unknown.
    """

    name: str | None = field(default=None, metadata=wire("Name", "string"))
    """Name."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    forecast_group_id: ForecastGroup | None = field(
        default=None, metadata=wire("ForecastGroupId", "enum", "ForecastGroup")
    )
    """Forecast group it counts towards."""
    internal_cost_state_id: CostState | None = field(
        default=None, metadata=wire("InternalCostStateId", "enum", "CostState")
    )
    """``InternalCostStateId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class QuoteOrEstimateItem(LockedEntity):
    """The service's ``QuoteOrEstimateItem``.

    Operations: unknown.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent record."""
    parent_type_id: ActorType | None = field(default=None, metadata=wire("ParentTypeId", "enum", "ActorType"))
    """``ParentTypeId`` on the wire."""
    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    quantity: Decimal | None = field(default=None, metadata=wire("Quantity", "number"))
    """Quantity. Exact decimal."""
    rate: Money | None = field(default=None, metadata=wire("Rate", "money", "Money"))
    """Rate per unit."""
    amount: Money | None = field(default=None, metadata=wire("Amount", "money", "Money"))
    """Total amount."""
    is_flagged: bool | None = field(default=None, metadata=wire("IsFlagged", "boolean"))
    """``IsFlagged`` on the wire."""
    tax_code: TaxCode | None = field(default=None, metadata=wire("TaxCode", "ref", "TaxCode"))
    """Tax code applied."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""


@define(kw_only=True, eq=False, repr=False)
class WoEstimate(LockedEntity):
    """Estimate approved by the customer.

    Operations: create, retrieve, update, delete, query.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer", required=True))
    """Id of the owning work order. Required on creation."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    amount: Money | None = field(default=None, metadata=wire("Amount", "money", "Money"))
    """Total amount."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=2048, max_length_source="doc")
    )
    """Free-text comment. At most 2048 characters."""
    status_id: QuoteStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "QuoteStatus", required=True)
    )
    """State of the estimate. Required on creation."""
    reason: str | None = field(
        default=None, metadata=wire("Reason", "string", max_length=256, max_length_source="doc")
    )
    """Reason for the rejection. At most 256 characters."""
    contact_id: int | None = field(default=None, metadata=wire("ContactId", "integer"))
    """Id of the contact."""
    contact_name: str | None = field(
        default=None, metadata=wire("ContactName", "string", max_length=256, max_length_source="doc")
    )
    """``ContactName`` on the wire. At most 256 characters."""
    is_multiline: bool | None = field(default=None, metadata=wire("IsMultiline", "boolean"))
    """True when it has several lines."""
    items: list[QuoteOrEstimateItem] | None = field(
        default=None, metadata=wire("Items", "ref", "QuoteOrEstimateItem", many=True)
    )
    """Line items."""


@define(kw_only=True, eq=False, repr=False)
class WoQuote(LockedEntity):
    """Price quoted by the provider.

    Operations: unknown.
    """

    wo_id: int | None = field(default=None, metadata=wire("WoId", "integer"))
    """Id of the owning work order."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    amount: Money | None = field(default=None, metadata=wire("Amount", "money", "Money"))
    """Total amount."""
    description: str | None = field(
        default=None, metadata=wire("Description", "string", max_length=3072, max_length_source="doc")
    )
    """Longer description text. At most 3072 characters."""
    reason: str | None = field(
        default=None, metadata=wire("Reason", "string", max_length=256, max_length_source="doc")
    )
    """Reason for the rejection. At most 256 characters."""
    status_id: QuoteStatus | None = field(default=None, metadata=wire("StatusId", "enum", "QuoteStatus"))
    """State of the quote."""
    is_multiline: bool | None = field(default=None, metadata=wire("IsMultiline", "boolean"))
    """True when it has several lines."""
    items: list[QuoteOrEstimateItem] | None = field(
        default=None, metadata=wire("Items", "ref", "QuoteOrEstimateItem", many=True)
    )
    """Line items."""
