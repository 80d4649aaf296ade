"""Entities: people.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import (
    EmployeeLinkEntity,
    Entity,
    LockedEntity,
    MoneyValuesEntity,
    RemovableEntity,
)
from wosdk_async.model.metadata import wire

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
    """

    first_name: str | None = field(
        default=None,
        metadata=wire("FirstName", "string", max_length=80, max_length_source="doc", required=True),
    )
    """Given name. At most 80 characters. Required on creation."""
    last_name: str | None = field(default=None, metadata=wire("LastName", "string"))
    """Family name."""
    display_as: str | None = field(
        default=None,
        metadata=wire("DisplayAs", "string", max_length=256, max_length_source="doc", required=True),
    )
    """Label shown to users. At most 256 characters. Required on creation."""
    role: Role | None = field(default=None, metadata=wire("Role", "ref", "Role"))
    """Security role."""
    access_to_all_work_zones: bool | None = field(
        default=None, metadata=wire("AccessToAllWorkZones", "boolean")
    )
    """May reach every work zone."""
    language_id: int | None = field(default=None, metadata=wire("LanguageId", "integer"))
    """Language preference id."""
    actor_type_id: ActorType | None = field(
        default=None, metadata=wire("ActorTypeId", "enum", "ActorType", required=True)
    )
    """Technician or provider. Required on creation. Employee or Provider only."""
    username: str | None = field(default=None, metadata=wire("Username", "string"))
    """Login name."""
    dt_pwd_change: datetime | None = field(default=None, metadata=wire("DtPwdChange", "datetime-local"))
    """Date of the last password change. Local time without a zone. Date only, server time."""
    provider_invited_on: datetime | None = field(
        default=None, metadata=wire("ProviderInvitedOn", "datetime-local")
    )
    """When the provider was invited. Local time without a zone."""
    instructions: str | None = field(
        default=None, metadata=wire("Instructions", "string", max_length=3072, max_length_source="doc")
    )
    """Instruction text shown to users. At most 3072 characters."""
    won_member_id: int | None = field(default=None, metadata=wire("WonMemberId", "integer"))
    """Member id in the provider network."""
    won_location_id: int | None = field(default=None, metadata=wire("WonLocationId", "integer"))
    """Location id in the provider network."""
    won_service_radius: int | None = field(default=None, metadata=wire("WonServiceRadius", "integer"))
    """Service radius of the provider."""
    is_electronic_payment: bool | None = field(default=None, metadata=wire("IsElectronicPayment", "boolean"))
    """Provider prefers electronic payment."""
    provider_status_id: EmployeeWonStatus | None = field(
        default=None, metadata=wire("ProviderStatusId", "enum", "EmployeeWonStatus")
    )
    """Connection state with the provider network."""
    label_id: int | None = field(default=None, metadata=wire("LabelId", "integer"))
    """``LabelId`` on the wire."""
    free_text_allowed: bool | None = field(default=None, metadata=wire("FreeTextAllowed", "boolean"))
    """Provider may add free-text invoice lines."""
    radius_unit: DistanceUnit | None = field(
        default=None, metadata=wire("RadiusUnit", "enum", "DistanceUnit")
    )
    """Unit of the service radius."""
    password: str | None = field(default=None, metadata=wire("Password", "string", secret=True))
    """Login password; write only."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""
    job_title: str | None = field(default=None, metadata=wire("JobTitle", "string"))
    """Job title."""
    federal_id: str | None = field(
        default=None, metadata=wire("FederalId", "string", max_length=64, max_length_source="doc")
    )
    """Tax registration number. At most 64 characters."""
    external_id: str | None = field(
        default=None, metadata=wire("ExternalId", "string", max_length=64, max_length_source="doc")
    )
    """Identifier of a provider in an external system. At most 64 characters."""
    force_password_reset: bool | None = field(default=None, metadata=wire("ForcePasswordReset", "boolean"))
    """Must change the password at login."""
    tax_warn_only: bool | None = field(default=None, metadata=wire("TaxWarnOnly", "boolean"))
    """``TaxWarnOnly`` on the wire."""
    default_price_list: PriceList | None = field(
        default=None, metadata=wire("DefaultPriceList", "ref", "PriceList")
    )
    """Price list used by default."""
    price_lists: list[LinkProviderPriceList] | None = field(
        default=None, metadata=wire("PriceLists", "ref", "LinkProviderPriceList", many=True)
    )
    """Price lists of the provider."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""
    organization: Organization | None = field(
        default=None, metadata=wire("Organization", "ref", "Organization")
    )
    """Organization of the record."""
    bill_at_zero: bool | None = field(default=None, metadata=wire("BillAtZero", "boolean"))
    """Labor is billed at a zero rate."""
    is_supplier: bool | None = field(default=None, metadata=wire("IsSupplier", "boolean"))
    """Provider also supplies products."""
    provider_type_id: ProviderlType | None = field(
        default=None, metadata=wire("ProviderTypeId", "enum", "ProviderlType")
    )
    """Kind of provider."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points."""
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address."""
    teams: list[LinkUserAndTeam] | None = field(
        default=None, metadata=wire("Teams", "ref", "LinkUserAndTeam", many=True)
    )
    """Teams of the employee."""
    work_zones: list[LinkUserAndWorkZone] | None = field(
        default=None, metadata=wire("WorkZones", "ref", "LinkUserAndWorkZone", many=True)
    )
    """Work zones open to the employee."""
    portfolios: list[LinkUserAndPortfolio] | None = field(
        default=None, metadata=wire("Portfolios", "ref", "LinkUserAndPortfolio", many=True)
    )
    """Portfolios open to the employee."""
    customer_groups: list[LinkUserAndCustomerGroup] | None = field(
        default=None, metadata=wire("CustomerGroups", "ref", "LinkUserAndCustomerGroup", many=True)
    )
    """Billing accounts open to the employee."""
    specialties: list[LinkUserAndSpecialty] | None = field(
        default=None, metadata=wire("Specialties", "ref", "LinkUserAndSpecialty", many=True)
    )
    """Skills of the employee."""
    pay_rates: list[UserPayRate] | None = field(
        default=None, metadata=wire("PayRates", "ref", "UserPayRate", many=True)
    )
    """Pay rates by labor code."""
    stock_locations: list[LinkUserAndStockLocation] | None = field(
        default=None, metadata=wire("StockLocations", "ref", "LinkUserAndStockLocation", many=True)
    )
    """Stock locations the employee may use."""
    services: list[LinkProviderAndService] | None = field(
        default=None, metadata=wire("Services", "ref", "LinkProviderAndService", many=True)
    )
    """Services that the provider offers in the provider network."""
    alert_subscriptions: list[AlertSubscription] | None = field(
        default=None, metadata=wire("AlertSubscriptions", "ref", "AlertSubscription", many=True)
    )
    """Alerts the employee receives."""
    tax_exempt: bool | None = field(default=None, metadata=wire("TaxExempt", "boolean"))
    """Exempt from sales tax."""
    limit_assignment_by_portfolio_id: int | None = field(
        default=None, metadata=wire("LimitAssignmentByPortfolioId", "integer")
    )
    """Portfolio that limits assignments."""


@define(kw_only=True, eq=False, repr=False)
class Actor(Entity):
    """Anyone or anything that can act on a record.

    Operations: retrieve, query. Not supported: create, update, delete. Read only.

    Key: Id, TypeId.
    """

    type_id: ActorType | None = field(default=None, metadata=wire("TypeId", "enum", "ActorType"))
    """Kind of the record."""
    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""


@define(kw_only=True, eq=False, repr=False)
class AlertScope(LockedEntity):
    """The service's ``AlertScope``.

    Operations: unknown.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    alert_type_id: AlertType | None = field(default=None, metadata=wire("AlertTypeId", "enum", "AlertType"))
    """``AlertTypeId`` on the wire."""
    scope_id: int | None = field(default=None, metadata=wire("ScopeId", "integer"))
    """``ScopeId`` on the wire."""
    scope_type_id: ActorType | None = field(default=None, metadata=wire("ScopeTypeId", "enum", "ActorType"))
    """``ScopeTypeId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class AlertSubscription(LockedEntity):
    """The service's ``AlertSubscription``.

    Operations: unknown.

    Key: UserId, AlertTypeId.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    alert_type_id: AlertType | None = field(default=None, metadata=wire("AlertTypeId", "enum", "AlertType"))
    """``AlertTypeId`` on the wire."""
    full_scope_subscription: bool | None = field(
        default=None, metadata=wire("FullScopeSubscription", "boolean")
    )
    """``FullScopeSubscription`` on the wire."""
    subscription_scope: list[AlertScope] | None = field(
        default=None, metadata=wire("SubscriptionScope", "ref", "AlertScope", many=True)
    )
    """``SubscriptionScope`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class LinkProviderAndService(EmployeeLinkEntity):
    """The service's ``LinkProviderAndService``.

    Operations: unknown.
    """

    provider_id: int | None = field(default=None, metadata=wire("ProviderId", "integer"))
    """Id of the service provider."""
    service_id: int | None = field(default=None, metadata=wire("ServiceId", "integer"))
    """``ServiceId`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class LinkProviderPriceList(LockedEntity):
    """The service's ``LinkProviderPriceList``.

    Operations: unknown.
    """

    provider_id: int | None = field(default=None, metadata=wire("ProviderId", "integer"))
    """Id of the service provider."""
    portfolio_id: int | None = field(default=None, metadata=wire("PortfolioId", "integer"))
    """Id of the portfolio."""
    price_list_id: int | None = field(default=None, metadata=wire("PriceListId", "integer"))
    """``PriceListId`` on the wire."""
    idx: int | None = field(default=None, metadata=wire("Idx", "integer"))
    """Order position."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndCustomerGroup(EmployeeLinkEntity):
    """The service's ``LinkUserAndCustomerGroup``.

    Operations: unknown.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    customer_group_id: int | None = field(default=None, metadata=wire("CustomerGroupId", "integer"))
    """Id of the billing account (customer group)."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndPortfolio(EmployeeLinkEntity):
    """The service's ``LinkUserAndPortfolio``.

    Operations: unknown.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    portfolio_id: int | None = field(default=None, metadata=wire("PortfolioId", "integer"))
    """Id of the portfolio."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndSpecialty(EmployeeLinkEntity):
    """The service's ``LinkUserAndSpecialty``.

    Operations: unknown.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    specialty_id: int | None = field(default=None, metadata=wire("SpecialtyId", "integer"))
    """Id of the specialty."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndStockLocation(EmployeeLinkEntity):
    """The service's ``LinkUserAndStockLocation``.

    Operations: unknown.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    stock_location_id: int | None = field(default=None, metadata=wire("StockLocationId", "integer"))
    """Id of the stock location."""
    full_access: int | None = field(default=None, metadata=wire("FullAccess", "integer"))
    """``FullAccess`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndTeam(EmployeeLinkEntity):
    """The service's ``LinkUserAndTeam``.

    Operations: unknown.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    team_id: int | None = field(default=None, metadata=wire("TeamId", "integer"))
    """Id of the team."""


@define(kw_only=True, eq=False, repr=False)
class LinkUserAndWorkZone(EmployeeLinkEntity):
    """The service's ``LinkUserAndWorkZone``.

    Operations: unknown.
    """

    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone."""


