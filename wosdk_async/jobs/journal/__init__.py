"""Job journal: the ledger's SQLite file, from which a killed job resumes.

This module opens and closes the :class:`Journal`. Its base class is in ``access.py``, its entries in
``entries.py``, and its SQL in ``row_table.py``, ``run_table.py`` and ``worker_tables.py``.
``commits.py`` groups writes into commits, ``store.py`` creates and opens the file, and ``schema.py`` defines
the tables. ``folder.py`` finds job folders, and ``lock.py`` locks them.

All packages of ``jobs`` except ``sources/`` and ``mapping/`` use the journal, and MCP uses its lock.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from types import TracebackType

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal.access import JournalAccess
from wosdk_async.jobs.journal.commits import CommitHook, CommitQueue
from wosdk_async.jobs.journal.entries import (
    ANSWERED,
    DECIDED,
    LOOKED_UP,
    THERE_BEFORE,
    JobPlan,
    JobRun,
    PageRow,
    ReferenceRecord,
    RowRecord,
    StoredRow,
    new_job_id,
)
from wosdk_async.jobs.journal.folder import JobFolders, just_created_error, plan_of, remove_job
from wosdk_async.jobs.journal.lock import FolderLock
from wosdk_async.jobs.journal.store import JOURNAL, connect, connect_to_snapshot, create_database, explained
from wosdk_async.jobs.journal.worker_tables import AuditResult, AuditRow, GrantRecord, GrantTotals
from wosdk_async.protocol.writes import State
from wosdk_async.regular_files import publish

__all__ = [
    "ANSWERED",
    "DECIDED",
    "LOOKED_UP",
    "THERE_BEFORE",
    "AuditResult",
    "AuditRow",
    "FolderLock",
    "GrantRecord",
    "GrantTotals",
    "JobFolders",
    "JobPlan",
    "JobRun",
    "Journal",
    "PageRow",
    "ReferenceRecord",
    "RowRecord",
    "State",
    "StoredRow",
    "new_job_id",
    "plan_of",
]


class Journal(JournalAccess):
    """Job journal for one event loop, created by :meth:`create` or :meth:`open`.

    ::

        await journal.begin([7, 8])  # on disk: the rows may be sent now
        journal.record(RowRecord(7, State.DONE, id=90417))  # on disk soon

    One thread owns the connection, so the event loop never waits for the disk. Each commit writes the
    changes that were queued during the previous commit.

    **To test kills**: ``commit`` is called with each transaction function, and may raise before or after
    calling it. With ``synchronous=True`` there is no thread: ``begin`` and ``record`` commit in the
    caller's thread, without a disk flush, and raise any exception of ``commit``. Afterwards all methods raise
    this exception, so call :meth:`abandon` and reopen the folder.
    """

    def __repr__(self) -> str:
        state = "failed" if self.failed else "closed" if self.is_closed else "open"
        return f"<Journal {self.plan.job} {state} rows={self.plan.rows}>"

    @property
    def is_writable(self) -> bool:
        """Whether this process is working on the job instead of only reading the journal."""
        return self._lock is not None

    # --- open and close -----------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        folder: Path,
        plan: JobPlan,
        *,
        lock: FolderLock | None = None,
        clock: Callable[[], float] = time.time,
        commit: CommitHook = lambda write: write(),
        synchronous: bool = False,
    ) -> Journal:
        """Create and open the journal of a new, empty ledger. A kill during creation leaves no journal.

        Raise JournalError if the folder already has a job, or is not writable.
        """
        lock = lock or FolderLock(folder)
        try:
            path = folder / JOURNAL
            if path.exists():
                raise just_created_error(folder)
            with explained(path):
                lock.write_job(plan.job)
            lock.write_stamp(0)  # the lock file may contain the stamp of an earlier journal
            part = create_database(folder, plan)

            def publish_part() -> None:
                with explained(path):
                    publish(part, path)

            commit(publish_part)
        except BaseException:
            lock.release()
            raise
        return cls.open(folder, lock=lock, clock=clock, commit=commit, synchronous=synchronous)

    @classmethod
    def open(
        cls,
        folder: Path,
        *,
        read_only: bool = False,
        snapshot: bool = False,
        lock: FolderLock | None = None,
        clock: Callable[[], float] = time.time,
        commit: CommitHook = lambda write: write(),
        synchronous: bool = False,
    ) -> Journal:
        """Open a job's journal, exclusively unless read-only.

        A ``snapshot`` is for a short read in this thread. It may miss later writes. It creates no file in the
        folder unless a process is working on the job. :meth:`close` also releases a ``lock`` passed by
        the caller.

        Raises:
            JournalError: the journal is missing, damaged, of a newer version or not writable, or another
                process is working on the job.
        """
        read_only, synchronous = read_only or snapshot, synchronous or snapshot
        with contextlib.ExitStack() as exits:
            if not read_only and lock is None:
                lock = FolderLock(folder)
            if lock is not None:
                exits.callback(lock.release)
            if snapshot:
                db = connect_to_snapshot(folder)
            else:
                db = connect(folder, read_only=read_only, durable=not synchronous)
            exits.enter_context(contextlib.closing(db))
            journal = cls(folder, db, lock, clock=clock, commit=commit, synchronous=synchronous)
            exits.pop_all()
            return journal

    async def __aenter__(self) -> Journal:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Write queued changes and close the file, leaving all data in ``journal.db``.

        A failed write is retried once, without raising JournalError; :attr:`unwritten` has the lost outcomes.
        """
        if self.is_closed:
            return
        try:
            await self._flush_before_reading()
            self._stop()
            if self._commits is not None:
                await self._thread.run(functools.partial(self._close_file, self._commits))
        finally:
            self._end()

    def discard(self) -> None:
        """Close and remove the journal of a job that sent nothing, and the folder if it is empty."""
        self._end(remove_job)

    def abandon(self) -> None:
        """Drop queued changes and leave the journal as a kill would leave it."""
        self._end()

    def _close_file(self, commits: CommitQueue) -> None:
        with contextlib.suppress(JournalError):
            commits.retry_unwritten()
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _stop(self) -> None:
        self.is_closed = True
        if self._commits is not None:
            self._commits.stop()

    def _end(self, last: Callable[[Path, JobPlan], None] = lambda _folder, _plan: None) -> None:
        """Close everything, and call ``last`` before releasing the lock."""
        self._stop()
        self._thread.end()
        self._db.close()
        last(self.folder, self.plan)
        if self._lock is not None:
            self._lock.release()
