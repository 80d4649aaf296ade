"""Stages of a run: settle earlier runs, create references, send rows, and settle rows in doubt."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import anyio
import attrs

from wosdk_async.company import Company, is_closed, secrets_of
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.errors import RunStoppedError
from wosdk_async.jobs.imports.audit import Audit
from wosdk_async.jobs.imports.job_totals import JobTotals
from wosdk_async.jobs.imports.opening import OpenedJob
from wosdk_async.jobs.imports.reading import PlannedRows, RowBuilder
from wosdk_async.jobs.imports.reference_stage import ReferenceStage
from wosdk_async.jobs.imports.reporting import RowReports
from wosdk_async.jobs.imports.sending import RowSender
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.journal import State
from wosdk_async.jobs.ledger.request import ImportRequest
from wosdk_async.jobs.stop import Stop, StoppedError, StopRules

if TYPE_CHECKING:
    from wosdk_async.jobs.cluster.job_workers import JobWorkers

__all__ = ["JobWork"]

_ROUNDS = 3  # attempts to settle and retry rows in doubt
_MAX_ROUNDS = 10  # attempts while workers are lost but rows still end


@attrs.define(eq=False)
class JobWork:
    """One run of a job.

    Call :meth:`carry_out` first, then the methods of ``totals``.

    Args:
        job: the opened job.
        company: the Company to import into.
        stop: stops the run.

    Raises:
        ConfigurationError: workers do not support an option.
    """

    _job: OpenedJob
    _company: Company
    stop: Stop
    _references: ReferenceStage = attrs.field(init=False)
    _first: int | None = attrs.field(init=False, default=None)
    """The row to send before creating more references."""
    sending: bool = attrs.field(init=False, default=False)
    """Whether this run may have sent rows."""
    _refused_reported: bool = attrs.field(init=False, default=False)
    _stops: StopRules = attrs.field(init=False)
    _rows: PlannedRows = attrs.field(init=False)
    _builder: RowBuilder = attrs.field(init=False)
    _reports: RowReports = attrs.field(init=False)
    _workers: JobWorkers | None = attrs.field(init=False)
    _sender: RowSender = attrs.field(init=False)
    _settling: Settling = attrs.field(init=False)
    totals: JobTotals = attrs.field(init=False)

    @_stops.default
    def _make_stops(self) -> StopRules:
        return StopRules(self._request.options, self._job.rows.rows, self.stop)

    @_rows.default
    def _make_rows(self) -> PlannedRows:
        rows, keyed = self._job.rows, self._request.marker is not None
        return PlannedRows(
            self._request.source, self._job.journal, rows.identities, rows.fingerprints, keyed=keyed
        )

    @_builder.default
    def _make_builder(self) -> RowBuilder:
        request = self._request
        return RowBuilder(request.import_map, request.index, request.keys(self._job.about.job))

    @_reports.default
    def _make_reports(self) -> RowReports:
        return RowReports(
            operation=self._request.action,
            journal=self._job.journal,
            stops=self._stops,
            on_row=self._request.on_row,
            closed=partial(is_closed, self._company),
            columns_behind=self._request.import_map.columns_behind,
        )

    @_workers.default
    def _make_workers(self) -> JobWorkers | None:
        request = self._request
        if request.workers is None or self._job.plan.is_idle:
            return None
        from wosdk_async.jobs.cluster.job_workers import (
            JobWorkers,
        )  # unused in one process

        return JobWorkers(
            request.workers,
            self._company,
            self._job.journal,
            request.action.name,
            request.options,
            lambda text: request.on_stage(f"warning: {text}"),
        )

    @_sender.default
    def _make_sender(self) -> RowSender:
        return RowSender(
            company=self._company,
            rows=self._rows,
            builder=self._builder,
            reports=self._reports,
            options=self._request.options,
            stop=self.stop,
            workers=self._workers,
        )

    @_settling.default
    def _make_settling(self) -> Settling:
        request, journal = self._request, self._job.journal
        journal.secrets = partial(secrets_of, self._company)
        return Settling(
            company=self._company,
            journal=journal,
            operation=request.action,
            marker=request.marker,
            rebuilt=self._rebuilt,
            seconds=self._company.options.settle,
            on_row=request.on_row,
            on_stage=request.on_stage,
        )

    @totals.default
    def _make_totals(self) -> JobTotals:
        return JobTotals(
            job=self._job,
            stops=self._stops,
            reports=self._reports,
            settling=self._settling,
            workers=self._workers,
        )

    @property
    def _request(self) -> ImportRequest:
        return self._job.request

    async def carry_out(self) -> None:
        """Run the stages. Even after a stop, every row gets an outcome.

        Workers start first; nothing is sent before the workers of earlier runs have ended.

        Raises:
            ConfigurationError: the workers cannot be started.
            ImportMapError: a record required by all rows does not exist, or the file has changed.
            WosdkError: a look-up failed. In all of these cases, no row was sent.
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
                await self._leave_undecided()
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

    @property
    def workers_now(self) -> int | None:
        """The number of connected workers; None without workers."""
        return None if self._workers is None else self._workers.reached

    async def _prepare(self) -> None:
        """Settle rows that earlier runs left in doubt, and complete the references."""
        journal, on_stage = self._job.journal, self._request.on_stage
        if self._workers is not None:
            on_stage(f"waiting for the first worker: {self._workers.name}")
            await self._workers.open(await self._sender.marker())
        if await journal.audit() is not None:
            await journal.forget_audit()
        await self._report_refused()
        if not self._job.new:
            await end_leases(journal, on_stage)
        compares = self._request.action.compares  # needs the references
        if not compares:
            await self._settling.look_up_earlier_runs()
        index, limit = self._request.index, self._request.options.limit
        references = self._references = ReferenceStage(
            self._company, self._rows, self._builder, index, limit, self.stop
        )
        try:
            self._first = await references.complete(self._settling.wait, on_stage)
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
            for _ in range(_MAX_ROUNDS):
                self._take_doubts()
                if fruitless == _ROUNDS or not (absent := await self._settling.settle()):
                    break
                ended = self.totals.ended_now
                await self._sender.send(absent, again=True)
                went_on = self._workers is not None and self.totals.ended_now > ended
                fruitless = 0 if went_on else fruitless + 1
        except WosdkError as error:  # the file has changed, the disk is full, or keys cannot be looked up
            self.stop.start_no_more(error)
        finally:
            await self._end_workers()

    async def _prove_references(self, row: int) -> None:
        """Send only the first row with new references; create the other references if it succeeds.

        Raises:
            RunStoppedError: the service refused the row.
        """
        journal, settled, on_stage = self._job.journal, self._settling.wait, self._request.on_stage
        while self.stop.reason is None:
            await self._sender.send({row})
            stored = (await journal.rows_numbered([row]))[row]
            if stored.state is not State.REFUSED:
                await self._references.create_rest(settled, on_stage)
                return
            if stored.attempts:  # refused by the service, not locally as for an existing key
                text = (
                    f"the first row with new references (line {stored.line}) was refused: {stored.reason}; "
                    "no more references are created. Correct the map or the row"
                )
                raise RunStoppedError(text, kind="references")
            if (following := await self._references.create_first(settled, on_stage)) is None:
                return
            row = following

    async def _look_up_all(self) -> None:
        """Audit the rows that workers sent, unless the run was stopped."""
        self._take_doubts()
        try:
            if self.stop.reason is None and (await self.totals.audited())[1] not in ("none", "impossible"):
                await Audit(self._settling).run()
        except WosdkError as error:
            text = f"the audit failed: {error.message}"
            self.stop.start_no_more(RunStoppedError(text, **error.facts))

    async def _leave_undecided(self) -> None:
        await self._report_refused()
        self._take_doubts()
        await self._settling.leave_undecided()

    async def _report_refused(self) -> None:
        """Report rows that remain refused, including rows with repeated keys, once."""
        if not self._refused_reported:
            self._refused_reported = True
            with self.stop.lets_end(lambda: None):
                await self.totals.report_refused()

    def _take_doubts(self) -> None:
        self._settling.undecided += self._reports.doubted
        self._reports.doubted.clear()

    async def _rebuilt(self, numbers: set[int]) -> Mapping[int, Any]:
        """Rebuild rows of the file, skipping rows that fail."""
        found = {}
        async for row in self._rows.numbered(numbers):
            with suppress(Exception):  # the row stays in doubt
                found[row.number] = self._builder.build(row)[0]
        return found
