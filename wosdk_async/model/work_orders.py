"""Entities: work orders.

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

    from wosdk_async.model.assets import Location
    from wosdk_async.model.billing import Invoice, TaxCode
    from wosdk_async.model.contact_details import Address2, ContactInfo
    from wosdk_async.model.costs import ChargeCodeLookup, WoEstimate, WoQuote, WorkOrderCost
    from wosdk_async.model.custom_fields import CustomField2
    from wosdk_async.model.customers import Contact, Customer
    from wosdk_async.model.documents import Document
    from wosdk_async.model.enums import (
        ActorType,
        BillStatus,
        CurrencyType,
        IsmStatus,
        OnSiteValidationResult,
        OnSiteValidationType,
        PTEType,
        SchedInterval,
        TaskSelfHelpType,
        TurnStatus,
        UIType,
        WarrantyStatus,
        WOActionProperty,
        WOActionType,
        WoEquipmentType,
        WONoteType,
        WoRating,
        WorkOrderStatus,
        WOType,
    )
    from wosdk_async.model.people import Actor, Employee, Organization
    from wosdk_async.model.procedures import ProcedureTemplate, WoProcedure
    from wosdk_async.model.values import Money
    from wosdk_async.model.work_zones import WorkZone


@define(kw_only=True, eq=False, repr=False)
class WorkOrder(LockedEntity):
    """A request for work.

    Operations: retrieve, update, query. Not supported: create, delete. Create with WoCreateCommand, end with
    WoCancelCommand.
    """

    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Work order number, assigned at creation."""
    type_category: WOType | None = field(
        default=None, metadata=wire("TypeCategory", "enum", "WOType", required=True)
    )
    """Category of work. Required on creation. The specification shows an integer in the create request (4 =
    Request), but text in responses. The vendor and public clients send text. The requirement is from a vendor
    sample.
    """
    work_order_cost: WorkOrderCost | None = field(
        default=None, metadata=wire("WorkOrderCost", "ref", "WorkOrderCost")
    )
    """Financial record of the work order."""
    priority: WoPriority | None = field(default=None, metadata=wire("Priority", "ref", "WoPriority"))
    """Priority record. The specification calls the type Priority. The entity type name on the wire is
    WoPriority.
    """
    status_id: WorkOrderStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "WorkOrderStatus")
    )
    """Current status."""
    requestor_contact: Contact | None = field(
        default=None, metadata=wire("RequestorContact", "ref", "Contact")
    )
    """Contact who asked for the work."""
    access: PTEType | None = field(default=None, metadata=wire("Access", "enum", "PTEType"))
    """How the technician may enter."""
    main_asset: Location | None = field(default=None, metadata=wire("MainAsset", "ref", "Location"))
    """Main asset or location of the work."""
    short_location: str | None = field(default=None, metadata=wire("ShortLocation", "string"))
    """Short text of the location."""
    task_refinement: str | None = field(default=None, metadata=wire("TaskRefinement", "string"))
    """Category and sub-category joined by colons."""
    work_zone: WorkZone | None = field(default=None, metadata=wire("WorkZone", "ref", "WorkZone"))
    """Work zone of the work order (default: the customer's)."""
    employee: Employee | None = field(
        default=None, metadata=wire("Employee", "ref", "Employee", updatable=False)
    )
    """Primary assignee; changed through commands only. Not updatable."""
    duration: int | None = field(default=None, metadata=wire("Duration", "integer"))
    """Expected work time in minutes."""
    vendor_nte: Money | None = field(default=None, metadata=wire("VendorNte", "money", "Money"))
    """Not-to-exceed amount for the vendor."""
    specialty: Specialty | None = field(default=None, metadata=wire("Specialty", "ref", "Specialty"))
    """Trade or skill needed."""
    po_number: str | None = field(default=None, metadata=wire("PoNumber", "string"))
    """Purchase order number."""
    sub_type: WorkOrderType | None = field(
        default=None, metadata=wire("SubType", "ref", "WorkOrderType", required=True)
    )
    """Work order type record. The specification calls the type SubType. Required on creation. The entity type
    name on the wire is WorkOrderType. The requirement is from a vendor sample.
    """
    repair_code: RepairCode | None = field(default=None, metadata=wire("RepairCode", "ref", "RepairCode"))
    """Repair code recorded at completion."""
    customer: Customer | None = field(default=None, metadata=wire("Customer", "ref", "Customer"))
    """Customer concerned; required for a new order of category Request. The class help marks it as required;
    a vendor sample omits it for category Basic.
    """
    contact_name: str | None = field(
        default=None, metadata=wire("ContactName", "string", max_length=256, max_length_source="doc")
    )
    """Name of the reporting person. At most 256 characters."""
    won_id: int | None = field(default=None, metadata=wire("WonId", "integer"))
    """Id in the provider network."""
    is_warranty: bool | None = field(default=None, metadata=wire("IsWarranty", "boolean"))
    """Work is covered by a warranty."""
    flag: WoActionReasonLookup | None = field(
        default=None, metadata=wire("Flag", "ref", "WoActionReasonLookup")
    )
    """Flag reason currently set."""
    flag_id: int | None = field(default=None, metadata=wire("FlagId", "integer"))
    """Id of the flag reason currently set."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    last_action_date: datetime | None = field(default=None, metadata=wire("LastActionDate", "datetime-local"))
    """Local time of the last action. No zone."""
    dt_created: datetime | None = field(default=None, metadata=wire("DtCreated", "datetime-local"))
    """Local creation time. No zone."""
    dt_scheduled_start: datetime | None = field(
        default=None, metadata=wire("DtScheduledStart", "datetime-local")
    )
    """Local scheduled start. No zone."""
    dt_due: datetime | None = field(default=None, metadata=wire("DtDue", "datetime-local"))
    """Local time after which the order is overdue. No zone."""
    dt_acknowledge_by: datetime | None = field(
        default=None, metadata=wire("DtAcknowledgeBy", "datetime-local")
    )
    """Local time by which the order must be picked up. No zone."""
    acknowledge_by_utc: datetime | None = field(
        default=None, metadata=wire("AcknowledgeByUtc", "datetime-utc")
    )
    """UTC time by which the order must be picked up."""
    last_action_date_utc: datetime | None = field(
        default=None, metadata=wire("LastActionDateUtc", "datetime-utc")
    )
    """UTC time of the last action."""
    created_date_utc: datetime | None = field(default=None, metadata=wire("CreatedDateUtc", "datetime-utc"))
    """UTC creation time."""
    scheduled_start_utc: datetime | None = field(
        default=None, metadata=wire("ScheduledStartUtc", "datetime-utc")
    )
    """UTC scheduled start."""
    due_date_utc: datetime | None = field(default=None, metadata=wire("DueDateUtc", "datetime-utc"))
    """UTC time after which the order is overdue."""
    dt_on_site_by: datetime | None = field(default=None, metadata=wire("DtOnSiteBy", "datetime-local"))
    """Local time by which work must start. No zone."""
    dt_utc_on_site_by: datetime | None = field(default=None, metadata=wire("DtUtcOnSiteBy", "datetime-utc"))
    """UTC time by which work must start."""
    last_action: WoLastAction | None = field(default=None, metadata=wire("LastAction", "ref", "WoLastAction"))
    """Last status-changing action and billing state."""
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address."""
    items: list[WoItem] | None = field(
        default=None, metadata=wire("Items", "ref", "WoItem", many=True, required=True)
    )
    """Asset and task pairs to work on. Required on creation. The requirement is from a vendor sample."""
    equipment_worked_on: list[WoEquipment] | None = field(
        default=None, metadata=wire("EquipmentWorkedOn", "ref", "WoEquipment", many=True)
    )
    """Equipment recorded as worked on."""
    notes: list[WoNote] | None = field(default=None, metadata=wire("Notes", "ref", "WoNote", many=True))
    """Notes attached to the record."""
    completion_note: WoNote | None = field(default=None, metadata=wire("CompletionNote", "ref", "WoNote"))
    """Note written at completion."""
    contact_address: ContactInfo | None = field(
        default=None, metadata=wire("ContactAddress", "ref", "ContactInfo")
    )
    """Contact point of the reporting person. The class help marks it as required; according to a vendor
    sample, category Request needs it.
    """
    assignments: list[WoAssignment] | None = field(
        default=None, metadata=wire("Assignments", "ref", "WoAssignment", many=True)
    )
    """Employees assigned."""
    procedures: list[WoProcedure] | None = field(
        default=None, metadata=wire("Procedures", "ref", "WoProcedure", many=True)
    )
    """Procedures attached."""
    documents: list[Document] | None = field(
        default=None, metadata=wire("Documents", "ref", "Document", many=True)
    )
    """Attached documents."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""
    verifications: list[WoVerification] | None = field(
        default=None, metadata=wire("Verifications", "ref", "WoVerification", many=True)
    )
    """Ratings given after completion."""
    quote: WoQuote | None = field(default=None, metadata=wire("Quote", "ref", "WoQuote"))
    """Price quoted by the provider."""
    check_in_outs: list[WoOnSite] | None = field(
        default=None, metadata=wire("CheckInOuts", "ref", "WoOnSite", many=True)
    )
    """Check-in and check-out records."""
    action_log_records: list[WoActionLog] | None = field(
        default=None, metadata=wire("ActionLogRecords", "ref", "WoActionLog", many=True)
    )
    """History of actions."""
    estimate: WoEstimate | None = field(default=None, metadata=wire("Estimate", "ref", "WoEstimate"))
    """Estimate for the customer to approve."""
    owner: Employee | None = field(default=None, metadata=wire("Owner", "ref", "Employee"))
    """Employee responsible for the work order."""
    induction_and_safety_status_id: IsmStatus | None = field(
        default=None, metadata=wire("InductionAndSafetyStatusID", "enum", "IsmStatus")
    )
    """State of the induction and safety check."""
    flags: list[WoFlag] | None = field(
        default=None, metadata=wire("Flags", "ref", "WoFlag", many=True, updatable=False)
    )
    """Flags currently set; only flag commands change them. Not updatable. Use WoSetFlagsCommand and
    WoClearFlagsCommand.
    """
    contactid: int | None = field(default=None, metadata=wire("Contactid", "integer"))
    """Contact id sent in the create request. Only in one of the specification's samples, not in the public
    schemas; public clients send ContactName and ContactAddress, or RequestorContact.
    """


@define(kw_only=True, eq=False, repr=False)
class WoFlag(LockedEntity):
    """A flag set on a work order.

    Operations: retrieve, query. Not supported: create, update, delete. Specification: read only.

    Named in the specification, which gives no fields.
    """

    wo_id: int | None = field(default=None, metadata=wire("WoId", "integer"))
    """Id of the owning work order."""
    flag_id: int | None = field(default=None, metadata=wire("FlagId", "integer"))
    """Id of the flag reason."""
    utc_stamp: datetime | None = field(default=None, metadata=wire("UtcStamp", "datetime-utc"))
    """When the flag was set, UTC."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Comment given with the flag."""


