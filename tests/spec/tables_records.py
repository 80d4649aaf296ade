"""Spec 2.3, 2.4, 2.7 to 2.10: work orders, costs, spaces, assets and documents, transcribed by hand."""

from __future__ import annotations

from tests.spec.table import Table, rows
from tests.spec.tables_company import (
    CONTACT,
    CUSTOMER,
    EMPLOYEE,
    MAIN_ASSET,
    PRIORITY,
    SPECIALTY,
    SUB_TYPE,
    WORK_ZONE,
)

WORK_ORDER_COST = Table(
    "2.4",
    "WorkOrderCost",
    (
        ("Id", "integer", 90417),
        ("CurrencyTypeId", "string", "USD"),
        ("BillToType", "string", "None"),
        *rows("money", "CostsTotal", "PaymentAmount", "VendorInvoiceTotal", "ExpensesTotal"),
        *rows("money", "ServiceFeesTotal", "CustomerNte"),
        ("ApStateId", "string", "None"),
        ("ApStatusId", "integer", 1),
        *rows("string", "JobCode", "AuthorizationCode", "CheckNumber", "PaymentNotes", "GlAccount"),
        *rows("string", "Number", "ExternalId"),
        ("IsPreBilled", "boolean", True),
        *rows("string", "BillingRule", "TaxStatus", sample="Unknown"),
        ("Items", "list", []),
        ("CostStatusId", "integer", 1),
        ("CostState", "string", "Pending"),
        ("ConcurrencyId", "integer", 9),
        ("PerformDeletion", "boolean", False),
        ("IsNew", "boolean", True),
    ),
)

LAST_ACTION = Table(
    "2.3",
    "WoLastAction",
    (
        ("Id", "integer", 90417),
        ("WorkOrderId", "integer", 90417),
        ("BillStatus", "string", "NotBilled"),
    ),
)

WORK_ORDER = Table(
    "2.3",
    "WorkOrder",
    (
        ("Id", "integer", 90417),
        ("Number", "string", "RSC000417"),
        ("TypeCategory", "string", "Request"),
        ("StatusId", "string", "New"),
        ("Access", "string", "NotApplicable"),
        ("WorkOrderCost", "object", WORK_ORDER_COST),
        ("Priority", "object", PRIORITY),
        ("RequestorContact", "object", CONTACT),
        ("MainAsset", "object", MAIN_ASSET),
        ("ShortLocation", "string", "Air handler AH-3"),
        ("TaskRefinement", "string", "Air handler AH-3:Not cooling"),
        ("WorkZone", "object", WORK_ZONE),
        ("Employee", "object", EMPLOYEE),
        ("Duration", "integer", 60),
        ("VendorNte", "money", {"CurrencyTypeId": "USD", "Value": 0.1}),
        ("Specialty", "object", SPECIALTY),
        ("PoNumber", "string", "PO-77"),
        ("SubType", "object", SUB_TYPE),
        ("Customer", "object", CUSTOMER),
        ("ContactName", "string", "Tomas Lindqvist"),
        ("WonId", "integer", 0),
        ("IsWarranty", "boolean", True),
        ("FlagId", "integer", 1901),
        ("TimeZone", "integer", 35),
        ("CurrencyTypeId", "string", "USD"),
        *rows("local", "LastActionDate", "DtCreated", "DtDue", "DtAcknowledgeBy"),
        *rows("utc", "AcknowledgeByUtc", "LastActionDateUtc", "CreatedDateUtc", "DueDateUtc"),
        ("LastAction", "object", LAST_ACTION),
        *rows("list", "Items", "EquipmentWorkedOn", "Notes", "Assignments", "Procedures", "Documents"),
        *rows("list", "CustomFields", "Verifications", "CheckInOuts", "ActionLogRecords", "Flags"),
        ("InductionAndSafetyStatusID", "string", "NotRequired"),
    ),
)

CUSTOM_FIELD_ENTRY = Table(
    "2.3",
    "CustomField",
    (
        ("Descriptor", "object", Table("2.3", "CustomFieldDescriptor", (("Id", "integer", 88),))),
        ("ObjectId", "integer", 90417),
        ("ObjectTypeId", "string", "WO"),
        ("Value", "string", "Dock 4"),
    ),
)

