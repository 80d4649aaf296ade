"""Entities: billing.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import (
    Entity,
    LockedEntity,
    LockedSimpleLookupEntity,
    LookupEntity,
    RemovableEntity,
)
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from wosdk_async.model.assets import Location
    from wosdk_async.model.contact_details import Address2
    from wosdk_async.model.custom_fields import CustomField2
    from wosdk_async.model.customers import Customer, LinkContactAndGroup, LinkCustomerAndGroup, Note
    from wosdk_async.model.enums import (
        ActorType,
        CiActionType,
        CiInvoiceState,
        CiItemType,
        CostCategory,
        CurrencyType,
        DraftProcessStep,
        LaborCodeType,
        PaymentMethod,
        PaymentState,
        PriceListType,
        RateType,
        VendorType,
    )
    from wosdk_async.model.people import Actor, LinkUserAndCustomerGroup
    from wosdk_async.model.values import Money
    from wosdk_async.model.work_orders import WorkOrder


@define(kw_only=True, eq=False, repr=False)
class BillingAccount(RemovableEntity):
    """Account billed for several customers.

    Operations: create, retrieve, update, delete, query. Older documentation calls it read-only; in recorded
    traffic, all operations work.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    cp_theme_id: int | None = field(default=None, metadata=wire("CpThemeId", "integer"))
    """Customer portal theme id."""
    is_bill_acct: bool | None = field(default=None, metadata=wire("IsBillAcct", "boolean"))
    """``IsBillAcct`` on the wire."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""
    payment_terms: str | None = field(default=None, metadata=wire("PaymentTerms", "string"))
    """``PaymentTerms`` on the wire."""
    payment_number_of_days: int | None = field(default=None, metadata=wire("PaymentNumberOfDays", "integer"))
    """``PaymentNumberOfDays`` on the wire."""
    payment_instrustions: str | None = field(default=None, metadata=wire("PaymentInstrustions", "string"))
    """``PaymentInstrustions`` on the wire."""
    is_credit_hold: bool | None = field(default=None, metadata=wire("IsCreditHold", "boolean"))
    """``IsCreditHold`` on the wire."""
    accrual_margin: int | None = field(default=None, metadata=wire("AccrualMargin", "integer"))
    """``AccrualMargin`` on the wire."""
    sales_rep: str | None = field(default=None, metadata=wire("SalesRep", "string"))
    """``SalesRep`` on the wire."""
    is_tax_exempt: bool | None = field(default=None, metadata=wire("IsTaxExempt", "boolean"))
    """``IsTaxExempt`` on the wire."""
    corp_entity: CorporateEntity | None = field(
        default=None, metadata=wire("CorpEntity", "ref", "CorporateEntity")
    )
    """``CorpEntity`` on the wire."""
    balance: Decimal | None = field(default=None, metadata=wire("Balance", "number"))
    """``Balance`` on the wire. Exact decimal."""
    pay_day_type: int | None = field(default=None, metadata=wire("PayDayType", "integer"))
    """``PayDayType`` on the wire."""
    pay_day_number: int | None = field(default=None, metadata=wire("PayDayNumber", "integer"))
    """``PayDayNumber`` on the wire."""
    is_self_select: bool | None = field(default=None, metadata=wire("IsSelfSelect", "boolean"))
    """``IsSelfSelect`` on the wire."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    users: list[LinkUserAndCustomerGroup] | None = field(
        default=None, metadata=wire("Users", "ref", "LinkUserAndCustomerGroup", many=True)
    )
    """``Users`` on the wire."""
    customers: list[LinkCustomerAndGroup] | None = field(
        default=None, metadata=wire("Customers", "ref", "LinkCustomerAndGroup", many=True)
    )
    """``Customers`` on the wire."""
    contacts: list[LinkContactAndGroup] | None = field(
        default=None, metadata=wire("Contacts", "ref", "LinkContactAndGroup", many=True)
    )
    """``Contacts`` on the wire."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address."""
    notes: list[Note] | None = field(default=None, metadata=wire("Notes", "ref", "Note", many=True))
    """Notes attached to the record."""
    synchronize_nte: bool | None = field(default=None, metadata=wire("SynchronizeNte", "boolean"))
    """``SynchronizeNte`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class CorporateEntity(LockedEntity):
    """The service's ``CorporateEntity``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""


