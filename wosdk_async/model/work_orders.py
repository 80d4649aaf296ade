"""Entities: work orders.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import Entity, LockedEntity, MoneyValuesEntity, RemovableEntity

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

    Operations: retrieve, update, query. Not create, delete. Create by WoCreateCommand, end by
    WoCancelCommand.

    Sources: spec, wsdl, peer, doc.
    """

    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Work order number, assigned at creation. Sources: spec, wsdl, peer."""
    type_category: WOType | None = field(
        default=None, metadata=wire("TypeCategory", "enum", "WOType", required=True)
    )
    """Category of work. Required on creation. Specification: integer in the create request (4 = Request),
    text in responses; vendor and peer clients send the text; required on creation per vendor sample. Sources:
    spec, wsdl, peer.
    """
    work_order_cost: WorkOrderCost | None = field(
        default=None, metadata=wire("WorkOrderCost", "ref", "WorkOrderCost")
    )
    """Financial record of the work order. Sources: spec, wsdl, peer."""
    priority: WoPriority | None = field(default=None, metadata=wire("Priority", "ref", "WoPriority"))
    """Priority record. The specification calls the type Priority. Entity type name on the wire is WoPriority.
    Sources: spec, wsdl, peer.
    """
    status_id: WorkOrderStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "WorkOrderStatus")
    )
    """Current status. Sources: spec, wsdl, peer."""
    requestor_contact: Contact | None = field(
        default=None, metadata=wire("RequestorContact", "ref", "Contact")
    )
    """Contact who asked for the work. Sources: spec, wsdl, peer."""
    access: PTEType | None = field(default=None, metadata=wire("Access", "enum", "PTEType"))
    """How the technician may enter. Sources: spec, wsdl, peer, doc."""
    main_asset: Location | None = field(default=None, metadata=wire("MainAsset", "ref", "Location"))
    """Main asset or location of the work. Sources: spec, wsdl, peer."""
    short_location: str | None = field(default=None, metadata=wire("ShortLocation", "string"))
    """Short text of the location. Sources: spec, wsdl, peer."""
    task_refinement: str | None = field(default=None, metadata=wire("TaskRefinement", "string"))
    """Category and sub-category joined by colons. Sources: spec, wsdl, peer."""
    work_zone: WorkZone | None = field(default=None, metadata=wire("WorkZone", "ref", "WorkZone"))
    """Work zone it belongs to. Sources: spec, wsdl, peer."""
    employee: Employee | None = field(
        default=None, metadata=wire("Employee", "ref", "Employee", updatable=False)
    )
    """Primary assignee; changed through commands only. Not updatable. Not updatable through the base
    interface. Sources: spec, wsdl, peer, doc.
    """
    duration: int | None = field(default=None, metadata=wire("Duration", "integer"))
    """Expected work time in minutes. Sources: spec, wsdl, peer, doc."""
    vendor_nte: Money | None = field(default=None, metadata=wire("VendorNte", "money", "Money"))
    """Not-to-exceed amount for the vendor. Sources: spec, wsdl, peer."""
    specialty: Specialty | None = field(default=None, metadata=wire("Specialty", "ref", "Specialty"))
    """Trade or skill needed. Sources: spec, wsdl, peer."""
    po_number: str | None = field(default=None, metadata=wire("PoNumber", "string"))
    """Purchase order number. Sources: spec, wsdl, peer."""
    sub_type: WorkOrderType | None = field(
        default=None, metadata=wire("SubType", "ref", "WorkOrderType", required=True)
    )
    """Work order type record. The specification calls the type SubType. Required on creation. Required on
    creation per vendor sample; entity type name on the wire is WorkOrderType. Sources: spec, wsdl, peer.
    """
    repair_code: RepairCode | None = field(default=None, metadata=wire("RepairCode", "ref", "RepairCode"))
    """Repair code recorded at completion. Sources: wsdl, peer."""
    customer: Customer | None = field(default=None, metadata=wire("Customer", "ref", "Customer"))
    """Customer concerned. Class help marks it required; vendor sample leaves it out for category Basic.
    Sources: spec, wsdl, peer, doc.
    """
    contact_name: str | None = field(
        default=None, metadata=wire("ContactName", "string", max_length=256, max_length_source="doc")
    )
    """Name of the reporting person. At most 256 characters. Sources: spec, wsdl, peer, doc."""
    won_id: int | None = field(default=None, metadata=wire("WonId", "integer"))
    """Id in the provider network. Sources: spec, wsdl, peer."""
    is_warranty: bool | None = field(default=None, metadata=wire("IsWarranty", "boolean"))
    """Work is covered by a warranty. Sources: spec, wsdl, peer."""
    flag: WoActionReasonLookup | None = field(
        default=None, metadata=wire("Flag", "ref", "WoActionReasonLookup")
    )
    """Flag reason currently set. Sources: wsdl, peer."""
    flag_id: int | None = field(default=None, metadata=wire("FlagId", "integer"))
    """Id of the flag reason currently set. Sources: spec, wsdl, peer."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id. Sources: spec, wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: spec, wsdl, peer."""
    last_action_date: datetime | None = field(default=None, metadata=wire("LastActionDate", "datetime-local"))
    """Local time of the last action. ISO 8601 local time, no zone. Sources: spec, wsdl, peer."""
    dt_created: datetime | None = field(default=None, metadata=wire("DtCreated", "datetime-local"))
    """Local creation time. ISO 8601 local time, no zone. Sources: spec, wsdl, peer, doc."""
    dt_scheduled_start: datetime | None = field(
        default=None, metadata=wire("DtScheduledStart", "datetime-local")
    )
    """Local scheduled start. ISO 8601 local time, no zone. Sources: wsdl, peer, doc."""
    dt_due: datetime | None = field(default=None, metadata=wire("DtDue", "datetime-local"))
    """Local time after which it is overdue. ISO 8601 local time, no zone. Sources: spec, wsdl, peer, doc."""
    dt_acknowledge_by: datetime | None = field(
        default=None, metadata=wire("DtAcknowledgeBy", "datetime-local")
    )
    """Local time by which to pick up. ISO 8601 local time, no zone. Sources: spec, wsdl, peer, doc."""
    acknowledge_by_utc: datetime | None = field(
        default=None, metadata=wire("AcknowledgeByUtc", "datetime-utc")
    )
    """UTC time by which to pick up. UTC. Sources: spec, wsdl, peer, doc."""
    last_action_date_utc: datetime | None = field(
        default=None, metadata=wire("LastActionDateUtc", "datetime-utc")
    )
    """UTC time of the last action. UTC. Sources: spec, wsdl, peer."""
    created_date_utc: datetime | None = field(default=None, metadata=wire("CreatedDateUtc", "datetime-utc"))
    """UTC creation time. UTC. Sources: spec, wsdl, peer, doc."""
    scheduled_start_utc: datetime | None = field(
        default=None, metadata=wire("ScheduledStartUtc", "datetime-utc")
    )
    """UTC scheduled start. UTC. Sources: wsdl, peer."""
    due_date_utc: datetime | None = field(default=None, metadata=wire("DueDateUtc", "datetime-utc"))
    """UTC time after which it is overdue. UTC. Sources: spec, wsdl, peer, doc."""
    dt_on_site_by: datetime | None = field(default=None, metadata=wire("DtOnSiteBy", "datetime-local"))
    """Local time by which work must start. ISO 8601 local time, no zone. Sources: wsdl, peer, doc."""
    dt_utc_on_site_by: datetime | None = field(default=None, metadata=wire("DtUtcOnSiteBy", "datetime-utc"))
    """UTC time by which work must start. UTC. Sources: wsdl, peer, doc."""
    last_action: WoLastAction | None = field(default=None, metadata=wire("LastAction", "ref", "WoLastAction"))
    """Last status-changing action and billing state. Sources: spec, wsdl, peer."""
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address. Sources: wsdl, peer."""
    items: list[WoItem] | None = field(
        default=None, metadata=wire("Items", "ref", "WoItem", many=True, required=True)
    )
    """Asset and task pairs to work on. Required on creation. Required on creation per vendor sample. Sources:
    spec, wsdl, peer.
    """
    equipment_worked_on: list[WoEquipment] | None = field(
        default=None, metadata=wire("EquipmentWorkedOn", "ref", "WoEquipment", many=True)
    )
    """Equipment recorded as worked on. Sources: spec, wsdl, peer."""
    notes: list[WoNote] | None = field(default=None, metadata=wire("Notes", "ref", "WoNote", many=True))
    """Notes attached to the record. Sources: spec, wsdl, peer."""
    completion_note: WoNote | None = field(default=None, metadata=wire("CompletionNote", "ref", "WoNote"))
    """Note written at completion. Sources: wsdl, peer."""
    contact_address: ContactInfo | None = field(
        default=None, metadata=wire("ContactAddress", "ref", "ContactInfo")
    )
    """Contact point of the reporting person. Class help marks it required; vendor sample: needed for category
    Request. Sources: wsdl, peer, doc.
    """
    assignments: list[WoAssignment] | None = field(
        default=None, metadata=wire("Assignments", "ref", "WoAssignment", many=True)
    )
    """Employees assigned. Sources: spec, wsdl, peer."""
    procedures: list[WoProcedure] | None = field(
        default=None, metadata=wire("Procedures", "ref", "WoProcedure", many=True)
    )
    """Procedures attached. Sources: spec, wsdl, peer."""
    documents: list[Document] | None = field(
        default=None, metadata=wire("Documents", "ref", "Document", many=True)
    )
    """Attached documents. Sources: spec, wsdl, peer."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record. Sources: spec, wsdl, peer."""
    verifications: list[WoVerification] | None = field(
        default=None, metadata=wire("Verifications", "ref", "WoVerification", many=True)
    )
    """Ratings given after completion. Sources: spec, wsdl, peer."""
    quote: WoQuote | None = field(default=None, metadata=wire("Quote", "ref", "WoQuote"))
    """Price quoted by the provider. Sources: wsdl, peer."""
    check_in_outs: list[WoOnSite] | None = field(
        default=None, metadata=wire("CheckInOuts", "ref", "WoOnSite", many=True)
    )
    """Check-in and check-out records. Sources: spec, wsdl, peer."""
    action_log_records: list[WoActionLog] | None = field(
        default=None, metadata=wire("ActionLogRecords", "ref", "WoActionLog", many=True)
    )
    """History of actions. Sources: spec, wsdl, peer."""
    estimate: WoEstimate | None = field(default=None, metadata=wire("Estimate", "ref", "WoEstimate"))
    """Estimate asked of the customer. Sources: wsdl, peer."""
    owner: Employee | None = field(default=None, metadata=wire("Owner", "ref", "Employee"))
    """Employee responsible for the work order. Sources: wsdl, peer."""
    induction_and_safety_status_id: IsmStatus | None = field(
        default=None, metadata=wire("InductionAndSafetyStatusID", "enum", "IsmStatus")
    )
    """State of the induction and safety check. Sources: spec, wsdl, peer."""
    flags: list[WoFlag] | None = field(
        default=None, metadata=wire("Flags", "ref", "WoFlag", many=True, updatable=False)
    )
    """Flags set; changed through flag commands only. Not updatable. Read only; use WoSetFlagsCommand and
    WoClearFlagsCommand. Sources: spec, wsdl, peer.
    """
    contactid: int | None = field(default=None, metadata=wire("Contactid", "integer"))
    """Contact id sent in the create request. Specification only; not in the public schemas; spec sample only;
    public clients send ContactName and ContactAddress, or RequestorContact. Source: spec.
    """


