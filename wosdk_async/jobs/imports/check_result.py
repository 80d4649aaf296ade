"""Findings of an import check, per row and in total."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import median_high
from typing import Any, Literal, TypeVar

import attrs

from wosdk_async.jobs.ledger.overview import UNDER_WAY, Overview
from wosdk_async.jobs.ledger.terms import Plan, Refusal
from wosdk_async.jobs.stop import cause_of

T = TypeVar("T")

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
    "there": "already existing",
    "refused": "invalid",
    "ambiguous": "with an ambiguous name",
    "missing": "referring to a missing record",
    "ended": "done before",
    "changed": "with cells changed since the last send",
    "undone": "undone",
    "kept": "previously refused by the service",
    "in_doubt": "in doubt",
    "sending": UNDER_WAY,
}

_MAX_LISTED = 1000
"""Maximum number of rows and of causes in a result; ``on_row`` gets all rows."""

_FINE: tuple[FindingKind, ...] = ("would_send", "ended", "changed")
_MORE_ROWS = 5  # rows listed for a cause after the first row
_VALUE = re.compile(r"(?:, not|is called|are called) ('[^']*'|\"[^\"]*\")")


@attrs.frozen
class Finding:
    """The predicted outcome of one row."""

    row: int
    line: int
    kind: FindingKind
    reason: str = ""
    """Why the row would not be sent, or which records would be created first."""
    key: str = ""
    ids: tuple[int, ...] = ()
    """Ids of the first few records that the row would change, or that already have the row's key."""
    warnings: tuple[str, ...] = ()
    faults: tuple[tuple[FindingKind, str], ...] = ()
    """Each problem with its kind, if the row has several problems."""
    lacks: tuple[str, ...] = ()
    """Required fields without a value, each with a remedy."""
    again: bool = False
    """Whether the row failed before and would be retried."""


@attrs.define
class ProblemCause:
    """Rows with the same problem: the first row, a few more rows, and the wrong values."""

    first: Finding
    kind: FindingKind
    reason: str
    """The problem of the first row."""
    count: int = 0
    more: list[Finding] = attrs.field(factory=list)
    values: Counter[str] = attrs.field(factory=Counter)
    """Number of rows for each wrong value."""

    def add(self, finding: Finding, reason: str) -> None:
        """Count one more row."""
        self.count += 1
        if 1 < self.count <= _MORE_ROWS + 1:
            self.more.append(finding)
        value = _VALUE.search(reason)
        if value is not None and (value[1] in self.values or len(self.values) < _MAX_LISTED):
            self.values[value[1]] += 1


@attrs.define(kw_only=True)
class CheckResult:
    """Result of an import check; ``checked`` counts the checked rows, ``rows`` all rows of the file."""

    label: str
    """The operation's past participle, such as ``created``."""
    rows: int = 0
    empty_rows: int = 0
    checked: int = 0
    counts: Counter[FindingKind] = attrs.field(factory=Counter)
    findings: list[Finding] = attrs.field(factory=list)
    """The first 1,000 rows that would not be sent."""
    decision: Plan | Refusal | None = None
    """The import's plan, or the reason why the import would be refused."""
    new_records: dict[str, int] = attrs.field(factory=dict)
    """Number of records to create first, by reference."""
    filled: dict[str, int] = attrs.field(factory=dict)
    """Number of non-empty cells in each column of the file."""
    used: frozenset[str] = frozenset()
    """Columns that the map reads."""
    warnings: list[str] = attrs.field(factory=list)
    requests: list[dict[str, Any]] = attrs.field(factory=list)
    """The first requests, in which id 1 stands for each record that must be created first."""
    calls: int = 0
    seconds: float | None = None
    """Estimated duration, from the speed of this check's look-ups and the rate; None if neither is known."""
    job: Overview | None = None
    sent_again: int = 0
    """Number of rows that failed before and would be retried."""
    skips: bool = False
    """Whether the import would skip rows whose record exists, instead of failing them."""
    existing: Mapping[str, Any] = attrs.field(factory=dict)
    """Remedies for rows whose record exists, and the values to insert into the remedies."""
    lacking: int = 0
    """Number of rows that would be sent without a required field, and would probably be refused."""
    causes: dict[tuple[FindingKind, str], ProblemCause] = attrs.field(factory=dict)
    """Reasons why rows would not be sent, by kind and cause, ordered by first row; at most 1,000.

    A row with several problems counts once for each.
    """
    lacks: dict[str, ProblemCause] = attrs.field(factory=dict)
    """Required fields that are empty in rows to send."""
    cautions: dict[str, ProblemCause] = attrs.field(factory=dict)
    """Warnings about rows to send, such as truncated values; at most 1,000."""

    @property
    def complete(self) -> bool:
        """Whether the import would be accepted and no checked row has a problem or lacks a required field."""
        if self.lacking or isinstance(self.decision, Refusal):
            return False
        return self.problems == (self.counts["there"] if self.skips else 0)

    @property
    def problems(self) -> int:
        """Number of checked rows that are not done and would not be sent."""
        return self.checked - sum(self.counts[kind] for kind in _FINE)

    def add(self, finding: Finding) -> None:
        """Count a row, and list it if it would not be sent."""
        self.checked += 1
        self.counts[finding.kind] += 1
        self.sent_again += finding.again
        self.lacking += bool(finding.lacks) and finding.kind == "would_send"
        for lack in finding.lacks:
            _count(self.lacks, lack, finding, lack)
        if finding.kind in _FINE:
            for text in finding.warnings if finding.kind == "would_send" else ():
                if text not in finding.lacks:
                    _count(self.cautions, cause_of(text), finding, text)
            return
        if len(self.findings) < _MAX_LISTED:
            self.findings.append(finding)
        for kind, reason in dict.fromkeys(finding.faults or ((finding.kind, finding.reason),)):
            _count(self.causes, (kind, cause_of(reason)), finding, reason, kind)

    def expect(self, calls: int, look_up_seconds: Sequence[float], limit: int, rate: float | None) -> None:
        """Set the number of calls, and estimate their duration from the duration of each look-up."""
        self.calls = calls
        if look_up_seconds:
            self.seconds = calls * median_high(look_up_seconds) / min(limit, max(calls, 1))
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
                for each in self.causes.values()
            ],
            "lacks": [{"reason": each.reason, "rows": each.count} for each in self.lacks.values()],
            "cautions": [{"reason": each.reason, "rows": each.count} for each in self.cautions.values()],
            "warnings": self.warnings,
            "import_refused": self.decision.why if isinstance(self.decision, Refusal) else None,
            "requests": self.requests,
            "calls": self.calls,
            "seconds": None if self.seconds is None else round(self.seconds, 1),
            "job": None if self.job is None else self.job.as_dict(),
        }


def _count(
    causes: dict[T, ProblemCause], cause: T, finding: Finding, reason: str, kind: FindingKind | None = None
) -> None:
    if cause in causes or len(causes) < _MAX_LISTED:
        causes.setdefault(cause, ProblemCause(finding, kind or finding.kind, reason)).add(finding, reason)
