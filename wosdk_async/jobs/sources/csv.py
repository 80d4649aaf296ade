"""A CSV file with a header, read row by row and never held whole."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

import attrs

from wosdk_async.jobs.errors import ImportMapError, nearest

__all__ = ["CsvFile", "Row"]

_BOM = b"\xef\xbb\xbf"
_LONGEST_CELL = 1 << 20
_LONGEST_LINE = 16 << 20  # a file without line breaks is no CSV, and must not fill the memory


@attrs.define
class Row:
    """One data record: ``number`` counts them from 1, ``line`` is where it starts in the file.

    ``fault`` says why the record does not fit the header; ``warnings`` collects what is said of it.
    """

    number: int
    line: int
    cells: Mapping[str, str]
    fault: str | None = None
    warnings: list[str] = attrs.field(factory=list)


class CsvFile:
    """Comma-separated UTF-8 text; cells may hold line breaks, and are given exactly as they stand.

    Records without anything but blanks, as spreadsheets leave them, are passed over; ``empty_rows`` is how
    many the last complete reading found.

    Raises ImportMapError, here or while reading, that names the file and the line.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.empty_rows = 0
        if not self.path.is_file():
            raise ImportMapError(f"{self.path}: {_no_file(self.path)}")
        # The limit is one for the whole process and guards memory only; others may want it higher.
        csv.field_size_limit(max(csv.field_size_limit(), _LONGEST_CELL))
        self.columns = self._header()

    def __repr__(self) -> str:
        return f"<CsvFile {self.path.name} columns={len(self.columns)}>"

    def __iter__(self) -> Iterator[Row]:
        records = self._records()
        next(records)
        number = empty = 0
        for line, cells in records:
            if any(map(str.strip, cells)):
                number += 1
                yield self._row(number, line, cells)
            else:
                empty += 1
        self.empty_rows = empty

    def require(self, columns: Mapping[str, str]) -> None:
        """Raise ImportMapError unless the file has every key of ``columns``; the values say who wants it."""
        for name, place in columns.items():
            if name not in self.columns:
                hint = nearest(name, self.columns) or "."
                have = ", ".join(name for name in self.columns if name)
                raise ImportMapError(
                    f"{self.path}: there is no column {name!r}, which {place} names{hint} "
                    f"Its columns are: {have}{_separator(self.columns)}"
                )

    def _header(self) -> tuple[str, ...]:
        for _, cells in self._records():
            columns = tuple(cell.strip() for cell in cells)
            twice = next((name for name in columns if name and columns.count(name) > 1), None)
            if twice:
                raise ImportMapError(f"{self.path}: two columns are called {twice!r}; rename one of them")
            if any(columns):
                return columns
            break
        raise ImportMapError(f"{self.path}: there is no header; the first line must name the columns")

    def _row(self, number: int, line: int, cells: list[str]) -> Row:
        named = {name: cell for name, cell in zip(self.columns, cells, strict=False) if name}
        if len(cells) == len(self.columns):
            return Row(number, line, named)
        return Row(number, line, named, f"the record has {len(cells)} cells, the header {len(self.columns)}")

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Every record with the line it starts in; lines without anything are no records."""
        try:
            with self.path.open("rb") as file:
                # strict: a quote that is never closed would otherwise swallow all rows after it
                reader = csv.reader(self._lines(file), strict=True)
                start = 1
                try:
                    for cells in reader:
                        if cells:
                            yield start, cells
                        start = reader.line_num + 1
                except csv.Error as error:
                    raise ImportMapError(f"{self.path}, line {start}: {_csv_fault(error)}") from None
        except OSError as error:
            raise ImportMapError(f"{self.path}: {error.strerror or error}") from None

    def _lines(self, file: BinaryIO) -> Iterator[str]:
        offset = 0
        for number, raw in enumerate(iter(lambda: file.readline(_LONGEST_LINE), b""), 1):
            where = f"{self.path}, line {number}"
            if b"\0" in raw or len(raw) == _LONGEST_LINE:
                raise ImportMapError(
                    f"{where}: this is no CSV text; export the data as comma-separated UTF-8"
                )
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                raise ImportMapError(
                    f"{where}: byte {raw[error.start]:#04x} at offset {offset + error.start} is not UTF-8; "
                    "save the file as UTF-8"
                ) from None
            if offset == 0 and raw.startswith(_BOM):
                text = text[1:]
            offset += len(raw)
            yield from io.StringIO(text, newline="")  # also ends lines at a lone CR, as csv wants it


def _no_file(path: Path) -> str:
    if path.is_dir():
        return "is a directory; name a CSV file"
    if path.exists():
        return "is no regular file; it is read twice, so save it as a file first"
    return "there is no such file"


def _csv_fault(error: csv.Error) -> str:
    if "field larger" in str(error):
        return f"a cell is longer than {_LONGEST_CELL} characters; is a closing quote missing?"
    return f"the quotes of this record do not match ({error}); write a quote inside a cell twice"


def _separator(columns: tuple[str, ...]) -> str:
    """A hint for a file of one column that was split at something else than commas."""
    only = columns[0] if len(columns) == 1 else ""
    found = next((mark for mark in (";", "\t", "|") if mark in only), None)
    return f" (its cells seem to be separated by {found!r}; separate them by commas)" if found else ""
