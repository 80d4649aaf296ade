"""Facts for a job's report: counts, failure causes, rows in doubt, references, runs and files."""

from __future__ import annotations

import datetime
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.journal import (
    LOOKED_UP,
    AuditResult,
    AuditRow,
    GrantTotals,
    JobPlan,
    JobRun,
    Journal,
    ReferenceRecord,
    RowRecord,
    State,
    StoredRow,
)
from wosdk_async.jobs.journal.entries import as_last_given
from wosdk_async.jobs.journal.worker_tables import AuditState, audit_facts
from wosdk_async.jobs.ledger.overview import COUNTED, UNDER_WAY, audit_state_of, why_no_audit
from wosdk_async.jobs.ledger.undone import UndoState, undo_state
from wosdk_async.jobs.report import JobFile
from wosdk_async.jobs.stop import cause_of
from wosdk_async.protocol.writes import UNDECIDED

OUTCOMES = {state: name for name, state in COUNTED.items()} | {State.DONE: "created"}
"""Outcome of a row in output files, by journal state; see also :func:`outcome_of`."""

_REFUSED = State.REFUSED  # an Enum takes long to look up its members
_MAX_CAUSES = 1000  # further causes are counted together
_MAX_ROWS = 20  # row numbers listed per cause
_MAX_LISTED = 200  # rows per list
_OTHER = "other causes"
_VERBS = {"create": "created", "update": "updated", "delete": "deleted", "WoCreateCommand": "created"}
"""Outcome of a completed row (default: ``done``), by the first word of its operation."""


def outcome_of(state: State, plan: JobPlan) -> str:
    """Return a row's outcome, which for a completed row depends on the job's operation."""
    if state == State.DONE:
        return _VERBS.get(plan.operation.partition(" ")[0], "done")
    return OUTCOMES[state]


def shown_reason(row: RowRecord) -> str | None:
    """Return a row's reason, or a label for a row in flight."""
    return row.reason or (UNDER_WAY if row.state == State.SENDING else None)


def shown_time(value: str | float) -> str:
    """Format an ISO or Unix time in UTC."""
    if isinstance(value, str):
        try:
            moment = datetime.datetime.fromisoformat(value)
        except ValueError:
            return value
    else:
        moment = datetime.datetime.fromtimestamp(value, datetime.UTC)
    return f"{moment.astimezone(datetime.UTC):%Y-%m-%d %H:%M:%S} UTC"


@attrs.define
class Listed:
    """First rows of a kind, and the number of all rows of that kind."""

    count: int = 0
    rows: list[Any] = attrs.field(factory=list)

    def add(self, row: Any, most: int = _MAX_LISTED) -> None:
        """Count a row, and list it if fewer than ``most`` are listed."""
        self.count += 1
        if len(self.rows) < most:
            self.rows.append(row)


@attrs.define(kw_only=True)
class Cause(Listed):
    """The row numbers of rows that failed for the same cause, and the first row's reason and code."""

    reason: str
    code: str | None