@define(kw_only=True, eq=False, repr=False)
class Specialty(RemovableEntity):
    """Trade or skill.

    Operations: create, retrieve, update, delete, query.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    won_service_id: int | None = field(default=None, metadata=wire("WONServiceId", "integer"))
    """Matching service id in the provider network."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string"))
    """Instruction text shown to users."""
    tax_code: TaxCode | None = field(default=None, metadata=wire("TaxCode", "ref", "TaxCode"))
    """Tax code applied."""
    currencies: list[SpecialtyMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "SpecialtyMoneyValues", many=True)
    )
    """Per-currency money settings."""
    is_nte_auto: bool | None = field(default=None, metadata=wire("IsNteAuto", "boolean"))
    """Not-to-exceed value is set automatically."""


@define(kw_only=True, eq=False, repr=False)
class Disposition(RemovableEntity):
    """The service's ``Disposition``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    is_completed: bool | None = field(default=None, metadata=wire("IsCompleted", "boolean"))
    """``IsCompleted`` on the wire."""
    is_cancelled: bool | None = field(default=None, metadata=wire("IsCancelled", "boolean"))
    """``IsCancelled`` on the wire."""
    on_create: bool | None = field(default=None, metadata=wire("OnCreate", "boolean"))
    """``OnCreate`` on the wire."""
    on_complete: bool | None = field(default=None, metadata=wire("OnComplete", "boolean"))
    """``OnComplete`` on the wire."""
    on_cancel: bool | None = field(default=None, metadata=wire("OnCancel", "boolean"))
    """``OnCancel`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class RepairCode(RemovableEntity):
    """Repair category or code.

    Operations: create, retrieve, update, delete. Unknown: query.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Id of the parent category; 0 if the record is a category."""
    codes: list[RepairCode] | None = field(
        default=None, metadata=wire("Codes", "ref", "RepairCode", many=True)
    )
    """Child codes of a repair category."""


@define(kw_only=True, eq=False, repr=False)
class SpecialtyMoneyValues(MoneyValuesEntity):
    """The service's ``SpecialtyMoneyValues``.

    Operations: unknown.
    """

    nte: Decimal | None = field(default=None, metadata=wire("Nte", "number"))
    """Not-to-exceed amount. Exact decimal."""
    avg_cost_vendor: Decimal | None = field(default=None, metadata=wire("AvgCostVendor", "number"))
    """``AvgCostVendor`` on the wire. Exact decimal."""
    avg_cost_tech: Decimal | None = field(default=None, metadata=wire("AvgCostTech", "number"))
    """``AvgCostTech`` on the wire. Exact decimal."""
    avg_cost_all: Decimal | None = field(default=None, metadata=wire("AvgCostAll", "number"))
    """``AvgCostAll`` on the wire. Exact decimal."""


@define(kw_only=True, eq=False, repr=False)
class Task(RemovableEntity):
    """Work that can be done on a model.

    Operations: create, retrieve, update, delete, query.
    """

    model_id: int | None = field(default=None, metadata=wire("ModelId", "integer", required=True))
    """Id of the asset model. Required on creation. The requirement is from a vendor sample."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string", required=True))
    """Task label. Required on creation. The requirement is from a vendor sample."""
    preventive: bool | None = field(default=None, metadata=wire("Preventive", "boolean", required=True))
    """``Preventive`` on the wire. Required on creation. The requirement is from a vendor sample."""
    routine: bool | None = field(default=None, metadata=wire("Routine", "boolean"))
    """``Routine`` on the wire."""
    corrective: bool | None = field(default=None, metadata=wire("Corrective", "boolean"))
    """``Corrective`` on the wire."""
    default: bool | None = field(default=None, metadata=wire("Default", "boolean"))
    """Default task of the model."""
    symptom: bool | None = field(default=None, metadata=wire("Symptom", "boolean"))
    """``Symptom`` on the wire."""
    completion_time: int | None = field(default=None, metadata=wire("CompletionTime", "integer"))
    """Expected minutes to complete."""
    specialty: Specialty | None = field(
        default=None, metadata=wire("Specialty", "ref", "Specialty", required=True)
    )
    """Trade or skill needed. Required on creation. The requirement is from a vendor sample."""
    procedure_template: ProcedureTemplate | None = field(
        default=None, metadata=wire("ProcedureTemplate", "ref", "ProcedureTemplate")
    )
    """Template of the procedure."""
    priority: WoPriority | None = field(
        default=None, metadata=wire("Priority", "ref", "WoPriority", required=True)
    )
    """Priority record. The specification calls the type Priority. Required on creation. The requirement is
    from a vendor sample.
    """
    self_help_type: TaskSelfHelpType | None = field(
        default=None, metadata=wire("SelfHelpType", "enum", "TaskSelfHelpType")
    )
    """``SelfHelpType`` on the wire."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string", required=True))
    """Instruction text shown to users. Required on creation. The requirement is from a vendor sample."""
    self_help_content: str | None = field(
        default=None, metadata=wire("SelfHelpContent", "string", required=True)
    )
    """``SelfHelpContent`` on the wire. Required on creation. The requirement is from a vendor sample."""
    people_required: int | None = field(default=None, metadata=wire("PeopleRequired", "integer"))
    """``PeopleRequired`` on the wire."""
    skill_level: int | None = field(default=None, metadata=wire("SkillLevel", "integer"))
    """``SkillLevel`` on the wire."""
    gl_account: str | None = field(default=None, metadata=wire("GlAccount", "string"))
    """General ledger account."""
    number: str | None = field(default=None, metadata=wire("Number", "string", required=True))
    """Human-facing number or code. Required on creation. The requirement is from a vendor sample."""
    currencies: list[TaskMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "TaskMoneyValues", many=True)
    )
    """Per-currency money settings."""
    charge_code: ChargeCodeLookup | None = field(
        default=None, metadata=wire("ChargeCode", "ref", "ChargeCodeLookup")
    )
    """Charge-back code."""


@define(kw_only=True, eq=False, repr=False)
class TaskMoneyValues(MoneyValuesEntity):
    """The service's ``TaskMoneyValues``.

    Operations: unknown.
    """

    nte: Decimal | None = field(default=None, metadata=wire("Nte", "number"))
    """Not-to-exceed amount. Exact decimal."""


@define(kw_only=True, eq=False, repr=False)
class Turn(LockedEntity):
    """Planned unit turnover.

    Operations: unknown.
    """

    asset_id: int | None = field(default=None, metadata=wire("AssetId", "integer"))
    """Id of the asset."""
    wt_template_id: int | None = field(default=None, metadata=wire("WtTemplateId", "integer"))
    """``WtTemplateId`` on the wire."""
    dt_ready_by_due: datetime | None = field(default=None, metadata=wire("DtReadyByDue", "datetime-local"))
    """``DtReadyByDue`` on the wire. Local time without a zone."""
    dt_parent_scheduled_start: datetime | None = field(
        default=None, metadata=wire("DtParentScheduledStart", "datetime-local")
    )
    """``DtParentScheduledStart`` on the wire. Local time without a zone."""
    status_id: TurnStatus | None = field(default=None, metadata=wire("StatusId", "enum", "TurnStatus"))
    """Status of the record."""
    error_details: str | None = field(default=None, metadata=wire("ErrorDetails", "string"))
    """``ErrorDetails`` on the wire."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""


@define(kw_only=True, eq=False, repr=False)
class Warranty(LockedEntity):
    """Warranty on an asset.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    additional_info: str | None = field(default=None, metadata=wire("AdditionalInfo", "string"))
    """``AdditionalInfo`` on the wire."""
    is_template: bool | None = field(default=None, metadata=wire("IsTemplate", "boolean"))
    """Marks a warranty template."""
    organization: Organization | None = field(
        default=None, metadata=wire("Organization", "ref", "Organization")
    )
    """Organization of the record."""
    status_id: WarrantyStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "WarrantyStatus")
    )
    """Status of the record."""
    primary_contact: str | None = field(default=None, metadata=wire("PrimaryContact", "string"))
    """``PrimaryContact`` on the wire."""
    template_id: int | None = field(default=None, metadata=wire("TemplateId", "integer"))
    """``TemplateId`` on the wire."""
    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. Local time without a zone."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. Local time without a zone."""
    auto_coverage: int | None = field(default=None, metadata=wire("AutoCoverage", "integer"))
    """``AutoCoverage`` on the wire."""
    labor_coverage_type_id: SchedInterval | None = field(
        default=None, metadata=wire("LaborCoverageTypeId", "enum", "SchedInterval")
    )
    """``LaborCoverageTypeId`` on the wire."""
    labor_coverage_length: int | None = field(default=None, metadata=wire("LaborCoverageLength", "integer"))
    """``LaborCoverageLength`` on the wire."""
    parts_coverage_type_id: SchedInterval | None = field(
        default=None, metadata=wire("PartsCoverageTypeId", "enum", "SchedInterval")
    )
    """``PartsCoverageTypeId`` on the wire."""
    parts_coverage_length: int | None = field(default=None, metadata=wire("PartsCoverageLength", "integer"))
    """``PartsCoverageLength`` on the wire."""
    other_coverage_type_id: SchedInterval | None = field(
        default=None, metadata=wire("OtherCoverageTypeId", "enum", "SchedInterval")
    )
    """``OtherCoverageTypeId`` on the wire."""
    other_coverager_length: int | None = field(default=None, metadata=wire("OtherCoveragerLength", "integer"))
    """``OtherCoveragerLength`` on the wire."""
    warrantor_type_id: ActorType | None = field(
        default=None, metadata=wire("WarrantorTypeId", "enum", "ActorType")
    )
    """``WarrantorTypeId`` on the wire."""
    warrantor_id: int | None = field(default=None, metadata=wire("WarrantorId", "integer"))
    """``WarrantorId`` on the wire."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location"))
    """Covered asset. The specification calls the type Asset."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id."""
    work_zone: WorkZone | None = field(default=None, metadata=wire("WorkZone", "ref", "WorkZone"))
    """Work zone of the record."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points."""
    is_manufacturer: bool | None = field(default=None, metadata=wire("IsManufacturer", "boolean"))
    """``IsManufacturer`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class WoActionLog(Entity):
    """One entry of the action history.

    Operations: retrieve, query. Not supported: create, update, delete. Read only.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    type_id: WOActionType | None = field(default=None, metadata=wire("TypeId", "enum", "WOActionType"))
    """Kind of action."""
    actor: Actor | None = field(default=None, metadata=wire("Actor", "ref", "Actor"))
    """Actor who performed the action."""
    action_date: datetime | None = field(default=None, metadata=wire("ActionDate", "datetime-local"))
    """Local time of the action. No zone."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=3072, max_length_source="doc")
    )
    """Free-text comment. At most 3072 characters."""
    action_reason_id: int | None = field(default=None, metadata=wire("ActionReasonId", "integer"))
    """Id of the reason record."""
    is_back_date: bool | None = field(default=None, metadata=wire("IsBackDate", "boolean"))
    """The user back-dated the action."""
    ui_type_id: UIType | None = field(default=None, metadata=wire("UiTypeId", "enum", "UIType"))
    """Application the action came from."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id."""
    system_date_utc: datetime | None = field(default=None, metadata=wire("SystemDateUtc", "datetime-utc"))
    """UTC time set by the server."""
    object_id: int | None = field(default=None, metadata=wire("ObjectId", "integer"))
    """Id of the object it refers to."""
    properties: list[WoActionLogProp] | None = field(
        default=None, metadata=wire("Properties", "ref", "WoActionLogProp", many=True)
    )
    """Extra values of the action. In the SOAP schema only, absent from the 2023 OpenAPI description."""


