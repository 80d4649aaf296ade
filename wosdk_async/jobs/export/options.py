"""Options of an export: each one is written here once, with its unit and default."""

from __future__ import annotations

from typing import Literal

import attrs

from wosdk_async.jobs.options import ExcelSeparator
from wosdk_async.option_checks import choice, names_checked, number, switch
from wosdk_async.query.paging import ROW_CAP

__all__ = ["ExportFormat", "ExportOptions"]

ExportFormat = Literal["parquet", "csv", "jsonl", "xlsx"]


@names_checked
@attrs.frozen(kw_only=True)
class ExportOptions:
    """How an export is carried out. Raises ConfigurationError for a value that does not fit."""

    format: ExportFormat | None = choice("parquet", "csv", "jsonl", "xlsx")
    """Format of the output. None means by the suffix of its name; parts of a folder are Parquet."""
    parallel: int = number(4, "a number of calls, 1 or more", low=1, high=100, whole=True)
    """Ranges of ids that are read at once, a call each."""
    page: int = number(1000, f"rows of a call, 1 to {ROW_CAP}", low=1, high=ROW_CAP, whole=True)
    """Rows of one call."""
    limit: int | None = number(None, "a number of rows, 1 or more", low=1, whole=True, none=True)
    """Most rows, those with the lowest ids; None for all."""
    again: bool = switch(False)
    """Whether to begin anew, although there is an export to the same output that was stopped."""
    force: bool = switch(False)
    """Whether an output that exists is replaced."""
    csv_for_excel: ExcelSeparator | None = choice("comma", "semicolon")
    """What separates the cells of a CSV that Excel opens; None means commas, and no byte order mark."""
    csv_raw: bool = switch(False)
    """Whether a CSV, for programs, holds texts as they are: no apostrophe stands before formulas."""
