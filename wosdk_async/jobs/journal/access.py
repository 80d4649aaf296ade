"""Reading and writing of a job's journal: rows, outcomes, references and runs."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from functools import partial, wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import row_table, run_table, worker_tables
from wosdk_async.jobs.journal.commits import Change, CommitHook, CommitQueue, Intent, JobThread
from wosdk_async.jobs.journal.entries import JobPlan, ReferenceRecord, RowRecord, StoredRow, presentable
from wosdk_async.jobs.journal.lock import FolderLock, is_same_file
from wosdk_async.jobs.journal.store import JOURNAL, connect, explained, newest_stamp, read_plan, save_plan
from wosdk_async.jobs.journal.worker_tables import AuditResult, AuditRow, GrantRecord
from wosdk_async.protocol.writes import State
from wosdk_async.text.safe_text import Secrets

P = ParamSpec("P")
T = TypeVar("T")

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


def _reads(
    statement: Callable[Concatenate[sqlite3.Connection, P], T], *, committed: bool = False
) -> Callable[Concatenate[JournalAccess, P], Coroutine[Any, Any, T]]:
    """Turn an SQL function into a reader method; with ``committed``, the method ignores queued changes."""

    @wraps(statement)
    async def read(self: JournalAccess, /, *args: P.args, **named: P.kwargs) -> T:
        return await self.read(lambda db: statement(db, *args, **named), committed=committed)

    return read


class JournalAccess:
    """Journal that can be read even while another process is working on the job.

    Only the holder of its lock can write to it. Writing coroutines do not return until the change is on
    disk. They raise JournalError if the change cannot be written; in that case nothing may be sent. Other
    methods that write queue a change, and do not raise if the disk fails.
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
        self.folder = folder
        self.path = folder / JOURNAL
        self.plan = read_plan(db, self.path)
        self.is_closed = False
        self.secrets: Callable[[], Secrets] = Secrets
        """Function that returns the secrets to redact in records; set by the import or undo in progress."""
        self._db = db
        self._lock = lock
        self._clock = clock
        self._thread = JobThread(f"journal of {self.plan.job}", synchronous=synchronous)
        self._commits: CommitQueue | None = None
        if lock is not None:
            self._opened = self.path.stat()
            stamp = newest_stamp(db, self.path, lock.stamp)
            self._commits = CommitQueue(
                self.path, db, lock, self._thread, stamp=stamp, clock=clock, commit=commit
            )

    def counts(self, *, gone: bool = False) -> dict[State, int]:
        """Count the last file's rows by committed state; a million rows take half a second.

        With ``gone``, count the rows missing from the last file instead.
        """
        with explained(self.path):
            if self._thread.synchronous:
                return row_table.counts(self._db, gone=gone)
            with contextlib.closing(connect(self.folder, read_only=True)) as db:
                return row_table.counts(db, gone=gone)

    async def read(self, function: Callable[[sqlite3.Connection], T], *, committed: bool = False) -> T:
        """Run a function that reads, and return its result. Only temporary tables may be written.

        With ``committed``, the function does not see queued changes.
        """
        if not committed:
            await self._flush_before_reading()
        self._require_open()
        with explained(self.path):
            return await self._thread.run(partial(function, self._db))

    async def pages(
        self, *states: State, size: int = 1000, run: int | None = None
    ) -> AsyncIterator[list[StoredRow]]:
        """Yield rows in the given states and ``run`` (default: any) in row order, in pages of ``size``."""
        after = 0
        while page := await self.rows_in(*states, after=after, limit=size, run=run):
            yield page
            after = page[-1].row

    async def file_pages(self, *states: State, size: int = 1000) -> AsyncIterator[list[StoredRow]]:
        """Yield the file's rows in the given states (default: any) in file order, in pages of ``size``."""
        after = 0
        while page := await self.file_rows(*states, after=after, limit=size):
            yield page
            after = page[-1].place or 0

    page = _reads(row_table.page, committed=True)
    rows_in = _reads(row_table.rows_in)
    file_rows = _reads(row_table.file_rows)
    gone_rows = _reads(row_table.gone_rows)
    rows_numbered = _reads(row_table.rows_numbered)
    named_keys = _reads(row_table.named_keys)
    references = _reads(row_table.references)
    runs = _reads(run_table.runs)
    last_sending_run = _reads(run_table.last_sending_run)
    undos = _reads(run_table.undos)
    undo_counts = _reads(run_table.undo_counts)
    unsent_elsewhere = _reads(row_table.count_unsent_elsewhere)
    undone_ids = _reads(run_table.undone_ids)
    undone_before = _reads(run_table.undone_before, committed=True)
    shared_ids = _reads(run_table.shared_ids)
    last_epoch = _reads(worker_tables.last_epoch, committed=True)
    losses = _reads(worker_tables.losses)
    open_leases = _reads(worker_tables.open_leases)
    grant_totals = _reads(worker_tables.grant_totals)
    audit = _reads(worker_tables.audit_result)
    audit_rows = _reads(worker_tables.audit_page, committed=True)

    @property
    def missing(self) -> str | None:
        """Warning with a remedy if the folder or the journal was removed or moved; else None.

        Writes succeed even then, because an open file remains usable after its removal.
        """
        if self._lock is None or is_same_file(self.path, self._opened):
            return None
        if self.folder.is_dir():
            return _JOURNAL_MISSING.format(path=self.path)
        return _FOLDER_MISSING.format(folder=self.folder, rows=self.plan.rows)

    async def begin(self, rows: Sequence[int]) -> None:
        """Mark rows as SENDING.

        A cancellation may leave the rows marked; the caller must then record them as PLANNED.
        """
        await self._open_commits().write(rows=rows)

    def record(self, record: RowRecord, *, as_in_file: bool = False) -> RowRecord:
        """Queue a row's outcome, which is written within 20 ms, and return the stored record.

        With ``as_in_file``, also mark the row as sent with this run's map and the row's current cells.
        """
        if as_in_file:
            change = partial(row_table.mark_as_sent, row=record.row, run=self.run)
            self._open_commits().queue.others.append(change)
        return self.record_all([record])[0]

    def record_all(self, records: Sequence[RowRecord]) -> list[RowRecord]:
        """Queue the outcomes of several rows, as :meth:`record` does for one row."""
        commits, secrets = self._open_commits(), self.secrets()
        stored = [presentable(record, secrets) for record in records]
        commits.queue.rows += stored
        commits.write_soon()
        return stored

    async def write(self, change: Change) -> None:
        """Write a change in one transaction with the queued changes."""
        await self._open_commits().write(change)

    async def admit(self, change: Change, plan: JobPlan) -> None:
        """Update the rows and the plan in one transaction."""
        await self._open_commits().write(change, partial(save_plan, plan=plan))
        self.plan = plan

    async def plan_again(self, rows: Sequence[int]) -> None:
        """Plan rows again with their current cells, because a look-up confirmed that they have no records."""
        change = partial(row_table.plan_as_in_file, rows=rows)
        await self._open_commits().write(change, rows=[RowRecord(row, State.PLANNED) for row in rows])

    async def begin_reference(self, record: ReferenceRecord) -> None:
        """Save a reference that is about to be created, with the state SENDING."""
        await self._open_commits().write(Intent(row_table.save_reference, record=record))

    def record_reference(self, record: ReferenceRecord) -> None:
        """Queue the outcome of a reference's creation or undo."""
        stored = presentable(record, self.secrets())
        self._open_commits().write_soon(partial(row_table.save_reference, record=stored))

    async def begin_undo(self, of: int | ReferenceRecord) -> None:
        """Mark the undo of a row or reference as SENDING."""
        if isinstance(of, ReferenceRecord):
            change = Intent(row_table.save_reference, record=attrs.evolve(of, undo=State.SENDING))
        else:
            undo = RowRecord(of, State.SENDING)
            change = Intent(run_table.save_undo, record=undo, now=self._clock())
        await self._open_commits().write(change)

    def record_undo(self, record: RowRecord) -> None:
        """Queue an undo's outcome: DONE, REFUSED or IN_DOUBT."""
        stored = presentable(record, self.secrets())
        self._open_commits().write_soon(partial(run_table.save_undo, record=stored, now=self._clock()))

    async def grant(self, record: GrantRecord) -> None:
        """Save a worker's grant, and mark its rows as SENDING."""
        await self._open_commits().write(
            Intent(worker_tables.save_grant, grant=record, run=self.run), rows=record.rows
        )

    def end_grant(self, epoch: int, *, lost: Sequence[int] = ()) -> None:
        """Queue the end of a grant, including the rows that were lost with its worker."""
        self._open_commits().write_soon(partial(worker_tables.end_lease, epoch=epoch, lost=tuple(lost)))

    async def save_audit(self, result: AuditResult, rows: Sequence[AuditRow]) -> None:
        """Save an audit, replacing the previous one."""
        await self.write(partial(worker_tables.save_audit, result=result, rows=rows))

    async def start_run(self, **details: Any) -> int:
        """Save the start of this process's run, and return the run's number (from 1)."""
        commits = self._open_commits()
        started = self._clock()

        def insert(db: sqlite3.Connection) -> None:
            commits.run = run_table.insert_run(db, started, details)

        await commits.write(insert)
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
        commits, ended = self._open_commits(), (self._clock(), exit_status)
        commits.queue.others.append(partial(run_table.end_run, number=self.run, ended=ended, details=details))
        await commits.write_queued()

    async def flush(self) -> None:
        """Wait until all queued changes are on disk; raise JournalError if they cannot be written."""
        await self._open_commits().flush()

    @property
    def failed(self) -> JournalError | None:
        """The error that stopped all writes, such as a full disk; :meth:`begin` raises it."""
        error = self._commits.error if self._commits else None
        return error if isinstance(error, JournalError) else None

    @property
    def unwritten(self) -> list[RowRecord]:
        """Recorded outcomes that are not on disk."""
        return self._commits.unwritten.outcomes if self._commits else []

    async def _flush_before_reading(self) -> None:
        if self._commits is not None and not self.is_closed:
            with contextlib.suppress(JournalError):  # reads work even if nothing more can be written
                await self._commits.flush()

    def _require_open(self) -> None:
        if self._commits is not None and self.failed is None:
            self._commits.require_usable()  # raises the exception of a simulated kill
        if self.is_closed:
            raise JournalError(f"{self.path}: the journal is closed")

    def _open_commits(self) -> CommitQueue:
        self._require_open()
        if self._commits is None:
            raise JournalError(f"{self.path}: the journal was opened read-only")
        return self._commits
