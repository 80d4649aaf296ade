"""Excel and Parquet files, each converted once to JSON lines by a reader process."""

from __future__ import annotations

import importlib.util
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any

import attrs
import msgspec

from wosdk_async.jobs.errors import ImportMapError, require_file
from wosdk_async.jobs.sources.conversion import convert, limits_for
from wosdk_async.jobs.sources.rows import CellType, Row, TypedCell
from wosdk_async.jobs.sources.source import Header, missing_package
from wosdk_async.readers.program import CURRENCIES, MAX_LINE, Limits
from wosdk_async.regular_files import sha256_of

_CHUNK = 1 << 18  # bytes
_MAX_LINES = 1 << 53
_KINDS: dict[str, CellType] = {"n": "number", "t": "time", "b": "boolean"}


@attrs.frozen
class Reader:
    """Reader program for a format, with the package that it needs."""

    module: str
    package: str
    extra: str
    files: str


WORKBOOK = Reader("wosdk_async.readers.workbook", "python_calamine", "files", "Excel files")
PARQUET = Reader("wosdk_async.readers.parquet", "pyarrow", "parquet", "Parquet files")


class _About(msgspec.Struct):
    """Sheet metadata: numbers of hidden rows and columns, other sheets, and merged ranges."""

    rows: int = 0
    columns: int = 0
    others: list[str] = []
    merged: list[tuple[str, int]] = []
    blind: bool = False
    """Whether the reader cannot see cell errors, missing formula results, hidden rows and currencies."""
    currencies: list[str] = []
    """Currencies that only cell formats show."""


class _Line(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """Line of reader output. In the header, ``kinds`` is the sheet name; the last line has only ``line``."""

    line: int
    cells: list[str] | None = None
    kinds: str | None = None
    faults: dict[int, str] = {}
    about: _About | None = None


_DECODER = msgspec.json.Decoder(_Line)


class ConvertedFile:
    """Source of the rows in ``lines``, a file of JSON lines from a reader, which the source closes.

    Attributes:
        sheet: the sheet's name; None for Parquet files.
        merged: ranges merged across rows, each with the name of its column.
    """

    dialect = None

    def __init__(self, path: Path, lines: IO[bytes], sha256: str = "") -> None:
        self.path = path
        self.sha256 = sha256
        self.empty_rows = 0
        self._lines = lines
        weakref.finalize(self, lines.close)
        self._lock = threading.Lock()
        with self._output_errors():
            header = next(self._records(), _Line(0, []))
            if header.cells is None or header.line < 0:
                raise ValueError
            self._header, self.header_line = Header(path, header.cells), header.line
            self.sheet, about = header.kinds, header.about or _About()
            names = [cell.strip() for cell in header.cells]
            self.merged = [(range, names[place]) for range, place in about.merged]
        self._typed = lru_cache(256)(partial(_typed, currencies=about.currencies))
        self.columns = self._header.columns
        self.is_of_rejects = self._header.is_of_rejects
        self.notes = list(_notes(path, self.sheet, about))

    def __iter__(self) -> Iterator[Row]:
        with self._output_errors():
            yield from self._rows()

    def _rows(self) -> Iterator[Row]:
        records = self._records()
        last = above = next(records).line
        number = 0
        row, typed = self._header.row, self._typed
        for record in records:
            line, cells, kinds, faults = record.line, record.cells, record.kinds, record.faults
            _require(last <= line < _MAX_LINES)
            if cells is None:  # the end
                break
            _require(line != last and kinds is not None and len(kinds) == len(cells))
            _require(not faults or 0 <= min(faults) <= max(faults) < len(cells))
            last = line
            number += 1
            for place, kind, currency in typed(kinds):
                if cells[place]:
                    cells[place] = TypedCell(cells[place], kind, currency=currency)
            yield row(number, line, cells, faults)
        else:
            raise ImportMapError(f"{self.path}: the reader ended before the last row; report this as a bug")
        _require(next(records, None) is None)
        self.empty_rows = line - above - number

    @contextmanager
    def _output_errors(self) -> Iterator[None]:
        """Raise ImportMapError for invalid reader output."""
        try:
            yield
        except ImportMapError:
            raise
        except (msgspec.MsgspecError, ValueError, LookupError) as error:
            raise ImportMapError(
                f"{self.path}: the reader wrote an invalid row ({type(error).__name__}); report this as a bug"
            ) from error

    def _records(self) -> Iterator[_Line]:
        """Yield all lines; concurrent iterations are allowed."""
        offset, rest = 0, b""
        while chunk := self._chunk(offset):
            offset += len(chunk)
            whole, mark, end = chunk.rpartition(b"\n")
            if mark:
                yield from _DECODER.decode_lines(rest + whole)
                rest = end
            else:
                rest += chunk
            if len(rest) > MAX_LINE:
                raise ImportMapError(f"{self.path}: the reader wrote an overlong line; report this as a bug")
        _require(not rest)

    def _chunk(self, offset: int) -> bytes:
        with self._lock:
            self._lines.seek(offset)
            return self._lines.read(_CHUNK)


def _notes(path: Path, sheet: str | None, about: _About) -> Iterator[str]:
    if about.blind:
        yield f"{path}: {_BLIND}"
    numbers = {"row": about.rows, "column": about.columns}
    if hidden := [
        f"{count} hidden {what}{'s' if count > 1 else ''}" for what, count in numbers.items() if count
    ]:
        yield f"{path}: sheet {sheet!r} has {' and '.join(hidden)}; hidden cells are imported anyway"
    if others := ", ".join(map(repr, about.others[:_SHOWN])):
        more = ", ..." if len(about.others) > _SHOWN else ""
        yield f"{path}: other sheets with content are ignored: {others}{more}"


_SHOWN = 10
_BLIND = (
    "this format hides cell errors, missing formula results, and the currencies and leading zeros of cell "
    "formats; such cells are imported empty or without them. If the file has any of these, save it as .xlsx"
)


def _typed(kinds: str, currencies: Sequence[str]) -> list[tuple[int, CellType, str]]:
    """Return the positions, types and currencies of typed cells."""
    return [
        (place, "number", currencies[ord(kind) - CURRENCIES])
        if ord(kind) >= CURRENCIES
        else (place, _KINDS[kind], "")
        for place, kind in enumerate(kinds)
        if kind != " "
    ]


def _require(condition: bool) -> None:
    if not condition:
        raise ValueError


def open_converted(
    reader: Reader, path: str | Path, *, limits: Limits | None = None, **options: Any
) -> ConvertedFile:
    """Convert a file in a separate process. Raise ImportMapError if it cannot be read."""
    path = Path(path)
    require_file(path)
    if importlib.util.find_spec(reader.package) is None:
        raise missing_package(reader.extra, path, reader.files)
    lines = tempfile.TemporaryFile()  # noqa: SIM115 -- the source closes it
    try:
        sha256 = sha256_of(path)
        convert(reader.module, path, lines, options, limits or limits_for(path.stat().st_size))
        return ConvertedFile(path, lines, sha256)
    except BaseException:
        lines.close()
        raise
