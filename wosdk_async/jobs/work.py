"""Work on an opened job, stage by stage: earlier runs, references, rows, and rows in doubt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio

from wosdk_async.company import Company, is_closed, secrets_of
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.audit import Audit
from wosdk_async.jobs.earlier_leases import end_leases, end_leases_beside
from wosdk_async.jobs.job_totals import JobTotals
from wosdk_async.jobs.journal.entries import without_secrets
from wosdk_async.jobs.opening import OpenedJob
from wosdk_async.jobs.reading import PlannedRows, RowBuilder
from wosdk_async.jobs.reference_stage import ReferenceStage
from wosdk_async.jobs.reporting import RowReports
from wosdk_async.jobs.rows import RowOutcome
from wosdk_async.jobs.sending import RowSender
from wosdk_async.jobs.settling import Settling
from wosdk_async.jobs.stop import Stop, StoppedError, StopRules

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.job_workers import JobWorkers

__all__ = ["JobWork"]

_ROUNDS = 3  # times that rows in doubt are settled and sent again, before they are left in doubt
_MOST_ROUNDS = 10  # while workers are lost, and rows end all the same


class JobWork:
    """The stages of one run of a job.

    Call :meth:`carry_out`, and then those of ``totals``.

    Args:
        job: the job, opened.
        company: the Company of the records.
        stop: the stop of the run.
    """

    def __init__(self, job: OpenedJob, company: Company, stop: Stop) -> None:
        request, journal, options = job.request, job.journal, job.request.options
        import_map, marker = request.import_map, request.marker

        def tell(outcome: RowOutcome) -> None:
            request.on_row(without_secrets(outcome, journal.secrets()))

        self.stop = stop
        stops = StopRules(options, job.rows.rows, stop)
        self._job = job
        self._operation, self._on_stage = import_map.action, request.on_stage
        self._refused_reported = False
        self.sending = False
        """Whether rows may have been sent in this run."""
        journal.secrets = partial(secrets_of, company)
        self._rows = PlannedRows(
            request.source, journal, job.rows.identities, job.rows.fingerprints, keyed=marker is not None
        )
        self._builder = RowBuilder(import_map, request.index, request.keys(job.about.job))
        self._reports = RowReports(
            operation=self._operation,
            journal=journal,
            stops=stops,
            on_row=request.on_row,
            closed=partial(is_closed, company),
            columns_behind=import_map.columns_behind,
        )
        self._references = ReferenceStage(
            company, self._rows, self._builder, request.index, options.limit, stop
        )
        self._workers: JobWorkers | None = None
        if request.workers is not None and not job.plan.is_idle:
            from wosdk_async.jobs.cluster import job_workers  # not needed in one process

            self._workers = job_workers.JobWorkers(
                request.workers, company, journal, self._operation.name, options,
                lambda text: request.on_stage(f"warning: {text}"),
            )  # fmt: skip
        self._sender = RowSender(
            company=company,
            rows=self._rows,
            builder=self._builder,
            reports=self._reports,
            options=options,
            stop=stop,
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
            on_stage=request.on_stage,
        )
        self._audit = Audit(
            company=company,
            journal=journal,
            operation=self._operation,
            marker=marker or "",
            settling=self._settling,
            on_stage=request.on_stage,
        )
        self.totals = JobTotals(
            job=job,
            stops=stops,
            reports=self._reports,
            settling=self._settling,
            workers=self._workers,
        )

    async def carry_out(self) -> None:
        """Carry out the stages; after a stop every row still gets its outcome.

        The workers are started first, and nothing is sent before those of earlier runs have ended.

        Raises:
            ConfigurationError: the workers cannot be started.
            ImportMapError: a record that all rows need does not exist, or the file has changed.
            WosdkError: a look-up failed. In all cases no row was sent.
        """
        try:
            with suppress(StoppedError):
                async with self.stop.ends():
                    await self._prepare()
            try:
                with suppress(StoppedError):
                    async with self.stop.ends():
                        await self._send()
                        await self._look_up_all()
            finally:
                await self._leave_the_rest()
        finally:
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
    def workers_now(self) -> int | None:
        """How many workers are reached now; None without workers."""
        return None if self._workers is None else self._workers.reached

    async def _prepare(self) -> None:
        """Decide what earlier runs left in doubt, and complete the records that rows refer to."""
        journal = self._job.journal
        if self._workers is not None:
            self._on_stage(f"waiting for the first worker: {self._workers.name}")
            await self._workers.open(await self._sender.marker())
        if await journal.audit() is not None:
            await journal.forget_audit()
        await end_leases_beside(journal, self._on_stage)
        await self._report_refused()
        if not self._job.new:
            await end_leases(journal, self._on_stage)
        compares = self._operation.compares  # with values that need the references
        if not compares:
            await self._settling.look_at_earlier_runs()
        await self._references.complete(self._settling.wait, self._on_stage)
        if compares:
            await self._settling.look_at_earlier_runs()

    async def _send(self) -> None:
        """Send the planned rows; settle those in doubt, and send again what is certainly not there.

        An error that concerns all rows stops the import: ``stop`` has the reason.
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
                ended = self.totals.ended_now
                await self._sender.send(only=absent)
                went_on = self._workers is not None and self.totals.ended_now > ended
                fruitless = 0 if went_on else fruitless + 1
        except WosdkError as error:  # the file has changed, the disk is full, or keys cannot be looked up
            self.stop.start_no_more(error.message)
        finally:
            await self._end_workers()

    async def _look_up_all(self) -> None:
        """Look up all rows by their keys, if workers sent them; not after a run that stopped."""
        self._take_doubts()
        try:
            if self.stop.reason is None and (await self.totals.audited())[1] not in ("none", "impossible"):
                await self._audit.run()
        except WosdkError as error:
            self.stop.start_no_more(f"the audit was not finished: {error.message}")

    async def _leave_the_rest(self) -> None:
        """Leave in doubt what is not decided."""
        await self._report_refused()
        self._take_doubts()
        await self._settling.leave_the_rest()

    async def _report_refused(self) -> None:
        """Report the rows that stay refused, and those whose keys earlier rows have, once."""
        if not self._refused_reported:
            self._refused_reported = True
            with self.stop.lets_end(lambda: None):
                await self.totals.report_refused()

    def _take_doubts(self) -> None:
        self._settling.undecided += self._reports.doubted
        self._reports.doubted.clear()

    async def _rebuilt(self, numbers: set[int]) -> Mapping[int, Any]:
        """Return what is built from some rows of the file, without those that cannot be built."""
        found = {}
        async for row in self._rows.numbered(numbers):
            with suppress(Exception):  # the row stays in doubt
                found[row.number] = self._builder.build(row)[0]
        return found
