"""The state of a job in a word, and what the same command would do with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_journal, a_plan
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import Journal, RowRecord, State
from wosdk_async.jobs.journal.folder import job_folder, jobs_below, jobs_of_file, plan_of
from wosdk_async.jobs.ledger.overview import overview

P, S, D, R, I, F = State  # noqa: E741 - one letter for each state


def job(folder: Path, rows: int, marker: str | None = None) -> Journal:
    folder.mkdir()
    return a_journal(folder, rows, a_plan(marker=marker))


@pytest.mark.parametrize(
    ("states", "marker", "state", "left"),
    [
        ([P, P], None, "not begun", 2),
        ([P, R], None, "not begun", 1),
        ([P, D], None, "unfinished", 1),
        ([D, F], None, "finished", 0),
        ([D, S], None, "unfinished", 1),
        ([D, I], None, "finished", 0),
        ([D, I], "po_number", "unfinished", 1),
        ([S, S, I], "po_number", "unfinished", 3),
    ],
)
async def test_states(tmp_path: Path, states: list[State], marker: str | None, state: str, left: int) -> None:
    async with job(tmp_path / "job", len(states), marker) as journal:
        if {*states} - {State.PLANNED, State.REFUSED}:
            await journal.start_run()
        for row, each in enumerate(states, 1):
            if each != State.PLANNED:
                journal.record(RowRecord(row, each))
        await journal.flush()
        seen = await overview(journal)
    assert (seen.state, seen.running, seen.left) == (state, None, left)


async def test_rows_in_doubt_that_the_file_has_no_more_are_left(tmp_path: Path) -> None:
    """The same command looks them up; rows that were only planned are not sent any more."""
    async with job(tmp_path / "job", 3, "po_number") as journal:
        await journal.start_run()
        journal.record(RowRecord(1, State.IN_DOUBT))
        journal.record(RowRecord(3, State.DONE))
        await journal.admit(
            lambda db: db.execute("UPDATE planned SET place = NULL, away = 1 WHERE row < 3"), journal.plan
        )
        seen = await overview(journal)
    assert (seen.state, seen.left, seen.as_dict()["gone"]) == ("unfinished", 1, 2)
    assert seen.figures()["done"] == 1


async def test_a_job_that_was_stopped_before_its_first_row_is_begun(tmp_path: Path) -> None:
    async with job(tmp_path / "job", 2) as journal:
        assert (await overview(journal)).state == "not begun"
        await journal.start_run()
        assert (await overview(journal)).state == "unfinished"


async def test_a_job_that_was_killed_while_it_read_its_file_is_not_finished(tmp_path: Path) -> None:
    async with job(tmp_path / "job", 0) as journal:
        assert (await overview(journal)).state == "not begun"
        await journal.start_run()
        assert (await overview(journal)).state == "not begun"
        await journal.end_run(0)
        assert (await overview(journal)).state == "finished", "the file is empty"


async def test_rows_that_are_sent_now_are_not_in_doubt(tmp_path: Path) -> None:
    """They are counted apart, beside a running job and after a kill, when nobody has looked for them."""
    async with job(tmp_path / "job", 3) as journal:
        await journal.begin([1, 2])
        async with Journal.open(tmp_path / "job", read_only=True) as other:
            seen = await overview(other)
            assert (seen.figures()["sending"], seen.figures()["in_doubt"]) == (2, 0)
            assert seen.running is not None
        journal.abandon()
    async with Journal.open(tmp_path / "job", read_only=True) as other:
        figures = (await overview(other)).figures()
        assert (figures["sending"], figures["in_doubt"]) == (2, 0)


@pytest.mark.parametrize(
    ("states", "left", "text"),
    [
        ([D, D], {"undone": 2, "changed": 0}, "undone: 2 of 2"),
        ([D, R], {"undone": 1, "changed": 1}, "undone in part: 1 of 2; 1 left (1 changed since the import)"),
        (
            [D, S],
            None,
            "undone in part: 1 of 2; 1 left; the undo did not finish; undo the job again to resume",
        ),
        ([R, R], {"refused": 2}, None),
    ],
)
async def test_how_far_a_job_was_undone(
    tmp_path: Path, states: list[State], left: dict[str, int] | None, text: str | None
) -> None:
    """With what the last undo left; one that took nothing back leaves the job as it was."""
    async with job(tmp_path / "job", 2) as journal:
        for row, each in enumerate(states, 1):
            journal.record(RowRecord(row, State.DONE, row))
            journal.record_undo(RowRecord(row, each, row))
        for earlier in ({"undone": 1, "gone": 1}, left):
            await journal.start_run(command="undo")
            if earlier is not None:
                await journal.end_run(0, undo=earlier)
        seen = await overview(journal)
    assert seen.as_dict()["undo"] == text
    assert seen.state == (text.partition(":")[0] if text else "finished")


async def test_an_undo_that_a_later_run_overtook_is_resumed_by_naming_the_run(tmp_path: Path) -> None:
    async with job(tmp_path / "job", 2) as journal:
        await journal.start_run(map="m")
        await journal.begin([1])
        journal.record(RowRecord(1, State.DONE, 1))
        await journal.start_run(command="undo")
        journal.record_undo(RowRecord(1, State.SENDING, 1))
        seen = (await overview(journal)).undone
        assert seen is not None
        assert (seen.is_unfinished, seen.overtaken) == (True, False)
        await journal.start_run(map="m")
        await journal.begin([2])
        journal.record(RowRecord(2, State.DONE, 2))
        seen = (await overview(journal)).undone
        assert seen is not None
        assert (seen.is_unfinished, seen.overtaken) == (True, True)


async def test_live_records_of_rows_that_the_file_has_no_more_are_not_undone(tmp_path: Path) -> None:
    """A job whose file was replaced, and whose last run was undone."""
    async with job(tmp_path / "job", 4) as journal:
        for row in range(1, 5):
            journal.record(RowRecord(row, State.DONE, row))
        for row in (3, 4):
            journal.record_undo(RowRecord(row, State.DONE, row))
        await journal.admit(
            lambda db: db.execute("UPDATE planned SET place = NULL WHERE row < 4"), journal.plan
        )
        seen = await overview(journal)
        assert (seen.state, seen.undone and seen.undone.gone_left) == ("undone in part", 2)
        assert seen.as_dict()["undo"].startswith("undone in part: 2 of 4; 2 left; ")
        assert seen.as_dict()["gone_states"] == {"done": 3}
        for row in (1, 2):
            journal.record_undo(RowRecord(row, State.DONE, row))
        assert (await overview(journal)).state == "undone"


async def test_a_job_is_undone_in_part_by_undone_rows_that_the_file_has_no_more(tmp_path: Path) -> None:
    async with job(tmp_path / "job", 2) as journal:
        for row in (1, 2):
            journal.record(RowRecord(row, State.DONE, row))
        journal.record_undo(RowRecord(1, State.DONE, 1))
        await journal.admit(
            lambda db: db.execute("UPDATE planned SET place = NULL WHERE row = 1"), journal.plan
        )
        seen = await overview(journal)
        assert seen.state == "undone in part"
        assert seen.as_dict()["undo"].startswith("undone in part: 1 of 2; 1 left; ")


async def test_a_job_with_undone_rows_and_others_to_send_is_unfinished(tmp_path: Path) -> None:
    async with job(tmp_path / "job", 2) as journal:
        await journal.start_run()
        journal.record(RowRecord(1, State.DONE, 1))
        journal.record_undo(RowRecord(1, State.DONE, 1))
        seen = await overview(journal)
    assert (seen.state, seen.left) == ("unfinished", 1)


async def test_a_job_is_running_only_for_others(tmp_path: Path) -> None:
    async with job(tmp_path / "job", 1) as journal:
        assert (await overview(journal)).running is None
        async with Journal.open(tmp_path / "job", read_only=True) as other:
            seen = await overview(other)
            assert (seen.state, "process" in seen.running) == ("running", True)


async def test_jobs_are_found_by_their_file(tmp_path: Path) -> None:
    """In the order in which they began; signs of patterns in a name mean themselves."""
    file = tmp_path / "a[1]*.csv"
    with pytest.raises(JournalError, match="no such job"):
        job_folder(file)
    folders = [tmp_path / f"{file.name}.job{end}" for end in ("", "-2", "-10")]
    for folder in folders:
        await job(folder, 1).close()
    await job(tmp_path / "a1x.csv.job-2", 1).close()
    (tmp_path / ".hidden").mkdir()
    await job(tmp_path / ".hidden" / "x.job", 1).close()
    assert jobs_of_file(file) == folders
    assert len(list(jobs_below(tmp_path))) == 4
    (folders[2] / "journal.db").write_bytes(b"damaged")
    with pytest.raises(JournalError, match="has several jobs") as caught:
        job_folder(file)
    started = plan_of(folders[1]).created_at
    assert f", {started[:10]} {started[11:16]} UTC), {folders[2]}" in str(caught.value)
    assert f"{folders[1]} (" in str(caught.value)
    assert job_folder(folders[1] / "journal.db") == folders[1] == job_folder(folders[1])
