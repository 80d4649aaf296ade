"""Writing a journal: rows that are about to be sent, their outcomes, references and runs."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import row_table, run_table
from wosdk_async.jobs.journal.commits import CommitHook, CommitQueue, Intent
from wosdk_async.jobs.journal.entries import (
    JobPlan,
    ReferenceRecord,
    RowRecord,
    State,
    presentable,
)
from wosdk_async.jobs.journal.lock import FolderLock, is_same_file
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.journal.run_table import keep_undone, save_undos
from wosdk_async.jobs.journal.store import newest_stamp, save_plan
from wosdk_async.jobs.journal.worker_tables import (
    AuditResult,
    AuditRow,
    GrantRecord,
    end_lease,
    forget_audit,
    save_audit,
    save_grant,
)
from wosdk_async.text.safe_text import Secrets

__all__ = ["JournalWriter"]

_FOLDER_MISSING = (
    "do not run the command again yet: {folder} was removed or moved, and only its journal knows which rows "
    "were sent. Put it back as it was, then the same command resumes; without it the command sends all "
    "{rows} rows again"
)
_JOURNAL_MISSING = (
    "{path} was removed or replaced while the import ran, and only it knew which rows were sent. results.csv "
    "in that folder has the outcome of each row: import nothing but the rows that failed or were not "
    "started, as a file of their own"
)


class JournalWriter(JournalReader):
    """What the process that holds the lock of a journal writes; without a lock it is only read."""

    def __init__(
        self,
        folder: Path,
        db: sqlite3.Connection,
        lock: FolderLock | None,
        *,
        clock: Callable[[], float],
        commit: CommitHook,
        synchronous: bool,
    ) -> None:
        super().__init__(folder, db, synchronous=synchronous)
        self._lock = lock
        self._clock = clock
        self.secrets: Callable[[], Secrets] = Secrets
        """Returns what no record may hold: a response may repeat it. Whoever has the Company sets it."""
        self._commits: CommitQueue | None = None
        if lock is not None:
            self._opened = self.path.stat()
            stamp = newest_stamp(db, self.path, lock.stamp)
            self._commits = CommitQueue(
                self.path, db, lock, self._thread, stamp=stamp, clock=clock, commit=commit
            )

    @property
    def missing(self) -> str | None:
        """What is not in its place any more, the folder or its journal, and what to do; None if both are.

        The system keeps a file that is open, so the process does not notice it by itself.
        """
        if self._lock is None or is_same_file(self.path, self._opened):
            return None
        if self.folder.is_dir():
            return _JOURNAL_MISSING.format(path=self.path)
        return _FOLDER_MISSING.format(folder=self.folder, rows=self.plan.rows)

    async def begin(self, rows: Sequence[int]) -> None:
        """Note that rows are about to be sent; they are SENDING on the disk when it returns.

        If the caller is cancelled, they may be SENDING too: record them as PLANNED if they were not sent.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        commits = self._usable_commits()
        commits.queue.rows += rows
        await commits.written()

    def record(self, record: RowRecord, *, as_in_file: bool = False) -> RowRecord:
        """Queue the outcome of a row, and return it as it is kept; it is on the disk within 20 ms.

        Args:
            record: the outcome.
            as_in_file: whether it is that of the cells that the file has now, whichever were sent.
        """
        commits = self._open_commits()
        if as_in_file:
            commits.queue.others.append(functools.partial(row_table.plan_as_in_file, rows=[record.row]))
        kept = presentable(record, self.secrets())
        commits.queue.rows.append(kept)
        commits.write_soon()
        return kept

    async def admit(self, change: Callable[[sqlite3.Connection], None], plan: JobPlan) -> None:
        """Carry out a change of the rows in one transaction, and keep the plan; on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        commits = self._usable_commits()
        commits.queue.others += [change, functools.partial(save_plan, plan=plan)]
        await commits.written()
        self.plan = plan

    async def plan_again(self, rows: Iterable[int]) -> None:
        """Plan rows that are confirmed absent, with the cells that the file has now; on the disk then.

        Raises:
            JournalError: the journal cannot be written.
        """
        commits, rows = self._usable_commits(), list(rows)
        commits.queue.rows += [RowRecord(row, State.PLANNED) for row in rows]
        commits.queue.others.append(functools.partial(row_table.plan_as_in_file, rows=rows))
        await commits.written()

    async def begin_reference(self, reference: str, name: str, key: str) -> None:
        """Note that the record of a reference is about to be created; it is on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        commits = self._usable_commits()
        commits.queue.references.append(ReferenceRecord(reference, name, key, State.SENDING))
        await commits.written()

    def record_reference(self, record: ReferenceRecord) -> None:
        """Queue the outcome of a reference, or of its undo."""
        commits = self._open_commits()
        commits.queue.references.append(presentable(record, self.secrets()))
        commits.write_soon()

    async def begin_undo(self, of: int | ReferenceRecord) -> None:
        """Note that the record of a row or a reference is about to be undone; on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        commits = self._usable_commits()
        if isinstance(of, ReferenceRecord):
            commits.queue.references.append(attrs.evolve(of, undo=State.SENDING))
        else:
            undo = functools.partial(save_undos, records=[RowRecord(of, State.SENDING)], now=self._clock())
            commits.queue.others.append(Intent(undo))
        await commits.written()

    def record_undo(self, record: RowRecord) -> None:
        """Queue the outcome of an undo: DONE, REFUSED or IN_DOUBT."""
        commits = self._open_commits()
        kept = presentable(record, self.secrets())
        commits.queue.others.append(functools.partial(save_undos, records=[kept], now=self._clock()))
        commits.write_soon()

    async def keep_undone(self, ids: Iterable[int]) -> None:
        """Keep ids of records that undos of earlier jobs took back; they are on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written.
        """
        commits = self._usable_commits()
        commits.queue.others.append(functools.partial(keep_undone, ids=ids))
        await commits.written()

    async def grant(self, record: GrantRecord) -> None:
        """Note that rows are granted to a worker; grant and SENDING are on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written, so the grant must not leave.
        """
        commits = self._usable_commits()
        commits.queue.rows += record.rows
        commits.queue.others.append(Intent(functools.partial(save_grant, grant=record, run=self.run)))
        await commits.written()

    def end_grant(self, epoch: int, *, lost: Sequence[int] = ()) -> None:
        """Queue that a grant has ended, with the rows that were lost with its worker."""
        commits = self._open_commits()
        ended = functools.partial(end_lease, epoch=epoch, lost=tuple(lost))
        commits.queue.others.append(ended)
        commits.write_soon()

    async def save_audit(self, result: AuditResult, rows: Sequence[AuditRow]) -> None:
        """Save what an audit found, replacing the previous audit; it is on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written.
        """
        commits = self._usable_commits()
        commits.queue.others.append(functools.partial(save_audit, result=result, rows=rows))
        await commits.written()

    async def forget_audit(self) -> None:
        """Forget the last audit, as further rows are sent.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        commits = self._usable_commits()
        commits.queue.others.append(forget_audit)
        await commits.written()

    async def start_run(self, **details: Any) -> int:
        """Note that this process works on the job, with version, host, pid, user and ``details``.

        Returns:
            The number of the run, from 1.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        commits = self._usable_commits()
        started = self._clock()

        def insert(db: sqlite3.Connection) -> None:
            commits.run = run_table.insert_run(db, started, details)

        commits.queue.others.append(insert)
        await commits.written()
        return commits.run

    @property
    def run(self) -> int:
        """Number of the run that :meth:`start_run` began; 0 before."""
        return self._commits.run if self._commits is not None else 0

    async def end_run(self, exit_status: int, **details: Any) -> None:
        """Note how the run ended that :meth:`start_run` began, with further ``details``.

        Raises:
            JournalError: it cannot be written now; :meth:`close` tries it once more.
        """
        commits = self._open_commits()
        ended = self._clock()

        def update(db: sqlite3.Connection) -> None:
            run_table.end_run(db, commits.run, ended, exit_status, details)

        commits.queue.others.append(update)
        await commits.written()

    async def flush(self) -> None:
        """Wait until everything queued so far is on the disk.

        Raises:
            JournalError: it cannot be written.
        """
        await self._open_commits().flush()

    @property
    def failed(self) -> JournalError | None:
        """Why the journal cannot be written any more, such as a full disk; :meth:`begin` raises it."""
        return self._commits.failed if self._commits else None

    @property
    def unwritten(self) -> list[RowRecord]:
        """The outcomes that :meth:`record` was given and that are not on the disk."""
        return self._commits.unwritten.outcomes if self._commits else []

    async def _flush_before_reading(self) -> None:
        if self._commits is not None and not self._closed:
            with contextlib.suppress(JournalError):  # what is on the disk can be read
                await self._commits.flush()

    def _require_open(self) -> None:
        if self._commits is not None and self._commits.killed is not None:
            raise self._commits.killed
        super()._require_open()

    def _open_commits(self) -> CommitQueue:
        self._require_open()
        if self._commits is None:
            raise JournalError(f"{self.path}: the journal was opened for reading only")
        return self._commits

    def _usable_commits(self) -> CommitQueue:
        commits = self._open_commits()
        commits.require_usable()
        return commits