ITEM = Table(
    "2.3",
    "WoItem",
    (
        ("Asset", "object", Table("2.3", "Asset", (("Id", "integer", 20440),))),
        ("Task", "object", Table("2.3", "Task", (("Id", "integer", 14211),))),
    ),
)

NOTE = Table(
    "2.3",
    "Note",
    (
        ("Body", "string", "Belt replaced."),
        ("WorkOrderId", "integer", 90417),
        ("NoteTypeId", "integer", 1),
        ("Id", "integer", 5),
    ),
)

SPACE = Table(
    "2.7",
    "Space",
    (
        ("Id", "integer", 3001),
        ("CustomerId", "integer", 512),
        ("Asset", "object", MAIN_ASSET),
        ("StartDate", "local", "2024-06-01T00:00:00"),
        ("WorkZone", "object", WORK_ZONE),
        ("StatusId", "string", "Current"),
        ("Addresses", "list", []),
        ("Instructions", "string", "Keys at the desk."),
        ("IsRemoved", "boolean", False),
        ("ConcurrencyId", "integer", 1),
    ),
)

ASSET = Table(
    "2.8",
    "Asset",
    (
        ("Name", "string", "Air handler AH-3"),
        ("ModelId", "integer", 1187),
        ("Orphan", "boolean", False),
        ("TypeId", "string", "Equipment"),
        ("ParentId", "integer", 20421),
        ("RootId", "integer", 20400),
        *rows("boolean", "IsTemplate", "IsOffline", "IsLocked", "IsRestricted", "IsDirectParts"),
        ("IncludeNonControllableExpenses", "boolean", False),
        ("CriticalFacilities", "string", "Inherit"),
        ("Attributes", "list", []),
        ("Id", "integer", 20440),
    ),
)

DESCRIPTOR = Table(
    "2.8",
    "AttributeDescriptor",
    (
        ("Type", "string", "Phone"),
        ("Name", "string", "Service line"),
        *rows("boolean", "IsHistory", "DisplayInWorkOrder", "IsRemoved"),
        ("ConcurrencyId", "integer", 1),
        ("Id", "integer", 45),
    ),
)

ASSET_ATTRIBUTE = Table(
    "2.8",
    "AssetAttribute",
    (
        ("Id", "integer", 811),
        ("AssetId", "integer", 20440),
        ("TopAssetId", "integer", 20400),
        ("CurrencyTypeId", "string", "Unknown"),
        ("Value", "string", "+1 207 555 0134"),
        ("ConcurrencyId", "integer", 2),
        ("Descriptor", "object", DESCRIPTOR),
    ),
)

DOCUMENT = Table(
    "2.9",
    "Document",
    (
        ("ActorId", "integer", 90417),
        ("ActorTypeId", "string", "WO"),
        ("Title", "string", "Before the repair"),
        ("IsShared", "boolean", True),
        ("IsPublic", "boolean", False),
        ("StorageTypeId", "string", "Cloud"),
        ("DocType", "object", Table("2.9", "DocumentType", (("DisplayAs", "string", "Picture"),))),
        (
            "Blob",
            "object",
            Table(
                "2.9", "Blob", (("Body", "string", "R0lGODlhAQABAAAAADs="), ("FileName", "string", "a.gif"))
            ),
        ),
    ),
)

ADDRESS = Table(
    "2.10",
    "Address2",
    (
        ("ActorTypeId", "string", "CommLeaseSpace"),
        ("TypeId", "string", "Primary"),
        *rows("string", "Street", "Street2", "City", "State", "Zip", "Country", sample="04099"),
    ),
)

TABLES = (
    WORK_ORDER,
    WORK_ORDER_COST,
    LAST_ACTION,
    PRIORITY,
    CONTACT,
    MAIN_ASSET,
    SPECIALTY,
    SUB_TYPE,
    CUSTOMER,
    CUSTOM_FIELD_ENTRY,
    ITEM,
    NOTE,
    WORK_ZONE,
    EMPLOYEE,
    SPACE,
    ASSET,
    DESCRIPTOR,
    ASSET_ATTRIBUTE,
    DOCUMENT,
    ADDRESS,
)
