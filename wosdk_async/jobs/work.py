"""Work on an opened job, stage by stage: earlier runs, references, rows, and rows in doubt."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio

from wosdk_async.company import Company
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.audit import Audit, audit_state_of
from wosdk_async.jobs.building import RowBuilder
from wosdk_async.jobs.cluster.pool import WorkerPool
from wosdk_async.jobs.earlier_leases import EarlierLeases
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import AuditResult, State, StoredRow
from wosdk_async.jobs.journal.audit_table import AuditState
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.opening import OpenedJob
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.reading import PlannedRows
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.jobs.reference_stage import ReferenceStage
from wosdk_async.jobs.reporting import RowReports
from wosdk_async.jobs.rows import Row, RowOutcome, Summary
from wosdk_async.jobs.sending import RowSender
from wosdk_async.jobs.settling import Settling
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.stops import StopRules

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.job_workers import JobWorkers

__all__ = ["JobWork"]

_ROUNDS = 3  # times that rows in doubt are settled and sent again, before they are left in doubt
_MOST_ROUNDS = 10  # while workers are lost, and rows end all the same


class JobWork:
    """The stages of one run of a job.

    Call :meth:`prepare`, :meth:`send`, :meth:`leave_the_rest`, :meth:`report_not_started` and
    :meth:`summary`, in this order.

    Args:
        job: the job, opened.
        company: the Company of the records.
        source: the file.
        import_map: which column fills which field.
        index: the names that the rows give.
        marker: the field that carries the key of each row.
        options: how the import is carried out.
        rows: the number of rows in the file.
        workers: where the rows are sent from; None means this process.
        on_row: called with the outcome of every row.
        on_stage: called with a text that says what is being done.
    """

    def __init__(
        self,
        job: OpenedJob,
        company: Company,
        *,
        source: Source,
        import_map: ImportMap,
        index: ReferenceIndex,
        marker: str | None,
        options: ImportOptions,
        rows: int,
        workers: WorkerPool | None = None,
        on_row: Callable[[RowOutcome], None],
        on_stage: Callable[[str], None],
    ) -> None:
        self.stops = StopRules(options, rows)
        self._job, self._source, self._index, self._marker = job, source, index, marker
        self._operation, self._total = import_map.action, rows
        self._on_row, self._on_stage = on_row, on_stage
        self._started = time.perf_counter()
        self._stopped = False
        journal = job.journal
        keys = RowKeys.of(import_map, marker, job.plan.job) if marker else None
        self._rows = PlannedRows(source, journal)
        self._builder = RowBuilder(import_map, index, keys)
        self._reports = RowReports(import_map=import_map, journal=journal, stops=self.stops, on_row=on_row)
        self._references = ReferenceStage(company, self._rows, self._builder, index, options.limit)
        self._earlier = EarlierLeases(journal, on_stage)
        self._workers: JobWorkers | None = None
        if workers is not None:
            from wosdk_async.jobs.cluster import job_workers  # not needed in one process

            self._workers = job_workers.JobWorkers(workers, company, journal, self._operation.name, options)
        self._sender = RowSender(
            company=company,
            rows=self._rows,
            builder=self._builder,
            reports=self._reports,
            options=options,
            workers=self._workers,
        )
        self._settling = Settling(
            company=company,
            journal=journal,
            operation=self._operation,
            marker=marker,
            rebuilt=self._rebuilt,
            seconds=company.options.settle,
            on_row=on_row,
        )
        self._audit = Audit(
            company=company,
            journal=journal,
            operation=self._operation,
            marker=marker or "",
            settling=self._settling,
            on_stage=on_stage,
        )

    def stop(self) -> None:
        """Start nothing further; calls under way go on."""
        self._stopped = True
        self._references.stop()
        self._sender.stop()
        self._settling.stop()
        self._earlier.stop()
        self._audit.stop()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        await self._end_workers()

    async def _end_workers(self) -> None:
        if self._workers is not None:
            ending = asyncio.create_task(self._workers.aclose())
            with anyio.CancelScope(shield=True):
                try:
                    await asyncio.shield(ending)
                finally:  # a second stop cancels this task, and must not cut the end of the workers
                    await asyncio.wait([ending])

    @property
    def stopped(self) -> str | None:
        """Why rows were not started; None when nothing stopped the run."""
        return self.stops.reason or ("it was asked to stop" if self._stopped else None)

    @property
    def worker_statistics(self) -> dict[str, Any]:
        """What the workers did in this run; empty without workers."""
        return {} if self._workers is None else self._workers.statistics

    async def prepare(self) -> None:
        """Decide what earlier runs left in doubt, and complete the records that rows refer to.

        The workers are started before, and nothing is sent before those of earlier runs have surely ended.

        Raises:
            ConfigurationError: the workers cannot be started.
            ImportMapError: a record that all rows need does not exist, or the file has changed.
            WosdkError: a look-up failed. In all cases no row was sent.
        """
        if await self._job.journal.audit() is not None:
            await self._job.journal.forget_audit()
        if self._workers is not None:
            await self._workers.open(await self._sender.marker())
        if self._job.new:
            await self._report_refused()
        else:
            left = self._workers.left if self._workers is not None else None
            await self._earlier.end(left, self._reports)
        compares = self._operation.compares  # with values that need the references
        if not compares:
            await self._settling.look_at_earlier_runs()
        await self._references.complete(self._settling.wait, self._on_stage)
        if compares:
            await self._settling.look_at_earlier_runs()

    async def send(self) -> None:
        """Send the planned rows; settle those in doubt, and send again what is certainly not there.

        An error that concerns all rows stops the import: ``stops`` has the reason.
        """
        try:
            await self._sender.send()
            fruitless = 0
            for _ in range(_MOST_ROUNDS):
                self._take_doubts()
                if self._marker and self._settling.undecided and not self._stopped:
                    self._on_stage(
                        f"rows in doubt: {len(self._settling.undecided)}; "
                        f"looked up again in {self._settling.seconds_left:.0f} s"
                    )
                if fruitless == _ROUNDS or not (absent := await self._settling.settle()):
                    break
                ended = self._done_now + self.stops.failed
                await self._sender.send(only=absent)
                went_on = self._workers is not None and self._done_now + self.stops.failed > ended
                fruitless = 0 if went_on else fruitless + 1
        except WosdkError as error:  # the file has changed, the disk is full, or keys cannot be looked up
            self.stops.stop(error.message)
        finally:
            await self._end_workers()

    async def audit(self) -> None:
        """Look up all rows by their keys, if workers sent them; not after a run that stopped."""
        self._take_doubts()
        try:
            if self.stopped is None and (await self._audited())[1] not in ("none", "impossible"):
                await self._audit.run()
        except WosdkError as error:
            self.stops.stop(f"the audit was not finished: {error.message}")

    def leave_the_rest(self) -> None:
        """Leave in doubt what is not decided."""
        self._take_doubts()
        self._settling.leave_the_rest()

    def _take_doubts(self) -> None:
        self._settling.undecided += self._reports.doubted
        self._reports.doubted.clear()

    async def _rebuilt(self, numbers: set[int]) -> Mapping[int, Any]:
        """Return what is built from some rows of the file, without those that cannot be built."""
        found = {}
        async for row in self._rows.numbered(numbers):
            with contextlib.suppress(Exception):  # the row stays in doubt
                found[row.number] = self._builder.build(row)[0]
        return found

    # --- reports ------------------------------------------------------------------------------

    async def _report_refused(self) -> None:
        """Report the rows that were refused when the job was planned: their keys occur twice.

        They stop no import: nothing was sent for them, and the other rows may all be right.
        """
        async for stored in self._stored(State.REFUSED):
            reason = stored.reason or ""
            self._on_row(RowOutcome.failed(Row(stored.row, stored.line, {}), reason))

    async def report_not_started(self) -> None:
        """Report the rows that were not started, so that each row has its outcome."""
        reason = self.stops.reason or "the import was stopped before this row"
        async for stored in self._stored(State.PLANNED):
            if stored.row not in self._reports.unsent:
                self._on_row(RowOutcome.not_started(Row(stored.row, stored.line, {}), reason))

    async def _stored(self, state: State) -> AsyncIterator[StoredRow]:
        async for page in self._job.journal.pages(state):
            for stored in page:
                yield stored

    async def summary(self) -> Summary:
        """Return the counts of the job, all its runs together."""
        counts, index = await self._counts(), self._index
        unsent = len(self._reports.unsent)
        undone = self._job.undone
        audit, audit_state = await self._audited()
        return Summary(
            rows=self._total,
            empty_rows=self._source.empty_rows,
            done=counts[State.DONE],
            label=self._operation.label,
            found=counts[State.FOUND],
            undone=undone.done if undone is not None else 0,
            failed=counts[State.REFUSED] + unsent,
            waiting=unsent,
            in_doubt=counts[State.IN_DOUBT] + counts[State.SENDING],
            not_started=counts[State.PLANNED] - unsent,
            done_now=self._done_now,
            seconds=time.perf_counter() - self._started,
            references_found=index.found,
            references_created=index.created,
            warnings=[*self._job.warnings, *index.warnings],
            stopped=self.stopped,
            audit=audit,
            audit_state=audit_state,
            unwritten=self._job.journal.unwritten,
            folder=self._job.folder,
        )

    async def _audited(self) -> tuple[AuditResult | None, AuditState]:
        """Return what the last audit found, and whether there has to be one."""
        journal = self._job.journal
        try:
            return await journal.audit(), await audit_state_of(journal)
        except JournalError:  # the journal cannot be read either
            return None, "none" if self._workers is None else "due"

    @property
    def _done_now(self) -> int:
        return self._reports.done + self._settling.done

    async def _counts(self) -> Mapping[State, int]:
        """Return how many rows have each state: those of the journal, or what this run did."""
        journal = self._job.journal
        with contextlib.suppress(JournalError):  # what could not be written is in the summary
            await journal.flush()
        try:
            return journal.counts()
        except JournalError:  # the journal cannot be read either
            counts = Counter({State.DONE: self._done_now, State.IN_DOUBT: self.stops.doubted})
            counts[State.REFUSED] = self.stops.failed - len(self._reports.unsent)
            counts[State.PLANNED] = self._total - counts.total()
            return counts
