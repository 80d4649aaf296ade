"""Stages of a run: settle earlier runs, create references, send rows, and settle rows in doubt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio

from wosdk_async.company import Company, secrets_of
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.errors import RunStoppedError
from wosdk_async.jobs.imports.opening import OpenedJob
from wosdk_async.jobs.imports.reading import PlannedRows, RowBuilder
from wosdk_async.jobs.imports.reference_stage import ReferenceStage
from wosdk_async.jobs.imports.reporting import RowReports
from wosdk_async.jobs.imports.sending import RowSender
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.imports.verification import Audit
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.journal.worker_tables import forget_audit
from wosdk_async.jobs.ledger.terms import Action
from wosdk_async.jobs.stop import Stop, StoppedError, StopRules

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.job_workers import JobWorkers

_MAX_FRUITLESS = 3  # consecutive retries of rows in doubt; with workers, retries in which no row ended
_MAX_RETRIES = 10  # retries of rows in doubt, in total


class JobWork:
    """One run of a job; call :meth:`carry_out` first, then the methods of ``reports``.

    Raises:
        ConfigurationError: an option is set that workers do not support.
    """

    def __init__(self, job: OpenedJob, company: Company, stop: Stop) -> None:
        request, journal, rows = job.request, job.journal, job.rows
        journal.secrets = partial(secrets_of, company)
        self._job, self._request, self.stop = job, request, stop
        self.sending = False
        """Whether this run may have sent rows."""
        self._first: int | None = None
        """Number of the row to send before more references are created."""
        self._workers = _workers_of(job, company)
        self._rows = PlannedRows(request.source, journal, rows.identities, rows.fingerprints)
        self._builder = RowBuilder(request.import_map, request.index, request.keys(job.about.job))
        self._settling = Settling(
            company=company,
            journal=journal,
            operation=request.action,
            marker=request.marker,
            rebuild=self._rebuild,
            on_row=request.on_row,
            on_stage=request.on_stage,
        )
        self.reports = RowReports(
            job=job,
            settling=self._settling,
            stops=StopRules(request.options, rows.rows, stop, has_done=job.plan.rows(Action.SKIP) > 0),
            workers=self._workers,
        )
        self._sender = RowSender(self._rows, self._builder, self.reports, stop)
        limit = request.options.concurrency
        self._references = ReferenceStage(self._rows, self._builder, self._settling, limit, stop)

    async def carry_out(self) -> None:
        """Run the stages. Even after a stop, every row gets an outcome.

        Workers start first; nothing is sent before the workers of earlier runs have ended.

        Raises:
            ConfigurationError: the workers cannot be started.
            ImportMapError: a record required by all rows does not exist, or the file has changed.
            WosdkError: a look-up failed. If any of these errors is raised, no row was sent.
        """
        try:
            with suppress(StoppedError):
                async with self.stop.cancellable():
                    await self._open_workers()
            await self.reports.report_refused()
            with suppress(StoppedError):
                async with self.stop.cancellable():
                    await self._prepare()
            try:
                with suppress(StoppedError):
                    async with self.stop.cancellable():
                        await self._send()
                        await self._audit()
            finally:
                await self._settling.leave_undecided()
        finally:
            await self._end_workers()

    async def _end_workers(self) -> None:
        if self._workers is not None:
            ending = asyncio.create_task(self._workers.aclose())
            with anyio.CancelScope(shield=True):
                try:
                    await asyncio.shield(ending)
                finally:  # a second stop cancels this task, but must not interrupt the workers' shutdown
                    await asyncio.wait([ending])

    async def _open_workers(self) -> None:
        if self._workers is not None:
            self._request.on_stage(f"waiting for the first worker: {self._workers.name}")
            await self._workers.open(await self._sender.marker())

    async def _prepare(self) -> None:
        journal, on_stage = self._job.journal, self._request.on_stage
        if await journal.audit() is not None:
            await journal.write(forget_audit)
        if not self._job.new:
            await end_leases(journal, on_stage)
        compares = self._request.action.compares  # rows can be compared only once references have ids
        if not compares:
            await self._settling.look_up_earlier_runs()
        try:
            self._first = await self._references.complete()
        except RunStoppedError as error:
            self.stop.start_no_more(error)
        if compares:
            await self._settling.look_up_earlier_runs()

    async def _send(self) -> None:
        """Send the planned rows, settle rows in doubt, and resend rows confirmed absent.

        An error that affects all rows stops the import and becomes the stop reason.
        """
        self.sending = True
        try:
            if self._job.journal.failed is not None:  # while references were created
                raise self._job.journal.failed
            if self._first is not None:
                await self._prove_references(self._first)
            await self._sender.send()
            fruitless = 0
            for _ in range(_MAX_RETRIES):
                if fruitless == _MAX_FRUITLESS or not (absent := await self._settling.settle()):
                    break
                ended = self.reports.ended_now
                await self._sender.send(absent, again=True)
                progressed = self._workers is not None and self.reports.ended_now > ended
                fruitless = 0 if progressed else fruitless + 1
        except WosdkError as error:  # the file has changed, the disk is full, or keys cannot be looked up
            self.stop.start_no_more(error)
        finally:
            await self._end_workers()

    async def _prove_references(self, row: int) -> None:
        """Send one row with new references before the rest of the references are created.

        If this process refuses the row, try the next row. If the service refuses the row, raise
        RunStoppedError.
        """
        journal = self._job.journal
        while self.stop.reason is None:
            await self._sender.send({row})
            stored = (await journal.rows_numbered([row]))[row]
            if stored.state is not State.REFUSED:
                await self._references.create_missing()
                return
            if stored.attempts:  # the service refused the row; rows that only this process refused have none
                text = (
                    f"the first row with new references (line {stored.line}) was refused: {stored.reason}; "
                    "no more references are created. Correct the map or the row"
                )
                raise RunStoppedError(text, kind="references")
            if (following := await self._references.create_first()) is None:
                return
            row = following

    async def _audit(self) -> None:
        try:
            _, state = await self.reports.read_audit()
            if self.stop.reason is None and state not in ("none", "impossible"):
                await Audit(self._settling).run()
        except WosdkError as error:
            text = f"the audit failed: {error.message}"
            self.stop.start_no_more(RunStoppedError(text, **error.facts))

    async def _rebuild(self, numbers: set[int]) -> Mapping[int, Any]:
        records = {}
        async for row in self._rows.numbered(numbers):
            with suppress(Exception):  # the row stays in doubt
                records[row.number] = self._builder.build(row)[0]
        return records


def _workers_of(job: OpenedJob, company: Company) -> JobWorkers | None:
    """Return the run's workers; None if this process sends the rows, or there is nothing to do."""
    request = job.request
    if request.workers is None or job.plan.is_idle:
        return None
    from wosdk_async.jobs.cluster.job_workers import JobWorkers  # imported only if workers are used

    return JobWorkers(
        request.workers,
        company,
        job.journal,
        request.action.name,
        request.options,
        lambda text: request.on_stage(f"warning: {text}"),
    )
