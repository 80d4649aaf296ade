"""Shell commands of a job: to resume it, and to import its rejects."""

from __future__ import annotations

import contextlib
import re
import shlex
from pathlib import Path, PurePath
from typing import Any

from wosdk_async.cli.texts import in_commands
from wosdk_async.jobs.journal import JobPlan
from wosdk_async.jobs.ledger.request import ReportWords
from wosdk_async.jobs.report.output_folder import unnumbered
from wosdk_async.jobs.report.output_tables import REJECTS
from wosdk_async.jobs.sources.formats import FORMATS, suffix_of
from wosdk_async.jobs.sources.source import REPORT_COLUMNS
from wosdk_async.regular_files import read_regular

__all__ = ["COMMAND_WORDS", "command_of", "rejects_command", "rejects_of"]

# Options of the input file that do not apply to its rejects, which are CSV files in the job folder.
_OF_INPUT = ("--format", "--sheet", "--outcomes")
_OF_TEXT = ("--delimiter", "--encoding")
_TAB = "\t"
_HEAD = 1 << 20  # bytes: enough for any header
_ADDED = re.compile(
    '"?(?P<delimiter>[^\\w"])"?'.join(map(re.escape, REPORT_COLUMNS[:2])) + '"?(?P=delimiter)'
)


def command_of(plan: JobPlan, folder: Path) -> str | None:
    """Return the command that resumes a job; None if a program started it."""
    given = _arguments(plan)
    if given is None:
        return None
    folder, base = folder.absolute(), Path(f"{plan.file}.job")
    beside = folder.parent == base.parent and folder.name.startswith(base.name)
    place = [] if beside else [f"--job={folder}"]
    return shlex.join(["wosdk", "import", plan.file, *given, *place, *_company(plan)])


def rejects_of(folder: Path) -> Path:
    """Return the newest rejects file in a job folder: ``rejects.csv``, ``rejects-2.csv`` ..."""
    written = [each for each in folder.glob("rejects*.csv") if unnumbered(each).name == REJECTS]
    return max(written, key=lambda each: (len(each.name), each.name), default=folder / REJECTS)


def rejects_command(plan: JobPlan, rejects: Path) -> str | None:
    """Return the command that imports the corrected rejects of a job; None if a program started it."""
    given = _arguments(plan)
    if given is None:
        return None
    options = {each.partition("=")[0]: each for each in given}
    suffix = suffix_of(PurePath(plan.file), options.get("--format", "").partition("=")[2] or None)
    known = FORMATS.get(suffix, FORMATS[".csv"])
    if "delimiter" not in known.options:  # these rejects have the format of the job's other files
        options = {name: text for name, text in options.items() if name not in _OF_TEXT}
        excel = ";" if "semicolon" in options.get("--csv-for-excel", "") else ","
        if (delimiter := _delimiter_of(rejects) or excel) != ",":
            options["--delimiter"] = f"--delimiter={'tab' if delimiter == _TAB else delimiter}"
    elif known is not FORMATS[".csv"]:  # implied by the suffix of the input
        options.setdefault("--delimiter", "--delimiter=tab")
    kept = [text for name, text in options.items() if name not in _OF_INPUT]
    return shlex.join(["wosdk", "import", str(rejects.absolute()), *kept, *_company(plan)])


def _delimiter_of(rejects: Path) -> str | None:
    """Return the delimiter of a rejects file; None if the file is missing or has no report columns.

    The file may be from a run with other options, or saved by a spreadsheet.
    """
    with contextlib.suppress(OSError):
        head = read_regular(rejects, _HEAD, cut=True)[0].decode("utf-8", errors="replace")
        if (found := _ADDED.search(head)) is not None:
            return found["delimiter"]
    return None


def _arguments(plan: JobPlan) -> list[str] | None:
    given: Any = plan.options.get("command")
    return [str(each) for each in given] if isinstance(given, list) else None


def _company(plan: JobPlan) -> list[str]:
    shared: Any = plan.options.get("global")
    return [f"--{name}={value}" for name, value in shared.items()] if isinstance(shared, dict) else []


COMMAND_WORDS = ReportWords(in_commands, command_of, rejects_command)
"""Remedies and command lines of ``wosdk`` in the report of a job."""
