"""Shapes that commands share.

Written by wosdk_async.catalogue.generate from the catalogue; do not edit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from attrs import define, field

from wosdk_async.model.base import Command, R
from wosdk_async.model.metadata import wire

if TYPE_CHECKING:
    from datetime import datetime

    from wosdk_async.model.enums import WOStatus


@define(kw_only=True, eq=False, repr=False)
class WorkOrderAction(Command[R]):
    """An action on a work order.

    Abstract command shape, never sent itself.
    """

    work_order_id: int | None = field(default=None, metadata=wire("WorkOrderId", "integer", required=True))
    """Work order acted on. Required."""
    comment: str | None = field(
        default=None, metadata=wire("Comment", "string", max_length=3072, max_length_source="doc")
    )
    """Comment stored with the action. At most 3072 characters."""
    action_date: datetime | None = field(default=None, metadata=wire("ActionDate", "datetime-local"))
    """Local time of the action. No zone."""
    action_reason_id: int | None = field(default=None, metadata=wire("ActionReasonId", "integer"))
    """Id of the reason record."""
    status_id: WOStatus | None = field(default=None, metadata=wire("StatusId", "enum", "WOStatus"))
    """Expected status, for the concurrency check."""
    concurrency_id: int | None = field(default=None, metadata=wire("ConcurrencyId", "integer"))
    """Expected version, for the concurrency check."""


@define(kw_only=True, eq=False, repr=False)
class FinancialAction(WorkOrderAction[R]):
    """An action on the cost record of a work order.

    Abstract command shape, never sent itself.
    """

    keep_comment_intact: bool | None = field(default=None, metadata=wire("KeepCommentIntact", "boolean"))
    """Store the comment as sent."""
    current_status_id: int | None = field(default=None, metadata=wire("CurrentStatusId", "integer"))
    """Expected payable status, for the concurrency check."""
    financial_concurrency_id: int | None = field(
        default=None, metadata=wire("FinancialConcurrencyId", "integer")
    )
    """Expected version of the cost record."""
