"""What a journal writes: its plan, rows that are refused at once, rows that are sent."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from tests.jobs.journal.plans import a_plan, rows
from wosdk_async.jobs.journal import (
    Journal,
    RowEntry,
    RowRecord,
    State,
    StoredRow,
    digest,
    new_job_id,
)


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


# --- rows that are refused at once -----------------------------------------------------------------


async def test_a_row_with_a_fault_is_refused_at_once(tmp_path: Path) -> None:
    entries = [RowEntry(1, 2, 0, "K1"), RowEntry(2, 3, 0, "K2", "it has 1 cells")]
    async with Journal.create(tmp_path, a_plan(), entries) as journal:
        assert await states(journal) == {1: State.PLANNED, 2: State.REFUSED}
        [refused] = await journal.rows_in(State.REFUSED)
        assert (refused.reason, refused.key, refused.line) == ("it has 1 cells", "K2", 3)


TWICE = ", and all cells are equal: the row is there twice, so delete this one"


async def test_a_key_that_occurs_again_is_refused_and_not_kept(tmp_path: Path) -> None:
    entries = [
        RowEntry(n, n + 1, n % 5, key) for n, key in enumerate(["A", "B", "A", None, "b", "A", None, "B"], 1)
    ]
    async with Journal.create(tmp_path, a_plan(), entries) as journal:
        refused = await journal.rows_in(State.REFUSED)
        assert [(row.row, row.key, row.reason) for row in refused] == [
            (3, None, "the key 'A' is that of row 1 (line 2) already; keys must be unique"),
            (6, None, f"the key 'A' is that of row 1 (line 2) already{TWICE}"),
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
