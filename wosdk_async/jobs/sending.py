"""Sender of the rows of a job: read, built, looked up by their keys, claimed, sent and reported."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import Any

import attrs

from wosdk_async.bulk import Run
from wosdk_async.company import Company
from wosdk_async.errors import InDoubtError, WosdkError
from wosdk_async.jobs.claims import Claim, Claims
from wosdk_async.jobs.errors import ImportMapError, RowError, WaitingRowError, require_sendable
from wosdk_async.jobs.journal import ANSWERED, LOOKED_UP, Journal, RowRecord, State
from wosdk_async.jobs.mapping.import_map import ImportMap
from wosdk_async.jobs.mapping.nodes import MissingRecord, RowContext
from wosdk_async.jobs.marking import RowKeys
from wosdk_async.jobs.operations import RowOperation, effect_of
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.reference_index import ReferenceIndex
from wosdk_async.jobs.rows import Row, RowOutcome, code_of
from wosdk_async.jobs.sampling import CallMeter
from wosdk_async.jobs.settling import Doubt
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.stops import StopRules
from wosdk_async.jobs.undone_keys import find_rows
from wosdk_async.model import Record
from wosdk_async.outcome import Failed, InDoubt, NotStarted, Outcome
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["RowSender"]

ABORT_GRACE = 2.0  # seconds that calls under way still get when the import is aborted
_PAGE = 200  # rows that are read, built and looked up together
_TURN = 25  # rows that are built before the event loop gets a turn


@attrs.define(eq=False, kw_only=True)
class RowSender:
    """Sends the planned rows of one job, and writes down what becomes of each."""

    company: Company
    source: Source
    import_map: ImportMap
    index: ReferenceIndex
    keys: RowKeys | None
    journal: Journal
    options: ImportOptions
    stops: StopRules
    on_row: Callable[[RowOutcome], None]
    unsent: set[int] = attrs.field(factory=set)
    """Rows that this run could not send; the same command given again sends them."""
    doubted: list[Doubt] = attrs.field(factory=list)
    """Rows that this run left in doubt, and that can be looked up later."""
    done: int = 0
    stopped: bool = False
    _proved: bool = False
    _stop_current: Callable[[], None] | None = None
    _meter: CallMeter = attrs.field(
        default=attrs.Factory(lambda self: CallMeter(self.journal), takes_self=True)
    )

    @property
    def operation(self) -> RowOperation:
        """What is done with each row."""
        return self.import_map.action

    def stop(self) -> None:
        """Start no further row."""
        self.stopped = True
        if self._stop_current is not None:
            self._stop_current()

    async def send(self, only: set[int] | None = None) -> None:
        """Send the planned rows, or those of them in ``only``.

        Raises:
            ImportMapError: the file has changed since the job began; the rows before the change are sent.
            JournalError: the journal cannot be written; no row is sent that is not in it.
        """
        async with Claims(self._prepared(only), self.journal, self.options.limit) as claims:
            if self.keys is not None and self.operation.by is None and not self._proved:
                # One row alone, so that a marker that cannot be found costs one work order.
                first = Run(_Until(claims, self._is_proved), self._send_and_prove, limit=1, grace=ABORT_GRACE)
                await self._consume(first, claims)
            marker, limit = await self._marker(), self.options.limit
            run = self.operation.run(self.company, claims, marker, limit=limit, grace=ABORT_GRACE)
            await self._consume(run, claims)

    async def _marker(self) -> str | None:
        """Return the marker by which a call looks itself up; None when only the job tells what is its own.

        That is so when records that an undo took back may have the keys.
        """
        if self.keys is None or await self.journal.undone_before():
            return None
        return self.keys.path

    # --- reading ------------------------------------------------------------------------------

    async def _prepared(self, only: set[int] | None) -> AsyncIterator[Claim]:
        rows, last = iter(self.source), 0
        while page := list(islice(rows, _PAGE)):
            states = await self.journal.page(page[0].number, page[-1].number)
            if len(states) != len(page):
                raise self._changed(page[min(len(states), len(page) - 1)])
            last = page[-1].number
            claims = []
            for row, (number, state, known, key) in zip(page, states, strict=True):
                if self.stopped:
                    return
                if (
                    state != State.PLANNED
                    or number in self.unsent
                    or (only is not None and number not in only)
                ):
                    continue
                if row.digest != known:
                    raise self._changed(row)
                if (claim := self._built(row, key)) is not None:
                    claims.append(claim)
                if row.number % _TURN == 0:
                    await asyncio.sleep(0)
            for claim in await self._not_there(claims, again=only is not None):
                yield claim
        if last < self.journal.plan.rows:
            raise ImportMapError(
                f"{self.source.path}: the file has changed since the job began: it has {last} rows now, not "
                f"{self.journal.plan.rows}; no further row was sent"
            )

    async def planned_rows(self) -> AsyncIterator[Row]:
        """Yield the rows of the file that are still to be sent."""
        rows = iter(self.source)
        while page := list(islice(rows, _PAGE)):
            states = await self.journal.page(page[0].number, page[-1].number)
            for row, (_, state, _, _) in zip(page, states, strict=False):
                if state == State.PLANNED:
                    yield row

    def _changed(self, row: Row) -> ImportMapError:
        return ImportMapError(
            f"{self.source.path}, line {row.line}: the file has changed since the job began; no further row "
            "was sent"
        )

    def _built(self, row: Row, key: str | None) -> Claim | None:
        """Return the claim of a row, or None after it was refused."""
        try:
            record, missing = self.build(row)
            if missing:
                raise RowError("a record that it refers to is missing: the file has changed since the start")
            if self.keys is not None:
                if self.keys.node is not None and (now := self.keys.key(row, self.index)) != key:
                    raise RowError(
                        f"its key is {now!r} now, and was {key!r} when the job began; give the map as it was"
                    )
                self.keys.put(record, key)
        except WaitingRowError as error:
            self.unsent.add(row.number)
            self.stops.unsent(error.message)
            self._end(row, RowOutcome.failed(row, error.message))
            return None
        except Exception as error:  # of one row: the others can be sent
            self._refused(row, _text(error))
            return None
        return Claim(row, record, key)

    def build(self, row: Row) -> tuple[Record, list[MissingRecord]]:
        """Return the command or record of a row, and the records that have to be created before it is sent.

        Raises:
            InvalidCallError: the row cannot be sent, whichever records exist.
        """
        if row.fault is not None:
            raise RowError(row.fault)
        context = RowContext(row.cells, self.index, row.warnings)
        record = self.import_map.record.build(context)
        if context.missing:
            require_sendable(record, new=self.operation.new)
        return record, context.missing

    async def rebuilt(self, numbers: set[int]) -> dict[int, Record]:
        """Return what is built from some rows of the file, without those that cannot be built."""
        found = {}
        for row in self.source:
            if row.number in numbers:
                with suppress(Exception):  # the row stays in doubt
                    found[row.number] = self.build(row)[0]
            if row.number % _PAGE == 0:
                await asyncio.sleep(0)
        return found

    async def _not_there(self, claims: list[Claim], *, again: bool) -> list[Claim]:
        """Return the claims whose keys are not in the Company yet; the others end here.

        Of rows that are sent ``again``, a record that appeared so late is the work of the job.
        """
        if self.keys is None or not claims:
            return claims
        keys = [claim.key for claim in claims if claim.key is not None]
        found = await find_rows(self.operation, self.company, self.journal, self.keys.path, keys)
        kept = []
        for claim in claims:
            records = found.get(claim.key or "", ())
            if self.operation.by is not None:
                if again and self._gone(claim, records):
                    continue
                if self._pointed(claim, records):
                    kept.append(claim)
            elif not records:
                kept.append(claim)
            elif again and len(records) == 1:
                self.done += 1
                effect = effect_of(records[0])
                done = RowOutcome.carried_out(claim.row, self.operation.label, effect)
                self._end(claim.row, done, proof=LOOKED_UP)
            elif self.options.if_exists == "skip":
                effect = effect_of(records[0])
                self._end(claim.row, RowOutcome.found(claim.row, effect))
            else:
                ids = ", ".join(f"{record.wire_name} {record.id}" for record in records[:3])
                self._refused(claim.row, f"is there already: {self.keys.path} {claim.key!r} is that of {ids}")
        return kept

    def _gone(self, claim: Claim, records: Sequence[Any]) -> bool:
        """Return whether the job's own delete took effect so late; the row ends with it."""
        if self.operation.compares:  # an update can be written again
            return False
        effect = self.operation.settled(claim.record, claim.key or "", records)
        if effect is None:
            return False
        self.done += 1
        done = RowOutcome.carried_out(claim.row, self.operation.label, effect)
        self._end(claim.row, done, proof=LOOKED_UP)
        return True

    def _pointed(self, claim: Claim, records: Sequence[Any]) -> bool:
        """Return whether the record that a row changes is known; if not, the row is refused."""
        try:
            self.operation.point(claim.record, claim.key or "", records)
        except RowError as error:
            self._refused(claim.row, error.message)
            return False
        return True

    # --- sending ------------------------------------------------------------------------------

    async def _send_and_prove(self, claim: Claim, trace: Trace) -> Any:
        """Create the first record, and check that a query finds it by its key."""
        assert self.keys is not None  # noqa: S101 - only called with a marker
        result = await self.operation.send(self.company.traced(trace), claim.record, await self._marker())
        if not self._proved:
            keys = [claim.key or ""]
            found = await find_rows(self.operation, self.company, self.journal, self.keys.path, keys)
            self._proved = bool(found.get(claim.key or ""))
            if not self._proved:
                self.stops.stop(
                    f"the marker does not work: row {claim.row.number} was created with {self.keys.path} "
                    f"{claim.key!r}, and no query finds it by that; choose another marker"
                )
        return result

    def _is_proved(self) -> bool:
        return self._proved

    async def _consume(self, run: Run[Claim, Any], claims: Claims) -> None:
        """Carry out a run and report every outcome, one for each claim also when it is cancelled."""

        def stop() -> None:
            claims.stop()
            run.stop()

        self._stop_current = stop
        if self.stopped or self.stops.reason:
            stop()
        try:
            async with run:
                async for outcome in run:
                    self._report(outcome)
                    claims.recorded()
        except asyncio.CancelledError:
            claims.stop()
            async for outcome in run:  # what ended meanwhile, and what was not started
                self._report(outcome)
            raise
        finally:
            self._stop_current = None
            self._meter.flush()

    # --- reporting ----------------------------------------------------------------------------

    def _report(self, outcome: Outcome[Claim, Any]) -> None:
        row = outcome.input.row
        if isinstance(outcome, NotStarted):
            self.journal.record(RowRecord(row=row.number, state=State.PLANNED))
            return
        attempts, seconds = self._meter.add(outcome, outcome.input.started)
        if isinstance(outcome, Failed) and ending_of(outcome.error).passes:
            # Not carried out for certain, and not for a fault of the row: it stays planned.
            self.unsent.add(row.number)
            self.stops.unsent(_text(outcome.error))
        elif isinstance(outcome, Failed):
            self.stops.refused(_text(outcome.error))
        elif isinstance(outcome, InDoubt):
            self.stops.in_doubt()
            if outcome.input.key is not None:
                self._doubt(outcome.input, outcome.error, attempts, seconds)
                return
        else:
            self.done += 1
            self.stops.done()
            effect = self.operation.effect(outcome.result)
            done = RowOutcome.of(row, outcome, self.operation.label, effect)
            known = {"version": effect.version, "proof": ANSWERED}
            self._end(row, done, attempts=attempts, seconds=seconds, **known)
            return
        made = RowOutcome.of(row, outcome, self.operation.label)
        if behind := self.import_map.columns_behind(made.reason or ""):
            made = attrs.evolve(made, reason=f"{made.reason} ({behind})")
        self._end(row, made, attempts=attempts, seconds=seconds)

    def _doubt(self, claim: Claim, error: InDoubtError, attempts: int, seconds: float) -> None:
        """Keep a row that can be looked up later; it is reported when it is decided."""
        row, now = claim.row, asyncio.get_running_loop().time()
        doubt = Doubt(row.number, row.line, claim.key or "", now, error.message, error.request_id)
        self.doubted.append(attrs.evolve(doubt, record=claim.record) if self.operation.compares else doubt)
        self._write(
            RowRecord(
                row.number,
                State.IN_DOUBT,
                reason=error.message,
                code=code_of(error),
                request_id=error.request_id,
                attempts=attempts,
                seconds=seconds,
            )
        )

    def _refused(self, row: Row, reason: str) -> None:
        self.stops.refused(reason)
        self._end(row, RowOutcome.failed(row, reason))

    def _end(self, row: Row, outcome: RowOutcome, **call: Any) -> None:
        """Record and report an outcome; ``call`` are further fields of its record."""
        state = State.PLANNED if row.number in self.unsent else _STATES[outcome.outcome]
        self._write(
            RowRecord(
                row.number,
                state,
                outcome.id,
                outcome.number,
                outcome.reason,
                outcome.code,
                outcome.request_id,
                outcome.warnings,
                **call,
            )
        )
        self.on_row(outcome)

    def _write(self, record: RowRecord) -> None:
        self.journal.record(record)
        if self.journal.failed is not None:
            self.stops.stop(self.journal.failed.message)
        if self.stops.reason is not None:
            self.stop()


_STATES = {
    **dict.fromkeys(("created", "updated", "deleted", "done"), State.DONE),
    "found": State.FOUND,
    "failed": State.REFUSED,
    "in_doubt": State.IN_DOUBT,
}


class _Until:
    """An async iterator over claims that ends as soon as ``enough`` says so."""

    def __init__(self, claims: Claims, enough: Callable[[], bool]) -> None:
        self._claims = claims
        self._enough = enough

    def __aiter__(self) -> _Until:
        return self

    async def __anext__(self) -> Claim:
        if self._enough():
            raise StopAsyncIteration
        return await anext(self._claims)


def _text(error: Exception) -> str:
    return error.message if isinstance(error, WosdkError) else f"{type(error).__name__}: {error}"
