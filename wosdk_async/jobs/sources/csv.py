"""CSV and TSV files, read row by row."""

from __future__ import annotations

import contextlib
import csv
import itertools
import operator
import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import attrs

from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.sources.source import JOB_COLUMN, ROW_COLUMN, FileDialect, Header, header_record
from wosdk_async.jobs.sources.text import TextFile
from wosdk_async.readers.program import MAX_CELL
from wosdk_async.text.formula_guard import may_be_guarded, without_guard
from wosdk_async.text.remedies import Remedy

_CHUNK = 1 << 20  # bytes
_SAMPLE = 100  # lines to detect line ends and the delimiter from
_QUOTED = '"(?:[^"]|"")*+"'
_LONE_CR = re.compile(rb"\r(?!\n)")
_SEPARATOR_LINE = re.compile(r'"?sep=(.)"?\s*', re.IGNORECASE)
_REJECTS_HEADER = re.compile(rf'(?<!\w){JOB_COLUMN}"?([^\w"])"?{ROW_COLUMN}"?\1')
_DELIMITERS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|", "space": " "}
_PAGE = (
    "a web page, not a table, perhaps a login or error page; download the file again, or export the data as "
    "comma-separated UTF-8"
)
_FORMULA_ERROR = re.compile(
    r"#(?:N/A|NAME\?|REF!|VALUE!|DIV/0!|NUM!|NULL!|NV|BEZUG!|WERT!|ZAHL!)"  # the last four are German
)
_OTHER_TEXTS = {
    "<!doctype html": _PAGE,
    "<html": _PAGE,
    "<?xml": "XML, not a table; export the data as comma-separated UTF-8",
    '{"': "JSON",
    "[{": "JSON; convert it to JSON lines, as in: jq -c '.[]' file.json > file.jsonl",
}


