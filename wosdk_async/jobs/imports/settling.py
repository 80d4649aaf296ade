"""Settling of rows in doubt, by looking up their keys and replanning rows that are confirmed absent.

A job can be settled without its file: ``settle_job`` looks up keys, and ``decide`` records a person's
decision.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import attrs
from msgspec.structs import replace

from wosdk_async.company import Company, sender_of
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.errors import JournalError, RowError, reason_of
from wosdk_async.jobs.journal import DECIDED, LOOKED_UP, Journal, State, StoredRow, run_table
from wosdk_async.jobs.ledger.outcomes import RowOutcome
from wosdk_async.jobs.ledger.undone import find_records, shown_records
from wosdk_async.jobs.mapping.operations import Found, usable_id
from wosdk_async.jobs.mapping.record_operations import RowOperation, operation_named
from wosdk_async.jobs.stop import Stop, StoppedError, say_and_sleep
from wosdk_async.model import Command, WoCreateCommand, WorkOrder
from wosdk_async.model.index import UNSUPPORTED
from wosdk_async.protocol.writes import UNDECIDED, Effect, LookUps
from wosdk_async.query.fields import fields
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.clock import TransportClock

_PAGE = 200  # rows per look-up

_NAMES = ("number", "contact_name", "po_number", "name", "display_as")  # by which people know a record
_KILLED = "the run was killed while sending this row, or could not write the outcome"
_NO_MARKER = f"{_KILLED}; the row cannot be looked up without a marker"
_UNSETTLED = f"{_KILLED}; run the same command again to look up the row"


@attrs.frozen
class Doubt:
    """A row that was sent and whose outcome is unknown."""

    row: StoredRow
    since: float
    """Start of the settle time, by the client's clock."""
    record: Any = None
    """The row's command or record; None if the operation compares no records, or the row cannot be
    rebuilt."""
    reported: bool = True
    """Whether to report the row; rows missing from the file are settled silently."""
    look_ups: LookUps | None = None
    """Look-ups so far that showed the effect; None if one look-up is enough proof."""

    @classmethod
    def of(cls, row: StoredRow, since: float = 0.0) -> Doubt:
        """Return the ``Doubt`` for a row of an earlier run."""
        return cls(row, since, reported=row.place is not None)


