"""Settling of a job without its file, by looking up rows in doubt or by recording a person's decision."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from msgspec.structs import replace

from wosdk_async.company import Company
from wosdk_async.jobs.cluster.leases import end_leases
from wosdk_async.jobs.errors import JournalError, RowError
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.journal import DECIDED, Journal, State, run_table
from wosdk_async.jobs.ledger.undone import shown_records
from wosdk_async.jobs.mapping.operations import usable_id
from wosdk_async.jobs.mapping.record_operations import RowOperation, operation_named
from wosdk_async.jobs.stop import Stop, StoppedError
from wosdk_async.model import Command, WoCreateCommand, WorkOrder
from wosdk_async.model.index import UNSUPPORTED
from wosdk_async.protocol.writes import UNDECIDED
from wosdk_async.query.fields import fields
from wosdk_async.text.remedies import Remedy


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
        The number of rows that were ``looked_up``, ``found`` and ``not_there``.

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
        text, remedy = f"settling {operation.name!r} requires the file", Remedy.RUN_AGAIN
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
        async with (stop or Stop()).ends():
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
) -> None:
    """Record a person's decision about a row in doubt, once no worker can still send the row.

    ``id`` is that of the created record, which is looked up if a ``company`` is given. None means
    that no record was created, and plans the row again. ``who`` is the person and the time, for the journal.

    Raises:
        JournalError: the row does not exist or is not in doubt, or no record has the id, or others have the
            row's key.
        WosdkError: the look-up failed.
    """
    if id is not None and usable_id(id) is None:
        raise JournalError(f"{id} is not a valid record id; use a whole number from 1 to {2**63 - 1}")
    if id is not None:
        other = await journal.read(partial(run_table.row_with_id, id=id))
        if other not in (None, row):
            raise JournalError(f"{journal.folder}: record {id} already belongs to row {other}")
    await end_leases(journal, on_stage)  # until then, a worker may still send the row
    found = await journal.rows_in(after=row - 1, limit=1)
    if not found or found[0].row != row:
        raise JournalError(f"{journal.folder}: the job has no row {row}")
    state = found[0].state
    if state not in UNDECIDED:
        raise JournalError(f"{journal.folder}: row {row} is {state.word}, not in doubt")
    if id is not None and company is not None:
        operation, marker = operation_named(journal.plan.operation), journal.plan.marker
        await _require_record(company, operation, id)
        if marker is not None and found[0].key is not None:
            await _require_key(company, operation, marker, found[0].key, id)
    reason = f"decided by {who}; previously: {found[0].reason or 'in flight when the run was killed'}"
    new = State.PLANNED if id is None else State.DONE
    journal.record(replace(found[0], state=new, id=id, reason=reason, proof=DECIDED))
    await journal.flush()


async def _require_record(company: Company, operation: RowOperation, id: int) -> None:
    """Raise JournalError if there is no record with this id, not even a removed one."""
    entity = WorkOrder if operation.kind is WoCreateCommand else operation.kind
    if issubclass(entity, Command) or operation.label == "deleted":
        return
    if "query" in UNSUPPORTED.get(entity.wire_name, {}):
        return
    found = await company.query(entity).where(fields(entity).id == id).select("Id").first()
    if getattr(found, "id", None) != id:
        raise JournalError(
            f"no {entity.wire_name} has the id {id}; correct the id, or decide that the row was "
            "not carried out"
        )


async def _require_key(company: Company, operation: RowOperation, marker: str, key: str, id: int) -> None:
    """Raise JournalError if records have the row's key, but that with this id does not."""
    records = (await operation.find(company, marker, [key])).get(key, ())
    if isinstance(records, RowError) or not records or id in (each.id for each in records):
        return  # too many records to tell, or the key of the record has been edited
    raise JournalError(f"{shown_records(records)} has {marker} {key!r}, but not record {id}; correct the id")