@define(kw_only=True, eq=False, repr=False)
class Organization(LockedEntity):
    """Outside organization.

    Operations: create, retrieve, update, delete, query.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    number: str | None = field(default=None, metadata=wire("Number", "string"))
    """Human-facing number or code."""
    custom_fields: list[CustomField2] | None = field(
        default=None, metadata=wire("CustomFields", "ref", "CustomField2", many=True)
    )
    """Custom field values of the record."""
    notes: list[Note] | None = field(default=None, metadata=wire("Notes", "ref", "Note", many=True))
    """Notes attached to the record."""
    contact_addresses: list[ContactInfo] | None = field(
        default=None, metadata=wire("ContactAddresses", "ref", "ContactInfo", many=True)
    )
    """Phones, e-mails and other contact points."""
    address: Address2 | None = field(default=None, metadata=wire("Address", "ref", "Address2"))
    """Street address."""


@define(kw_only=True, eq=False, repr=False)
class ProviderCoi(LockedEntity):
    """The service's ``ProviderCoi``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""
    amt_coverage: Money | None = field(default=None, metadata=wire("AmtCoverage", "money", "Money"))
    """``AmtCoverage`` on the wire."""
    status_id: InsuranceStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "InsuranceStatus")
    )
    """Status of the record."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. Local time without a zone."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. Local time without a zone."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment."""
    currency_type_id: CurrencyType | None = field(
        default=None, metadata=wire("CurrencyTypeId", "enum", "CurrencyType")
    )
    """Currency code of the record."""


