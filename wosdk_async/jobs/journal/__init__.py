"""Journal of a job: the SQLite file of its ledger, from which a killed job resumes.

:class:`Journal` is opened and closed here. Its base classes are in ``reader.py`` and ``writer.py``, its
entries in ``entries.py``, and its SQL in ``row_table.py``, ``run_table.py`` and ``worker_tables.py`` (jobs on
many workers). ``commits.py`` groups writes into commits. ``store.py`` creates and opens the file, whose
tables are in ``schema.py``. ``folder.py`` finds the folders of jobs, and ``lock.py`` locks them.

All packages of the jobs but ``sources/`` and ``mapping/`` import it, and MCP for folders and locks.
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
    State,
    StoredRow,
    new_job_id,
)
from wosdk_async.jobs.journal.folder import JobFolders, plan_of, remove_job
from wosdk_async.jobs.journal.lock import FolderLock
from wosdk_async.jobs.journal.store import JOURNAL, connect, create_database, explained
from wosdk_async.jobs.journal.worker_tables import AuditResult, AuditRow, GrantRecord, GrantTotals, OpenLease
from wosdk_async.jobs.journal.writer import JournalWriter
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
    "OpenLease",
    "PageRow",
    "ReferenceRecord",
    "RowRecord",
    "State",
    "StoredRow",
    "new_job_id",
    "plan_of",
]


def _commit(write: Callable[[], None]) -> None:
    write()


class Journal(JournalWriter):
    """Journal of one job, from :meth:`create` or :meth:`open`, for one event loop.

    ::

        await journal.begin([7, 8])  # on the disk: they may be sent now
        journal.record(RowRecord(7, State.DONE, id=90417))  # on the disk soon

    One thread owns the connection and commits in groups: changes that wait when a commit ends go into the
    next one. The event loop never waits for the disk.

    **To test kills**: ``commit`` is called with each function that carries out one transaction, and may raise
    before or after it calls that. With ``synchronous=True`` there is no thread and no group: :meth:`begin`
    and :meth:`record` commit before they return, without a flush, so an exception of ``commit`` comes out of
    the step that it kills. All methods raise it from then on. Call :meth:`abandon` and open the folder again.
    """

    def __repr__(self) -> str:
        state = "failed" if self.failed else "closed" if self._closed else "open"
        return f"<Journal {self.plan.job} {state} rows={self.plan.rows}>"

    @property
    def is_writable(self) -> bool:
        """Whether this process works on the job, instead of only reading it."""
        return self._lock is not None

    @property
    def is_closed(self) -> bool:
        """Whether it was closed, abandoned or discarded."""
        return self._closed

    # --- open and close -----------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        folder: Path,
        plan: JobPlan,
        *,
        lock: FolderLock | None = None,
        clock: Callable[[], float] = time.time,
        commit: CommitHook = _commit,
        synchronous: bool = False,
    ) -> Journal:
        """Create the journal of a new ledger without rows, and open it. A kill before the end leaves none.

        Args:
            folder: the existing folder of the job.
            plan: the plan of the job.
            lock: as for :meth:`open`.
            clock: as for :meth:`open`.
            commit: see the class.
            synchronous: see the class.

        Raises:
            JournalError: the folder has a job already, or cannot be written.
        """
        lock = lock or FolderLock(folder)
        try:
            path = folder / JOURNAL
            if path.exists():
                raise JournalError(
                    f"{folder}: another process has just begun a job there; run the command again"
                )
            with explained(path):
                lock.write_job(plan.job)
            lock.write_stamp(0)  # replaces that of an earlier journal
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
        commit: CommitHook = _commit,
        synchronous: bool = False,
    ) -> Journal:
        """Open the journal of a job, for the one process that works on it.

        Args:
            folder: the folder of the job.
            read_only: only read; possible while another process works on the job.
            snapshot: read briefly, in this thread: later writes may stay invisible. No file is created in the
                folder unless a process works on the job.
            lock: the lock of the folder, if the caller holds it; :meth:`close` releases it.
            clock: returns Unix time.
            commit: see the class.
            synchronous: see the class.

        Raises:
            JournalError: there is no journal, it is damaged, of a newer version, or cannot be written, or
                another process works on the job.
        """
        read_only, synchronous = read_only or snapshot, synchronous or snapshot
        if not read_only and lock is None:
            lock = FolderLock(folder)
        try:
            db = connect(folder, read_only=read_only, snapshot=snapshot, durable=not synchronous)
            try:
                return cls(folder, db, lock, clock=clock, commit=commit, synchronous=synchronous)
            except BaseException:
                db.close()
                raise
        except BaseException:
            if lock is not None:
                lock.release()
            raise

    async def __aenter__(self) -> Journal:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Write queued changes, and close the file so that ``journal.db`` alone is complete.

        Never raises JournalError: it retries failed writes once, and :attr:`unwritten` has the rest.
        """
        if self._closed:
            return
        try:
            await self._flush_before_reading()
            self._stop()
            if self._commits is not None:
                await self._thread.run(functools.partial(self._close_file, self._commits))
        finally:
            self._end()

    async def discard(self) -> None:
        """Close and remove the journal of a job that sent nothing, and its folder if that is empty then."""
        if self._closed or self._lock is None:
            return
        await self._flush_before_reading()
        self._end(remove_job)

    def abandon(self) -> None:
        """Leave the journal as a kill does: queued changes are lost."""
        self._end()

    def _close_file(self, commits: CommitQueue) -> None:
        with contextlib.suppress(JournalError):
            commits.retry_unwritten()
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _stop(self) -> None:
        self._closed = True
        if self._commits is not None:
            self._commits.stop()

    def _end(self, last: Callable[[Path, JobPlan], None] = lambda _folder, _plan: None) -> None:
        """Close everything, and call ``last`` before the lock is released."""
        self._stop()
        self._thread.end()
        self._db.close()
        last(self.folder, self.plan)
        if self._lock is not None:
            self._lock.release()
