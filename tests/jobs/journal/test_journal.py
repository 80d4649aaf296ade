"""What a journal keeps of rows, references, runs and samples."""

from __future__ import annotations

import asyncio
import itertools
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_plan, rows
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import (
    Journal,
    ReferenceRecord,
    RowEntry,
    RowRecord,
    State,
    StoredRow,
    digest,
    new_job_id,
)
from wosdk_async.jobs.journal.folder import plan_of


async def states(journal: Journal) -> dict[int, State]:
    return {row: state for row, state, _, _ in await journal.page(1, journal.plan.rows)}


# --- the plan -------------------------------------------------------------------------------------


async def test_a_journal_keeps_its_plan_and_counts_its_rows(tmp_path: Path) -> None:
    plan = a_plan(marker="work_order.po_number", empty_rows=2, options={"rate": 5})
    async with Journal.create(tmp_path, plan, rows(12_345)) as journal:
        made = journal.plan
    assert made.rows == 12_345
    async with Journal.open(tmp_path) as journal:
        assert journal.plan == made
        assert journal.plan.options == {"rate": 5}
        assert journal.counts() == {state: 12_345 * (state == State.PLANNED) for state in State}


async def test_a_plan_may_be_made_when_all_rows_were_read(tmp_path: Path) -> None:
    read: list[int] = []

    def entries() -> object:
        for each in rows(3):
            read.append(each.row)
            yield each

    async with Journal.create(tmp_path, lambda: a_plan(empty_rows=len(read)), entries()) as journal:
        assert journal.plan.empty_rows == journal.plan.rows == 3


def test_ids_of_jobs_are_short_and_the_same_in_either_case() -> None:
    ids = {new_job_id() for _ in range(200)}
    assert len(ids) == 200
    assert all(len(each) == 8 and each.isalnum() and each == each.lower() and each.isascii() for each in ids)


def test_a_digest_tells_cells_apart() -> None:
    different = [["x", "y"], ["xy", ""], ["y", "x"], ['x","y'], ["x", "y", ""], []]
    assert len({digest(each) for each in different}) == len(different)
    assert digest(["\ud800"]) == digest(["\ud800"])


# --- rows that are refused at once -----------------------------------------------------------------


async def test_a_row_with_a_fault_is_refused_at_once(tmp_path: Path) -> None:
    entries = [RowEntry(1, 2, 0, "K1"), RowEntry(2, 3, 0, "K2", "it has 1 cells")]
    async with Journal.create(tmp_path, a_plan(), entries) as journal:
        assert await states(journal) == {1: State.PLANNED, 2: State.REFUSED}
        [refused] = await journal.rows_in(State.REFUSED)
        assert (refused.reason, refused.key, refused.line) == ("it has 1 cells", "K2", 3)


async def test_a_key_that_occurs_again_is_refused_and_not_kept(tmp_path: Path) -> None:
    entries = [
        RowEntry(n, n + 1, 0, key) for n, key in enumerate(["A", "B", "A", None, "b", "A", None, "B"], 1)
    ]
    async with Journal.create(tmp_path, a_plan(), entries) as journal:
        refused = await journal.rows_in(State.REFUSED)
        assert [(row.row, row.key, row.reason) for row in refused] == [
            (3, None, "the key 'A' is that of row 1 (line 2) already; keys must be unique"),
            (6, None, "the key 'A' is that of row 1 (line 2) already; keys must be unique"),
            (8, None, "the key 'B' is that of row 2 (line 3) already; keys must be unique"),
        ]
        assert [key for *_, key in await journal.page(1, 8)] == ["A", "B", None, None, "b", None, None, None]


async def test_thousands_of_equal_keys_are_refused(tmp_path: Path) -> None:
    entries = (RowEntry(n, n + 1, 0, "the same") for n in range(1, 12_001))
    async with Journal.create(tmp_path, a_plan(), entries) as journal:
        assert journal.counts()[State.REFUSED] == 11_999


