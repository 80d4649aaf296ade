"""Calls of an undo: a work order is cancelled, a record of another entity deleted."""

from __future__ import annotations

from typing import Any

import attrs

from wosdk_async.company import Company
from wosdk_async.errors import InDoubtError, RefusedError, WosdkError
from wosdk_async.jobs.journal import StoredRow
from wosdk_async.model import Record, WoCancelCommand, WOStatus
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Target", "cancel", "delete"]


@attrs.frozen
class Target:
    """A record that is undone, as it was read just before."""

    row: StoredRow
    record: Any
    begun: bool
    """Whether an earlier attempt may have been carried out."""

    @property
    def id(self) -> int:
        """The id of the record."""
        assert self.row.id is not None  # noqa: S101 - a row without one is no target
        return self.row.id


async def cancel(company: Company, target: Target, reason: int | None, comment: str | None) -> Any:
    """Cancel a work order, unless it is not as it was read.

    Args:
        company: the Company.
        target: the work order.
        reason: id of a WoActionReasonLookup record.
        comment: text for the log.
    """
    # facts 3.7: state and version are what the service is to find, so that nothing is cancelled that
    # somebody changes just now
    command = WoCancelCommand(
        work_order_id=target.id,
        action_reason_id=reason,
        comment=comment,
        status_id=WOStatus(str(target.record.status_id)),
        concurrency_id=target.record.concurrency_id,
    )
    return await company.run(command)


async def delete(company: Company, entity: type[Record], target: Target, trace: Trace) -> Any:
    """Delete a record, if it is still there.

    For the client nothing is in doubt after a delete without a response, as it may be sent again. But the
    record may be gone by it, and the next undo would take it for one that somebody else removed.

    Args:
        company: the Company, which traces its calls in ``trace``.
        entity: the type of the record.
        target: the record.
        trace: of this call.

    Raises:
        InDoubtError: a request was sent, and no response tells whether it was carried out.
    """
    try:
        return await company.delete(entity, target.id, missing_ok=True)
    except RefusedError:
        raise
    except WosdkError as error:
        if trace.attempts > 1:  # perhaps the last request did not leave; the one before may have
            text = f"an earlier request may have been carried out; of the last one: {error.message}"
        elif trace.sent:
            text = f"it may have been carried out: {error.message}"
        else:
            raise
        raise InDoubtError(text, request_id=error.request_id, attempts=error.attempts) from error
