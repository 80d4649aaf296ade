"""What is read from a journal: rows, references, runs, samples, and a job that goes on with a new file."""

from __future__ import annotations

import itertools
import os
import sqlite3
from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_plan, rows
from tests.jobs.journal.test_journal import states
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import (
    Journal,
    ReferenceRecord,
    RowEntry,
    RowRecord,
    State,
)
from wosdk_async.jobs.journal.folder import plan_of

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
