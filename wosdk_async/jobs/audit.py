"""Audit of a job: the records that the Company has for its rows, beside what the journal says of them."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any, Literal

import attrs

from wosdk_async.company import Company
from wosdk_async.jobs.journal import (
    THERE_BEFORE,
    AuditResult,
    AuditRow,
    JobPlan,
    Journal,
    State,
    StoredRow,
)
from wosdk_async.jobs.journal.audit_table import AuditState, Finding
from wosdk_async.jobs.journal.reader import JournalReader
from wosdk_async.jobs.operation_names import operation_named
from wosdk_async.jobs.row_operation import RowOperation, usable_id
from wosdk_async.jobs.settling import Settling
from wosdk_async.jobs.undone_keys import find_rows, is_ended

__all__ = ["Audit", "audit_state_of"]

_PAGE = 800  # rows that are looked up at a time, in four queries
_MOST_LISTED = 100_000  # rows that are looked at again, and listed; further ones are only counted
_SAID_EACH = 10.0  # seconds between two texts about the progress

Verdict = Finding | Literal["once", "undecided", "nothing"]


def _can_be_audited(plan: JobPlan) -> bool:
    """Return whether the rows of a job make records that can be found by their keys."""
    return plan.marker is not None and operation_named(plan.operation).by is None


async def audit_state_of(journal: JournalReader) -> AuditState:
    """Return how it stands with the audit of a job."""
    if not (await journal.grant_totals()).leases:
        return "none"
    if not _can_be_audited(journal.plan):
        return "impossible"
    result = await journal.audit()
    if result is None:
        return "due"
    return "clean" if result.clean else "not clean"


@attrs.define(eq=False, kw_only=True)
class Audit:
    """Looks up the keys of all rows, and compares the records with the states in the journal.

    Rows whose records are missing, or of which there are several, are looked up once more after the settle
    time: a look-up may show what was so a moment ago. Run it after the settling: rows that are still in doubt
    and have one record now are DONE then.
    """

    company: Company
    journal: Journal
    operation: RowOperation
    marker: str
    """Field that carries the keys."""
    settling: Settling
    on_stage: Callable[[str], None]
    _stopped: asyncio.Event = attrs.field(factory=asyncio.Event)
    _counts: Counter[Verdict] = attrs.field(factory=Counter)
    _looked_up: int = 0
    _said: float = 0.0

    def stop(self) -> None:
        """Look up nothing further; the audit is made when the job is run again."""
        self._stopped.set()

    async def run(self) -> AuditResult | None:
        """Carry the audit out and keep what it found in the journal; None when it was stopped.

        Raises:
            JournalError: the journal cannot be read or written.
            WosdkError: a look-up failed.
        """
        self.on_stage(f"audit: rows to look up by {self.marker}: {self.journal.plan.rows}")
        self._said = time.monotonic()
        suspects: list[StoredRow] = []
        async for page in self.journal.pages(size=_PAGE):
            if self._stopped.is_set():
                return None
            self._say_progress(len(page))
            for row, verdict, _ in await self._look_up(page):
                if verdict in ("missing", "twice", "unexpected") and len(suspects) < _MOST_LISTED:
                    suspects.append(row)
                else:
                    self._counts[verdict] += 1
        listed = await self._look_again(suspects)
        if listed is None:
            return None
        names: tuple[Verdict, ...] = ("once", "missing", "twice", "unexpected", "undecided")
        result = AuditResult(at=time.time(), **{name: self._counts[name] for name in names})
        await self.journal.save_audit(result, listed)
        self.on_stage(f"audit: {result}")
        return result

    async def _look_again(self, suspects: list[StoredRow]) -> list[AuditRow] | None:
        """Return the rows that the Company still does not have as the journal says; None when stopped."""
        if not suspects:
            return []
        self.on_stage(
            f"audit: rows that do not fit: {len(suspects)}; looked up again in {self.settling.seconds:.0f} s"
        )
        try:
            async with asyncio.timeout(self.settling.seconds):
                await self._stopped.wait()
                return None
        except TimeoutError:
            pass
        listed = []
        for start in range(0, len(suspects), _PAGE):
            for row, verdict, records in await self._look_up(suspects[start : start + _PAGE]):
                self._counts[verdict] += 1
                if verdict in ("missing", "twice", "unexpected"):
                    ids = tuple(id for each in records if (id := usable_id(each.id)) is not None)
                    listed.append(AuditRow(row.row, verdict, ids, row.line, row.key, row.state))
        return listed

    async def _look_up(self, rows: Sequence[StoredRow]) -> list[tuple[StoredRow, Verdict, Sequence[Any]]]:
        """Return each row that has a key with what is said of it, and the records with the key."""
        keyed = [row for row in rows if row.key is not None]
        keys = [row.key or "" for row in keyed]
        found = await find_rows(self.operation, self.company, self.journal, self.marker, keys)
        before = [row.row for row in keyed if _was_there(row)]
        # One that this job may have sent under a lost lease was perhaps made by that.
        sent = await self.journal.losses(before) if before else {}
        judged = []
        for row in keyed:
            records = _counted(found.get(row.key or "", ()))
            verdict = _verdict(row, len(records), was_there=_was_there(row) and row.row not in sent)
            if row.state in _DOUBTFUL and verdict == "once":
                self.settling.found_later(row, records)
            judged.append((row, verdict, records))
        return judged

    def _say_progress(self, rows: int) -> None:
        self._looked_up += rows
        if time.monotonic() - self._said > _SAID_EACH:
            self._said = time.monotonic()
            self.on_stage(f"audit: rows looked up: {self._looked_up} of {self.journal.plan.rows}")


_DOUBTFUL = (State.IN_DOUBT, State.SENDING)


def _was_there(row: StoredRow) -> bool:
    """Return whether the job ended a row because its record was there before it was sent."""
    return row.state == State.FOUND or row.proof == THERE_BEFORE


def _counted(records: Sequence[Any]) -> Sequence[Any]:
    """Return the records that count: of several, those that nobody cancelled or removed, if there are any."""
    if len(records) < 2:
        return records
    return [each for each in records if not is_ended(each)] or records[:1]


def _verdict(row: StoredRow, records: int, *, was_there: bool) -> Verdict:
    """Return what is said of a row with so many records."""
    carried_out = row.state in (State.DONE, State.FOUND)
    if records and was_there:
        return "once" if carried_out else "nothing"
    if records > 1:
        return "twice"
    if carried_out:
        return "once" if records else "missing"
    if row.state in _DOUBTFUL:
        return "once" if records else "undecided"
    return "unexpected" if records else "nothing"