async def test_a_key_that_cannot_be_written_as_text_is_refused(tmp_path: Path) -> None:
    entries = [RowEntry(1, 2, 0, "K1"), RowEntry(2, 3, 0, "\ud800K"), RowEntry(3, 4, 0, "K\0'\n")]
    async with Journal.create(tmp_path, a_plan(), entries) as journal:
        [refused] = await journal.rows_in(State.REFUSED)
        assert (refused.row, refused.key) == (2, None)
        assert "surrogate" in str(refused.reason)
        assert (await journal.page(3, 3))[0][3] == "K\0'\n"


# --- rows that are sent ----------------------------------------------------------------------------


async def test_rows_are_sending_on_the_disk_when_begin_returns(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(5)) as journal:
        await journal.begin([2, 4])
        beside = Journal.open(tmp_path, read_only=True)
        assert [row.row for row in await beside.rows_in(State.SENDING)] == [2, 4]
        assert beside.counts()[State.PLANNED] == 3
        await beside.close()


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
    async with Journal.create(tmp_path, a_plan(), rows(1)) as journal:
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
    async with Journal.create(tmp_path, a_plan(), rows(2)) as journal:
        journal.record(RowRecord(1, State.REFUSED, reason="half \ud83d", warnings=("\udfff",)))
        journal.record(RowRecord(2, State.DONE))
        stored, other = await journal.rows_in()
        assert (stored.reason, stored.warnings) == ("half ?", ("?",))
        assert other.state == State.DONE


async def test_an_id_of_more_than_64_bits_is_left_out(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(2)) as journal:
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

    async with Journal.create(tmp_path, a_plan(), rows(1), commit=commit) as journal:
        await asyncio.sleep(0)
        committed.clear()
        journal.record(RowRecord(1, State.DONE))
        await asyncio.wait_for(committed.wait(), 10)
        assert (await journal.page(1, 1))[0][1] == State.DONE


async def test_all_that_waits_is_written_in_one_commit(tmp_path: Path) -> None:
    commits = 0

    def commit(write: Callable[[], None]) -> None:
        nonlocal commits
        commits += 1
        write()

    async with Journal.create(tmp_path, a_plan(), rows(1000), commit=commit) as journal:
        commits = 0
        await asyncio.gather(*(journal.begin([row]) for row in range(1, 1001)))
        assert commits == 2  # the first at once, the others while it is under way
        for row in range(1, 1001):
            journal.record(RowRecord(row, State.DONE, id=row))
        await journal.flush()
        assert commits == 3
        assert journal.counts()[State.DONE] == 1000


async def test_the_later_of_two_states_in_one_commit_stays(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(2)) as journal:
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
    async with Journal.create(tmp_path, a_plan(), rows(3)) as journal:
        tasks = [asyncio.create_task(journal.begin([row])) for row in (1, 2, 3)]
        await asyncio.sleep(0)
        tasks[0].cancel()
        tasks[1].cancel()
        await asyncio.wait(tasks)
        await tasks[2]
        await journal.flush()
        assert set((await states(journal)).values()) == {State.SENDING}  # as its docstring says


# --- reading --------------------------------------------------------------------------------------


async def test_rows_come_in_pages_by_state(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(10)) as journal:
        await journal.begin(range(1, 9))
        for row in (1, 3, 5, 7):
            journal.record(RowRecord(row, State.DONE))
        assert [row.row for row in await journal.rows_in(State.DONE, limit=3)] == [1, 3, 5]
        assert [row.row for row in await journal.rows_in(State.DONE, after=5, limit=3)] == [7]
        assert [row.row for row in await journal.rows_in(State.SENDING, State.PLANNED)] == [2, 4, 6, 8, 9, 10]
        assert [row.row for row in await journal.rows_in(after=8)] == [9, 10]
        assert await journal.rows_in(State.FOUND) == []
        assert [row for row, *_ in await journal.page(4, 6)] == [4, 5, 6]
        assert await journal.page(11, 20) == []


async def test_rows_are_found_by_their_keys(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(1000)) as journal:
        await journal.begin([7])
        found = await journal.rows_with([f"K-{n}" for n in range(5, 905, 2)] + ["k-8", "none"])
        assert len(found) == 450
        assert found["K-7"].state == State.SENDING
        assert found["K-9"].state == State.PLANNED