@define(kw_only=True, eq=False, repr=False)
class WoActionLogProp(Entity):
    """The service's ``WoActionLogProp``.

    Operations: query. Unknown: create, retrieve, update, delete.
    """

    wo_action_log_id: int | None = field(default=None, metadata=wire("WoActionLogId", "integer"))
    """``WoActionLogId`` on the wire."""
    value_int: int | None = field(default=None, metadata=wire("ValueInt", "integer"))
    """``ValueInt`` on the wire."""
    value_str: str | None = field(default=None, metadata=wire("ValueStr", "string"))
    """``ValueStr`` on the wire."""
    type_id: WOActionProperty | None = field(
        default=None, metadata=wire("TypeId", "enum", "WOActionProperty")
    )
    """Kind of the record."""


@define(kw_only=True, eq=False, repr=False)
class WoActionReasonLookup(RemovableEntity):
    """Reason usable with an action.

    Operations: query. Unknown: create, retrieve, update, delete. A vendor sample queries it, but according to
    a public client, it cannot be queried.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    action_id: WOActionType | None = field(default=None, metadata=wire("ActionId", "enum", "WOActionType"))
    """Action type the reason belongs to."""
    reason_id: int | None = field(default=None, metadata=wire("ReasonId", "integer"))
    """Predefined reason number within its action type."""
    hide: bool | None = field(default=None, metadata=wire("Hide", "boolean"))
    """Hidden from users."""
    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text."""