@define(kw_only=True, eq=False, repr=False)
class WoFlag(LockedEntity):
    """A flag set on a work order.

    Operations: retrieve, query. Not create, update, delete. Specification: read only.

    Named in the specification, which gives no fields. Sources: spec, wsdl, peer.
    """

    wo_id: int | None = field(default=None, metadata=wire("WoId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    flag_id: int | None = field(default=None, metadata=wire("FlagId", "integer"))
    """Id of the flag reason. Sources: wsdl, peer."""
    utc_stamp: datetime | None = field(default=None, metadata=wire("UtcStamp", "datetime-utc"))
    """When the flag was set, UTC. UTC. Sources: wsdl, peer."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Comment given with the flag. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Specialty(RemovableEntity):
    """Trade or skill.

    Operations: create, retrieve, update, delete, query.

    Sources: spec, wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: spec, wsdl, peer."""
    won_service_id: int | None = field(default=None, metadata=wire("WONServiceId", "integer"))
    """Matching service id in the provider network. Sources: spec, wsdl, peer."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string"))
    """Instruction text shown to users. Sources: spec, wsdl, peer."""
    tax_code: TaxCode | None = field(default=None, metadata=wire("TaxCode", "ref", "TaxCode"))
    """Tax code applied. Sources: wsdl, peer."""
    currencies: list[SpecialtyMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "SpecialtyMoneyValues", many=True)
    )
    """Per-currency money settings. Sources: spec, wsdl, peer."""
    is_nte_auto: bool | None = field(default=None, metadata=wire("IsNteAuto", "boolean"))
    """Not-to-exceed value is set automatically. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Disposition(RemovableEntity):
    """``Disposition`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    is_completed: bool | None = field(default=None, metadata=wire("IsCompleted", "boolean"))
    """``IsCompleted`` on the wire. Sources: wsdl, peer."""
    is_cancelled: bool | None = field(default=None, metadata=wire("IsCancelled", "boolean"))
    """``IsCancelled`` on the wire. Sources: wsdl, peer."""
    on_create: bool | None = field(default=None, metadata=wire("OnCreate", "boolean"))
    """``OnCreate`` on the wire. Sources: wsdl, peer."""
    on_complete: bool | None = field(default=None, metadata=wire("OnComplete", "boolean"))
    """``OnComplete`` on the wire. Sources: wsdl, peer."""
    on_cancel: bool | None = field(default=None, metadata=wire("OnCancel", "boolean"))
    """``OnCancel`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class RepairCode(RemovableEntity):
    """Repair category or code.

    Operations: create, retrieve, update, delete. Not known: query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    parent_id: int | None = field(default=None, metadata=wire("ParentId", "integer"))
    """Category id; 0 makes it a category. Sources: wsdl, peer."""
    codes: list[RepairCode] | None = field(
        default=None, metadata=wire("Codes", "ref", "RepairCode", many=True)
    )
    """Child codes of a repair category. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class SpecialtyMoneyValues(MoneyValuesEntity):
    """``SpecialtyMoneyValues`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    nte: Decimal | None = field(default=None, metadata=wire("Nte", "number"))
    """Not-to-exceed amount. Exact decimal. Sources: wsdl, peer."""
    avg_cost_vendor: Decimal | None = field(default=None, metadata=wire("AvgCostVendor", "number"))
    """``AvgCostVendor`` on the wire. Exact decimal. Sources: wsdl, peer."""
    avg_cost_tech: Decimal | None = field(default=None, metadata=wire("AvgCostTech", "number"))
    """``AvgCostTech`` on the wire. Exact decimal. Sources: wsdl, peer."""
    avg_cost_all: Decimal | None = field(default=None, metadata=wire("AvgCostAll", "number"))
    """``AvgCostAll`` on the wire. Exact decimal. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Task(RemovableEntity):
    """What may be done on a model.

    Operations: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    model_id: int | None = field(default=None, metadata=wire("ModelId", "integer", required=True))
    """Id of the asset model. Required on creation. Required on creation per vendor sample. Sources: wsdl,
    peer.
    """
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string", required=True))
    """Task label. Required on creation. Required on creation per vendor sample. Sources: wsdl, peer."""
    preventive: bool | None = field(default=None, metadata=wire("Preventive", "boolean", required=True))
    """``Preventive`` on the wire. Required on creation. Required on creation per vendor sample. Sources:
    wsdl, peer.
    """
    routine: bool | None = field(default=None, metadata=wire("Routine", "boolean"))
    """``Routine`` on the wire. Sources: wsdl, peer."""
    corrective: bool | None = field(default=None, metadata=wire("Corrective", "boolean"))
    """``Corrective`` on the wire. Sources: wsdl, peer."""
    default: bool | None = field(default=None, metadata=wire("Default", "boolean"))
    """Default task of the model. Sources: wsdl, peer."""
    symptom: bool | None = field(default=None, metadata=wire("Symptom", "boolean"))
    """``Symptom`` on the wire. Sources: wsdl, peer."""
    completion_time: int | None = field(default=None, metadata=wire("CompletionTime", "integer"))
    """Expected minutes to complete. Sources: wsdl, peer."""
    specialty: Specialty | None = field(
        default=None, metadata=wire("Specialty", "ref", "Specialty", required=True)
    )
    """Trade or skill needed. Required on creation. Required on creation per vendor sample. Sources: wsdl,
    peer.
    """
    procedure_template: ProcedureTemplate | None = field(
        default=None, metadata=wire("ProcedureTemplate", "ref", "ProcedureTemplate")
    )
    """Template of the procedure. Sources: wsdl, peer."""
    priority: WoPriority | None = field(
        default=None, metadata=wire("Priority", "ref", "WoPriority", required=True)
    )
    """Priority record. The specification calls the type Priority. Required on creation. Required on creation
    per vendor sample. Sources: wsdl, peer.
    """
    self_help_type: TaskSelfHelpType | None = field(
        default=None, metadata=wire("SelfHelpType", "enum", "TaskSelfHelpType")
    )
    """``SelfHelpType`` on the wire. Sources: wsdl, peer."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string", required=True))
    """Instruction text shown to users. Required on creation. Required on creation per vendor sample. Sources:
    wsdl, peer.
    """
    self_help_content: str | None = field(
        default=None, metadata=wire("SelfHelpContent", "string", required=True)
    )
    """``SelfHelpContent`` on the wire. Required on creation. Required on creation per vendor sample. Sources:
    wsdl, peer.
    """
    people_required: int | None = field(default=None, metadata=wire("PeopleRequired", "integer"))
    """``PeopleRequired`` on the wire. Sources: wsdl, peer."""
    skill_level: int | None = field(default=None, metadata=wire("SkillLevel", "integer"))
    """``SkillLevel`` on the wire. Sources: wsdl, peer."""
    gl_account: str | None = field(default=None, metadata=wire("GlAccount", "string"))
    """General ledger account. Sources: wsdl, peer."""
    number: str | None = field(default=None, metadata=wire("Number", "string", required=True))
    """Human-facing number or code. Required on creation. Required on creation per vendor sample. Sources:
    wsdl, peer.
    """
    currencies: list[TaskMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "TaskMoneyValues", many=True)
    )
    """Per-currency money settings. Sources: wsdl, peer."""
    charge_code: ChargeCodeLookup | None = field(
        default=None, metadata=wire("ChargeCode", "ref", "ChargeCodeLookup")
    )
    """Charge-back code. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class TaskMoneyValues(MoneyValuesEntity):
    """``TaskMoneyValues`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    nte: Decimal | None = field(default=None, metadata=wire("Nte", "number"))
    """Not-to-exceed amount. Exact decimal. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Turn(LockedEntity):
    """Planned unit turnover.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    asset_id: int | None = field(default=None, metadata=wire("AssetId", "integer"))
    """Id of the asset. Sources: wsdl, peer."""
    wt_template_id: int | None = field(default=None, metadata=wire("WtTemplateId", "integer"))
    """``WtTemplateId`` on the wire. Sources: wsdl, peer."""
    dt_ready_by_due: datetime | None = field(default=None, metadata=wire("DtReadyByDue", "datetime-local"))
    """``DtReadyByDue`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    dt_parent_scheduled_start: datetime | None = field(
        default=None, metadata=wire("DtParentScheduledStart", "datetime-local")
    )
    """``DtParentScheduledStart`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    status_id: TurnStatus | None = field(default=None, metadata=wire("StatusId", "enum", "TurnStatus"))
    """Status of the record. Sources: wsdl, peer."""
    error_details: str | None = field(default=None, metadata=wire("ErrorDetails", "string"))
    """``ErrorDetails`` on the wire. Sources: wsdl, peer."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Warranty(LockedEntity):
    """Warranty on an asset.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    additional_info: str | None = field(default=None, metadata=wire("AdditionalInfo", "string"))
    """``AdditionalInfo`` on the wire. Sources: wsdl, peer."""
    is_template: bool | None = field(default=None, metadata=wire("IsTemplate", "boolean"))
    """Marks a warranty template. Sources: wsdl, peer."""
    organization: Organization | None = field(
        default=None, metadata=wire("Organization", "ref", "Organization")
    )
    """Organization it belongs to. Sources: wsdl, peer."""
    status_id: WarrantyStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "WarrantyStatus")
    )
    """Status of the record. Sources: wsdl, peer."""
    primary_contact: str | None = field(default=None, metadata=wire("PrimaryContact", "string"))
    """``PrimaryContact`` on the wire. Sources: wsdl, peer."""
    template_id: int | None = field(default=None, metadata=wire("TemplateId", "integer"))
    """``TemplateId`` on the wire. Sources: wsdl, peer."""
    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order. Sources: wsdl, peer."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    auto_coverage: int | None = field(default=None, metadata=wire("AutoCoverage", "integer"))
    """``AutoCoverage`` on the wire. Sources: wsdl, peer."""
    labor_coverage_type_id: SchedInterval | None = field(
        default=None, metadata=wire("LaborCoverageTypeId", "enum", "SchedInterval")
    )
    """``LaborCoverageTypeId`` on the wire. Sources: wsdl, peer."""
    labor_coverage_length: int | None = field(default=None, metadata=wire("LaborCoverageLength", "integer"))
    """``LaborCoverageLength`` on the wire. Sources: wsdl, peer."""
    parts_coverage_type_id: SchedInterval | None = field(
        default=None, metadata=wire("PartsCoverageTypeId", "enum", "SchedInterval")
    )
    """``PartsCoverageTypeId`` on the wire. Sources: wsdl, peer."""
    parts_coverage_length: int | None = field(default=None, metadata=wire("PartsCoverageLength", "integer"))
    """``PartsCoverageLength`` on the wire. Sources: wsdl, peer."""
    other_coverage_type_id: SchedInterval | None = field(
        default=None, metadata=wire("OtherCoverageTypeId", "enum", "SchedInterval")
    )
    """``OtherCoverageTypeId`` on the wire. Sources: wsdl, peer."""
    other_coverager_length: int | None = field(default=None, metadata=wire("OtherCoveragerLength", "integer"))
    """``OtherCoveragerLength`` on the wire. Sources: wsdl, peer."""
    warrantor_type_id: ActorType | None = field(
        default=None, metadata=wire("WarrantorTypeId", "enum", "ActorType")
    )
    """``WarrantorTypeId`` on the wire. Sources: wsdl, peer."""
    warrantor_id: int | None = field(default=None, metadata=wire("WarrantorId", "integer"))
    """``WarrantorId`` on the wire. Sources: wsdl, peer."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment. Sources: wsdl, peer."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location"))
    """Covered asset. The specification calls the type Asset. Sources: wsdl, peer."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id. Sources: wsdl, peer."""
    work_zone: WorkZone | None = field(default=None, metadata=wire("WorkZone", "ref", "WorkZone"))
    """Work zone it belongs to. Sources: wsdl, peer."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points. Sources: wsdl, peer."""
    is_manufacturer: bool | None = field(default=None, metadata=wire("IsManufacturer", "boolean"))
    """``IsManufacturer`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoActionLog(Entity):
    """One entry of the action history.

    Operations: retrieve, query. Not create, update, delete. Read only.

    Sources: wsdl, peer, doc.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    type_id: WOActionType | None = field(default=None, metadata=wire("TypeId", "enum", "WOActionType"))
    """Kind of action. Sources: wsdl, peer."""
    actor: Actor | None = field(default=None, metadata=wire("Actor", "ref", "Actor"))
    """Who performed it. Sources: wsdl, peer."""
    action_date: datetime | None = field(default=None, metadata=wire("ActionDate", "datetime-local"))
    """Local time of the action. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=3072, max_length_source="doc")
    )
    """Free-text comment. At most 3072 characters. Sources: wsdl, peer, doc."""
    action_reason_id: int | None = field(default=None, metadata=wire("ActionReasonId", "integer"))
    """Id of the reason record. Sources: wsdl, peer."""
    is_back_date: bool | None = field(default=None, metadata=wire("IsBackDate", "boolean"))
    """User entered an earlier time. Sources: wsdl, peer."""
    ui_type_id: UIType | None = field(default=None, metadata=wire("UiTypeId", "enum", "UIType"))
    """Application the action came from. Sources: wsdl, peer."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id. Sources: wsdl, peer."""
    system_date_utc: datetime | None = field(default=None, metadata=wire("SystemDateUtc", "datetime-utc"))
    """UTC time set by the server. UTC. Sources: wsdl, peer."""
    object_id: int | None = field(default=None, metadata=wire("ObjectId", "integer"))
    """Id of the object it refers to. Sources: wsdl, peer."""
    properties: list[WoActionLogProp] | None = field(
        default=None, metadata=wire("Properties", "ref", "WoActionLogProp", many=True)
    )
    """Extra values of the action. In the SOAP schema only, absent from the 2023 OpenAPI description. Source:
    wsdl.
    """


