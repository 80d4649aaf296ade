"""Comparison of a whole job with the Company's records: the audit after a run, and settling without the file.

``settle_job`` looks up keys of rows in doubt, and ``decide`` records a person's decision about one.
"""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Literal

import attrs
from msgspec.structs import replace

from wosdk_async.company import Company
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.errors import JournalError, RowError
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.journal import DECIDED, THERE_BEFORE, AuditResult, AuditRow, Journal, State, StoredRow
from wosdk_async.jobs.journal.run_table import row_with_id
from wosdk_async.jobs.journal.worker_tables import FINDINGS, Finding
from wosdk_async.jobs.ledger.undone import is_ended, shown_records
from wosdk_async.jobs.mapping.operations import usable_id
from wosdk_async.jobs.mapping.record_operations import RowOperation, operation_named
from wosdk_async.jobs.stop import MESSAGE_INTERVAL, Stop, StoppedError, say_and_sleep
from wosdk_async.model import Command, WoCreateCommand, WorkOrder
from wosdk_async.model.index import UNSUPPORTED
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.query.fields import fields
from wosdk_async.text.remedies import Remedy

_PAGE = 800  # rows per look-up, in four queries
_MAX_LISTED = 100_000  # rows looked up again and listed; further rows are only counted
_NAMES = ("number", "contact_name", "po_number", "name", "display_as")  # by which people know a record

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
        text = f"settling rows of {operation.name!r} requires the imported file"
        # Rows that the file no longer has can only be settled by hand.
        remedies = Remedy.RUN_AGAIN, Remedy.DECIDE_ROWS
        raise JournalError(f"{folder}: {text}", remedies=remedies, folder=folder)
    settling = Settling(
        company=company,
        journal=journal,
        operation=operation,
        marker=journal.plan.marker,
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
        other = await journal.read(partial(row_with_id, id=id))
        if other not in (None, row):
            raise JournalError(
                f"{journal.folder}: record {id} already belongs to row {other}; correct the id"
            )
    await end_leases(journal, on_stage)  # until then, a worker may still send the row
    if (stored := (await journal.rows_numbered([row])).get(row)) is None:
        raise JournalError(f"{journal.folder}: the job has no row {row}")
    if stored.state not in UNDECIDED and stored.proof != DECIDED:
        raise JournalError(f"{journal.folder}: row {row} is {stored.state.word}, not in doubt")
    shown = ""
    if id is not None and company is not None:
        operation, marker = operation_named(journal.plan.operation), journal.plan.marker
        shown = await _require_record(company, operation, id)
        if marker is not None and stored.key is not None:
            await _require_key(company, operation, marker, stored.key, id)
    reason = f"decided by {who}; previously: {stored.reason or 'in flight when the run was killed'}"
    new = State.PLANNED if id is None else State.DONE
    journal.record(replace(stored, state=new, id=id, reason=reason, code=None, proof=DECIDED))
    await journal.flush()
    return shown


async def _require_record(company: Company, operation: RowOperation, id: int) -> str:
    """Return a record's number and name. Raises JournalError if not even a removed record has the id."""
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
