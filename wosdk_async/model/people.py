"""Entities: people.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model._wire import wire
from wosdk_async.model.bases import (
    EmployeeLinkEntity,
    Entity,
    LockedEntity,
    MoneyValuesEntity,
    RemovableEntity,
)

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from wosdk_async.model.billing import PriceList
    from wosdk_async.model.contact_details import Address2, ContactInfo
    from wosdk_async.model.custom_fields import CustomField2
    from wosdk_async.model.customers import Note
    from wosdk_async.model.enums import (
        ActorType,
        AlertType,
        CurrencyType,
        DistanceUnit,
        EmployeeWonStatus,
        InsuranceStatus,
        ProviderlType,
    )
    from wosdk_async.model.values import Money
    from wosdk_async.model.work_zones import LinkTeamAndWorkZone


@define(kw_only=True, eq=False, repr=False)
class Employee(RemovableEntity):
    """Technician or service provider.

    Operations: create, retrieve, update, delete, query.

    Sources: spec, wsdl, peer, doc.
    """

    first_name: str | None = field(
        default=None,
        metadata=wire("FirstName", "string", max_length=80, max_length_source="doc", required=True),
    )
    """Given name. At most 80 characters. Required on creation. Sources: spec, wsdl, peer, doc."""
    last_name: str | None = field(default=None, metadata=wire("LastName", "string"))
    """Family name. Sources: spec, wsdl, peer."""
    display_as: str | None = field(
        default=None,
        metadata=wire("DisplayAs", "string", max_length=256, max_length_source="doc", required=True),
    )
    """Label shown to users. At most 256 characters. Required on creation. Sources: spec, wsdl, peer, doc."""
    role: Role | None = field(default=None, metadata=wire("Role", "ref", "Role"))
    """Security role. Sources: wsdl, peer."""
    access_to_all_work_zones: bool | None = field(
        default=None, metadata=wire("AccessToAllWorkZones", "boolean")
    )
    """May reach every work zone. Sources: spec, wsdl, peer."""
    language_id: int | None = field(default=None, metadata=wire("LanguageId", "integer"))
    """Language preference id. Sources: spec, wsdl, peer."""
    actor_type_id: ActorType | None = field(
        default=None, metadata=wire("ActorTypeId", "enum", "ActorType", required=True)
    )
    """Technician or provider. Required on creation. Employee or Provider only. Sources: spec, wsdl, peer,
    doc.
    """
    username: str | None = field(default=None, metadata=wire("Username", "string"))
    """Login name. Sources: spec, wsdl, peer."""
    dt_pwd_change: datetime | None = field(default=None, metadata=wire("DtPwdChange", "datetime-local"))
    """Date of the last password change. ISO 8601 local time, no zone. Date only, server time. Sources: spec,
    wsdl, peer, doc.
    """
    provider_invited_on: datetime | None = field(
        default=None, metadata=wire("ProviderInvitedOn", "datetime-local")
    )
    """When the provider was invited. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    instructions: str | None = field(
        default=None, metadata=wire("Instructions", "string", max_length=3072, max_length_source="doc")
    )
    """Instruction text shown to users. At most 3072 characters. Sources: spec, wsdl, peer, doc."""
    won_member_id: int | None = field(default=None, metadata=wire("WonMemberId", "integer"))
    """Member id in the provider network. Sources: spec, wsdl, peer."""
    won_location_id: int | None = field(default=None, metadata=wire("WonLocationId", "integer"))
    """Location id in the provider network. Sources: spec, wsdl, peer."""
    won_service_radius: int | None = field(default=None, metadata=wire("WonServiceRadius", "integer"))
    """Service radius of the provider. Sources: spec, wsdl, peer."""
    is_electronic_payment: bool | None = field(default=None, metadata=wire("IsElectronicPayment", "boolean"))
    """Provider prefers electronic payment. Sources: spec, wsdl, peer."""
    provider_status_id: EmployeeWonStatus | None = field(
        default=None, metadata=wire("ProviderStatusId", "enum", "EmployeeWonStatus")
    )
    """Connection state with the provider network. Sources: spec, wsdl, peer."""
    label_id: int | None = field(default=None, metadata=wire("LabelId", "integer"))
    """``LabelId`` on the wire. Sources: spec, wsdl, peer."""
    free_text_allowed: bool | None = field(default=None, metadata=wire("FreeTextAllowed", "boolean"))
    """Provider may add free-text invoice lines. Sources: spec, wsdl, peer."""
    radius_unit: DistanceUnit | None = field(
        default=None, metadata=wire("RadiusUnit", "enum", "DistanceUnit")
    )
    """Unit of the service radius. Sources: spec, wsdl, peer."""
    password: str | None = field(default=None, metadata=wire("Password", "string", secret=True))
    """Login password; write only. Sources: spec, wsdl, peer."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code. Sources: spec, wsdl, peer."""
    job_title: str | None = field(default=None, metadata=wire("JobTitle", "string"))
    """Job title. Sources: spec, wsdl, peer."""
    federal_id: str | None = field(
        default=None, metadata=wire("FederalId", "string", max_length=64, max_length_source="doc")
    )
    """Tax registration number. At most 64 characters. Sources: spec, wsdl, peer, doc."""
    external_id: str | None = field(
        default=None, metadata=wire("ExternalId", "string", max_length=64, max_length_source="doc")
    )
    """Outside identifier of a provider. At most 64 characters. Sources: spec, wsdl, peer, doc."""
    force_password_reset: bool | None = field(default=None, metadata=wire("ForcePasswordReset", "boolean"))
    """Must change the password at login. Sources: spec, wsdl, peer."""
    tax_warn_only: bool | None = field(default=None, metadata=wire("TaxWarnOnly", "boolean"))
    """``TaxWarnOnly`` on the wire. Sources: spec, wsdl, peer."""
    default_price_list: PriceList | None = field(
        default=None, metadata=wire("DefaultPriceList", "ref", "PriceList")
    )
    """Price list used by default. Sources: wsdl, peer."""
    price_lists: list[LinkProviderPriceList] | None = field(
        default=None, metadata=wire("PriceLists", "ref", "LinkProviderPriceList", many=True)
    )
    """Price lists of the provider. Sources: spec, wsdl, peer."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record. Sources: spec, wsdl, peer."""
    organization: Organization | None = field(
        default=None, metadata=wire("Organization", "ref", "Organization")
    )
    """Organization it belongs to. Sources: wsdl, peer."""
    bill_at_zero: bool | None = field(default=None, metadata=wire("BillAtZero", "boolean"))
    """Labor is billed at zero rate. Sources: spec, wsdl, peer."""
    is_supplier: bool | None = field(default=None, metadata=wire("IsSupplier", "boolean"))
    """Provider also supplies products. Sources: spec, wsdl, peer."""
    provider_type_id: ProviderlType | None = field(
        default=None, metadata=wire("ProviderTypeId", "enum", "ProviderlType")
    )
    """Kind of provider. Sources: spec, wsdl, peer."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points. Sources: spec, wsdl, peer."""
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address. Sources: wsdl, peer."""
    teams: list[LinkUserAndTeam] | None = field(
        default=None, metadata=wire("Teams", "ref", "LinkUserAndTeam", many=True)
    )
    """Teams of the employee. Sources: spec, wsdl, peer."""
    work_zones: list[LinkUserAndWorkZone] | None = field(
        default=None, metadata=wire("WorkZones", "ref", "LinkUserAndWorkZone", many=True)
    )
    """Work zones open to the employee. Sources: spec, wsdl, peer."""
    portfolios: list[LinkUserAndPortfolio] | None = field(
        default=None, metadata=wire("Portfolios", "ref", "LinkUserAndPortfolio", many=True)
    )
    """Portfolios open to the employee. Sources: spec, wsdl, peer."""
    customer_groups: list[LinkUserAndCustomerGroup] | None = field(
        default=None, metadata=wire("CustomerGroups", "ref", "LinkUserAndCustomerGroup", many=True)
    )
    """Billing accounts open to the employee. Sources: spec, wsdl, peer."""
    specialties: list[LinkUserAndSpecialty] | None = field(
        default=None, metadata=wire("Specialties", "ref", "LinkUserAndSpecialty", many=True)
    )
    """Skills of the employee. Sources: spec, wsdl, peer."""
    pay_rates: list[UserPayRate] | None = field(
        default=None, metadata=wire("PayRates", "ref", "UserPayRate", many=True)
    )
    """Pay rates by labor code. Sources: spec, wsdl, peer."""
    stock_locations: list[LinkUserAndStockLocation] | None = field(
        default=None, metadata=wire("StockLocations", "ref", "LinkUserAndStockLocation", many=True)
    )
    """Stock locations the employee may use. Sources: spec, wsdl, peer."""
    services: list[LinkProviderAndService] | None = field(
        default=None, metadata=wire("Services", "ref", "LinkProviderAndService", many=True)
    )
    """Provider network services offered. Sources: spec, wsdl, peer."""
    alert_subscriptions: list[AlertSubscription] | None = field(
        default=None, metadata=wire("AlertSubscriptions", "ref", "AlertSubscription", many=True)
    )
    """Alerts the employee receives. Sources: spec, wsdl, peer."""
    tax_exempt: bool | None = field(default=None, metadata=wire("TaxExempt", "boolean"))
    """Exempt from sales tax. Sources: spec, wsdl, peer."""
    limit_assignment_by_portfolio_id: int | None = field(
        default=None, metadata=wire("LimitAssignmentByPortfolioId", "integer")
    )
    """Portfolio that limits assignments. Sources: spec, wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Actor(Entity):
    """Whoever can act on a record.

    Operations: retrieve, query. Not create, update, delete. Read only.

    Key: Id, TypeId. Sources: wsdl, peer, doc.
    """

    type_id: ActorType | None = field(default=None, metadata=wire("TypeId", "enum", "ActorType"))
    """Kind of the record. Sources: wsdl, peer."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class AlertScope(LockedEntity):
    """``AlertScope`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    alert_type_id: AlertType | None = field(default=None, metadata=wire("AlertTypeId", "enum", "AlertType"))
    """``AlertTypeId`` on the wire. Sources: wsdl, peer."""
    scope_id: int | None = field(default=None, metadata=wire("ScopeId", "integer"))
    """``ScopeId`` on the wire. Sources: wsdl, peer."""
    scope_type_id: ActorType | None = field(default=None, metadata=wire("ScopeTypeId", "enum", "ActorType"))
    """``ScopeTypeId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class AlertSubscription(LockedEntity):
    """``AlertSubscription`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Key: UserId, AlertTypeId. Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    alert_type_id: AlertType | None = field(default=None, metadata=wire("AlertTypeId", "enum", "AlertType"))
    """``AlertTypeId`` on the wire. Sources: wsdl, peer."""
    full_scope_subscription: bool | None = field(
        default=None, metadata=wire("FullScopeSubscription", "boolean")
    )
    """``FullScopeSubscription`` on the wire. Sources: wsdl, peer."""
    subscription_scope: list[AlertScope] | None = field(
        default=None, metadata=wire("SubscriptionScope", "ref", "AlertScope", many=True)
    )
    """``SubscriptionScope`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkProviderAndService(EmployeeLinkEntity):
    """``LinkProviderAndService`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    provider_id: int | None = field(default=None, metadata=wire("ProviderId", "integer"))
    """Id of the service provider. Sources: wsdl, peer."""
    service_id: int | None = field(default=None, metadata=wire("ServiceId", "integer"))
    """``ServiceId`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkProviderPriceList(LockedEntity):
    """``LinkProviderPriceList`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    provider_id: int | None = field(default=None, metadata=wire("ProviderId", "integer"))
    """Id of the service provider. Sources: wsdl, peer."""
    portfolio_id: int | None = field(default=None, metadata=wire("PortfolioId", "integer"))
    """Id of the portfolio. Sources: wsdl, peer."""
    price_list_id: int | None = field(default=None, metadata=wire("PriceListId", "integer"))
    """``PriceListId`` on the wire. Sources: wsdl, peer."""
    idx: int | None = field(default=None, metadata=wire("Idx", "integer"))
    """Order position. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndCustomerGroup(EmployeeLinkEntity):
    """``LinkUserAndCustomerGroup`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    customer_group_id: int | None = field(default=None, metadata=wire("CustomerGroupId", "integer"))
    """Id of the billing account (customer group). Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndPortfolio(EmployeeLinkEntity):
    """``LinkUserAndPortfolio`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    portfolio_id: int | None = field(default=None, metadata=wire("PortfolioId", "integer"))
    """Id of the portfolio. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndSpecialty(EmployeeLinkEntity):
    """``LinkUserAndSpecialty`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    specialty_id: int | None = field(default=None, metadata=wire("SpecialtyId", "integer"))
    """Id of the specialty. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndStockLocation(EmployeeLinkEntity):
    """``LinkUserAndStockLocation`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    stock_location_id: int | None = field(default=None, metadata=wire("StockLocationId", "integer"))
    """Id of the stock location. Sources: wsdl, peer."""
    full_access: int | None = field(default=None, metadata=wire("FullAccess", "integer"))
    """``FullAccess`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndTeam(EmployeeLinkEntity):
    """``LinkUserAndTeam`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    team_id: int | None = field(default=None, metadata=wire("TeamId", "integer"))
    """Id of the team. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndWorkZone(EmployeeLinkEntity):
    """``LinkUserAndWorkZone`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Organization(LockedEntity):
    """Outside organization.

    Operations: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code. Sources: wsdl, peer."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record. Sources: wsdl, peer."""
    notes: list[Note] | None = field(default=None, metadata=wire("Notes", "ref", "Note", many=True))
    """Notes attached to the record. Sources: wsdl, peer."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points. Sources: wsdl, peer."""
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ProviderCoi(LockedEntity):
    """``ProviderCoi`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee. Sources: wsdl, peer."""
    amt_coverage: Money | None = field(default=None, metadata=wire("AmtCoverage", "money", "Money"))
    """``AmtCoverage`` on the wire. Sources: wsdl, peer."""
    status_id: InsuranceStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "InsuranceStatus")
    )
    """Status of the record. Sources: wsdl, peer."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment. Sources: wsdl, peer."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Role(LockedEntity):
    """Security role.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    rank: int | None = field(default=None, metadata=wire("Rank", "integer"))
    """``Rank`` on the wire. Sources: wsdl, peer."""
    unlimited_nte: bool | None = field(default=None, metadata=wire("UnlimitedNte", "boolean"))
    """``UnlimitedNte`` on the wire. Sources: wsdl, peer."""
    sso_login_only: bool | None = field(default=None, metadata=wire("SsoLoginOnly", "boolean"))
    """Password login is off. Sources: wsdl, peer."""
    currencies: list[RoleMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "RoleMoneyValues", many=True)
    )
    """Per-currency money settings. Sources: wsdl, peer."""
    is_ism_required: bool | None = field(default=None, metadata=wire("IsIsmRequired", "boolean"))
    """``IsIsmRequired`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class RoleMoneyValues(MoneyValuesEntity):
    """``RoleMoneyValues`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    nte_limit: Decimal | None = field(default=None, metadata=wire("NteLimit", "number"))
    """Not-to-exceed limit. Exact decimal. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class Team(RemovableEntity):
    """Group of employees.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    work_zones: list[LinkTeamAndWorkZone] | None = field(
        default=None, metadata=wire("WorkZones", "ref", "LinkTeamAndWorkZone", many=True)
    )
    """``WorkZones`` on the wire. Sources: wsdl, peer."""
    employees: list[LinkUserAndTeam] | None = field(
        default=None, metadata=wire("Employees", "ref", "LinkUserAndTeam", many=True)
    )
    """``Employees`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class TimeOff(LockedEntity):
    """Absence of an employee.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee. Sources: wsdl, peer."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. ISO 8601 local time, no zone. Sources: wsdl, peer."""
    replace_by_id: int | None = field(default=None, metadata=wire("ReplaceById", "integer"))
    """``ReplaceById`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ToDoItem(Entity):
    """``ToDoItem`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object. Sources: wsdl, peer."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object. Sources: wsdl, peer."""
    dt_utc_due: datetime | None = field(default=None, metadata=wire("DtUtcDue", "datetime-utc"))
    """``DtUtcDue`` on the wire. UTC. Sources: wsdl, peer."""
    done: bool | None = field(default=None, metadata=wire("Done", "boolean"))
    """``Done`` on the wire. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    comments: str | None = field(default=None, metadata=wire("Comments", "string"))
    """Free-text comments. Sources: wsdl, peer."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee. Sources: wsdl, peer."""
    created_employee_id: int | None = field(default=None, metadata=wire("CreatedEmployeeId", "integer"))
    """``CreatedEmployeeId`` on the wire. Sources: wsdl, peer."""
    completed_employee_id: int | None = field(default=None, metadata=wire("CompletedEmployeeId", "integer"))
    """``CompletedEmployeeId`` on the wire. Sources: wsdl, peer."""
    dt_utc_completed: datetime | None = field(default=None, metadata=wire("DtUtcCompleted", "datetime-utc"))
    """``DtUtcCompleted`` on the wire. UTC. Sources: wsdl, peer."""
    type: ToDoType | None = field(default=None, metadata=wire("Type", "ref", "ToDoType"))
    """``Type`` on the wire. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class ToDoType(LockedEntity):
    """``ToDoType`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users. Sources: wsdl, peer."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text. Sources: wsdl, peer."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class UserPayRate(LockedEntity):
    """``UserPayRate`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    labor_code_id: int | None = field(default=None, metadata=wire("LaborCodeId", "integer"))
    """Id of the labor code. Sources: wsdl, peer."""
    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee). Sources: wsdl, peer."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record. Sources: wsdl, peer."""
    currencies: list[UserPayRateMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "UserPayRateMoneyValues", many=True)
    )
    """Per-currency money settings. Sources: wsdl, peer."""


@define(kw_only=True, eq=False, repr=False)
class UserPayRateMoneyValues(MoneyValuesEntity):
    """``UserPayRateMoneyValues`` of the service.

    Operations: none. Not known: create, retrieve, update, delete, query.

    Sources: wsdl, peer.
    """

    rate: Decimal | None = field(default=None, metadata=wire("Rate", "number"))
    """Rate per unit. Exact decimal. Sources: wsdl, peer."""
