"""Job audit, which compares the Company's records with the journal."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from typing import Any, Literal

import attrs

from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.journal import THERE_BEFORE, AuditResult, AuditRow, State, StoredRow
from wosdk_async.jobs.journal.worker_tables import FINDINGS, Finding
from wosdk_async.jobs.ledger.undone import is_ended
from wosdk_async.jobs.mapping.operations import usable_id
from wosdk_async.jobs.stop import MESSAGE_INTERVAL, say_and_sleep
from wosdk_async.protocol.writes import UNDECIDED

_PAGE = 800  # rows per look-up, in four queries
_MAX_LISTED = 100_000  # rows looked up again and listed; further rows are only counted

Verdict = Finding | Literal["once", "undecided", "not_made"]


@attrs.define(eq=False)
class Audit:
    """Audit that looks up the keys of all rows and compares the records with the journal.

    Rows whose records do not match the journal are looked up again after the settle time, because a look-up
    may be stale. Run the audit after settling. A row that is still in doubt becomes DONE if exactly one
    record has the row's key.
    """

    settling: Settling
    _counts: Counter[Verdict] = attrs.field(factory=Counter)

    async def run(self) -> AuditResult:
        """Run the audit and save its findings in the journal; a cancelled audit saves nothing."""
        journal, on_stage = self.settling.journal, self.settling.on_stage
        rows = journal.plan.rows
        on_stage(f"audit: looking up {rows} row{'' if rows == 1 else 's'} by {self.settling.marker}")
        loop, looked_up = asyncio.get_running_loop(), 0
        said_at = loop.time()
        suspects: list[StoredRow] = []
        async for page in journal.file_pages(size=_PAGE):
            if loop.time() >= said_at + MESSAGE_INTERVAL:
                said_at = loop.time()
                on_stage(f"audit: looked up {looked_up} of {rows} rows")
            looked_up += len(page)
            keyed = [row for row in page if row.key is not None]
            self._counts["not_made"] += len(page) - len(keyed)  # rows without a key are never sent
            for row, verdict, _ in await self._look_up(keyed):
                if verdict in FINDINGS and len(suspects) < _MAX_LISTED:
                    suspects.append(row)
                else:
                    self._counts[verdict] += 1
        listed = await self._recheck(suspects)
        names: tuple[Verdict, ...] = ("once", *FINDINGS, "undecided", "not_made")
        result = AuditResult(at=time.time(), **{name: self._counts[name] for name in names})
        await journal.save_audit(result, listed)
        on_stage(f"audit: {result}")
        return result

    async def _recheck(self, suspects: list[StoredRow]) -> list[AuditRow]:
        if not suspects:
            return []

        def say(left: float) -> None:
            what = f"rows that differ from the journal: {len(suspects)}"
            self.settling.on_stage(f"audit: {what}; next look-up in {left:.0f} s")

        await say_and_sleep(self.settling.seconds, say, self.settling.clock)
        listed = []
        for start in range(0, len(suspects), _PAGE):
            for row, verdict, records in await self._look_up(suspects[start : start + _PAGE]):
                self._counts[verdict] += 1
                if verdict in FINDINGS:
                    ids = tuple(id for each in records if (id := usable_id(each.id)) is not None)
                    listed.append(AuditRow(row.row, verdict, ids, row.line, row.key, row.state))
        return listed

    async def _look_up(self, rows: Sequence[StoredRow]) -> list[tuple[StoredRow, Verdict, Sequence[Any]]]:
        keys = [row.key or "" for row in rows]
        found = await self.settling.find(keys)
        before = [row.row for row in rows if _existed_before(row)]
        # A record that existed before may still be this job's, if a lost worker created it.
        lost = await self.settling.journal.losses() if before else {}
        verdicts = []
        for row in rows:
            with_key = found.get(row.key or "", ())
            records = () if isinstance(with_key, RowError) else _without_ended(with_key)
            number = 2 if isinstance(with_key, RowError) else len(records)  # an error means several records
            verdict = _verdict(row, number, existed=_existed_before(row) and row.row not in lost)
            if verdict == "once" and _has_other_id(row, records):
                verdict = "another"
            if row.state in UNDECIDED and verdict == "once":
                self.settling.mark_found(row, records)
            verdicts.append((row, verdict, records))
        return verdicts


def _existed_before(row: StoredRow) -> bool:
    return row.state == State.FOUND or row.proof == THERE_BEFORE


def _has_other_id(row: StoredRow, records: Sequence[Any]) -> bool:
    if row.state != State.DONE or row.id is None or len(records) != 1:
        return False
    return usable_id(records[0].id) not in (None, row.id)


def _without_ended(records: Sequence[Any]) -> Sequence[Any]:
    """Drop cancelled and removed records; if all are cancelled or removed, keep only the first."""
    if len(records) < 2:
        return records
    return [each for each in records if not is_ended(each)] or records[:1]


def _verdict(row: StoredRow, records: int, *, existed: bool) -> Verdict:
    carried_out = row.state in (State.DONE, State.FOUND)
    if records and existed:
        return "once" if carried_out else "not_made"
    if records > 1:
        return "twice"
    if carried_out:
        return "once" if records else "missing"
    if row.state in UNDECIDED:
        return "once" if records else "undecided"
    return "unexpected" if records else "not_made"
