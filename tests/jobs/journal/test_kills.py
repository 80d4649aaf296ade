"""What a kill leaves: everything that was acknowledged, and nothing that was not queued."""

from __future__ import annotations

import functools
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.jobs.journal.plans import a_journal, a_plan, insert_rows
from tests.jobs.journal.worker import ROWS
from tests.jobs.runs import Kill, KillAt
from tests.support.preloaded import Preloaded
from wosdk_async.jobs.journal import Journal, ReferenceRecord, RowRecord, State

ROOT = Path(__file__).parents[3]
WORKER = """
import runpy, sys
runpy.run_module("tests.jobs.journal.worker", run_name="__main__")
sys.exit()
"""


def killed_after(folder: Path, lines: int) -> list[list[str]]:
    """Kill a worker with SIGKILL once it has said so many lines; return all that it said."""
    said = []
    options: dict[str, Any] = {"text": True, "pipesize": 4096}  # it cannot run far ahead
    with Preloaded([folder], code=WORKER, cwd=ROOT, stdout=subprocess.PIPE, **options) as worker:
        for line in worker.stdout:
            said.append(line.split())
            if len(said) == lines:
                worker.kill()
    return [words for words in said if len(words) > 1 or words in (["made"], ["end"])]


async def test_what_was_acknowledged_is_there_after_kill_9(tmp_path: Path) -> None:
    moments = random.Random(14)
    begun: set[int] = set()
    done: set[int] = set()
    ended = False
    for _ in range(5):
        said = killed_after(tmp_path, 1 + moments.randrange(900))
        assert said[0] == ["made"]
        begun |= {int(row) for word, row in (words for words in said if len(words) == 2) if word == "begun"}
        done |= {int(row) for word, row in (words for words in said if len(words) == 2) if word == "done"}
        ended = ended or said[-1] == ["end"]
        async with Journal.open(tmp_path) as journal:
            state = {row: state for _, row, state, *_ in await journal.page(1, ROWS)}
            stored = {row.row: row for row in await journal.rows_in(State.DONE, limit=ROWS)}
        assert len(state) == ROWS
        assert all(state[row] in (State.SENDING, State.DONE) for row in begun)
        assert all(stored[row].id == row for row in done)
        # A commit that was not acknowledged may be there: that of each of the four that send groups of 8.
        assert sum(each == State.SENDING for each in state.values()) <= 5 * 4 * 8 * 2
    assert done, "the workers were killed before they did anything"
    assert not ended


# --- every commit, before and after -----------------------------------------------------------------


# What is on the disk after each commit of the job below: runs, references, and the states of its two rows.
STEPS = [
    None,
    (0, [], []),
    (1, [], []),
    (1, [], [0, 0]),
    (1, [State.SENDING], [0, 0]),
    (1, [State.DONE], [0, 0]),
    (1, [State.DONE], [State.SENDING, 0]),
    (1, [State.DONE], [State.DONE, 0]),
    (1, [State.DONE], [State.DONE, State.SENDING]),
    (1, [State.DONE], [State.DONE, State.REFUSED]),
    (1, [State.DONE], [State.DONE, State.REFUSED]),
]


async def a_job(folder: Path, hook: KillAt) -> None:
    journal = Journal.create(folder, a_plan(), commit=hook, synchronous=True)
    try:
        await journal.start_run()
        await journal.admit(functools.partial(insert_rows, rows=2), a_plan(rows=2))
        await journal.begin_reference(ReferenceRecord("customer", "acme", "Acme", State.SENDING))
        journal.record_reference(ReferenceRecord("customer", "acme", "Acme", State.DONE, id=1))
        for row, state in ((1, State.DONE), (2, State.REFUSED)):
            await journal.begin([row])
            journal.record(RowRecord(row, state))
        await journal.end_run(0)
    finally:
        journal.abandon()


async def on_the_disk(folder: Path) -> tuple[int, list[State], list[State]] | None:
    if not (folder / "journal.db").exists():
        return None
    async with Journal.open(folder) as journal:
        states = [state for _, _, state, *_ in await journal.page(1, 2)]
        return len(await journal.runs()), [each.state for each in await journal.references()], states


@pytest.mark.parametrize("after", [False, True])
@pytest.mark.parametrize("at", range(1, len(STEPS)))
async def test_every_commit_may_be_the_last(tmp_path: Path, at: int, after: bool) -> None:
    hook = KillAt(at, after=after)
    with pytest.raises(Kill):
        await a_job(tmp_path, hook)
    assert hook.calls == at
    assert await on_the_disk(tmp_path) == STEPS[at - 1 + after]


async def test_a_job_that_is_not_killed_has_all_its_commits(tmp_path: Path) -> None:
    hook = KillAt(0, after=False)
    await a_job(tmp_path, hook)
    assert hook.calls == len(STEPS) - 1
    assert await on_the_disk(tmp_path) == STEPS[-1]


async def test_nothing_happens_in_a_process_that_was_killed(tmp_path: Path) -> None:
    hook = KillAt(2, after=False)
    journal = a_journal(tmp_path, 2, commit=hook, synchronous=True)
    with pytest.raises(Kill):
        await journal.begin([1])
    for step in (
        lambda: journal.begin([2]),
        lambda: journal.page(1, 2),
        lambda: journal.rows_in(),
        journal.flush,
        journal.close,
    ):
        with pytest.raises(Kill):
            await step()
    assert await on_the_disk(tmp_path) == (0, [], [0, 0])


async def test_a_kill_in_the_writing_thread_ends_those_who_wait(tmp_path: Path) -> None:
    hook = KillAt(3, after=True)
    journal = a_journal(tmp_path, 2, commit=hook)
    await journal.begin([1])
    with pytest.raises(Kill):
        await journal.begin([2])
    with pytest.raises(Kill):
        await journal.flush()
    journal.abandon()
    assert await on_the_disk(tmp_path) == (0, [], [State.SENDING, State.SENDING])