@attrs.define(eq=False, kw_only=True)
class Settling:
    """Settling of rows in doubt.

    All methods except :meth:`leave_undecided` may be cancelled, which leaves undecided rows in doubt.
    """

    company: Company
    journal: Journal
    operation: RowOperation
    marker: str | None
    """Field with the keys; without a marker, nothing can be settled."""
    on_row: Callable[[RowOutcome], None]
    rebuild: Callable[[set[int]], Awaitable[Mapping[int, Any]]] | None = None
    """Function that rebuilds rows of the file; required by operations that compare records."""
    on_stage: Callable[[str], None] = lambda _: None
    """Callback for a progress message every few seconds."""
    undecided: list[Doubt] = attrs.field(factory=list)
    done: int = 0
    _left: set[int] = attrs.field(factory=set)
    _earlier_handled: bool = False
    """Whether all rows that earlier runs left in doubt have been looked up or reported."""

    @property
    def seconds(self) -> float:
        """Seconds after which a missing record can no longer appear."""
        return self.company.options.settle

    @property
    def clock(self) -> TransportClock:
        """The client's clock."""
        return sender_of(self.company).transport.clock

    async def look_up_earlier_runs(self) -> None:
        """Look up rows that an earlier run left in doubt or in flight, before sending new rows.

        If no record is found, the settle time starts now, because that run's clock may have been wrong.
        Without a marker, the rows stay in doubt.
        """
        if self.marker is None:
            await self.leave_undecided()
            return
        now = self.clock.now()
        async for page in self.journal.pages(*UNDECIDED, size=_PAGE):
            doubts = [Doubt.of(row, now) for row in page]
            if self.rebuild is not None and self.operation.compares:
                records = await self.rebuild({row.row for row in page})
                doubts = [attrs.evolve(each, record=records.get(each.row.row)) for each in doubts]
            self.undecided += await self._look_up(doubts)
        self._earlier_handled = True

    async def settle(self) -> set[int]:
        """Wait until the undecided rows have settled; replan rows confirmed absent, and return their numbers.

        Rows that cannot be looked up stay undecided.
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
        rows = [each.row.row for each in absent]
        await self.journal.plan_again(rows)
        return set(rows)

    def mark_found(self, row: StoredRow, records: Sequence[Any]) -> None:
        """Mark a row in doubt as done because its record has been found."""
        effect = self.operation.settled(None, row.key or "", records)
        if effect is not None:
            self.undecided = [each for each in self.undecided if each.row.row != row.row]
            self._done(Doubt.of(row), effect)

    async def wait(
        self, look: Callable[[], Awaitable[bool]], what: str, *, since: float | None = None
    ) -> bool:
        """Repeat a look-up until nothing remains in doubt or all remaining records are confirmed absent.

        ``look`` returns whether anything remains in doubt. ``since`` is the start of the settle time, by the
        client's clock (default: now). Return whether the remaining records are confirmed absent; False if
        nothing remains.
        """
        now = self.clock.now
        look_ups = LookUps(now() if since is None else since, self.seconds)

        def say(left: float) -> None:
            self.on_stage(f"{what}; the service may still be processing them; next look-up in {left:.0f} s")

        await say_and_sleep(max(look_ups.counts_from - now(), 0.0), say, self.clock)
        while look_ups.state is State.IN_DOUBT:
            await self.clock.sleep(look_ups.counts_from - now())
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
        """Leave undecided rows in doubt, including rows of earlier runs that were not looked up."""
        for each in self.undecided:
            self._leave(each, each.row.reason or _UNSETTLED)
        self.undecided = []
        if self._earlier_handled:
            return
        self._earlier_handled = True
        # Without a marker, rows already in doubt keep their reasons, and only rows in flight get one.
        states = (State.SENDING,) if self.marker is None else UNDECIDED
        async for page in self.journal.pages(*states, size=_PAGE):
            for row in page:
                if row.row not in self._left:
                    reason = _NO_MARKER if self.marker is None else _UNSETTLED
                    self._leave(Doubt.of(row), row.reason or reason)

    async def find(self, keys: Sequence[str], *, whole: bool = False) -> Found:
        """Return the records with each key; see :func:`find_records`."""
        assert self.marker is not None  # noqa: S101 - checked by all callers
        return await find_records(self.operation, self.company, self.journal, self.marker, keys, whole=whole)

    async def _look_up(self, doubts: Sequence[Doubt]) -> list[Doubt]:
        """Look up rows, settle those whose outcome is known, and return the others."""
        now = self.clock.now
        began = now()
        found = await self.find([each.row.key or "" for each in doubts], whole=True)
        undecided, ended = [], now()
        for each in doubts:
            key = each.row.key or ""
            records = found.get(key, ())
            try:
                if self.operation.compares and each.record is None:
                    raise RowError(
                        "the row can no longer be read from the file, so there is nothing to compare"
                    )
                if isinstance(records, RowError):
                    raise records
                effect = self.operation.settled(each.record, key, records)
            except RowError as error:
                self._leave(each, reason_of(error))
                continue
            look_ups = None
            if effect is not None and not records:  # a delete
                look_ups = each.look_ups or LookUps(began, settle=0.0)
            elif effect is not None and each.record is not None and each.row.changed:
                # The record has the row's new values, but a call with the old values may still be in flight.
                look_ups = each.look_ups or LookUps(each.since, self.seconds)
            if look_ups is not None:
                look_ups = look_ups.after(began, ended, found=False)
            if effect is None or (look_ups is not None and look_ups.state is State.IN_DOUBT):
                undecided.append(attrs.evolve(each, look_ups=look_ups))
            else:
                self._done(each, effect)
        return undecided

    def _done(self, doubt: Doubt, effect: Effect) -> None:
        # The version is left out, because the record may have changed since its creation.
        done = replace(doubt.row, state=State.DONE, id=effect.id, number=effect.number, proof=LOOKED_UP)
        record = replace(done, reason=None, code=None)
        # A row with `doubt.record` was compared, so the Company has the values of the row's current cells.
        stored = self.journal.record(record, as_in_file=doubt.record is not None)
        if doubt.reported:
            self.done += 1
            self.on_row(RowOutcome.of(stored, record.line, self.operation.label, effect.entity or None))

    def _leave(self, doubt: Doubt, reason: str) -> None:
        record = replace(doubt.row, state=State.IN_DOUBT, reason=reason)
        stored = self.journal.record(record)
        self._left.add(record.row)
        if doubt.reported:
            self.on_row(RowOutcome.of(stored, record.line, "in_doubt"))


def _pages(doubts: list[Doubt]) -> Iterator[list[Doubt]]:
    return (doubts[i : i + _PAGE] for i in range(0, len(doubts), _PAGE))


# --- a job without its file -----------------------------------------------------------------------


async def settle_job(
    journal: Journal,
    company: Company,
    *,
    on_stage: Callable[[str], None] = lambda _: None,
    stop: Stop | None = None,
) -> dict[str, int]:
    """Look up rows in doubt by their keys, and replan rows that are confirmed absent.

    Nothing is sent. Confirming absence takes the settle time, which starts once workers of earlier runs can
    no longer send rows. ``on_stage`` gets progress messages. After ``stop``, undecided rows stay in doubt.

    Returns:
        The row counts ``looked_up``, ``found`` (without rows missing from the file) and ``not_there`` (rows
        confirmed absent).

    Raises:
        JournalError: the rows have no keys, or settling requires the job's file.
    """
    operation, folder = operation_named(journal.plan.operation), str(journal.folder)
    counts = Counter(journal.counts()) + Counter(journal.counts(gone=True))
    if not (looked_up := sum(counts[each] for each in UNDECIDED)):
        return {"looked_up": 0, "found": 0, "not_there": 0}
    if journal.plan.marker is None:
        text, remedy = "the job has no marker, so rows cannot be looked up", Remedy.DECIDE_ROWS
        raise JournalError(f"{folder}: {text}", remedies=(remedy,), folder=folder)
    if operation.compares:
        text, remedy = f"settling rows of {operation.name!r} requires the imported file", Remedy.RUN_AGAIN
        raise JournalError(f"{folder}: {text}", remedies=(remedy,), folder=folder)
    settling = Settling(
        company=company,
        journal=journal,
        operation=operation,
        marker=journal.plan.marker,
        on_row=lambda _: None,
        on_stage=on_stage,
    )
    absent: set[int] = set()
    with suppress(StoppedError):
        async with (stop or Stop()).cancellable():
            await end_leases(journal, on_stage)
            await settling.look_up_earlier_runs()
            absent = await settling.settle()
    await settling.leave_undecided()
    await journal.flush()
    return {"looked_up": looked_up, "found": settling.done, "not_there": len(absent)}


async def doubts_in(journal: Journal) -> list[int]:
    """Return the row numbers of rows in doubt, including rows no longer in the file."""
    return [row.row async for page in journal.pages(*UNDECIDED) for row in page]


async def decide(
    journal: Journal,
    row: int,
    id: int | None,
    who: str,
    *,
    company: Company | None = None,
    on_stage: Callable[[str], None] = lambda _: None,
) -> str:
    """Record a person's decision about a row in doubt, once no worker can still send the row.

    Until a run sends the row, the person may decide again. Return the number and name of the record that was
    looked up, or an empty string.

    ``id`` is the created record's id, which is looked up if a ``company`` is given. If ``id`` is None, no
    record was created, and the row is planned again. ``who`` is the person and the time, for the journal.

    Raises:
        JournalError: the row does not exist, or is neither in doubt nor decided; the id is invalid, unknown,
            or belongs to another row; or only other records have the row's key.
        WosdkError: the look-up failed.
    """
    if id is not None and usable_id(id) is None:
        raise JournalError(f"{id} is not a valid record id; use a whole number from 1 to {2**63 - 1}")
    if id is not None:
        other = await journal.read(partial(run_table.row_with_id, id=id))
        if other not in (None, row):
            raise JournalError(
                f"{journal.folder}: record {id} already belongs to row {other}; correct the id"
            )
    await end_leases(journal, on_stage)  # until then, a worker may still send the row
    found = await journal.rows_in(after=row - 1, limit=1)
    if not found or found[0].row != row:
        raise JournalError(f"{journal.folder}: the job has no row {row}")
    state = found[0].state
    if state not in UNDECIDED and found[0].proof != DECIDED:
        raise JournalError(f"{journal.folder}: row {row} is {state.word}, not in doubt")
    shown = ""
    if id is not None and company is not None:
        operation, marker = operation_named(journal.plan.operation), journal.plan.marker
        shown = await _require_record(company, operation, id)
        if marker is not None and found[0].key is not None:
            await _require_key(company, operation, marker, found[0].key, id)
    reason = f"decided by {who}; previously: {found[0].reason or 'in flight when the run was killed'}"
    new = State.PLANNED if id is None else State.DONE
    journal.record(replace(found[0], state=new, id=id, reason=reason, code=None, proof=DECIDED))
    await journal.flush()
    return shown


async def _require_record(company: Company, operation: RowOperation, id: int) -> str:
    """Return a record's number and name. Raises JournalError if there is none with the id, even removed."""
    entity = WorkOrder if operation.kind is WoCreateCommand else operation.kind
    if issubclass(entity, Command) or operation.label == "deleted":
        return ""
    if "query" in UNSUPPORTED.get(entity.wire_name, {}):
        return ""
    names = [name for name in _NAMES if name in entity.__wire__]
    properties = [entity.__wire__[name]["name"] for name in names]
    found = await company.query(entity).where(fields(entity).id == id).select("Id", *properties).first()
    if getattr(found, "id", None) != id:
        raise JournalError(
            f"no {entity.wire_name} has the id {id}; correct the id, or settle the row as not created"
        )
    return ", ".join(str(text) for name in names if (text := getattr(found, name, None)))


async def _require_key(company: Company, operation: RowOperation, marker: str, key: str, id: int) -> None:
    """Raise JournalError if other records have the row's key and the record with this id does not."""
    records = (await operation.find(company, marker, [key])).get(key, ())
    if isinstance(records, RowError) or not records or id in (each.id for each in records):
        return  # too many records to tell, or the key of the record has been edited
    raise JournalError(
        f"{shown_records(records)} has {marker} {key!r}, but record {id} does not; correct the id"
    )
