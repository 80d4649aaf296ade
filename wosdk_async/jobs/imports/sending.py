"""Row sender, which builds a job's rows, looks up their keys, and claims and sends the rows."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import Any

import attrs

from wosdk_async.calls.outcome import Outcome
from wosdk_async.calls.run_many import Run
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import JournalError, RowError, RunStoppedError
from wosdk_async.jobs.imports.reading import PlannedRows, RowBuilder
from wosdk_async.jobs.imports.reporting import RowReports
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.journal.claims import Claim, Claims
from wosdk_async.jobs.journal.entries import KEY_EXISTS
from wosdk_async.jobs.ledger.nearby import existing_remedies
from wosdk_async.jobs.ledger.undone import is_ended, shown_records
from wosdk_async.jobs.mapping.operations import Found, effect_of
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.jobs.sources.rows import Row
from wosdk_async.jobs.stop import ABORT_GRACE, Stop, StoppedError
from wosdk_async.transport.telemetry.statistics import Trace

_TURN = 25  # rows built before yielding to the event loop
# The missing records of all rows were created before sending, so only a changed row can lack a record.
_INCOMPLETE = "the row refers to a missing record: the file has changed since the import started"


@attrs.define(eq=False)
class RowSender:
    """Sender of a job's planned rows."""

    rows: PlannedRows
    builder: RowBuilder
    reports: RowReports
    stop: Stop
    _proved: bool = False
    _built: bool = False
    """Whether a row of this run could be built."""

    async def send(self, only: set[int] | None = None, *, again: bool = False) -> None:
        """Send the planned rows, or only those with numbers in ``only``.

        ``again`` means that the rows were sent before and confirmed absent, so a record that now has a row's
        key was created for that row.

        Raises:
            ImportMapError: the file has changed since the job began; earlier rows have been sent.
            JournalError: the journal cannot be written; rows that are not in the journal are never sent.
            WosdkError: a key look-up failed; earlier rows have been sent.
        """
        operation, keys, workers = self._operation, self.builder.keys, self.reports.workers
        limit, marker = self.reports.stops.options.concurrency, await self.marker()
        local = workers is None
        if not local and await self._journal.last_epoch():
            # An earlier grant shows that the marker was proved. To prove it again, this process would have to
            # send a row itself, perhaps the row that killed its worker.
            self._proved = True
        ahead = limit if workers is None else workers.claimed_ahead
        company = self.reports.settling.company
        rate = (lambda: company.rate) if local else (lambda: None)  # workers limit their own rates
        async with Claims(
            self._prepared(only, again), self._journal, ahead, rate=rate, begin=local
        ) as claims:
            if keys is not None and operation.by is None and not self._proved:

                async def prove(claim: Claim, trace: Trace) -> Any:
                    if not local:
                        await self._journal.begin([claim.row.number])
                    return await self._send_and_prove(claim, keys.path, marker, trace)

                # Send single rows first, so that a broken marker affects only one record.
                while not (self._proved or self.stop.reason) and (claim := await anext(claims, None)):
                    await self._consume(Run([claim], prove, limit=1, grace=ABORT_GRACE), claims)
            if workers is not None:
                await self._consume(workers.run(claims), claims)
            else:
                run = operation.run(company, claims, marker, limit=limit, grace=ABORT_GRACE)
                await self._consume(run, claims)

    async def marker(self) -> str | None:
        """Return the field by which the client looks up calls in doubt; None to disable look-ups."""
        # The client would take an undone record, which keeps its key, for the result of a call in doubt. If
        # records were undone, only the job looks up keys, because it ignores these records.
        keys = self.builder.keys
        return keys.path if keys is not None and not await self._journal.undone_before() else None

    @property
    def _operation(self) -> RowOperation:
        return self.builder.import_map.action

    @property
    def _journal(self) -> Journal:
        return self.rows.journal

    async def _find(self, keys: list[str]) -> Found:
        try:
            return await self.reports.settling.find(keys)
        except JournalError:
            raise
        except WosdkError as error:
            raise WosdkError(f"row keys cannot be looked up: {error.message}") from error

    async def _prepared(self, only: set[int] | None, again: bool) -> AsyncIterator[list[Claim]]:
        unsent = self.reports.unsent
        async for page in self.rows.pages():
            claims = []
            for nth, (row, key, tried) in enumerate(page, 1):
                if self.stop.reason is not None:
                    return
                if row.number not in unsent and (only is None or row.number in only):
                    try:
                        claims.append(self.builder.build_claim(row, key))
                        self._built = True
                    except Exception as error:  # only this row fails
                        # If another row could be built, or an earlier run tried this row, the failure does
                        # not suggest that all rows fail.
                        self.reports.report_not_sent(row, error, alike=not (self._built or tried))
                if nth % _TURN == 0:
                    await asyncio.sleep(0)
            if claims and self.stop.reason is None:
                yield await self._look_up_keys(claims, again=again)

    async def _look_up_keys(self, claims: list[Claim], *, again: bool) -> list[Claim]:
        """Look up the claims' keys, return the claims to send, and report the other rows."""
        found: Found = {}
        if self.builder.keys is not None:
            keys = [claim.key for claim in claims if claim.key is not None]
            try:
                async with self.stop.cancellable():
                    found = await self._find(keys)
            except StoppedError:
                return []
        creates = self._operation.by is None
        wanted = []
        for claim in claims:
            records = found.get(claim.key or "", ())
            try:
                if isinstance(records, RowError):
                    self.reports.report_existing(claim.row, records.message)
                elif creates and records:
                    self._report_known(claim, records, again)
                elif creates or self._has_record(claim, records, again):
                    if claim.incomplete:
                        raise RowError(_INCOMPLETE)
                    wanted.append(claim)
            except RowError as error:
                self.reports.report_not_sent(claim.row, error)
        return wanted

    def _report_known(self, claim: Claim, records: Sequence[Any], again: bool) -> None:
        """Report a row whose key is not new."""
        if again and len(records) == 1:
            self.reports.report_carried_out(claim.row, effect_of(records[0]))
        elif self.reports.stops.options.if_exists == "skip":
            ended = f"found, but {shown_records(records)}" if is_ended(records[0]) else None
            self.reports.report_found(claim.row, effect_of(records[0]), ended)
        else:
            path = self.builder.keys.path if self.builder.keys is not None else ""
            reason = f"already exists: {shown_records(records)} has {path} {claim.key!r}"
            self.reports.report_existing(claim.row, reason, KEY_EXISTS, partial(self._remedies, claim.row))

    def _remedies(self, row: Row) -> dict[str, Any]:
        found = self.rows.identities.of(row)
        return existing_remedies(self._journal.folder, self._journal.plan, [found.identity], found.digest)

    def _has_record(self, claim: Claim, records: Sequence[Any], again: bool) -> bool:
        """Set the id of the record to change, and return whether to send the row."""
        operation = self._operation
        if again and not operation.compares:  # updates compare, and are simply repeated
            effect = operation.settled(claim.record, claim.key or "", records)
            if effect is not None:
                self.reports.report_carried_out(claim.row, effect)
                return False
        operation.set_id(claim.record, claim.key or "", records)
        return True

    async def _send_and_prove(self, claim: Claim, path: str, marker: str | None, trace: Trace) -> Any:
        company = self.reports.settling.company.traced(trace)
        result = await self._operation.send(company, claim.record, marker)
        created = f"row {claim.row.number} was created with {path} {claim.key!r}"
        try:
            async with self.stop.cancellable():
                found = await self._find([claim.key or ""])
        except StoppedError:  # the next run verifies the marker
            return result
        except WosdkError as error:  # the record was still created
            text = f"the marker could not be verified: {created}; {error.message}"
            self.stop.start_no_more(RunStoppedError(text, **error.facts))
            return result
        self._proved = bool(found.get(claim.key or ""))
        if not self._proved:
            text = (
                f"the marker does not work: {created}, but a query by this key found nothing; "
                "choose another marker"
            )
            self.stop.start_no_more(RunStoppedError(text, kind="marker"))
        return result

    async def _consume(self, run: Run[Claim, Any], claims: Claims) -> None:
        def report(outcome: Outcome[Claim, Any]) -> None:
            outcomes = [outcome, *run.ready()]
            self.reports.report_calls(outcomes)
            claims.count_recorded(len(outcomes))

        def stop() -> None:
            claims.stop()
            run.stop()

        await self.stop.consume(run, report, stop)
