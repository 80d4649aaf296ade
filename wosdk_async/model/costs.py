"""Entities: costs.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import Entity, LockedEntity, LookupEntity, RemovableEntity

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

    Operations: retrieve, update, query. Not create, delete. Read and update only.

    Sources: spec, wsdl, peer, doc.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: spec, wsdl, peer."""
    bill_to_option: BillToOption | None = field(
        default=None, metadata=wire("BillToOption", "ref", "BillToOption")
    )
    """Who is billed for the work order. Sources: wsdl, peer."""
    costs_total: Money | None = field(default=None, metadata=wire("CostsTotal", "money", "Money"))
    """Sum of internal costs. Sources: spec, wsdl, peer."""
    ap_state_id: ApState | None = field(default=None, metadata=wire("ApStateId", "enum", "ApState"))
    """Payable state derived from the invoice status. Sources: spec, wsdl, peer."""
    ap_status_id: int | None = field(default=None, metadata=wire("ApStatusId", "integer"))
    """Id of the vendor invoice status. Sources: spec, wsdl, peer."""
    job_code: str | None = field(default=None, metadata=wire("JobCode", "string"))
    """Job code. Sources: spec, wsdl, peer."""
    contract: Contract | None = field(default=None, metadata=wire("Contract", "ref", "Contract"))
    """Billing contract. Sources: wsdl, peer."""
    authorization_code: str | None = field(
        default=None, metadata=wire("AuthorizationCode", "string", max_length=32, max_length_source="doc")
    )
    """Code entered when the invoice is authorized. At most 32 characters. Sources: spec, wsdl, peer, doc."""
    check_number: str | None = field(
        default=None, metadata=wire("CheckNumber", "string", max_length=64, max_length_source="doc")
    )
    """Check number entered when paid. At most 64 characters. Sources: spec, wsdl, peer, doc."""
    payment_amount: Money | None = field(default=None, metadata=wire("PaymentAmount", "money", "Money"))
    """Amount paid to the vendor. Sources: spec, wsdl, peer."""
    payment_notes: str | None = field(default=None, metadata=wire("PaymentNotes", "string"))
    """Notes on the payment. Sources: spec, wsdl, peer."""
    check_cut_date: datetime | None = field(default=None, metadata=wire("CheckCutDate", "datetime-local"))
    """Date of payment, no time part. ISO 8601 local time, no zone. Date only. Sources: wsdl, peer, doc."""
    check_clear_date: datetime | None = field(default=None, metadata=wire("CheckClearDate", "datetime-local"))
    """Date the check cleared, no time part. ISO 8601 local time, no zone. Date only. Sources: wsdl, peer,
    doc.
    """
    gl_account: str | None = field(default=None, metadata=wire("GlAccount", "string"))
    """General ledger account. Sources: spec, wsdl, peer."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Vendor invoice number. Sources: spec, wsdl, peer."""
    vendor_invoice_date: datetime | None = field(
        default=None, metadata=wire("VendorInvoiceDate", "datetime-local")
    )
    """Date on the vendor invoice. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    vendor_invoice_received_date: datetime | None = field(
        default=None, metadata=wire("VendorInvoiceReceivedDate", "datetime-local")
    )
    """Date the vendor invoice arrived. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    vendor_invoice_total: Money | None = field(
        default=None, metadata=wire("VendorInvoiceTotal", "money", "Money")
    )
    """Total of the vendor invoice. Sources: spec, wsdl, peer."""
    is_pre_billed: bool | None = field(default=None, metadata=wire("IsPreBilled", "boolean"))
    """Pre-billed flag. Sources: spec, wsdl, peer."""
    expenses_total: Money | None = field(default=None, metadata=wire("ExpensesTotal", "money", "Money"))
    """Costs plus vendor invoice. Sources: spec, wsdl, peer."""
    billing_rule: BillingRule | None = field(
        default=None, metadata=wire("BillingRule", "enum", "BillingRule")
    )
    """What is billed to the customer. Sources: spec, wsdl, peer."""
    tax_status: TaxValidationStatus | None = field(
        default=None, metadata=wire("TaxStatus", "enum", "TaxValidationStatus")
    )
    """Result of the tax check. Sources: spec, wsdl, peer."""
    customer_nte: Money | None = field(default=None, metadata=wire("CustomerNte", "money", "Money"))
    """Not-to-exceed amount agreed with the customer. Sources: spec, wsdl, peer."""
    items: list[FinancialItem] | None = field(
        default=None, metadata=wire("Items", "ref", "FinancialItem", many=True)
    )
    """Line items. Sources: spec, wsdl, peer."""
    tax_validation_note: Blob | None = field(default=None, metadata=wire("TaxValidationNote", "ref", "Blob"))
    """Stored output of the tax check. Sources: wsdl, peer."""
    tax_details: list[TaxDetail] | None = field(
        default=None, metadata=wire("TaxDetails", "object", "TaxDetail", many=True)
    )
    """Taxes by jurisdiction. Sources: wsdl, peer."""
    service_fees_total: Money | None = field(
        default=None, metadata=wire("ServiceFeesTotal", "money", "Money")
    )
    """Sum of service fees. Sources: spec, wsdl, peer."""
    cost_status_id: int | None = field(default=None, metadata=wire("CostStatusId", "integer"))
    """Id of the internal cost status. Sources: spec, wsdl, peer."""
    cost_state: CostState | None = field(
        default=None, metadata=wire("CostState", "enum", "CostState", required=True)
    )
    """State derived from the cost status. Required on creation. Sources: spec, wsdl, peer, doc."""
    charge_code: ChargeCodeLookup | None = field(
        default=None, metadata=wire("ChargeCode", "ref", "ChargeCodeLookup", required=True)
    )
    """Charge-back code. Required on creation. Sources: wsdl, peer, doc."""
    billing_account: BillingAccount | None = field(
        default=None, metadata=wire("BillingAccount", "ref", "BillingAccount")
    )
    """Billing account (customer group). Sources: wsdl, peer."""
    external_id: str | None = field(default=None, metadata=wire("ExternalId", "string"))
    """Identifier in an outside system. Sources: spec, wsdl, peer."""
    bill_to_type: str | None = field(default=None, metadata=wire("BillToType", "string"))
    """Who is billed, as a text value. Specification only; not in the public schemas; public schemas hold
    BillToOption (record with TypeId of BillToTypeRule, value None) instead. Source: spec.
    """
    billing_contact: Any = field(default=None, metadata=wire("BillingContact", "object"))
    """Contact of the billing account. Listed by the class help of release 9.15 only; type not given. Source:
    doc.
    """