@define(kw_only=True, eq=False, repr=False)
class WoAssignment(Entity):
    """Assignment of an employee.

    Operations: create, retrieve, update, delete. Unknown: query. Shown in a vendor sample; WoAssignCommand
    also assigns employees, and applies the service's rules.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    is_primary: bool | None = field(default=None, metadata=wire("IsPrimary", "boolean"))
    """Marks the primary assignee."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""


@define(kw_only=True, eq=False, repr=False)
class WoEquipment(LockedEntity):
    """The service's ``WoEquipment``.

    Operations: unknown.
    """

    wo_id: int | None = field(default=None, metadata=wire("WoId", "integer"))
    """Id of the owning work order."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location"))
    """``Asset`` on the wire. The specification calls the type Asset."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment."""
    refrigerant_used: bool | None = field(default=None, metadata=wire("RefrigerantUsed", "boolean"))
    """``RefrigerantUsed`` on the wire."""
    type: WoEquipmentType | None = field(default=None, metadata=wire("Type", "enum", "WoEquipmentType"))
    """``Type`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class WoItem(LockedEntity):
    """Asset and task pair of a work order.

    Operations: create, retrieve, update, delete, query.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. The specification's create request omits it."""
    sort_order_idx: int | None = field(default=None, metadata=wire("SortOrderIdx", "integer"))
    """One-based position, unique within the work order. The specification's create request omits it."""
    disposition: Disposition | None = field(default=None, metadata=wire("Disposition", "ref", "Disposition"))
    """Outcome of the item."""
    asset_location: str | None = field(
        default=None, metadata=wire("AssetLocation", "string", max_length=128, max_length_source="doc")
    )
    """Computed path of the asset, as text. At most 128 characters."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location", required=True))
    """Asset to work on. The specification calls the type Asset. Required on creation."""
    task: Task | None = field(default=None, metadata=wire("Task", "ref", "Task", required=True))
    """Task to do. Required on creation."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=3096, max_length_source="doc")
    )
    """Free-text comment. At most 3096 characters."""


