"""Entities: inventory.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import Entity, LockedEntity, MoneyValuesEntity, RemovableEntity
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from wosdk_async.model.billing import InvoiceDictionaryItem
    from wosdk_async.model.contact_details import Address2, ContactInfo
    from wosdk_async.model.custom_fields import CustomField2
    from wosdk_async.model.enums import (
        ActorType,
        CurrencyType,
        MhLocationType,
        MhOrderStatus,
        MhTransactionType,
        MhUnit,
    )
    from wosdk_async.model.people import Employee
    from wosdk_async.model.values import Money


@define(kw_only=True, eq=False, repr=False)
class LinkProductAndSupplier(LockedEntity):
    """The service's ``LinkProductAndSupplier``.

    Operations: unknown.
    """

    product_id: int | None = field(default=None, metadata=wire("ProductId", "integer"))
    """Id of the product."""
    supplier_id: int | None = field(default=None, metadata=wire("SupplierId", "integer"))
    """Id of the supplier."""
    part_number: str | None = field(default=None, metadata=wire("PartNumber", "string"))
    """Part number."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record."""


@define(kw_only=True, eq=False, repr=False)
class MaterialTransaction(Entity):
    """The service's ``MaterialTransaction``.

    Operations: none known. Not supported: delete. Unknown: create, retrieve, update, query.
    """

    type_id: MhTransactionType | None = field(
        default=None, metadata=wire("TypeId", "enum", "MhTransactionType")
    )
    """Kind of the record."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    po_number: str | None = field(
        default=None, metadata=wire("PoNumber", "string", max_length=64, max_length_source="doc")
    )
    """Purchase order number. At most 64 characters."""
    supplier_id: int | None = field(default=None, metadata=wire("SupplierId", "integer"))
    """Id of the supplier."""
    supplier_order_number: str | None = field(
        default=None, metadata=wire("SupplierOrderNumber", "string", max_length=64, max_length_source="doc")
    )
    """Order number given by the supplier. At most 64 characters."""
    transaction_date: datetime | None = field(
        default=None, metadata=wire("TransactionDate", "datetime-local")
    )
    """``TransactionDate`` on the wire. Local time without a zone."""
    comments: str | None = field(
        default=None, metadata=wire("Comments", "string", max_length=1024, max_length_source="doc")
    )
    """Free-text comments. At most 1024 characters."""
    creator_id: int | None = field(default=None, metadata=wire("CreatorId", "integer"))
    """``CreatorId`` on the wire."""
    creator_type_id: ActorType | None = field(
        default=None, metadata=wire("CreatorTypeId", "enum", "ActorType")
    )
    """``CreatorTypeId`` on the wire."""
    is_committed: bool | None = field(default=None, metadata=wire("IsCommitted", "boolean"))
    """``IsCommitted`` on the wire."""
    stock_location_id: int | None = field(default=None, metadata=wire("StockLocationId", "integer"))
    """Id of the stock location."""
    source_stock_location_id: int | None = field(
        default=None, metadata=wire("SourceStockLocationId", "integer")
    )
    """``SourceStockLocationId`` on the wire."""
    replenishment_order_id: int | None = field(default=None, metadata=wire("ReplenishmentOrderId", "integer"))
    """``ReplenishmentOrderId`` on the wire."""
    items: list[MaterialTransactionItem] | None = field(
        default=None, metadata=wire("Items", "ref", "MaterialTransactionItem", many=True)
    )
    """Line items."""


@define(kw_only=True, eq=False, repr=False)
class MaterialTransactionItem(Entity):
    """The service's ``MaterialTransactionItem``.

    Operations: unknown.
    """

    transaction_id: int | None = field(default=None, metadata=wire("TransactionId", "integer"))
    """``TransactionId`` on the wire."""
    product_id: int | None = field(default=None, metadata=wire("ProductId", "integer"))
    """Id of the product."""
    stock_location_id: int | None = field(default=None, metadata=wire("StockLocationId", "integer"))
    """Id of the stock location."""
    source_stock_location_id: int | None = field(
        default=None, metadata=wire("SourceStockLocationId", "integer")
    )
    """``SourceStockLocationId`` on the wire."""
    type_id: MhTransactionType | None = field(
        default=None, metadata=wire("TypeId", "enum", "MhTransactionType")
    )
    """Kind of the record."""
    financial_item_id: int | None = field(default=None, metadata=wire("FinancialItemId", "integer"))
    """``FinancialItemId`` on the wire."""
    quantity: Decimal | None = field(default=None, metadata=wire("Quantity", "number"))
    """Quantity. Exact decimal."""
    price: Decimal | None = field(default=None, metadata=wire("Price", "number"))
    """Unit price. Exact decimal."""
    line_amount: Decimal | None = field(default=None, metadata=wire("LineAmount", "number"))
    """``LineAmount`` on the wire. Exact decimal."""
    replenishment_order_item_id: int | None = field(
        default=None, metadata=wire("ReplenishmentOrderItemId", "integer")
    )
    """``ReplenishmentOrderItemId`` on the wire."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""


