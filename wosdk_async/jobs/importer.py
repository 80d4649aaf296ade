"""The import: what a map says is done with each row of a file, once."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator
from typing import Any

import anyio
import attrs

from wosdk_async.company import Company
from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.errors import ImportMapError, JournalError, OutputError
from wosdk_async.jobs.journal import Journal, State
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.opening import OpenedJob, company_identity, job_base, open_job
from wosdk_async.jobs.operations import RowOperation
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.outputs import outputs_are_current, write_outputs
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.jobs.reference_stage import ReferenceStage
from wosdk_async.jobs.rows import Row, RowOutcome, Summary
from wosdk_async.jobs.sending import RowSender
from wosdk_async.jobs.settling import Settling
from wosdk_async.jobs.sources.source import Source, require_columns
from wosdk_async.jobs.stops import StopRules
from wosdk_async.jobs.undone_keys import keep_undone

__all__ = ["Import"]

_PAGE = 1000  # rows of the journal that are read at a time
_ROUNDS = 3  # times that rows in doubt are settled and sent again, before they are left in doubt


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
        options: ImportOptions | None = None,
        **changes: Any,
    ) -> None:
        require_columns(source, import_map.columns)
        self.options = attrs.evolve(options or ImportOptions(), **changes)
        self._source = source
        self._map = import_map
        self._company_given = company
        self._callbacks = on_row, on_stage
        self._index = ReferenceIndex(import_map.references)
        self._marker = self.options.marker or import_map.marker or import_map.action.by
        if self._marker:
            self._require_marker(self._marker)
        if import_map.action.by is not None and self.options.if_exists == "skip":
            raise ImportMapError(
                f'if_exists="skip" is for creates; {import_map.operation!r} needs records that exist'
            )
        self.exit_status = 1
        """What the journal keeps of a run that left rows; a program that a signal stops has its own."""
        self._stops = 0
        self._stoppable: list[Callable[[], None]] = []
        self._task: asyncio.Task[Any] | None = None
        self._job: OpenedJob | None = None
        self._rows = 0
        for row in source:
            self._rows += 1
            if row.fault is None:
                self._index.collect(row.cells)
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

    def stop(self) -> None:
        """Start no further row. Called again, abort the calls under way: their rows are in doubt."""
        self._stops += 1
        for stop in self._stoppable:
            stop()
        if self._stops == 2 and self._task is not None:
            self._task.cancel()

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
            identity: text that tells the Company from others; None means its name, its id and its region.
            journals: the class that makes and opens the journal; a test gives one that is killed.

        Raises:
            JournalError: another process carries the job out, or its journal cannot be used.
            ImportMapError: the file has changed since an unfinished job began.
        """
        if self._job is None:
            self._company = company or self._required_company()
            await self._company.connect()
            self._job = await open_job(
                self._source,
                self._map,
                self._index,
                marker=self._marker,
                identity=identity or company_identity(self._company),
                options=self.options,
                journals=journals,
            )
            await keep_undone(self._job.journal, job_base(self._source, self.options))
        return self._job

    def _required_company(self) -> Company:
        if self._company_given is None:
            raise InvalidCallError(
                "the import has no Company; write job.run(company) or Import(..., company=...)"
            )
        return self._company_given

    async def run(
        self,
        company: Company | None = None,
        *,
        on_row: Callable[[RowOutcome], None] | None = None,
        on_stage: Callable[[str], None] | None = None,
    ) -> Summary:
        """Carry the job out: create what the rows refer to, then do with each row what the map says.

        Rows that an earlier run ended are skipped. Rows of which no response told are settled first.

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
        started = time.perf_counter()
        on_row, on_stage = on_row or self._callbacks[0], on_stage or self._callbacks[1]
        self._task = asyncio.current_task()
        job = await self.open(company)
        sender = RowSender(
            company=self._company,
            source=self._source,
            import_map=self._map,
            index=self._index,
            keys=RowKeys.of(self._map, self._marker, job.plan.job) if self._marker else None,
            journal=job.journal,
            options=self.options,
            stops=StopRules(self.options, self._rows),
            on_row=on_row,
        )
        settling = Settling(
            company=self._company,
            journal=job.journal,
            operation=self._map.action,
            marker=self._marker,
            rebuilt=sender.rebuilt,
            seconds=self._company.options.settle,
            on_row=on_row,
        )
        self._stoppable += [sender.stop, settling.stop]
        summary = None
        if job.new or not job.finished:
            await job.journal.start_run(options=self.options.changed())
        try:
            try:
                if not job.finished:
                    await self._carry_out(job, sender, settling, on_stage)
                self._task = None  # nothing is under way that a second stop could abort
            except asyncio.CancelledError:
                with anyio.CancelScope(shield=True):
                    await self._report_not_started(job.journal, sender, on_row)
                raise
            await self._report_not_started(job.journal, sender, on_row)
            summary = await self._summary(job, sender, settling, started)
            return summary
        finally:
            with anyio.CancelScope(shield=True):
                await self._end(job, summary, sender.stops.reason)

    async def _end(self, job: OpenedJob, summary: Summary | None, stopped: str | None) -> None:
        """Write how the run ended, and the files of the job unless they are there from its last run."""
        ran = job.new or not job.finished
        if stopped is None and self._stops:
            stopped = "it was asked to stop"
        try:
            if ran:
                with contextlib.suppress(JournalError):  # the summary says why the journal failed
                    complete = summary is not None and summary.complete
                    await job.journal.end_run(0 if complete else self.exit_status, stopped=stopped)
            # From a journal that does not have all outcomes no files are made; the next run makes them.
            if job.journal.failed is None and (ran or not await outputs_are_current(job.journal)):
                files = await write_outputs(job.journal, self._source)
                if summary is not None:
                    summary.files = files
        except (OutputError, JournalError) as error:
            if summary is not None:
                summary.files_failed = error.message
        finally:
            await self.close()

    async def close(self) -> None:
        """Close the journal of the job, if it is open; :meth:`run` does it itself."""
        if self._job is not None:
            await self._job.journal.close()

    async def _carry_out(
        self, job: OpenedJob, sender: RowSender, settling: Settling, on_stage: Callable[[str], None]
    ) -> None:
        references = ReferenceStage(sender)
        self._stoppable.append(references.stop)
        if job.new:
            await self._report_refused(job.journal, sender)
        with self._keep_reporting():
            compares = self._map.action.compares  # with values that need the references
            if not compares:
                await settling.look_at_earlier_runs()
            await references.complete(settling.wait, on_stage)
            if compares:
                await settling.look_at_earlier_runs()
        try:
            await self._send_and_settle(sender, settling, on_stage)
        finally:
            settling.undecided += sender.doubted
            settling.leave_the_rest()

    async def _send_and_settle(
        self, sender: RowSender, settling: Settling, on_stage: Callable[[str], None]
    ) -> None:
        with self._keep_reporting():
            try:
                await sender.send()
                for _ in range(_ROUNDS):
                    settling.undecided += sender.doubted
                    sender.doubted.clear()
                    if self._marker and settling.undecided and not self._stops:
                        on_stage(
                            f"rows in doubt: {len(settling.undecided)}; "
                            f"looked up again in {settling.seconds_left:.0f} s"
                        )
                    if not (absent := await settling.settle()):
                        break
                    await sender.send(only=absent)
            except (ImportMapError, JournalError) as error:  # the file has changed, or the disk is full
                sender.stops.stop(error.message)

    @contextlib.contextmanager
    def _keep_reporting(self) -> Iterator[None]:
        """Suppress a cancellation that :meth:`stop` asked for: every row still needs its outcome."""
        try:
            yield
        except asyncio.CancelledError:
            if self._stops < 2 or self._task is None:
                raise
            self._task.uncancel()

    # --- reports ------------------------------------------------------------------------------

    async def _report_refused(self, journal: Journal, sender: RowSender) -> None:
        """Report the rows that were refused when the job was planned: their keys occur twice."""
        after = 0
        while page := await journal.rows_in(State.REFUSED, after=after, limit=_PAGE):
            for stored in page:
                sender.stops.refused(stored.reason or "")
                sender.on_row(RowOutcome.failed(Row(stored.row, stored.line, {}), stored.reason or ""))
            after = page[-1].row

    async def _report_not_started(
        self, journal: Journal, sender: RowSender, on_row: Callable[[RowOutcome], None]
    ) -> None:
        """Report the rows that were not started, so that each row has its outcome."""
        after, reason = 0, sender.stops.reason or "the import was stopped before this row"
        while page := await journal.rows_in(State.PLANNED, after=after, limit=_PAGE):
            for stored in page:
                if stored.row not in sender.unsent:
                    on_row(RowOutcome.not_started(Row(stored.row, stored.line, {}), reason))
            after = page[-1].row

    async def _summary(
        self, job: OpenedJob, sender: RowSender, settling: Settling, started: float
    ) -> Summary:
        with contextlib.suppress(JournalError):  # what could not be written is in the summary
            await job.journal.flush()
        try:
            counts = job.journal.counts()
        except JournalError:  # nor can it be read: what this run did
            counts = Counter({State.DONE: sender.done + settling.done, State.IN_DOUBT: sender.stops.doubted})
            counts[State.REFUSED] = sender.stops.failed - len(sender.unsent)
            counts[State.PLANNED] = self._rows - counts.total()
        index = self._index
        unsent = len(sender.unsent)
        return Summary(
            rows=self._rows,
            empty_rows=self._source.empty_rows,
            done=counts[State.DONE],
            label=self._map.action.label,
            found=counts[State.FOUND],
            undone=job.undone.done if job.undone is not None else 0,
            failed=counts[State.REFUSED] + unsent,
            in_doubt=counts[State.IN_DOUBT] + counts[State.SENDING],
            not_started=counts[State.PLANNED] - unsent,
            done_now=sender.done + settling.done,
            seconds=time.perf_counter() - started,
            references_found=index.found,
            references_created=index.created,
            warnings=[*job.warnings, *index.warnings],
            stopped=sender.stops.reason,
            unwritten=job.journal.unwritten,
            folder=job.folder,
        )