@define(kw_only=True, eq=False, repr=False)
class WoLastAction(Entity):
    """Last action and billing state of a work order.

    Operations: retrieve, query. Not supported: create, update, delete. Read only.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the work order; also the record id."""
    last_action: WoActionLog | None = field(default=None, metadata=wire("LastAction", "ref", "WoActionLog"))
    """Last status-changing log record."""
    emergency_reason: WoActionReasonLookup | None = field(
        default=None, metadata=wire("EmergencyReason", "ref", "WoActionReasonLookup")
    )
    """Why the work order was raised to emergency."""
    reason: WoActionReasonLookup | None = field(
        default=None, metadata=wire("Reason", "ref", "WoActionReasonLookup")
    )
    """Reason for an on-hold or cancelled status."""
    bill_status: BillStatus | None = field(default=None, metadata=wire("BillStatus", "enum", "BillStatus"))
    """Billing state."""
    invoice: Invoice | None = field(default=None, metadata=wire("Invoice", "ref", "Invoice"))
    """Customer invoice of the work order."""
    billed_total: Money | None = field(default=None, metadata=wire("BilledTotal", "money", "Money"))
    """Amount billed, or a preview of it."""
    x_number: str | None = field(
        default=None, metadata=wire("XNumber", "string", max_length=256, max_length_source="doc")
    )
    """Work order number in an external system. At most 256 characters."""