async def test_times_of_changes_rise_though_the_clock_falls(tmp_path: Path) -> None:
    times = iter([500.0, 499.0, 20.0])
    async with Journal.create(tmp_path, a_plan(), rows(3), clock=lambda: next(times)) as journal:
        for row in (1, 2, 3):
            await journal.begin([row])
        assert [row.changed_at for row in await journal.rows_in()] == [500.0, 500.001, 500.002]


async def test_a_reader_cannot_write(tmp_path: Path) -> None:
    await Journal.create(tmp_path, a_plan(), rows(1)).close()
    async with Journal.open(tmp_path, read_only=True) as journal:
        with pytest.raises(JournalError, match="for reading only"):
            await journal.begin([1])
        with pytest.raises(JournalError, match="for reading only"):
            journal.record(RowRecord(1, State.DONE))


async def test_a_snapshot_puts_no_file_beside_the_journal(tmp_path: Path) -> None:
    """Not even those that SQLite makes to read; beside a process that works on the job it sees commits."""
    async with Journal.create(tmp_path, a_plan(), rows(3)) as journal:
        await journal.begin([1])
        async with Journal.open(tmp_path, snapshot=True) as beside:
            assert beside.counts()[State.SENDING] == 1
    before = sorted(os.listdir(tmp_path))
    async with Journal.open(tmp_path, snapshot=True) as alone:
        assert (alone.counts()[State.SENDING], len(await alone.page(1, 3))) == (1, 3)
        assert plan_of(tmp_path) == alone.plan
        assert sorted(os.listdir(tmp_path)) == before


async def test_a_closed_journal_says_so(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, a_plan(), rows(1))
    await journal.close()
    await journal.close()
    for use in (lambda: journal.begin([1]), lambda: journal.page(1, 1), journal.references):
        with pytest.raises(JournalError, match="is closed"):
            await use()


async def test_a_closed_journal_is_one_file(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, a_plan(), rows(10))
    await journal.begin([1, 2])
    await journal.close()
    assert sorted(os.listdir(tmp_path)) == ["journal.db", "lock"]
    (tmp_path / "copy").mkdir()
    (tmp_path / "journal.db").rename(tmp_path / "copy" / "journal.db")
    async with Journal.open(tmp_path / "copy") as journal:
        assert journal.counts()[State.SENDING] == 2


async def test_people_can_read_it_with_sql(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(2)) as journal:
        journal.record(RowRecord(1, State.DONE, id=5, number="RSC1"))
    db = sqlite3.connect(tmp_path / "journal.db")
    assert db.execute('SELECT "row", "key", state, id, number FROM rows').fetchall() == [
        (1, "K-1", 2, 5, "RSC1"),
        (2, "K-2", 0, None, None),
    ]
    db.close()


# --- references, runs, samples ---------------------------------------------------------------------


async def test_references_are_kept_with_what_became_of_them(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(1)) as journal:
        await journal.begin_reference("customer", "acme", "Acme")
        await journal.begin_reference("location", "acme", "Acme")
        await journal.begin_reference("customer", "half \ud800", "K")
        journal.record_reference(ReferenceRecord("customer", "acme", "Acme", State.DONE, id=4))
    async with Journal.open(tmp_path) as journal:
        found = {(each.reference, each.name): (each.state, each.id) for each in await journal.references()}
        assert found == {
            ("customer", "acme"): (State.DONE, 4),
            ("location", "acme"): (State.SENDING, None),
            ("customer", "half ?"): (State.SENDING, None),
        }


async def test_runs_are_numbered_and_a_killed_one_has_no_end(tmp_path: Path) -> None:
    journal = Journal.create(tmp_path, a_plan(), rows(1), clock=lambda: 100.0)
    assert await journal.start_run(options={"limit": 32}, path=tmp_path) == 1
    journal.abandon()
    async with Journal.open(tmp_path, clock=lambda: 200.0) as journal:
        assert await journal.start_run() == 2
        await journal.end_run(130, reason="stopped")
        first, second = await journal.runs()
    assert (first.started_at, first.ended_at, first.exit_status) == (100.0, None, None)
    assert first.details["options"] == {"limit": 32}
    assert {"version", "host", "pid", "user"} <= first.details.keys()
    assert (second.started_at, second.ended_at, second.exit_status) == (200.0, 200.0, 130)
    assert second.details["reason"] == "stopped"


