"""CSV files with a header, read row by row."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from wosdk_async.jobs.errors import ImportMapError, require_file
from wosdk_async.jobs.rows import Row

__all__ = ["CsvFile"]

_BOM = b"\xef\xbb\xbf"
_MAX_CELL = 1 << 20  # characters
_MAX_LINE = 16 << 20  # bytes; a file without line breaks is not CSV, and must not fill the memory


class CsvFile:
    """Comma-separated UTF-8 text.

    Cells may hold line breaks and are given exactly as they stand. Rows in which every cell is empty or
    blank, as spreadsheets save them below a table, are skipped and counted in ``empty_rows``.

    Raises:
        ImportMapError: the file cannot be used, here or while it is read; the message names file and line.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self.empty_rows = 0
        require_file(self.path)
        # The limit belongs to the whole process and only guards memory; other code may need a higher one.
        csv.field_size_limit(max(csv.field_size_limit(), _MAX_CELL))
        self.columns = self._header()

    def __repr__(self) -> str:
        return f"<CsvFile {self.path.name} columns={len(self.columns)}>"

    def __iter__(self) -> Iterator[Row]:
        lines = self._records()
        next(lines)
        number = empty = 0
        for line, cells in lines:
            if any(map(str.strip, cells)):
                number += 1
                yield self._row(number, line, cells)
            else:
                empty += 1
        self.empty_rows = empty

    def _header(self) -> tuple[str, ...]:
        _, cells = next(self._records(), (1, []))
        columns = tuple(cell.strip() for cell in cells)
        if not any(columns):
            raise ImportMapError(f"{self.path}: there is no header; the first line must name the columns")
        if twice := next((name for name in columns if name and columns.count(name) > 1), None):
            raise ImportMapError(f"{self.path}: two columns are called {twice!r}; rename one of them")
        return columns

    def _row(self, number: int, line: int, cells: list[str]) -> Row:
        named = {name: cell for name, cell in zip(self.columns, cells, strict=False) if name}
        if len(cells) == len(self.columns):
            return Row(number, line, named)
        return Row(number, line, named, f"the record has {len(cells)} cells, the header {len(self.columns)}")

    def _records(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the cells of every line group that is not empty, with the line in which it starts."""
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
                    raise ImportMapError(f"{self.path}, line {start}: {_explained(error)}") from None
        except OSError as error:
            raise ImportMapError(f"{self.path}: {error.strerror or error}") from None

    def _lines(self, file: BinaryIO) -> Iterator[str]:
        offset = 0
        for number, raw in enumerate(iter(lambda: file.readline(_MAX_LINE), b""), 1):
            place = f"{self.path}, line {number}"
            if b"\0" in raw or len(raw) == _MAX_LINE:
                raise ImportMapError(
                    f"{place}: this is not CSV text; export the data as comma-separated UTF-8"
                )
            try:
                text = raw.decode()
            except UnicodeDecodeError as error:
                raise ImportMapError(
                    f"{place}: byte {raw[error.start]:#04x} at offset {offset + error.start} is not UTF-8; "
                    "save the file as UTF-8"
                ) from None
            if offset == 0 and raw.startswith(_BOM):
                text = text[1:]
            offset += len(raw)
            yield from io.StringIO(text, newline="")  # also ends lines at a lone CR, as csv wants it


def _explained(error: csv.Error) -> str:
    if "field larger" in str(error):
        return f"a cell is longer than {_MAX_CELL} characters; is a closing quote missing?"
    return f"the quotes of this record do not match ({error}); write a quote inside a cell twice"
