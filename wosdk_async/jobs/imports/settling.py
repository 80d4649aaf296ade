"""Rows in doubt: looked up by their keys and planned again once confirmed absent, or decided by a person."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import attrs

from wosdk_async.company import Company
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.errors import JournalError, RowError, reason_of
from wosdk_async.jobs.journal import DECIDED, LOOKED_UP, Journal, RowRecord, State, StoredRow, run_table
from wosdk_async.jobs.ledger.outcomes import RowOutcome
from wosdk_async.jobs.ledger.undone import find_rows
from wosdk_async.jobs.mapping.operations import Effect, Found, usable_id
from wosdk_async.jobs.mapping.record_operations import RowOperation, operation_named
from wosdk_async.jobs.stop import Stop, StoppedError, say_and_sleep
from wosdk_async.model import Command, WoCreateCommand, WorkOrder
from wosdk_async.model.index import UNSUPPORTED
from wosdk_async.protocol.writes import UNDECIDED, LookUps
from wosdk_async.query.fields import fields
from wosdk_async.text.remedies import Remedy

__all__ = ["Doubt", "Settling", "decide", "doubts_in", "settle_job"]

_PAGE = 200  # rows that are looked up at a time

_KILLED = "it was being sent when the run was killed, or could not write its outcome"
_NO_MARKER = f"{_KILLED}, and there is no marker to look it up by"
_UNSETTLED = f"{_KILLED}; run the same command again to look it up"


@attrs.frozen
class Doubt:
    """A row in doubt: sent, with unknown outcome.

    ``since`` is the event loop's time at which its settle time starts.
    """

    row: int
    line: int
    key: str
    since: float
    reason: str
    request_id: str | None = None
    code: str | None = None
    """Class of the error that caused the doubt."""
    attempts: int = 0
    seconds: float = 0.0
    """Duration of the call."""
    record: Any = None
    """The command or record of the row; None if it need not be compared."""
    reported: bool = True
    """Whether to report it; rows that the file lacks are settled silently."""
    gone: LookUps | None = None
    """Look-ups of a delete without any record, not even a removed one; None once one was found."""

    @classmethod
    def of(cls, row: StoredRow, since: float, reason: str) -> Doubt:
        """Return the doubt of a row in the journal; ``reason`` is the default."""
        call = (row.reason or reason, row.request_id, row.code, row.attempts, row.seconds)
        return cls(row.row, row.line, row.key or "", since, *call, reported=row.place is not None)

    @property
    def call(self) -> dict[str, Any]:
        """The facts about the call for the journal."""
        return {"request_id": self.request_id, "attempts": self.attempts, "seconds": self.seconds}


@attrs.define(eq=False, kw_only=True)
class Settling:
    """Settling of rows in doubt.

    All methods but :meth:`leave_undecided` may be cancelled: undecided rows then stay in doubt.
    """

    company: Company
    journal: Journal
    operation: RowOperation
    marker: str | None
    """Field that carries the keys; without it nothing can be settled."""
    seconds: float
    """Seconds after which a missing row cannot appear any more (``CallOptions.settle``)."""
    on_row: Callable[[RowOutcome], None]
    rebuilt: Callable[[set[int]], Awaitable[Mapping[int, Any]]] | None = None
    """Function that rebuilds rows of the file; needed by operations that compare."""
    on_stage: Callable[[str], None] = lambda _: None
    """Called every few seconds with a text about the wait."""
    undecided: list[Doubt] = attrs.field(factory=list)
    done: int = 0
    _left: set[int] = attrs.field(factory=set)
    _looked: bool = False
    """Whether all rows of earlier runs were looked up."""

    async def look_up_earlier_runs(self) -> None:
        """Look up the rows that an earlier run left in doubt or being sent, before anything new is sent.

        The settle time of missing ones starts now: the clock of the earlier run may be wrong.
        Without a marker they stay in doubt.
        """
        if self.marker is None:
            await self.leave_undecided()
            return
        now = asyncio.get_running_loop().time()
        async for page in self.journal.pages(*UNDECIDED, size=_PAGE):
            doubts = [Doubt.of(row, now, _UNSETTLED) for row in page]
            if self.rebuilt is not None and self.operation.compares:
                records = await self.rebuilt({each.row for each in doubts})
                doubts = [attrs.evolve(each, record=records.get(each.row)) for each in doubts]
            self.undecided += await self._look_up(doubts)
        self._looked = True

    async def settle(self) -> set[int]:
        """Wait until the undecided rows have settled, and return those that are confirmed absent.

        They are planned again. Rows that cannot be looked up stay undecided.
        """
        if self.marker is None or not self.undecided:
            return set()
        since = max(each.since for each in self.undecided)
        try:
            if not await self.wait(
                self._look_at_undecided, f"rows in doubt: {len(self.undecided)}", since=since
            ):
                return set()
        except WosdkError:
            return set()
        absent, self.undecided = self.undecided, []
        await self.journal.plan_again(each.row for each in absent)
        return {each.row for each in absent}

    def found_later(self, row: StoredRow, records: Sequence[Any]) -> None:
        """Settle a row in doubt as done: its record was found later."""
        effect = self.operation.settled(None, row.key or "", records)
        if effect is not None:
            self.undecided = [each for each in self.undecided if each.row != row.row]
            self._done(Doubt.of(row, 0.0, ""), effect)

    async def wait(
        self, look: Callable[[], Awaitable[bool]], what: str, *, since: float | None = None
    ) -> bool:
        """Look up until all are found or the rest is confirmed absent; return whether that is so.

        Args:
            look: makes one look-up, and returns whether anything remains in doubt.
            what: the looked-up records and their number, for messages.
            since: the event loop's time at which the settle time starts; by default now.
        """
        now = asyncio.get_running_loop().time
        look_ups = LookUps(now() if since is None else since, self.seconds)

        def say(left: float) -> None:
            until = "the service may still carry them out"
            self.on_stage(f"{what}; looked up again in {left:.0f} s: {until}")

        await say_and_sleep(max(look_ups.counts_from - now(), 0.0), say)
        while look_ups.state is State.IN_DOUBT:
            await asyncio.sleep(look_ups.counts_from - now())
            began = now()
            if not await look():
                return False
            look_ups = look_ups.after(began, now(), found=False)
        return True

    async def _look_at_undecided(self) -> bool:
        for page in _pages(self.undecided):
            self.undecided = self.undecided[len(page) :] + await self._look_up(page)
        return bool(self.undecided)

    async def leave_undecided(self) -> None:
        """Leave undecided rows in doubt, also rows of earlier runs that were not looked up."""
        for each in self.undecided:
            self._leave(each, each.reason)
        self.undecided = []
        if self._looked:
            return
        self._looked = True
        # Without a marker a row that was left in doubt before stays so.
        states = (State.SENDING,) if self.marker is None else UNDECIDED
        async for page in self.journal.pages(*states, size=_PAGE):
            for row in page:
                if row.row not in self._left:
                    reason = _NO_MARKER if self.marker is None else _UNSETTLED
                    self._leave(Doubt.of(row, 0.0, reason), row.reason or reason)

    async def find(self, keys: Sequence[str], *, whole: bool = False) -> Found:
        """Return the records that have each key; see :func:`find_rows`."""
        assert self.marker is not None  # noqa: S101 - checked by all callers
        return await find_rows(self.operation, self.company, self.journal, self.marker, keys, whole=whole)

    async def _look_up(self, doubts: Sequence[Doubt]) -> list[Doubt]:
        """Look up rows and settle those that this decides; return the others."""
        keys = [each.key for each in doubts]
        now = asyncio.get_running_loop().time
        began = now()
        found = await self.find(keys, whole=True)
        undecided, ended = [], now()
        for each in doubts:
            records = found.get(each.key, ())
            try:
                if self.operation.compares and each.record is None:
                    raise RowError("its row in the file can no longer be read, so nothing can be compared")
                if isinstance(records, RowError):
                    raise records
                effect = self.operation.settled(each.record, each.key, records)
            except RowError as error:
                self._leave(each, reason_of(error))
                continue
            gone = None
            if effect is not None and not records:
                gone = (each.gone or LookUps(began, settle=0.0)).after(began, ended, found=False)
            if effect is None or (gone is not None and gone.state is State.IN_DOUBT):
                undecided.append(attrs.evolve(each, gone=gone))
            else:
                self._done(each, effect)
        return undecided

    def _done(self, doubt: Doubt, effect: Effect) -> None:
        # Without the version: that of the creation is not known, the record may have been changed since.
        record = RowRecord(doubt.row, State.DONE, effect.id, effect.number, proof=LOOKED_UP, **doubt.call)
        kept = self.journal.record(record, as_in_file=doubt.record is not None)  # they were compared
        if doubt.reported:
            self.done += 1
            entity = effect.entity or None
            self.on_row(RowOutcome.of(kept, doubt.line, self.operation.label, entity))

    def _leave(self, doubt: Doubt, reason: str) -> None:
        record = RowRecord(doubt.row, State.IN_DOUBT, reason=reason, code=doubt.code, **doubt.call)
        kept = self.journal.record(record)
        self._left.add(doubt.row)
        if doubt.reported:
            self.on_row(RowOutcome.of(kept, doubt.line, "in_doubt"))


def _pages(doubts: list[Doubt]) -> Iterator[list[Doubt]]:
    return (doubts[i : i + _PAGE] for i in range(0, len(doubts), _PAGE))


async def settle_job(
    journal: Journal,
    company: Company,
    *,
    on_stage: Callable[[str], None] = lambda _: None,
    stop: Stop | None = None,
) -> dict[str, int]:
    """Look up the rows in doubt by their keys; those that are confirmed absent are planned again.

    Nothing is sent. When a row is missing at first, this takes the settle time, after the time for which
    workers of earlier runs may still send rows; ``on_stage`` gets a text then. After ``stop`` the undecided
    rows stay in doubt.

    Returns:
        How many rows were ``looked_up``, were ``found``, and were ``not_there``.

    Raises:
        JournalError: rows in doubt have no keys, or only the file of the job says what they change.
    """
    operation = operation_named(journal.plan.operation)
    counts = Counter(journal.counts()) + Counter(journal.gone())
    if not (looked_up := sum(counts[each] for each in UNDECIDED)):
        return {"looked_up": 0, "found": 0, "not_there": 0}
    if journal.plan.marker is None:
        raise JournalError(
            f"{journal.folder}: the job has no marker, so nothing can be looked up",
            remedies=(Remedy.DECIDE_ROWS,),
            folder=str(journal.folder),
        )
    if operation.compares:
        raise JournalError(
            f"{journal.folder}: to settle {operation.name!r}, the file is needed",
            remedies=(Remedy.RUN_AGAIN,),
            folder=str(journal.folder),
        )

    settling = Settling(
        company=company,
        journal=journal,
        operation=operation,
        marker=journal.plan.marker,
        seconds=company.options.settle,
        on_row=lambda _: None,
        on_stage=on_stage,
    )
    absent: set[int] = set()
    with suppress(StoppedError):
        async with (stop or Stop()).ends():
            await end_leases(journal, on_stage)
            await settling.look_up_earlier_runs()
            absent = await settling.settle()
    await settling.leave_undecided()
    await journal.flush()
    return {"looked_up": looked_up, "found": settling.done, "not_there": len(absent)}


async def doubts_in(journal: Journal) -> list[int]:
    """Return the numbers of the rows in doubt, also of rows that the file no longer has."""
    return [row.row async for page in journal.pages(*UNDECIDED) for row in page]


async def decide(
    journal: Journal,
    row: int,
    id: int | None,
    who: str,
    *,
    company: Company | None = None,
    on_stage: Callable[[str], None] = lambda _: None,
) -> None:
    """Record a person's decision about a row in doubt, once no worker can send it any more.

    Args:
        journal: the journal of the job.
        row: the number of the row.
        id: id of the created record; None if none was created, which plans the row again.
        who: the person and the time, for the journal.
        company: the Company of the job, in which the id is looked up; None skips the look-up.
        on_stage: called with a text while it waits for workers of a killed run.

    Raises:
        JournalError: the job has no such row, it is not in doubt, or no record has the id.
        WosdkError: the look-up failed.
    """
    if id is not None and usable_id(id) is None:
        raise JournalError(f"{id} cannot be the id of a record; ids are whole numbers from 1 to {2**63 - 1}")
    if id is not None:
        other = await journal.read(partial(run_table.row_with_id, id=id))
        if other not in (None, row):
            raise JournalError(f"{journal.folder}: {id} is already the record of row {other}")
        if company is not None:
            await _require_record(company, operation_named(journal.plan.operation), id)
    await end_leases(journal, on_stage)  # until then a worker may send the row
    found = await journal.rows_in(after=row - 1, limit=1)
    if not found or found[0].row != row:
        raise JournalError(f"{journal.folder}: the job has no row {row}")
    state = found[0].state
    if state not in UNDECIDED:
        raise JournalError(f"{journal.folder}: row {row} is not in doubt, it is {state.word}")
    reason = f"decided by {who}; before: {found[0].reason or 'being sent when the run was killed'}"
    new = State.PLANNED if id is None else State.DONE
    call = {name: getattr(found[0], name) for name in ("code", "request_id", "attempts", "seconds")}
    journal.record(RowRecord(row, new, id, reason=reason, proof=DECIDED, **call))
    await journal.flush()


async def _require_record(company: Company, operation: RowOperation, id: int) -> None:
    """Raise JournalError unless the operation can have made a record with this id; removed ones count."""
    entity = WorkOrder if operation.kind is WoCreateCommand else operation.kind
    if issubclass(entity, Command) or operation.label == "deleted":
        return
    if "query" in UNSUPPORTED.get(entity.wire_name, {}):
        return
    if await company.query(entity).where(fields(entity).id == id).select("Id").first() is None:
        raise JournalError(
            f"no {entity.wire_name} has the id {id}; correct the id, or decide that the row was "
            "not carried out"
        )
