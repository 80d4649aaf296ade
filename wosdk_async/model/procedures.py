"""Entities: procedures.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Record
from wosdk_async.model.bases import Entity, LockedEntity, RemovableEntity
from wosdk_async.model.metadata import wire

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
    """The service's ``ApprovalScope``.

    Operations: unknown.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record."""
    approval_template: ApprovalTemplate | None = field(
        default=None, metadata=wire("ApprovalTemplate", "ref", "ApprovalTemplate")
    )
    """``ApprovalTemplate`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class ApprovalTemplate(LockedEntity):
    """The service's ``ApprovalTemplate``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    steps: list[ApprovalTemplateStep] | None = field(
        default=None, metadata=wire("Steps", "ref", "ApprovalTemplateStep", many=True)
    )
    """Ordered steps."""


@define(kw_only=True, eq=False, repr=False)
class ApprovalTemplateStep(LockedEntity):
    """The service's ``ApprovalTemplateStep``.

    Operations: unknown.
    """

    approval_template_id: int | None = field(default=None, metadata=wire("ApprovalTemplateId", "integer"))
    """``ApprovalTemplateId`` on the wire."""
    step_number: int | None = field(default=None, metadata=wire("StepNumber", "integer"))
    """``StepNumber`` on the wire."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    rule_id: ApprovalRule | None = field(default=None, metadata=wire("RuleId", "enum", "ApprovalRule"))
    """``RuleId`` on the wire."""
    auto_skip_hours: int | None = field(default=None, metadata=wire("AutoSkipHours", "integer"))
    """``AutoSkipHours`` on the wire."""
    is_parallel: bool | None = field(default=None, metadata=wire("IsParallel", "boolean"))
    """``IsParallel`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class LinkProcedureCategoryAndTemplate(Entity):
    """The service's ``LinkProcedureCategoryAndTemplate``.

    Operations: unknown.
    """

    procedure_category_id: int | None = field(default=None, metadata=wire("ProcedureCategoryId", "integer"))
    """``ProcedureCategoryId`` on the wire."""
    procedure_template_id: int | None = field(default=None, metadata=wire("ProcedureTemplateId", "integer"))
    """``ProcedureTemplateId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class PmItem(Record):
    """The service's ``PmItem``.

    Operations: unknown.

    Named in the entity type list only; no class in either public schema.
    """


@define(kw_only=True, eq=False, repr=False)
class PmSchedule(Record):
    """The service's ``PmSchedule``.

    Operations: unknown.

    Named in the entity type list only; no class in either public schema.
    """


@define(kw_only=True, eq=False, repr=False)
class ProcedureCategory(RemovableEntity):
    """The service's ``ProcedureCategory``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class ProcedureFlagReason(RemovableEntity):
    """The service's ``ProcedureFlagReason``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class ProcedureTemplate(RemovableEntity):
    """The service's ``ProcedureTemplate``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    allow_mark_all: bool | None = field(default=None, metadata=wire("AllowMarkAll", "boolean"))
    """Steps may be marked in bulk."""
    allow_not_applicable: bool | None = field(default=None, metadata=wire("AllowNotApplicable", "boolean"))
    """May be marked not applicable."""
    steps: list[ProcedureTemplateStep] | None = field(
        default=None, metadata=wire("Steps", "ref", "ProcedureTemplateStep", many=True)
    )
    """Ordered steps."""
    procedure_categories: list[LinkProcedureCategoryAndTemplate] | None = field(
        default=None,
        metadata=wire("ProcedureCategories", "ref", "LinkProcedureCategoryAndTemplate", many=True),
    )
    """``ProcedureCategories`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class ProcedureTemplateStep(RemovableEntity):
    """The service's ``ProcedureTemplateStep``.

    Operations: unknown.
    """

    procedure_template_id: int | None = field(default=None, metadata=wire("ProcedureTemplateId", "integer"))
    """``ProcedureTemplateId`` on the wire."""
    index: int | None = field(default=None, metadata=wire("Index", "integer"))
    """Order position."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    type_id: ProcedureStepType | None = field(
        default=None, metadata=wire("TypeId", "enum", "ProcedureStepType")
    )
    """Kind of the record."""
    is_required: bool | None = field(default=None, metadata=wire("IsRequired", "boolean"))
    """Must be filled in."""
    field_descriptor: CustomFieldDescriptor | None = field(
        default=None, metadata=wire("FieldDescriptor", "ref", "CustomFieldDescriptor")
    )
    """Custom field the step fills."""
    attr_descriptor: AttributeDescriptor | None = field(
        default=None, metadata=wire("AttrDescriptor", "ref", "AttributeDescriptor")
    )
    """Asset attribute the step fills."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string"))
    """Instruction text shown to users."""


@define(kw_only=True, eq=False, repr=False)
class WoProcedure(RemovableEntity):
    """The service's ``WoProcedure``.

    Operations: unknown.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    procedure_template: ProcedureTemplate | None = field(
        default=None, metadata=wire("ProcedureTemplate", "ref", "ProcedureTemplate")
    )
    """Template of the procedure."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location"))
    """``Asset`` on the wire. The specification calls the type Asset."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    type_id: ProcedureType | None = field(default=None, metadata=wire("TypeId", "enum", "ProcedureType"))
    """Kind of the record."""
    allow_mark_all: bool | None = field(default=None, metadata=wire("AllowMarkAll", "boolean"))
    """Steps may be marked in bulk."""
    allow_not_applicable: bool | None = field(default=None, metadata=wire("AllowNotApplicable", "boolean"))
    """May be marked not applicable."""
    is_not_applicable: bool | None = field(default=None, metadata=wire("IsNotApplicable", "boolean"))
    """Marked as not applicable."""
    flag: ProcedureFlagReason | None = field(
        default=None, metadata=wire("Flag", "ref", "ProcedureFlagReason")
    )
    """Flag reason currently set."""
    status_id: ProcedureStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "ProcedureStatus")
    )
    """Status of the record."""
    index: int | None = field(default=None, metadata=wire("Index", "integer"))
    """Order position."""
    steps: list[WoProcedureStep] | None = field(
        default=None, metadata=wire("Steps", "ref", "WoProcedureStep", many=True)
    )
    """Ordered steps."""