@pytest.mark.parametrize("seconds", [1, 2000, 2001, 4500])
async def test_samples_keep_their_sums_however_many_there_are(tmp_path: Path, seconds: int) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(1)) as journal:
        for second in range(seconds):
            journal.sample(second, 10, 0.5, 1 + second / 10_000, 1, 2)
    async with Journal.open(tmp_path) as journal:
        samples = await journal.samples()
    assert len(samples) <= 2000
    assert sum(each.calls for each in samples) == 10 * seconds
    assert sum(each.waits for each in samples) == seconds
    assert sum(each.retries for each in samples) == 2 * seconds
    assert {round(each.p50, 9) for each in samples} == {0.5}
    assert max(each.p95 for each in samples) == 1 + (seconds - 1) / 10_000
    starts = [each.second for each in samples]
    assert [each.second % each.width for each in samples] == [0] * len(samples)
    assert all(later - first == samples[0].width for first, later in itertools.pairwise(starts))


async def test_a_sample_without_calls_is_kept(tmp_path: Path) -> None:
    async with Journal.create(tmp_path, a_plan(), rows(1)) as journal:
        journal.sample(0, 0, 0.0, 0.0, 3, 0)
        journal.sample(0, 0, 0.0, 0.0, 4, 0)
        [sample] = await journal.samples()
        assert (sample.calls, sample.p50, sample.waits) == (0, 0.0, 7)


# --- a job that goes on ------------------------------------------------------------------------------


async def test_a_new_file_carries_states_over_by_key(tmp_path: Path) -> None:
    for name in ("old", "new"):
        (tmp_path / name).mkdir()
    earlier = Journal.create(tmp_path / "old", a_plan(), rows(6))
    await earlier.begin([1, 2, 3, 4])
    earlier.record(RowRecord(2, State.DONE, id=22, number="RSC2"))
    earlier.record(RowRecord(3, State.REFUSED, reason="too long"))
    earlier.record(RowRecord(4, State.IN_DOUBT, request_id="b"))
    earlier.record(RowRecord(5, State.FOUND, id=55))
    earlier.record_reference(ReferenceRecord("customer", "acme", "Acme", State.DONE, id=4))
    await earlier.flush()
    entries = [
        RowEntry(1, 2, 0, "new"),
        RowEntry(2, 3, 0, "K-5"),
        RowEntry(3, 4, 0, "K-4"),
        RowEntry(4, 5, 0, "K-3"),
        RowEntry(5, 6, 0, "K-2", "it does not fit the header, but was created"),
        RowEntry(6, 7, 0, "K-1"),
        RowEntry(7, 8, 0, "K-2"),
        RowEntry(8, 9, 0, None),
    ]
    journal = Journal.create(tmp_path / "new", a_plan(), entries, earlier=earlier)
    assert await states(journal) == {
        1: State.PLANNED,
        2: State.FOUND,
        3: State.IN_DOUBT,
        4: State.PLANNED,  # what was refused is tried again
        5: State.DONE,
        6: State.SENDING,
        7: State.REFUSED,
        8: State.PLANNED,
    }
    assert (await journal.rows_in(State.DONE))[0].number == "RSC2"
    assert [each.id for each in await journal.references()] == [4]
    await journal.close()
    await earlier.close()
    async with Journal.open(tmp_path / "new") as journal:
        assert journal.counts()[State.SENDING] == 1


async def test_refused_rows_are_planned_again_but_not_repeated_keys(tmp_path: Path) -> None:
    entries = [*rows(3), RowEntry(4, 5, 0, "K-1")]
    async with Journal.create(tmp_path, a_plan(), entries) as journal:
        await journal.begin([1, 2])
        journal.record(RowRecord(1, State.REFUSED, code="DataInvalid"))
        journal.record(RowRecord(2, State.DONE))
        await journal.plan_again()
        assert await states(journal) == {1: 0, 2: State.DONE, 3: 0, 4: State.REFUSED}
    await Journal.open(tmp_path).close()  # nothing seems to be missing
