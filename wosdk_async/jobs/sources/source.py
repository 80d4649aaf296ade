"""What every file format offers, and which format a file has."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Protocol

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.rows import Row
from wosdk_async.jobs.sources.csv import CsvFile
from wosdk_async.suggestions import suggestion

__all__ = ["Source", "open_source", "require_columns"]


class Source(Protocol):
    """A file of rows.

    An import iterates over it several times and never holds it whole. What is wrong with the whole file
    raises ImportMapError, with its place and the remedy, when it is opened or read: other exceptions end
    ``wosdk import`` with a traceback. What is wrong with one row is the row's ``fault``.
    """

    path: Path

    @property
    def columns(self) -> tuple[str, ...]:
        """The header; columns without a name are empty texts."""

    @property
    def empty_rows(self) -> int:
        """The rows without content that the last complete iteration skipped."""

    def __iter__(self) -> Iterator[Row]: ...


FORMATS: dict[str, Callable[[Path], Source]] = {
    ".csv": CsvFile,
}
"""File suffix in lower case -> format; a file with another suffix is read as CSV."""


def open_source(path: str | Path) -> Source:
    """Return the rows of a file in the format that its suffix names."""
    path = Path(path)
    return FORMATS.get(path.suffix.casefold(), CsvFile)(path)


def require_columns(source: Source, columns: Mapping[str, str]) -> None:
    """Raise ImportMapError unless the file has every key of ``columns``.

    Args:
        source: the file.
        columns: names of columns, each with the place that names it.
    """
    for name, place in columns.items():
        if name not in source.columns:
            hint = suggestion(name, source.columns) or "."
            known = ", ".join(name for name in source.columns if name)
            raise ImportMapError(
                f"{source.path}: there is no column {name!r}, which {place} names{hint} "
                f"Its columns are: {known}{_separator_hint(source.columns)}"
            )


def _separator_hint(columns: tuple[str, ...]) -> str:
    """Return a hint for a header that was separated by something else than commas."""
    only = columns[0] if len(columns) == 1 else ""
    found = next((mark for mark in (";", "\t", "|") if mark in only), None)
    return f" (its cells seem to be separated by {found!r}; separate them by commas)" if found else ""