@define(kw_only=True, eq=False, repr=False)
class WoProcedureStep(RemovableEntity):
    """The service's ``WoProcedureStep``.

    Operations: unknown.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer"))
    """Id of the owning work order."""
    index: int | None = field(default=None, metadata=wire("Index", "integer"))
    """Order position."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    status_id: ProcedureStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "ProcedureStatus")
    )
    """Status of the record."""
    wo_procedure_id: int | None = field(default=None, metadata=wire("WoProcedureId", "integer"))
    """``WoProcedureId`` on the wire."""
    procedure_template_step: ProcedureTemplateStep | None = field(
        default=None, metadata=wire("ProcedureTemplateStep", "ref", "ProcedureTemplateStep")
    )
    """``ProcedureTemplateStep`` on the wire."""
    type_id: ProcedureStepType | None = field(
        default=None, metadata=wire("TypeId", "enum", "ProcedureStepType")
    )
    """Kind of the record."""
    is_won: bool | None = field(default=None, metadata=wire("IsWon", "boolean"))
    """``IsWon`` on the wire."""
    is_required: bool | None = field(default=None, metadata=wire("IsRequired", "boolean"))
    """Must be filled in."""
    field_descriptor: CustomFieldDescriptor | None = field(
        default=None, metadata=wire("FieldDescriptor", "ref", "CustomFieldDescriptor")
    )
    """Custom field the step fills."""
    attr_descriptor: AttributeDescriptor | None = field(
        default=None, metadata=wire("AttrDescriptor", "ref", "AttributeDescriptor")
    )
    """Asset attribute the step fills."""
    data_type_id: CfType | None = field(default=None, metadata=wire("DataTypeId", "enum", "CfType"))
    """``DataTypeId`` on the wire."""
    data_value: str | None = field(default=None, metadata=wire("DataValue", "string"))
    """``DataValue`` on the wire."""
    data_label: str | None = field(default=None, metadata=wire("DataLabel", "string"))
    """``DataLabel`` on the wire."""
    flag: ProcedureFlagReason | None = field(
        default=None, metadata=wire("Flag", "ref", "ProcedureFlagReason")
    )
    """Flag reason currently set."""
    is_not_applicable: bool | None = field(default=None, metadata=wire("IsNotApplicable", "boolean"))
    """Marked as not applicable."""
    money_id: CurrencyType | None = field(default=None, metadata=wire("MoneyId", "enum", "CurrencyType"))
    """Currency code of the money values."""