@define(kw_only=True, eq=False, repr=False)
class WoActionLogProp(Entity):
    """``WoActionLogProp`` of the service.

    Operations: query. Not known: create, retrieve, update, delete.

    Sources: wsdl, peer.
    """

    wo_action_log_id: int | None = field(default=None, metadata=wire("WoActionLogId", "integer"))
    """``WoActionLogId`` on the wire. Sources: wsdl, peer."""
    value_int: int | None = field(default=None, metadata=wire("ValueInt", "integer"))
    """``ValueInt`` on the wire. Sources: wsdl, peer."""
    value_str: str | None = field(default=None, metadata=wire("ValueStr", "string"))
    """``ValueStr`` on the wire. Sources: wsdl, peer."""
    type_id: WOActionProperty | None = field(
        default=None, metadata=wire("TypeId", "enum", "WOActionProperty")
    )
    """Kind of the record. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoActionReasonLookup(RemovableEntity):
    """Reason usable with an action.

    Operations: query. Not known: create, retrieve, update, delete. Vendor sample queries it; a peer client
    says the query interface does not expose it.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    action_id: WOActionType | None = field(default=None, metadata=wire("ActionId", "enum", "WOActionType"))
    """Action type the reason belongs to. Sources: wsdl, peer."""
    reason_id: int | None = field(default=None, metadata=wire("ReasonId", "integer"))
    """Predefined reason number within its action type. Sources: wsdl, peer."""
    hide: bool | None = field(default=None, metadata=wire("Hide", "boolean"))
    """Hidden from users. Sources: wsdl, peer."""
    descr: str | None = field(default=None, metadata=wire("Descr", "string"))
    """Description text. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoAssignment(Entity):
    """Assignment of an employee.

    Operations: create, retrieve, update, delete. Not known: query. Vendor sample; WoAssignCommand does the
    same with rules.

    Sources: wsdl, peer.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    is_primary: bool | None = field(default=None, metadata=wire("IsPrimary", "boolean"))
    """Marks the primary assignee. Sources: wsdl, peer."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoEquipment(LockedEntity):
    """``WoEquipment`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    wo_id: int | None = field(default=None, metadata=wire("WoId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location"))
    """``Asset`` on the wire. The specification calls the type Asset. Sources: wsdl, peer."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment. Sources: wsdl, peer."""
    refrigerant_used: bool | None = field(default=None, metadata=wire("RefrigerantUsed", "boolean"))
    """``RefrigerantUsed`` on the wire. Sources: wsdl, peer."""
    type: WoEquipmentType | None = field(default=None, metadata=wire("Type", "enum", "WoEquipmentType"))
    """``Type`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoItem(LockedEntity):
    """Asset and task pair of a work order.

    Operations: create, retrieve, update, delete, query.

    Sources: spec, wsdl, peer, doc.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. The specification create request leaves it out. Sources: wsdl, peer, doc.
    """
    sort_order_idx: int | None = field(default=None, metadata=wire("SortOrderIdx", "integer"))
    """One-based position, unique within the work order. The specification create request leaves it out.
    Sources: wsdl, peer, doc.
    """
    disposition: Disposition | None = field(default=None, metadata=wire("Disposition", "ref", "Disposition"))
    """Outcome of the item. Sources: wsdl, peer."""
    asset_location: str | None = field(
        default=None, metadata=wire("AssetLocation", "string", max_length=128, max_length_source="doc")
    )
    """Computed path text of the asset. At most 128 characters. Sources: wsdl, peer, doc."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location", required=True))
    """Asset to work on. The specification calls the type Asset. Required on creation. Sources: spec, wsdl,
    peer, doc.
    """
    task: Task | None = field(default=None, metadata=wire("Task", "ref", "Task", required=True))
    """Task to do. Required on creation. Sources: spec, wsdl, peer, doc."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=3096, max_length_source="doc")
    )
    """Free-text comment. At most 3096 characters. Sources: wsdl, peer, doc."""


