"""The audit of a job says of which rows the Company does not have what the journal says."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.conftest import Local
from tests.jobs.maps import MAP, MARKER, rows
from tests.jobs.runs import order
from wosdk_async import WoCreateCommand
from wosdk_async.calls import marked_records
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.imports.verification import Audit
from wosdk_async.jobs.journal import AuditResult, AuditRow, Journal, RowRecord, State
from wosdk_async.jobs.ledger.outcomes import RowOutcome
from wosdk_async.jobs.mapping.record_operations import operation_named

CANCEL = "Entered twice"


async def created(local: Local, number: str) -> int:
    """Create a work order beside the job."""
    await local.company.run(WoCreateCommand(work_order=await order(local, number)))
    return int((await local.rows("WorkOrder"))[-1]["Id"])


def the_audit(local: Local, journal: Journal, *, seconds: float = 0, **options: Any) -> Audit:
    given: dict[str, Any] = {"on_row": lambda _: None, **options}
    company, operation = local.company.with_options(settle=seconds), operation_named("WoCreateCommand")
    return Audit(Settling(company=company, journal=journal, operation=operation, marker=MARKER, **given))


async def imported(local: Local, source: Path, **options: Any) -> Path:
    summary = await local.run(source, MAP, marker=MARKER, **options)
    assert summary.folder is not None
    return summary.folder


async def audited(local: Local, folder: Path) -> tuple[AuditResult | None, list[AuditRow]]:
    async with Journal.open(folder) as journal:
        result = await the_audit(local, journal).run()
        assert await journal.audit() == result
        return result, await journal.audit_rows()


def findings(listed: Sequence[AuditRow]) -> dict[int, tuple[str, int]]:
    return {each.row: (each.finding, len(each.ids)) for each in listed}


async def test_every_row_that_is_there_once_is_clean(local: Local) -> None:
    folder = await imported(local, local.write(rows(*range(1, 251))))
    result, listed = await audited(local, folder)
    assert (result.once, result.clean, listed) == (250, True, [])
    assert result.at > 1.7e9


async def test_rows_without_and_with_two_records_are_listed(local: Local) -> None:
    folder = await imported(local, local.write(rows(*range(1, 8))))
    other = await created(local, "5")
    async with Journal.open(folder) as journal:
        (fifth, sixth) = await journal.rows_in(after=4, limit=2)
        journal.record(RowRecord(6, State.REFUSED, reason="no"))
        journal.record(RowRecord(7, State.PLANNED))
    found = await local.company.find_marked(WoCreateCommand, MARKER, ["3"])
    await local.company.update(found["3"][0], po_number="elsewhere")
    result, listed = await audited(local, folder)
    assert (result.once, result.missing, result.twice, result.unexpected) == (3, 1, 1, 2)
    assert not result.clean
    assert findings(listed) == {
        3: ("missing", 0),
        5: ("twice", 2),
        6: ("unexpected", 1),
        7: ("unexpected", 1),
    }
    assert (set(listed[1].ids), listed[1].key, listed[1].line) == ({fifth.id, other}, "5", 6)
    assert sixth.id in listed[2].ids


async def test_a_key_that_many_records_carry_is_twice(local: Local, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = await imported(local, local.write(rows(1, 2)))
    for _ in range(2):
        await created(local, "2")
    monkeypatch.setattr(marked_records, "MAX_ROWS", 3)
    result, listed = await audited(local, folder)
    assert (result.once, result.twice) == (1, 1)
    assert (listed[0].row, listed[0].ids) == (2, ())


async def test_a_double_that_was_cancelled_does_not_count(local: Local) -> None:
    folder = await imported(local, local.write(rows(1, 2)))
    await local.company.work_orders.cancel(await created(local, "2"), reason=CANCEL)
    result, listed = await audited(local, folder)
    assert (result.once, listed) == (2, [])


async def test_records_that_were_there_before_are_expected(local: Local) -> None:
    for number in ("1", "1", "2", "2"):
        await created(local, number)
    source = local.write(rows(1, 2, 3))
    folder = await imported(local, source)
    result, _ = await audited(local, folder)
    assert (result.once, result.clean) == (1, True)
    folder = await imported(local, source, if_exists="skip", again=True)
    result, _ = await audited(local, folder)
    assert (result.once, result.clean) == (3, True)


async def test_every_row_is_in_one_of_the_counts(local: Local) -> None:
    """Also one whose key was there before, stands in another row or is empty, and one that was not sent."""
    await created(local, "2")
    folder = await imported(local, local.write(rows(1, 2, 1, "", 3, 4)))
    found = await local.company.find_marked(WoCreateCommand, MARKER, ["3", "4"])
    for each in ("3", "4"):
        await local.company.update(found[each][0], po_number=f"not {each}")
    async with Journal.open(folder) as journal:
        assert {row.row for row in await journal.rows_in(State.REFUSED)} == {2, 3, 4}
        journal.record(RowRecord(5, State.PLANNED))
        journal.record(RowRecord(6, State.IN_DOUBT, reason="?"))
    result, listed = await audited(local, folder)
    assert str(result) == "1 once, 1 undecided, 4 not made"
    assert (result.clean, listed) == (True, [])


async def test_a_row_that_was_sent_and_is_there_is_not_expected(local: Local) -> None:
    """It failed because its key was there, and this job had sent it with a lease that was lost."""
    from tests.jobs.journal.test_grants import a_grant

    await created(local, "1")
    folder = await imported(local, local.write(rows(1)))
    async with Journal.open(folder) as journal:
        [refused] = await journal.rows_in(State.REFUSED)
        await journal.grant(a_grant(1, 1))
        journal.end_grant(1, lost=[1])
        journal.record(refused)
    _, listed = await audited(local, folder)
    assert findings(listed) == {1: ("unexpected", 1)}


@pytest.mark.parametrize("state", [State.IN_DOUBT, State.SENDING])
async def test_a_row_in_doubt_that_is_found_is_done(local: Local, state: State) -> None:
    folder = await imported(local, local.write(rows(1, 2)))
    outcomes: list[RowOutcome] = []
    async with Journal.open(folder) as journal:
        for row in (1, 2):
            journal.record(RowRecord(row, state, reason="?"))
        found = await local.company.find_marked(WoCreateCommand, MARKER, ["2"])
        await local.company.update(found["2"][0], po_number="elsewhere")
        result = await the_audit(local, journal, on_row=outcomes.append).run()
        assert (result.once, result.undecided, result.clean) == (1, 1, True)
        first, second = await journal.rows_in()
    assert (first.state, first.proof, second.state) == (State.DONE, "looked up", state)
    assert [(each.row, each.outcome) for each in outcomes] == [(1, "created")]


async def test_a_look_up_that_finds_nothing_is_not_believed_alone(local: Local) -> None:
    folder = await imported(local, local.write(rows(1, 2, 3)))
    local.server.hidden, local.server.hidden_times = "query/WorkOrder", 1
    result, listed = await audited(local, folder)
    assert (result.once, listed) == (3, [])


async def test_an_audit_that_is_cancelled_keeps_nothing(local: Local) -> None:
    folder = await imported(local, local.write(rows(1)))
    async with Journal.open(folder) as journal:
        journal.record(RowRecord(1, State.REFUSED))
        stages: list[str] = []
        audit = the_audit(local, journal, seconds=600, on_stage=stages.append)
        running = asyncio.create_task(audit.run())
        while len(stages) < 2:  # until it waits to look again
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await journal.audit() is None
        assert stages[1] == "audit: rows that differ from the journal: 1; next look-up in 600 s"


async def test_a_record_with_another_id_is_another(local: Local) -> None:
    """As when a worker said that row 2 made a record which it did not make."""
    folder = await imported(local, local.write(rows(1, 2, 3)))
    async with Journal.open(folder) as journal:
        [second] = await journal.rows_in(after=1, limit=1)
        assert second.id is not None
        journal.record(RowRecord(2, State.DONE, second.id + 1000))
    result, listed = await audited(local, folder)
    assert (result.once, result.another, result.clean) == (2, 1, False)
    assert str(result) == "2 once, 1 another"
    assert [(each.row, each.finding, each.ids) for each in listed] == [(2, "another", (second.id,))]
