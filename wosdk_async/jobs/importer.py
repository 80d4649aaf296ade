"""The import: what a map says is done with each row of a file, once."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Generator
from typing import Any

import anyio
import attrs

from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.cluster.messages import WorkerPool, require_pool
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.given_import import job_base
from wosdk_async.jobs.inputs import require_opened
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.marking import RowKeys, no_marker_for_workers
from wosdk_async.jobs.opening import OpenedJob, company_identity, open_job
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.jobs.replaced_fields import ReplacedFields
from wosdk_async.jobs.row_operation import RowOperation
from wosdk_async.jobs.rows import RowOutcome, Summary
from wosdk_async.jobs.run_ending import close_job, end_run
from wosdk_async.jobs.run_records import details_of
from wosdk_async.jobs.sources.source import Source, require_columns
from wosdk_async.jobs.stop import Stop
from wosdk_async.jobs.undone_keys import keep_undone
from wosdk_async.jobs.work import JobWork

__all__ = ["WORKERS_GRACE", "Import"]

WORKERS_GRACE = 2.0  # seconds that calls of workers get after a stop, so that all ends within six


class Import:
    """One import, to be run once.

    ::

        source, import_map = open_source("requests.csv"), ImportMap.load("map.toml")
        summary = await Import(source, import_map, company=company, on_row=print)

    The constructor reads the file once, to count the rows and to collect the names to look up, and raises
    ImportMapError when the file cannot be used: nothing was sent by then.

    Args:
        source: the file.
        import_map: which column fills which field.
        company: the Company for ``await job``; :meth:`run` takes it, too.
        on_row: called with the outcome of every row, in the order in which the rows end.
        on_stage: called with a text that says what is being done.
        workers: where the rows are sent from, such as ``Processes(4)``; None means this process
            (``docs/cluster.md``).
        options: how the import is carried out; further keywords change single options.
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
        options: ImportOptions | None = None,
        **changes: Any,
    ) -> None:
        require_opened(source, import_map)
        require_pool(workers)
        require_columns(source, import_map.columns)
        self.options = attrs.evolve(options or ImportOptions(), **changes)
        self._source = source
        self._map = import_map
        self._company_given = company
        self._callbacks = on_row, on_stage
        self._workers = workers
        self._index = ReferenceIndex(import_map.references)
        self._marker = self.options.marker or import_map.marker or import_map.action.by
        if self._marker:
            self._require_marker(self._marker)
        elif workers is not None:
            raise no_marker_for_workers(import_map)
        if import_map.action.by is not None and self.options.if_exists == "skip":
            raise ImportMapError(
                f'if_exists="skip" is for creates; {import_map.operation!r} needs records that exist'
            )
        self.exit_status = 1
        """What the journal keeps of a run that left rows; a program that a signal stops has its own."""
        self._stop = Stop()
        self._work: JobWork | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._job: OpenedJob | None = None
        self._rows = 0
        replaced = ReplacedFields.of(import_map)
        warned: Counter[str] = Counter()
        for row in source:
            self._rows += 1
            if row.fault is None:
                self._index.collect(row.cells)
                if (warning := replaced.in_row(row.cells)) is not None:
                    warned[warning] += 1
        self.warnings = [f"{rows} row{'s' if rows > 1 else ''}: {text}" for text, rows in warned.items()]
        """What is known before the first row is sent, and concerns more than one row."""
        self._index.warnings += self.warnings
        if not self._rows:
            self._index.warnings.append(f"{source.path}: there are no rows below the header")

    def _require_marker(self, marker: str) -> None:
        """Raise ImportMapError for a marker that no field can carry."""
        try:
            RowKeys.of(self._map, marker, "")
            self._map.action.require_marker(marker)
        except ImportMapError as error:
            if self.options.marker:
                raise
            raise ImportMapError(f"{self._map.path}: {error.message}") from None

    def __repr__(self) -> str:
        return f"<Import {self._source.path.name} rows={self.rows}>"

    def __await__(self) -> Generator[Any, None, Summary]:
        return self.run().__await__()

    @property
    def operation(self) -> RowOperation:
        """What is done with each row."""
        return self._map.action

    @property
    def rows(self) -> int:
        """The number of rows in the file, without the empty ones."""
        return self._rows

    @property
    def workers_now(self) -> int | None:
        """How many workers are reached now; None when the rows are sent from this process."""
        return self._work.workers_now if self._work is not None else None

    def stop(self) -> None:
        """Start no further row, and end waits and look-ups. Called again, abort the calls under way.

        Their rows are in doubt. With workers the calls under way have two seconds, and are aborted then.
        """
        self._stop.ask()
        if self._stop.asked == 1 and self._workers is not None and self._loop is not None:
            self._loop.call_later(WORKERS_GRACE, self._stop.ask)

    async def open(
        self,
        company: Company | None = None,
        *,
        identity: str | None = None,
        journals: type[Journal] = Journal,
    ) -> OpenedJob:
        """Open the job that the import belongs to, a new one or one that was stopped; send nothing.

        Args:
            company: the Company of the records.
            identity: text that identifies the Company; None means its name, its id and its region.
            journals: the class that makes and opens the journal; a test gives one that is killed.

        Raises:
            JournalError: another process carries the job out, or its journal cannot be used.
            ImportMapError: the file has changed since an unfinished job began.
        """
        if self._job is None:
            if (found := company or self._company_given) is None:
                raise InvalidCallError(
                    "the import has no Company; write job.run(company) or Import(..., company=...)"
                )
            self._company = found
            await self._company.connect()
            self._job = await open_job(
                self._source,
                self._map,
                marker=self._marker,
                identity=identity or company_identity(self._company),
                options=self.options,
                journals=journals,
            )
            await keep_undone(self._job.journal, job_base(self._source, self.options))
        return self._job

    async def run(
        self,
        company: Company | None = None,
        *,
        on_row: Callable[[RowOutcome], None] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> Summary:
        """Carry the job out: create what the rows refer to, then do with each row what the map says.

        Rows that an earlier run ended are skipped. Rows in doubt are settled first.

        Args:
            company: the Company of the records.
            on_row: as for the constructor.
            on_stage: as for the constructor.

        Returns:
            The counts of the whole job, all runs together.

        Raises:
            ImportMapError: a record that all rows need does not exist, or the file has changed.
            JournalError: the journal cannot be used.
            WosdkError: the lookup of the references failed. In all cases this run created nothing.
        """
        self._loop = asyncio.get_running_loop()
        job = await self.open(company)
        try:
            work = self._work = JobWork(
                job,
                self._company,
                source=self._source,
                import_map=self._map,
                index=self._index,
                marker=self._marker,
                options=self.options,
                rows=self._rows,
                stop=self._stop,
                workers=self._workers,
                on_row=on_row or self._callbacks[0],
                on_stage=on_stage or self._callbacks[1],
            )
        except BaseException:  # options that workers cannot have
            await self.close()
            raise
        summary = failure = None
        if job.new or not job.finished:
            await job.journal.start_run(**details_of(self.options, self._company, self._workers))
        try:
            try:
                if not job.finished:
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
                    job,
                    work,
                    self._source,
                    self.options,
                    summary=summary,
                    error=failure,
                    stopped_status=self.exit_status,
                )

    async def close(self) -> None:
        """Close the journal of the job, if it is open; :meth:`run` does it itself.

        A new job of which no run began is removed.
        """
        if self._job is not None:
            await close_job(self._job, refused=not self._job.journal.run)