@define(kw_only=True, eq=False, repr=False)
class Role(LockedEntity):
    """Security role.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    rank: int | None = field(default=None, metadata=wire("Rank", "integer"))
    """``Rank`` on the wire."""
    unlimited_nte: bool | None = field(default=None, metadata=wire("UnlimitedNte", "boolean"))
    """``UnlimitedNte`` on the wire."""
    sso_login_only: bool | None = field(default=None, metadata=wire("SsoLoginOnly", "boolean"))
    """Password login is off."""
    currencies: list[RoleMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "RoleMoneyValues", many=True)
    )
    """Per-currency money settings."""
    is_ism_required: bool | None = field(default=None, metadata=wire("IsIsmRequired", "boolean"))
    """``IsIsmRequired`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class RoleMoneyValues(MoneyValuesEntity):
    """The service's ``RoleMoneyValues``.

    Operations: unknown.
    """

    nte_limit: Decimal | None = field(default=None, metadata=wire("NteLimit", "number"))
    """Not-to-exceed limit. Exact decimal."""


@define(kw_only=True, eq=False, repr=False)
class Team(RemovableEntity):
    """Group of employees.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    work_zones: list[LinkTeamAndWorkZone] | None = field(
        default=None, metadata=wire("WorkZones", "ref", "LinkTeamAndWorkZone", many=True)
    )
    """``WorkZones`` on the wire."""
    employees: list[LinkUserAndTeam] | None = field(
        default=None, metadata=wire("Employees", "ref", "LinkUserAndTeam", many=True)
    )
    """``Employees`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class TimeOff(LockedEntity):
    """Absence of an employee.

    Operations: unknown.
    """

    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. Local time without a zone."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. Local time without a zone."""
    replace_by_id: int | None = field(default=None, metadata=wire("ReplaceById", "integer"))
    """``ReplaceById`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class ToDoItem(Entity):
    """The service's ``ToDoItem``.

    Operations: unknown.
    """

    actor_id: int | None = field(default=None, metadata=wire("ActorId", "integer"))
    """Id of the owning object."""
    actor_type_id: ActorType | None = field(default=None, metadata=wire("ActorTypeId", "enum", "ActorType"))
    """Kind of the owning object."""
    dt_utc_due: datetime | None = field(default=None, metadata=wire("DtUtcDue", "datetime-utc"))
    """``DtUtcDue`` on the wire. UTC."""
    done: bool | None = field(default=None, metadata=wire("Done", "boolean"))
    """``Done`` on the wire."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    comments: str | None = field(default=None, metadata=wire("Comments", "string"))
    """Free-text comments."""
    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""
    created_employee_id: int | None = field(default=None, metadata=wire("CreatedEmployeeId", "integer"))
    """``CreatedEmployeeId`` on the wire."""
    completed_employee_id: int | None = field(default=None, metadata=wire("CompletedEmployeeId", "integer"))
    """``CompletedEmployeeId`` on the wire."""
    dt_utc_completed: datetime | None = field(default=None, metadata=wire("DtUtcCompleted", "datetime-utc"))
    """``DtUtcCompleted`` on the wire. UTC."""
    type: ToDoType | None = field(default=None, metadata=wire("Type", "ref", "ToDoType"))
    """``Type`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class ToDoType(LockedEntity):
    """The service's ``ToDoType``.

    Operations: unknown.
    """

    display_as: str | None = field(default=None, metadata=wire("DisplayAs", "string"))
    """Label shown to users."""
    description: str | None = field(default=None, metadata=wire("Description", "string"))
    """Longer description text."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record."""


@define(kw_only=True, eq=False, repr=False)
class UserPayRate(LockedEntity):
    """The service's ``UserPayRate``.

    Operations: unknown.
    """

    labor_code_id: int | None = field(default=None, metadata=wire("LaborCodeId", "integer"))
    """Id of the labor code."""
    user_id: int | None = field(default=None, metadata=wire("UserId", "integer"))
    """Id of the user (employee)."""
    is_default: bool | None = field(default=None, metadata=wire("IsDefault", "boolean"))
    """Marks the default record."""
    currencies: list[UserPayRateMoneyValues] | None = field(
        default=None, metadata=wire("Currencies", "ref", "UserPayRateMoneyValues", many=True)
    )
    """Per-currency money settings."""


@define(kw_only=True, eq=False, repr=False)
class UserPayRateMoneyValues(MoneyValuesEntity):
    """The service's ``UserPayRateMoneyValues``.

    Operations: unknown.
    """

    rate: Decimal | None = field(default=None, metadata=wire("Rate", "number"))
    """Rate per unit. Exact decimal."""
