"""Commands and their results: places.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Command, CommandResult
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime

    from wosdk_async.model.assets import Location
    from wosdk_async.model.customers import Space
    from wosdk_async.model.enums import AssetType, DuplicateUnitMode
    from wosdk_async.model.inventory import MaterialTransaction
    from wosdk_async.model.values import NewUnitSpecifier
    from wosdk_async.model.work_zones import WorkZone


@define(kw_only=True, eq=False, repr=False)
class MatchAssetsResponse(CommandResult):
    """Result of AssetMatchByTaskCodeCommand."""

    locations: list[Location] | None = field(
        default=None, metadata=wire("Locations", "ref", "Location", many=True)
    )
    """``Locations`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class CustomerResponse(CommandResult):
    """Result of GetCustomerByAssetCommand."""

    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer"))
    """Id of the customer. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class MaterialTransactionCommitResponse(CommandResult):
    """Result of MaterialTransactionCommitCommand."""

    transaction: MaterialTransaction | None = field(
        default=None, metadata=wire("Transaction", "ref", "MaterialTransaction")
    )
    """``Transaction`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class SpaceCreateCommandResponse(CommandResult):
    """Result of SpaceCreateCommand."""

    new_space: Space | None = field(default=None, metadata=wire("NewSpace", "ref", "Space"))
    """``NewSpace`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class WorkZoneCommandResponse(CommandResult):
    """Result of WorkZoneCreateCommand, WorkZoneDefaultCommand, WorkZoneDeleteCommand, WorkZoneOfflineCommand
    and WorkZoneOnlineCommand.
    """

    work_zone: WorkZone | None = field(default=None, metadata=wire("WorkZone", "ref", "WorkZone"))
    """Work zone of the record."""


@define(kw_only=True, eq=False, repr=False)
class AssetMatchByTaskCodeCommand(Command[MatchAssetsResponse]):
    """Finds assets that have a task code.

    Safe to repeat.
    """

    path = "AssetMatchByTaskCodeCommand"
    repeat = "safe"
    result_name = "MatchAssetsResponse"

    parent_asset_id: int | None = field(default=None, metadata=wire("ParentAssetId", "integer"))
    """``ParentAssetId`` on the wire."""
    asset_categories: list[AssetType] | None = field(
        default=None, metadata=wire("AssetCategories", "enum", "AssetType", many=True)
    )
    """``AssetCategories`` on the wire."""
    task_code: str | None = field(default=None, metadata=wire("TaskCode", "string"))
    """``TaskCode`` on the wire."""
    record_count: int | None = field(default=None, metadata=wire("RecordCount", "integer"))
    """``RecordCount`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class GetCustomerByAssetCommand(Command[CustomerResponse]):
    """Finds the customer of an asset.

    Safe to repeat.
    """

    path = "GetCustomerByAssetCommand"
    repeat = "safe"
    result_name = "CustomerResponse"

    asset_id: int | None = field(default=None, metadata=wire("AssetId", "integer"))
    """Id of the asset. In the 2023 OpenAPI description only."""
    search_customer_in_work_zone: bool | None = field(
        default=None, metadata=wire("SearchCustomerInWorkZone", "boolean")
    )
    """``SearchCustomerInWorkZone`` on the wire. In the 2023 OpenAPI description only."""


@define(kw_only=True, eq=False, repr=False)
class MaterialTransactionCommitCommand(Command[MaterialTransactionCommitResponse]):
    """Books a stock transaction.

    Not safe to repeat.
    """

    path = "MaterialTransactionCommitCommand"
    repeat = "unsafe"
    result_name = "MaterialTransactionCommitResponse"

    transaction: MaterialTransaction | None = field(
        default=None, metadata=wire("Transaction", "ref", "MaterialTransaction")
    )
    """``Transaction`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class PortfolioDeleteCommand(Command[CommandResult]):
    """Removes a portfolio.

    Not safe to repeat.
    """

    path = "PortfolioDeleteCommand"
    repeat = "unsafe"

    portfolio_id: int | None = field(default=None, metadata=wire("PortfolioId", "integer"))
    """Id of the portfolio."""


