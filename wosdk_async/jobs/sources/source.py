"""Interface of file formats: a header, rows, and the dialect in which rows can be written back."""

from __future__ import annotations

import csv
import importlib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TextIO

import attrs

from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.sources.rows import TYPES_COLUMN, Row, with_types
from wosdk_async.text.remedies import Remedy

if TYPE_CHECKING:
    from wosdk_async.jobs.options import ExcelSeparator

__all__ = [
    "IGNORED_COLUMNS",
    "JOB_COLUMN",
    "MAX_COLUMNS",
    "REPORT_COLUMNS",
    "ROW_COLUMN",
    "FaultyCells",
    "FileDialect",
    "Header",
    "Source",
    "header_record",
    "missing_package",
    "optional_package",
    "padded",
]

JOB_COLUMN, ROW_COLUMN = "_job", "_row"
"""Columns of rejects with the job of each row and its number in the ledger."""

_REASON = "_reason"
_SHORT = re.compile(r"the record has ([0-9]{1,5}) cells, the header [0-9]+; (?:add|fill)")

REPORT_COLUMNS = (JOB_COLUMN, ROW_COLUMN, "_line", "_outcome", "_code", _REASON)
"""Columns that an import adds to rejected rows; none is a column of the input."""

IGNORED_COLUMNS = (*REPORT_COLUMNS, TYPES_COLUMN)
"""Columns of a file of rejects that the input lacks."""

MAX_COLUMNS = 16_384  # as many as a sheet of Excel has


@attrs.frozen
class FileDialect:
    """Dialect of a CSV file, in which its rejected rows are written, too."""

    delimiter: str = ","
    encoding: str = "utf-8"
    """Python's name of the encoding; ``utf-8-sig`` and ``utf-16`` begin with a byte order mark."""
    quote_all: bool = False
    """Whether all cells are quoted, not only those that need it."""
    line_end: str = "\r\n"
    first_line: str = ""
    """A line ``sep=;`` above the header, without its end."""
    types: bool = False
    """Whether :data:`TYPES_COLUMN` names the typed cells of the input."""
    decimal: str = "."
    """Decimal mark of numbers; cells of an input are written back unchanged."""

    @classmethod
    def for_excel(cls, separator: ExcelSeparator | None) -> Self:
        """Return the dialect for Excel: its separator, and a byte order mark.

        None means neither. In regions that write 1,5, Excel wants semicolons; there 14.99 is a text, and 1.5
        is the first of May.
        """
        if separator is None:
            return cls()
        if separator == "comma":
            return cls(encoding="utf-8-sig")
        return cls(";", "utf-8-sig", decimal=",")

    def number(self, text: str) -> str:
        """Return a number, given with a point, with the decimal mark of this file."""
        return text.replace(".", self.decimal)

    def writer(self, file: TextIO) -> Any:
        """Return a ``csv.writer`` for a file that was opened with ``encoding`` and ``newline=""``."""
        if self.first_line:
            file.write(self.first_line + self.line_end)
        return csv.writer(
            _LineEnds(file, self.line_end),
            delimiter=self.delimiter,
            quoting=csv.QUOTE_ALL if self.quote_all else csv.QUOTE_MINIMAL,
            lineterminator=_BOTH,
        )


_BOTH = "\r\n"
"""Line end of ``csv.writer``: older Pythons quote only the line breaks that it uses itself."""


class _LineEnds:
    """File that replaces the line ends of ``csv.writer``."""

    def __init__(self, file: TextIO, end: str) -> None:
        self._file = file
        self._end = end

    def write(self, line: str) -> int:
        return self._file.write(line.removesuffix(_BOTH) + self._end)


class Source(Protocol):
    """A file of rows.

    An import iterates over it several times, and must get the same rows with the same numbers each time. If
    the whole file has an error, opening or reading it raises ImportMapError with place and remedy; an error
    in a single row is that row's ``fault``. If the source has an attribute ``sha256``, the hash of the file
    before reading, the import refuses a file that was replaced before its job begins.
    """

    path: Path

    @property
    def columns(self) -> tuple[str, ...]:
        """The header without :data:`IGNORED_COLUMNS`; an empty text is a column without a name."""

    @property
    def dialect(self) -> FileDialect | None:
        """The dialect of delimited text; None for other formats."""

    @property
    def empty_rows(self) -> int:
        """The rows without content that the last complete iteration skipped."""

    def __iter__(self) -> Iterator[Row]: ...


def header_record(
    path: Path, records: Iterable[tuple[int, list[str]]], header_row: int | None
) -> tuple[int, list[str]]:
    """Return the header of a file and its line: the first with content, or ``header_row``.

    Rejects have their header in the first line, wherever their input had it.
    """
    for line, cells in records:
        if header_row in (None, line) or (JOB_COLUMN in cells and ROW_COLUMN in cells):
            return line, cells
    if header_row is None:
        raise ImportMapError(
            f"{path}: the file is empty: there is no header; the first line must name the columns"
        )
    raise ImportMapError(f"{path}: no row begins in line {header_row}, where the header should be")


