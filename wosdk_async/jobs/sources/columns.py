"""Check for the map's columns in a file, with suggestions for missing ones."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import islice
from typing import Any

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.sources.source import Source
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion

__all__ = ["OPEN", "fullest_line", "likely_delimiter", "require_columns"]

OPEN = "ADAPT"
"""Placeholder column in draft maps."""

_TOP = 50  # rows to search for a header
_DELIMITERS = {",": "','", ";": "';'", "\t": "tab", "|": "'|'"}
"""Common delimiters and their names."""
_FIXED = 'For a fixed record, write { id = 12 } instead of "@name" and delete the table [reference.name]. '


def require_columns(source: Source, columns: Mapping[str, str]) -> None:
    """Raise ImportMapError if the file lacks a column.

    Args:
        source: the file.
        columns: the required columns, with their places in the map.
    """
    missing = next((name for name in columns if name not in source.columns), None)
    if missing is None:
        return
    place, names = columns[missing], ", ".join(filter(None, source.columns))
    hint, facts = suggestion(missing, source.columns) or ".", dict[str, Any]()
    if (line := _likely_header(source, columns)) is not None:
        hint, facts = (
            f": line {line} looks like the header.",
            {"remedies": (Remedy.HEADER_ROW,), "line": line},
        )
    elif better := _better_delimiter(source, columns):
        facts = {"remedies": (Remedy.DELIMITER,), "delimiter": better}
    if missing == OPEN:
        raise ImportMapError(
            f"replace {{{OPEN}}} in {place} with a {{column}} or a fixed value. "
            f"{_FIXED if 'reference.' in place else ''}Columns of {source.path}: {names}",
            **facts,
        )
    raise ImportMapError(
        f"{source.path}: no column {missing!r}, which {place} uses{hint} Its columns are: {names}",
        **facts,
    )


def _likely_header(source: Source, wanted: Mapping[str, str]) -> int | None:
    """Return the line near the top with the most wanted columns, unless the header has as many."""
    best, best_count = None, len(wanted.keys() & set(source.columns))
    for row in islice(source, _TOP):
        found = len(wanted.keys() & {cell.strip() for cell in row.original(source.columns)})
        if found > best_count:
            best, best_count = row.line, found
    return best


def fullest_line(source: Source) -> int | None:
    """Return the first line near the top with the most filled cells, unless the header has as many."""
    best, best_count = None, sum(map(bool, source.columns))
    for row in islice(source, _TOP):
        filled = sum(map(bool, map(str.strip, row.original(source.columns))))
        if filled > best_count:
            best, best_count = row.line, filled
    return best


def likely_delimiter(source: Source) -> str | None:
    """Return the name of another delimiter that would separate more columns, if any."""
    if source.dialect is None:
        return None
    header = source.dialect.delimiter.join(source.columns)
    best = max(_DELIMITERS, key=header.count)
    return _DELIMITERS[best] if header.count(best) >= len(source.columns) else None


def _better_delimiter(source: Source, wanted: Mapping[str, str]) -> str | None:
    """Return the name of another delimiter that would find more wanted columns, if any."""
    if source.dialect is None:
        return None
    current = source.dialect.delimiter
    header = current.join(source.columns)

    def score(delimiter: str) -> tuple[int, int]:
        cells = {cell.strip().strip('"') for cell in header.split(delimiter)}
        return len(cells & wanted.keys()), len(cells)

    best = max(_DELIMITERS, key=score)
    return _DELIMITERS[best].strip("'") if best != current and score(best) > score(current) else None
