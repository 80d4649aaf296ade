"""Entities: time cards.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.bases import Entity, LockedEntity
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime
    from decimal import Decimal

    from wosdk_async.model.billing import LaborCode
    from wosdk_async.model.costs import FinancialItem
    from wosdk_async.model.enums import CurrencyType, TimeCardStatus, TimeCardType
    from wosdk_async.model.people import Employee
    from wosdk_async.model.work_orders import WorkOrder
    from wosdk_async.model.work_zones import WorkZone


@define(kw_only=True, eq=False, repr=False)
class TimeCard(LockedEntity):
    """Weekly time card.

    Operations: none known. Not supported: create. Unknown: retrieve, update, delete, query. In recorded
    traffic, create is refused with ERROR_CODE_1000, and delete works.
    """

    week_start_date: datetime | None = field(default=None, metadata=wire("WeekStartDate", "datetime-local"))
    """First day of the week. Local time without a zone."""
    employee: Employee | None = field(default=None, metadata=wire("Employee", "ref", "Employee"))
    """Employee concerned."""
    flagged: int | None = field(default=None, metadata=wire("Flagged", "integer"))
    """``Flagged`` on the wire."""
    status_id: TimeCardStatus | None = field(
        default=None, metadata=wire("StatusId", "enum", "TimeCardStatus")
    )
    """Status of the record."""
    week: TimeCardWeek | None = field(default=None, metadata=wire("Week", "ref", "TimeCardWeek"))
    """Week of the card."""


@define(kw_only=True, eq=False, repr=False)
class TimeCardItem(LockedEntity):
    """The service's ``TimeCardItem``.

    Operations: unknown.
    """

    comment: str | None = field(default=None, metadata=wire("Comment", "string"))
    """Free-text comment."""
    work_zone: WorkZone | None = field(default=None, metadata=wire("WorkZone", "ref", "WorkZone"))
    """Work zone of the record."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. Local time without a zone."""
    system_end_date: datetime | None = field(default=None, metadata=wire("SystemEndDate", "datetime-local"))
    """``SystemEndDate`` on the wire. Local time without a zone."""
    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. Local time without a zone."""
    system_start_date: datetime | None = field(
        default=None, metadata=wire("SystemStartDate", "datetime-local")
    )
    """``SystemStartDate`` on the wire. Local time without a zone."""
    week_start_date: datetime | None = field(default=None, metadata=wire("WeekStartDate", "datetime-local"))
    """First day of the week. Local time without a zone."""
    duration: int | None = field(default=None, metadata=wire("Duration", "integer"))
    """Duration in minutes."""
    employee: Employee | None = field(default=None, metadata=wire("Employee", "ref", "Employee"))
    """Employee concerned."""
    labor_code: LaborCode | None = field(default=None, metadata=wire("LaborCode", "ref", "LaborCode"))
    """Labor code."""
    latitude_start: Decimal | None = field(default=None, metadata=wire("LatitudeStart", "number"))
    """``LatitudeStart`` on the wire. Exact decimal."""
    latitude_stop: Decimal | None = field(default=None, metadata=wire("LatitudeStop", "number"))
    """``LatitudeStop`` on the wire. Exact decimal."""
    longitude_start: Decimal | None = field(default=None, metadata=wire("LongitudeStart", "number"))
    """``LongitudeStart`` on the wire. Exact decimal."""
    longitude_stop: Decimal | None = field(default=None, metadata=wire("LongitudeStop", "number"))
    """``LongitudeStop`` on the wire. Exact decimal."""
    time_card: TimeCard | None = field(default=None, metadata=wire("TimeCard", "ref", "TimeCard"))
    """``TimeCard`` on the wire."""
    type_id: TimeCardType | None = field(default=None, metadata=wire("TypeId", "enum", "TimeCardType"))
    """Kind of the record."""
    internal_cost_item: FinancialItem | None = field(
        default=None, metadata=wire("InternalCostItem", "ref", "FinancialItem")
    )
    """``InternalCostItem`` on the wire."""
    work_order: WorkOrder | None = field(default=None, metadata=wire("WorkOrder", "ref", "WorkOrder"))
    """Related work order."""
    qty: int | None = field(default=None, metadata=wire("Qty", "integer"))
    """Quantity."""
    rate: Decimal | None = field(default=None, metadata=wire("Rate", "number"))
    """Rate per unit. Exact decimal."""
    money_id: CurrencyType | None = field(default=None, metadata=wire("MoneyId", "enum", "CurrencyType"))
    """Currency code of the money values."""


@define(kw_only=True, eq=False, repr=False)
class TimeCardWeek(Entity):
    """The service's ``TimeCardWeek``.

    Operations: unknown.
    """

    start_date: datetime | None = field(default=None, metadata=wire("StartDate", "datetime-local"))
    """Start date. Local time without a zone."""
    end_date: datetime | None = field(default=None, metadata=wire("EndDate", "datetime-local"))
    """End date. Local time without a zone."""
