"""Records of ranges of ids, read by several calls at once and appended to range files."""

from __future__ import annotations

import asyncio
import contextlib
import functools
from collections.abc import Callable, Iterable
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar

import attrs

from wosdk_async.company import Company
from wosdk_async.jobs.exports.errors import writing_output
from wosdk_async.jobs.exports.exported_table import ExportedTable
from wosdk_async.jobs.exports.range_files import IdRange, RangeFileWriter, checked_id
from wosdk_async.query.paging import id_of, prefetch
from wosdk_async.shared_tasks import all_ended, mark_retrieved

__all__ = ["RangeReader", "in_thread", "read_ranges"]

T = TypeVar("T")

_FILE_ROWS = 20_000  # a kill loses at most so many of each range


@attrs.frozen
class RangeReader:
    """Reader of ranges into the range files of a work folder.

    A thread writes, so that the event loop does not wait for the disk. Batches are made on the loop, right
    after their page was decoded: a thread that shares the interpreter with the loop made both slower.
    """

    folder: Path
    table: ExportedTable
    company: Company
    rows_before: int
    """Rows that earlier runs have read."""
    on_rows: Callable[[int], None]
    """Called with the number of rows of each page that is in a file."""
    thread: ThreadPoolExecutor

    async def read(self, ids: IdRange) -> None:
        """Read a range; when that fails or is cancelled, keep what was read."""
        file, counted = self._begin(ids.above), 0
        cursor = self.table.cursor(self.company, ids, rows_before=self.rows_before)
        try:
            async with aclosing(prefetch([cursor])) as pages:
                async for page in pages:
                    if file.rows >= _FILE_ROWS and ids.until is not None:
                        await self._run(file.finish, file.last)
                        file, counted = self._begin(file.last), 0
                    batch = self.table.builder.batch(page)
                    # Without an end records are read by offset: their ids, of any type, say nothing.
                    last = None if ids.until is None else checked_id(id_of(page[-1]))
                    await self._run(file.write, batch, last)
                    counted = self._count(file, counted)
            await self._run(file.finish, ids.until)
        except BaseException:
            try:
                await self._run(self._keep, file, ids)
            finally:
                if file.finished:  # its last page may be one that was written after a cancellation
                    self._count(file, counted)
            raise

    def _count(self, file: RangeFileWriter, counted: int) -> int:
        if file.rows > counted:
            self.on_rows(file.rows - counted)
        return file.rows

    def _begin(self, above: int | None) -> RangeFileWriter:
        return RangeFileWriter(self.folder, self.table.form.schema, above)

    def _keep(self, file: RangeFileWriter, ids: IdRange) -> None:
        """Finish a file that holds rows; a range without an end cannot resume, so nothing of it is kept."""
        with contextlib.suppress(OSError):  # a full disk: the error that ended the range says more
            if file.rows and ids.until is not None and not (file.finished or file.torn):
                file.finish(file.last)
        if not file.finished:  # also by a call whose caller was cancelled meanwhile
            file.discard()

    async def _run(self, function: Callable[..., T], *args: Any) -> T:
        return await in_thread(self.folder, functools.partial(function, *args), thread=self.thread)


async def read_ranges(reader: RangeReader, ranges: Iterable[IdRange], parallel: int) -> None:
    """Read all ranges, ``parallel`` at once. When one fails, cancel the others and raise its error."""
    left = iter(ranges)

    async def work() -> None:
        for ids in left:
            await reader.read(ids)

    workers = [asyncio.ensure_future(work()) for _ in range(parallel)]
    try:
        await asyncio.wait(workers, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for worker in workers:
            worker.cancel()
            worker.add_done_callback(mark_retrieved)
        await all_ended(workers)
    for worker in sorted(workers, key=asyncio.Task.cancelled):  # errors say more than cancellations
        worker.result()


async def in_thread(
    path: Path,
    function: Callable[[], T],
    *,
    thread: Executor | None = None,
    on_cancel: Callable[[], None] = lambda: None,
) -> T:
    """Return the result of a function that writes files, as :func:`writing_output` does.

    A caller that is cancelled waits until the function has ended: it works on what the caller would close.
    ``on_cancel`` may end it sooner.
    """
    # Not a task: a loop that is closed cancels its tasks, and the function would still run.
    writing = asyncio.get_running_loop().run_in_executor(thread, function)
    with writing_output(path):
        try:
            await all_ended([writing], on_cancel)
        except asyncio.CancelledError:
            mark_retrieved(writing)  # the cancellation says more
            raise
        return writing.result()
