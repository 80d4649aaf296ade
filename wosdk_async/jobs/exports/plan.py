"""Plan, options and summary of an export."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import attrs

from wosdk_async.jobs.options import ExcelSeparator
from wosdk_async.options.checks import choice, number, switch
from wosdk_async.query.paging import ROW_CAP
from wosdk_async.text.safe_text import one_line, shortened

__all__ = ["ExportOptions", "ExportPlan", "ExportSummary"]

_MAX_SHOWN = 200  # characters of a value in a message


@attrs.frozen(kw_only=True)
class ExportPlan:
    """What an export reads and writes, as plain data; resuming it needs the same plan."""

    entity: str
    company: str
    """Identity of the Company: its name, its id and its region."""
    expression: Mapping[str, Any]
    """QueryExpression, without the bounds of pages."""
    columns: Sequence[Sequence[str]]
    """Name and type of each column."""
    format: str
    limit: int | None = None
    csv_for_excel: str | None = None
    csv_raw: bool = False

    def as_dict(self) -> dict[str, Any]:
        """Return the plan as it is stored."""
        return attrs.asdict(self)

    def differences(self, stored: Mapping[str, Any]) -> list[str]:
        """Return what differs from a stored plan, such as ``["properties: Number, and now *"]``."""
        mine, theirs = _facts(self.as_dict()), _facts(stored)
        found = [
            f"{name}: {_shown(theirs[name])}, and now {_shown(value)}"
            for name, value in mine.items()
            if value != theirs[name]
        ]
        if not found and self.columns != stored.get("columns"):
            found.append("columns: those of another version of this package")
        return found


def _facts(plan: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields that decide the rows and their form, but not ``columns``, as messages name them."""
    expression = plan.get("expression") or {}
    return {
        "entity": plan.get("entity"),
        "Company": plan.get("company"),
        "properties": (expression.get("PropertySet") or {}).get("Properties"),
        "conditions": expression.get("Criteria"),
        "format": plan.get("format"),
        "limit": plan.get("limit"),
        "separator of the CSV": plan.get("csv_for_excel"),
        "texts of the CSV": "raw" if plan.get("csv_raw") else "safe for spreadsheets",
    }


def _shown(value: Any) -> str:
    if value is None:
        return "none"
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return shortened(one_line(text), _MAX_SHOWN)


@attrs.frozen(kw_only=True)
class ExportOptions:
    """Options of an export. Raises ConfigurationError for an invalid value."""

    format: Literal["parquet", "csv", "jsonl", "xlsx"] | None = choice("parquet", "csv", "jsonl", "xlsx")
    """Format of the output (default: by its suffix; parts of a folder are Parquet)."""
    parallel: int = number(4, "a number of calls, 1 or more", low=1, high=100, whole=True)
    """Ranges of ids that are read concurrently."""
    page: int = number(1000, f"a number of rows per call, 1 to {ROW_CAP}", low=1, high=ROW_CAP, whole=True)
    """Rows per call."""
    limit: int | None = number(None, "a number of rows, 1 or more", low=1, whole=True, none=True)
    """Maximum rows, those with the lowest ids (default: all)."""
    again: bool = switch(False)
    """Whether to start over, although a stopped export to the same output could resume."""
    force: bool = switch(False)
    """Whether to replace an existing output."""
    csv_for_excel: ExcelSeparator | None = choice("comma", "semicolon")
    """Separator of a CSV for Excel, with a byte order mark (default: commas, without the mark)."""
    csv_raw: bool = switch(False)
    """Whether a CSV, for programs, has texts unchanged: formulas get no apostrophe."""


@attrs.frozen(kw_only=True)
class ExportSummary:
    """Counts of an export, over all its runs."""

    path: Path | None
    """The file, or the folder of the new part; None when nothing moved, so that there is no new part."""
    format: str
    rows: int
    earlier: int = 0
    """Rows that earlier runs of the export read."""
    bytes: int = 0
    """Size of the file in bytes."""
    columns: int = 0
    seconds: float = 0.0
    """Duration of this run."""
    guarded: int = 0
    """Texts of a CSV that got an apostrophe, so that spreadsheets do not read them as formulas; with
    ``csv_raw`` those that had one already, which an import removes."""
    clock_behind: float = 0.0
    """Seconds by which the service's clock was behind the last part; unless 0, the part has all records."""

    @property
    def rate(self) -> float:
        """Rows per second of this run."""
        return (self.rows - self.earlier) / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        found = attrs.asdict(self) | {"path": None if self.path is None else str(self.path)}
        return found | {"seconds": round(self.seconds, 3), "rate": round(self.rate, 1)}
