"""The journal of a job: which rows are planned, which may have been sent, and what became of each."""

from __future__ import annotations

import contextlib
import functools
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import queries
from wosdk_async.jobs.journal.creation import create_file
from wosdk_async.jobs.journal.entries import Plan, ReferenceRecord, RowEntry, RowRecord, Sample, State
from wosdk_async.jobs.journal.lock import FolderLock
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.journal.store import (
    JOURNAL,
    connect,
    explained,
    newest_stamp,
    sync_folder,
)
from wosdk_async.jobs.journal.undo_table import save_undos
from wosdk_async.jobs.journal.writer import CommitHook, JournalWriter

__all__ = ["Journal"]


def _just(write: Callable[[], None]) -> None:
    write()


class Journal(JournalReader):
    """The journal of one job, from :meth:`create` or :meth:`open`; used by one event loop.

    ::

        await journal.begin([7, 8])  # on the disk: they may be sent now
        journal.record(RowRecord(7, State.DONE, id=90417))  # on the disk soon

    One thread owns the connection that writes, and commits in groups: all that waits when a commit ends goes
    into the next one. The event loop never waits for the disk.

    **To test kills**: ``commit`` is called with each function that carries out one transaction, and may raise
    before or after it calls that function. With ``synchronous=True`` there is no thread and no group:
    :meth:`begin` and :meth:`record` commit in the caller before they return, so that an exception of
    ``commit`` comes out of the very step that it kills. From then on each method raises it again, as nothing
    runs in a process that was killed. Call :meth:`abandon` and open the folder anew. (The disk is not
    flushed in this mode.)
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
        self._clock = clock
        self._lock = lock
        self._run = 0
        self._writer: JournalWriter | None = None
        if lock is not None:
            stamp = newest_stamp(db, self.path, lock.stamp)
            self._writer = JournalWriter(
                self.path, db, lock, self._thread, stamp=stamp, clock=clock, commit=commit
            )

    def __repr__(self) -> str:
        state = "failed" if self.failed else "closed" if self._closed else "open"
        return f"<Journal {self.plan.job} {state} rows={self.plan.rows}>"

    # --- open and close -----------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        folder: Path,
        plan: Plan | Callable[[], Plan],
        entries: Iterable[RowEntry],
        *,
        earlier: Journal | None = None,
        lock: FolderLock | None = None,
        clock: Callable[[], float] = time.time,
        commit: CommitHook = _just,
        synchronous: bool = False,
    ) -> Journal:
        """Make the journal of a new job and open it. A kill before the end leaves no journal.

        Rows with a fault are REFUSED at once, and so are rows whose key an earlier row has: their key is not
        kept. Blocks: call it before the event loop runs, or in a thread.

        Args:
            folder: the folder of the job, which exists.
            plan: the plan, or a function that returns it, called when all ``entries`` were read. Its ``rows``
                is set to their number.
            entries: the rows of the input, read once, in chunks.
            earlier: the journal of a job that goes on here: what became of its rows is carried over by their
                keys, but refused rows are planned again. The caller keeps it open meanwhile.
            lock: the lock of the folder, if the caller holds it already; :meth:`close` releases it.
            clock: returns Unix time.
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
                    f"{folder}: another process has just begun a job there; give the command again"
                )

            def planned(rows: int) -> Plan:
                return attrs.evolve(plan() if callable(plan) else plan, rows=rows)

            lock.write_stamp(0)  # that of a journal that was here before
            part = create_file(folder, entries, planned, earlier.path if earlier else None)

            def publish() -> None:
                with explained(path):
                    part.replace(path)
                    sync_folder(folder)

            commit(publish)
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
        lock: FolderLock | None = None,
        clock: Callable[[], float] = time.time,
        commit: CommitHook = _just,
        synchronous: bool = False,
    ) -> Journal:
        """Open the journal of a job, for the one process that works on it.

        Args:
            folder: the folder of the job.
            read_only: only read; possible while another process works on the job.
            lock: the lock of the folder, if the caller holds it already.
            clock: returns Unix time.
            commit: see the class.
            synchronous: see the class.

        Raises:
            JournalError: there is no journal, it is damaged, of a newer version, or cannot be written, or
                another process works on the job.
        """
        if not read_only and lock is None:
            lock = FolderLock(folder)
        try:
            db = connect(folder, read_only=read_only, durable=not synchronous)
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
        """Write what is queued, and close the file so that ``journal.db`` stands alone.

        Never raises JournalError: what could not be written is in :attr:`unwritten`. After a failure it tries
        once more.
        """
        if self._closed:
            return
        try:
            await self._flush_before_reading()
            self._stop()
            if self._writer is not None:
                await self._thread.run(functools.partial(self._close_file, self._writer))
        finally:
            self._end()

    def abandon(self) -> None:
        """Leave the journal as a kill does: what is queued is lost, what was committed stays."""
        self._end()

    def _close_file(self, writer: JournalWriter) -> None:
        with contextlib.suppress(JournalError):
            writer.retry_unwritten()
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    def _stop(self) -> None:
        self._closed = True
        if self._writer is not None:
            self._writer.stop()

    def _end(self) -> None:
        self._stop()
        self._thread.end()
        self._db.close()
        if self._lock is not None:
            self._lock.release()

    # --- write --------------------------------------------------------------------------------

    async def begin(self, rows: Sequence[int]) -> None:
        """Note that rows are about to be sent; they are SENDING on the disk when it returns.

        If the caller is cancelled, they may be SENDING too: record them as PLANNED if they were not sent.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        writer = self._usable_writer()
        writer.queue.rows += rows
        await writer.written()

    def record(self, record: RowRecord) -> None:
        """Queue what became of a row; it is on the disk with the next group, within 20 ms."""
        writer = self._open_writer()
        writer.queue.rows.append(record)
        writer.write_soon()

    async def plan_again(self) -> None:
        """Plan the rows again that were refused, all but those whose key an earlier row has.

        Raises:
            JournalError: the journal cannot be written.
        """
        writer = self._usable_writer()
        writer.queue.others.append(queries.plan_again)
        await writer.written()

    async def begin_reference(self, reference: str, name: str, key: str) -> None:
        """Note that the record of a reference is about to be created; it is on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        writer = self._usable_writer()
        writer.queue.references.append(ReferenceRecord(reference, name, key, State.SENDING))
        await writer.written()

    def record_reference(self, record: ReferenceRecord) -> None:
        """Queue what became of the record of a reference."""
        writer = self._open_writer()
        writer.queue.references.append(record)
        writer.write_soon()

    async def begin_undo(self, row: int) -> None:
        """Note that the record of a row is about to be taken back; it is on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        writer = self._usable_writer()
        self._queue_undo(writer, RowRecord(row, State.SENDING))
        await writer.written()

    def record_undo(self, record: RowRecord) -> None:
        """Queue what became of a record that was taken back: DONE, REFUSED or IN_DOUBT."""
        writer = self._open_writer()
        self._queue_undo(writer, record)
        writer.write_soon()

    def _queue_undo(self, writer: JournalWriter, record: RowRecord) -> None:
        writer.queue.others.append(functools.partial(save_undos, records=[record], now=self._clock()))

    def sample(self, second: int, calls: int, p50: float, p95: float, waits: int, retries: int) -> None:
        """Queue the figures of one second of the job, see :class:`Sample`.

        At most 2,000 intervals are kept; when there are more, all become twice as wide.
        """
        sample = Sample(second, calls, p50, p95, waits, retries)
        writer = self._open_writer()
        writer.queue.others.append(functools.partial(queries.add_sample, sample=sample))
        writer.write_soon()

    async def start_run(self, **details: Any) -> int:
        """Note that this process works on the job, with version, host, pid, user and ``details``.

        Returns:
            The number of the run, from 1.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        writer = self._usable_writer()
        started = self._clock()

        def insert(db: sqlite3.Connection) -> None:
            self._run = queries.insert_run(db, started, details)

        writer.queue.others.append(insert)
        await writer.written()
        return self._run

    async def end_run(self, exit_status: int, **details: Any) -> None:
        """Note how the run ended that :meth:`start_run` began, with further ``details``.

        Raises:
            JournalError: it cannot be written now; :meth:`close` tries it once more.
        """
        writer = self._open_writer()
        ended = self._clock()

        def update(db: sqlite3.Connection) -> None:
            queries.end_run(db, self._run, ended, exit_status, details)

        writer.queue.others.append(update)
        await writer.written()

    async def flush(self) -> None:
        """Wait until everything queued so far is on the disk.

        Raises:
            JournalError: it cannot be written.
        """
        await self._open_writer().flush()

    @property
    def failed(self) -> JournalError | None:
        """Why the journal cannot be written any more, such as a full disk; :meth:`begin` raises it."""
        return self._writer.failed if self._writer else None

    @property
    def unwritten(self) -> list[RowRecord]:
        """The outcomes that :meth:`record` was given and that are not on the disk."""
        return self._writer.unwritten.outcomes if self._writer else []

    async def _flush_before_reading(self) -> None:
        if self._writer is not None and not self._closed:
            with contextlib.suppress(JournalError):  # what is on the disk can be read
                await self._writer.flush()

    def _require_open(self) -> None:
        if self._writer is not None and self._writer.killed is not None:
            raise self._writer.killed
        super()._require_open()

    def _open_writer(self) -> JournalWriter:
        self._require_open()
        if self._writer is None:
            raise JournalError(f"{self.path}: the journal was opened for reading only")
        return self._writer

    def _usable_writer(self) -> JournalWriter:
        writer = self._open_writer()
        writer.require_usable()
        return writer