@define(kw_only=True, eq=False, repr=False)
class Product(RemovableEntity):
    """Stocked product.

    Operations: unknown.
    """

    invoice_item: InvoiceDictionaryItem | None = field(
        default=None, metadata=wire("InvoiceItem", "ref", "InvoiceDictionaryItem")
    )
    """Invoice dictionary entry behind the line."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    part_name: str | None = field(default=None, metadata=wire("PartName", "string"))
    """``PartName`` on the wire."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    discontinued: bool | None = field(default=None, metadata=wire("Discontinued", "boolean"))
    """``Discontinued`` on the wire."""
    unit_of_measure_id: MhUnit | None = field(
        default=None, metadata=wire("UnitOfMeasureId", "enum", "MhUnit")
    )
    """``UnitOfMeasureId`` on the wire."""
    comments: str | None = field(default=None, metadata=wire("Comments", "string"))
    """Free-text comments."""
    manufacturer: str | None = field(default=None, metadata=wire("Manufacturer", "string"))
    """``Manufacturer`` on the wire."""
    part_number: str | None = field(default=None, metadata=wire("PartNumber", "string"))
    """Part number."""
    scan_code: str | None = field(default=None, metadata=wire("ScanCode", "string"))
    """``ScanCode`` on the wire."""
    category: ProductCategory | None = field(
        default=None, metadata=wire("Category", "ref", "ProductCategory")
    )
    """``Category`` on the wire."""
    suppliers: list[LinkProductAndSupplier] | None = field(
        default=None, metadata=wire("Suppliers", "ref", "LinkProductAndSupplier", many=True)
    )
    """``Suppliers`` on the wire."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""
    currencies: list[ProductMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "ProductMoneyValues", many=True)
    )
    """Per-currency money settings."""


@define(kw_only=True, eq=False, repr=False)
class ProductCategory(RemovableEntity):
    """The service's ``ProductCategory``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class ProductMoneyValues(MoneyValuesEntity):
    """The service's ``ProductMoneyValues``.

    Operations: unknown.
    """

    unit_price: Decimal | None = field(default=None, metadata=wire("UnitPrice", "number"))
    """``UnitPrice`` on the wire. Exact decimal."""
    last_price: Decimal | None = field(default=None, metadata=wire("LastPrice", "number"))
    """``LastPrice`` on the wire. Exact decimal."""


