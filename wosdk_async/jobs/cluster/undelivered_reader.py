"""Undelivered results of processes of earlier runs, in the folder of a job, and whether these have ended.

Anybody may have put anything into the folder: a file is opened only if that cannot block, and read only up
to a bound. It is removed only if it is surely one of this job.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Collection, Iterator, Sequence
from itertools import islice
from pathlib import Path

import attrs

from wosdk_async.jobs.cluster.messages import MessageError, from_bytes
from wosdk_async.jobs.cluster.pool import UndeliveredReport
from wosdk_async.jobs.cluster.undelivered_file import UndeliveredLine, is_locked

__all__ = ["UndeliveredReader"]

_NAME = re.compile(r"undelivered-([1-9][0-9]{0,8})-([0-9a-f]{16})\.jsonl")
_LONGEST = 1 << 20  # bytes of a line
_MOST = 64 << 20  # bytes that are read of all files together: far more than workers can hold
_MOST_LINES = 10_000  # of a file: a worker holds the rows of a few grants, of 500 rows each
_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@attrs.define(eq=False)
class UndeliveredReader:
    """The files of undelivered results that processes of earlier runs wrote.

    Args:
        folder: of the job.
        job: the id of the job.
        run: number of the run that reads: the files of its own processes are not read. 0 for none.
    """

    folder: Path
    job: str
    run: int
    ended: set[str] = attrs.field(factory=set)
    """Workers whose processes have surely ended: they send nothing more."""
    warnings: list[str] = attrs.field(factory=list)
    """What the user should know of files that could not be read, or not entirely."""
    _living: dict[Path, int] = attrs.field(factory=dict)
    """File -> id of its process."""
    _read: set[Path] = attrs.field(factory=set)
    _removable: list[Path] = attrs.field(factory=list)
    _bytes_remaining: int = _MOST

    def look(self) -> Sequence[UndeliveredReport]:
        """Return the undelivered results of processes that ended since the last look."""
        self._living.clear()
        found: list[UndeliveredReport] = []
        for path, worker in self._files():
            if path not in self._read:
                try:
                    found += self._look_at(path, worker)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    self._skip(path, f"cannot be read ({error.strerror})")
        return found

    def remove(self) -> None:
        """Remove the files that were read: the journal has what is in them."""
        for path in self._removable:
            with contextlib.suppress(OSError):
                path.unlink()
        self._removable.clear()

    @property
    def living(self) -> list[str]:
        """A warning for each process that lived at the last look."""
        return [
            f"process {pid} of an earlier run still lives (it may stand still); the next run reads what it "
            f"could not deliver in {path}"
            for path, pid in self._living.items()
        ]

    def remove_unused(self, leases: Collection[str] = ()) -> None:
        """Remove the files of processes of this run that have ended and delivered everything.

        Those of the workers with open ``leases`` stay: the next run sees there that these have ended.
        """
        with contextlib.suppress(OSError):
            for path, worker in self._files(own=True):
                self._removable.clear()
                if worker not in leases and not self._look_at(path, worker) and not self.warnings:
                    self.remove()

    def _files(self, *, own: bool = False) -> Iterator[tuple[Path, str]]:
        """Yield the files of other runs, or those of this one, with their workers."""
        for name in sorted(os.listdir(self.folder)):
            if (match := _NAME.fullmatch(name)) and (int(match[1]) == self.run) is own:
                yield self.folder / name, match[2]

    def _look_at(self, path: Path, worker: str) -> Sequence[UndeliveredReport]:
        if not stat.S_ISREG(path.lstat().st_mode):  # to open a device may do something
            self._skip(path, "is not a file")
            return ()
        file = os.open(path, _FLAGS)
        try:
            if not stat.S_ISREG((found := os.fstat(file)).st_mode):
                self._skip(path, "is not a file")
                return ()
            if is_locked(file):
                self._living[path] = self._process_of(file)
                return ()
            if found.st_size > self._bytes_remaining:
                self._skip(path, f"is too large to be read ({found.st_size:,} bytes)")
                return ()
            self._bytes_remaining -= found.st_size
            self._read.add(path)
            return self._content(path, worker, file, found)
        finally:
            os.close(file)

    def _content(
        self, path: Path, worker: str, file: int, status: os.stat_result
    ) -> Sequence[UndeliveredReport]:
        """Read the file of a process that has ended."""
        found: list[UndeliveredReport] = []
        ours = damaged = 0
        lines = _lines(file, status.st_size)
        for line in islice(lines, _MOST_LINES):
            if line is None or line.worker != worker:
                damaged += 1
            elif line.job == self.job:
                ours += 1
                if line.report is not None:
                    found.append(UndeliveredReport(line.run, line.worker, line.report))
                elif line.inode == status.st_ino:
                    self.ended.add(worker)
        if not ours and status.st_size:  # without any it was killed before it wrote
            self._skip(path, "does not belong to this job")
        elif any(True for _ in lines):
            more = f"{_MOST_LINES:,} lines, more than a worker can have"
            self._skip(path, f"has more than {more}: those after them are not read")
        else:
            self._removable.append(path)
        if ours and damaged:
            self.warnings.append(
                f"{path.name}: {damaged} damaged line{'s' if damaged > 1 else ''} of undelivered results; "
                "the rows are looked up instead, or stay in doubt without a marker"
            )
        return found

    def _process_of(self, file: int) -> int:
        line = next(_lines(file, _LONGEST), None)
        return line.pid if line is not None else 0

    def _skip(self, path: Path, why: str) -> None:
        self._read.add(path)
        self.warnings.append(f"{path}: looks like undelivered results, but {why}; it stays there")


def _lines(file: int, size: int) -> Iterator[UndeliveredLine | None]:
    """Yield the lines of the first ``size`` bytes; None for a damaged one."""
    with open(file, "rb", closefd=False) as reader:
        while data := reader.readline(min(size, _LONGEST)):
            size -= len(data)
            try:
                yield from_bytes(data, UndeliveredLine) if data.endswith(b"\n") else None
            except MessageError:
                yield None
