"""The import: one operation per row of a file, each executed once."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import gc
import sys
from collections.abc import Callable, Generator
from typing import Any

import anyio
import attrs

from wosdk_async.company import Company, sender_of
from wosdk_async.errors import InvalidCallError, WosdkError
from wosdk_async.jobs.cluster.messages import WorkerPool, require_pool
from wosdk_async.jobs.errors import JournalError, OutputError
from wosdk_async.jobs.imports.inputs import require_opened
from wosdk_async.jobs.imports.opening import OpenedJob, open_job
from wosdk_async.jobs.imports.work import JobWork
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.journal.entries import MAX_REASON, RUN_REFUSED
from wosdk_async.jobs.ledger.file_rows import FileRows
from wosdk_async.jobs.ledger.outcomes import RowOutcome, Summary
from wosdk_async.jobs.ledger.overview import end_details
from wosdk_async.jobs.ledger.request import PYTHON_WORDS, ImportRequest, ReportWords, company_identity
from wosdk_async.jobs.ledger.undone import keep_undone
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.report.outputs import outputs_are_current, write_outputs
from wosdk_async.jobs.sources.converted import off_the_loop
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.table_rules import require_table
from wosdk_async.jobs.stop import Stop
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.text.safe_text import shortened

WORKERS_GRACE = 2.0  # seconds that workers' calls may take after a stop; the import then ends within 6 s


class Import:
    """A single-use import.

    ::

        source, import_map = open_source("requests.csv"), ImportMap.load("map.toml")
        summary = await Import(source, import_map, company=company, on_row=print)

    Args:
        source: the file.
        import_map: the import map.
        company: the Company for ``await job``; can be passed to :meth:`run` instead.
        on_row: called with each row's outcome, in order of completion.
        on_stage: called with a message at each stage.
        workers: the workers that send the rows, such as ``Processes(4)``; by default this process
            (``docs/cluster.md``).
        report_words: remedies and command lines in ``report.html``; by default the wording for programs.
        options: the import options; extra keywords override individual options.

    Raises:
        ImportMapError: the map does not fit the file.
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
        """The exit status to record for an incomplete run; set it when stopping on a signal."""
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
        """Read the file if it has not been read yet. :meth:`open` calls this method in a thread.

        Raises:
            ImportMapError: the file cannot be read; nothing was sent.
        """
        if self._rows is None:
            self._rows = self._request.read()
        return self._rows

    @property
    def rows(self) -> int:
        """The number of non-empty rows in the file; 0 until the file is read."""
        return self._rows.rows if self._rows is not None else 0

    @property
    def warnings(self) -> list[str]:
        """Warnings that affect more than one row."""
        return self._rows.warnings if self._rows is not None else []

    @property
    def workers_now(self) -> int | None:
        """The number of connected workers; None without workers or before the run."""
        workers = self._work.reports.workers if self._work is not None else None
        return len(workers.allocator.workers) if workers is not None else None

    def stop(self) -> None:
        """Stop starting rows, and end waits and look-ups. A second call aborts calls in flight.

        Rows of aborted calls are in doubt. With workers, calls in flight are aborted after two seconds.
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
        """Read the file and plan its rows; send nothing.

        Args:
            company: the Company to import into.
            identity: the Company's identifier; by default its name, id and region.
            journals: the journal class; for tests.

        Raises:
            ImportMapError: the file cannot be read.
            ImportRefusedError: rows could be sent twice.
            JournalError: another process has locked the ledger, or the ledger is unusable.
            WosdkError: the session cannot be opened.
        """
        if self._job is None:
            if (target := company or self._company_given) is None:
                raise InvalidCallError(
                    "the import has no Company; call job.run(company) or Import(..., company=...)"
                )
            rows = await off_the_loop(self.read)
            self._company = target
            try:
                await self._company.connect()
                self._job = await open_job(
                    self._request, rows, identity or company_identity(target), journals=journals
                )
            except BaseException:
                rows.close()
                self._rows = None
                raise
            await keep_undone(self._job.journal)
        return self._job

    async def run(
        self,
        company: Company | None = None,
        *,
        on_row: Callable[[RowOutcome], None] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> Summary:
        """Create missing references, and send the rows that are not done.

        Arguments override those of the constructor.

        Returns:
            The file's row counts over all runs.

        Raises:
            ImportMapError: a record required by all rows does not exist, or the file has changed.
            ImportRefusedError: rows could be sent twice, for example because another job has started since
                :meth:`open`.
            JournalError: the journal is unusable.
            WosdkError: the session cannot be opened, or a reference look-up failed. If any of these errors is
                raised, this run has created nothing.
        """
        self._loop = asyncio.get_running_loop()
        job = await self.open(company)
        request = attrs.evolve(
            self._request, on_row=on_row or self._request.on_row, on_stage=on_stage or self._request.on_stage
        )
        try:
            await job.compare_again()
            work = self._work = JobWork(attrs.evolve(job, request=request), self._company, self._stop)
        except BaseException:  # for example, if workers do not support an option
            await self.close()
            raise
        summary = failure = None
        ran = not job.is_idle
        try:
            try:
                if ran:
                    await job.journal.start_run(**request.details(self._company))
                    await job.admit()
                    with sender_of(self._company).redaction:
                        await work.carry_out()
                else:
                    await work.reports.report_refused()
            except asyncio.CancelledError:
                with anyio.CancelScope(shield=True):
                    await work.reports.report_not_started()
                raise
            await work.reports.report_not_started()
            summary = await work.reports.summary()
            return summary
        except BaseException as error:
            failure = error
            raise
        finally:
            with anyio.CancelScope(shield=True):
                await _end_run(
                    job, work, ran=ran, summary=summary, error=failure, stopped_status=self.exit_status
                )

    async def close(self) -> None:
        """Close the job's journal, and remove a ledger without runs. Not needed after :meth:`run`."""
        if self._rows is not None:
            self._rows.close()
        if self._job is not None:
            await _close_job(self._job, refused=not self._job.journal.run)


