"""Rows in doubt of a job that does not run: looked up again, or decided by a person."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial

from wosdk_async.company import Company
from wosdk_async.jobs.earlier_leases import end_leases
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import DECIDED, Journal, RowRecord, State, run_table
from wosdk_async.jobs.operation_names import operation_named
from wosdk_async.jobs.row_operation import usable_id
from wosdk_async.jobs.settling import Settling
from wosdk_async.jobs.stop import Stop, StoppedError
from wosdk_async.protocol.writes import UNDECIDED

__all__ = ["decide", "doubts_in", "settle_job"]


async def settle_job(
    journal: Journal,
    company: Company,
    *,
    on_stage: Callable[[str], None] = lambda _: None,
    stop: Stop | None = None,
) -> dict[str, int]:
    """Look up the rows in doubt by their keys; those that are certainly not there are planned again.

    Nothing is sent. It takes as long as a call may take to settle when a row is not there at first, and
    before that as long as workers of earlier runs may still send rows: ``on_stage`` gets a text then.
    ``stop`` ends it; what is not decided then stays in doubt.

    Returns:
        How many rows were ``looked_up``, were ``found``, and were ``not_there``.

    Raises:
        JournalError: the rows of this job have no keys, or only its file says what they change.
    """
    operation = operation_named(journal.plan.operation)
    if journal.plan.marker is None:
        raise JournalError(
            f"{journal.folder}: the job has no marker, so nothing can be looked up; look for each row in "
            "doubt yourself, and call decide(journal, row, id), with None for what was not created"
        )
    if operation.compares:
        raise JournalError(
            f"{journal.folder}: whether {operation.name!r} was carried out is compared with the file; "
            "wosdk jobs resume does that first"
        )

    counts = Counter(journal.counts()) + Counter(journal.gone())
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
            await settling.look_at_earlier_runs()
            absent = await settling.settle()
    await settling.leave_the_rest()
    await journal.flush()
    looked_up = counts[State.SENDING] + counts[State.IN_DOUBT]
    return {"looked_up": looked_up, "found": settling.done, "not_there": len(absent)}


async def doubts_in(journal: Journal) -> list[int]:
    """Return the numbers of the rows in doubt, also of those that the file does not have any more."""
    return [row.row async for page in journal.pages(*UNDECIDED) for row in page]


async def decide(
    journal: Journal,
    row: int,
    id: int | None,
    who: str,
    *,
    on_stage: Callable[[str], None] = lambda _: None,
) -> None:
    """Write down what a person found out about a row in doubt, when surely no worker sends it any more.

    Args:
        journal: the journal of the job.
        row: the number of the row.
        id: id of the record that was created; None when nothing was, then the row is planned again.
        who: who says so, and when; kept in the journal.
        on_stage: called with a text when workers of a killed run have to be waited for.

    Raises:
        JournalError: the job has no such row, it is not in doubt, or no record can have the id.
    """
    if id is not None and usable_id(id) is None:
        raise JournalError(f"{id} cannot be the id of a record; ids are whole numbers from 1 to {2**63 - 1}")
    if id is not None:
        other = await journal.read(partial(run_table.row_with_id, id=id))
        if other not in (None, row):
            raise JournalError(f"{journal.folder}: {id} is the record of row {other} already")
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
