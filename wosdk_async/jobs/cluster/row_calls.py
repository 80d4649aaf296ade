"""Call of one row in a worker, and the report of what became of it."""

from __future__ import annotations

import asyncio
from typing import Any

import attrs

from wosdk_async.bulk import cancelled_outcome, failed_outcome
from wosdk_async.company import Company
from wosdk_async.errors import DeadlineError, WosdkError
from wosdk_async.jobs.cluster.fenced import Fence, LeaseEndedError
from wosdk_async.jobs.cluster.messages import MOST_WAITS, GrantedRow
from wosdk_async.jobs.cluster.row_bodies import record_of
from wosdk_async.jobs.errors import RowError, reason_of
from wosdk_async.jobs.journal.entries import MAX_REASON
from wosdk_async.jobs.row_operation import RowOperation
from wosdk_async.outcome import InDoubt
from wosdk_async.safe_text import shortened
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["NOT_SENT", "RowCalls"]

NOT_SENT = {"result": "not_sent"}
"""Fields of the report of a row of which nothing was sent."""

_BEFORE_SENDING = ("queue", "session")


@attrs.frozen(eq=False)
class RowCalls:
    """Carries out an operation in a Company, one row at a time."""

    operation: RowOperation
    company: Company
    marker: str | None

    async def carry_out(self, row: GrantedRow, fence: Fence) -> dict[str, Any]:
        """Return the fields of the report of a row; also when the task is cancelled, which ends it."""
        trace, loop = Trace(), asyncio.get_running_loop()
        started = loop.time()
        fence.enter()
        try:
            fields = await self._send(row, trace)
        except (LeaseEndedError, asyncio.CancelledError) as end:
            why = str(end) or "its worker was stopped"
            fields = _interrupted(row, trace, why)
        except Exception as error:
            fields = _failed(row, trace, error, late=not fence.allows(0.0))
        waits = tuple(trace.waits[-MOST_WAITS:])
        return {**fields, "attempts": trace.attempts, "waits": waits, "seconds": loop.time() - started}

    async def _send(self, row: GrantedRow, trace: Trace) -> dict[str, Any]:
        try:
            record = record_of(row.body, self.operation.kind)
        except Exception as error:  # of many kinds, and with the text of the row in some
            raise RowError(f"its record cannot be read in the worker ({type(error).__name__})") from None
        result = await self.operation.send(self.company.traced(trace), record, self.marker)
        effect = self.operation.effect(result)
        return {
            "result": "done",
            "entity": effect.entity,
            "id": effect.id,
            "record": effect.number,
            "version": effect.version,
            "found": trace.found,
        }


def _interrupted(row: GrantedRow, trace: Trace, why: str) -> dict[str, Any]:
    """Return the fields for a call that was ended from outside: in doubt, unless it had no effect."""
    outcome = cancelled_outcome(row.row, row, trace, why)
    return _error("in_doubt", outcome.error) if isinstance(outcome, InDoubt) else NOT_SENT


def _failed(row: GrantedRow, trace: Trace, error: Exception, *, late: bool) -> dict[str, Any]:
    """Return the fields for a call that raised ``error``; ``late`` says that its lease has ended."""
    outcome = failed_outcome(row.row, row, error, trace)
    if isinstance(outcome, InDoubt):
        return _error("in_doubt", outcome.error)
    if isinstance(error, DeadlineError) and not trace.sent and (late or error.phase in _BEFORE_SENDING):
        # The share or the session of the worker is to blame, or its process stood still; not the row.
        return NOT_SENT
    return _error("failed", error)


def _error(result: str, error: Exception) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "result": result,
        "error": type(error).__name__,
        "reason": shortened(reason_of(error), MAX_REASON),
    }
    if isinstance(error, WosdkError):
        fields |= {"code": error.code, "status": error.status, "request_id": error.request_id}
    return fields
