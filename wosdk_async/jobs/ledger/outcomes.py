"""Outcomes of rows, and the summary of an import."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.journal import AuditResult, RowRecord
from wosdk_async.jobs.journal.worker_tables import AuditState, audit_facts
from wosdk_async.jobs.mapping.operations import Label

__all__ = ["RowOutcome", "Summary", "code_of"]

Kind = Literal["created", "updated", "deleted", "done", "found", "failed", "in_doubt", "not_started"]


@attrs.define(kw_only=True, unsafe_hash=True)  # not frozen, which takes three times as long to construct
class RowOutcome:
    """Outcome of one row; ``reason`` explains any other than success."""

    row: int
    line: int
    outcome: Kind
    entity: str | None = None
    """Type of the record that the row created or changed."""
    id: int | None = None
    """Id of that record."""
    number: str | None = None
    reason: str | None = None
    code: str | None = None
    """ErrorCode of the service, or the class of the error."""
    request_id: str | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, record: RowRecord, line: int, outcome: Kind, entity: str | None = None) -> RowOutcome:
        """Convert the record of a row in the journal; ``entity`` is the type of its record."""
        return cls(
            row=record.row,
            line=line,
            outcome=outcome,
            entity=entity,
            id=record.id,
            number=record.number,
            reason=record.reason,
            code=record.code,
            request_id=record.request_id,
            warnings=record.warnings,
        )

    @property
    def work_order_id(self) -> int | None:
        """The id, if the record is a work order."""
        return self.id if self.entity == "WorkOrder" else None

    def as_dict(self) -> dict[str, Any]:
        """Return the known facts, as in the outcomes file."""
        values = attrs.asdict(self, filter=lambda _, value: value is not None and value != ())
        is_order = values.pop("entity", None) == "WorkOrder"
        return {"work_order_id" if is_order and name == "id" else name: values[name] for name in values}


def code_of(error: Exception) -> str | None:
    """Return the ErrorCode of the service, or the class of an error; None if nothing was sent."""
    if isinstance(error, InvalidCallError):
        return None
    return getattr(error, "code", None) or type(error).__name__


@attrs.define(kw_only=True)
class Summary:
    """Counts of the rows of a file over all runs.

    ``rows`` is the sum of ``done``, ``found``, ``failed``, ``in_doubt`` and ``not_started``; it leaves out
    ``empty_rows``, which are skipped.
    """

    rows: int
    empty_rows: int = 0
    done: int = 0
    """Rows that succeeded: created, updated or deleted."""
    label: Label = "created"
    """Participle for these rows."""
    found: int = 0
    """Rows whose record existed before (``if_exists="skip"``)."""
    undone: int = 0
    """Rows of ``done`` whose records an undo cancelled or deleted."""
    changed: int = 0
    """Rows of ``done`` whose cells changed since; they are not sent again."""
    gone: int = 0
    """Rows of the ledger that the file lacks; no other count includes them."""
    plan: Mapping[str, int] = attrs.field(factory=dict)
    """Rows of the file by their standing in the ledger before this run: ``{"new": 3, "done": 10}``."""
    failed: int = 0
    waiting: int = 0
    """How many of the ``failed`` rows the next run sends, because the reason may be temporary."""
    in_doubt: int = 0
    not_started: int = 0
    done_now: int = 0
    """Rows that succeeded in this run."""
    seconds: float = 0.0
    """Seconds of this run."""
    references_found: int = 0
    references_created: int = 0
    warnings: list[str] = attrs.field(factory=list)
    """Warnings that concern more than one row."""
    stopped: WosdkError | None = None
    """Why the import stopped early: an error, or a RunStoppedError with the rule as its ``kind``."""
    audit: AuditResult | None = None
    """Result of the audit of a job on many workers; None without one."""
    audit_state: AuditState = "none"
    audit_why: str | None = None
    """Why an audit is impossible; None if it is possible."""
    missing: str | None = None
    """Message if the job folder or its journal was removed or moved during the run, so that the next run does
    not know what this one sent; else None."""
    unwritten: list[RowRecord] = attrs.field(factory=list)
    """Outcomes that could not be written in the journal; the other counts do not include them."""
    folder: Path | None = None
    """The job folder."""
    files: list[Path] = attrs.field(factory=list)
    """The files that this run wrote; none if the job had finished before."""
    files_failed: WosdkError | None = None
    """Why files of the job could not be written; the journal is complete, so they can be written again."""

    @property
    def complete(self) -> bool:
        """Whether every row succeeded or existed before, and none was undone.

        The journal must be in its place, and a job on many workers needs a clean audit, if one is possible.
        """
        all_done = self.done + self.found == self.rows and not self.undone
        return all_done and self.missing is None and self.audit_state in ("none", "impossible", "clean")

    @property
    def all_ended(self) -> bool:
        """Whether the same command would send and look up no row."""
        return not (self.in_doubt or self.not_started or self.waiting)

    @property
    def created(self) -> int:
        """Alias of ``done``, for imports that create."""
        return self.done

    @property
    def rate(self) -> float:
        """Rows per second of this run."""
        return self.done_now / self.seconds if self.seconds else 0.0

    def _audit_facts(self) -> dict[str, Any]:
        return audit_facts(self.audit_state, self.audit, self.audit_why)

    def as_dict(self) -> dict[str, Any]:
        """Return the figures that ``wosdk import --json`` prints."""
        names = ("found", "not_started", "undone", "changed", "gone")
        more = {name: getattr(self, name) for name in names}
        return {
            "rows": self.rows,
            self.label: self.done,
            f"{self.label}_now": self.done_now,
            "failed": self.failed,
            "in_doubt": self.in_doubt,
            **{name: count for name, count in more.items() if count},
            **({} if self.audit_state == "none" else {"audit": self._audit_facts()}),
            **({"plan": dict(self.plan)} if self.plan else {}),
            **({"warnings": self.warnings} if self.warnings else {}),
            **({"missing": self.missing} if self.missing else {}),
            "empty_rows": self.empty_rows,
            "seconds": round(self.seconds, 3),
            **({"job": str(self.folder)} if self.folder is not None else {}),
        }