_SWITCH = 0.0005  # seconds before another thread may take the GIL; Python's default is 0.005
_YOUNG = 10_000  # allocations between young collections; Python's default is 700
_OLDER = 50  # young collections before an older generation is collected; Python's default is 10


@functools.cache
def tune_process() -> None:
    """Collect garbage less often and switch threads sooner, to save a quarter of a long job's CPU time.

    Call once, after loading all modules, in a dedicated process: the settings are process-wide.
    """
    # The journal thread needs the GIL once per commit. While the event loop is busy, the thread has to wait
    # for the switch interval.
    sys.setswitchinterval(min(sys.getswitchinterval(), _SWITCH))
    gc.freeze()  # modules imported so far are never garbage, so collections need not examine them
    young, older, oldest = gc.get_threshold()
    if young:  # 0 would mean that the program has disabled garbage collection
        gc.set_threshold(max(young, _YOUNG), max(older, _OLDER), max(oldest, _OLDER))


# --- end of a run ---------------------------------------------------------------------------------

_UNUSABLE = 2  # exit status: invalid file or setting
_UNWRITTEN = 8  # exit status: the rows are done, but job files could not be written


async def _end_run(
    job: OpenedJob,
    work: JobWork,
    *,
    ran: bool,
    summary: Summary | None,
    error: BaseException | None,
    stopped_status: int,
) -> None:
    """Record the end of a run, write the job's files unless they are up to date, and close the job.

    If the import was refused before anything was sent, a new ledger is removed instead of closed. ``summary``
    is None after an error; otherwise, it gets the written files or the write error.
    """
    journal = job.journal
    refused = isinstance(error, WosdkError) and not work.sending
    try:
        if refused and await _sent_nothing(job):
            return
        if summary is not None:
            summary.missing = journal.missing
        status = _status(summary, error, stopped_status)
        if ran:
            await _write_end(journal, work, status, error, refused=refused)
        # If the journal lacks outcomes, the next run writes the files.
        if journal.failed is None and job.folder.is_dir() and (ran or not await outputs_are_current(journal)):
            files = await write_outputs(
                journal,
                job.request.source,
                csv_for_excel=job.request.options.csv_for_excel,
                words=job.request.report_words,
            )
            if summary is not None:
                summary.files = files
    except (OutputError, JournalError) as output_error:
        if summary is not None:
            summary.files_failed = output_error
            if isinstance(output_error, OutputError) and ran and summary.all_ended:
                await _write_end(journal, work, _UNWRITTEN, output_error)
    finally:
        await _close_job(job, refused=refused)


def _error_details(error: BaseException) -> dict[str, Any]:
    # Messages of third-party errors are omitted, because they may contain a token.
    if isinstance(error, WosdkError):
        return {"error": shortened(error.message, MAX_REASON), "error_details": end_details(error)}
    why = f": {error.strerror}" if isinstance(error, OSError) and error.strerror else ""
    return {"error": shortened(f"{type(error).__name__}{why}", MAX_REASON)}


def _status(summary: Summary | None, error: BaseException | None, stopped: int) -> int:
    if isinstance(error, WosdkError):
        return int(ending_of(error).exit_status)
    if error is None or isinstance(error, asyncio.CancelledError | KeyboardInterrupt):
        return 0 if summary is not None and summary.complete else stopped
    return _UNUSABLE if isinstance(error, OSError) else 1


async def _write_end(
    journal: Journal, work: JobWork, status: int, error: BaseException | None, *, refused: bool = False
) -> None:
    more: dict[str, Any] = {}
    if error is not None and not isinstance(error, asyncio.CancelledError):
        more |= _error_details(error)
    if refused:
        more[RUN_REFUSED] = True
    with contextlib.suppress(JournalError):  # the summary says why the journal failed
        if (stopped := work.stop.reason) is not None:
            more |= {"stopped": stopped.message, "stopped_details": end_details(stopped)}
        await journal.end_run(status, **more)


async def _close_job(job: OpenedJob, *, refused: bool) -> None:
    """Close a job's journal; remove a new journal if the import was ``refused`` before anything was sent."""
    job.rows.close()
    if job.journal.is_closed:
        return
    try:
        with contextlib.suppress(JournalError):
            if refused and await _sent_nothing(job):
                job.journal.discard()
    finally:
        await job.journal.close()


async def _sent_nothing(job: OpenedJob) -> bool:
    """Return whether a job is new and has sent neither rows nor references."""
    journal = job.journal
    if not job.new or journal.failed is not None:
        return False
    if await journal.rows_in(State.SENDING, State.IN_DOUBT, State.DONE, State.FOUND, limit=1):
        return False
    return not await journal.references() and not await journal.last_epoch()
