"""Outcomes of rows: written into the journal, counted, and passed to ``on_row``."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cached_property
from typing import Any

import attrs

from wosdk_async.calls.outcome import Done, Failed, InDoubt, Outcome
from wosdk_async.errors import ConfigurationError, InDoubtError, WosdkError
from wosdk_async.jobs.cluster.leases import LeaseLostError
from wosdk_async.jobs.errors import WaitingRowError, reason_of
from wosdk_async.jobs.imports.settling import Doubt
from wosdk_async.jobs.journal import ANSWERED, LOOKED_UP, THERE_BEFORE, Journal, RowRecord, State
from wosdk_async.jobs.journal.claims import Claim
from wosdk_async.jobs.ledger.outcomes import Kind, RowOutcome, code_of
from wosdk_async.jobs.mapping.operations import Effect
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.stop import StopRules, client_closed
from wosdk_async.protocol.verdicts import ending_of

__all__ = ["RowReports"]


@attrs.define(eq=False, kw_only=True)
class RowReports:
    """Writer of the outcome of each row into the journal, which passes it to ``on_row`` without secrets.

    ``stops`` stops the import at a limit.
    """

    operation: RowOperation
    journal: Journal
    stops: StopRules
    on_row: Callable[[RowOutcome], None]
    closed: Callable[[], bool] = lambda: False
    """Function that returns whether the client was closed."""
    columns_behind: Callable[[str], str | None] = lambda _: None
    """Function that returns the columns of the fields that a reason names."""
    unsent: set[int] = attrs.field(factory=set)
    """Rows that this run could not send; the same command sends them when run again."""
    doubted: list[Doubt] = attrs.field(factory=list)
    """Rows that this run left in doubt, and that can be looked up later."""
    done: int = 0
    """Rows that this run carried out."""

    # --- rows that were not sent --------------------------------------------------------------

    def not_sent(self, row: Row, error: Exception) -> None:
        """Report a row that could not be built or must not be sent."""
        reason = reason_of(error)
        if isinstance(error, WaitingRowError):
            self._wait(row, reason)
        else:
            self.stops.refused(reason)
        self._end(row, "failed", reason=reason)

    def exists_already(self, row: Row, reason: str, code: str | None = None) -> None:
        """Report a row that is refused because a record has its key."""
        self.stops.refused(reason)
        self._end(row, "failed", reason=reason, code=code, proof=THERE_BEFORE)

    def found(self, row: Row, effect: Effect) -> None:
        """Report a row whose record existed before."""
        self._end(row, "found", effect)

    def carried_out_before(self, row: Row, effect: Effect) -> None:
        """Report a row that an earlier attempt is found to have carried out."""
        self.done += 1
        self._end(row, self.operation.label, effect, proof=LOOKED_UP)

    # --- rows that were sent ------------------------------------------------------------------

    def ended(self, outcome: Outcome[Claim, Any]) -> None:
        """Report the outcome of a call."""
        claim = outcome.input
        if isinstance(outcome, Done):
            self._done(claim, outcome)
        elif isinstance(outcome, InDoubt):
            # A worker that is lost leaves many rows in doubt at once, which says nothing about the service.
            if claim.key is None or not isinstance(outcome.error, LeaseLostError):
                self.stops.in_doubt()
            self._doubt(claim, outcome.error)
        elif isinstance(outcome, Failed) and not self._ended_by_close(outcome.error):
            self._fail(claim, outcome.error)
        else:
            self.journal.record(RowRecord(claim.row.number, State.PLANNED))

    def _ended_by_close(self, error: Exception) -> bool:
        """Stop the import if a call failed because the client was closed; return whether it did."""
        if not self.closed() or not (isinstance(error, ConfigurationError) or ending_of(error).passes):
            return False
        self.stops.stop.start_no_more(client_closed())
        return True

    def _done(self, claim: Claim, end: Done[Claim, Any]) -> None:
        self.done += 1
        self.stops.done()
        # A worker gives the effect itself.
        effect = end.result if isinstance(end.result, Effect) else self.operation.effect(end.result)
        self._end(
            claim.row,
            self.operation.label,
            effect,
            attempts=end.attempts,
            seconds=self._seconds(claim),
            version=effect.version,
            # What another call with this key created is not the work of this job.
            proof=None if end.found else ANSWERED,
        )

    def _fail(self, claim: Claim, error: Exception) -> None:
        reason = reason_of(error)
        if ending_of(error).passes:
            # Certainly not carried out, and not for a fault of the row: it stays planned.
            self._wait(claim.row, reason)
        else:
            self.stops.refused(reason)
        self._end(claim.row, "failed", **self._facts(claim, error, reason))

    def _doubt(self, claim: Claim, error: InDoubtError) -> None:
        """Keep a row that can be looked up later, to report it when settled; report any other."""
        reason = reason_of(error)
        if claim.key is None:
            self._end(claim.row, "in_doubt", **self._facts(claim, error, reason))
            return
        doubt = Doubt(
            claim.row.number,
            claim.row.line,
            claim.key,
            self._now(),
            reason,
            error.request_id,
            code_of(error),
            error.attempts,
            self._seconds(claim),
            claim.record if self.operation.compares else None,
        )
        self.doubted.append(doubt)
        self._write(RowRecord(doubt.row, State.IN_DOUBT, reason=doubt.reason, code=doubt.code, **doubt.call))

    def _facts(self, claim: Claim, error: Exception, reason: str) -> dict[str, Any]:
        """Return the facts about a call's error for the record of its row."""
        behind = self.columns_behind(reason)
        return {
            "reason": f"{reason} ({behind})" if behind else reason,
            "code": code_of(error),
            "request_id": getattr(error, "request_id", None),
            "attempts": error.attempts if isinstance(error, WosdkError) else 0,
            "seconds": self._seconds(claim),
        }

    def _seconds(self, claim: Claim) -> float:
        return self._now() - claim.started

    @cached_property
    def _now(self) -> Callable[[], float]:
        # Once: get_running_loop() asks the kernel for the process before Python 3.12
        return asyncio.get_running_loop().time

    # --- writing ------------------------------------------------------------------------------

    def _wait(self, row: Row, reason: str) -> None:
        """Count a row that the next run sends."""
        self.unsent.add(row.number)
        self.stops.unsent(reason)

    def _end(self, row: Row, kind: Kind, effect: Effect | None = None, **facts: Any) -> None:
        """Record and report an outcome; ``facts`` are further fields of its record."""
        state = _STATES[kind]
        if state == State.REFUSED and row.number in self.unsent:
            state = State.PLANNED
        if row.warnings:
            facts["warnings"] = tuple(dict.fromkeys(row.warnings))
        if effect is None:
            kept, entity = self._write(RowRecord(row.number, state, **facts)), None
        else:
            kept = self._write(RowRecord(row.number, state, effect.id, effect.number, **facts))
            entity = effect.entity or None
        self.on_row(RowOutcome.of(kept, row.line, kind, entity))

    def _write(self, record: RowRecord) -> RowRecord:
        """Record an outcome, and return it as stored."""
        kept = self.journal.record(record)
        if self.journal.failed is not None:
            self.stops.stop.start_no_more(self.journal.failed)
        return kept


_STATES = {
    **dict.fromkeys(("created", "updated", "deleted", "done"), State.DONE),
    "found": State.FOUND,
    "failed": State.REFUSED,
    "in_doubt": State.IN_DOUBT,
}
