"""Exports of an entity's records to files for other programs.

``exporter.py`` exports to one file, and ``incremental.py`` adds a part with changed records. Their base in
``export_job.py`` determines what to read, ``work_folder.py`` stores rows in files that survive a kill, and
``table_writers.py`` writes the output. This module contains their shared code.
"""

from __future__ import annotations

import contextlib
import errno
import importlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.errors import JournalError, OutputError
from wosdk_async.jobs.journal import FolderLock
from wosdk_async.jobs.journal.lock import LOCK
from wosdk_async.jobs.options import ExcelSeparator
from wosdk_async.options.checks import choice, number, switch
from wosdk_async.query.paging import ROW_CAP
from wosdk_async.text.safe_text import one_line, shortened

_MAX_SHOWN = 200  # characters per value in a message
_MAX_TRIES = 100  # a try fails if another export ends and removes the folder at that moment

ExportPlan = Mapping[str, Any]
"""Stored description of what an export reads and writes. A stopped export resumes only with the same plan."""


def differences(plan: ExportPlan, stored: ExportPlan) -> list[str]:
    """Return the differences from a stored plan, such as ``["properties changed from Number to *"]``."""
    mine, theirs = _compared_fields(plan), _compared_fields(stored)
    found = [
        f"{name} changed from {_shown(theirs[name])} to {_shown(value)}"
        for name, value in mine.items()
        if value != theirs[name]
    ]
    if not found and plan["columns"] != stored.get("columns"):
        found.append("columns chosen by another version of this package")
    return found


def _compared_fields(plan: ExportPlan) -> dict[str, Any]:
    """Return the fields that determine rows and format, except ``columns``, by their names in messages."""
    expression = plan.get("expression") or {}
    return {
        "entity": plan.get("entity"),
        "Company": plan.get("company"),
        "properties": (expression.get("PropertySet") or {}).get("Properties"),
        "conditions": expression.get("Criteria"),
        "format": plan.get("format"),
        "limit": plan.get("limit"),
        "CSV separator": plan.get("csv_for_excel"),
        "CSV text": "raw" if plan.get("csv_raw") else "safe for spreadsheets",
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
    """Output format (default: inferred from the output's suffix, or Parquet for incremental exports)."""
    parallel: int = number(4, "a number of ranges, 1 to 100", low=1, high=100, whole=True)
    """Number of id ranges to read concurrently."""
    page: int = number(1000, f"a number of rows per call, 1 to {ROW_CAP}", low=1, high=ROW_CAP, whole=True)
    """Rows per call."""
    limit: int | None = number(None, "a number of rows, 1 or more", low=1, whole=True, none=True)
    """Maximum number of rows, starting at the lowest id (default: all)."""
    again: bool = switch(False)
    """Whether to start over even if a stopped export to the same output could resume."""
    force: bool = switch(False)
    """Whether to overwrite an existing output."""
    csv_for_excel: ExcelSeparator | None = choice("comma", "semicolon")
    """CSV separator for Excel; the file then begins with a byte order mark. None writes plain CSV."""
    csv_raw: bool = switch(False)
    """Whether to write CSV text unchanged; by default, formulas get a leading apostrophe."""


@attrs.frozen(kw_only=True)
class ExportSummary:
    """Counts of an export over all runs."""

    path: Path | None
    """The file, or the folder of the new part; None if nothing changed and no part was added."""
    format: str
    rows: int
    earlier: int = 0
    """Rows read in earlier runs."""
    bytes: int = 0
    """File size in bytes."""
    columns: int = 0
    seconds: float = 0.0
    """Duration of this run."""
    guarded: int = 0
    """Number of CSV strings that got an apostrophe, so that spreadsheets do not read them as formulas. With
    ``csv_raw``, number of strings that already had such an apostrophe, which an import would remove."""
    clock_behind: float = 0.0
    """Seconds by which the service's clock was behind the watermark; if above 0, all records were read."""

    @property
    def rate(self) -> float:
        """Rows per second in this run."""
        return (self.rows - self.earlier) / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the summary as plain data."""
        found = attrs.asdict(self) | {"path": None if self.path is None else str(self.path)}
        return found | {"seconds": round(self.seconds, 3), "rate": round(self.rate, 1)}


class ExportError(ConfigurationError):
    """Export that cannot be carried out; the message includes the remedy."""

    kind = "export"


def export_package(name: str) -> Any:
    """Import and return a package. If it is missing, raise ExportError with the extra to install."""
    try:
        return importlib.import_module(name)
    except ImportError:
        package = name.partition(".")[0]
        raise ExportError(
            f"exports need the package {package}; run pip install 'wosdk_async[export]'"
        ) from None


@contextlib.contextmanager
def writing_output(path: Path) -> Iterator[None]:
    """Turn operating system errors into OutputError with a remedy."""
    try:
        yield
    except (OSError, JournalError) as error:
        cause = error.__cause__ if isinstance(error, JournalError) else error
        if not isinstance(cause, OSError):
            raise
        why = cause.strerror or str(cause).partition("\n")[0]
        raise OutputError(
            f"{cause.filename or path}: {why}; free disk space or change the permissions, then "
            "run the same command to resume; or name another output"
        ) from error


def locked_folder(path: Path, check: Callable[[Path], None]) -> FolderLock:
    """Create a folder if it is missing, then check and lock it. If a new folder is not writable, remove it.

    Raises:
        OutputError: the folder cannot be created or written to.
        JournalError: another process is using the folder.
    """
    with writing_output(path):
        for _ in range(_MAX_TRIES):
            with contextlib.suppress(FileNotFoundError, FileExistsError):
                return _locked(path, check)
        return _locked(path, check)  # last try: its error is raised


def _locked(path: Path, check: Callable[[Path], None]) -> FolderLock:
    is_new = not path.exists()
    path.mkdir(exist_ok=True)
    check(path)
    try:
        lock = FolderLock(path)
    except JournalError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            raise error.__cause__ from None  # so that locked_folder() tries again
        if is_new and isinstance(error.__cause__, OSError):
            _remove_empty(path)
        raise
    try:
        lock.require_in_place()
    except JournalError as error:  # another process removed the folder or lock at the end of its export
        lock.release()
        raise FileNotFoundError(errno.ENOENT, error.message, str(path)) from error
    return lock


def _remove_empty(folder: Path) -> None:
    """Remove a new folder if no other process has put its lock there."""
    with contextlib.suppress(OSError):
        if not (folder / LOCK).stat().st_size:
            (folder / LOCK).unlink()
    with contextlib.suppress(OSError):
        folder.rmdir()