@attrs.define(eq=False)
class JobFacts:
    """Facts for a report; pass every row of the last file, in order, to :meth:`add`."""

    plan: JobPlan
    folder: Path
    runs: Sequence[JobRun] = ()
    references: Sequence[ReferenceRecord] = ()
    """Referenced records; records that were not created come first."""
    undone: UndoState | None = None
    audit: AuditResult | None = None
    audit_state: AuditState = "none"
    audit_rows: Sequence[AuditRow] = ()
    """First rows where the Company's data differs from the journal."""
    grants: GrantTotals = attrs.field(factory=GrantTotals)
    files: Sequence[JobFile] = ()
    rejects: str = "rejects.csv"
    """File name of the rejects."""
    counts: Counter[State] = attrs.field(factory=Counter)
    warned: int = 0
    """Rows with warnings."""
    changed: Listed = attrs.field(factory=Listed)
    """Completed rows that have since changed in the file."""
    doubted: Listed = attrs.field(factory=Listed)
    """Rows in doubt, and rows in flight when the run ended."""
    settled: Listed = attrs.field(factory=Listed)
    """Rows that were in doubt and were later found by their keys."""
    unsent_elsewhere: tuple[int, int] = (0, 0)
    """Unsent rows missing from the last file; see ``Overview.unsent_elsewhere``."""
    _causes: dict[str, Cause] = attrs.field(factory=dict)

    @classmethod
    async def read(cls, journal: Journal) -> JobFacts:
        """Read the facts of a job, except those about its rows, which :meth:`add` collects."""
        return cls(
            journal.plan,
            journal.folder,
            await journal.runs(),
            sorted(await journal.references(), key=lambda each: each.state == State.DONE),
            await undo_state(journal),
            await journal.audit(),
            await audit_state_of(journal),
            await journal.audit_rows(limit=_MAX_LISTED),
            await journal.grant_totals(),
            unsent_elsewhere=await journal.unsent_elsewhere(),
        )

    @property
    def last_plan(self) -> JobPlan:
        """The plan with the last run's options."""
        return as_last_given(self.plan, self.runs)

    def add(self, rows: Sequence[StoredRow]) -> None:
        """Count rows."""
        self.counts.update([row.state for row in rows])
        for row in rows:
            if row.warnings:
                self.warned += 1
            if row.changed and row.state in (State.DONE, State.FOUND):
                self.changed.add(row)
            if row.state == _REFUSED:
                self._add_failure(row)
            elif row.state in UNDECIDED:
                self.doubted.add(row)
            elif row.proof == LOOKED_UP:
                self.settled.add(row)

    def _add_failure(self, row: StoredRow) -> None:
        key = cause_of(row.reason or "")
        if key not in self._causes and len(self._causes) >= _MAX_CAUSES:
            key = _OTHER
        cause = self._causes.get(key)
        if cause is None:
            reason = _OTHER if key == _OTHER else row.reason or ""
            cause = self._causes[key] = Cause(reason=reason, code=row.code)
        cause.add(row.row, _MAX_ROWS)

    @property
    def causes(self) -> list[Cause]:
        """Failure causes, most frequent first."""
        return sorted(self._causes.values(), key=lambda cause: -cause.count)

    def _audit(self) -> dict[str, Any] | None:
        if self.audit_state == "none":
            return None
        return audit_facts(self.audit_state, self.audit, why_no_audit(self.plan)) | {
            "rows": [_plain(row) for row in self.audit_rows]
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the facts for ``report.json``."""
        counts: Counter[str] = Counter()
        for state in OUTCOMES:
            counts[outcome_of(state, self.plan)] += self.counts[state]
        return {
            "plan": attrs.asdict(self.plan),
            "counts": counts,
            "undo": str(self.undone) if self.undone is not None else None,
            "workers": attrs.asdict(self.grants) if self.grants.leases else None,
            "audit": self._audit(),
            "rows_with_warnings": self.warned,
            "changed": [{"row": row.row, "line": row.line, "key": row.key} for row in self.changed.rows],
            "settled": self.settled.count,
            "unsent": dict(zip(("original", "earlier"), self.unsent_elsewhere, strict=True)),
            "runs": [_plain(run) for run in self.runs],
            "failures": [attrs.asdict(cause) for cause in self.causes],
            "in_doubt": [_doubt(row) for row in self.doubted.rows],
            "references": [_plain(each) for each in self.references[:_MAX_LISTED]],
            "lists": {
                "in_doubt": _part(self.doubted.count, "in_doubt.csv"),
                "changed": _part(self.changed.count, "results.csv"),
                "references": _part(len(self.references), "references.csv"),
            },
            "files": [attrs.asdict(file) for file in self.files],
        }


def _plain(entry: AuditRow | JobRun | ReferenceRecord) -> dict[str, Any]:
    def plain(_: Any, field: Any, value: Any) -> Any:
        if isinstance(value, State):
            return value.name.lower()
        if value is None or field is None or field.name not in ("started_at", "ended_at"):
            return value
        return datetime.datetime.fromtimestamp(value, datetime.UTC).isoformat(timespec="milliseconds")

    return attrs.asdict(entry, value_serializer=plain)


def _part(count: int, file: str) -> dict[str, Any]:
    return {"count": count, "listed": min(count, _MAX_LISTED), "file": file}


def _doubt(row: StoredRow) -> dict[str, Any]:
    names = ("row", "line", "key", "request_id")
    return {name: getattr(row, name) for name in names} | {"reason": shown_reason(row)}
