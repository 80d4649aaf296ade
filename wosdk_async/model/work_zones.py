"""Entities: work zones.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import Entity, LockedEntity, PortfolioChildEntity, RemovableEntity
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime

    from wosdk_async.model.assets import Location
    from wosdk_async.model.billing import BillingAccount, TaxRegion
    from wosdk_async.model.contact_details import ContactInfo
    from wosdk_async.model.custom_fields import CustomField2
    from wosdk_async.model.customers import Contract
    from wosdk_async.model.enums import (
        ActorType,
        BackupRouting,
        CurrencyType,
        ExcludeCoi,
        PortfolioType,
        PTEType,
    )


@define(kw_only=True, eq=False, repr=False)
class WorkZone(RemovableEntity):
    """Area that groups customers, assets and work orders.

    Operations: retrieve, update, query. Not supported: create, delete. Create with WorkZoneCreateCommand,
    delete with WorkZoneDeleteCommand.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location"))
    """Root of the asset tree. The specification calls the type Asset."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id, copied to work orders."""
    language_id: int | None = field(default=None, metadata=wire("LanguageId", "integer"))
    """Language preference id."""
    wo_number_prefix: str | None = field(default=None, metadata=wire("WoNumberPrefix", "string"))
    """Prefix of work order numbers."""
    entity: str | None = field(default=None, metadata=wire("Entity", "string"))
    """``Entity`` on the wire."""
    scheduling_window: int | None = field(default=None, metadata=wire("SchedulingWindow", "integer"))
    """``SchedulingWindow`` on the wire."""
    no_incomplete_procedure: bool | None = field(
        default=None, metadata=wire("NoIncompleteProcedure", "boolean")
    )
    """``NoIncompleteProcedure`` on the wire."""
    access_options_mask: int | None = field(default=None, metadata=wire("AccessOptionsMask", "integer"))
    """Bit mask of allowed access options. Bits follow PTEType; zero not allowed."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""
    advance_notice: int | None = field(default=None, metadata=wire("AdvanceNotice", "integer"))
    """Hours before the first possible appointment (0-240)."""
    tax_region: TaxRegion | None = field(default=None, metadata=wire("TaxRegion", "ref", "TaxRegion"))
    """Tax region."""
    wo_number_digits: int | None = field(default=None, metadata=wire("WoNumberDigits", "integer"))
    """Digits in work order numbers."""
    round_appt_time_to: int | None = field(default=None, metadata=wire("RoundApptTimeTo", "integer"))
    """``RoundApptTimeTo`` on the wire."""
    work_plan_auto_cancel: bool | None = field(default=None, metadata=wire("WorkPlanAutoCancel", "boolean"))
    """``WorkPlanAutoCancel`` on the wire."""
    work_plan_child_resolution: bool | None = field(
        default=None, metadata=wire("WorkPlanChildResolution", "boolean")
    )
    """``WorkPlanChildResolution`` on the wire."""
    work_plan_auto_dependency: bool | None = field(
        default=None, metadata=wire("WorkPlanAutoDependency", "boolean")
    )
    """``WorkPlanAutoDependency`` on the wire."""
    cp_theme_id: int | None = field(default=None, metadata=wire("CpThemeId", "integer"))
    """Customer portal theme id."""
    default_access: PTEType | None = field(default=None, metadata=wire("DefaultAccess", "enum", "PTEType"))
    """Access option used by default."""
    auto_assign_enabled: bool | None = field(default=None, metadata=wire("AutoAssignEnabled", "boolean"))
    """Routing by specialty is on."""
    backup_routing_id: BackupRouting | None = field(
        default=None, metadata=wire("BackupRoutingId", "enum", "BackupRouting")
    )
    """Routing used when no rule fits."""
    billing_account: BillingAccount | None = field(
        default=None, metadata=wire("BillingAccount", "ref", "BillingAccount")
    )
    """Billing account (customer group)."""
    contract: Contract | None = field(default=None, metadata=wire("Contract", "ref", "Contract"))
    """Billing contract."""
    no_incomplete_item: bool | None = field(default=None, metadata=wire("NoIncompleteItem", "boolean"))
    """``NoIncompleteItem`` on the wire."""
    ui_show_providers_first: bool | None = field(
        default=None, metadata=wire("UiShowProvidersFirst", "boolean")
    )
    """``UiShowProvidersFirst`` on the wire."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""
    is_offline: bool | None = field(default=None, metadata=wire("IsOffline", "boolean"))
    """True when taken out of service."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""
    portfolios: list[LinkPortfolioAndWorkZone] | None = field(
        default=None, metadata=wire("Portfolios", "ref", "LinkPortfolioAndWorkZone", many=True)
    )
    """Links to portfolios."""
    sla_values: list[SlaValuesOverride] | None = field(
        default=None, metadata=wire("SlaValues", "ref", "SlaValuesOverride", many=True)
    )
    """Response-time overrides per priority."""
    teams: list[LinkTeamAndWorkZone] | None = field(
        default=None, metadata=wire("Teams", "ref", "LinkTeamAndWorkZone", many=True)
    )
    """Links to teams."""
    biz_hours: list[BusinessHours] | None = field(
        default=None, metadata=wire("BizHours", "ref", "BusinessHours", many=True)
    )
    """Business hours by day."""
    escalation_rules: list[EscalationRule] | None = field(
        default=None, metadata=wire("EscalationRules", "ref", "EscalationRule", many=True)
    )
    """Escalation rules."""
    spec_dispatch_rules: list[SpecDispatchRule] | None = field(
        default=None, metadata=wire("SpecDispatchRules", "ref", "SpecDispatchRule", many=True)
    )
    """Dispatch rules by specialty."""
    on_call_rules: list[OnCallRule] | None = field(
        default=None, metadata=wire("OnCallRules", "ref", "OnCallRule", many=True)
    )
    """On-call rules."""
    responsibilities: list[Responsibility] | None = field(
        default=None, metadata=wire("Responsibilities", "ref", "Responsibility", many=True)
    )
    """Responsibility assignments."""
    use_biz_hours: bool | None = field(default=None, metadata=wire("UseBizHours", "boolean"))
    """The work zone's own business hours apply."""
    use_holidays: bool | None = field(default=None, metadata=wire("UseHolidays", "boolean"))
    """The work zone's own holiday list applies."""
    use_on_call: bool | None = field(default=None, metadata=wire("UseOnCall", "boolean"))
    """The work zone's own on-call rules apply."""
    use_escalation: bool | None = field(default=None, metadata=wire("UseEscalation", "boolean"))
    """The work zone's own escalation rules apply."""
    default_bill_to_logic: int | None = field(default=None, metadata=wire("DefaultBillToLogic", "integer"))
    """Default bill-to option."""
    turn_kick_off_auto: bool | None = field(default=None, metadata=wire("TurnKickOffAuto", "boolean"))
    """``TurnKickOffAuto`` on the wire."""
    turn_kick_off_lag_days: int | None = field(default=None, metadata=wire("TurnKickOffLagDays", "integer"))
    """``TurnKickOffLagDays`` on the wire."""
    turn_kick_off_on_days: int | None = field(default=None, metadata=wire("TurnKickOffOnDays", "integer"))
    """``TurnKickOffOnDays`` on the wire."""
    earliest_slot: int | None = field(default=None, metadata=wire("EarliestSlot", "integer"))
    """First usable slot."""
    latest_slot: int | None = field(default=None, metadata=wire("LatestSlot", "integer"))
    """Last usable slot; at least 1. Limit from a vendor sample."""
    slots_count: int | None = field(default=None, metadata=wire("SlotsCount", "integer"))
    """Appointment slots per day (3, 5, 7 or 10). Values from a vendor sample."""
    is_precalculated_schedule: bool | None = field(
        default=None, metadata=wire("IsPrecalculatedSchedule", "boolean")
    )
    """``IsPrecalculatedSchedule`` on the wire."""
    allow_time_preference: bool | None = field(default=None, metadata=wire("AllowTimePreference", "boolean"))
    """``AllowTimePreference`` on the wire."""
    turn_template_id: int | None = field(default=None, metadata=wire("TurnTemplateId", "integer"))
    """Id of the turn template."""
    ism_spec_group_id: int | None = field(default=None, metadata=wire("IsmSpecGroupId", "integer"))
    """``IsmSpecGroupId`` on the wire."""
    ism_url: str | None = field(default=None, metadata=wire("IsmUrl", "string"))
    """``IsmUrl`` on the wire."""
    exclude_non_compliant_providers: ExcludeCoi | None = field(
        default=None, metadata=wire("ExcludeNonCompliantProviders", "enum", "ExcludeCoi")
    )
    """How providers without valid insurance are treated."""
    is_nte_auto: bool | None = field(default=None, metadata=wire("IsNteAuto", "boolean"))
    """Not-to-exceed value is set automatically."""


