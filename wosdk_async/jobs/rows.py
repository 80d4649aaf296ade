"""Rows of a file, what became of each, and the summary of an import."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from wosdk_async.errors import WosdkError
from wosdk_async.model import WoActionResponse
from wosdk_async.outcome import Done, Failed, InDoubt, Outcome

__all__ = ["Row", "RowOutcome", "Summary"]

Kind = Literal["created", "failed", "in_doubt", "not_started"]


@attrs.define
class Row:
    """One row of a file."""

    number: int
    """Its place among the rows that are not empty, from 1."""
    line: int
    """The line of the file in which it starts."""
    cells: Mapping[str, str]
    fault: str | None = None
    """Why the row does not fit the header."""
    warnings: list[str] = attrs.field(factory=list)
    """What the import has to say about the row although it is created."""
    raw_cells: Sequence[str] | None = None
    """The cells as they stand in the file, where ``cells`` does not say everything: a wrong number of
    cells, or columns without a name."""

    def original(self, columns: Sequence[str]) -> list[str]:
        """Return the cells as they stand in the file, for ``columns`` of its source."""
        if self.raw_cells is not None:
            return list(self.raw_cells)
        values = dict(self.cells.items())  # also of cells that cannot be used
        return [values.get(column, "") for column in columns]


@attrs.frozen(kw_only=True)
class RowOutcome:
    """What became of one row; ``reason`` says why when no work order is known to exist."""

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
        """Return the outcome of a row from the outcome of its call."""
        details: dict[str, Any]
        if isinstance(outcome, Done):
            order = outcome.result.wo
            details = {"outcome": "created"}
            if order is not None:
                details |= {"work_order_id": order.id, "number": order.number}
        elif isinstance(outcome, InDoubt):
            error = outcome.error
            details = {"outcome": "in_doubt", "reason": error.message, "request_id": error.request_id}
        elif isinstance(outcome, Failed):
            details = {"outcome": "failed", "reason": _reason(outcome.error)}
        else:
            details = {"outcome": "not_started", "reason": "the import was stopped before this row"}
        row = outcome.input
        return cls(row=row.number, line=row.line, warnings=tuple(dict.fromkeys(row.warnings)), **details)

    def as_dict(self) -> dict[str, Any]:
        """Return the line of the outcomes file, without what is not known."""
        return attrs.asdict(self, filter=lambda _, value: value is not None and value != ())


def _reason(error: Exception) -> str:
    if isinstance(error, WosdkError):
        return error.message
    return f"{type(error).__name__}: {error}"


@attrs.define(kw_only=True)
class Summary:
    """The counts of an import.

    ``rows`` is the sum of ``created``, ``failed``, ``in_doubt`` and ``not_started``; it leaves out
    ``empty_rows``, which are skipped.
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
    """Warnings that concern more than one row."""

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
        """Work orders created per second."""
        return self.created / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the figures that ``wosdk import --json`` prints."""
        return {
            "rows": self.rows,
            "created": self.created,
            "failed": self.failed,
            "in_doubt": self.in_doubt,
            "empty_rows": self.empty_rows,
            "seconds": round(self.seconds, 3),
        }