@define(kw_only=True, eq=False, repr=False)
class WoLastAction(Entity):
    """Last action and billing state of a work order.

    Operations: retrieve, query. Not create, update, delete. Read only.

    Sources: spec, wsdl, peer, doc.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the work order; also the record id. Sources: spec, wsdl, peer."""
    last_action: WoActionLog | None = field(default=None, metadata=wire("LastAction", "ref", "WoActionLog"))
    """Last status-changing log record. Sources: wsdl, peer."""
    emergency_reason: WoActionReasonLookup | None = field(
        default=None, metadata=wire("EmergencyReason", "ref", "WoActionReasonLookup")
    )
    """Why it was raised to emergency. Sources: wsdl, peer."""
    reason: WoActionReasonLookup | None = field(
        default=None, metadata=wire("Reason", "ref", "WoActionReasonLookup")
    )
    """Reason of an on-hold or cancelled status. Sources: wsdl, peer."""
    bill_status: BillStatus | None = field(default=None, metadata=wire("BillStatus", "enum", "BillStatus"))
    """Billing state. Sources: spec, wsdl, peer."""
    invoice: Invoice | None = field(default=None, metadata=wire("Invoice", "ref", "Invoice"))
    """Customer invoice of the work order. Sources: wsdl, peer."""
    billed_total: Money | None = field(default=None, metadata=wire("BilledTotal", "money", "Money"))
    """Amount billed, or a preview of it. Sources: wsdl, peer."""
    x_number: str | None = field(
        default=None, metadata=wire("XNumber", "string", max_length=256, max_length_source="doc")
    )
    """Work order number in an outside system. At most 256 characters. Sources: wsdl, peer, doc."""


