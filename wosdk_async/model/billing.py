"""Entities: billing.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import (
    Entity,
    LockedEntity,
    LockedSimpleLookupEntity,
    LookupEntity,
    RemovableEntity,
)

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

    Operations: create, retrieve, update, delete, query. Older material calls it read only; recorded working
    for all operations.

    Sources: wsdl, peer, doc.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    cp_theme_id: int | None = field(default=None, metadata=wire("CpThemeId", "integer"))
    """Customer portal theme id. Sources: wsdl, peer."""
    is_bill_acct: bool | None = field(default=None, metadata=wire("IsBillAcct", "boolean"))
    """``IsBillAcct`` on the wire. Sources: wsdl, peer."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code. Sources: wsdl, peer."""
    payment_terms: str | None = field(default=None, metadata=wire("PaymentTerms", "string"))
    """``PaymentTerms`` on the wire. Sources: wsdl, peer."""
    payment_number_of_days: int | None = field(default=None, metadata=wire("PaymentNumberOfDays", "integer"))
    """``PaymentNumberOfDays`` on the wire. Sources: wsdl, peer."""
    payment_instrustions: str | None = field(default=None, metadata=wire("PaymentInstrustions", "string"))
    """``PaymentInstrustions`` on the wire. Sources: wsdl, peer."""
    is_credit_hold: bool | None = field(default=None, metadata=wire("IsCreditHold", "boolean"))
    """``IsCreditHold`` on the wire. Sources: wsdl, peer."""
    accrual_margin: int | None = field(default=None, metadata=wire("AccrualMargin", "integer"))
    """``AccrualMargin`` on the wire. Sources: wsdl, peer."""
    sales_rep: str | None = field(default=None, metadata=wire("SalesRep", "string"))
    """``SalesRep`` on the wire. Sources: wsdl, peer."""
    is_tax_exempt: bool | None = field(default=None, metadata=wire("IsTaxExempt", "boolean"))
    """``IsTaxExempt`` on the wire. Sources: wsdl, peer."""
    corp_entity: CorporateEntity | None = field(
        default=None, metadata=wire("CorpEntity", "ref", "CorporateEntity")
    )
    """``CorpEntity`` on the wire. Sources: wsdl, peer."""
    balance: Decimal | None = field(default=None, metadata=wire("Balance", "number"))
    """``Balance`` on the wire. Exact decimal. Sources: wsdl, peer."""
    pay_day_type: int | None = field(default=None, metadata=wire("PayDayType", "integer"))
    """``PayDayType`` on the wire. Sources: wsdl, peer."""
    pay_day_number: int | None = field(default=None, metadata=wire("PayDayNumber", "integer"))
    """``PayDayNumber`` on the wire. Sources: wsdl, peer."""
    is_self_select: bool | None = field(default=None, metadata=wire("IsSelfSelect", "boolean"))
    """``IsSelfSelect`` on the wire. Sources: wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    users: list[LinkUserAndCustomerGroup] | None = field(
        default=None, metadata=wire("Users", "ref", "LinkUserAndCustomerGroup", many=True)
    )
    """``Users`` on the wire. Sources: wsdl, peer."""
    customers: list[LinkCustomerAndGroup] | None = field(
        default=None, metadata=wire("Customers", "ref", "LinkCustomerAndGroup", many=True)
    )
    """``Customers`` on the wire. Sources: wsdl, peer."""
    contacts: list[LinkContactAndGroup] | None = field(
        default=None, metadata=wire("Contacts", "ref", "LinkContactAndGroup", many=True)
    )
    """``Contacts`` on the wire. Sources: wsdl, peer."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record. Sources: wsdl, peer."""
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address. Sources: wsdl, peer."""
    notes: list[Note] | None = field(default=None, metadata=wire("Notes", "ref", "Note", many=True))
    """Notes attached to the record. Sources: wsdl, peer."""
    synchronize_nte: bool | None = field(default=None, metadata=wire("SynchronizeNte", "boolean"))
    """``SynchronizeNte`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class CorporateEntity(LockedEntity):
    """``CorporateEntity`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class GLAccount(Entity):
    """``GLAccount`` of the service.

    Operations: query. Not known: create, retrieve, update, delete.

    Key: Id, DisplayAs. Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text. Sources: wsdl, peer."""
    is_income: bool | None = field(default=None, metadata=wire("IsIncome", "boolean"))
    """``IsIncome`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Invoice(LockedEntity):
    """Customer invoice.

    Operations: retrieve. Not create, update, delete. Not known: query. Read only; state changes by commands.

    Sources: wsdl, peer, doc.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    time_set_id: int | None = field(default=None, metadata=wire("TimeSetId", "integer"))
    """``TimeSetId`` on the wire. Sources: wsdl, peer."""
    period: TimePeriod | None = field(default=None, metadata=wire("Period", "ref", "TimePeriod"))
    """``Period`` on the wire. Sources: wsdl, peer."""
    group: BillingAccount | None = field(default=None, metadata=wire("Group", "ref", "BillingAccount"))
    """Billing account. Sources: wsdl, peer."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code. Sources: wsdl, peer."""
    state: CiInvoiceState | None = field(default=None, metadata=wire("State", "enum", "CiInvoiceState"))
    """State of the invoice. Sources: wsdl, peer."""
    po_number: str | None = field(default=None, metadata=wire("PoNumber", "string"))
    """Purchase order number. Sources: wsdl, peer."""
    dt_due: datetime | None = field(default=None, metadata=wire("DtDue", "datetime-local"))
    """``DtDue`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    gl_account: str | None = field(
        default=None, metadata=wire("GlAccount", "string", max_length=32, max_length_source="doc")
    )
    """General ledger account. At most 32 characters. Sources: wsdl, peer, doc."""
    comments: str | None = field(
        default=None, metadata=wire("Comments", "string", max_length=2048, max_length_source="doc")
    )
    """Free-text comments. At most 2048 characters. Sources: wsdl, peer, doc."""
    amt_base: Money | None = field(default=None, metadata=wire("AmtBase", "money", "Money"))
    """Amount before tax. Sources: wsdl, peer."""
    amt_tax: Money | None = field(default=None, metadata=wire("AmtTax", "money", "Money"))
    """Tax amount. Sources: wsdl, peer."""
    amt_total: Money | None = field(default=None, metadata=wire("AmtTotal", "money", "Money"))
    """Total amount with tax. Sources: wsdl, peer."""
    is_multiline: bool | None = field(default=None, metadata=wire("IsMultiline", "boolean"))
    """True when it has several lines. Sources: wsdl, peer."""
    tax_transaction_id: str | None = field(default=None, metadata=wire("TaxTransactionId", "string"))
    """``TaxTransactionId`` on the wire. Sources: wsdl, peer."""
    is_tax_dirty: bool | None = field(default=None, metadata=wire("IsTaxDirty", "boolean"))
    """``IsTaxDirty`` on the wire. Sources: wsdl, peer."""
    line_items: list[InvoiceLine] | None = field(
        default=None, metadata=wire("LineItems", "ref", "InvoiceLine", many=True)
    )
    """``LineItems`` on the wire. Sources: wsdl, peer."""
    ext_number: str | None = field(
        default=None, metadata=wire("ExtNumber", "string", max_length=256, max_length_source="doc")
    )
    """Number in an outside system. At most 256 characters. Sources: wsdl, peer, doc."""
    dt_posted: datetime | None = field(default=None, metadata=wire("DtPosted", "datetime-local"))
    """When posted. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    is_manually_sent: bool | None = field(default=None, metadata=wire("IsManuallySent", "boolean"))
    """``IsManuallySent`` on the wire. Sources: wsdl, peer."""
    draft_process_step_id: DraftProcessStep | None = field(
        default=None, metadata=wire("DraftProcessStepId", "enum", "DraftProcessStep")
    )
    """``DraftProcessStepId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class InvoiceDictionaryItem(LookupEntity):
    """``InvoiceDictionaryItem`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text. Sources: wsdl, peer."""
    tax_code: TaxCode | None = field(default=None, metadata=wire("TaxCode", "ref", "TaxCode"))
    """Tax code applied. Sources: wsdl, peer."""
    cost_category: CostCategory | None = field(
        default=None, metadata=wire("CostCategory", "enum", "CostCategory")
    )
    """``CostCategory`` on the wire. Sources: wsdl, peer."""
    gl_expense: str | None = field(default=None, metadata=wire("GlExpense", "string"))
    """``GlExpense`` on the wire. Sources: wsdl, peer."""
    gl_income: str | None = field(default=None, metadata=wire("GlIncome", "string"))
    """``GlIncome`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class InvoiceLine(LockedEntity):
    """``InvoiceLine`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line. Sources: wsdl, peer."""
    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order. Sources: wsdl, peer."""
    location: Location | None = field(default=None, metadata=wire("Location", "ref", "Location"))
    """``Location`` on the wire. Sources: wsdl, peer."""
    customer: Customer | None = field(default=None, metadata=wire("Customer", "ref", "Customer"))
    """Customer concerned. Sources: wsdl, peer."""
    type: CiItemType | None = field(default=None, metadata=wire("Type", "enum", "CiItemType"))
    """``Type`` on the wire. Sources: wsdl, peer."""
    dt_service: datetime | None = field(default=None, metadata=wire("DtService", "datetime-local"))
    """``DtService`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text. Sources: wsdl, peer."""
    qty: Decimal | None = field(default=None, metadata=wire("Qty", "number"))
    """Quantity. Exact decimal. Sources: wsdl, peer."""
    rate: Money | None = field(default=None, metadata=wire("Rate", "money", "Money"))
    """Rate per unit. Sources: wsdl, peer."""
    tax_rate: Decimal | None = field(default=None, metadata=wire("TaxRate", "number"))
    """Tax rate. Exact decimal. Sources: wsdl, peer."""
    amt_tax: Money | None = field(default=None, metadata=wire("AmtTax", "money", "Money"))
    """Tax amount. Sources: wsdl, peer."""
    amt_total: Money | None = field(default=None, metadata=wire("AmtTotal", "money", "Money"))
    """Total amount with tax. Sources: wsdl, peer."""
    tax_code: str | None = field(default=None, metadata=wire("TaxCode", "string"))
    """Tax code applied. Sources: wsdl, peer."""
    tax_code_reference: TaxCode | None = field(
        default=None, metadata=wire("TaxCodeReference", "ref", "TaxCode")
    )
    """Tax code record applied. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class InvoiceLog(Entity):
    """``InvoiceLog`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Key: InvoiceId, Idx. Sources: wsdl, peer, doc.
    """

    invoice: Invoice | None = field(default=None, metadata=wire("Invoice", "ref", "Invoice"))
    """``Invoice`` on the wire. Sources: wsdl, peer."""
    actor: Actor | None = field(default=None, metadata=wire("Actor", "ref", "Actor"))
    """Who performed it. Sources: wsdl, peer."""
    idx: int | None = field(default=None, metadata=wire("Idx", "integer", required=True))
    """Order position. Required on creation. Sources: wsdl, peer, doc."""
    action_type_id: CiActionType | None = field(
        default=None, metadata=wire("ActionTypeId", "enum", "CiActionType", required=True)
    )
    """``ActionTypeId`` on the wire. Required on creation. Sources: wsdl, peer, doc."""
    dt_stamp: datetime | None = field(default=None, metadata=wire("DtStamp", "datetime-local", required=True))
    """``DtStamp`` on the wire. ISO 8601 local time, no zone. Required on creation. Sources: wsdl, peer, doc.
    """
    dt_actual: datetime | None = field(default=None, metadata=wire("DtActual", "datetime-local"))
    """``DtActual`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    comments: str | None = field(
        default=None, metadata=wire("Comments", "string", max_length=1024, max_length_source="doc")
    )
    """Free-text comments. At most 1024 characters. Sources: wsdl, peer, doc."""


@define(kw_only=True, eq=False, repr=False)
class LaborCode(RemovableEntity):
    """``LaborCode`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record. Sources: wsdl, peer."""
    show_for_wo: bool | None = field(default=None, metadata=wire("ShowForWo", "boolean"))
    """``ShowForWo`` on the wire. Sources: wsdl, peer."""
    is_time_card: bool | None = field(default=None, metadata=wire("IsTimeCard", "boolean"))
    """``IsTimeCard`` on the wire. Sources: wsdl, peer."""
    is_productive: bool | None = field(default=None, metadata=wire("IsProductive", "boolean"))
    """``IsProductive`` on the wire. Sources: wsdl, peer."""
    is_paid: bool | None = field(default=None, metadata=wire("IsPaid", "boolean"))
    """``IsPaid`` on the wire. Sources: wsdl, peer."""
    is_shortcut: bool | None = field(default=None, metadata=wire("IsShortcut", "boolean"))
    """``IsShortcut`` on the wire. Sources: wsdl, peer."""
    is_def_time_card: bool | None = field(default=None, metadata=wire("IsDefTimeCard", "boolean"))
    """``IsDefTimeCard`` on the wire. Sources: wsdl, peer."""
    external_code: str | None = field(default=None, metadata=wire("ExternalCode", "string"))
    """``ExternalCode`` on the wire. Sources: wsdl, peer."""
    type_id: LaborCodeType | None = field(default=None, metadata=wire("TypeId", "enum", "LaborCodeType"))
    """Kind of the record. Sources: wsdl, peer."""
    rate: Decimal | None = field(default=None, metadata=wire("Rate", "number"))
    """Rate per unit. Exact decimal. Sources: wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Payment(LockedEntity):
    """Customer payment.

    Operations: create, retrieve, update, delete. Not known: query. Recorded working for all operations;
    posting by PostPaymentCommand.

    Sources: wsdl, peer, doc.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    group: BillingAccount | None = field(
        default=None, metadata=wire("Group", "ref", "BillingAccount", required=True)
    )
    """Billing account. Required on creation. Sources: wsdl, peer, doc."""
    number: str | None = field(
        default=None, metadata=wire("Number", "string", max_length=16, max_length_source="doc")
    )
    """Human-facing number or code. At most 16 characters. Sources: wsdl, peer, doc."""
    state: PaymentState | None = field(default=None, metadata=wire("State", "enum", "PaymentState"))
    """State of the payment. Sources: wsdl, peer."""
    comments: str | None = field(
        default=None, metadata=wire("Comments", "string", max_length=2048, max_length_source="doc")
    )
    """Free-text comments. At most 2048 characters. Sources: wsdl, peer, doc."""
    method: PaymentMethod | None = field(default=None, metadata=wire("Method", "enum", "PaymentMethod"))
    """Means of payment. Sources: wsdl, peer."""
    reference: str | None = field(
        default=None, metadata=wire("Reference", "string", max_length=64, max_length_source="doc")
    )
    """Check or reference number. At most 64 characters. Sources: wsdl, peer, doc."""
    dt_stamp: datetime | None = field(default=None, metadata=wire("DtStamp", "datetime-local", required=True))
    """Date of payment. ISO 8601 local time, no zone. Required on creation. Sources: wsdl, peer, doc."""
    amt_payment: Money | None = field(default=None, metadata=wire("AmtPayment", "money", "Money"))
    """``AmtPayment`` on the wire. Sources: wsdl, peer."""
    amt_balance: Money | None = field(default=None, metadata=wire("AmtBalance", "money", "Money"))
    """``AmtBalance`` on the wire. Sources: wsdl, peer."""
    dt_posted: datetime | None = field(default=None, metadata=wire("DtPosted", "datetime-local"))
    """``DtPosted`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    time_set_id: int | None = field(default=None, metadata=wire("TimeSetId", "integer"))
    """``TimeSetId`` on the wire. Sources: wsdl, peer."""
    items: list[PaymentItem] | None = field(
        default=None, metadata=wire("Items", "ref", "PaymentItem", many=True)
    )
    """Line items. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class PaymentItem(LockedEntity):
    """``PaymentItem`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer, doc.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    object_type_id: ActorType | None = field(
        default=None, metadata=wire("ObjectTypeId", "enum", "ActorType", required=True)
    )
    """Kind of the object it refers to. Required on creation. Sources: wsdl, peer, doc."""
    object_id: int | None = field(default=None, metadata=wire("ObjectId", "integer", required=True))
    """Id of the object it refers to. Required on creation. Sources: wsdl, peer, doc."""
    is_credit: bool | None = field(default=None, metadata=wire("IsCredit", "boolean", required=True))
    """``IsCredit`` on the wire. Required on creation. Sources: wsdl, peer, doc."""
    amt_balance: Money | None = field(default=None, metadata=wire("AmtBalance", "money", "Money"))
    """``AmtBalance`` on the wire. Sources: wsdl, peer."""
    amt_used: Money | None = field(default=None, metadata=wire("AmtUsed", "money", "Money"))
    """``AmtUsed`` on the wire. Sources: wsdl, peer."""
    ref_invoice: Invoice | None = field(default=None, metadata=wire("RefInvoice", "ref", "Invoice"))
    """``RefInvoice`` on the wire. Sources: wsdl, peer."""
    ref_payment: Payment | None = field(default=None, metadata=wire("RefPayment", "ref", "Payment"))
    """``RefPayment`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class PriceList(LockedEntity):
    """``PriceList`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    type_id: PriceListType | None = field(default=None, metadata=wire("TypeId", "enum", "PriceListType"))
    """Kind of the record. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class PriceListItem(LockedEntity):
    """``PriceListItem`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""
    vendor_rate: Money | None = field(default=None, metadata=wire("VendorRate", "money", "Money"))
    """``VendorRate`` on the wire. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    rate_type: RateType | None = field(default=None, metadata=wire("RateType", "enum", "RateType"))
    """``RateType`` on the wire. Sources: wsdl, peer."""
    vendor_type: VendorType | None = field(default=None, metadata=wire("VendorType", "enum", "VendorType"))
    """``VendorType`` on the wire. Sources: wsdl, peer."""
    price_list_id: int | None = field(default=None, metadata=wire("PriceListId", "integer"))
    """``PriceListId`` on the wire. Sources: wsdl, peer."""
    rate: Money | None = field(default=None, metadata=wire("Rate", "money", "Money"))
    """Rate per unit. Sources: wsdl, peer."""
    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class TaxCode(RemovableEntity):
    """``TaxCode`` of the service.

    Operations: query. Not known: create, retrieve, update, delete.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    ext_id: str | None = field(default=None, metadata=wire("ExtId", "string"))
    """``ExtId`` on the wire. Sources: wsdl, peer."""
    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text. Sources: wsdl, peer."""
    country: str | None = field(default=None, metadata=wire("Country", "string"))
    """Country. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class TaxRegion(LockedSimpleLookupEntity):
    """``TaxRegion`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    items: list[TaxRegionItem] | None = field(
        default=None, metadata=wire("Items", "ref", "TaxRegionItem", many=True)
    )
    """Line items. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class TaxRegionItem(LockedEntity):
    """``TaxRegionItem`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    tax_region_id: int | None = field(default=None, metadata=wire("TaxRegionId", "integer"))
    """``TaxRegionId`` on the wire. Sources: wsdl, peer."""
    tax_code: TaxCode | None = field(default=None, metadata=wire("TaxCode", "ref", "TaxCode"))
    """Tax code applied. Sources: wsdl, peer."""
    tax_rate: Decimal | None = field(default=None, metadata=wire("TaxRate", "number"))
    """Tax rate. Exact decimal. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class TimePeriod(RemovableEntity):
    """``TimePeriod`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    dt_start: datetime | None = field(default=None, metadata=wire("dtStart", "datetime-local"))
    """``dtStart`` on the wire. ISO 8601 local time, no zone. Lower-case first letter on the wire. Sources:
    wsdl, peer.
    """
    dt_end: datetime | None = field(default=None, metadata=wire("dtEnd", "datetime-local"))
    """``dtEnd`` on the wire. ISO 8601 local time, no zone. Lower-case first letter on the wire. Sources:
    wsdl, peer.
    """
    is_financial: bool | None = field(default=None, metadata=wire("IsFinancial", "boolean"))
    """``IsFinancial`` on the wire. Sources: wsdl, peer."""
    is_time: bool | None = field(default=None, metadata=wire("IsTime", "boolean"))
    """``IsTime`` on the wire. Sources: wsdl, peer."""
