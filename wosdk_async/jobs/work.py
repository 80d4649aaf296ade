"""Work on an opened job, stage by stage: earlier runs, references, rows, and rows in doubt."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import anyio

from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.audit import Audit
from wosdk_async.jobs.building import RowBuilder
from wosdk_async.jobs.cluster.messages import WorkerPool
from wosdk_async.jobs.earlier_leases import EarlierLeases
from wosdk_async.jobs.job_totals import JobTotals
from wosdk_async.jobs.journal.entries import without_secrets
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.opening import OpenedJob
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.reading import PlannedRows
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.jobs.reference_stage import ReferenceStage
from wosdk_async.jobs.reporting import RowReports
from wosdk_async.jobs.rows import RowOutcome, Summary
from wosdk_async.jobs.sending import RowSender
from wosdk_async.jobs.settling import Settling
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.stops import StopRules
from wosdk_async.jobs.waits import unless_stopped

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
        def tell(outcome: RowOutcome) -> None:
            on_row(without_secrets(outcome, journal.secrets()))

        self.stops = StopRules(options, rows)
        self._job, self._marker = job, marker
        self._operation, self._on_stage = import_map.action, on_stage
        self._stopped = asyncio.Event()
        self.sending = False
        """Whether rows may have been sent in this run."""
        journal = job.journal
        journal.secrets = partial(secrets_of, company)
        keys = RowKeys.of(import_map, marker, job.plan.job) if marker else None
        self._rows = PlannedRows(source, journal)
        self._builder = RowBuilder(import_map, index, keys)
        self._reports = RowReports(
            operation=self._operation,
            journal=journal,
            stops=self.stops,
            on_row=tell,
            columns_behind=import_map.columns_behind,
        )
        self._references = ReferenceStage(company, self._rows, self._builder, index, options.limit)
        self._earlier = EarlierLeases(journal, on_stage)
        self._workers: JobWorkers | None = None
        if workers is not None:
            from wosdk_async.jobs.cluster import job_workers  # not needed in one process

            self._workers = job_workers.JobWorkers(
                workers, company, journal, self._operation.name, options,
                lambda text: on_stage(f"warning: {text}"),
            )  # fmt: skip
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
            on_row=tell,
            on_stage=on_stage,
        )
        self._audit = Audit(
            company=company,
            journal=journal,
            operation=self._operation,
            marker=marker or "",
            settling=self._settling,
            on_stage=on_stage,
        )
        self._totals = JobTotals(
            job=job,
            source=source,
            operation=self._operation,
            index=index,
            rows=rows,
            stops=self.stops,
            reports=self._reports,
            settling=self._settling,
            workers=self._workers,
            on_row=on_row,
        )

    def stop(self) -> None:
        """Start nothing further; calls under way go on."""
        self._stopped.set()
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
        return self.stops.reason or ("it was asked to stop" if self._stopped.is_set() else None)

    @property
    def workers_now(self) -> int | None:
        """How many workers are reached now; None without workers."""
        return None if self._workers is None else self._workers.reached

    async def prepare(self) -> bool:
        """Decide what earlier runs left in doubt, and complete the records that rows refer to.

        The workers are started before, and nothing is sent before those of earlier runs have ended.
        Return False if it was stopped before there were workers: then nothing can be sent.

        Raises:
            ConfigurationError: the workers cannot be started.
            ImportMapError: a record that all rows need does not exist, or the file has changed.
            WosdkError: a look-up failed. In all cases no row was sent.
        """
        if self._workers is not None:
            self._on_stage(f"waiting for the first worker: {self._workers.name}")
            opening = self._workers.opened(await self._sender.marker())
            if not await unless_stopped(self._stopped, opening, otherwise=False):
                return False
        if await self._job.journal.audit() is not None:
            await self._job.journal.forget_audit()
        await self._earlier.end_beside()
        if self._job.new:
            await self._totals.report_refused()
        else:
            await self._earlier.end()
        if self._job.retried:
            await self._job.journal.plan_again()
        compares = self._operation.compares  # with values that need the references
        if not compares:
            await self._settling.look_at_earlier_runs()
        await self._references.complete(self._settling.wait, self._on_stage)
        if compares:
            await self._settling.look_at_earlier_runs()
        return True

    async def send(self) -> None:
        """Send the planned rows; settle those in doubt, and send again what is certainly not there.

        An error that concerns all rows stops the import: ``stops`` has the reason.
        """
        self.sending = True
        try:
            if self._job.journal.failed is not None:  # while records that rows refer to were created
                raise self._job.journal.failed
            await self._sender.send()
            fruitless = 0
            for _ in range(_MOST_ROUNDS):
                self._take_doubts()
                if fruitless == _ROUNDS or not (absent := await self._settling.settle()):
                    break
                ended = self._totals.ended_now
                await self._sender.send(only=absent)
                went_on = self._workers is not None and self._totals.ended_now > ended
                fruitless = 0 if went_on else fruitless + 1
        except WosdkError as error:  # the file has changed, the disk is full, or keys cannot be looked up
            self.stops.stop(error.message)
        finally:
            await self._end_workers()

    async def audit(self) -> None:
        """Look up all rows by their keys, if workers sent them; not after a run that stopped."""
        self._take_doubts()
        try:
            if self.stopped is None and (await self._totals.audited())[1] not in ("none", "impossible"):
                await unless_stopped(self._stopped, self._audit.run(), otherwise=None)
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

    async def report_not_started(self) -> None:
        """Report the rows that were not started, so that each row has its outcome."""
        await self._totals.report_not_started()

    async def summary(self) -> Summary:
        """Return the counts of the job, all its runs together."""
        return await self._totals.summary(self.stopped)
