"""What a journal writes: its plan, rows that are admitted, rows that are sent."""

from __future__ import annotations

import asyncio
import functools
import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path

import attrs
import pytest

from tests.jobs.journal.plans import a_journal, a_plan
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import (
    Journal,
    RowRecord,
    State,
    StoredRow,
    new_job_id,
)
from wosdk_async.jobs.ledger.admission import admit
from wosdk_async.jobs.ledger.comparison import compare
from wosdk_async.jobs.ledger.decision import decide
from wosdk_async.jobs.ledger.file_rows import FileRow
from wosdk_async.jobs.ledger.terms import FileFacts, Plan
from wosdk_async.jobs.options import ImportOptions


async def states(journal: Journal) -> dict[int, State]:
    return {row: state for _, row, state, *_ in await journal.page(1, journal.plan.rows)}


# --- the plan -------------------------------------------------------------------------------------


async def test_a_journal_keeps_its_plan_and_counts_its_rows(tmp_path: Path) -> None:
    plan = a_plan(marker="work_order.po_number", empty_rows=2, options={"rate": 5})
    async with a_journal(tmp_path, 12_345, plan) as journal:
        made = journal.plan
    assert made.rows == 12_345
    async with Journal.open(tmp_path) as journal:
        assert journal.plan == made
        assert journal.plan.options == {"rate": 5}
        assert journal.counts() == {state: 12_345 * (state == State.PLANNED) for state in State}


def test_ids_of_jobs_are_short_and_the_same_in_either_case() -> None:
    ids = {new_job_id() for _ in range(200)}
    assert len(ids) == 200
    assert all(len(each) == 8 and each.isalnum() and each == each.lower() and each.isascii() for each in ids)


def test_states_have_their_numbers() -> None:
    """They are in the journals on the disks of users."""
    assert [(each.name, each.value) for each in State] == [
        ("PLANNED", 0),
        ("SENDING", 1),
        ("DONE", 2),
        ("REFUSED", 3),
        ("IN_DOUBT", 4),
        ("FOUND", 5),
    ]


# --- rows that are admitted ------------------------------------------------------------------------


def a_row(place: int, key: str | None, *, digest: int = 0, fault: str | None = None) -> FileRow:
    """A row of a file, known by its key, or by cells that no other row has."""
    cells = b"cells %d" % place
    identity, behind = (cells, None) if key is None else (key.encode(), cells)
    return place, place + 1, digest, identity, behind, key, None, fault, None


async def admit_file(journal: Journal, rows: Sequence[FileRow]) -> None:
    """Compare a file with the ledger, and give its rows their places in a run."""
    compared = await journal.read(lambda db: compare(db, [rows]))
    file = FileFacts(company="acme", operation="WoCreateCommand", standings=compared.standings)
    plan = decide(None, file, ImportOptions())
    assert isinstance(plan, Plan)
    await journal.start_run()
    change = functools.partial(
        admit, plan=plan, job=journal.plan.job, run=journal.run, default_keys=False, learns=False
    )
    await journal.admit(change, attrs.evolve(journal.plan, rows=len(rows)))


async def test_what_is_admitted_is_on_the_disk_with_its_plan(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, a_plan())
    await admit_file(journal, [a_row(1, "A"), a_row(2, None, digest=-(2**63))])
    journal.abandon()
    async with Journal.open(tmp_path) as journal:
        assert journal.plan == a_plan(rows=2)
        found = [(row.row, row.place, row.line, row.digest, row.key) for row in await journal.file_rows()]
        assert found == [(1, 1, 2, 0, "A"), (2, 2, 3, -(2**63), None)]


