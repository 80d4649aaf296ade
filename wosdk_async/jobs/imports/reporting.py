"""Outcomes of rows: written into the journal, counted, and given to ``on_row``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import attrs

from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome
from wosdk_async.errors import ConfigurationError, InDoubtError, WosdkError
from wosdk_async.jobs.cluster.leases import LeaseLostError
from wosdk_async.jobs.errors import WaitingRowError, reason_of
from wosdk_async.jobs.imports.settling import Doubt
from wosdk_async.jobs.journal import ANSWERED, LOOKED_UP, THERE_BEFORE, Journal, RowRecord, State
from wosdk_async.jobs.journal.claims import Claim
from wosdk_async.jobs.ledger.outcomes import RowOutcome, code_of
from wosdk_async.jobs.mapping.operations import Effect
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.stop import StopRules, client_closed
from wosdk_async.protocol.verdicts import ending_of

__all__ = ["RowReports"]


@attrs.define(eq=False, kw_only=True)
class RowReports:
    """Writes the outcome of each row into the journal, and gives it to ``on_row`` without secrets.

    ``stops`` stops the import at a limit.
    """

    operation: RowOperation
    journal: Journal
    stops: StopRules
    on_row: Callable[[RowOutcome], None]
    closed: Callable[[], bool] = lambda: False
    """Returns whether the client was closed."""
    columns_behind: Callable[[str], str | None] = lambda _: None
    """Returns which columns of the file are behind the fields that a reason names."""
    unsent: set[int] = attrs.field(factory=set)
    """Rows that this run could not send; the same command sends them when run again."""
    doubted: list[Doubt] = attrs.field(factory=list)
    """Rows that this run left in doubt, and that can be looked up later."""
    done: int = 0
    """Rows that this run carried out."""
    # --- rows that were not sent --------------------------------------------------------------

    def not_sent(self, row: Row, error: Exception) -> None:
        """Report a row that could not be built, or that must not be sent."""
        reason = reason_of(error)
        if isinstance(error, WaitingRowError):
            self.unsent.add(row.number)
            self.stops.unsent(reason)
        else:
            self.stops.refused(reason)
        self._end(row, RowOutcome.failed(row, reason))

    def there_before(self, row: Row, reason: str) -> None:
        """Report a row that is refused because its key is that of a record."""
        self.stops.refused(reason)
        self._end(row, RowOutcome.failed(row, reason), proof=THERE_BEFORE)

    def found(self, row: Row, effect: Effect) -> None:
        """Report a row whose record existed before."""
        self._end(row, RowOutcome.found(row, effect))

    def carried_out_before(self, row: Row, effect: Effect) -> None:
        """Report a row of which an earlier attempt turns out to have been carried out."""
        self.done += 1
        outcome = RowOutcome.carried_out(row, self.operation.label, effect)
        self._end(row, outcome, proof=LOOKED_UP)

    # --- rows that were sent ------------------------------------------------------------------

    def ended(self, outcome: Outcome[Claim, Any]) -> None:
        """Report the outcome of a call."""
        claim = outcome.input
        error = outcome.error if isinstance(outcome, Failed) and self.closed() else None
        if error and (isinstance(error, ConfigurationError) or ending_of(error).passes):
            self.stops.stop.start_no_more(client_closed())
            outcome = NotStarted(outcome.index, claim)
        if isinstance(outcome, NotStarted):
            self.journal.record(RowRecord(claim.row.number, State.PLANNED))
            return
        attempts, seconds = _attempts(outcome), asyncio.get_running_loop().time() - claim.started
        if isinstance(outcome, Done):
            self._done(claim.row, outcome, attempts, seconds)
        elif isinstance(outcome, InDoubt):
            # A worker that is lost leaves many rows in doubt at once, which says nothing about the service.
            if claim.key is None or not isinstance(outcome.error, LeaseLostError):
                self.stops.in_doubt()
            if claim.key is None:
                self._end_call(claim.row, outcome, attempts, seconds)
            else:
                self._doubt(claim, outcome.error, attempts, seconds)
        else:
            self._fail(claim.row, outcome, attempts, seconds)

    def _done(self, row: Row, end: Done[Claim, Any], attempts: int, seconds: float) -> None:
        self.done += 1
        self.stops.done()
        operation = self.operation
        # A worker gives the effect itself.
        effect = end.result if isinstance(end.result, Effect) else operation.effect(end.result)
        outcome = RowOutcome.carried_out(row, operation.label, effect)
        # What another call with this key created is not the work of this job.
        details = {"version": effect.version, "proof": None if end.found else ANSWERED}
        self._end(row, outcome, attempts=attempts, seconds=seconds, **details)

    def _fail(self, row: Row, outcome: Failed[Claim], attempts: int, seconds: float) -> None:
        reason = reason_of(outcome.error)
        if ending_of(outcome.error).passes:
            # Not carried out for certain, and not for a fault of the row: it stays planned.
            self.unsent.add(row.number)
            self.stops.unsent(reason)
        else:
            self.stops.refused(reason)
        self._end_call(row, outcome, attempts, seconds)

    def _end_call(
        self, row: Row, outcome: Failed[Claim] | InDoubt[Claim], attempts: int, seconds: float
    ) -> None:
        made = RowOutcome.of(row, outcome, self.operation.label)
        if behind := self.columns_behind(made.reason or ""):
            made = attrs.evolve(made, reason=f"{made.reason} ({behind})")
        self._end(row, made, attempts=attempts, seconds=seconds)

    def _doubt(self, claim: Claim, error: InDoubtError, attempts: int, seconds: float) -> None:
        """Keep a row that can be looked up later; it is reported when it is decided."""
        doubt = Doubt(
            claim.row.number,
            claim.row.line,
            claim.key or "",
            asyncio.get_running_loop().time(),
            reason_of(error),
            error.request_id,
            code_of(error),
            attempts,
            seconds,
            claim.record if self.operation.compares else None,
        )
        self.doubted.append(doubt)
        self._write(RowRecord(doubt.row, State.IN_DOUBT, reason=doubt.reason, code=doubt.code, **doubt.call))

    # --- writing ------------------------------------------------------------------------------

    def _end(self, row: Row, outcome: RowOutcome, **call: Any) -> None:
        """Record and report an outcome; ``call`` are further fields of its record."""
        state = _STATES[outcome.outcome]
        if state == State.REFUSED and row.number in self.unsent:
            state = State.PLANNED
        record = RowRecord(
            row.number,
            state,
            outcome.id,
            outcome.number,
            outcome.reason,
            outcome.code,
            outcome.request_id,
            outcome.warnings,
            **call,
        )
        if (kept := self._write(record)) is not record:
            outcome = attrs.evolve(
                outcome,
                number=kept.number,
                reason=kept.reason,
                code=kept.code,
                request_id=kept.request_id,
                warnings=kept.warnings,
            )
        self.on_row(outcome)

    def _write(self, record: RowRecord) -> RowRecord:
        """Record an outcome, and return it without secrets."""
        kept = self.journal.record(record)
        if self.journal.failed is not None:
            self.stops.stop.start_no_more(self.journal.failed)
        return kept


def _attempts(outcome: Done[Claim, Any] | Failed[Claim] | InDoubt[Claim]) -> int:
    if isinstance(outcome, Done):
        return outcome.attempts
    return outcome.error.attempts if isinstance(outcome.error, WosdkError) else 0


_STATES = {
    **dict.fromkeys(("created", "updated", "deleted", "done"), State.DONE),
    "found": State.FOUND,
    "failed": State.REFUSED,
    "in_doubt": State.IN_DOUBT,
}