@define(kw_only=True, eq=False, repr=False)
class WoNote(Entity):
    """Note on a work order.

    Operations: create, retrieve, query. Unknown: update, delete. A vendor sample changes and deletes notes
    through WorkOrder.Notes.
    """

    created_date: datetime | None = field(default=None, metadata=wire("CreatedDate", "datetime-local"))
    """When the note was written. Local time without a zone. The vendor's sample sends it; a public client
    does not.
    """
    body: str | None = field(default=None, metadata=wire("Body", "string"))
    """Text of the note."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    note_type_id: WONoteType | None = field(default=None, metadata=wire("NoteTypeId", "enum", "WONoteType"))
    """Kind of note; one completion note per order. Public sources send the name as text; the specification
    shows the number 1.
    """
    created_by: Actor | None = field(default=None, metadata=wire("CreatedBy", "ref", "Actor"))
    """Actor who created it."""


@define(kw_only=True, eq=False, repr=False)
class WoOnSite(LockedEntity):
    """Check-in and check-out.

    Operations: unknown.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id."""
    dt_check_in: datetime | None = field(default=None, metadata=wire("DtCheckIn", "datetime-local"))
    """``DtCheckIn`` on the wire. Local time without a zone."""
    in_check_type_id: OnSiteValidationType | None = field(
        default=None, metadata=wire("InCheckTypeId", "enum", "OnSiteValidationType")
    )
    """``InCheckTypeId`` on the wire."""
    in_validation_value: str | None = field(default=None, metadata=wire("InValidationValue", "string"))
    """``InValidationValue`` on the wire."""
    in_latitude: Decimal | None = field(default=None, metadata=wire("InLatitude", "number"))
    """``InLatitude`` on the wire. Exact decimal."""
    in_longitude: Decimal | None = field(default=None, metadata=wire("InLongitude", "number"))
    """``InLongitude`` on the wire. Exact decimal."""
    in_inv_item_id: int | None = field(default=None, metadata=wire("InInvItemId", "integer"))
    """``InInvItemId`` on the wire."""
    in_distance: Decimal | None = field(default=None, metadata=wire("InDistance", "number"))
    """``InDistance`` on the wire. Exact decimal."""
    in_status_id: OnSiteValidationResult | None = field(
        default=None, metadata=wire("InStatusId", "enum", "OnSiteValidationResult")
    )
    """``InStatusId`` on the wire."""
    dt_check_out: datetime | None = field(default=None, metadata=wire("DtCheckOut", "datetime-local"))
    """``DtCheckOut`` on the wire. Local time without a zone."""
    out_check_type_id: OnSiteValidationType | None = field(
        default=None, metadata=wire("OutCheckTypeId", "enum", "OnSiteValidationType")
    )
    """``OutCheckTypeId`` on the wire."""
    out_validation_value: str | None = field(default=None, metadata=wire("OutValidationValue", "string"))
    """``OutValidationValue`` on the wire."""
    out_latitude: Decimal | None = field(default=None, metadata=wire("OutLatitude", "number"))
    """``OutLatitude`` on the wire. Exact decimal."""
    out_longitude: Decimal | None = field(default=None, metadata=wire("OutLongitude", "number"))
    """``OutLongitude`` on the wire. Exact decimal."""
    out_inv_item_id: int | None = field(default=None, metadata=wire("OutInvItemId", "integer"))
    """``OutInvItemId`` on the wire."""
    out_distance: Decimal | None = field(default=None, metadata=wire("OutDistance", "number"))
    """``OutDistance`` on the wire. Exact decimal."""
    out_status_id: OnSiteValidationResult | None = field(
        default=None, metadata=wire("OutStatusId", "enum", "OnSiteValidationResult")
    )
    """``OutStatusId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class WoPriority(Entity):
    """Priority with its time limits.

    Operations: retrieve, query. Not supported: create, update, delete. Read only.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    is_emergency: bool | None = field(default=None, metadata=wire("IsEmergency", "boolean"))
    """Marks the emergency level."""
    acknowledge_in_minutes: int | None = field(default=None, metadata=wire("AcknowledgeInMinutes", "integer"))
    """Minutes allowed to acknowledge."""
    respond_in_minutes: int | None = field(default=None, metadata=wire("RespondInMinutes", "integer"))
    """Minutes allowed to arrive."""
    due_in_minutes: int | None = field(default=None, metadata=wire("DueInMinutes", "integer"))
    """Minutes allowed to complete."""


@define(kw_only=True, eq=False, repr=False)
class WoVerification(LockedEntity):
    """Rating after completion.

    Operations: none known. Not supported: delete. Unknown: create, retrieve, update, query.
    """

    idx: int | None = field(default=None, metadata=wire("Idx", "integer"))
    """Order position."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    wo_rating_id: WoRating | None = field(default=None, metadata=wire("WoRatingId", "enum", "WoRating"))
    """Rating given."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment."""
    edited_date: datetime | None = field(default=None, metadata=wire("EditedDate", "datetime-local"))
    """When the rating was given. Local time without a zone."""
    actor: Actor | None = field(default=None, metadata=wire("Actor", "ref", "Actor"))
    """Actor who performed the action."""


