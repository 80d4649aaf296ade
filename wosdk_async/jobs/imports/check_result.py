"""Findings of a check: about each row, and about all of them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from statistics import median_high
from typing import Any, Literal

import attrs

from wosdk_async.jobs.ledger.decision import Plan, Refusal
from wosdk_async.jobs.ledger.overview import UNDER_WAY, Overview
from wosdk_async.jobs.stop import cause_of

__all__ = ["FINDINGS", "KEPT", "CheckResult", "Finding", "FindingKind", "ProblemCause"]

FindingKind = Literal[
    "would_send",
    "there",
    "refused",
    "ambiguous",
    "missing",
    "ended",
    "changed",
    "undone",
    "kept",
    "in_doubt",
    "sending",
]

FINDINGS: dict[FindingKind, str] = {
    "would_send": "would be sent",
    "there": "there already",
    "refused": "refused here",
    "ambiguous": "with a name of several records",
    "missing": "naming a record that does not exist",
    "ended": "done before",
    "changed": "changed after being sent",
    "undone": "undone",
    "kept": "refused by the service before",
    "in_doubt": "in doubt",
    "sending": UNDER_WAY,
}
"""What an import would do with a row, each with words for people."""

KEPT = 1000
"""Rows that a result lists, and causes; all rows go to ``on_row``."""

_FINE: tuple[FindingKind, ...] = ("would_send", "ended", "changed")
_MORE_ROWS = 5  # of a cause, beside the first
_VALUE = re.compile(r"(?:, not|is called|are called) ('[^']*'|\"[^\"]*\")")


@attrs.frozen
class Finding:
    """What an import would do with one row, and why it would not be sent."""

    row: int
    line: int
    kind: FindingKind
    reason: str = ""
    """Why the row would not be sent, or what would be created before it."""
    key: str = ""
    ids: tuple[int, ...] = ()
    """Records that the row would change, or that have its key already: the first few."""
    warnings: tuple[str, ...] = ()
    faults: tuple[tuple[FindingKind, str], ...] = ()
    """The single faults of a row that has several, each with its kind."""
    lacks: tuple[str, ...] = ()
    """Fields without a value that the service requires, each with what to do."""
    caution: str | None = None
    """What would surprise people about the record, although the service takes it."""
    again: bool = False
    """Whether the row would be sent, and failed before."""

    @property
    def is_problem(self) -> bool:
        """Whether the row would not be sent, and the job has not ended it already."""
        return self.kind not in _FINE


@attrs.define
class ProblemCause:
    """Rows that have one fault: the first of them, the numbers of a few more, and the wrong values."""

    first: Finding
    kind: FindingKind
    reason: str
    """The fault of the first row."""
    count: int = 0
    more: list[int] = attrs.field(factory=list)
    values: Counter[str] = attrs.field(factory=Counter)
    """The values of the file that the fault names, each with its rows."""

    def add(self, finding: Finding, reason: str) -> None:
        """Count one more row."""
        self.count += 1
        if 1 < self.count <= _MORE_ROWS + 1:
            self.more.append(finding.row)
        value = _VALUE.search(reason)
        if value is not None and (value[1] in self.values or len(self.values) < KEPT):
            self.values[value[1]] += 1


@attrs.define(kw_only=True)
class CheckResult:
    """What a check found out; ``rows`` is the number in the file, ``checked`` those it looked at."""

    label: str
    """What a row is afterwards, such as ``created``."""
    rows: int = 0
    empty_rows: int = 0
    checked: int = 0
    counts: Counter[FindingKind] = attrs.field(factory=Counter)
    findings: list[Finding] = attrs.field(factory=list)
    """The first 1,000 rows that would not be sent."""
    decision: Plan | Refusal | None = None
    """What the import would do with the rows of its file, or why it would be refused."""
    new_records: dict[str, int] = attrs.field(factory=dict)
    """Records that would be created first, by reference."""
    filled: dict[str, int] = attrs.field(factory=dict)
    """Rows in which each column of the file has content."""
    used: frozenset[str] = frozenset()
    """Columns that the map reads."""
    warnings: list[str] = attrs.field(factory=list)
    requests: list[dict[str, Any]] = attrs.field(factory=list)
    """The first requests; ids of records that would be created first stand as 1."""
    calls: int = 0
    seconds: float | None = None
    """Expected duration, if a call takes as long as a look-up of this check; None when there was none."""
    job: Overview | None = None
    """The job of the file that is there."""
    sent_again: int = 0
    """Rows that would be sent, and that failed before."""
    skips: bool = False
    """Whether a row that is there already is skipped, and does not fail."""
    lacking: int = 0
    """Rows that would be sent, and that the service will probably refuse: they lack what it requires."""
    _causes: dict[tuple[FindingKind, str], ProblemCause] = attrs.field(factory=dict, repr=False)
    _lacks: dict[str, ProblemCause] = attrs.field(factory=dict, repr=False)
    _cautions: dict[str, ProblemCause] = attrs.field(factory=dict, repr=False)

    @property
    def causes(self) -> list[ProblemCause]:
        """The causes for which rows would not be sent, by their first rows; at most 1,000.

        A row that has several faults is counted with each of them.
        """
        return list(self._causes.values())

    @property
    def lacks(self) -> list[ProblemCause]:
        """Fields that the service requires, and that rows which would be sent leave empty."""
        return list(self._lacks.values())

    @property
    def cautions(self) -> list[ProblemCause]:
        """What would surprise people about records that would be sent, and that the service takes."""
        return list(self._cautions.values())

    @property
    def complete(self) -> bool:
        """Whether all rows that were checked would be, or are carried out, and the import is not refused."""
        if self.lacking or isinstance(self.decision, Refusal):
            return False
        return self.problems == (self.counts["there"] if self.skips else 0)

    @property
    def problems(self) -> int:
        """The number of rows that would not be sent, and that the job has not ended already."""
        return self.checked - sum(self.counts[kind] for kind in _FINE)

    def add(self, finding: Finding) -> None:
        """Count a row, and list it if it would not be sent."""
        self.checked += 1
        self.counts[finding.kind] += 1
        self.sent_again += finding.again
        self.lacking += bool(finding.lacks) and finding.kind == "would_send"
        for lack in finding.lacks:
            found = self._lacks.setdefault(lack, ProblemCause(finding, finding.kind, lack))
            found.add(finding, lack)
        if finding.caution is not None and finding.kind == "would_send":
            found = self._cautions.setdefault(
                finding.caution, ProblemCause(finding, finding.kind, finding.caution)
            )
            found.add(finding, finding.caution)
        if not finding.is_problem:
            return
        if len(self.findings) < KEPT:
            self.findings.append(finding)
        for kind, reason in dict.fromkeys(finding.faults or ((finding.kind, finding.reason),)):
            cause = kind, cause_of(reason)
            if cause in self._causes or len(self._causes) < KEPT:
                self._causes.setdefault(cause, ProblemCause(finding, kind, reason)).add(finding, reason)

    def expect(self, calls: int, looks: Sequence[float], limit: int, rate: float | None) -> None:
        """Set the number of calls and how long they would take.

        Args:
            calls: the number of calls.
            looks: the seconds that look-ups took.
            limit: most calls at a time.
            rate: most calls in a second.
        """
        self.calls = calls
        if looks:
            self.seconds = calls * median_high(looks) / min(limit, max(calls, 1))
        if rate:
            self.seconds = max(self.seconds or 0.0, calls / rate)

    def as_dict(self) -> dict[str, Any]:
        """Return the result as plain data."""
        shown = attrs.filters.include("row", "line", "kind", "reason")
        return {
            "rows": self.rows,
            "empty_rows": self.empty_rows,
            "checked": self.checked,
            **{kind: self.counts[kind] for kind in FINDINGS},
            "lacking": self.lacking,
            "sent_again": self.sent_again,
            "new_records": self.new_records,
            "columns": {
                name: {"filled": count, "used": name in self.used} for name, count in self.filled.items()
            },
            "problems": [attrs.asdict(each, filter=shown) for each in self.findings],
            "causes": [
                {"kind": each.kind, "reason": each.reason, "rows": each.count, "values": dict(each.values)}
                for each in self.causes
            ],
            "lacks": [{"reason": each.reason, "rows": each.count} for each in self.lacks],
            "cautions": [{"reason": each.reason, "rows": each.count} for each in self.cautions],
            "warnings": self.warnings,
            "import_refused": self.decision.why if isinstance(self.decision, Refusal) else None,
            "requests": self.requests,
            "calls": self.calls,
            "seconds": None if self.seconds is None else round(self.seconds, 1),
            "job": None if self.job is None else self.job.as_dict(),
        }