@define(kw_only=True, eq=False, repr=False)
class ApInvoiceStatus(RemovableEntity):
    """Vendor invoice status.

    Operations: retrieve, query. Not create, update, delete. Read only.

    Sources: wsdl, peer, doc.
    """

    display_as: str | None = field(
        default=None, metadata=wire("DisplayAs", "string", max_length=80, max_length_source="doc")
    )
    """Label shown to users. At most 80 characters. Sources: wsdl, peer, doc."""
    description: str | None = field(
        default=None, metadata=wire("Description", "string", max_length=256, max_length_source="doc")
    )
    """Longer description text. At most 256 characters. Sources: wsdl, peer, doc."""
    forecast_group_id: ForecastGroup | None = field(
        default=None, metadata=wire("ForecastGroupId", "enum", "ForecastGroup")
    )
    """Forecast group it counts towards. Sources: wsdl, peer."""
    ap_state_id: ApState | None = field(default=None, metadata=wire("ApStateId", "enum", "ApState"))
    """Payable state the status belongs to. Sources: wsdl, peer."""
    ready_for_export: bool | None = field(default=None, metadata=wire("ReadyForExport", "boolean"))
    """Invoices in it may be exported. Sources: wsdl, peer."""
    set_on_export: bool | None = field(default=None, metadata=wire("SetOnExport", "boolean"))
    """Status set by an export. Sources: wsdl, peer."""
    child_wo_default: bool | None = field(default=None, metadata=wire("ChildWoDefault", "boolean"))
    """``ChildWoDefault`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class BillToOption(Entity):
    """``BillToOption`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    code: str | None = field(default=None, metadata=wire("Code", "string"))
    """``Code`` on the wire. Sources: wsdl, peer."""
    type_id: BillToTypeRule | None = field(default=None, metadata=wire("TypeId", "enum", "BillToTypeRule"))
    """Kind of the record. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ChargeCodeLookup(LookupEntity):
    """``ChargeCodeLookup`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    code: str | None = field(default=None, metadata=wire("Code", "string"))
    """``Code`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class FinancialItem(LockedEntity):
    """Line of the financial record.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer, doc.
    """

    wo_id: int | None = field(default=None, metadata=wire("WoId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=1024, max_length_source="doc")
    )
    """Free-text comment. At most 1024 characters. Sources: wsdl, peer, doc."""
    amount: Money | None = field(default=None, metadata=wire("Amount", "money", "Money"))
    """Total amount. Sources: wsdl, peer."""
    cost_category_id: CostCategory | None = field(
        default=None, metadata=wire("CostCategoryId", "enum", "CostCategory")
    )
    """Cost category. Sources: wsdl, peer."""
    rate: Money | None = field(default=None, metadata=wire("Rate", "money", "Money"))
    """Rate per unit. Sources: wsdl, peer."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start of the labor. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    duration: int | None = field(default=None, metadata=wire("Duration", "integer"))
    """Labor time in minutes. Sources: wsdl, peer."""
    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line. Sources: wsdl, peer."""
    exclude: bool | None = field(default=None, metadata=wire("Exclude", "boolean"))
    """Left out of the customer invoice. Sources: wsdl, peer."""
    rule_modification: WoCostExclusion | None = field(
        default=None, metadata=wire("RuleModification", "enum", "WoCostExclusion")
    )
    """Rule for leaving other items out. Sources: wsdl, peer."""
    product: Product | None = field(default=None, metadata=wire("Product", "ref", "Product"))
    """Product. Sources: wsdl, peer."""
    employee: Employee | None = field(default=None, metadata=wire("Employee", "ref", "Employee"))
    """Who did the labor. Sources: wsdl, peer."""
    quantity: Decimal | None = field(default=None, metadata=wire("Quantity", "number"))
    """Quantity. Exact decimal. Sources: wsdl, peer."""
    labor_code: LaborCode | None = field(default=None, metadata=wire("LaborCode", "ref", "LaborCode"))
    """Labor code. Sources: wsdl, peer."""
    type_id: WoCostLineType | None = field(default=None, metadata=wire("TypeId", "enum", "WoCostLineType"))
    """Which part of the financial record it is. Sources: wsdl, peer."""
    tax_amount: Money | None = field(default=None, metadata=wire("TaxAmount", "money", "Money"))
    """``TaxAmount`` on the wire. Sources: wsdl, peer."""
    withholding_tax_rate: Decimal | None = field(default=None, metadata=wire("WithholdingTaxRate", "number"))
    """``WithholdingTaxRate`` on the wire. Exact decimal. Sources: wsdl, peer."""
    withholding_tax_rate_undefined: bool | None = field(
        default=None, metadata=wire("WithholdingTaxRateUndefined", "boolean")
    )
    """``WithholdingTaxRateUndefined`` on the wire. Sources: wsdl, peer."""
    stock_location: StockLocation | None = field(
        default=None, metadata=wire("StockLocation", "ref", "StockLocation")
    )
    """``StockLocation`` on the wire. Sources: wsdl, peer."""
    tax_code_reference: TaxCode | None = field(
        default=None, metadata=wire("TaxCodeReference", "ref", "TaxCode")
    )
    """Tax code record applied. Sources: wsdl, peer."""
    non_billable: bool | None = field(default=None, metadata=wire("NonBillable", "boolean"))
    """Not billed. Sources: wsdl, peer."""
    merchant_name: str | None = field(default=None, metadata=wire("MerchantName", "string"))
    """Merchant of a purchase. Sources: wsdl, peer."""
    check_for_non_billable: bool | None = field(default=None, metadata=wire("CheckForNonBillable", "boolean"))
    """``CheckForNonBillable`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class InternalCostStatus(Entity):
    """``InternalCostStatus`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    name: str | None = field(default=None, metadata=wire("Name", "string"))
    """Name. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    forecast_group_id: ForecastGroup | None = field(
        default=None, metadata=wire("ForecastGroupId", "enum", "ForecastGroup")
    )
    """Forecast group it counts towards. Sources: wsdl, peer."""
    internal_cost_state_id: CostState | None = field(
        default=None, metadata=wire("InternalCostStateId", "enum", "CostState")
    )
    """``InternalCostStateId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class QuoteOrEstimateItem(LockedEntity):
    """``QuoteOrEstimateItem`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent record. Sources: wsdl, peer."""
    parent_type_id: ActorType | None = field(default=None, metadata=wire("ParentTypeId", "enum", "ActorType"))
    """``ParentTypeId`` on the wire. Sources: wsdl, peer."""
    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    quantity: Decimal | None = field(default=None, metadata=wire("Quantity", "number"))
    """Quantity. Exact decimal. Sources: wsdl, peer."""
    rate: Money | None = field(default=None, metadata=wire("Rate", "money", "Money"))
    """Rate per unit. Sources: wsdl, peer."""
    amount: Money | None = field(default=None, metadata=wire("Amount", "money", "Money"))
    """Total amount. Sources: wsdl, peer."""
    is_flagged: bool | None = field(default=None, metadata=wire("IsFlagged", "boolean"))
    """``IsFlagged`` on the wire. Sources: wsdl, peer."""
    tax_code: TaxCode | None = field(default=None, metadata=wire("TaxCode", "ref", "TaxCode"))
    """Tax code applied. Sources: wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoEstimate(LockedEntity):
    """Estimate approved by the customer.

    Operations: create, retrieve, update, delete, query.

    Sources: wsdl, peer, doc.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer", required=True))
    """Id of the owning work order. Required on creation. Sources: wsdl, peer, doc."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    amount: Money | None = field(default=None, metadata=wire("Amount", "money", "Money"))
    """Total amount. Sources: wsdl, peer."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=2048, max_length_source="doc")
    )
    """Free-text comment. At most 2048 characters. Sources: wsdl, peer, doc."""
    status_id: QuoteStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "QuoteStatus", required=True)
    )
    """State of the estimate. Required on creation. Sources: wsdl, peer, doc."""
    reason: str | None = field(
        default=None, metadata=wire("Reason", "string", max_length=256, max_length_source="doc")
    )
    """Answer given on rejection. At most 256 characters. Sources: wsdl, peer, doc."""
    contact_id: int | None = field(default=None, metadata=wire("ContactId", "integer"))
    """Id of the contact. Sources: wsdl, peer."""
    contact_name: str | None = field(
        default=None, metadata=wire("ContactName", "string", max_length=256, max_length_source="doc")
    )
    """``ContactName`` on the wire. At most 256 characters. Sources: wsdl, peer, doc."""
    is_multiline: bool | None = field(default=None, metadata=wire("IsMultiline", "boolean"))
    """True when it has several lines. Sources: wsdl, peer."""
    items: list[QuoteOrEstimateItem] | None = field(
        default=None, metadata=wire("Items", "ref", "QuoteOrEstimateItem", many=True)
    )
    """Line items. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoQuote(LockedEntity):
    """Price asked by the provider.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer, doc.
    """

    wo_id: int | None = field(default=None, metadata=wire("WoId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    amount: Money | None = field(default=None, metadata=wire("Amount", "money", "Money"))
    """Total amount. Sources: wsdl, peer."""
    description: str | None = field(
        default=None, metadata=wire("Description", "string", max_length=3072, max_length_source="doc")
    )
    """Longer description text. At most 3072 characters. Sources: wsdl, peer, doc."""
    reason: str | None = field(
        default=None, metadata=wire("Reason", "string", max_length=256, max_length_source="doc")
    )
    """Why it was rejected. At most 256 characters. Sources: wsdl, peer, doc."""
    status_id: QuoteStatus | None = field(default=None, metadata=wire("StatusId", "enum", "QuoteStatus"))
    """State of the quote. Sources: wsdl, peer."""
    is_multiline: bool | None = field(default=None, metadata=wire("IsMultiline", "boolean"))
    """True when it has several lines. Sources: wsdl, peer."""
    items: list[QuoteOrEstimateItem] | None = field(
        default=None, metadata=wire("Items", "ref", "QuoteOrEstimateItem", many=True)
    )
    """Line items. Sources: wsdl, peer."""
