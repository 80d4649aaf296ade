"""Rows in doubt: looked up by their keys, and planned again once they are certainly not there."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from wosdk_async.company import Company
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.journal import LOOKED_UP, Journal, RowRecord, State, StoredRow
from wosdk_async.jobs.row_operation import Effect, RowOperation
from wosdk_async.jobs.rows import Row, RowOutcome
from wosdk_async.jobs.stop import say_and_sleep
from wosdk_async.jobs.undone_keys import find_rows
from wosdk_async.protocol.writes import UNDECIDED, LookUps

__all__ = ["Doubt", "Settling"]

_PAGE = 200  # rows that are looked up at a time

_KILLED = "it was being sent when the run was killed, or could not write its outcome"
_NO_MARKER = f"{_KILLED}, and there is no marker to look it up by"
_UNSETTLED = f"{_KILLED}; the same command given again looks it up"


@attrs.frozen
class Doubt:
    """A row in doubt: no response said whether it was carried out.

    ``since`` is the event loop's time from which it has to settle.
    """

    row: int
    line: int
    key: str
    since: float
    reason: str
    request_id: str | None = None
    code: str | None = None
    """Class of the error that left it in doubt."""
    attempts: int = 0
    seconds: float = 0.0
    """Duration of the call."""
    record: Any = None
    """What was built from the row; None when nobody has to compare it."""
    reported: bool = True
    """Whether it is a row of the file; others are settled, and nobody is told."""
    gone: LookUps | None = None
    """Look-ups of a delete that found no record, not even a removed one; None after one that did."""

    @classmethod
    def of(cls, row: StoredRow, since: float, reason: str) -> Doubt:
        """Return the doubt of a row as the journal has it; ``reason`` is that of a row without one."""
        known = (row.reason or reason, row.request_id, row.code, row.attempts, row.seconds)
        return cls(row.row, row.line, row.key or "", since, *known, reported=row.place is not None)

    @property
    def call(self) -> dict[str, Any]:
        """What the journal keeps of the call."""
        return {"request_id": self.request_id, "attempts": self.attempts, "seconds": self.seconds}


@attrs.define(eq=False, kw_only=True)
class Settling:
    """Decides what became of rows in doubt.

    All but :meth:`leave_the_rest` may be cancelled: what is not decided then is left in doubt.
    """

    company: Company
    journal: Journal
    operation: RowOperation
    marker: str | None
    """Field that carries the keys; without one nothing can be decided."""
    seconds: float
    """Seconds after which a row that is not there will not appear any more (``CallOptions.settle``)."""
    on_row: Callable[[RowOutcome], None]
    rebuilt: Callable[[set[int]], Awaitable[Mapping[int, Any]]] | None = None
    """Function that returns what is built from rows of the file; operations that compare need it."""
    on_stage: Callable[[str], None] = lambda _: None
    """Called with a text that says what is waited for, again every few seconds."""
    undecided: list[Doubt] = attrs.field(factory=list)
    done: int = 0
    _left: set[int] = attrs.field(factory=set)
    _looked: bool = False
    """Whether all rows of earlier runs were looked up."""

    async def look_at_earlier_runs(self) -> None:
        """Look up the rows that an earlier run left being sent or in doubt, before anything new is sent.

        The settle time of those that are not there starts now: the clock of the earlier run may be wrong.
        Without a marker they are in doubt for good.
        """
        if self.marker is None:
            await self.leave_the_rest()
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
        """Wait until the undecided rows have settled, and return those that are certainly not there.

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
        """Decide a row in doubt of which one record was found after all."""
        effect = self.operation.settled(None, row.key or "", records)
        if effect is not None:
            self.undecided = [each for each in self.undecided if each.row != row.row]
            self._done(Doubt.of(row, 0.0, ""), effect)

    async def wait(
        self, look: Callable[[], Awaitable[bool]], what: str, *, since: float | None = None
    ) -> bool:
        """Look until all is found, or what remains is absent for certain; return whether that is so.

        Args:
            look: makes one look-up of what remains, and returns whether anything does.
            what: name and number of what is looked up, for people.
            since: the event loop's time from which it has to settle; None means now.
        """
        now = asyncio.get_running_loop().time
        look_ups = LookUps(now() if since is None else since, self.seconds)

        def say(left: float) -> None:
            until = "until then the service may still carry them out"
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

    async def leave_the_rest(self) -> None:
        """Leave in doubt what is undecided, and rows of earlier runs that were not looked up."""
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

    async def _look_up(self, doubts: Sequence[Doubt]) -> list[Doubt]:
        """Return the rows that these look-ups do not decide alone; the others are decided."""
        assert self.marker is not None  # noqa: S101 - checked by both callers
        keys = [each.key for each in doubts]
        now = asyncio.get_running_loop().time
        began = now()
        found = await find_rows(self.operation, self.company, self.journal, self.marker, keys, whole=True)
        undecided, ended = [], now()
        for each in doubts:
            records = found.get(each.key, ())
            try:
                if self.operation.compares and each.record is None:
                    raise RowError("its row cannot be read any more, so nothing can be compared")
                if isinstance(records, RowError):
                    raise records
                effect = self.operation.settled(each.record, each.key, records)
            except RowError as error:
                self._leave(each, error.message)
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
        self.journal.record(record, as_in_file=doubt.record is not None)  # they were compared
        if doubt.reported:
            self.done += 1
            row = Row(doubt.row, doubt.line, {})
            self.on_row(RowOutcome.carried_out(row, self.operation.label, effect))

    def _leave(self, doubt: Doubt, reason: str) -> None:
        record = RowRecord(doubt.row, State.IN_DOUBT, reason=reason, code=doubt.code, **doubt.call)
        self.journal.record(record)
        self._left.add(doubt.row)
        if doubt.reported:
            row = Row(doubt.row, doubt.line, {})
            self.on_row(RowOutcome.in_doubt(row, reason, doubt.request_id, doubt.code))


def _pages(doubts: list[Doubt]) -> Iterator[list[Doubt]]:
    return (doubts[i : i + _PAGE] for i in range(0, len(doubts), _PAGE))
