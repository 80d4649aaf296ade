"""Columns of a file whose cells can be the keys of its rows: short texts, each of them once."""

from __future__ import annotations

import re
from itertools import islice

from wosdk_async.jobs.draft_fields import is_usable
from wosdk_async.jobs.sources.source import Source

__all__ = ["key_columns"]

_ROWS = 100_000  # that are read
_KEY = re.compile(r"\S{1,40}")
# Decimals and times, such as coordinates and when a row was written, are often unique, and no keys.
_NO_KEY = re.compile(r"[+-]?[0-9]*[.,][0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]+")


def key_columns(source: Source) -> list[str]:
    """Return the columns that can identify the rows, in the order of the file; of one row nobody can tell."""
    seen: dict[str, set[int]] = {column: set() for column in source.columns if is_usable(column)}
    rows = 0
    for row in islice(source, _ROWS):
        if not seen:
            return []
        if row.fault is not None:
            continue
        rows += 1
        cells = dict(row.cells.items())  # also those that cannot be used
        for column in list(seen):
            cell, known = cells.get(column, ""), seen[column]
            if not _KEY.fullmatch(cell) or _NO_KEY.fullmatch(cell) or hash(cell) in known:
                del seen[column]
            else:
                known.add(hash(cell))
    return list(seen) if rows > 1 else []
