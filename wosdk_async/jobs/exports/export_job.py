"""Base of exports: the Company that is read, progress callbacks, and work in threads and at once."""

from __future__ import annotations

import abc
import asyncio
import time
from collections.abc import Callable, Coroutine, Generator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeVar

from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.exports.errors import ExportError, writing_output
from wosdk_async.jobs.exports.exported_table import ExportedTable
from wosdk_async.jobs.exports.plan import ExportOptions, ExportSummary
from wosdk_async.shared_tasks import all_ended, mark_retrieved

__all__ = ["ExportJob", "OnRows", "OnStage", "all_at_once", "in_thread", "require_parent"]

T = TypeVar("T")

OnRows = Callable[[int], None]
"""Function that is called with the number of rows read."""
OnStage = Callable[[str], None]
"""Function that is called with a text that says what is being done."""


def require_parent(path: Path) -> None:
    """Raise ExportError when the directory of an output does not exist."""
    if not path.parent.is_dir():
        raise ExportError(f"{path}: there is no directory {path.parent}; make it first")


class ExportJob(abc.ABC):
    """Base of exports; ``place`` is the folder in which it works, for messages."""

    options: ExportOptions

    def __init__(
        self,
        table: ExportedTable,
        company: Company | None,
        place: Path,
        on_progress: OnRows,
        on_stage: OnStage,
    ) -> None:
        self._table, self._company_given, self._place = table, company, place
        self.format = table.form.format
        self._on_progress, self._on_stage = on_progress, on_stage
        self._rows_read = 0

    def __await__(self) -> Generator[Any, None, ExportSummary]:
        return self.run().__await__()

    @property
    def rows(self) -> int:
        """Rows that were read, by earlier runs too where the export resumes."""
        return self._rows_read

    def watch(self, on_progress: OnRows, on_stage: OnStage) -> None:
        """Replace the functions that are called meanwhile."""
        self._on_progress, self._on_stage = on_progress, on_stage

    @property
    @abc.abstractmethod
    def is_kept(self) -> bool:
        """Whether something that was read is kept, so that the same export resumes."""

    @abc.abstractmethod
    async def run(self, company: Company | None = None) -> ExportSummary:
        """Read the rows, and write them."""

    def _required(self, company: Company | None) -> Company:
        if (found := company or self._company_given) is None:
            raise InvalidCallError(
                "the export has no Company; write export.run(company) or "
                f"{type(self).__name__}(..., company=...)"
            )
        return found

    def _count(self, rows: int) -> None:
        """Count rows that were read, and tell the caller."""
        if rows:
            self._rows_read += rows
            self._on_progress(self._rows_read)

    def _summary(self, started: float, **counts: Any) -> ExportSummary:
        return ExportSummary(
            format=self.format,
            columns=len(self._table.columns),
            seconds=time.monotonic() - started,
            guarded=self._table.form.guard.texts,
            **counts,
        )

    async def _in_thread(self, function: Callable[[], T]) -> T:
        return await in_thread(self._place, function)


async def all_at_once(work: Callable[[], Coroutine[Any, Any, None]], parallel: int) -> None:
    """Do some work ``parallel`` times at once. When one fails, cancel the others and raise its error."""
    workers = [asyncio.create_task(work()) for _ in range(parallel)]
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