@define(kw_only=True, eq=False, repr=False)
class SpaceCreateCommand(Command[SpaceCreateCommandResponse]):
    """Creates a space, and its unit when needed.

    Not safe to repeat.
    """

    path = "SpaceCreateCommand"
    repeat = "unsafe"
    result_name = "SpaceCreateCommandResponse"

    customer_id: int | None = field(default=None, metadata=wire("CustomerId", "integer", required=True))
    """Id of the customer. Required. Schemas: integer."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. Local time without a zone."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. Local time without a zone."""
    move_in_date: datetime | None = field(default=None, metadata=wire("MoveInDate", "datetime-local"))
    """``MoveInDate`` on the wire. Local time without a zone."""
    move_out_date: datetime | None = field(default=None, metadata=wire("MoveOutDate", "datetime-local"))
    """``MoveOutDate`` on the wire. Local time without a zone."""
    instructions: str | None = field(default=None, metadata=wire("Instructions", "string"))
    """Instruction text shown to users."""
    unit_id: int | None = field(default=None, metadata=wire("UnitId", "integer"))
    """Existing unit; 0 creates a new unit."""
    if_unit_already_exists: DuplicateUnitMode | None = field(
        default=None, metadata=wire("IfUnitAlreadyExists", "enum", "DuplicateUnitMode")
    )
    """``IfUnitAlreadyExists`` on the wire. Default Ignore."""
    new_unit_specifier: NewUnitSpecifier | None = field(
        default=None, metadata=wire("NewUnitSpecifier", "object", "NewUnitSpecifier")
    )
    """``NewUnitSpecifier`` on the wire. Ignored when UnitId is given."""


@define(kw_only=True, eq=False, repr=False)
class WorkZoneCreateCommand(Command[WorkZoneCommandResponse]):
    """Creates a work zone from an asset template.

    Not safe to repeat.
    """

    path = "WorkZoneCreateCommand"
    repeat = "unsafe"
    result_name = "WorkZoneCommandResponse"

    work_zone: WorkZone | None = field(default=None, metadata=wire("WorkZone", "ref", "WorkZone"))
    """Work zone of the record."""
    asset_template_id: int | None = field(default=None, metadata=wire("AssetTemplateId", "integer"))
    """``AssetTemplateId`` on the wire."""
    skip_default_settings: bool | None = field(default=None, metadata=wire("SkipDefaultSettings", "boolean"))
    """``SkipDefaultSettings`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class WorkZoneDefaultCommand(Command[WorkZoneCommandResponse]):
    """The service's ``WorkZoneDefaultCommand``.

    Not safe to repeat.
    """

    path = "WorkZoneDefaultCommand"
    repeat = "unsafe"
    result_name = "WorkZoneCommandResponse"


@define(kw_only=True, eq=False, repr=False)
class WorkZoneDeleteCommand(Command[WorkZoneCommandResponse]):
    """Removes a work zone.

    Not safe to repeat.
    """

    path = "WorkZoneDeleteCommand"
    repeat = "unsafe"
    result_name = "WorkZoneCommandResponse"

    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone."""


@define(kw_only=True, eq=False, repr=False)
class WorkZoneOfflineCommand(Command[WorkZoneCommandResponse]):
    """Takes a work zone out of service.

    Not safe to repeat.
    """

    path = "WorkZoneOfflineCommand"
    repeat = "unsafe"
    result_name = "WorkZoneCommandResponse"

    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone."""
    deactivate_customers: bool | None = field(default=None, metadata=wire("DeactivateCustomers", "boolean"))
    """``DeactivateCustomers`` on the wire."""


@define(kw_only=True, eq=False, repr=False)
class WorkZoneOnlineCommand(Command[WorkZoneCommandResponse]):
    """Puts a work zone in service.

    Not safe to repeat.
    """

    path = "WorkZoneOnlineCommand"
    repeat = "unsafe"
    result_name = "WorkZoneCommandResponse"

    work_zone_id: int | None = field(default=None, metadata=wire("WorkZoneId", "integer"))
    """Id of the work zone."""
