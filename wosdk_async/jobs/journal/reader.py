"""Journal reader, and the thread that owns its connection."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import sqlite3
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from queue import SimpleQueue
from typing import Any, Concatenate, ParamSpec, TypeVar

from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import row_table, run_table, worker_tables
from wosdk_async.jobs.journal.entries import StoredRow
from wosdk_async.jobs.journal.store import JOURNAL, connect, explained, read_plan
from wosdk_async.protocol.writes import State

P = ParamSpec("P")
T = TypeVar("T")


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
    """Run a function; return a callable that sets its result or exception on the future."""
    try:
        return functools.partial(future.set_result, function())
    except BaseException as error:
        return functools.partial(future.set_exception, error)


def _reads(
    statement: Callable[Concatenate[sqlite3.Connection, P], T], *, committed: bool = False
) -> Callable[Concatenate[JournalReader, P], Coroutine[Any, Any, T]]:
    """Turn an SQL function into a reader method; with ``committed``, the method ignores queued changes."""

    @functools.wraps(statement)
    async def read(self: JournalReader, /, *args: P.args, **named: P.kwargs) -> T:
        return await self.read(lambda db: statement(db, *args, **named), committed=committed)

    return read


class JournalReader:
    """Journal that can be read even while another process is working on the job."""

    def __init__(self, folder: Path, db: sqlite3.Connection, *, synchronous: bool) -> None:
        self.folder = folder
        self.path = folder / JOURNAL
        self.plan = read_plan(db, self.path)
        self._db = db
        self._thread = JobThread(f"journal of {self.plan.job}", synchronous=synchronous)
        self.is_closed = False

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
            return await self._thread.run(functools.partial(function, self._db))

    async def pages(
        self, *states: State, size: int = 1000, run: int | None = None
    ) -> AsyncIterator[list[StoredRow]]:
        """Yield pages of ``size`` rows in order, in the given states and ``run`` (default: any)."""
        after = 0
        while page := await self.rows_in(*states, after=after, limit=size, run=run):
            yield page
            after = page[-1].row

    async def file_pages(self, *states: State, size: int = 1000) -> AsyncIterator[list[StoredRow]]:
        """Yield pages of ``size`` rows in file order, in the given states."""
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
    undo_counts_of_file = _reads(run_table.undo_counts_of_file)
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

    async def _flush_before_reading(self) -> None:
        """Write queued changes; a reader has none."""

    def _require_open(self) -> None:
        if self.is_closed:
            raise JournalError(f"{self.path}: the journal is closed")
