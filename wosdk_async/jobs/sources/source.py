"""Interface, headers and CSV dialects of input files."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, Self, TextIO

import attrs

from wosdk_async.jobs.errors import ImportMapError, RowError
from wosdk_async.jobs.sources.rows import TYPES_COLUMN, Row, with_types
from wosdk_async.text.remedies import Remedy

if TYPE_CHECKING:
    from wosdk_async.jobs.options import ExcelSeparator

JOB_COLUMN, ROW_COLUMN = "_job", "_row"
"""Columns of a rejects file that hold each row's job and ledger row number."""

_REASON = "_reason"
_SHORT = re.compile(r"the record has ([0-9]{1,5}) cells, the header [0-9]+; (?:add|fill)")

REPORT_COLUMNS = (JOB_COLUMN, ROW_COLUMN, "_line", "_outcome", "_code", _REASON)
"""Columns that an import adds to rejected rows."""

IGNORED_COLUMNS = (*REPORT_COLUMNS, TYPES_COLUMN)
"""Columns of a rejects file that are not input columns."""

MAX_COLUMNS = 16_384  # the limit of Excel


@attrs.frozen
class FileDialect:
    """CSV dialect of an input file and its rejects."""

    delimiter: str = ","
    encoding: str = "utf-8"
    """Python encoding; ``utf-8-sig`` and ``utf-16`` write a byte order mark."""
    quote_all: bool = False
    """Whether to quote all cells, including those that need no quotes."""
    line_end: str = "\r\n"
    first_line: str = ""
    """Line such as ``sep=;`` above the header, without its line end."""
    types: bool = False
    """Whether the file has :data:`TYPES_COLUMN`."""
    decimal: str = "."
    """Decimal mark for numbers in reports; input cells are written back unchanged."""

    @classmethod
    def for_excel(cls, separator: ExcelSeparator | None) -> Self:
        """Return the dialect for Excel with a separator, or the default dialect for None.

        In regions with decimal commas, Excel expects semicolons, and would read 14.99 as text and 1.5 as the
        first of May.
        """
        if separator is None:
            return cls()
        if separator == "comma":
            return cls(encoding="utf-8-sig")
        return cls(";", "utf-8-sig", decimal=",")

    def number(self, text: str) -> str:
        """Replace the decimal point with the dialect's decimal mark."""
        return text.replace(".", self.decimal)

    def writer(self, file: TextIO) -> Any:
        """Return a ``csv.writer`` for a file opened with ``encoding`` and ``newline=""``."""
        if self.first_line:
            file.write(self.first_line + self.line_end)
        return csv.writer(
            file if self.line_end == _CR_LF else _LineEnds(file, self.line_end),
            delimiter=self.delimiter,
            quoting=csv.QUOTE_ALL if self.quote_all else csv.QUOTE_MINIMAL,
            lineterminator=_CR_LF,
        )


_CR_LF = "\r\n"
"""Line end for ``csv.writer``. Older Python quotes a CR or LF in a cell only if the line end contains it."""


class _LineEnds:
    """File wrapper that replaces the line ends of ``csv.writer``."""

    def __init__(self, file: TextIO, end: str) -> None:
        self._file = file
        self._end = end

    def write(self, line: str) -> int:
        return self._file.write(line.removesuffix(_CR_LF) + self._end)


class Source(Protocol):
    """Input file with a header and rows.

    Every iteration must yield the same rows with the same numbers. An error that affects the whole file
    raises ImportMapError; an error in a single row becomes the row's ``fault``. A source may have
    ``sha256``, the file's hash before reading; an import uses it to detect a file that is replaced before the
    job starts.
    """

    path: Path

    @property
    def columns(self) -> tuple[str, ...]:
        """Header without :data:`IGNORED_COLUMNS`; columns without a name are ``""``."""

    @property
    def dialect(self) -> FileDialect | None:
        """CSV dialect; None for other formats."""

    @property
    def empty_rows(self) -> int:
        """Number of empty rows that the last complete iteration skipped."""

    def __iter__(self) -> Iterator[Row]: ...


def header_record(
    path: Path, records: Iterable[tuple[int, list[str]]], header_row: int | None
) -> tuple[int, list[str]]:
    """Return the number and cells of the header line: ``header_row``, or the first non-empty line."""
    for line, cells in records:  # a rejects file has its header on the first line, regardless of header_row
        if header_row in (None, line) or len({*REPORT_COLUMNS} & {*cells}) > 1:
            return line, cells
    if header_row is None:
        raise ImportMapError(f"{path}: the file is empty; it needs a header with the column names")
    raise ImportMapError(f"{path}: no row starts on line {header_row}, where the header should be")


