"""Group commit: the journal's thread writes all changes queued by the event loop in one transaction."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sqlite3
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar

import attrs

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal.entries import RowRecord
from wosdk_async.jobs.journal.lock import FolderLock
from wosdk_async.jobs.journal.row_table import MAX_AT_ONCE, save_rows
from wosdk_async.jobs.journal.store import explained

T = TypeVar("T")

Change = Callable[[sqlite3.Connection], None]
CommitHook = Callable[[Callable[[], None]], None]
"""Function that runs each transaction. In tests, it may also raise before or after the transaction."""

_SOON = 0.02  # seconds until a queued outcome is committed


class Intent(functools.partial[None]):
    """Change to write before sending; if the write fails, nothing is sent."""


@attrs.define
class _Batch:
    rows: list[int | RowRecord] = attrs.field(factory=list)
    """Outcomes of rows, and row numbers of rows to mark as SENDING."""
    others: list[Change] = attrs.field(factory=list)
    waiting: list[asyncio.Future[None]] = attrs.field(factory=list)

    def __bool__(self) -> bool:
        return bool(self.rows or self.others)

    @property
    def outcomes(self) -> list[RowRecord]:
        return [each for each in self.rows if not isinstance(each, int)]

    def add_outcomes(self, batch: _Batch) -> None:
        """Add a batch's changes, except those to be written before sending."""
        self.rows += batch.outcomes
        self.others += [each for each in batch.others if not isinstance(each, Intent)]


def _write_batch(db: sqlite3.Connection, batch: _Batch, stamp: int, run: int) -> None:
    if len(batch.rows) <= MAX_AT_ONCE and not batch.others:
        save_rows(db, batch.rows, stamp, run)  # a single statement is its own transaction
        return
    with db:  # commits, or rolls back after an error
        db.execute("BEGIN IMMEDIATE")
        for start in range(0, len(batch.rows), MAX_AT_ONCE):
            save_rows(db, batch.rows[start : start + MAX_AT_ONCE], stamp, run)
        # Save the stamp here too: changes in `others` copy it, store none, or delete rows with a stamp.
        db.execute("UPDATE change SET stamp = ?", [stamp])
        for each in batch.others:
            each(db)


class JobThread:
    """Thread that runs functions in sequence; if ``synchronous``, they run in the caller's thread instead."""

    def __init__(self, name: str, *, synchronous: bool) -> None:
        self.synchronous = synchronous
        self._name = name
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Run a function in the thread, and return a future of the running event loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self.synchronous:
            _carry_out(function, future)()
            return future

        def task() -> None:
            settle = _carry_out(function, future)
            with contextlib.suppress(RuntimeError):  # raised once the loop is closed
                loop.call_soon_threadsafe(lambda: future.done() or settle())  # `future` may be cancelled

        if self._thread is None:
            # A program that exits without closing the journal must not wait for this thread.
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        self._tasks.put(task)
        return future

    def end(self) -> None:
        """Wait for all functions, and end the thread."""
        if self._thread is not None:
            self._tasks.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()


def _carry_out(function: Callable[[], T], future: asyncio.Future[T]) -> Callable[[], None]:
    """Run a function; return a callable that sets the function's result or exception on the future."""
    try:
        return functools.partial(future.set_result, function())
    except BaseException as error:
        return functools.partial(future.set_exception, error)


@attrs.define(eq=False)
class CommitQueue:
    """Commit queue of a writable journal; used in the event loop except where noted.

    Each commit's stamp is the time in milliseconds, or the last stamp plus one if that is higher. The
    folder's lock stores the last stamp, to detect lost commits.
    """

    _path: Path
    _db: sqlite3.Connection
    _lock: FolderLock
    _thread: JobThread
    _stamp: int = attrs.field(kw_only=True)
    _clock: Callable[[], float] = attrs.field(kw_only=True)
    _commit: CommitHook = attrs.field(kw_only=True)
    error: BaseException | None = attrs.field(default=None, init=False)
    """Error that stopped all writes: a JournalError, or the hook's exception, which simulates a kill."""
    queue: _Batch = attrs.field(factory=_Batch, init=False)
    unwritten: _Batch = attrs.field(factory=_Batch, init=False)
    run: int = attrs.field(default=0, init=False)
    """Number of the current run; 0 before the run starts."""
    _busy: bool = attrs.field(default=False, init=False)
    _timer: asyncio.TimerHandle | None = attrs.field(default=None, init=False)

    def require_usable(self) -> None:
        """Raise the error that stopped all writes, if any."""
        if self.error is not None:
            raise self.error

    async def write(self, *others: Change, rows: Iterable[int | RowRecord] = ()) -> None:
        """Write changes, and wait until they are on disk; raise JournalError if they cannot be written."""
        self.require_usable()
        self.queue.rows += rows
        self.queue.others += others
        await self.write_queued()

    def write_soon(self, *others: Change) -> None:
        """Schedule a commit of queued changes, and of ``others``, within 20 ms."""
        self.queue.others += others
        if self._busy or self._timer is not None:
            return
        if self.error is None and not self._thread.synchronous:
            self._timer = asyncio.get_running_loop().call_later(_SOON, self._start)
            return
        self._start()
        if self._thread.synchronous and not isinstance(self.error, JournalError):
            self.require_usable()  # raises the exception of a simulated kill

    async def write_queued(self) -> None:
        """Wait until queued changes are on disk; raise JournalError if they cannot be written."""
        waiting = asyncio.get_running_loop().create_future()
        self.queue.waiting.append(waiting)
        self._start()
        await waiting

    async def flush(self) -> None:
        """Wait until everything is on disk, including the current commit; raise JournalError on failure."""
        if self.queue or self._busy:
            await self.write_queued()
        self.require_usable()

    def stop(self) -> None:
        """Cancel the scheduled commit."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def retry_unwritten(self) -> None:
        """Retry failed writes. Runs in the journal's thread."""
        if self.unwritten and isinstance(self.error, JournalError | None):
            self._write(self.unwritten)
            self.unwritten = _Batch()

    def _start(self) -> None:
        self.stop()
        if self.error is not None:
            self._refuse(self._take_queue())
        elif not self._busy:
            batch = self._take_queue()
            self._busy = True
            future = self._thread.run(functools.partial(self._write, batch))
            if future.done():
                self._end(batch, future)
            else:
                future.add_done_callback(functools.partial(self._end, batch))

    def _end(self, batch: _Batch, written: asyncio.Future[None]) -> None:
        self._busy = False
        if (error := written.exception()) is not None:
            self.error = error
            self._refuse(batch)
        for each in batch.waiting:
            if not each.done():  # the caller may have cancelled the future
                each.set_result(None)
        if self.queue.waiting:
            self._start()
        elif self.queue:
            self.write_soon()

    def _write(self, batch: _Batch) -> None:
        if not batch:
            return
        # A caller that waits is perhaps about to send, so the lock must still be held. Outcomes are written
        # even if the lock was lost.
        if batch.waiting:
            self._lock.require_in_place()
        stamp = max(self._stamp + 1, int(self._clock() * 1000))
        with explained(self._path):
            self._commit(functools.partial(_write_batch, self._db, batch, stamp, self.run))
        self._stamp = stamp
        self._lock.write_stamp(stamp)

    def _refuse(self, batch: _Batch) -> None:
        """Keep a batch's outcomes for a retry, and fail its futures."""
        self.unwritten.add_outcomes(batch)
        for each in batch.waiting:
            if not each.done():
                each.set_exception(self.error or asyncio.CancelledError())

    def _take_queue(self) -> _Batch:
        batch, self.queue = self.queue, _Batch()
        return batch
