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


@attrs.frozen(kw_only=True)
class RowOutcome:
    """Outcome of one row; ``reason`` says why when it is not known to be carried out."""

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
        """Return the outcome of a row as the journal keeps it; ``entity`` is the type of its record."""
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
        """Return the line of the outcomes file, without what is not known."""
        values = attrs.asdict(self, filter=lambda _, value: value is not None and value != ())
        is_order = values.pop("entity", None) == "WorkOrder"
        return {"work_order_id" if is_order and name == "id" else name: values[name] for name in values}


def code_of(error: Exception) -> str | None:
    """Return the ErrorCode of the service, or the class of an error; None for what was refused here."""
    if isinstance(error, InvalidCallError):
        return None
    return getattr(error, "code", None) or type(error).__name__


@attrs.define(kw_only=True)
class Summary:
    """The counts of the rows of a file, all runs together.

    ``rows`` is the sum of ``done``, ``found``, ``failed``, ``in_doubt`` and ``not_started``; it leaves out
    ``empty_rows``, which are skipped.
    """

    rows: int
    empty_rows: int = 0
    done: int = 0
    """Rows that were carried out: created, updated or deleted."""
    label: Label = "created"
    """What these rows are."""
    found: int = 0
    """Rows whose record existed before (``if_exists="skip"``)."""
    undone: int = 0
    """Rows that were carried out, and whose records an undo took back."""
    changed: int = 0
    """Rows that were carried out, and of which the file has other cells by now: they are not sent again."""
    gone: int = 0
    """Rows of the ledger that the file does not have; no other count has them."""
    plan: Mapping[str, int] = attrs.field(factory=dict)
    """Rows of the file by what the ledger knew of them before: ``{"new": 3, "done": 10}``."""
    failed: int = 0
    waiting: int = 0
    """Those of ``failed`` that were not sent for a reason that may pass: the next run sends them."""
    in_doubt: int = 0
    not_started: int = 0
    done_now: int = 0
    """Rows that this run carried out."""
    seconds: float = 0.0
    """Seconds of this run."""
    references_found: int = 0
    references_created: int = 0
    warnings: list[str] = attrs.field(factory=list)
    """Warnings that concern more than one row."""
    stopped: WosdkError | None = None
    """Why the import stopped before its end: an error, or a RunStoppedError with the rule as its ``kind``."""
    audit: AuditResult | None = None
    """What the Company has for the rows, of a job on many workers; None without an audit."""
    audit_state: AuditState = "none"
    """Whether there was an audit, and has to be one: see :data:`AuditState`."""
    audit_why: str | None = None
    """Why there can be no audit, if it is impossible."""
    missing: str | None = None
    """What was removed or moved during the run, the job folder or its journal, and what to do; None if
    nothing was. The next run does not know what this one sent."""
    unwritten: list[RowRecord] = attrs.field(factory=list)
    """What became of rows and could not be written in the journal; the other counts do not have it."""
    folder: Path | None = None
    """The job folder."""
    files: list[Path] = attrs.field(factory=list)
    """The files that this run wrote into it; none when the job had been finished before."""
    files_failed: WosdkError | None = None
    """Why files of the job could not be written: its journal is right, and they can be written again."""

    @property
    def complete(self) -> bool:
        """Whether every row is carried out, or existed before, and nothing was undone.

        It is not while the journal of the job is not in its place.

        Of a job on many workers the Company has what the journal says, too, if that can be looked up.
        """
        all_done = self.done + self.found == self.rows and not self.undone
        return all_done and self.missing is None and self.audit_state in ("none", "impossible", "clean")

    @property
    def all_ended(self) -> bool:
        """Whether the same command would send no row, and look none up."""
        return not (self.in_doubt or self.not_started or self.waiting)

    @property
    def created(self) -> int:
        """The rows that were carried out, by the name that fits imports that create."""
        return self.done

    @property
    def rate(self) -> float:
        """Rows per second that this run carried out."""
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