class FaultyCells(dict[str, str]):
    """Cells, some unusable. Reading an unusable cell by name raises RowError; ``items()`` does not."""

    def __init__(self, cells: Mapping[str, str], faults: Mapping[str, str]) -> None:
        super().__init__(cells)
        self.faults = faults

    def __getitem__(self, column: str) -> str:
        if column in self.faults:
            raise RowError(f"column {column!r}: {self.faults[column]}")
        return super().__getitem__(column)

    def get(self, column: str, default: Any = None) -> Any:
        """Return a cell, or ``default`` if the column is missing."""
        if column not in self:
            return default
        return self[column]


def is_of_rejects(columns: Iterable[str]) -> bool:
    """Return whether a file has any of :data:`REPORT_COLUMNS`."""
    # A copy without the job's column must be refused, not imported as a new file.
    return not {*columns}.isdisjoint(REPORT_COLUMNS)


class Header:
    """Header of a file whose rows are lists of cells. An invalid header raises ImportMapError."""

    def __init__(self, path: Path, cells: Sequence[str]) -> None:
        header = [cell.strip() for cell in cells]
        used = [place for place, name in enumerate(header) if name not in IGNORED_COLUMNS]
        self.columns = tuple(header[place] for place in used)
        if not any(self.columns):
            raise ImportMapError(
                f"{path}: no header was found; the first line must name the columns",
                remedies=(Remedy.OTHER_HEADER,),
            )
        if len(header) > MAX_COLUMNS:
            raise ImportMapError(f"{path}: {len(header)} columns are too many; the limit is {MAX_COLUMNS}")
        name, count = Counter(filter(None, header)).most_common(1)[0]
        if count > 1:
            raise ImportMapError(
                f"{path}: two columns are called {name!r}; rename one of them",
                remedies=(Remedy.OTHER_HEADER,),
            )
        places = {name: place for place, name in enumerate(header)}
        self._names = header
        self._used = used
        self._plain = len(used) == len(header) and all(header)
        self._blank = dict.fromkeys(self.columns, "")
        self._nameless = not all(self.columns)
        self._first = used[0]  # ignored columns come before or after the others
        self._ignored_at_end = len(header) - used[-1] - 1
        self._types, self._reason = places.get(TYPES_COLUMN), places.get(_REASON)
        # Counted from the end, because the extra cells of a row that is too long come before these columns.
        self._origin = [
            places[name] - len(header) if name in places else None for name in (JOB_COLUMN, ROW_COLUMN)
        ]
        self.has_types = TYPES_COLUMN in places
        self.is_of_rejects = is_of_rejects(header)

    def row(self, number: int, line: int, cells: list[str], faults: Mapping[int, str] | None = None) -> Row:
        """Return a row; ``faults`` are the reasons why cells are unusable, by position from 0."""
        if len(cells) != len(self._names):
            end = max(len(cells) - self._ignored_at_end, self._first)
            return self._unfit(number, line, cells[self._first : end], cells)
        if self._plain and not faults:
            named = self._blank.copy()  # faster than filling an empty dict, which would have to grow
            named.update(zip(self.columns, cells, strict=False))
            return Row(number, line, named)
        input_cells = [cells[place] for place in self._used]
        if self._reason is not None and (short := _SHORT.match(cells[self._reason])):
            present = input_cells[: int(short[1])]
            if not any(map(str.strip, input_cells[len(present) :])):  # padded() added the rest
                return self._unfit(number, line, present, cells)
        named = _named(self.columns, input_cells)
        row = Row(number, line, named, raw_cells=input_cells if self._nameless else None)
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

    def _unfit(self, number: int, line: int, input_cells: list[str], cells: list[str]) -> Row:
        expected, actual = len(self.columns), len(input_cells)
        remedy = "quote cells that contain a delimiter"
        if actual < expected:
            remedy = "add the missing cells, even if empty"
            if self._reason is not None:
                remedy = f"fill in the missing cells, or clear {_REASON} if they should be empty"
        fault = f"the record has {actual} cells, the header {expected}; {remedy}"
        named = _named(self.columns, input_cells)
        row = Row(number, line, named, fault, raw_cells=input_cells, fits=False)
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
    """Return a rejected row's cells; append empty cells if ``reason`` says that the row is too short."""
    cells = row.original(columns)
    return cells + [""] * (len(columns) - len(cells)) if _SHORT.match(reason) else cells


def _named(columns: Sequence[str], cells: Sequence[str]) -> dict[str, str]:
    return {name: cell for name, cell in zip(columns, cells, strict=False) if name}


def missing_package(extra: str, place: object, files: str) -> ImportMapError:
    """Return the error for a missing extra."""
    return ImportMapError(
        f"{place}: {files} need the extra '{extra}'; run pip install 'wosdk_async[{extra}]', or save the "
        "data as a CSV file"
    )
