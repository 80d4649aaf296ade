"""CSV (RFC 4180) that a spreadsheet opens as text and numbers, never as formulas.

Written to a terminal, control characters are escaped as well.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from decimal import Decimal
from typing import IO, Any

from wosdk_async.cli.exit_codes import say
from wosdk_async.cli.output.cells import columns, value_at
from wosdk_async.cli.output.sanitize import json_text
from wosdk_async.safe_text import one_line

__all__ = ["CsvFormat", "cell", "harmless"]

# What spreadsheets take for the start of a formula; some read the full-width signs of East Asian keyboards
# likewise. Blanks and marks that nobody sees do not stop all of them.
_SIGNS = "=+\\-@＝＋－＠"
_BLANK = "\\s\x00-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff"
_FORMULA = re.compile(f"[\t\r\n]|[{_BLANK}]*[{_SIGNS}]")
_NUMBER = re.compile(r"-[0-9]+(\.[0-9]+)?")
# Where the locale separates by semicolons, or a text is pasted, a spreadsheet begins a cell after each
# semicolon or tab, and, as quotes in the middle of such a cell mean nothing, a row after each line break.
# Whole runs are taken, so that a long one is looked at once.
_RUN = re.compile(f"[;{_BLANK}]+(?P<sign>[{_SIGNS}])?")
_SEPARATOR = re.compile("[;\t\r\n\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_NAMED = 20  # columns that are left out


def harmless(text: str) -> str:
    """Return ``text`` with an apostrophe before what a spreadsheet would calculate; negative numbers stay."""
    inside = _RUN.sub(_guarded, text)
    return f"'{inside}" if _FORMULA.match(text) and not _NUMBER.fullmatch(text) else inside


def _guarded(run: re.Match[str]) -> str:
    if run["sign"] is None or not _SEPARATOR.search(run[0]):
        return run[0]
    return f"{run[0][:-1]}'{run['sign']}"


def cell(value: Any) -> str:
    """One cell: digits of numbers kept, objects and lists as JSON, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, int | Decimal) and not isinstance(value, bool):
        return str(value) if isinstance(value, int) else json_text(value)
    return harmless(json_text(value))


class CsvFormat:
    """Writes a header and a line for each row.

    The columns are the paths that were asked for; for ``*``, and without any, what the first rows have.
    """

    def __init__(self, file: IO[str], paths: Sequence[str]) -> None:
        self._shown = one_line if file.isatty() else str
        self._writer = csv.writer(file, lineterminator="\r\n")
        self._paths = paths
        self._columns: list[str] | None = None
        self._late: set[str] = set()

    def rows(self, rows: Sequence[dict[str, Any]]) -> None:
        """Write a page of rows."""
        if self._columns is None:
            self._columns = columns(rows, self._paths)
            if self._columns:
                self._writer.writerow(self._shown(harmless(name)) for name in self._columns)
        else:
            self._late.update(set(columns(rows, self._paths)).difference(self._columns))
        self._writer.writerows(
            [self._shown(cell(value_at(row, name))) for name in self._columns] for row in rows
        )

    def close(self) -> None:
        """Say what did not fit into the columns."""
        if self._late:
            named = ", ".join(sorted(self._late)[:_NAMED])
            more = f" and {len(self._late) - _NAMED} more" if len(self._late) > _NAMED else ""
            say(f"left out, as only later rows have them: {named}{more}; name them with -p")