@define(kw_only=True, eq=False, repr=False)
class GLAccount(Entity):
    """The service's ``GLAccount``.

    Operations: query. Unknown: create, retrieve, update, delete.

    Key: Id, DisplayAs.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text."""
    is_income: bool | None = field(default=None, metadata=wire("IsIncome", "boolean"))
    """``IsIncome`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class Invoice(LockedEntity):
    """Customer invoice.

    Operations: retrieve. Not supported: create, update, delete. Unknown: query. Read only; commands change
    the state.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    time_set_id: int | None = field(default=None, metadata=wire("TimeSetId", "integer"))
    """``TimeSetId`` on the wire."""
    period: TimePeriod | None = field(default=None, metadata=wire("Period", "ref", "TimePeriod"))
    """``Period`` on the wire."""
    group: BillingAccount | None = field(default=None, metadata=wire("Group", "ref", "BillingAccount"))
    """Billing account."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""
    state: CiInvoiceState | None = field(default=None, metadata=wire("State", "enum", "CiInvoiceState"))
    """State of the invoice."""
    po_number: str | None = field(default=None, metadata=wire("PoNumber", "string"))
    """Purchase order number."""
    dt_due: datetime | None = field(default=None, metadata=wire("DtDue", "datetime-local"))
    """``DtDue`` on the wire. Local time without a zone."""
    gl_account: str | None = field(
        default=None, metadata=wire("GlAccount", "string", max_length=32, max_length_source="doc")
    )
    """General ledger account. At most 32 characters."""
    comments: str | None = field(
        default=None, metadata=wire("Comments", "string", max_length=2048, max_length_source="doc")
    )
    """Free-text comments. At most 2048 characters."""
    amt_base: Money | None = field(default=None, metadata=wire("AmtBase", "money", "Money"))
    """Amount before tax."""
    amt_tax: Money | None = field(default=None, metadata=wire("AmtTax", "money", "Money"))
    """Tax amount."""
    amt_total: Money | None = field(default=None, metadata=wire("AmtTotal", "money", "Money"))
    """Total amount with tax."""
    is_multiline: bool | None = field(default=None, metadata=wire("IsMultiline", "boolean"))
    """True when it has several lines."""
    tax_transaction_id: str | None = field(default=None, metadata=wire("TaxTransactionId", "string"))
    """``TaxTransactionId`` on the wire."""
    is_tax_dirty: bool | None = field(default=None, metadata=wire("IsTaxDirty", "boolean"))
    """``IsTaxDirty`` on the wire."""
    line_items: list[InvoiceLine] | None = field(
        default=None, metadata=wire("LineItems", "ref", "InvoiceLine", many=True)
    )
    """``LineItems`` on the wire."""
    ext_number: str | None = field(
        default=None, metadata=wire("ExtNumber", "string", max_length=256, max_length_source="doc")
    )
    """Number in an external system. At most 256 characters."""
    dt_posted: datetime | None = field(default=None, metadata=wire("DtPosted", "datetime-local"))
    """When posted. Local time without a zone."""
    is_manually_sent: bool | None = field(default=None, metadata=wire("IsManuallySent", "boolean"))
    """``IsManuallySent`` on the wire."""
    draft_process_step_id: DraftProcessStep | None = field(
        default=None, metadata=wire("DraftProcessStepId", "enum", "DraftProcessStep")
    )
    """``DraftProcessStepId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class InvoiceDictionaryItem(LookupEntity):
    """The service's ``InvoiceDictionaryItem``.

    Operations: unknown.
    """

    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text."""
    tax_code: TaxCode | None = field(default=None, metadata=wire("TaxCode", "ref", "TaxCode"))
    """Tax code applied."""
    cost_category: CostCategory | None = field(
        default=None, metadata=wire("CostCategory", "enum", "CostCategory")
    )
    """``CostCategory`` on the wire."""
    gl_expense: str | None = field(default=None, metadata=wire("GlExpense", "string"))
    """``GlExpense`` on the wire."""
    gl_income: str | None = field(default=None, metadata=wire("GlIncome", "string"))
    """``GlIncome`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class InvoiceLine(LockedEntity):
    """The service's ``InvoiceLine``.

    Operations: unknown.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line."""
    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order."""
    location: Location | None = field(default=None, metadata=wire("Location", "ref", "Location"))
    """``Location`` on the wire."""
    customer: Customer | None = field(default=None, metadata=wire("Customer", "ref", "Customer"))
    """Customer concerned."""
    type: CiItemType | None = field(default=None, metadata=wire("Type", "enum", "CiItemType"))
    """``Type`` on the wire."""
    dt_service: datetime | None = field(default=None, metadata=wire("DtService", "datetime-local"))
    """``DtService`` on the wire. Local time without a zone."""
    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text."""
    qty: Decimal | None = field(default=None, metadata=wire("Qty", "number"))
    """Quantity. Exact decimal."""
    rate: Money | None = field(default=None, metadata=wire("Rate", "money", "Money"))
    """Rate per unit."""
    tax_rate: Decimal | None = field(default=None, metadata=wire("TaxRate", "number"))
    """Tax rate. Exact decimal."""
    amt_tax: Money | None = field(default=None, metadata=wire("AmtTax", "money", "Money"))
    """Tax amount."""
    amt_total: Money | None = field(default=None, metadata=wire("AmtTotal", "money", "Money"))
    """Total amount with tax."""
    tax_code: str | None = field(default=None, metadata=wire("TaxCode", "string"))
    """Tax code applied."""
    tax_code_reference: TaxCode | None = field(
        default=None, metadata=wire("TaxCodeReference", "ref", "TaxCode")
    )
    """Tax code record applied."""


@define(kw_only=True, eq=False, repr=False)
class InvoiceLog(Entity):
    """The service's ``InvoiceLog``.

    Operations: unknown.

    Key: InvoiceId, Idx.
    """

    invoice: Invoice | None = field(default=None, metadata=wire("Invoice", "ref", "Invoice"))
    """``Invoice`` on the wire."""
    actor: Actor | None = field(default=None, metadata=wire("Actor", "ref", "Actor"))
    """Actor who performed the action."""
    idx: int | None = field(default=None, metadata=wire("Idx", "integer", required=True))
    """Order position. Required on creation."""
    action_type_id: CiActionType | None = field(
        default=None, metadata=wire("ActionTypeId", "enum", "CiActionType", required=True)
    )
    """``ActionTypeId`` on the wire. Required on creation."""
    dt_stamp: datetime | None = field(default=None, metadata=wire("DtStamp", "datetime-local", required=True))
    """``DtStamp`` on the wire. Local time without a zone. Required on creation."""
    dt_actual: datetime | None = field(default=None, metadata=wire("DtActual", "datetime-local"))
    """``DtActual`` on the wire. Local time without a zone."""
    comments: str | None = field(
        default=None, metadata=wire("Comments", "string", max_length=1024, max_length_source="doc")
    )
    """Free-text comments. At most 1024 characters."""


@define(kw_only=True, eq=False, repr=False)
class LaborCode(RemovableEntity):
    """The service's ``LaborCode``.

    Operations: unknown.
    """

    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record."""
    show_for_wo: bool | None = field(default=None, metadata=wire("ShowForWo", "boolean"))
    """``ShowForWo`` on the wire."""
    is_time_card: bool | None = field(default=None, metadata=wire("IsTimeCard", "boolean"))
    """``IsTimeCard`` on the wire."""
    is_productive: bool | None = field(default=None, metadata=wire("IsProductive", "boolean"))
    """``IsProductive`` on the wire."""
    is_paid: bool | None = field(default=None, metadata=wire("IsPaid", "boolean"))
    """``IsPaid`` on the wire."""
    is_shortcut: bool | None = field(default=None, metadata=wire("IsShortcut", "boolean"))
    """``IsShortcut`` on the wire."""
    is_def_time_card: bool | None = field(default=None, metadata=wire("IsDefTimeCard", "boolean"))
    """``IsDefTimeCard`` on the wire."""
    external_code: str | None = field(default=None, metadata=wire("ExternalCode", "string"))
    """``ExternalCode`` on the wire."""
    type_id: LaborCodeType | None = field(default=None, metadata=wire("TypeId", "enum", "LaborCodeType"))
    """Kind of the record."""
    rate: Decimal | None = field(default=None, metadata=wire("Rate", "number"))
    """Rate per unit. Exact decimal."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""


@define(kw_only=True, eq=False, repr=False)
class Payment(LockedEntity):
    """Customer payment.

    Operations: create, retrieve, update, delete. Unknown: query. In recorded traffic, create, update and
    delete work; PostPaymentCommand posts a payment.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    group: BillingAccount | None = field(
        default=None, metadata=wire("Group", "ref", "BillingAccount", required=True)
    )
    """Billing account. Required on creation."""
    number: str | None = field(
        default=None, metadata=wire("Number", "string", max_length=16, max_length_source="doc")
    )
    """Human-facing number or code. At most 16 characters."""
    state: PaymentState | None = field(default=None, metadata=wire("State", "enum", "PaymentState"))
    """State of the payment."""
    comments: str | None = field(
        default=None, metadata=wire("Comments", "string", max_length=2048, max_length_source="doc")
    )
    """Free-text comments. At most 2048 characters."""
    method: PaymentMethod | None = field(default=None, metadata=wire("Method", "enum", "PaymentMethod"))
    """Means of payment."""
    reference: str | None = field(
        default=None, metadata=wire("Reference", "string", max_length=64, max_length_source="doc")
    )
    """Check or reference number. At most 64 characters."""
    dt_stamp: datetime | None = field(default=None, metadata=wire("DtStamp", "datetime-local", required=True))
    """Date of payment. Local time without a zone. Required on creation."""
    amt_payment: Money | None = field(default=None, metadata=wire("AmtPayment", "money", "Money"))
    """``AmtPayment`` on the wire."""
    amt_balance: Money | None = field(default=None, metadata=wire("AmtBalance", "money", "Money"))
    """``AmtBalance`` on the wire."""
    dt_posted: datetime | None = field(default=None, metadata=wire("DtPosted", "datetime-local"))
    """``DtPosted`` on the wire. Local time without a zone."""
    time_set_id: int | None = field(default=None, metadata=wire("TimeSetId", "integer"))
    """``TimeSetId`` on the wire."""
    items: list[PaymentItem] | None = field(
        default=None, metadata=wire("Items", "ref", "PaymentItem", many=True)
    )
    """Line items."""


@define(kw_only=True, eq=False, repr=False)
class PaymentItem(LockedEntity):
    """The service's ``PaymentItem``.

    Operations: unknown.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    object_type_id: ActorType | None = field(
        default=None, metadata=wire("ObjectTypeId", "enum", "ActorType", required=True)
    )
    """Kind of the object it refers to. Required on creation."""
    object_id: int | None = field(default=None, metadata=wire("ObjectId", "integer", required=True))
    """Id of the object it refers to. Required on creation."""
    is_credit: bool | None = field(default=None, metadata=wire("IsCredit", "boolean", required=True))
    """``IsCredit`` on the wire. Required on creation."""
    amt_balance: Money | None = field(default=None, metadata=wire("AmtBalance", "money", "Money"))
    """``AmtBalance`` on the wire."""
    amt_used: Money | None = field(default=None, metadata=wire("AmtUsed", "money", "Money"))
    """``AmtUsed`` on the wire."""
    ref_invoice: Invoice | None = field(default=None, metadata=wire("RefInvoice", "ref", "Invoice"))
    """``RefInvoice`` on the wire."""
    ref_payment: Payment | None = field(default=None, metadata=wire("RefPayment", "ref", "Payment"))
    """``RefPayment`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class PriceList(LockedEntity):
    """The service's ``PriceList``.

    Operations: unknown.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    type_id: PriceListType | None = field(default=None, metadata=wire("TypeId", "enum", "PriceListType"))
    """Kind of the record."""


@define(kw_only=True, eq=False, repr=False)
class PriceListItem(LockedEntity):
    """The service's ``PriceListItem``.

    Operations: unknown.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    vendor_rate: Money | None = field(default=None, metadata=wire("VendorRate", "money", "Money"))
    """``VendorRate`` on the wire."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    rate_type: RateType | None = field(default=None, metadata=wire("RateType", "enum", "RateType"))
    """``RateType`` on the wire."""
    vendor_type: VendorType | None = field(default=None, metadata=wire("VendorType", "enum", "VendorType"))
    """``VendorType`` on the wire."""
    price_list_id: int | None = field(default=None, metadata=wire("PriceListId", "integer"))
    """``PriceListId`` on the wire."""
    rate: Money | None = field(default=None, metadata=wire("Rate", "money", "Money"))
    """Rate per unit."""
    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line."""


