"""Outcomes of rows, from the reports of workers."""

from __future__ import annotations

from typing import Any

from wosdk_async import errors
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.jobs.cluster.leases import Lease, LeaseLostError, RowToSend
from wosdk_async.jobs.cluster.messages import RowReport
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.row_operation import Effect
from wosdk_async.outcome import Done, Failed, InDoubt, NotStarted, Outcome

__all__ = [
    "RowEnd",
    "given_back_too_often",
    "killed_its_workers",
    "lost_with",
    "not_started",
    "outcome_of",
    "too_long",
]

RowEnd = Outcome[Any, Effect]

_ERRORS = {"RowError": RowError, **{name: getattr(errors, name) for name in errors.__all__}}


def outcome_of(index: int, claim: Any, report: RowReport) -> RowEnd:
    """Return the outcome of a row that a worker reports as done, failed or in doubt."""
    if report.result == "done":
        return Done(
            index,
            claim,
            Effect(report.entity, report.id, report.record, report.version),
            found=report.found,
            attempts=report.attempts,
            waits=report.waits,
        )
    kind = InDoubtError if report.result == "in_doubt" else _ERRORS.get(report.error, WosdkError)
    error = kind(
        report.reason or report.error or report.result,
        status=report.status,
        code=report.code,
        request_id=report.request_id,
        attempts=report.attempts,
        waits=report.waits,
    )
    if isinstance(error, InDoubtError):
        return InDoubt(index, claim, error)
    return Failed(index, claim, error)


def lost_with(lease: Lease, row: RowToSend, why: str) -> RowEnd:
    """Return the outcome of a row that may have been sent by a worker of which nothing is heard."""
    text = f"it may have been carried out: {why} (grant {lease.epoch})"
    return InDoubt(row.index, row.claim, LeaseLostError(text))


def given_back_too_often(row: RowToSend) -> RowEnd:
    """Return the outcome of a row that its workers do not send, or send and deny."""
    text = f"its workers gave it back {row.given_back} times as not sent, so it may have been carried out"
    return InDoubt(row.index, row.claim, LeaseLostError(text))


def killed_its_workers(row: RowToSend) -> RowEnd:
    """Return the outcome of a row that was lost with a worker although it was granted alone."""
    text = f"its worker was lost {row.loss.leases} times while it had this row, so it is not sent again"
    return Failed(row.index, row.claim, RowError(text))


def too_long(index: int, claim: Any, characters: int, most: int) -> RowEnd:
    """Return the outcome of a row that does not fit a message to a worker."""
    text = f"its record has {characters} characters as JSON; a worker takes at most {most}"
    return Failed(index, claim, RowError(text))


def not_started(row: RowToSend) -> RowEnd:
    """Return the outcome of a row that no worker sent."""
    return NotStarted(row.index, row.claim)
