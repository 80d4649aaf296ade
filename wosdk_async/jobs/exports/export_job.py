"""Base class of exports: Company, progress callbacks, threads and concurrency."""

from __future__ import annotations

import abc
import asyncio
import time
from collections.abc import Callable, Generator
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeVar

from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.exports.errors import ExportError, writing_output
from wosdk_async.jobs.exports.exported_table import ExportedTable
from wosdk_async.jobs.exports.plan import ExportOptions, ExportSummary
from wosdk_async.shared_tasks import completed

T = TypeVar("T")

OnRows = Callable[[int], None]
"""Callback for the number of rows read."""
OnStage = Callable[[str], None]
"""Callback for a description of the current step."""


def require_parent(path: Path) -> None:
    """Raise ExportError if the output directory does not exist."""
    if not path.parent.is_dir():
        raise ExportError(f"{path}: directory {path.parent} does not exist; create it first")


class ExportJob(abc.ABC):
    """Base class of exports; ``folder`` is where an export writes its files."""

    options: ExportOptions

    def __init__(
        self,
        table: ExportedTable,
        company: Company | None,
        folder: Path,
        on_progress: OnRows,
        on_stage: OnStage,
    ) -> None:
        self._table, self._default_company, self._folder = table, company, folder
        self.format = table.form.format
        self._on_progress, self._on_stage = on_progress, on_stage
        self._rows_read = 0

    def __await__(self) -> Generator[Any, None, ExportSummary]:
        return self.run().__await__()

    @property
    def rows(self) -> int:
        """Number of rows read, including those of earlier runs."""
        return self._rows_read

    def watch(self, on_progress: OnRows, on_stage: OnStage) -> None:
        """Replace the callbacks."""
        self._on_progress, self._on_stage = on_progress, on_stage

    @property
    def is_kept(self) -> bool:
        """Whether the rows read so far are stored, so that the same export can resume."""
        return False

    @abc.abstractmethod
    async def run(self, company: Company | None = None) -> ExportSummary:
        """Read and write the rows."""

    def _required(self, company: Company | None) -> Company:
        if (found := company or self._default_company) is None:
            raise InvalidCallError(
                "the export has no Company; write export.run(company) or "
                f"{type(self).__name__}(..., company=...)"
            )
        return found

    def _count(self, rows: int) -> None:
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

    async def _in_thread(
        self,
        function: Callable[..., T],
        *args: Any,
        thread: Executor | None = None,
        on_cancel: Callable[[], None] = lambda: None,
    ) -> T:
        """Run a function that writes files, converting errors as :func:`writing_output` does.

        A cancelled caller waits until the function has ended, because the function uses objects that the
        caller would close; ``on_cancel`` may end the function sooner.
        """
        # Not a task: a closing loop would cancel the task, while the function would continue in its thread.
        writing = asyncio.get_running_loop().run_in_executor(thread, function, *args)
        with writing_output(self._folder):
            return await completed(writing, on_cancel)
