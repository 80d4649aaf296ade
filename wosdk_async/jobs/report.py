"""What an import tells: one line for each row as it ends, and a closing summary."""

from __future__ import annotations

from typing import Any, Literal

import attrs

from wosdk_async.errors import WosdkError
from wosdk_async.jobs.sources.csv import Row
from wosdk_async.model import WoActionResponse
from wosdk_async.outcome import Done, Failed, InDoubt, Outcome

__all__ = ["RowOutcome", "Summary"]

Kind = Literal["created", "failed", "in_doubt", "not_started"]


@attrs.frozen(kw_only=True)
class RowOutcome:
    """What became of one row; ``reason`` says why when no work order is known to be there."""

    row: int
    line: int
    outcome: Kind
    work_order_id: int | None = None
    number: str | None = None
    reason: str | None = None
    request_id: str | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, outcome: Outcome[Row, WoActionResponse]) -> RowOutcome:
        """The outcome of a run, in the words of the file."""
        row = outcome.input
        make = _Maker(row.number, row.line, tuple(dict.fromkeys(row.warnings)))
        if isinstance(outcome, Done):
            order = outcome.result.wo
            return make(
                "created", work_order_id=order.id if order else None, number=order.number if order else None
            )
        if isinstance(outcome, InDoubt):
            return make("in_doubt", reason=outcome.error.message, request_id=outcome.error.request_id)
        if isinstance(outcome, Failed):
            return make("failed", reason=_reason(outcome.error))
        return make("not_started", reason="the import was stopped before this row")

    def as_dict(self) -> dict[str, Any]:
        """The line of the outcomes file: what is not known is left out."""
        return attrs.asdict(self, filter=lambda _, value: value is not None and value != ())


@attrs.frozen
class _Maker:
    row: int
    line: int
    warnings: tuple[str, ...]

    def __call__(self, kind: Kind, **details: Any) -> RowOutcome:
        return RowOutcome(row=self.row, line=self.line, outcome=kind, warnings=self.warnings, **details)


def _reason(error: Exception) -> str:
    if isinstance(error, WosdkError):
        return error.message
    return f"{type(error).__name__}: {error}"


@attrs.define(kw_only=True)
class Summary:
    """The counts of an import; rows that were not started are those that the others leave.

    ``empty_rows`` are not among ``rows``: nothing is made of them.
    """

    rows: int
    empty_rows: int = 0
    created: int = 0
    failed: int = 0
    in_doubt: int = 0
    not_started: int = 0
    seconds: float = 0.0
    references_found: int = 0
    references_created: int = 0
    rows_with_warnings: int = 0
    warnings: list[str] = attrs.field(factory=list)

    def add(self, outcome: RowOutcome) -> None:
        """Count one row."""
        setattr(self, outcome.outcome, getattr(self, outcome.outcome) + 1)
        self.rows_with_warnings += bool(outcome.warnings)

    @property
    def complete(self) -> bool:
        """Whether every row became a work order."""
        return self.created == self.rows

    @property
    def rate(self) -> float:
        """Work orders a second."""
        return self.created / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """The figures that ``wosdk import --json`` prints."""
        return {
            "rows": self.rows,
            "created": self.created,
            "failed": self.failed,
            "in_doubt": self.in_doubt,
            "empty_rows": self.empty_rows,
            "seconds": round(self.seconds, 3),
        }
