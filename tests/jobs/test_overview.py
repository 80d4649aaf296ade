"""The state of a job in a word, and what the same command would do with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.jobs.journal.plans import a_plan
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.job_places import folder_of, jobs_below, jobs_of, jobs_of_rejects, jobs_within
from wosdk_async.jobs.journal import Journal, RowEntry, RowRecord, State
from wosdk_async.jobs.overview import overview

P, S, D, R, I, F = State  # noqa: E741 - one letter for each state


def job(folder: Path, rows: int, marker: str | None = None) -> Journal:
    plan = a_plan(marker=marker)
    folder.mkdir()
    return Journal.create(folder, plan, [RowEntry(row, row + 1, 0) for row in range(1, rows + 1)])


@pytest.mark.parametrize(
    ("states", "marker", "state", "would"),
    [
        ([P, P], None, "not begun", ["send 2 rows"]),
        (
            [P, R],
            None,
            "not begun",
            ["send 1 row", "leave 1 row that failed, unless --retry refused is added"],
        ),
        ([P, D], None, "unfinished", ["send 1 row"]),
        ([D, F], None, "finished", ["send nothing: the job is finished"]),
        ([D, S], None, "unfinished", ["leave 1 row in doubt for good, under way when the run ended: there"]),
        ([D, I], None, "finished", ["send nothing: the job is finished"]),
        ([D, I], "po_number", "unfinished", ["look up 1 row in doubt, by po_number, first; those"]),
        (
            [S, S, I],
            "po_number",
            "unfinished",
            ["look up 1 row in doubt and 2 rows under way when the run ended, by po_number, first; those"],
        ),
    ],
)
async def test_states(
    tmp_path: Path, states: list[State], marker: str | None, state: str, would: list[str]
) -> None:
    async with job(tmp_path / "job", len(states), marker) as journal:
        for row, each in enumerate(states, 1):
            if each != State.PLANNED:
                journal.record(RowRecord(row, each))
        await journal.flush()
        seen = await overview(journal)
    assert (seen.state, seen.running) == (state, None)
    assert sum(seen.ended().values()) + seen.left == len(states)
    for text, start in zip(seen.resume_would(), would, strict=False):
        assert text.startswith(start)


async def test_a_job_that_was_stopped_before_its_first_row_is_begun(tmp_path: Path) -> None:
    async with job(tmp_path / "job", 2) as journal:
        assert (await overview(journal)).state == "not begun"
        await journal.start_run()
        assert (await overview(journal)).state == "unfinished"


async def test_rows_that_are_sent_now_are_not_in_doubt(tmp_path: Path) -> None:
    """They are counted apart, beside a running job and after a kill, when nobody has looked for them."""
    async with job(tmp_path / "job", 3) as journal:
        await journal.begin([1, 2])
        async with Journal.open(tmp_path / "job", read_only=True) as other:
            seen = await overview(other)
            assert (seen.figures()["sending"], seen.figures()["in_doubt"]) == (2, 0)
            assert seen.resume_would() == ["be refused while another process works on the job"]
        journal.abandon()
    async with Journal.open(tmp_path / "job", read_only=True) as other:
        figures = (await overview(other)).figures()
        assert (figures["sending"], figures["in_doubt"]) == (2, 0)


async def test_a_job_of_rejects_knows_whose_they_are(tmp_path: Path) -> None:
    """It is below the job whose file it imports, and that one knows it."""
    parent, child = tmp_path / "f.csv.job", tmp_path / "f.csv.job" / "rejects.csv.job"
    await job(parent, 2).close()
    async with job(child, 1) as journal:
        assert (await overview(journal)).parent == parent
    async with Journal.open(parent, read_only=True) as journal:
        assert (await overview(journal)).parent is None
    assert jobs_within(parent) == [child]
    assert jobs_within(child) == []
    assert list(jobs_below(tmp_path)) == [parent, child]
    last = child / "rejects.csv.job"
    await job(last, 1).close()
    assert jobs_of_rejects(parent) == [child, last]
    (parent / "link").symlink_to(parent)
    assert len(jobs_of_rejects(parent)) == 100, "links are not followed for ever"


@pytest.mark.parametrize(
    ("states", "left", "text"),
    [
        ([D, D], {"undone": 2, "changed": 0}, "undone: 2 of 2"),
        ([D, R], {"undone": 1, "changed": 1}, "undone in part: 1 of 2; 1 left (1 changed since)"),
        (
            [D, S],
            None,
            "undone in part: 1 of 2; 1 left; the undo did not end: wosdk jobs undo goes on with it",
        ),
        ([R, R], {"refused": 2}, None),
    ],
)
async def test_how_far_a_job_was_undone(
    tmp_path: Path, states: list[State], left: dict[str, int] | None, text: str | None
) -> None:
    """With what the last undo left; one that took nothing back leaves the job as it was."""
    async with job(tmp_path / "job", 3) as journal:
        for row, each in enumerate(states, 1):
            journal.record(RowRecord(row, State.DONE, row))
            journal.record_undo(RowRecord(row, each, row))
        for earlier in ({"undone": 1, "gone": 1}, left):
            await journal.start_run(command="undo")
            if earlier is not None:
                await journal.end_run(0, undo=earlier)
        seen = await overview(journal)
    assert seen.as_dict()["undo"] == text
    assert seen.state == (text.partition(":")[0] if text else "unfinished")
    again = "send nothing: the job was undone; --again imports the file again, as a new job"
    assert seen.resume_would() == ([again] if text else ["send 1 row"])


async def test_a_job_is_running_only_for_others(tmp_path: Path) -> None:
    async with job(tmp_path / "job", 1) as journal:
        assert (await overview(journal)).running is None
        async with Journal.open(tmp_path / "job", read_only=True) as other:
            seen = await overview(other)
            assert seen.running is not None
            assert (seen.state, "process" in seen.running) == ("running", True)


async def test_jobs_are_found_by_their_file(tmp_path: Path) -> None:
    """In the order in which they began; signs of patterns in a name mean themselves."""
    file = tmp_path / "a[1]*.csv"
    with pytest.raises(JournalError, match="no such job"):
        folder_of(file)
    folders = [tmp_path / f"{file.name}.job{end}" for end in ("", "-2", "-10")]
    for folder in folders:
        await job(folder, 1).close()
    await job(tmp_path / "a1x.csv.job-2", 1).close()
    (tmp_path / ".hidden").mkdir()
    await job(tmp_path / ".hidden" / "x.job", 1).close()
    assert jobs_of(file) == folders
    assert len(list(jobs_below(tmp_path))) == 4
    with pytest.raises(JournalError, match="has several jobs"):
        folder_of(file)
    assert folder_of(folders[1] / "journal.db") == folders[1] == folder_of(folders[1])