@define(kw_only=True, eq=False, repr=False)
class WoNote(Entity):
    """Note on a work order.

    Operations: create, retrieve, query. Not known: update, delete. Vendor sample changes and deletes notes
    through WorkOrder.Notes.

    Sources: spec, wsdl, peer.
    """

    created_date: datetime | None = field(default=None, metadata=wire("CreatedDate", "datetime-local"))
    """When the note was written. ISO 8601 local time, no zone. Vendor sample sends it, peer client does not.
    Sources: wsdl, peer.
    """
    body: str | None = field(default=None, metadata=wire("Body", "string"))
    """Text of the note. Sources: spec, wsdl, peer."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: spec, wsdl, peer."""
    note_type_id: WONoteType | None = field(default=None, metadata=wire("NoteTypeId", "enum", "WONoteType"))
    """Kind of note; one completion note per order. Public sources send the name as text; spec reports the
    number 1. Sources: spec, wsdl, peer.
    """
    created_by: Actor | None = field(default=None, metadata=wire("CreatedBy", "ref", "Actor"))
    """Actor who created it. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoOnSite(LockedEntity):
    """Check-in and check-out.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee. Sources: wsdl, peer."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id. Sources: wsdl, peer."""
    dt_check_in: datetime | None = field(default=None, metadata=wire("DtCheckIn", "datetime-local"))
    """``DtCheckIn`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    in_check_type_id: OnSiteValidationType | None = field(
        default=None, metadata=wire("InCheckTypeId", "enum", "OnSiteValidationType")
    )
    """``InCheckTypeId`` on the wire. Sources: wsdl, peer."""
    in_validation_value: str | None = field(default=None, metadata=wire("InValidationValue", "string"))
    """``InValidationValue`` on the wire. Sources: wsdl, peer."""
    in_latitude: Decimal | None = field(default=None, metadata=wire("InLatitude", "number"))
    """``InLatitude`` on the wire. Exact decimal. Sources: wsdl, peer."""
    in_longitude: Decimal | None = field(default=None, metadata=wire("InLongitude", "number"))
    """``InLongitude`` on the wire. Exact decimal. Sources: wsdl, peer."""
    in_inv_item_id: int | None = field(default=None, metadata=wire("InInvItemId", "integer"))
    """``InInvItemId`` on the wire. Sources: wsdl, peer."""
    in_distance: Decimal | None = field(default=None, metadata=wire("InDistance", "number"))
    """``InDistance`` on the wire. Exact decimal. Sources: wsdl, peer."""
    in_status_id: OnSiteValidationResult | None = field(
        default=None, metadata=wire("InStatusId", "enum", "OnSiteValidationResult")
    )
    """``InStatusId`` on the wire. Sources: wsdl, peer."""
    dt_check_out: datetime | None = field(default=None, metadata=wire("DtCheckOut", "datetime-local"))
    """``DtCheckOut`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    out_check_type_id: OnSiteValidationType | None = field(
        default=None, metadata=wire("OutCheckTypeId", "enum", "OnSiteValidationType")
    )
    """``OutCheckTypeId`` on the wire. Sources: wsdl, peer."""
    out_validation_value: str | None = field(default=None, metadata=wire("OutValidationValue", "string"))
    """``OutValidationValue`` on the wire. Sources: wsdl, peer."""
    out_latitude: Decimal | None = field(default=None, metadata=wire("OutLatitude", "number"))
    """``OutLatitude`` on the wire. Exact decimal. Sources: wsdl, peer."""
    out_longitude: Decimal | None = field(default=None, metadata=wire("OutLongitude", "number"))
    """``OutLongitude`` on the wire. Exact decimal. Sources: wsdl, peer."""
    out_inv_item_id: int | None = field(default=None, metadata=wire("OutInvItemId", "integer"))
    """``OutInvItemId`` on the wire. Sources: wsdl, peer."""
    out_distance: Decimal | None = field(default=None, metadata=wire("OutDistance", "number"))
    """``OutDistance`` on the wire. Exact decimal. Sources: wsdl, peer."""
    out_status_id: OnSiteValidationResult | None = field(
        default=None, metadata=wire("OutStatusId", "enum", "OnSiteValidationResult")
    )
    """``OutStatusId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoPriority(Entity):
    """Priority with its time limits.

    Operations: retrieve, query. Not create, update, delete. Read only.

    Sources: spec, wsdl, peer, doc.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    is_emergency: bool | None = field(default=None, metadata=wire("IsEmergency", "boolean"))
    """Marks the emergency level. Sources: spec, wsdl, peer."""
    acknowledge_in_minutes: int | None = field(default=None, metadata=wire("AcknowledgeInMinutes", "integer"))
    """Minutes allowed to acknowledge. Sources: spec, wsdl, peer."""
    respond_in_minutes: int | None = field(default=None, metadata=wire("RespondInMinutes", "integer"))
    """Minutes allowed to arrive. Sources: spec, wsdl, peer."""
    due_in_minutes: int | None = field(default=None, metadata=wire("DueInMinutes", "integer"))
    """Minutes allowed to complete. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoVerification(LockedEntity):
    """Rating after completion.

    Operations: none. Not delete. Not known: create, retrieve, update, query.

    Sources: wsdl, peer.
    """

    idx: int | None = field(default=None, metadata=wire("Idx", "integer"))
    """Order position. Sources: wsdl, peer."""
    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    wo_rating_id: WoRating | None = field(default=None, metadata=wire("WoRatingId", "enum", "WoRating"))
    """Rating given. Sources: wsdl, peer."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment. Sources: wsdl, peer."""
    edited_date: datetime | None = field(default=None, metadata=wire("EditedDate", "datetime-local"))
    """When the rating was given. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    actor: Actor | None = field(default=None, metadata=wire("Actor", "ref", "Actor"))
    """Who performed it. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WorkOrderType(RemovableEntity):
    """Type (sub-type) of a work order.

    Operations: retrieve, query. Not known: create, update, delete. Spec 4.3: resolve by retrieve or query.

    Sources: spec, wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    type_id: WOType | None = field(default=None, metadata=wire("TypeId", "enum", "WOType"))
    """Category the type belongs to. Sources: spec, wsdl, peer."""
    abbr: str | None = field(default=None, metadata=wire("Abbr", "string"))
    """Short form. Sources: wsdl, peer."""
    is_def_sr: bool | None = field(default=None, metadata=wire("IsDefSR", "boolean"))
    """Default type for service requests. Sources: spec, wsdl, peer."""
    is_def_basic: bool | None = field(default=None, metadata=wire("IsDefBasic", "boolean"))
    """Default type for basic work orders. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WpTree(LockedEntity):
    """``WpTree`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    child_wo_id: int | None = field(default=None, metadata=wire("ChildWoId", "integer"))
    """``ChildWoId`` on the wire. Sources: wsdl, peer."""
    depend_on_work_order: WorkOrder | None = field(
        default=None, metadata=wire("DependOnWorkOrder", "ref", "WorkOrder")
    )
    """``DependOnWorkOrder`` on the wire. Sources: wsdl, peer."""
    level: int | None = field(default=None, metadata=wire("Level", "integer"))
    """Depth within the work plan. Sources: wsdl, peer."""
    number: int | None = field(default=None, metadata=wire("Number", "integer"))
    """``Number`` on the wire. Sources: wsdl, peer."""
    parent_work_order: WorkOrder | None = field(
        default=None, metadata=wire("ParentWorkOrder", "ref", "WorkOrder")
    )
    """``ParentWorkOrder`` on the wire. Sources: wsdl, peer."""
    root_work_order: WorkOrder | None = field(
        default=None, metadata=wire("RootWorkOrder", "ref", "WorkOrder")
    )
    """``RootWorkOrder`` on the wire. Sources: wsdl, peer."""
