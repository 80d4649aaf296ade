"""Files that native code reads: converted once in a process with limits, and read from what that wrote."""

from __future__ import annotations

import importlib.util
import json
import tempfile
import threading
import weakref
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

import attrs

from wosdk_async.jobs.errors import ImportMapError, require_file
from wosdk_async.jobs.sources.conversion import convert
from wosdk_async.jobs.sources.rows import CellType, Row, TypedCell
from wosdk_async.jobs.sources.source import Header, missing_package
from wosdk_async.readers.program import MAX_LINE, Limits
from wosdk_async.regular_files import sha256_of

__all__ = ["PARQUET", "WORKBOOK", "ConvertedFile", "Reader", "open_converted"]

_CHUNK = 1 << 18  # bytes
_MAX_LINES = 1 << 53
_KINDS: dict[str, CellType] = {"n": "number", "t": "time", "b": "boolean"}


@attrs.frozen
class Reader:
    """A program that reads files of a format: its module, and the package that it needs."""

    module: str
    package: str
    extra: str
    files: str


WORKBOOK = Reader("wosdk_async.readers.workbook", "python_calamine", "files", "Excel files")
PARQUET = Reader("wosdk_async.readers.parquet", "pyarrow", "parquet", "Parquet files")


class ConvertedFile:
    """The rows of a table that a reader wrote as lines of JSON.

    ``line`` is the number that a sheet shows beside the row, or the place of a row in a Parquet file.

    Args:
        path: the file that was read.
        lines: what the reader wrote; it is closed with this object.
        sha256: the hash of the file before it was read.

    Attributes:
        sheet: the name of the sheet; None for other files.
    """

    dialect = None

    def __init__(self, path: Path, lines: IO[bytes], sha256: str = "") -> None:
        self.path = path
        self.sha256 = sha256
        self.empty_rows = 0
        self._lines = lines
        weakref.finalize(self, lines.close)
        self._lock = threading.Lock()
        self.sheet: str | None
        with self._understood():
            line, header, self.sheet = next(self._records(), (0, [], None))
            _require(type(line) is int and line >= 0 and type(header) is list)
            _require(self.sheet is None or type(self.sheet) is str)
            "".join(header)  # a TypeError unless all are texts
            self._header = Header(path, header)
        self.columns = self._header.columns

    def __repr__(self) -> str:
        return f"<ConvertedFile {self.path.name} columns={len(self.columns)}>"

    def __iter__(self) -> Iterator[Row]:
        with self._understood():
            yield from self._rows()

    def _rows(self) -> Iterator[Row]:
        records = self._records()
        above, *_ = next(records)
        number, last = 0, above
        row = self._header.row
        for line, *record in records:
            _require(type(line) is int and last <= line < _MAX_LINES)
            if not record:  # the end
                break
            cells, kinds, faults = record
            _require(line > last and type(cells) is list and type(faults) is dict)
            _require(type(kinds) is str and len(kinds) == len(cells))
            "".join(cells)  # a TypeError unless all are texts
            last = line
            number += 1
            for place, kind in _typed(kinds):
                if cells[place]:
                    cells[place] = TypedCell(cells[place], kind)
            yield row(number, line, cells, _by_place(faults, len(cells)) if faults else None)
        else:
            raise ImportMapError(f"{self.path}: its reader ended before the last row; report this as a bug")
        _require(next(records, None) is None)
        self.empty_rows = line - above - number

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Turn what a reader wrote and should not have into ImportMapError."""
        try:
            yield
        except ImportMapError:
            raise
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            raise ImportMapError(
                f"{self.path}: its reader wrote what is no row ({type(error).__name__}); report this as a bug"
            ) from error

    def _records(self) -> Iterator[list[Any]]:
        """Yield the lines; several iterations may take turns."""
        offset, rest = 0, b""
        while chunk := self._chunk(offset):
            offset += len(chunk)
            whole, mark, end = chunk.rpartition(b"\n")
            if mark:
                text = (rest + whole).decode("ascii").replace("\n", ",")
                rest = end
                yield from json.loads(f"[{text}]")
            else:
                rest += chunk
            if len(rest) > MAX_LINE:
                raise ImportMapError(f"{self.path}: its reader wrote a line that is too long")
        _require(not rest)

    def _chunk(self, offset: int) -> bytes:
        with self._lock:
            self._lines.seek(offset)
            return self._lines.read(_CHUNK)


@lru_cache(256)
def _typed(kinds: str) -> list[tuple[int, CellType]]:
    """Return the places of the cells that are values, and their types."""
    return [(place, _KINDS[kind]) for place, kind in enumerate(kinds) if kind != " "]


def _by_place(faults: Mapping[str, str], width: int) -> dict[int, str]:
    "".join(faults.values())  # a TypeError unless all are texts
    placed = {int(place): fault for place, fault in faults.items()}
    _require(all(0 <= place < width for place in placed))
    return placed


def _require(is_right: bool) -> None:
    if not is_right:
        raise ValueError


def open_converted(
    reader: Reader, path: str | Path, *, limits: Limits | None = None, **options: Any
) -> ConvertedFile:
    """Convert a file in a process of its own, and return its rows.

    Args:
        reader: what reads the file.
        path: the file.
        limits: limits of the process (default: by the size of the file).
        options: those of the reader.

    Raises:
        ImportMapError: the file cannot be used; the message names the file and the remedy.
    """
    path = Path(path)
    require_file(path)
    if importlib.util.find_spec(reader.package) is None:
        raise missing_package(reader.extra, path, reader.files)
    lines = tempfile.TemporaryFile()  # noqa: SIM115 -- it is closed with the source
    try:
        sha256 = sha256_of(path)
        convert(reader.module, path, lines, options, limits)
        return ConvertedFile(path, lines, sha256)
    except BaseException:
        lines.close()
        raise
