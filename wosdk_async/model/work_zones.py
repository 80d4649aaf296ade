"""Entities: work zones.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import Entity, LockedEntity, PortfolioChildEntity, RemovableEntity

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

    Operations: retrieve, update, query. Not create, delete. Create and delete by WorkZoneCreateCommand and
    WorkZoneDeleteCommand.

    Sources: spec, wsdl, peer, doc.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: spec, wsdl, peer."""
    asset: Location | None = field(default=None, metadata=wire("Asset", "ref", "Location"))
    """Root of the asset tree. The specification calls the type Asset. Sources: wsdl, peer."""
    time_zone: int | None = field(default=None, metadata=wire("TimeZone", "integer"))
    """Numeric time zone id, copied to work orders. Sources: spec, wsdl, peer."""
    language_id: int | None = field(default=None, metadata=wire("LanguageId", "integer"))
    """Language preference id. Sources: spec, wsdl, peer."""
    wo_number_prefix: str | None = field(default=None, metadata=wire("WoNumberPrefix", "string"))
    """Prefix of work order numbers. Sources: spec, wsdl, peer."""
    entity: str | None = field(default=None, metadata=wire("Entity", "string"))
    """``Entity`` on the wire. Sources: spec, wsdl, peer."""
    scheduling_window: int | None = field(default=None, metadata=wire("SchedulingWindow", "integer"))
    """``SchedulingWindow`` on the wire. Sources: spec, wsdl, peer."""
    no_incomplete_procedure: bool | None = field(
        default=None, metadata=wire("NoIncompleteProcedure", "boolean")
    )
    """``NoIncompleteProcedure`` on the wire. Sources: spec, wsdl, peer."""
    access_options_mask: int | None = field(default=None, metadata=wire("AccessOptionsMask", "integer"))
    """Bit mask of allowed access options. Bits follow PTEType; zero not allowed. Sources: spec, wsdl, peer,
    doc.
    """
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code. Sources: spec, wsdl, peer."""
    advance_notice: int | None = field(default=None, metadata=wire("AdvanceNotice", "integer"))
    """Hours before the first possible appointment (0-240). 0 to 240. Sources: spec, wsdl, peer, doc."""
    tax_region: TaxRegion | None = field(default=None, metadata=wire("TaxRegion", "ref", "TaxRegion"))
    """Tax region. Sources: wsdl, peer."""
    wo_number_digits: int | None = field(default=None, metadata=wire("WoNumberDigits", "integer"))
    """Digits in work order numbers. Sources: spec, wsdl, peer."""
    round_appt_time_to: int | None = field(default=None, metadata=wire("RoundApptTimeTo", "integer"))
    """``RoundApptTimeTo`` on the wire. Sources: spec, wsdl, peer."""
    work_plan_auto_cancel: bool | None = field(default=None, metadata=wire("WorkPlanAutoCancel", "boolean"))
    """``WorkPlanAutoCancel`` on the wire. Sources: spec, wsdl, peer."""
    work_plan_child_resolution: bool | None = field(
        default=None, metadata=wire("WorkPlanChildResolution", "boolean")
    )
    """``WorkPlanChildResolution`` on the wire. Sources: spec, wsdl, peer."""
    work_plan_auto_dependency: bool | None = field(
        default=None, metadata=wire("WorkPlanAutoDependency", "boolean")
    )
    """``WorkPlanAutoDependency`` on the wire. Sources: spec, wsdl, peer."""
    cp_theme_id: int | None = field(default=None, metadata=wire("CpThemeId", "integer"))
    """Customer portal theme id. Sources: spec, wsdl, peer."""
    default_access: PTEType | None = field(default=None, metadata=wire("DefaultAccess", "enum", "PTEType"))
    """Access option used by default. Sources: spec, wsdl, peer."""
    auto_assign_enabled: bool | None = field(default=None, metadata=wire("AutoAssignEnabled", "boolean"))
    """Routing by specialty is on. Sources: spec, wsdl, peer."""
    backup_routing_id: BackupRouting | None = field(
        default=None, metadata=wire("BackupRoutingId", "enum", "BackupRouting")
    )
    """Routing used when no rule fits. Sources: spec, wsdl, peer."""
    billing_account: BillingAccount | None = field(
        default=None, metadata=wire("BillingAccount", "ref", "BillingAccount")
    )
    """Billing account (customer group). Sources: wsdl, peer."""
    contract: Contract | None = field(default=None, metadata=wire("Contract", "ref", "Contract"))
    """Billing contract. Sources: wsdl, peer."""
    no_incomplete_item: bool | None = field(default=None, metadata=wire("NoIncompleteItem", "boolean"))
    """``NoIncompleteItem`` on the wire. Sources: spec, wsdl, peer."""
    ui_show_providers_first: bool | None = field(
        default=None, metadata=wire("UiShowProvidersFirst", "boolean")
    )
    """``UiShowProvidersFirst`` on the wire. Sources: spec, wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: spec, wsdl, peer."""
    is_offline: bool | None = field(default=None, metadata=wire("IsOffline", "boolean"))
    """True when taken out of service. Sources: spec, wsdl, peer."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points. Sources: spec, wsdl, peer."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record. Sources: spec, wsdl, peer."""
    portfolios: list[LinkPortfolioAndWorkZone] | None = field(
        default=None, metadata=wire("Portfolios", "ref", "LinkPortfolioAndWorkZone", many=True)
    )
    """Links to portfolios. Sources: spec, wsdl, peer."""
    sla_values: list[SlaValuesOverride] | None = field(
        default=None, metadata=wire("SlaValues", "ref", "SlaValuesOverride", many=True)
    )
    """Response-time overrides per priority. Sources: spec, wsdl, peer."""
    teams: list[LinkTeamAndWorkZone] | None = field(
        default=None, metadata=wire("Teams", "ref", "LinkTeamAndWorkZone", many=True)
    )
    """Links to teams. Sources: spec, wsdl, peer."""
    biz_hours: list[BusinessHours] | None = field(
        default=None, metadata=wire("BizHours", "ref", "BusinessHours", many=True)
    )
    """Business hours by day. Sources: spec, wsdl, peer."""
    escalation_rules: list[EscalationRule] | None = field(
        default=None, metadata=wire("EscalationRules", "ref", "EscalationRule", many=True)
    )
    """Escalation rules. Sources: spec, wsdl, peer."""
    spec_dispatch_rules: list[SpecDispatchRule] | None = field(
        default=None, metadata=wire("SpecDispatchRules", "ref", "SpecDispatchRule", many=True)
    )
    """Dispatch rules by specialty. Sources: spec, wsdl, peer."""
    on_call_rules: list[OnCallRule] | None = field(
        default=None, metadata=wire("OnCallRules", "ref", "OnCallRule", many=True)
    )
    """On-call rules. Sources: spec, wsdl, peer."""
    responsibilities: list[Responsibility] | None = field(
        default=None, metadata=wire("Responsibilities", "ref", "Responsibility", many=True)
    )
    """Responsibility assignments. Sources: spec, wsdl, peer."""
    use_biz_hours: bool | None = field(default=None, metadata=wire("UseBizHours", "boolean"))
    """Own business hours apply. Sources: spec, wsdl, peer."""
    use_holidays: bool | None = field(default=None, metadata=wire("UseHolidays", "boolean"))
    """Own holiday list applies. Sources: spec, wsdl, peer."""
    use_on_call: bool | None = field(default=None, metadata=wire("UseOnCall", "boolean"))
    """Own on-call rules apply. Sources: spec, wsdl, peer."""
    use_escalation: bool | None = field(default=None, metadata=wire("UseEscalation", "boolean"))
    """Own escalation rules apply. Sources: spec, wsdl, peer."""
    default_bill_to_logic: int | None = field(default=None, metadata=wire("DefaultBillToLogic", "integer"))
    """Default bill-to option. Sources: spec, wsdl, peer."""
    turn_kick_off_auto: bool | None = field(default=None, metadata=wire("TurnKickOffAuto", "boolean"))
    """``TurnKickOffAuto`` on the wire. Sources: spec, wsdl, peer."""
    turn_kick_off_lag_days: int | None = field(default=None, metadata=wire("TurnKickOffLagDays", "integer"))
    """``TurnKickOffLagDays`` on the wire. Sources: spec, wsdl, peer."""
    turn_kick_off_on_days: int | None = field(default=None, metadata=wire("TurnKickOffOnDays", "integer"))
    """``TurnKickOffOnDays`` on the wire. Sources: spec, wsdl, peer."""
    earliest_slot: int | None = field(default=None, metadata=wire("EarliestSlot", "integer"))
    """First usable slot. Sources: spec, wsdl, peer."""
    latest_slot: int | None = field(default=None, metadata=wire("LatestSlot", "integer"))
    """Last usable slot; at least 1. 1 or more (vendor sample). Sources: spec, wsdl, peer."""
    slots_count: int | None = field(default=None, metadata=wire("SlotsCount", "integer"))
    """Appointment slots per day (3, 5, 7 or 10). 3, 5, 7 or 10 (vendor sample). Sources: spec, wsdl, peer."""
    is_precalculated_schedule: bool | None = field(
        default=None, metadata=wire("IsPrecalculatedSchedule", "boolean")
    )
    """``IsPrecalculatedSchedule`` on the wire. Sources: spec, wsdl, peer."""
    allow_time_preference: bool | None = field(default=None, metadata=wire("AllowTimePreference", "boolean"))
    """``AllowTimePreference`` on the wire. Sources: spec, wsdl, peer."""
    turn_template_id: int | None = field(default=None, metadata=wire("TurnTemplateId", "integer"))
    """Id of the turn template. Sources: spec, wsdl, peer."""
    ism_spec_group_id: int | None = field(default=None, metadata=wire("IsmSpecGroupId", "integer"))
    """``IsmSpecGroupId`` on the wire. Sources: spec, wsdl, peer."""
    ism_url: str | None = field(default=None, metadata=wire("IsmUrl", "string"))
    """``IsmUrl`` on the wire. Sources: spec, wsdl, peer."""
    exclude_non_compliant_providers: ExcludeCoi | None = field(
        default=None, metadata=wire("ExcludeNonCompliantProviders", "enum", "ExcludeCoi")
    )
    """How providers without valid insurance are treated. Sources: spec, wsdl, peer."""
    is_nte_auto: bool | None = field(default=None, metadata=wire("IsNteAuto", "boolean"))
    """Not-to-exceed value is set automatically. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class BusinessHours(PortfolioChildEntity):
    """``BusinessHours`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    day_idx_day_of_week: int | None = field(default=None, metadata=wire("DayIdxDayOfWeek", "integer"))
    """``DayIdxDayOfWeek`` on the wire. Sources: wsdl, peer."""
    finish_time: datetime | None = field(default=None, metadata=wire("FinishTime", "datetime-local"))
    """``FinishTime`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    start_time: datetime | None = field(default=None, metadata=wire("StartTime", "datetime-local"))
    """``StartTime`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class EscalationRule(PortfolioChildEntity):
    """``EscalationRule`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    notify_after: int | None = field(default=None, metadata=wire("NotifyAfter", "integer"))
    """``NotifyAfter`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Holiday(PortfolioChildEntity):
    """``Holiday`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    dt_holiday: datetime | None = field(default=None, metadata=wire("DtHoliday", "datetime-local"))
    """``DtHoliday`` on the wire. ISO 8601 local time, no zone. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkPortfolioAndWorkZone(Entity):
    """``LinkPortfolioAndWorkZone`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone. Sources: wsdl, peer."""
    portfolio_id: int | None = field(default=None, metadata=wire("PortfolioId", "integer"))
    """Id of the portfolio. Sources: wsdl, peer."""
    is_primary: bool | None = field(default=None, metadata=wire("IsPrimary", "boolean"))
    """Marks the primary link. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkTeamAndWorkZone(Entity):
    """``LinkTeamAndWorkZone`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    team_id: int | None = field(default=None, metadata=wire("TeamId", "integer"))
    """Id of the team. Sources: wsdl, peer."""
    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone. Sources: wsdl, peer."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class OnCallRule(PortfolioChildEntity):
    """``OnCallRule`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    day_of_week: int | None = field(default=None, metadata=wire("DayOfWeek", "integer"))
    """``DayOfWeek`` on the wire. Sources: wsdl, peer."""
    biz_hours_user_id: int | None = field(default=None, metadata=wire("BizHoursUserId", "integer"))
    """``BizHoursUserId`` on the wire. Sources: wsdl, peer."""
    after_hours_user_id: int | None = field(default=None, metadata=wire("AfterHoursUserId", "integer"))
    """``AfterHoursUserId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Portfolio(LockedEntity):
    """Group of work zones.

    Operations: none. Not delete. Not known: create, retrieve, update, query. Delete by
    PortfolioDeleteCommand.

    Sources: wsdl, peer.
    """

    is_removed: bool | None = field(default=None, metadata=wire("IsRemoved", "boolean"))
    """Soft-removal flag. In the 2023 OpenAPI description only. Source: peer."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    type_id: PortfolioType | None = field(default=None, metadata=wire("TypeId", "enum", "PortfolioType"))
    """Kind of the record. Sources: wsdl, peer."""
    parent_portfolio_id: int | None = field(default=None, metadata=wire("ParentPortfolioId", "integer"))
    """``ParentPortfolioId`` on the wire. Sources: wsdl, peer."""
    use_biz_hours: bool | None = field(default=None, metadata=wire("UseBizHours", "boolean"))
    """Own business hours apply. Sources: wsdl, peer."""
    use_holidays: bool | None = field(default=None, metadata=wire("UseHolidays", "boolean"))
    """Own holiday list applies. Sources: wsdl, peer."""
    use_on_call: bool | None = field(default=None, metadata=wire("UseOnCall", "boolean"))
    """Own on-call rules apply. Sources: wsdl, peer."""
    use_escalation: bool | None = field(default=None, metadata=wire("UseEscalation", "boolean"))
    """Own escalation rules apply. Sources: wsdl, peer."""
    turn_template_id: int | None = field(default=None, metadata=wire("TurnTemplateId", "integer"))
    """Id of the turn template. Sources: wsdl, peer."""
    sla_values: list[SlaValuesOverride] | None = field(
        default=None, metadata=wire("SlaValues", "ref", "SlaValuesOverride", many=True)
    )
    """Response-time overrides per priority. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Responsibility(PortfolioChildEntity):
    """``Responsibility`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    assignee_id: int | None = field(default=None, metadata=wire("AssigneeId", "integer"))
    """``AssigneeId`` on the wire. Sources: wsdl, peer."""
    assignee_type_id: ActorType | None = field(
        default=None, metadata=wire("AssigneeTypeId", "enum", "ActorType")
    )
    """``AssigneeTypeId`` on the wire. Sources: wsdl, peer."""
    responsibility_type: ResponsibilityType | None = field(
        default=None, metadata=wire("ResponsibilityType", "ref", "ResponsibilityType")
    )
    """``ResponsibilityType`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ResponsibilityType(LockedEntity):
    """``ResponsibilityType`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    is_removed: bool | None = field(default=None, metadata=wire("IsRemoved", "boolean"))
    """Soft-removal flag. In the 2023 OpenAPI description only. Source: peer."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. In the 2023 OpenAPI description only. Source: peer."""


@define(kw_only=True, eq=False, repr=False)
class SlaValuesOverride(PortfolioChildEntity):
    """``SlaValuesOverride`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    priority_id: int | None = field(default=None, metadata=wire("PriorityId", "integer"))
    """``PriorityId`` on the wire. Sources: wsdl, peer."""
    due_in_minutes: int | None = field(default=None, metadata=wire("DueInMinutes", "integer"))
    """Minutes allowed to complete. Sources: wsdl, peer."""
    respond_in_minutes: int | None = field(default=None, metadata=wire("RespondInMinutes", "integer"))
    """Minutes allowed to arrive. Sources: wsdl, peer."""
    ack_in_minutes: int | None = field(default=None, metadata=wire("AckInMinutes", "integer"))
    """Minutes allowed to acknowledge. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class SpecDispatchRule(PortfolioChildEntity):
    """``SpecDispatchRule`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    specialty_id: int | None = field(default=None, metadata=wire("SpecialtyId", "integer"))
    """Id of the specialty. Sources: wsdl, peer."""
    index: int | None = field(default=None, metadata=wire("Index", "integer"))
    """Order position. Sources: wsdl, peer."""
    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