@define(kw_only=True, eq=False, repr=False)
class BusinessHours(PortfolioChildEntity):
    """The service's ``BusinessHours``.

    Operations: unknown.
    """

    day_idx_day_of_week: int | None = field(default=None, metadata=wire("DayIdxDayOfWeek", "integer"))
    """``DayIdxDayOfWeek`` on the wire."""
    finish_time: datetime | None = field(default=None, metadata=wire("FinishTime", "datetime-local"))
    """``FinishTime`` on the wire. Local time without a zone."""
    start_time: datetime | None = field(default=None, metadata=wire("StartTime", "datetime-local"))
    """``StartTime`` on the wire. Local time without a zone."""


@define(kw_only=True, eq=False, repr=False)
class EscalationRule(PortfolioChildEntity):
    """The service's ``EscalationRule``.

    Operations: unknown.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    notify_after: int | None = field(default=None, metadata=wire("NotifyAfter", "integer"))
    """``NotifyAfter`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class Holiday(PortfolioChildEntity):
    """The service's ``Holiday``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    dt_holiday: datetime | None = field(default=None, metadata=wire("DtHoliday", "datetime-local"))
    """``DtHoliday`` on the wire. Local time without a zone."""


@define(kw_only=True, eq=False, repr=False)
class LinkPortfolioAndWorkZone(Entity):
    """The service's ``LinkPortfolioAndWorkZone``.

    Operations: unknown.
    """

    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone."""
    portfolio_id: int | None = field(default=None, metadata=wire("PortfolioId", "integer"))
    """Id of the portfolio."""
    is_primary: bool | None = field(default=None, metadata=wire("IsPrimary", "boolean"))
    """Marks the primary link."""


@define(kw_only=True, eq=False, repr=False)
class LinkTeamAndWorkZone(Entity):
    """The service's ``LinkTeamAndWorkZone``.

    Operations: unknown.
    """

    team_id: int | None = field(default=None, metadata=wire("TeamId", "integer"))
    """Id of the team."""
    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record."""


@define(kw_only=True, eq=False, repr=False)
class OnCallRule(PortfolioChildEntity):
    """The service's ``OnCallRule``.

    Operations: unknown.
    """

    day_of_week: int | None = field(default=None, metadata=wire("DayOfWeek", "integer"))
    """``DayOfWeek`` on the wire."""
    biz_hours_user_id: int | None = field(default=None, metadata=wire("BizHoursUserId", "integer"))
    """``BizHoursUserId`` on the wire."""
    after_hours_user_id: int | None = field(default=None, metadata=wire("AfterHoursUserId", "integer"))
    """``AfterHoursUserId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class Portfolio(LockedEntity):
    """Group of work zones.

    Operations: none known. Not supported: delete. Unknown: create, retrieve, update, query. Delete with
    PortfolioDeleteCommand.
    """

    is_removed: bool | None = field(default=None, metadata=wire("IsRemoved", "boolean"))
    """Soft-removal flag. In the 2023 OpenAPI description only."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    type_id: PortfolioType | None = field(default=None, metadata=wire("TypeId", "enum", "PortfolioType"))
    """Kind of the record."""
    parent_portfolio_id: int | None = field(default=None, metadata=wire("ParentPortfolioId", "integer"))
    """``ParentPortfolioId`` on the wire."""
    use_biz_hours: bool | None = field(default=None, metadata=wire("UseBizHours", "boolean"))
    """The portfolio's own business hours apply."""
    use_holidays: bool | None = field(default=None, metadata=wire("UseHolidays", "boolean"))
    """The portfolio's own holiday list applies."""
    use_on_call: bool | None = field(default=None, metadata=wire("UseOnCall", "boolean"))
    """The portfolio's own on-call rules apply."""
    use_escalation: bool | None = field(default=None, metadata=wire("UseEscalation", "boolean"))
    """The portfolio's own escalation rules apply."""
    turn_template_id: int | None = field(default=None, metadata=wire("TurnTemplateId", "integer"))
    """Id of the turn template."""
    sla_values: list[SlaValuesOverride] | None = field(
        default=None, metadata=wire("SlaValues", "ref", "SlaValuesOverride", many=True)
    )
    """Response-time overrides per priority."""


@define(kw_only=True, eq=False, repr=False)
class Responsibility(PortfolioChildEntity):
    """The service's ``Responsibility``.

    Operations: unknown.
    """

    assignee_id: int | None = field(default=None, metadata=wire("AssigneeId", "integer"))
    """``AssigneeId`` on the wire."""
    assignee_type_id: ActorType | None = field(
        default=None, metadata=wire("AssigneeTypeId", "enum", "ActorType")
    )
    """``AssigneeTypeId`` on the wire."""
    responsibility_type: ResponsibilityType | None = field(
        default=None, metadata=wire("ResponsibilityType", "ref", "ResponsibilityType")
    )
    """``ResponsibilityType`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class ResponsibilityType(LockedEntity):
    """The service's ``ResponsibilityType``.

    Operations: unknown.
    """

    is_removed: bool | None = field(default=None, metadata=wire("IsRemoved", "boolean"))
    """Soft-removal flag. In the 2023 OpenAPI description only."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class SlaValuesOverride(PortfolioChildEntity):
    """The service's ``SlaValuesOverride``.

    Operations: unknown.
    """

    priority_id: int | None = field(default=None, metadata=wire("PriorityId", "integer"))
    """``PriorityId`` on the wire."""
    due_in_minutes: int | None = field(default=None, metadata=wire("DueInMinutes", "integer"))
    """Minutes allowed to complete."""
    respond_in_minutes: int | None = field(default=None, metadata=wire("RespondInMinutes", "integer"))
    """Minutes allowed to arrive."""
    ack_in_minutes: int | None = field(default=None, metadata=wire("AckInMinutes", "integer"))
    """Minutes allowed to acknowledge."""


@define(kw_only=True, eq=False, repr=False)
class SpecDispatchRule(PortfolioChildEntity):
    """The service's ``SpecDispatchRule``.

    Operations: unknown.
    """

    specialty_id: int | None = field(default=None, metadata=wire("SpecialtyId", "integer"))
    """Id of the specialty."""
    index: int | None = field(default=None, metadata=wire("Index", "integer"))
    """Order position."""
    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
