"""The import: one operation for each row of a file, carried out once."""

from __future__ import annotations

import asyncio
import functools
import gc
import sys
from collections.abc import Callable, Generator
from typing import Any

import anyio
import attrs

from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.cluster.messages import WorkerPool, require_pool
from wosdk_async.jobs.imports.inputs import require_opened
from wosdk_async.jobs.imports.opening import OpenedJob, open_job
from wosdk_async.jobs.imports.run_ending import close_job, end_run
from wosdk_async.jobs.imports.work import JobWork
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.outcomes import RowOutcome, Summary
from wosdk_async.jobs.ledger.request import PYTHON_WORDS, ImportRequest, ReportWords, company_identity
from wosdk_async.jobs.ledger.undone import keep_undone
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.sources.columns import require_columns
from wosdk_async.jobs.sources.conversion import off_the_loop
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.table_rules import require_table
from wosdk_async.jobs.stop import Stop

__all__ = ["WORKERS_GRACE", "Import", "tune_process"]

WORKERS_GRACE = 2.0  # seconds that calls of workers get after a stop, so that all ends within six


class Import:
    """One import, to be run once.

    ::

        source, import_map = open_source("requests.csv"), ImportMap.load("map.toml")
        summary = await Import(source, import_map, company=company, on_row=print)

    Args:
        source: the file.
        import_map: which column fills which field.
        company: the Company for ``await job``; :meth:`run` takes it, too.
        on_row: called with the outcome of every row, in the order in which the rows end.
        on_stage: called with a text for each stage.
        workers: the workers that send the rows, such as ``Processes(4)``; by default this process
            (``docs/cluster.md``).
        report_words: remedies and command lines in ``report.html``; by default those for programs.
        options: how the import is carried out; further keywords change single options.

    Raises:
        ImportMapError: file and map do not fit.
    """

    def __init__(
        self,
        source: Source,
        import_map: ImportMap,
        *,
        company: Company | None = None,
        on_row: Callable[[RowOutcome], None] = lambda _: None,
        on_stage: Callable[[str], None] = lambda _: None,
        workers: WorkerPool | None = None,
        report_words: ReportWords = PYTHON_WORDS,
        options: ImportOptions | None = None,
        **changes: Any,
    ) -> None:
        require_opened(source, import_map)
        require_pool(workers)
        require_table(source, import_map.rules, import_map.columns)
        require_columns(source, import_map.columns)
        self.options = attrs.evolve(options or ImportOptions(), **changes)
        self._request = ImportRequest(
            source=source,
            import_map=import_map,
            options=self.options,
            workers=workers,
            on_row=on_row,
            on_stage=on_stage,
            report_words=report_words,
        ).with_rules()
        self._company_given = company
        self.exit_status = 1
        """The exit status in the journal for a run with remaining rows; a program stopped by a signal sets
        its own."""
        self._stop = Stop()
        self._work: JobWork | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._rows: FileRows | None = None
        self._job: OpenedJob | None = None

    def __repr__(self) -> str:
        return f"<Import {self._request.source.path.name}>"

    def __await__(self) -> Generator[Any, None, Summary]:
        return self.run().__await__()

    @property
    def operation(self) -> RowOperation:
        """The operation on each row."""
        return self._request.action

    def read(self) -> FileRows:
        """Read the file, once; :meth:`open` does it in a thread unless it was done before.

        Raises:
            ImportMapError: the file cannot be read; nothing was sent.
        """
        if self._rows is None:
            self._rows = self._request.read()
        return self._rows

    @property
    def rows(self) -> int:
        """The number of rows in the file, without the empty ones, once it was read."""
        return self._rows.rows if self._rows is not None else 0

    @property
    def warnings(self) -> list[str]:
        """Warnings about the file that concern more than one row."""
        return self._rows.warnings if self._rows is not None else []

    @property
    def workers_now(self) -> int | None:
        """The number of connected workers; None if this process sends the rows."""
        return self._work.workers_now if self._work is not None else None

    def stop(self) -> None:
        """Start no further row, and end waits and look-ups. Called again, abort the calls in flight.

        Their rows are in doubt. With workers, calls in flight are aborted after two seconds.
        """
        self._stop.ask()
        if self._stop.requests == 1 and self._request.workers is not None and self._loop is not None:
            self._loop.call_later(WORKERS_GRACE, self._stop.ask)

    async def open(
        self,
        company: Company | None = None,
        *,
        identity: str | None = None,
        journals: type[Journal] = Journal,
    ) -> OpenedJob:
        """Read the file and decide what to do with its rows; send nothing.

        Args:
            company: the Company of the records.
            identity: text that identifies the Company; None means its name, its id and its region.
            journals: the class that creates and opens the journal; for tests.

        Raises:
            ImportMapError: the file cannot be read.
            ImportRefusedError: rows could be sent twice; it has the code, the facts and the remedies.
            JournalError: another process works on the ledger, or it cannot be used.
        """
        if self._job is None:
            if (found := company or self._company_given) is None:
                raise InvalidCallError(
                    "the import has no Company; write job.run(company) or Import(..., company=...)"
                )
            rows = await off_the_loop(self.read)
            self._company = found
            try:
                await self._company.connect()
                self._job = await open_job(
                    self._request, rows, identity or company_identity(found), journals=journals
                )
            except BaseException:
                rows.close()
                self._rows = None
                raise
            await keep_undone(self._job.journal, self._request.base)
        return self._job

    async def run(
        self,
        company: Company | None = None,
        *,
        on_row: Callable[[RowOutcome], None] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> Summary:
        """Create missing records that rows refer to, and send the rows that are not done.

        Args:
            company: the Company of the records.
            on_row: as for the constructor.
            on_stage: as for the constructor.

        Returns:
            The counts of the file's rows, all runs together.

        Raises:
            ImportMapError: a record that all rows need does not exist, or the file has changed.
            ImportRefusedError: rows could be sent twice.
            JournalError: the journal cannot be used.
            WosdkError: the lookup of the references failed. In all cases this run created nothing.
        """
        self._loop = asyncio.get_running_loop()
        job = await self.open(company)
        request = attrs.evolve(
            self._request, on_row=on_row or self._request.on_row, on_stage=on_stage or self._request.on_stage
        )
        try:
            work = self._work = JobWork(attrs.evolve(job, request=request), self._company, self._stop)
        except BaseException:  # options that workers cannot have
            await self.close()
            raise
        summary = failure = None
        ran = not job.is_idle
        try:
            try:
                if ran:
                    await job.journal.start_run(**request.details(self._company))
                    await job.admit()
                    await work.carry_out()
            except asyncio.CancelledError:
                with anyio.CancelScope(shield=True):
                    await work.totals.report_not_started()
                raise
            await work.totals.report_not_started()
            summary = await work.totals.summary()
            return summary
        except BaseException as error:
            failure = error
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await end_run(
                    job, work, ran=ran, summary=summary, error=failure, stopped_status=self.exit_status
                )

    async def close(self) -> None:
        """Close the journal of the job if it is open; :meth:`run` does it itself.

        A new ledger without a run is removed.
        """
        if self._rows is not None:
            self._rows.close()
        if self._job is not None:
            await close_job(self._job, refused=not self._job.journal.run)


_SWITCH = 0.0005  # seconds; Python's own are 5 ms
_YOUNG = 10_000  # objects before the collector looks at the young ones; Python's own are 700
_OLDER = 50  # collections before it looks at the older ones, too; Python's own are 10


@functools.cache
def tune_process() -> None:
    """Save about a quarter of the CPU time of long jobs: collect garbage less often, switch threads faster.

    Call it once, after all imports, in a process that does little else: the settings are those of the whole
    process.
    """
    # The journal's thread asks for the interpreter's lock once for each commit. Beside a busy event loop it
    # gets the lock only when the switch interval has passed.
    sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH))
    gc.freeze()  # modules imported so far are never garbage
    young, older, oldest = gc.get_threshold()
    if young:  # 0: the program has switched the collector off
        gc.set_threshold(max(young, _YOUNG), max(older, _OLDER), max(oldest, _OLDER))
