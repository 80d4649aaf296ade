"""Results that a process could not deliver, as its coordinator was gone: kept in the folder of the job.

Each process has a file of its own there and holds a lock on it as long as it lives: so the next run of the
job knows which processes of the run before still let calls end, and waits for their results.
"""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs

from wosdk_async.jobs.cluster.messages import MessageError, RowReport, from_bytes, to_bytes
from wosdk_async.jobs.cluster.pool import LeftReport

if sys.platform != "win32":
    import fcntl

__all__ = ["LeftFile", "LeftResults", "read_left", "remove_empty"]

MOST_LINES = 100_000  # of one file: far more than a worker can hold
_LONGEST = 1 << 20  # bytes of a line
_POLL = 0.05  # seconds

_log = logging.getLogger("wosdk_async")


@attrs.frozen
class _Line:
    job: str
    run: int
    worker: str
    report: RowReport


class LeftFile:
    """The file of this process; empty while nothing is left. Closing it removes it if it is empty."""

    def __init__(self, folder: Path, run: int) -> None:
        self.path = folder / f"left-{run}-{os.getpid()}.jsonl"
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def write(self, job: str, run: int, worker: str, reports: Sequence[RowReport]) -> None:
        """Write the reports; they are on the disk when this returns."""
        lines = [to_bytes(_Line(job, run, worker, each)) + b"\n" for each in reports[:MOST_LINES]]
        with open(self._file, "ab", closefd=False) as file:
            file.writelines(lines)
        os.fsync(self._file)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the name of the file, too
        finally:
            os.close(folder)

    def close(self) -> None:
        """Give up the lock, and remove an empty file."""
        with contextlib.suppress(OSError):
            if not os.fstat(self._file).st_size:
                self.path.unlink()
        os.close(self._file)


@attrs.frozen
class LeftResults:
    """What processes of earlier runs left: their reports, and the files to remove when a journal has them."""

    reports: tuple[LeftReport, ...]
    files: tuple[Path, ...]

    def forget(self) -> None:
        """Remove the files."""
        for path in self.files:
            with contextlib.suppress(OSError):
                path.unlink()


def read_left(folder: Path, job: str, *, before: int, patience: float) -> LeftResults:
    """Read what processes of the runs ``before`` this one left in a folder.

    A process that still lives is waited for, all together at most ``patience`` seconds; the file of one that
    lives on (it may be stopped) is left for a later run. Damaged lines are skipped, with a warning.
    """
    ends = time.monotonic() + patience
    found, files = [], []
    for path in sorted(folder.glob("left-*-*.jsonl")):
        run = path.name.split("-")[1]
        if run.isdecimal() and int(run) < before and _is_free(path, ends):
            found += _reports(path, job)
            files.append(path)
    return LeftResults(tuple(found), tuple(files))


def remove_empty(folder: Path, run: int) -> None:
    """Remove the empty files of a run whose processes have all ended; those that were killed left theirs."""
    for path in folder.glob(f"left-{run}-*.jsonl"):
        with contextlib.suppress(OSError):
            if not path.stat().st_size:
                path.unlink()


def _is_free(path: Path, ends: float) -> bool:
    """Wait until no process holds the lock of a file; return whether that happened in time."""
    try:
        with path.open("rb") as file:
            while True:
                with contextlib.suppress(BlockingIOError):
                    fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
                    return True
                if time.monotonic() >= ends:
                    _log.warning("%s: its process still lives; the next run reads what it leaves", path)
                    return False
                time.sleep(_POLL)
    except FileNotFoundError:  # it left nothing
        return False


def _reports(path: Path, job: str) -> list[LeftReport]:
    found: list[LeftReport] = []
    damaged = 0
    for data in _lines(path):
        try:
            line = from_bytes(data, _Line)
        except MessageError:
            line = None
        if line is not None and line.job == job:
            found.append(LeftReport(line.run, line.worker, line.report))
        else:
            damaged += 1
    if damaged:
        _log.warning("%s: %d damaged lines were skipped; their rows are looked up instead", path, damaged)
    return found


def _lines(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        for _ in range(MOST_LINES):
            if not (line := file.readline(_LONGEST)):
                return
            yield line
