"""Entities: procedures.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._base import Record
from wosdk_async.model._wire import wire
from wosdk_async.model.bases import Entity, LockedEntity, RemovableEntity

if TYPE_CHECKING:
    from wosdk_async.model.assets import AttributeDescriptor, Location
    from wosdk_async.model.custom_fields import CustomFieldDescriptor
    from wosdk_async.model.enums import (
        ActorType,
        ApprovalRule,
        CfType,
        CurrencyType,
        ProcedureStatus,
        ProcedureStepType,
        ProcedureType,
    )


@define(kw_only=True, eq=False, repr=False)
class ApprovalScope(LockedEntity):
    """``ApprovalScope`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object. Sources: wsdl, peer."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: wsdl, peer."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record. Sources: wsdl, peer."""
    approval_template: ApprovalTemplate | None = field(
        default=None, metadata=wire("ApprovalTemplate", "ref", "ApprovalTemplate")
    )
    """``ApprovalTemplate`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ApprovalTemplate(LockedEntity):
    """``ApprovalTemplate`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    steps: list[ApprovalTemplateStep] | None = field(
        default=None, metadata=wire("Steps", "ref", "ApprovalTemplateStep", many=True)
    )
    """Ordered steps. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ApprovalTemplateStep(LockedEntity):
    """``ApprovalTemplateStep`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    approval_template_id: int | None = field(default=None, metadata=wire("ApprovalTemplateId", "integer"))
    """``ApprovalTemplateId`` on the wire. Sources: wsdl, peer."""
    step_number: int | None = field(default=None, metadata=wire("StepNumber", "integer"))
    """``StepNumber`` on the wire. Sources: wsdl, peer."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: wsdl, peer."""
    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object. Sources: wsdl, peer."""
    rule_id: ApprovalRule | None = field(default=None, metadata=wire("RuleId", "enum", "ApprovalRule"))
    """``RuleId`` on the wire. Sources: wsdl, peer."""
    auto_skip_hours: int | None = field(default=None, metadata=wire("AutoSkipHours", "integer"))
    """``AutoSkipHours`` on the wire. Sources: wsdl, peer."""
    is_parallel: bool | None = field(default=None, metadata=wire("IsParallel", "boolean"))
    """``IsParallel`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkProcedureCategoryAndTemplate(Entity):
    """``LinkProcedureCategoryAndTemplate`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    procedure_category_id: int | None = field(default=None, metadata=wire("ProcedureCategoryId", "integer"))
    """``ProcedureCategoryId`` on the wire. Sources: wsdl, peer."""
    procedure_template_id: int | None = field(default=None, metadata=wire("ProcedureTemplateId", "integer"))
    """``ProcedureTemplateId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class PmItem(Record):
    """``PmItem`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Named in the entity type list only; no class in either public schema. Sources: wsdl, peer.
    """


@define(kw_only=True, eq=False, repr=False)
class PmSchedule(Record):
    """``PmSchedule`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Named in the entity type list only; no class in either public schema. Sources: wsdl, peer.
    """


@define(kw_only=True, eq=False, repr=False)
class ProcedureCategory(RemovableEntity):
    """``ProcedureCategory`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ProcedureFlagReason(RemovableEntity):
    """``ProcedureFlagReason`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ProcedureTemplate(RemovableEntity):
    """``ProcedureTemplate`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    allow_mark_all: bool | None = field(default=None, metadata=wire("AllowMarkAll", "boolean"))
    """Steps may be marked in bulk. Sources: wsdl, peer."""
    allow_not_applicable: bool | None = field(default=None, metadata=wire("AllowNotApplicable", "boolean"))
    """May be marked not applicable. Sources: wsdl, peer."""
    steps: list[ProcedureTemplateStep] | None = field(
        default=None, metadata=wire("Steps", "ref", "ProcedureTemplateStep", many=True)
    )
    """Ordered steps. Sources: wsdl, peer."""
    procedure_categories: list[LinkProcedureCategoryAndTemplate] | None = field(
        default=None,
        metadata=wire("ProcedureCategories", "ref", "LinkProcedureCategoryAndTemplate", many=True),
    )
    """``ProcedureCategories`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ProcedureTemplateStep(RemovableEntity):
    """``ProcedureTemplateStep`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    procedure_template_id: int | None = field(default=None, metadata=wire("ProcedureTemplateId", "integer"))
    """``ProcedureTemplateId`` on the wire. Sources: wsdl, peer."""
    index: int | None = field(default=None, metadata=wire("Index", "integer"))
    """Order position. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    type_id: ProcedureStepType | None = field(
        default=None, metadata=wire("TypeId", "enum", "ProcedureStepType")
    )
    """Kind of the record. Sources: wsdl, peer."""
    is_required: bool | None = field(default=None, metadata=wire("IsRequired", "boolean"))
    """Must be filled in. Sources: wsdl, peer."""
    field_descriptor: CustomFieldDescriptor | None = field(
        default=None, metadata=wire("FieldDescriptor", "ref", "CustomFieldDescriptor")
    )
    """Custom field the step fills. Sources: wsdl, peer."""
    attr_descriptor: AttributeDescriptor | None = field(
        default=None, metadata=wire("AttrDescriptor", "ref", "AttributeDescriptor")
    )
    """Asset attribute the step fills. Sources: wsdl, peer."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string"))
    """Instruction text shown to users. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoProcedure(RemovableEntity):
    """``WoProcedure`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    procedure_template: ProcedureTemplate | None = field(
        default=None, metadata=wire("ProcedureTemplate", "ref", "ProcedureTemplate")
    )
    """Template of the procedure. Sources: wsdl, peer."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location"))
    """``Asset`` on the wire. The specification calls the type Asset. Sources: wsdl, peer."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    type_id: ProcedureType | None = field(default=None, metadata=wire("TypeId", "enum", "ProcedureType"))
    """Kind of the record. Sources: wsdl, peer."""
    allow_mark_all: bool | None = field(default=None, metadata=wire("AllowMarkAll", "boolean"))
    """Steps may be marked in bulk. Sources: wsdl, peer."""
    allow_not_applicable: bool | None = field(default=None, metadata=wire("AllowNotApplicable", "boolean"))
    """May be marked not applicable. Sources: wsdl, peer."""
    is_not_applicable: bool | None = field(default=None, metadata=wire("IsNotApplicable", "boolean"))
    """Marked as not applicable. Sources: wsdl, peer."""
    flag: ProcedureFlagReason | None = field(
        default=None, metadata=wire("Flag", "ref", "ProcedureFlagReason")
    )
    """Flag reason set. Sources: wsdl, peer."""
    status_id: ProcedureStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "ProcedureStatus")
    )
    """Status of the record. Sources: wsdl, peer."""
    index: int | None = field(default=None, metadata=wire("Index", "integer"))
    """Order position. Sources: wsdl, peer."""
    steps: list[WoProcedureStep] | None = field(
        default=None, metadata=wire("Steps", "ref", "WoProcedureStep", many=True)
    )
    """Ordered steps. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class WoProcedureStep(RemovableEntity):
    """``WoProcedureStep`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order. Sources: wsdl, peer."""
    index: int | None = field(default=None, metadata=wire("Index", "integer"))
    """Order position. Sources: wsdl, peer."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    status_id: ProcedureStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "ProcedureStatus")
    )
    """Status of the record. Sources: wsdl, peer."""
    wo_procedure_id: int | None = field(default=None, metadata=wire("WoProcedureId", "integer"))
    """``WoProcedureId`` on the wire. Sources: wsdl, peer."""
    procedure_template_step: ProcedureTemplateStep | None = field(
        default=None, metadata=wire("ProcedureTemplateStep", "ref", "ProcedureTemplateStep")
    )
    """``ProcedureTemplateStep`` on the wire. Sources: wsdl, peer."""
    type_id: ProcedureStepType | None = field(
        default=None, metadata=wire("TypeId", "enum", "ProcedureStepType")
    )
    """Kind of the record. Sources: wsdl, peer."""
    is_won: bool | None = field(default=None, metadata=wire("IsWon", "boolean"))
    """``IsWon`` on the wire. Sources: wsdl, peer."""
    is_required: bool | None = field(default=None, metadata=wire("IsRequired", "boolean"))
    """Must be filled in. Sources: wsdl, peer."""
    field_descriptor: CustomFieldDescriptor | None = field(
        default=None, metadata=wire("FieldDescriptor", "ref", "CustomFieldDescriptor")
    )
    """Custom field the step fills. Sources: wsdl, peer."""
    attr_descriptor: AttributeDescriptor | None = field(
        default=None, metadata=wire("AttrDescriptor", "ref", "AttributeDescriptor")
    )
    """Asset attribute the step fills. Sources: wsdl, peer."""
    data_type_id: CfType | None = field(default=None, metadata=wire("DataTypeId", "enum", "CfType"))
    """``DataTypeId`` on the wire. Sources: wsdl, peer."""
    data_value: str | None = field(default=None, metadata=wire("DataValue", "string"))
    """``DataValue`` on the wire. Sources: wsdl, peer."""
    data_label: str | None = field(default=None, metadata=wire("DataLabel", "string"))
    """``DataLabel`` on the wire. Sources: wsdl, peer."""
    flag: ProcedureFlagReason | None = field(
        default=None, metadata=wire("Flag", "ref", "ProcedureFlagReason")
    )
    """Flag reason set. Sources: wsdl, peer."""
    is_not_applicable: bool | None = field(default=None, metadata=wire("IsNotApplicable", "boolean"))
    """Marked as not applicable. Sources: wsdl, peer."""
    money_id: CurrencyType | None = field(default=None, metadata=wire("MoneyId", "enum", "CurrencyType"))
    """Currency code of the money values. Sources: wsdl, peer."""
