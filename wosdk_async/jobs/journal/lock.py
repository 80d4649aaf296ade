"""Job folder lock, which lets only one process at a time work on a job."""

from __future__ import annotations

import contextlib
import errno
import os
import shlex
import socket
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import orjson

from wosdk_async.fork_safety import register_after_fork
from wosdk_async.jobs.errors import JournalError
from wosdk_async.regular_files import open_existing, open_or_create, read_regular
from wosdk_async.settings.profiles import is_foreign
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import one_line

LOCK = "lock"
_STAMP = 20  # digits of the stamp at the start of the file
_MAX_BYTES = 4096  # maximum bytes to read from an untrusted file

if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30  # other processes cannot read locked bytes, so lock a byte far behind the content

    def _try_lock(file: int) -> None:
        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

    def _unlock(file: int) -> None:
        os.lseek(file, _FAR, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

    def _write_first(file: int, content: bytes) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        os.write(file, content)

else:
    import fcntl

    def _try_lock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _unlock(file: int) -> None:
        fcntl.flock(file, fcntl.LOCK_UN)  # closing is not enough if a forked child has the file open

    def _write_first(file: int, content: bytes) -> None:
        os.pwrite(file, content, 0)


def require_own(folder: Path) -> None:
    """Raise JournalError if a job folder, a link to it or a file in it belongs to neither this user nor root.

    Output files may belong to anyone, because users may replace them, for example with a spreadsheet program.
    Write permissions are not checked: the owner sets them, and some file systems report any file as writable.
    Root trusts the owner of the parent directory, who could replace the folder anyway.
    """
    trusted = {folder.parent.stat().st_uid} if os.name == "posix" and os.geteuid() == 0 else set()
    try:
        for path in (folder, *(each for each in folder.iterdir() if not each.name.startswith(_OUTPUTS))):
            with contextlib.suppress(FileNotFoundError):  # another process has just removed the file
                found = [os.lstat(path), *([os.stat(path)] if path == folder else [])]
                if any(is_foreign(each) and each.st_uid not in trusted for each in found):
                    raise JournalError(
                        f"{path} belongs to another user; use another folder or, if you trust the owner, "
                        f"copy this one: cp -r {shlex.quote(str(folder))} COPY"
                    )
    except OSError as error:
        raise _unwritable_error(folder, error) from error


_OUTPUTS = ("results", "rejects", "in_doubt", "audit", "references", "report", "runs", "~$", ".~lock")
"""Prefixes of output files, and of the lock files that spreadsheet programs put beside them."""


class FolderLock:
    """Job folder lock, held until :meth:`release` or the end of the process.

    The lock file stores the holder, the job id, and the last commit's stamp, which reveals lost commits.

    Raises:
        JournalError: another process holds the lock, or the folder is not writable or has another owner.
    """

    def __init__(self, folder: Path) -> None:
        path = self._path = folder / LOCK
        self._file = -1
        require_own(folder)
        try:
            self._file = open_or_create(path)
            try:
                _try_lock(self._file)
            except OSError:
                os.close(self._file)
                raise _held_error(folder) from None
            self._opened = os.fstat(self._file)
            self.stamp = _stamp_in(self._file)
            self._job = job_in(folder)
            self._write_holder()
        except OSError as error:
            self.release()
            raise _unwritable_error(folder, error) from error
        register_after_fork(self)

    def __repr__(self) -> str:
        return f"<FolderLock {'held' if self._file >= 0 else 'released'} stamp={self.stamp}>"

    def require_in_place(self) -> None:
        """Raise JournalError if the lock was removed or replaced: a new lock may have another holder."""
        if self._file < 0 or is_same_file(self._path, self._opened):
            return
        if not self._path.parent.is_dir():
            raise JournalError(
                f"{self._path.parent} was removed or moved while this process was working on the job; "
                "nothing more is sent. Restore the folder"
            )
        raise JournalError(
            f"{self._path} was removed while this process was working on the job, so another process may "
            "have started; nothing more is sent. Run the command again when no other process is working on "
            "the job"
        )

    def write_stamp(self, stamp: int) -> None:
        """Write a commit's stamp without a flush; the stamp survives a kill of the process."""
        self.stamp = stamp
        if self._file >= 0:
            with contextlib.suppress(OSError):  # the older stamp remains, and detects fewer lost commits
                _write_first(self._file, b"%0*d" % (_STAMP, stamp))

    def write_job(self, job: str) -> None:
        """Write the job's id. Raises OSError."""
        self._job = job
        self._write_holder()

    def release(self) -> None:
        """Release the lock and keep the file."""
        if self._file >= 0:
            _unlock(self._file)
        self.forked()

    def forked(self) -> None:
        """Give up the lock in a forked child, which would otherwise keep the lock after the parent ends."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1

    def _write_holder(self) -> None:
        holder = {
            "pid": os.getpid(),
            "host": socket.gethostname(),
            "since": datetime.now(UTC).isoformat(timespec="seconds"),
            "job": self._job,
        }
        text = b"%0*d\n%s\n" % (_STAMP, self.stamp, orjson.dumps(holder))
        _write_first(self._file, text)
        os.ftruncate(self._file, len(text))


def is_same_file(path: Path, opened: os.stat_result) -> bool:
    """Return whether a path still refers to the opened file."""
    try:
        return os.path.samestat(path.stat(), opened)
    except OSError:
        return False


def is_held(folder: Path) -> bool:
    """Return whether a process holds a job folder's lock. The check acquires the lock for a moment."""
    try:
        file = open_existing(folder / LOCK)
    except OSError:  # a missing lock, or another user's, is not held by a process of ours
        return False
    try:
        _try_lock(file)
    except OSError:
        return True
    finally:
        os.close(file)
    return False


def holder_of(folder: Path) -> str | None:
    """Describe the last holder of a job folder's lock; None if unknown."""
    if not (holder := _holder(folder)):
        return None
    return one_line(f"process {holder.get('pid')} on {holder.get('host')} since {holder.get('since')}")


def job_in(folder: Path) -> str | None:
    """Return the id of the job in a folder; None if the lock file lacks the id."""
    job = _holder(folder).get("job")
    return job if isinstance(job, str) else None


def last_stamp(folder: Path) -> int:
    """Return the stamp of the last commit to a folder's journal; 0 if unknown."""
    try:
        file = open_existing(folder / LOCK)
    except OSError:
        return 0
    try:
        return _stamp_in(file)
    finally:
        os.close(file)


def _holder(folder: Path) -> Mapping[str, Any]:
    try:
        content, _ = read_regular(folder / LOCK, _MAX_BYTES)
        holder: Any = orjson.loads(content.partition(b"\n")[2])
    except (OSError, orjson.JSONDecodeError):
        return {}
    return holder if isinstance(holder, Mapping) else {}


def _stamp_in(file: int) -> int:
    digits, newline, _ = os.read(file, _STAMP + 1).partition(b"\n")
    return int(digits) if newline and len(digits) == _STAMP and digits.isdigit() else 0


def _held_error(folder: Path) -> JournalError:
    holder = _holder(folder)
    if (holder.get("pid"), holder.get("host")) == (os.getpid(), socket.gethostname()):
        text, remedy = "this job is already running in this process", Remedy.WAIT
    else:
        text, remedy = "another process is working on this job", Remedy.HOLDER
    holder_name = holder_of(folder) or "that process"
    return JournalError(f"{folder}: {text}", conflict=True, remedies=(remedy,), holder=holder_name)


def _unwritable_error(folder: Path, error: OSError) -> JournalError:
    if error.errno in (errno.EINVAL, errno.ELOOP, errno.EMLINK):
        return JournalError(f"{error.filename} cannot be used as the job's lock: {error.strerror}; remove it")
    return JournalError(
        f"{folder} is not writable ({error.strerror}), so the job cannot write its journal; "
        "free disk space, change the permissions, or copy the folder elsewhere"
    )
