"""Excel and Parquet files, each converted once to JSON lines by a reader process.

The process runs with resource limits and without the client's secrets.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import lru_cache, partial
from pathlib import Path
from typing import IO, Any, ParamSpec, TypeVar

import attrs
import msgspec

from wosdk_async.jobs.errors import ImportMapError, require_file
from wosdk_async.jobs.sources.rows import CellType, Row, TypedCell
from wosdk_async.jobs.sources.source import Header, missing_package
from wosdk_async.readers.program import (
    CURRENCIES,
    MAX_LINE,
    MAX_MESSAGE,
    STARTED,
    Limits,
    Order,
    lowered,
    not_started,
)
from wosdk_async.regular_files import sha256_of
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import one_line

P = ParamSpec("P")
T = TypeVar("T")

_MB = 1 << 20
_MEMORY = 1024 * _MB  # for any file, plus 32 times the file size
_MAX_MEMORY = 4096 * _MB  # the limit is half of the machine's memory if that is less
_MIN_MEMORY = 512 * _MB  # pyarrow does not start with less
_MAX_SIZE = 2048 * _MB
_CPU = 120  # seconds for any file, plus 20 s per MB
_MAX_CPU = 3600
_POLL = 0.05  # seconds
_MAX_REASON = 300  # bytes
# These settings keep pyarrow and glibc from reserving over 1 GB of address space, which counts as memory.
_LEAN = {"ARROW_IO_THREADS": "1", "ARROW_DEFAULT_MEMORY_POOL": "system", "MALLOC_ARENA_MAX": "1"}

_stopped: ContextVar[threading.Event | None] = ContextVar("stopped", default=None)


def limits_for(size: int) -> Limits:
    """Return the limits for a file of ``size`` bytes."""
    cpu = min(_CPU + 20 * size // _MB, _MAX_CPU)
    most = max(_MIN_MEMORY, min(_MAX_MEMORY, _machine_memory() // 2))
    return Limits(memory=min(_MEMORY + 32 * size, most), cpu=cpu, seconds=3 * cpu, size=_MAX_SIZE)


def _machine_memory() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # Windows has no sysconf
        return 2 * _MAX_MEMORY


def convert(module: str, path: Path, lines: IO[bytes], options: dict[str, Any], limits: Limits) -> None:
    """Have the reader ``module`` write a file's rows to ``lines``. Raise ImportMapError on failure."""
    if getattr(sys, "frozen", False) or not sys.executable:
        raise ImportMapError(
            f"{path}: this format needs a separate Python process, but this program has no Python "
            "interpreter; save the table as CSV"
        )
    limits = lowered(limits)
    order = Order(module, os.fspath(path), options, list(limits), os.getpid())
    with tempfile.TemporaryFile() as stderr:
        command = [sys.executable, "-P", "-s", "-m", "wosdk_async.readers", json.dumps(order)]
        try:
            child = subprocess.Popen(  # noqa: S603 -- our own interpreter and modules
                command, stdin=subprocess.DEVNULL, stdout=lines, stderr=stderr, env=_environment()
            )
        except OSError as error:
            raise ImportMapError(
                f"{path}: the Python at {sys.executable} cannot be started "
                f"({error.strerror}); repair the installation, or save the table as CSV"
            ) from error
        with child:
            try:
                _wait(child, path, limits.seconds)
            finally:
                child.kill()
        if child.returncode or not os.fstat(lines.fileno()).st_size:
            why, remedies = _reason(child.returncode, stderr, limits)
            raise ImportMapError(f"{path}: {why}", remedies=remedies)


def _environment() -> dict[str, str]:
    environment = dict(os.environ)
    for name in os.environ:
        if name.startswith(("WOSDK_", "PYTHON")) or name.upper().endswith("_PROXY"):
            del environment[name]
    return environment | _LEAN | {"PYTHONPATH": os.pathsep.join(filter(os.path.isabs, sys.path))}


def _wait(child: subprocess.Popen[bytes], path: Path, seconds: float) -> None:
    stop = _stopped.get()
    end = time.monotonic() + seconds
    while True:
        remaining = end - time.monotonic()
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(max(0.0, remaining if stop is None else min(remaining, _POLL)))
            return
        if stop is not None and stop.is_set():
            raise ImportMapError(f"{path}: reading was cancelled")
        if remaining <= 0:
            raise ImportMapError(f"{path}: reading took more than {seconds:,} s; save the table as CSV")


def _reason(status: int, stderr: IO[bytes], limits: Limits) -> tuple[str, tuple[Remedy, ...]]:
    stderr.seek(0)
    started = STARTED in stderr.read(MAX_MESSAGE)
    stderr.seek(0, os.SEEK_END)
    stderr.seek(max(0, stderr.tell() - MAX_MESSAGE))
    last = stderr.read().rstrip().rpartition(b"\n")[2]
    with contextlib.suppress(ValueError, TypeError, KeyError):
        message, remedy = json.loads(last)
        return str(message), (Remedy[remedy],) if remedy else ()
    if not started:
        return not_started("", one_line(last.decode(errors="replace")[:_MAX_REASON]) or _name(status)), ()
    if -status == getattr(signal, "SIGXCPU", None):
        return f"reading took more than {limits.cpu:,} s of CPU time; save the table as CSV", ()
    return (
        f"the reader was aborted ({_name(status)}): the file is damaged or needs more than "
        f"{limits.memory // _MB:,} MB of memory; delete stray cells far from the table, or save the table "
        "as CSV"
    ), ()


def _name(status: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(-status).name
    return f"exit status {status}"


async def off_the_loop(call: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a call in a thread. On cancellation, stop a conversion that the call has started."""
    stop = threading.Event()
    token = _stopped.set(stop)
    try:
        return await asyncio.to_thread(call, *args, **kwargs)
    finally:
        stop.set()
        _stopped.reset(token)


# --- converted files ------------------------------------------------------------------------------

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
    """Facts about a sheet. ``rows`` and ``columns`` are the counts of hidden rows and columns."""

    rows: int = 0
    columns: int = 0
    others: list[str] = []
    merged: list[tuple[str, int]] = []
    blind: bool = False
    """Whether the reader cannot see cell errors, missing formula results, hidden rows or currencies."""
    currencies: list[str] = []
    """Currencies that only cell formats show."""


class _Line(msgspec.Struct, array_like=True, forbid_unknown_fields=True):
    """Line of reader output; the last line has only ``line``.

    In the header, ``kinds`` is the sheet's name. In other lines, each of its characters is a cell's type.
    """

    line: int
    cells: list[str] | None = None
    kinds: str | None = None
    faults: dict[int, str] = {}
    about: _About | None = None


_DECODER = msgspec.json.Decoder(_Line)


class ConvertedFile:
    """Source of a converted file's rows. It closes ``lines``, the reader's output of JSON lines.

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

    @contextlib.contextmanager
    def _output_errors(self) -> Iterator[None]:
        try:
            yield
        except ImportMapError:
            raise
        except (msgspec.MsgspecError, ValueError, LookupError) as error:
            raise ImportMapError(
                f"{self.path}: the reader wrote an invalid row ({type(error).__name__}); report this as a bug"
            ) from error

    def _records(self) -> Iterator[_Line]:
        """Yield all lines. Several iterations may run at once."""
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
    "with this format, cells with errors or missing formula results are read as empty, and currencies and "
    "leading zeros that come only from the cell format are lost; if the file has any of these, save it as "
    ".xlsx"
)


def _typed(kinds: str, currencies: Sequence[str]) -> list[tuple[int, CellType, str]]:
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