@define(kw_only=True, eq=False, repr=False)
class WorkOrderType(RemovableEntity):
    """Type (sub-type) of a work order.

    Operations: retrieve, query. Unknown: create, update, delete. Look up with retrieve or query.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    type_id: WOType | None = field(default=None, metadata=wire("TypeId", "enum", "WOType"))
    """Category the type belongs to."""
    abbr: str | None = field(default=None, metadata=wire("Abbr", "string"))
    """Short form."""
    is_def_sr: bool | None = field(default=None, metadata=wire("IsDefSR", "boolean"))
    """Default type for service requests."""
    is_def_basic: bool | None = field(default=None, metadata=wire("IsDefBasic", "boolean"))
    """Default type for basic work orders."""


@define(kw_only=True, eq=False, repr=False)
class WpTree(LockedEntity):
    """The service's ``WpTree``.

    Operations: unknown.
    """

    child_wo_id: int | None = field(default=None, metadata=wire("ChildWoId", "integer"))
    """``ChildWoId`` on the wire."""
    depend_on_work_order: WorkOrder | None = field(
        default=None, metadata=wire("DependOnWorkOrder", "ref", "WorkOrder")
    )
    """``DependOnWorkOrder`` on the wire."""
    level: int | None = field(default=None, metadata=wire("Level", "integer"))
    """Depth within the work plan."""
    number: int | None = field(default=None, metadata=wire("Number", "integer"))
    """``Number`` on the wire."""
    parent_work_order: WorkOrder | None = field(
        default=None, metadata=wire("ParentWorkOrder", "ref", "WorkOrder")
    )
    """``ParentWorkOrder`` on the wire."""
    root_work_order: WorkOrder | None = field(
        default=None, metadata=wire("RootWorkOrder", "ref", "WorkOrder")
    )
    """``RootWorkOrder`` on the wire."""
