"""The journal of a job: which rows are planned, which may have been sent, and what became of each."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import getpass
import os
import socket
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import attrs
import orjson

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import queries
from wosdk_async.jobs.journal.entries import (
    JobRun,
    PageRow,
    Plan,
    ReferenceRecord,
    RowEntry,
    RowRecord,
    Sample,
    State,
    StoredRow,
)
from wosdk_async.jobs.journal.lock import FolderLock
from wosdk_async.jobs.journal.store import (
    JOURNAL,
    connect,
    create_file,
    explained,
    newest_stamp,
    read_plan,
    sync_folder,
)
from wosdk_async.jobs.journal.writer import Batch, JobThread, write_batch

__all__ = ["Journal"]

T = TypeVar("T")

_SOON = 0.02  # seconds until an outcome is committed when nothing else is
_READ_ONLY = "the journal was opened for reading only"


def _just(write: Callable[[], None]) -> None:
    write()


class Journal:
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

    Attributes:
        plan: what is known of the job since it began.
        failed: why the journal cannot be written any more: the disk is full, or was lost. :meth:`begin`
            raises it from then on; what :meth:`record` was given and is not on the disk is in
            :attr:`unwritten`.
    """

    plan: Plan
    failed: JournalError | None

    def __init__(
        self,
        folder: Path,
        db: sqlite3.Connection,
        lock: FolderLock | None,
        *,
        clock: Callable[[], float],
        commit: Callable[[Callable[[], None]], None],
        synchronous: bool,
    ) -> None:
        self.folder = folder
        self.path = folder / JOURNAL
        self.plan = read_plan(db, self.path)
        self.failed = None
        self._db = db
        self._lock = lock
        self._clock = clock
        self._commit = commit
        self._synchronous = synchronous
        with explained(self.path):
            self._stamp = newest_stamp(db)
        self._thread: JobThread | None = None
        self._batch = Batch()
        self._unwritten = Batch()
        self._busy = self._closed = False
        self._timer: asyncio.TimerHandle | None = None
        self._killed: BaseException | None = None
        self._run = 0

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
        lock: FolderLock | None = None,
        clock: Callable[[], float] = time.time,
        commit: Callable[[Callable[[], None]], None] = _just,
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

            part = create_file(folder, entries, planned)

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
        commit: Callable[[Callable[[], None]], None] = _just,
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
                journal = cls(folder, db, lock, clock=clock, commit=commit, synchronous=synchronous)
                if lock is not None:
                    journal._require_complete(lock)
            except BaseException:
                db.close()
                raise
        except BaseException:
            if lock is not None:
                lock.release()
            raise
        return journal

    def _require_complete(self, lock: FolderLock) -> None:
        if self._stamp < lock.stamp:
            raise JournalError(
                f"{self.path}: its last commits are missing. Was {JOURNAL}-wal deleted, or left "
                "behind when the folder was copied? Bring it back: without it rows that were sent look "
                "as if they were not"
            )

    async def __aenter__(self) -> Journal:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Write what is queued, and close the file so that ``journal.db`` stands alone.

        Never raises: what could not be written is in :attr:`unwritten`. After a failure it tries once more.
        """
        if self._closed:
            return
        with contextlib.suppress(JournalError):
            await self.flush()
        self._closed = True
        self._cancel_timer()
        await self._in_thread(self._close_file)
        self._end()

    def abandon(self) -> None:
        """Leave the journal as a kill does: what is queued is lost, what was committed stays."""
        if not self._closed:
            self._closed = True
            self._cancel_timer()
            self._end()

    def _end(self) -> None:
        if self._thread is not None:
            self._thread.end()
            self._thread = None
        self._db.close()
        if self._lock is not None:
            self._lock.release()

    def _close_file(self) -> None:
        if self._lock is None or self._killed is not None:
            return
        with contextlib.suppress(sqlite3.Error):
            if self._unwritten:
                self._write(self._unwritten)
                self._unwritten = Batch()
        with contextlib.suppress(sqlite3.Error):
            self._db.execute("PRAGMA wal_checkpoint(TRUNCATE)")

    # --- write --------------------------------------------------------------------------------

    async def begin(self, rows: Sequence[int]) -> None:
        """Note that rows are about to be sent; they are SENDING on the disk when it returns.

        If the caller is cancelled, they may be SENDING too: record them as PLANNED if they were not sent.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        self._require_writable()
        self._batch.rows.extend([(row, 1) for row in rows])
        await self._committed()

    def record(self, record: RowRecord) -> None:
        """Queue what became of a row; it is on the disk with the next group, within 20 ms."""
        self._batch.rows.append(queries.row_values(record))
        self._queued()

    async def begin_reference(self, reference: str, name: str, key: str) -> None:
        """Note that the record of a reference is about to be created; it is on the disk when it returns.

        Raises:
            JournalError: the journal cannot be written, so nothing must be sent.
        """
        self._require_writable()
        self._batch.references.append((reference, name, key, 1))
        await self._committed()

    def record_reference(self, record: ReferenceRecord) -> None:
        """Queue what became of the record of a reference."""
        self._batch.references.append(queries.reference_values(record))
        self._queued()

    def sample(self, second: int, calls: int, p50: float, p95: float, waits: int, retries: int) -> None:
        """Queue the figures of one second of the job, see :class:`Sample`.

        At most 2,000 intervals are kept; when there are more, all become twice as wide.
        """
        sample = Sample(second, calls, p50, p95, waits, retries)
        self._batch.others.append(functools.partial(queries.add_sample, sample=sample))
        self._queued()

    async def start_run(self, **details: Any) -> int:
        """Note that this process works on the job, with version, host, pid, user and ``details``.

        Returns:
            The number of the run, from 1.
        """
        from wosdk_async import __version__

        known = {"version": __version__, "host": socket.gethostname(), "pid": os.getpid(), "user": _user()}
        self._require_writable()
        number: list[int] = []
        started, text = self._clock(), orjson.dumps(known | details, default=str).decode()
        self._batch.others.append(lambda db: number.append(queries.insert_run(db, started, text)))
        await self._committed()
        self._run = number[-1]
        return self._run

    async def end_run(self, exit_status: int, **details: Any) -> None:
        """Note how the run ended that :meth:`start_run` began, with further ``details``."""
        run, ended, text = self._run, self._clock(), orjson.dumps(details, default=str).decode()
        self._batch.others.append(lambda db: queries.end_run(db, run, ended, exit_status, text))
        await self._committed()

    async def flush(self) -> None:
        """Wait until everything queued so far is on the disk.

        Raises:
            JournalError: it cannot be written.
        """
        if self._batch or self._busy:
            await self._committed()
        if self.failed is not None:
            raise self.failed

    @property
    def unwritten(self) -> list[RowRecord]:
        """What became of rows and could not be written."""
        return [queries.row_record(values) for values in self._unwritten.rows]

    def _require_writable(self) -> None:
        if self._killed is not None:
            raise self._killed
        if self._lock is None or self._closed:
            raise JournalError(f"{self.path}: {'is closed' if self._closed else _READ_ONLY}")
        if self.failed is not None:
            raise self.failed

    def _queued(self) -> None:
        """See that what was queued is written soon."""
        if self._synchronous:
            with contextlib.suppress(JournalError):
                self._write_now()
        elif self.failed is not None:
            self._keep_unwritten(self._take_batch())
        elif self._timer is None and not self._busy:
            self._timer = asyncio.get_running_loop().call_later(_SOON, self._start_commit)

    async def _committed(self) -> None:
        if self._synchronous:
            self._write_now()
            return
        waiting = asyncio.get_running_loop().create_future()
        self._batch.waiting.append(waiting)
        self._start_commit()
        await waiting

    def _start_commit(self) -> None:
        self._cancel_timer()
        if not self._busy:
            batch = self._take_batch()
            self._busy = True
            written = self._in_thread(functools.partial(self._write, batch))
            written.add_done_callback(functools.partial(self._end_commit, batch))

    def _end_commit(self, batch: Batch, written: asyncio.Future[None]) -> None:
        self._busy = False
        error = None if written.cancelled() else written.exception()
        if error is not None:
            self._fail(batch, error)
        for each in batch.waiting:
            if not each.done():
                if error is None:
                    each.set_result(None)
                else:
                    each.set_exception(self.failed or error)
        if self._batch.waiting:
            self._start_commit()
        elif self._batch:
            self._queued()

    def _write_now(self) -> None:
        if self._killed is not None:
            raise self._killed
        if self.failed is not None:
            self._keep_unwritten(self._take_batch())
            raise self.failed
        batch = self._take_batch()
        try:
            self._write(batch)
        except BaseException as error:
            self._fail(batch, error)
            raise (self.failed or error) from None

    def _write(self, batch: Batch) -> None:
        if self._killed is not None:
            raise self._killed
        stamp = max(self._stamp + 1, int(self._clock() * 1000))
        with explained(self.path):
            self._commit(functools.partial(write_batch, self._db, batch, stamp))
        self._stamp = stamp
        if self._lock is not None:
            self._lock.write_stamp(stamp)

    def _fail(self, batch: Batch, error: BaseException) -> None:
        if isinstance(error, JournalError):
            self.failed = self.failed or error
        else:
            self._killed = error
        self._keep_unwritten(batch)

    def _keep_unwritten(self, batch: Batch) -> None:
        """Keep outcomes for another try; what was only about to be sent was not sent."""
        kept = self._unwritten
        kept.rows += [values for values in batch.rows if len(values) > 2]
        kept.references += [values for values in batch.references if len(values) > 4]
        kept.others += batch.others

    def _take_batch(self) -> Batch:
        batch, self._batch = self._batch, Batch()
        return batch

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    # --- read ---------------------------------------------------------------------------------

    def counts(self) -> dict[State, int]:
        """Return how many rows have each state on the disk.

        It reads the whole table, a fifth of a second for a million rows.
        """
        with explained(self.path):
            if self._synchronous:
                return queries.counts(self._db)
            with contextlib.closing(connect(self.folder, read_only=True)) as db:
                return queries.counts(db)

    async def page(self, first: int, last: int) -> list[PageRow]:
        """Return row, state, digest and key of the rows ``first`` to ``last``, as committed."""
        return await self._read(functools.partial(queries.page, first=first, last=last))

    async def rows_in(self, *states: State, after: int = 0, limit: int = 1000) -> list[StoredRow]:
        """Return the first rows behind row ``after`` that have one of the states; without states, any."""
        await self._flush_before_reading()
        return await self._read(functools.partial(queries.rows_in, states=states, after=after, limit=limit))

    async def rows_with(self, keys: Sequence[str]) -> dict[str, StoredRow]:
        """Return the rows that have these keys."""
        await self._flush_before_reading()
        return await self._read(functools.partial(queries.rows_with, keys=keys))

    async def references(self) -> list[ReferenceRecord]:
        """Return the records of references that the job began to create."""
        await self._flush_before_reading()
        return await self._read(queries.references)

    async def runs(self) -> list[JobRun]:
        """Return the processes that worked on the job, in their order."""
        await self._flush_before_reading()
        return await self._read(queries.runs)

    async def samples(self) -> list[Sample]:
        """Return the figures of the job over time."""
        await self._flush_before_reading()
        return await self._read(queries.samples)

    async def _flush_before_reading(self) -> None:
        with contextlib.suppress(JournalError):  # what is on the disk can be read
            await self.flush()

    async def _read(self, function: Callable[[sqlite3.Connection], T]) -> T:
        if self._killed is not None:
            raise self._killed
        if self._closed:
            raise JournalError(f"{self.path}: is closed")
        with explained(self.path):
            return await self._in_thread(functools.partial(function, self._db))

    def _in_thread(self, function: Callable[[], T]) -> asyncio.Future[T]:
        if self._synchronous:
            future: asyncio.Future[T] = asyncio.get_running_loop().create_future()
            future.set_result(function())
            return future
        if self._thread is None:
            self._thread = JobThread(f"journal of {self.plan.job}")
        return self._thread.run(function)


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError, ImportError):  # a container without a name for its user
        return ""