class CsvFile:
    """Delimited text file with a header, by default comma-separated UTF-8.

    Cells may contain line breaks. Blank rows, which spreadsheets often save below a table, are skipped;
    ``empty_rows`` counts them, except lines without any character. A first line such as ``sep=;``, which
    Excel reads, sets the default delimiter.

    Raises:
        ImportMapError: the file is invalid; also raised while reading rows. The message names the line.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        delimiter: str | None = None,
        encoding: str | None = None,
        header_row: int | None = None,
    ) -> None:
        self.path = Path(path)
        self.empty_rows = 0
        self._unguarded = 0  # cells from which the last complete iteration removed a guard
        self._text = TextFile(self.path, encoding)
        self.sha256 = self._text.sha256
        # The limit is process-wide and only guards memory, so keep a higher limit of other code.
        csv.field_size_limit(max(csv.field_size_limit(), MAX_CELL))
        self.dialect = self._dialect(delimiter)
        self._require_table()
        self._newline = "" if self._ends_with_cr() else "\n"
        self._may_have_marks, self._may_have_errors = _scan_for_marks(self.path)
        self._removes_guards = False  # False while reading the header
        with self._records() as records:
            self.header_line, cells = header_record(self.path, records, header_row)
        self._header = Header(self.path, cells)
        self.is_of_rejects = self._header.is_of_rejects
        self._removes_guards = not self.is_of_rejects
        self.columns = self._header.columns
        self.dialect = attrs.evolve(self.dialect, types=self._header.has_types)

    def __repr__(self) -> str:
        return f"<CsvFile {self.path.name} columns={len(self.columns)}>"

    def __iter__(self) -> Iterator[Row]:
        number = empty = 0
        self._unguarded = 0
        row, above = self._header.row, self.header_line
        with self._records() as records:
            for line, cells in records:
                if line <= above:
                    continue
                if cells[0].strip() or any(map(str.strip, cells)):
                    number += 1
                    has_errors = self._may_have_errors and "#" in "".join(cells)
                    yield row(number, line, cells, _faults(cells) if has_errors else None)
                else:
                    empty += 1
        self.empty_rows = empty

    @property
    def notes(self) -> list[str]:
        """Warnings from the last complete iteration."""
        if not self._unguarded:
            return []
        cells = "1 cell has" if self._unguarded == 1 else f"{self._unguarded} cells have"
        return [
            f"{self.path}: {cells} an apostrophe before =, +, - or @; the import removes it, because exports "
            "add one to guard against formulas; to keep apostrophes, import the table as JSON lines"
        ]

    def _ends_with_cr(self) -> bool:
        """Return whether CR alone ends lines; otherwise, it is part of a cell."""
        ends = [line.endswith("\r") for line in itertools.islice(self._text.lines(), _SAMPLE)]
        return bool(ends) and ends[0] and sum(ends) > len(ends) / 2

    def _require_table(self) -> None:
        """Raise ImportMapError for HTML, XML and JSON, which CSV would accept as one-column tables."""
        first = next(filter(str.strip, self._text.lines()), "").lstrip()[:20].casefold()
        for beginning, what in _OTHER_TEXTS.items():
            if first.startswith(beginning):
                remedies = (Remedy.JSON_LINES,) if what == "JSON" else ()
                raise ImportMapError(f"{self.path}: this is {what}", remedies=remedies)

    def _dialect(self, delimiter: str | None) -> FileDialect:
        if delimiter is not None:
            delimiter = self._checked_delimiter(delimiter)
        first, second = [*itertools.islice(self._text.lines(), 2), "", ""][:2]
        separator = _SEPARATOR_LINE.fullmatch(first)
        header = second if separator else first
        # Column names may contain line breaks, so the report columns need not be on the first line.
        lines = itertools.islice(self._text.lines(), _SAMPLE)
        found = separator or next(filter(None, map(_REJECTS_HEADER.search, lines)), None)
        delimiter = delimiter or (found[1] if found else ",")
        body = header.rstrip("\r\n")
        return FileDialect(
            delimiter=delimiter,
            encoding=self._text.encoding,
            quote_all=re.fullmatch(f"{_QUOTED}(?:{re.escape(delimiter)}{_QUOTED})*+", body) is not None,
            line_end=header[len(body) :] or "\r\n",
            first_line=first.rstrip("\r\n") if separator else "",
        )

    def _checked_delimiter(self, delimiter: str) -> str:
        found = _DELIMITERS.get(delimiter.casefold(), delimiter)
        if len(found) == 1 and found not in '"\r\n\0':
            return found
        raise ImportMapError(
            f"{self.path}: {delimiter!r} is not a delimiter; use a single character such as ';', or tab"
        )

    @contextlib.contextmanager
    def _records(self) -> Iterator[Iterator[tuple[int, list[str]]]]:
        """Open the file, and yield its non-empty records as pairs of first line number and cells."""
        # Closed explicitly, because an error's traceback would keep the generator and its open file.
        with contextlib.closing(self._text.lines(self._newline)) as lines:
            yield self._records_in(lines)

    def _records_in(self, all_lines: Iterator[str]) -> Iterator[tuple[int, list[str]]]:
        above = 1 if self.dialect.first_line else 0
        text = itertools.islice(all_lines, above, None)
        has_marks = False

        def marked() -> Iterator[str]:
            nonlocal has_marks
            for line in text:
                if "'" in line and not has_marks:
                    has_marks = may_be_guarded(line)
                if "\r" in line and self._newline and "\r" in (body := line.rstrip("\r\n")):
                    # The csv module would end the row at CR, so replace CR by NUL, which no text file has.
                    line = body.replace("\r", "\0") + line[len(body) :]
                    has_marks = True
                yield line

        lines = marked() if self._may_have_marks else text
        delimiter, quoted, read = self.dialect.delimiter, list[str](), 0
        # Only records with quotes or overlong lines use this reader. It is strict, because otherwise an
        # unclosed quote would swallow all rows after it.
        reader = csv.reader(
            iter(lambda: quoted.pop() if quoted else next(lines), None), delimiter=delimiter, strict=True
        )
        start = above + 1
        try:
            for line in lines:
                if '"' in line or len(line) > MAX_CELL:
                    quoted.append(line)
                    cells = next(reader)
                    height, read = reader.line_num - read, reader.line_num
                else:  # split as csv would, in half the time
                    body, height = line.rstrip("\r\n"), 1
                    cells = body.split(delimiter) if body else []
                if has_marks:
                    cells, has_marks = self._without_marks(cells), False
                if cells:
                    yield start, cells
                start += height
        except csv.Error as error:
            raise ImportMapError(f"{self.path}, line {start}: {_explained(error)}") from None

    def _without_marks(self, cells: list[str]) -> list[str]:
        """Turn NUL back into CR and, if ``_removes_guards``, remove guard apostrophes."""
        restored = [cell.replace("\0", "\r") for cell in cells]
        if not self._removes_guards:
            return restored
        bare = list(map(without_guard, restored))
        self._unguarded += sum(map(operator.ne, bare, restored))
        return bare


def _faults(cells: list[str]) -> dict[int, str]:
    return {
        index: f"the cell shows the formula error {cell!r}; correct it in the sheet"
        for index, cell in enumerate(cells)
        if _FORMULA_ERROR.fullmatch(cell.strip())
    }


def _scan_for_marks(path: Path) -> tuple[bool, bool]:
    """Return whether a file may have an apostrophe or a lone CR, and whether it may have a ``#``."""
    marks = errors = False
    with path.open("rb") as file:
        for each in iter(partial(file.read, _CHUNK), b""):
            marks = marks or b"'" in each or _LONE_CR.search(each) is not None
            errors = errors or b"#" in each or b"\x7b" in each  # 0x7b is # in EBCDIC
    return marks, errors


def _explained(error: csv.Error) -> str:
    if "field larger" in str(error):
        return f"a cell has more than {MAX_CELL} characters; check for a missing closing quote"
    return f'this record has unbalanced quotes ({error}); write "" for a quote inside a cell'
