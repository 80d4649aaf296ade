"""Columns of a file whose cells can be the keys of its rows: short texts, each of them once."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import islice

import attrs

from wosdk_async.jobs.draft_fields import is_usable
from wosdk_async.jobs.sources.source import Source

__all__ = ["KeyColumns", "key_columns"]

_ROWS = 100_000  # that are read
_REPEATS = 3  # of a column that would be one of keys but for them
_ROWS_TO_REPEAT = 4  # a repeated cell in fewer rows is no exception
_KEY = re.compile(r"\S{1,40}")
# Decimals and times, such as coordinates and when a row was written, are often unique, and no keys.
_NO_KEY = re.compile(r"[+-]?[0-9]*[.,][0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]+")


@attrs.frozen
class KeyColumns:
    """The columns that can identify the rows, in the order of the file."""

    unique: Sequence[str] = ()
    nearly: Mapping[str, tuple[int, int]] = attrs.field(factory=dict)
    """Those that could if a few cells were not there twice: the lines of the first two equal ones."""


def key_columns(source: Source) -> KeyColumns:
    """Return the columns that can identify the rows; of one row nobody can tell."""
    seen: dict[str, dict[int, int]] = {column: {} for column in source.columns if is_usable(column)}
    repeats: dict[str, list[tuple[int, int]]] = {column: [] for column in seen}
    rows = 0
    for row in islice(source, _ROWS):
        if not seen:
            break
        if row.fault is not None:
            continue
        rows += 1
        cells = dict(row.cells.items())  # also those that cannot be used
        for column in list(seen):
            cell, lines = cells.get(column, ""), seen[column]
            first = lines.setdefault(hash(cell), row.line)
            if first != row.line:
                repeats[column].append((first, row.line))
            if not _KEY.fullmatch(cell) or _NO_KEY.fullmatch(cell) or len(repeats[column]) > _REPEATS:
                del seen[column]
    if rows <= 1:
        return KeyColumns()
    nearly = {
        column: repeats[column][0]
        for column in seen
        if repeats[column] and len(repeats[column]) * _ROWS_TO_REPEAT <= rows
    }
    return KeyColumns([column for column in seen if not repeats[column]], nearly)