@define(kw_only=True, eq=False, repr=False)
class ReplenishmentOrder(LockedEntity):
    """The service's ``ReplenishmentOrder``.

    Operations: unknown.
    """

    status_id: MhOrderStatus | None = field(default=None, metadata=wire("StatusId", "enum", "MhOrderStatus"))
    """Status of the record."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    po_number: str | None = field(default=None, metadata=wire("PoNumber", "string"))
    """Purchase order number."""
    d_estimatedt_delivery: datetime | None = field(
        default=None, metadata=wire("DEstimatedtDelivery", "datetime-local")
    )
    """``DEstimatedtDelivery`` on the wire. Local time without a zone."""
    supplier: Employee | None = field(default=None, metadata=wire("Supplier", "ref", "Employee"))
    """``Supplier`` on the wire."""
    stock_location: StockLocation | None = field(
        default=None, metadata=wire("StockLocation", "ref", "StockLocation")
    )
    """``StockLocation`` on the wire."""
    supplier_instructions: str | None = field(default=None, metadata=wire("SupplierInstructions", "string"))
    """``SupplierInstructions`` on the wire."""
    supplier_order_number: str | None = field(default=None, metadata=wire("SupplierOrderNumber", "string"))
    """Order number given by the supplier."""
    is_exported: bool | None = field(default=None, metadata=wire("IsExported", "boolean"))
    """``IsExported`` on the wire."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    items: list[ReplenishmentOrderItem] | None = field(
        default=None, metadata=wire("Items", "ref", "ReplenishmentOrderItem", many=True)
    )
    """Line items."""


@define(kw_only=True, eq=False, repr=False)
class ReplenishmentOrderItem(LockedEntity):
    """The service's ``ReplenishmentOrderItem``.

    Operations: unknown.
    """

    replenishment_order_id: int | None = field(default=None, metadata=wire("ReplenishmentOrderId", "integer"))
    """``ReplenishmentOrderId`` on the wire."""
    product: Product | None = field(default=None, metadata=wire("Product", "ref", "Product"))
    """Product."""
    price: Money | None = field(default=None, metadata=wire("Price", "money", "Money"))
    """Unit price."""
    qty_ordered: Decimal | None = field(default=None, metadata=wire("QtyOrdered", "number"))
    """``QtyOrdered`` on the wire. Exact decimal."""
    qty_received: Decimal | None = field(default=None, metadata=wire("QtyReceived", "number"))
    """``QtyReceived`` on the wire. Exact decimal."""
    amt_total: Money | None = field(default=None, metadata=wire("AmtTotal", "money", "Money"))
    """Total amount with tax."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""


@define(kw_only=True, eq=False, repr=False)
class StockLocation(LockedEntity):
    """Place where products are kept.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""
    type_id: MhLocationType | None = field(default=None, metadata=wire("TypeId", "enum", "MhLocationType"))
    """Kind of the record."""
    ship_to_name: str | None = field(default=None, metadata=wire("ShipToName", "string"))
    """``ShipToName`` on the wire."""
    bill_to_name: str | None = field(default=None, metadata=wire("BillToName", "string"))
    """``BillToName`` on the wire."""
    delivery_instructions: str | None = field(default=None, metadata=wire("DeliveryInstructions", "string"))
    """``DeliveryInstructions`` on the wire."""
    comments: str | None = field(default=None, metadata=wire("Comments", "string"))
    """Free-text comments."""
    allow_negative_qty: bool | None = field(default=None, metadata=wire("AllowNegativeQty", "boolean"))
    """``AllowNegativeQty`` on the wire."""
    money_id: CurrencyType | None = field(default=None, metadata=wire("MoneyId", "enum", "CurrencyType"))
    """Currency code of the money values."""
    time_zone_id: int | None = field(default=None, metadata=wire("TimeZoneId", "integer"))
    """Numeric time zone id."""
    street_addresses: list[Address2] | None = field(
        default=None, metadata=wire("StreetAddresses", "ref", "Address2", many=True)
    )
    """``StreetAddresses`` on the wire."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""


@define(kw_only=True, eq=False, repr=False)
class StockLocationInventoryDetails(Entity):
    """The service's ``StockLocationInventoryDetails``.

    Operations: unknown.
    """

    stock_location_id: int | None = field(default=None, metadata=wire("StockLocationId", "integer"))
    """Id of the stock location."""
    product_id: int | None = field(default=None, metadata=wire("ProductId", "integer"))
    """Id of the product."""
    price: Decimal | None = field(default=None, metadata=wire("Price", "number"))
    """Unit price. Exact decimal."""
    quantity: Decimal | None = field(default=None, metadata=wire("Quantity", "number"))
    """Quantity. Exact decimal."""
    created_on: datetime | None = field(default=None, metadata=wire("CreatedOn", "datetime-local"))
    """``CreatedOn`` on the wire. Local time without a zone."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
