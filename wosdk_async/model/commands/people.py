"""Commands and their results: people.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Command, CommandResult
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime

    from wosdk_async.model.enums import TimeCardAction
    from wosdk_async.model.people import Employee
    from wosdk_async.model.time_cards import TimeCard
    from wosdk_async.model.values import LicensedProvider, UserSignInInfo


@define(kw_only=True, eq=False, repr=False)
class GetLicensedProvidersResponse(CommandResult):
    """Result of GetLicensedProvidersRoutine."""

    providers: list[LicensedProvider] | None = field(
        default=None, metadata=wire("Providers", "object", "LicensedProvider", many=True)
    )
    """``Providers`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class GetPreferredAssigneesResponse(CommandResult):
    """Result of GetPreferredAssigneesRoutine."""

    employees: list[Employee] | None = field(
        default=None, metadata=wire("Employees", "ref", "Employee", many=True)
    )
    """``Employees`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class TimeCardActionResponse(CommandResult):
    """Result of TimeCardActionCommand."""

    time_card: TimeCard | None = field(default=None, metadata=wire("TimeCard", "ref", "TimeCard"))
    """``TimeCard`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class UserSignInInfoResponse(CommandResult):
    """Result of UserSignInInfoCommand."""

    user_sign_in_infos: list[UserSignInInfo] | None = field(
        default=None, metadata=wire("UserSignInInfos", "object", "UserSignInInfo", many=True)
    )
    """``UserSignInInfos`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class GetLicensedProvidersRoutine(Command[GetLicensedProvidersResponse]):
    """Lists licensed providers.

    Safe to repeat.
    """

    path = "GetLicensedProvidersRoutine"
    repeat = "safe"
    result_name = "GetLicensedProvidersResponse"

    specialty_id: int | None = field(default=None, metadata=wire("SpecialtyId", "integer"))
    """Id of the specialty."""
    postal_code: str | None = field(default=None, metadata=wire("PostalCode", "string"))
    """``PostalCode`` on the wire."""
    time_stamp: datetime | None = field(default=None, metadata=wire("TimeStamp", "datetime-local"))
    """``TimeStamp`` on the wire. Local time without a zone."""
    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer"))
    """Id of the customer."""
    record_count: int | None = field(default=None, metadata=wire("RecordCount", "integer"))
    """``RecordCount`` on the wire."""
    country: str | None = field(default=None, metadata=wire("Country", "string"))
    """Country."""


@define(kw_only=True, eq=False, repr=False)
class GetPreferredAssigneesRoutine(Command[GetPreferredAssigneesResponse]):
    """Lists suitable assignees.

    Not safe to repeat.
    """

    path = "GetPreferredAssigneesRoutine"
    repeat = "unsafe"
    result_name = "GetPreferredAssigneesResponse"

    specialty_id: int | None = field(default=None, metadata=wire("SpecialtyId", "integer"))
    """Id of the specialty."""
    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone."""
    postal_code: str | None = field(default=None, metadata=wire("PostalCode", "string"))
    """``PostalCode`` on the wire."""
    time_stamp: datetime | None = field(default=None, metadata=wire("TimeStamp", "datetime-local"))
    """``TimeStamp`` on the wire. Local time without a zone."""
    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer"))
    """Id of the customer."""
    record_count: int | None = field(default=None, metadata=wire("RecordCount", "integer"))
    """``RecordCount`` on the wire."""
    update_round_robin: bool | None = field(default=None, metadata=wire("UpdateRoundRobin", "boolean"))
    """``UpdateRoundRobin`` on the wire."""
    country: str | None = field(default=None, metadata=wire("Country", "string"))
    """Country."""


@define(kw_only=True, eq=False, repr=False)
class GetTimeCardCommand(Command[CommandResult]):
    """Gets the time card of an employee.

    Not safe to repeat.
    """

    path = "GetTimeCardCommand"
    repeat = "unsafe"

    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""
    base_date: datetime | None = field(default=None, metadata=wire("BaseDate", "datetime-local"))
    """``BaseDate`` on the wire. Local time without a zone."""


@define(kw_only=True, eq=False, repr=False)
class TimeCardActionCommand(Command[TimeCardActionResponse]):
    """Submits, approves or flags a time card.

    Not safe to repeat.
    """

    path = "TimeCardActionCommand"
    repeat = "unsafe"
    result_name = "TimeCardActionResponse"

    employee_id: int | None = field(default=None, metadata=wire("EmployeeId", "integer"))
    """Id of the employee."""
    week_start_date: datetime | None = field(default=None, metadata=wire("WeekStartDate", "datetime-local"))
    """First day of the week. Local time without a zone."""
    action_id: TimeCardAction | None = field(
        default=None, metadata=wire("ActionId", "enum", "TimeCardAction")
    )
    """``ActionId`` on the wire."""
    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Comment stored with the action."""


@define(kw_only=True, eq=False, repr=False)
class UserOrProviderSuspendCommand(Command[CommandResult]):
    """Suspends or reactivates a user or provider.

    Not safe to repeat.
    """

    path = "UserOrProviderSuspendCommand"
    repeat = "unsafe"

    id: int | None = field(default=None, metadata=wire("Id", "integer"))
    """Record identifier. In the 2023 OpenAPI description only."""
    reactivate: bool | None = field(default=None, metadata=wire("Reactivate", "boolean"))
    """``Reactivate`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class UserSignInInfoCommand(Command[UserSignInInfoResponse]):
    """Returns sign-in statistics of users.

    Safe to repeat.
    """

    path = "UserSignInInfoCommand"
    repeat = "safe"
    result_name = "UserSignInInfoResponse"

    user_ids: list[int] | None = field(default=None, metadata=wire("UserIds", "integer", many=True))
    """``UserIds`` on the wire. In the 2023 OpenAPI description only."""
    sign_in_threshold_date: datetime | None = field(
        default=None, metadata=wire("SignInThresholdDate", "datetime-local")
    )
    """``SignInThresholdDate`` on the wire. Local time without a zone. In the 2023 OpenAPI description only.
    """
