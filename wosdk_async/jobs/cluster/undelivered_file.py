"""Results that a process could not deliver, as its coordinator was gone: kept in the folder of the job.

Each process has a file of its own there, and holds a lock on it as long as it lives. The file says which
worker it belongs to before that worker gets any grant. So whoever goes on with the job knows what the process
could not deliver, and when it has ended. A process never removes its file, even if it is empty: its
coordinator does at the end of a run, or the next run does. undelivered_reader.py reads them.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs

from wosdk_async.jobs.cluster.messages import RowReport, to_bytes

if sys.platform != "win32":
    import fcntl

__all__ = ["UndeliveredFile", "UndeliveredLine", "is_locked"]


@attrs.frozen(kw_only=True)
class UndeliveredLine:
    """A line of the file of a process; the first one has no report.

    Args:
        job: the id of the job.
        run: number of the run of its coordinator.
        worker: the nonce of the worker.
        report: a result.
        pid: in the first line, id of the process.
        inode: in the first line, number of the file: the lock of a copy says nothing about the process.
    """

    job: str
    run: int
    worker: str
    report: RowReport | None = None
    pid: int = 0
    inode: int = 0


class UndeliveredFile:
    """The file of this process, with its lock.

    Args:
        folder: of the job.
        job: the id of the job.
        run: number of the run.
        worker: the nonce of the worker.

    Raises:
        OSError: the file cannot be written.
    """

    def __init__(self, folder: Path, job: str, run: int, worker: str) -> None:
        self.path = folder / f"undelivered-{run}-{worker}.jsonl"
        self._line = UndeliveredLine(job=job, run=run, worker=worker)
        self._file = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_APPEND, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            inode = os.fstat(self._file).st_ino
            self._append([attrs.evolve(self._line, pid=os.getpid(), inode=inode)])
        except BaseException:
            with contextlib.suppress(OSError):  # nothing was granted yet
                self.path.unlink()
            os.close(self._file)
            raise

    def write(self, reports: Sequence[RowReport]) -> None:
        """Write the reports; they are on the disk when this returns.

        Raises:
            OSError: they cannot be written; some of them may be there.
        """
        self._append([attrs.evolve(self._line, report=each) for each in reports])
        os.fsync(self._file)
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)  # the name of the file, too
        finally:
            os.close(folder)

    def close(self) -> None:
        """Give up the lock; the file stays."""
        os.close(self._file)

    def _append(self, lines: Sequence[UndeliveredLine]) -> None:
        with open(self._file, "ab", closefd=False) as file:
            file.writelines(to_bytes(each) + b"\n" for each in lines)


def is_locked(file: int) -> bool:
    """Return whether the process of an open file lives, or nobody can tell."""
    if sys.platform == "win32":  # no such processes run there: the folder was copied
        return False
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except OSError:
        return True
    return False
