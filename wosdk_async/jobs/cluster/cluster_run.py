"""A run over the workers: a call for each claim, which ends with its row."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable
from types import TracebackType
from typing import Any

from wosdk_async import errors
from wosdk_async.calls.run_many import Run
from wosdk_async.codec import converter, dumps
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.jobs.cluster.desk import Changes, Desk
from wosdk_async.jobs.cluster.leases import MOST_LOSSES, Lease, LeaseLostError, boottime
from wosdk_async.jobs.cluster.messages import GrantedRow, RowReport
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.row_operation import Effect
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["ClusterRun"]

_GRACE = 0.5  # seconds for the last reports of a run that was aborted
_DOUBT = "it may have been carried out:"
_SILENT = "nothing was heard of its worker until its lease was over"
_ABORTED = "the run was aborted before its worker reported it"
_ERRORS = {"RowError": RowError, **{name: getattr(errors, name) for name in errors.__all__}}


class ClusterRun(Run[Any, Effect]):
    """A run of the claims of a job; a coordinator makes it, and tells it what changes.

    When the block ends by an exception or a cancellation, the workers cancel their calls. Rows of which
    nothing is reported within half a second are in doubt, and their leases stay open: the next run of the job
    waits for them. An error that concerns all rows is raised at the end of the block.
    """

    def __init__(
        self, claims: Any, desk: Desk, losses: Counter[int], *, limit: int, secrets: Callable[[], Secrets]
    ) -> None:
        super().__init__(claims, self.send, limit=limit, grace=_GRACE)
        self._desk, self._losses, self._secrets = desk, losses, secrets
        self._error: Exception | None = None
        self._ends: dict[int, asyncio.Future[RowReport | Lease]] = {}
        """For each row that is sent, what is reported of it, or the lease in which it was lost."""

    def stop(self) -> None:
        """Start no further row; calls under way go on."""
        super().stop()
        self.apply(Changes(not_started=self._desk.stop()))

    def fail(self, error: Exception) -> None:
        """Stop, and raise an error that concerns all rows at the end of the block."""
        self._error = error
        self.stop()

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._desk.aborted = True
        await super().__aexit__(kind, error, trace)
        if error is None and self._error is not None:
            raise self._error

    def apply(self, changes: Changes) -> None:
        """End the calls whose rows ended, were lost, or were not started."""
        for report in changes.ended:
            self._end(report.row, report)
        for row, lease in changes.lost:
            self._end(row.row, lease)
        for row in changes.not_started:
            if row.row in self._ends:
                self._ends[row.row].cancel()

    def _end(self, row: int, end: RowReport | Lease) -> None:
        if (ended := self._ends.get(row)) is not None and not ended.done():
            ended.set_result(end)

    async def send(self, claim: Any, trace: Trace) -> Effect:
        """Let a worker send the row of a claim; its end is a report, or the loss of its worker."""
        number = claim.row.number
        losses = self._losses[number]
        if losses >= MOST_LOSSES:
            raise RowError(f"not sent again: its worker was lost {losses} times while it had this row")
        row = GrantedRow(number, dumps(converter.unstructure(claim.record)).decode(), losses)
        loop = asyncio.get_running_loop()
        ended = self._ends[number] = loop.create_future()
        if self._desk.stopped:
            ended.cancel()
        else:
            self._desk.put(row, boottime())
        try:
            end = await ended
        except asyncio.CancelledError:
            lease = self._desk.book.lease_of(number)
            if lease is not None and lease.may_have_arrived:
                raise LeaseLostError(f"{_DOUBT} {_ABORTED} (grant {lease.epoch})") from None
            if ended.cancelled():
                raise  # it was not started
            end = ended.result()  # which came in the turn in which the call was cancelled
        finally:
            del self._ends[number]
        if isinstance(end, Lease):
            raise LeaseLostError(f"{_DOUBT} {_SILENT} (grant {end.epoch})")
        # The duration is the worker's: what else was between the two is not the service's.
        claim.started = loop.time() - end.seconds
        return _effect(end, trace, self._secrets())


def _effect(report: RowReport, trace: Trace, secrets: Secrets) -> Effect:
    """Return the effect that a worker reported, or raise the error, without ``secrets``.

    A worker does not know all of them. ``trace`` gets the course of the worker's call.
    """
    trace.attempts, trace.waits, trace.found = report.attempts, report.waits, report.found
    if report.result == "done":
        return Effect(report.entity, report.id, report.record, report.version)
    kind = InDoubtError if report.result == "in_doubt" else _ERRORS.get(report.error, WosdkError)
    facts = {name: getattr(report, name) for name in ("status", "code", "request_id", "attempts", "waits")}
    error = kind(report.reason or report.error or report.result, **facts)
    error.hide(secrets)
    raise error
