"""Journal writer for rows, outcomes, references and runs."""

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
from wosdk_async.jobs.journal.entries import JobPlan, ReferenceRecord, RowRecord, presentable
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
from wosdk_async.protocol.writes import State
from wosdk_async.text.safe_text import Secrets

_FOLDER_MISSING = (
    "do not run the command again yet: {folder} was removed or moved, and only its journal knows which rows "
    "were sent. Restore the folder, then run the same command to resume; without the journal, the command "
    "sends all {rows} rows again"
)
_JOURNAL_MISSING = (
    "{path} was removed or replaced during the import, and only this journal knew which rows were sent. "
    "results.csv in that folder has the outcome of each row: copy the rows that failed or were not started "
    "to a new file, and import only those"
)


class JournalWriter(JournalReader):
    """Journal that only the holder of its lock can write; other processes can only read it.

    Coroutines return once the change is on disk. They raise JournalError if the change cannot be written;
    in that case nothing may be sent. Other methods queue a change, and do not raise if the disk fails.
    """

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
        """Function that returns the secrets to redact in records; set by the Company's owner."""
        self._commits: CommitQueue | None = None
        if lock is not None:
            self._opened = self.path.stat()
            stamp = newest_stamp(db, self.path, lock.stamp)
            self._commits = CommitQueue(
                self.path, db, lock, self._thread, stamp=stamp, clock=clock, commit=commit
            )

    @property
    def missing(self) -> str | None:
        """Warning with a remedy if the folder or the journal was removed or moved; else None.

        An open file remains usable after its removal, so writing to it does not fail.
        """
        if self._lock is None or is_same_file(self.path, self._opened):
            return None
        if self.folder.is_dir():
            return _JOURNAL_MISSING.format(path=self.path)
        return _FOLDER_MISSING.format(folder=self.folder, rows=self.plan.rows)

    async def begin(self, rows: Sequence[int]) -> None:
        """Mark rows as SENDING.

        If this method is cancelled, the rows may be SENDING nevertheless; record them as PLANNED.
        """
        commits = self._usable_commits()
        commits.queue.rows += rows
        await commits.written()

    def record(self, record: RowRecord, *, as_in_file: bool = False) -> RowRecord:
        """Queue a row's outcome, which is written within 20 ms, and return the stored record.

        Args:
            record: the outcome.
            as_in_file: whether to treat the row as sent with this run's map and the row's current cells.
        """
        if as_in_file:
            self._open_commits().queue.others.append(
                functools.partial(row_table.count_as_sent, row=record.row, run=self.run)
            )
        return self.record_all([record])[0]

    def record_all(self, records: Sequence[RowRecord]) -> list[RowRecord]:
        """Queue the outcomes of rows like :meth:`record`."""
        commits, known = self._open_commits(), self.secrets()
        kept = [presentable(record, known) for record in records]
        commits.queue.rows += kept
        commits.write_soon()
        return kept

    async def admit(self, change: Callable[[sqlite3.Connection], None], plan: JobPlan) -> None:
        """Update the rows and the plan in one transaction."""
        commits = self._usable_commits()
        commits.queue.others += [change, functools.partial(save_plan, plan=plan)]
        await commits.written()
        self.plan = plan

    async def plan_again(self, rows: Iterable[int]) -> None:
        """Plan rows again with their current cells, after they were confirmed absent."""
        commits, rows = self._usable_commits(), list(rows)
        commits.queue.rows += [RowRecord(row, State.PLANNED) for row in rows]
        commits.queue.others.append(functools.partial(row_table.plan_as_in_file, rows=rows))
        await commits.written()

    async def begin_reference(
        self, reference: str, name: str, key: str, *, entity: str = "", field: str = ""
    ) -> None:
        """Mark a reference's creation as SENDING."""
        commits = self._usable_commits()
        state, run = State.SENDING, self.run
        record = ReferenceRecord(reference, name, key, state, entity=entity, field=field, run=run)
        commits.queue.references.append(record)
        await commits.written()

    def record_reference(self, record: ReferenceRecord) -> None:
        """Queue the outcome of a reference or its undo."""
        commits = self._open_commits()
        commits.queue.references.append(presentable(record, self.secrets()))
        commits.write_soon()

    async def begin_undo(self, of: int | ReferenceRecord) -> None:
        """Mark the undo of a row or reference as SENDING."""
        commits = self._usable_commits()
        if isinstance(of, ReferenceRecord):
            commits.queue.references.append(attrs.evolve(of, undo=State.SENDING))
        else:
            undo = functools.partial(save_undos, records=[RowRecord(of, State.SENDING)], now=self._clock())
            commits.queue.others.append(Intent(undo))
        await commits.written()

    def record_undo(self, record: RowRecord) -> None:
        """Queue an undo's outcome: DONE, REFUSED or IN_DOUBT."""
        commits = self._open_commits()
        kept = presentable(record, self.secrets())
        commits.queue.others.append(functools.partial(save_undos, records=[kept], now=self._clock()))
        commits.write_soon()

    async def keep_undone(self, ids: Iterable[int]) -> None:
        """Save the ids of records undone by earlier jobs."""
        await self._write(functools.partial(keep_undone, ids=ids))

    async def grant(self, record: GrantRecord) -> None:
        """Save a worker's grant, and mark its rows as SENDING."""
        commits = self._usable_commits()
        commits.queue.rows += record.rows
        commits.queue.others.append(Intent(functools.partial(save_grant, grant=record, run=self.run)))
        await commits.written()

    def end_grant(self, epoch: int, *, lost: Sequence[int] = ()) -> None:
        """Queue the end of a grant, including the rows that were lost with its worker."""
        commits = self._open_commits()
        commits.queue.others.append(functools.partial(end_lease, epoch=epoch, lost=tuple(lost)))
        commits.write_soon()

    async def save_audit(self, result: AuditResult, rows: Sequence[AuditRow]) -> None:
        """Save an audit, replacing the previous one."""
        await self._write(functools.partial(save_audit, result=result, rows=rows))

    async def forget_audit(self) -> None:
        """Delete the last audit, before more rows are sent."""
        await self._write(forget_audit)

    async def start_run(self, **details: Any) -> int:
        """Save the start of this process's run, with version, host, pid, user and ``details``.

        Returns:
            The run number, from 1.
        """
        commits = self._usable_commits()
        started = self._clock()

        def insert(db: sqlite3.Connection) -> None:
            commits.run = run_table.insert_run(db, started, details)

        await self._write(insert)
        return commits.run

    @property
    def run(self) -> int:
        """The current run's number; 0 before :meth:`start_run`."""
        return self._commits.run if self._commits is not None else 0

    async def end_run(self, exit_status: int, **details: Any) -> None:
        """Save the end of the current run, with additional ``details``.

        Raises:
            JournalError: the end cannot be written now; :meth:`close` retries.
        """
        commits = self._open_commits()
        ended = self._clock()

        def update(db: sqlite3.Connection) -> None:
            run_table.end_run(db, commits.run, ended, exit_status, details)

        commits.queue.others.append(update)
        await commits.written()

    async def flush(self) -> None:
        """Wait until all queued changes are on disk.

        Raises:
            JournalError: the changes cannot be written.
        """
        await self._open_commits().flush()

    @property
    def failed(self) -> JournalError | None:
        """The error that stopped all writes, such as a full disk; :meth:`begin` raises it."""
        return self._commits.failed if self._commits else None

    @property
    def unwritten(self) -> list[RowRecord]:
        """Recorded outcomes that are not on disk."""
        return self._commits.unwritten.outcomes if self._commits else []

    async def _flush_before_reading(self) -> None:
        if self._commits is not None and not self._closed:
            with contextlib.suppress(JournalError):  # reads work even if nothing more can be written
                await self._commits.flush()

    async def _write(self, change: Callable[[sqlite3.Connection], None]) -> None:
        commits = self._usable_commits()
        commits.queue.others.append(change)
        await commits.written()

    def _require_open(self) -> None:
        if self._commits is not None and self._commits.killed is not None:
            raise self._commits.killed
        super()._require_open()

    def _open_commits(self) -> CommitQueue:
        self._require_open()
        if self._commits is None:
            raise JournalError(f"{self.path}: the journal was opened read-only")
        return self._commits

    def _usable_commits(self) -> CommitQueue:
        commits = self._open_commits()
        commits.require_usable()
        return commits