@define(kw_only=True, eq=False, repr=False)
class TaxCode(RemovableEntity):
    """The service's ``TaxCode``.

    Operations: query. Unknown: create, retrieve, update, delete.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    ext_id: str | None = field(default=None, metadata=wire("ExtId", "string"))
    """``ExtId`` on the wire."""
    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text."""
    country: str | None = field(default=None, metadata=wire("Country", "string"))
    """Country."""


@define(kw_only=True, eq=False, repr=False)
class TaxRegion(LockedSimpleLookupEntity):
    """The service's ``TaxRegion``.

    Operations: unknown.
    """

    items: list[TaxRegionItem] | None = field(
        default=None, metadata=wire("Items", "ref", "TaxRegionItem", many=True)
    )
    """Line items."""


@define(kw_only=True, eq=False, repr=False)
class TaxRegionItem(LockedEntity):
    """The service's ``TaxRegionItem``.

    Operations: unknown.
    """

    tax_region_id: int | None = field(default=None, metadata=wire("TaxRegionId", "integer"))
    """``TaxRegionId`` on the wire."""
    tax_code: TaxCode | None = field(default=None, metadata=wire("TaxCode", "ref", "TaxCode"))
    """Tax code applied."""
    tax_rate: Decimal | None = field(default=None, metadata=wire("TaxRate", "number"))
    """Tax rate. Exact decimal."""


@define(kw_only=True, eq=False, repr=False)
class TimePeriod(RemovableEntity):
    """The service's ``TimePeriod``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. Local time without a zone."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. Local time without a zone."""
    dt_start: datetime | None = field(default=None, metadata=wire("dtStart", "datetime-local"))
    """``dtStart`` on the wire. Local time without a zone. Lower-case first letter on the wire."""
    dt_end: datetime | None = field(default=None, metadata=wire("dtEnd", "datetime-local"))
    """``dtEnd`` on the wire. Local time without a zone. Lower-case first letter on the wire."""
    is_financial: bool | None = field(default=None, metadata=wire("IsFinancial", "boolean"))
    """``IsFinancial`` on the wire."""
    is_time: bool | None = field(default=None, metadata=wire("IsTime", "boolean"))
    """``IsTime`` on the wire."""