async def test_an_admission_that_fails_changes_nothing(tmp_path: Path) -> None:
    def change(db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM planned")
        raise sqlite3.OperationalError("disk I/O error")

    journal = a_journal(tmp_path, 3)
    with pytest.raises(JournalError):
        await journal.admit(change, a_plan(sha256="another", rows=0))
    assert journal.plan == a_plan(rows=3)
    await journal.close()
    async with Journal.open(tmp_path) as journal:
        assert (journal.plan, journal.counts()[State.PLANNED]) == (a_plan(rows=3), 3)


async def test_a_row_with_a_fault_is_refused_at_once(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan()) as journal:
        await admit_file(journal, [a_row(1, "K1"), a_row(2, "K2", fault="it has half of a letter")])
        assert await states(journal) == {1: State.PLANNED, 2: State.REFUSED}
        [refused] = await journal.rows_in(State.REFUSED)
        assert (refused.reason, refused.key, refused.line) == ("it has half of a letter", "K2", 3)


TWICE = (
    ", and all cells that the map reads are equal: "
    "delete this row if it is a duplicate; otherwise, correct its key"
)


async def test_a_key_that_occurs_again_is_refused_and_not_kept(tmp_path: Path) -> None:
    keys = ["A", "B", "A", None, "b", "A", None, "B"]
    async with Journal.create(tmp_path, a_plan()) as journal:
        await admit_file(journal, [a_row(n, key, digest=n % 5) for n, key in enumerate(keys, 1)])
        refused = await journal.rows_in(State.REFUSED)
        assert [(row.row, row.key, row.reason) for row in refused] == [
            (3, None, "the key 'A' already belongs to row 1 (line 2); keys must be unique"),
            (6, None, f"the key 'A' already belongs to row 1 (line 2){TWICE}"),
            (8, None, "the key 'B' already belongs to row 2 (line 3); keys must be unique"),
        ]
        assert [key for *_, key in await journal.page(1, 8)] == ["A", "B", None, None, "b", None, None, None]


async def test_thousands_of_equal_keys_are_refused(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan()) as journal:
        await admit_file(journal, [a_row(n, "the same") for n in range(1, 12_001)])
        assert journal.counts()[State.REFUSED] == 11_999


# --- rows that are sent ----------------------------------------------------------------------------


async def test_an_outcome_is_kept_whole(tmp_path: Path) -> None:
    record = RowRecord(
        row=1,
        state=State.DONE,
        id=2**53 + 1,
        number='RSC"1\0',
        reason="=HYPERLINK()",
        code="E\u2028",
        request_id="b" * 36,
        warnings=("cut", "'; DROP TABLE planned"),
        attempts=3,
        version=12,
        seconds=0.25,
        proof="looked up",
    )
    async with a_journal(tmp_path, 1) as journal:
        await journal.begin([1])
        journal.record(record)
    async with Journal.open(tmp_path) as journal:
        [stored] = await journal.rows_in()
        assert isinstance(stored, StoredRow)
        assert {name: getattr(stored, name) for name in RowRecord.__slots__ if name != "__weakref__"} == {
            name: getattr(record, name) for name in RowRecord.__slots__ if name != "__weakref__"
        }
        assert (stored.line, stored.digest, stored.key) == (2, 7919, "K-1")


async def test_a_text_that_utf8_cannot_write_is_kept_with_a_question_mark(tmp_path: Path) -> None:
    async with a_journal(tmp_path, 2) as journal:
        journal.record(RowRecord(1, State.REFUSED, reason="half \ud83d", warnings=("\udfff",)))
        journal.record(RowRecord(2, State.DONE))
        stored, other = await journal.rows_in()
        assert (stored.reason, stored.warnings) == ("half ?", ("?",))
        assert other.state == State.DONE


async def test_an_id_of_more_than_64_bits_is_left_out(tmp_path: Path) -> None:
    async with a_journal(tmp_path, 2) as journal:
        journal.record(RowRecord(1, State.DONE, id=10**5000, number="N"))
        journal.record(RowRecord(2, State.DONE, id=2**63 - 1))
        stored, other = await journal.rows_in()
        assert (stored.state, stored.id, stored.number) == (State.DONE, None, "N")
        assert other.id == 2**63 - 1


async def test_an_outcome_is_committed_soon_without_a_flush(tmp_path: Path) -> None:
    loop, committed = asyncio.get_running_loop(), asyncio.Event()

    def commit(write: Callable[[], None]) -> None:
        write()
        loop.call_soon_threadsafe(committed.set)

    async with a_journal(tmp_path, 1, commit=commit) as journal:
        await asyncio.sleep(0)
        committed.clear()
        journal.record(RowRecord(1, State.DONE))
        await asyncio.wait_for(committed.wait(), 10)
        assert (await journal.page(1, 1))[0][2] == State.DONE


async def test_all_that_waits_is_written_in_one_commit(tmp_path: Path) -> None:
    commits = 0

    def commit(write: Callable[[], None]) -> None:
        nonlocal commits
        commits += 1
        write()

    async with a_journal(tmp_path, 1000, commit=commit) as journal:
        commits = 0
        await asyncio.gather(*(journal.begin([row]) for row in range(1, 1001)))
        assert commits == 2  # the first at once, the others while it is under way
        for row in range(1, 1001):
            journal.record(RowRecord(row, State.DONE, id=row))
        await journal.flush()
        assert commits == 3
        assert journal.counts()[State.DONE] == 1000


async def test_a_row_stays_that_of_the_run_that_sent_it(tmp_path: Path) -> None:
    """An undo takes back what one run sent, whichever run learned the outcome."""
    async with a_journal(tmp_path, 3) as journal:
        await journal.start_run()
        await journal.begin([1, 2])
        journal.record(RowRecord(1, State.DONE))
        await journal.flush()
        await journal.start_run()
        journal.record(RowRecord(2, State.DONE))  # found by a look-up
        await journal.begin([3])
        assert [row.row for row in await journal.rows_in(run=1)] == [1, 2]
        assert [row.row for row in await journal.rows_in(run=2)] == [3]
        await journal.plan_again([2])
        await journal.begin([2])
        assert [row.row for row in await journal.rows_in(run=2)] == [2, 3]


async def test_the_later_of_two_states_in_one_commit_stays(tmp_path: Path) -> None:
    async with a_journal(tmp_path, 2) as journal:
        first = asyncio.create_task(journal.begin([1]))
        await asyncio.sleep(0)
        begun = asyncio.create_task(journal.begin([2]))  # waits for the first
        await asyncio.sleep(0)
        journal.record(RowRecord(2, State.PLANNED, reason="cancelled"))
        await asyncio.gather(first, begun)
        journal.record(RowRecord(1, State.IN_DOUBT))
        await journal.begin([1])
        assert await states(journal) == {1: State.SENDING, 2: State.PLANNED}


async def test_a_caller_that_is_cancelled_leaves_the_others_alone(tmp_path: Path) -> None:
    async with a_journal(tmp_path, 3) as journal:
        tasks = [asyncio.create_task(journal.begin([row])) for row in (1, 2, 3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        tasks[1].cancel()
        await asyncio.wait(tasks)
        await tasks[2]
        await journal.flush()
        assert set((await states(journal)).values()) == {State.SENDING}  # as its docstring says
