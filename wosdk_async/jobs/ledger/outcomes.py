"""Row outcomes and import summary."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs
import msgspec

from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.journal import AuditResult, RowRecord
from wosdk_async.jobs.journal.worker_tables import AuditState, audit_facts
from wosdk_async.jobs.mapping.operations import Label

Kind = Literal["created", "updated", "deleted", "done", "found", "failed", "in_doubt", "not_started"]


class RowOutcome(msgspec.Struct, frozen=True):
    """Outcome of one row; ``reason`` explains failures and doubts."""

    row: int
    line: int
    outcome: Kind
    entity: str | None = None
    """Type of the created or changed record."""
    id: int | None = None
    """Id of the record."""
    number: str | None = None
    reason: str | None = None
    code: str | None = None
    """The service's ErrorCode, or the name of the error's class."""
    request_id: str | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, record: RowRecord, line: int, outcome: Kind, entity: str | None = None) -> RowOutcome:
        """Return a journaled row's outcome; ``entity`` is the type of the created or changed record."""
        return cls(record.row, line, outcome, entity, *_facts_of(record))

    @property
    def work_order_id(self) -> int | None:
        """The record's id, if it is a work order."""
        return self.id if self.entity == "WorkOrder" else None

    def as_dict(self) -> dict[str, Any]:
        """Return the non-empty fields, as in the outcomes file."""
        values = {
            name: value for name, value in msgspec.structs.asdict(self).items() if value not in (None, ())
        }
        is_order = values.pop("entity", None) == "WorkOrder"
        return {"work_order_id" if is_order and name == "id" else name: values[name] for name in values}


_facts_of = operator.attrgetter("id", "number", "reason", "code", "request_id", "warnings")


def code_of(error: Exception) -> str | None:
    """Return the service's ErrorCode or the name of the error's class; None for an InvalidCallError."""
    if isinstance(error, InvalidCallError):
        return None
    return getattr(error, "code", None) or type(error).__name__


@attrs.define(kw_only=True)
class Summary:
    """Counts of a file's rows over all runs.

    ``rows`` is the sum of ``done``, ``found``, ``found_undone``, ``failed``, ``in_doubt`` and
    ``not_started``. Empty rows are skipped, and only ``empty_rows`` counts them.
    """

    rows: int
    empty_rows: int = 0
    done: int = 0
    """Rows that succeeded: created, updated or deleted."""
    label: Label = "created"
    """Participle that describes rows in ``done``, such as ``created``."""
    found: int = 0
    """Rows skipped because their record already existed (``if_exists="skip"``)."""
    found_undone: int = 0
    """Rows whose record already existed, and was later undone by another job; not counted in ``found``."""
    undone: int = 0
    """Rows in ``done`` whose records an undo cancelled or deleted."""
    undo_in_doubt: int = 0
    """Rows in ``done`` whose undo is in doubt, or was in flight when the process was killed."""
    changed: int = 0
    """Rows in ``done`` that have changed in columns that the map reads; they are not resent."""
    first_changed: int | None = None
    """Line of the first row in ``changed``."""
    gone: int = 0
    """Rows of the ledger that are missing from the file; no other count includes them."""
    plan: Mapping[str, int] = attrs.field(factory=dict)
    """Number of the file's rows in each state before this run: ``{"new": 3, "done": 10}``."""
    failed: int = 0
    in_doubt: int = 0
    not_started: int = 0
    """Rows to send that were not sent, or were sent but certainly had no effect."""
    waiting: int = 0
    """Rows in ``not_started`` that this run could not send, for a reason that may be temporary."""
    done_now: int = 0
    """Rows that succeeded in this run."""
    seconds: float = 0.0
    """Duration of this run in seconds."""
    references_found: int = 0
    references_created: int = 0
    warnings: list[str] = attrs.field(factory=list)
    """Warnings that affect more than one row."""
    stopped: WosdkError | None = None
    """Why the import stopped early: an error, or a RunStoppedError whose ``kind`` names the rule."""
    audit: AuditResult | None = None
    """Audit result of a job with workers; None without an audit."""
    audit_state: AuditState = "none"
    audit_why: str | None = None
    """Why an audit is impossible; None if it is possible."""
    missing: str | None = None
    """Warning that the job folder or its journal was removed or moved during the run, so that the next run
    will not know which rows this run sent."""
    unwritten: list[RowRecord] = attrs.field(factory=list)
    """Outcomes that could not be written to the journal; the other counts exclude them."""
    folder: Path | None = None
    """The job folder."""
    files: list[Path] = attrs.field(factory=list)
    """Files written by this run; empty if all files were up to date."""
    files_failed: WosdkError | None = None
    """Why the job's files could not be written; the journal has all the data to write them again."""

    @property
    def complete(self) -> bool:
        """Whether every row succeeded or already had its record, with no row affected by an undo.

        The journal must still exist, the file must not have changed, and a job with workers needs a clean
        audit, if an audit is possible.
        """
        all_done = self.remaining + self.found == self.rows and not isinstance(self.stopped, ImportMapError)
        return all_done and self.missing is None and self.audit_state in ("none", "impossible", "clean")

    @property
    def all_ended(self) -> bool:
        """Whether another run would have no row to send or look up."""
        return not (self.in_doubt or self.not_started)

    @property
    def remaining(self) -> int:
        """Rows in ``done`` whose records no undo has affected."""
        return self.done - self.undone - self.undo_in_doubt

    @property
    def created(self) -> int:
        """Alias of ``done``, for imports that create."""
        return self.done

    @property
    def rate(self) -> float:
        """Rows per second in this run."""
        return self.done_now / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the summary printed by ``wosdk import --json``; its main count excludes undone rows."""
        names = ("found", "not_started", "undo_in_doubt", "changed", "gone")
        more = {"undone": self.undone + self.found_undone, **{name: getattr(self, name) for name in names}}
        audit = audit_facts(self.audit_state, self.audit, self.audit_why)
        return {
            "rows": self.rows,
            self.label: self.remaining,
            f"{self.label}_now": self.done_now,
            "failed": self.failed,
            "in_doubt": self.in_doubt,
            **{name: count for name, count in more.items() if count},
            **({} if self.audit_state == "none" else {"audit": audit}),
            **({"plan": dict(self.plan)} if self.plan else {}),
            **({"warnings": self.warnings} if self.warnings else {}),
            **({"missing": self.missing} if self.missing else {}),
            "empty_rows": self.empty_rows,
            "seconds": round(self.seconds, 3),
            **({"job": str(self.folder)} if self.folder is not None else {}),
        }