class FaultyCells(dict[str, str]):
    """Cells, some of which cannot be used; the row fails only if the map reads an unusable one."""

    def __init__(self, cells: Mapping[str, str], faults: Mapping[str, str]) -> None:
        super().__init__(cells)
        self.faults = faults

    def __getitem__(self, column: str) -> str:
        """Return a cell. Raise RowError if it cannot be used."""
        if column in self.faults:
            raise RowError(f"column {column!r}: {self.faults[column]}")
        return super().__getitem__(column)

    def get(self, column: str, default: Any = None) -> Any:
        """Return a cell or ``default``. Raise RowError if the cell cannot be used."""
        if column not in self:
            return default
        return self[column]


class Header:
    """The columns of a file in which each row is a list of cells.

    Raises:
        ImportMapError: a file cannot have this header.
    """

    def __init__(self, path: Path, cells: Sequence[str]) -> None:
        header = [cell.strip() for cell in cells]
        used = [place for place, name in enumerate(header) if name not in IGNORED_COLUMNS]
        self.columns = tuple(header[place] for place in used)
        if not any(self.columns):
            raise ImportMapError(
                f"{path}: there is no header; the first line must name the columns",
                remedies=(Remedy.OTHER_HEADER,),
            )
        if len(header) > MAX_COLUMNS:
            raise ImportMapError(f"{path}: {len(header)} columns; at most {MAX_COLUMNS} are read")
        counted: set[str] = set()
        for name in filter(None, header):
            if name in counted:
                raise ImportMapError(
                    f"{path}: two columns are called {name!r}; rename one of them",
                    remedies=(Remedy.OTHER_HEADER,),
                )
            counted.add(name)
        self._names = header
        self._width = len(header)
        self._used = used
        self._plain = len(used) == len(header) and all(header)
        self._nameless = not all(self.columns)
        self._first = used[0]  # report columns precede or follow the others
        self._behind = len(header) - used[-1] - 1
        self._types, self._reason = (
            header.index(name) if name in header else None for name in (TYPES_COLUMN, _REASON)
        )
        # From the end: in a row with too many cells the columns of the input precede them.
        self._origin = [
            header.index(name) - len(header) if name in header else None for name in (JOB_COLUMN, ROW_COLUMN)
        ]
        self.is_of_rejects = any(place is not None for place in self._origin)

    @property
    def has_types(self) -> bool:
        """Whether a column names the typed cells of the input."""
        return self._types is not None

    def row(self, number: int, line: int, cells: list[str], faults: Mapping[int, str] | None = None) -> Row:
        """Return a row of cells; it has a fault if they do not fit the header.

        Args:
            number: the number of the row.
            line: the line in which it starts.
            cells: its cells, one for each column.
            faults: why cells cannot be used, by their places from 0.
        """
        if len(cells) != self._width:
            return self._misfit(number, line, cells)
        if self._plain and not faults:
            return Row(number, line, dict(zip(self.columns, cells, strict=True)))
        own = [cells[place] for place in self._used]
        if self._reason is not None and (short := _SHORT.match(cells[self._reason])):
            present = own[: int(short[1])]
            if not any(map(str.strip, own[len(present) :])):  # as :func:`padded` wrote them
                return self._unfit(number, line, present, cells)
        row = Row(number, line, _named(self.columns, own), raw_cells=own if self._nameless else None)
        row.origin = self._origin_in(cells)
        if self._types is not None:
            try:
                row.cells = with_types(row.cells, cells[self._types])
            except ValueError as error:
                row.fault = str(error)
        if faults:
            by_name = {self._names[place]: fault for place, fault in faults.items()}
            row.cells = FaultyCells(row.cells, by_name)
        return row

    def _misfit(self, number: int, line: int, cells: list[str]) -> Row:
        own = cells[self._first : max(len(cells) - self._behind, self._first)]
        return self._unfit(number, line, own, cells)

    def _unfit(self, number: int, line: int, own: list[str], cells: list[str]) -> Row:
        expected, actual = len(self.columns), len(own)
        remedy = (
            "is a cell with a delimiter in it not quoted?"
            if actual > expected
            else "add the cells that are missing, empty ones too"
        )
        if actual < expected and self._reason is not None:
            remedy = f"fill in the cells that are missing; if they are empty, empty the cell in {_REASON}"
        fault = f"the record has {actual} cells, the header {expected}; {remedy}"
        row = Row(number, line, _named(self.columns, own), fault, raw_cells=own)
        row.origin = self._origin_in(cells)
        return row

    def _origin_in(self, cells: Sequence[str]) -> tuple[str, str] | None:
        if not self.is_of_rejects:
            return None
        job, row = (
            "" if place is None or -place > len(cells) else cells[place].strip() for place in self._origin
        )
        return job, row


def padded(row: Row, columns: Sequence[str], reason: str) -> list[str]:
    """Return the cells of a rejected row; a row that ``reason`` calls short gets as many as the header.

    It counts as short while the added cells are empty and the reason is beside them.
    """
    cells = row.original(columns)
    return cells + [""] * (len(columns) - len(cells)) if _SHORT.match(reason) else cells


def _named(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    return {name: cell for name, cell in zip(columns, cells, strict=False) if name}


def optional_package(name: str, extra: str, place: object, files: str) -> Any:
    """Return an installed package. Raise ImportMapError with the extra if it is missing."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise missing_package(extra, place, files) from None


def missing_package(extra: str, place: object, files: str) -> ImportMapError:
    """Return the error about files that need an extra."""
    return ImportMapError(
        f"{place}: {files} need the extra '{extra}'; run pip install 'wosdk_async[{extra}]', or save the "
        "data as a CSV file"
    )
