"""An import on virtual time, killed at points of its commits and requests, and begun again.

Some points are tried here, which find the faults that are put back below. ``python -m
tests.simulation.killed_imports``, a part of ``.ci/run``, tries them all.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.simulation.killed_imports import KilledJob, break_by_kills, simulate
from tests.support.laws import WHOLE, some
from wosdk_async.jobs.imports.settling import Settling
from wosdk_async.jobs.journal import Journal, RowRecord, State

STEP = 6 if WHOLE else 25
BOTH = pytest.mark.parametrize("marked", [True, False], ids=["marker", "no marker"])


def run(folder: Path, *kills: int, marked: bool, seed: int = 1) -> KilledJob:
    folder = folder / "-".join(map(str, (seed, *kills, marked)))
    folder.mkdir()
    return simulate(kills, marked=marked, seed=seed, folder=folder)


def broken_by_kills(marked: bool) -> Iterator[tuple[int, list[str]]]:
    """Yield the kills that break something, as they are found, and what they break."""
    return ((kill, broken) for kill, broken in break_by_kills(marked=marked, step=STEP) if broken)


@BOTH
def test_a_kill_at_any_point_loses_nothing_and_doubles_nothing(marked: bool) -> None:
    assert dict(broken_by_kills(marked)) == {}


@BOTH
def test_several_kills_lose_nothing_and_double_nothing(tmp_path: Path, marked: bool) -> None:
    rng = random.Random(f"kills {marked}")
    for seed in some(range(2, 9), 3):
        kills = [rng.randint(1, 100), rng.randint(1, 80), rng.randint(1, 60)][: rng.randint(1, 3)]
        assert run(tmp_path, *kills, marked=marked, seed=seed).broken == [], (seed, kills)


def test_the_import_meets_every_fault_when_nobody_kills_it(tmp_path: Path) -> None:
    job = run(tmp_path, marked=False)
    assert job.states == {State.DONE: 7, State.IN_DOUBT: 3}
    arrived = [name.split()[-1] for name in job.points[0] if name.startswith("arrived")]
    assert {"lost", "late", "cut"} <= set(arrived)
    assert "arrived /api/v1/base/Customer cut" in job.points[0]
    assert run(tmp_path, marked=True).states == {State.DONE: 10}


def test_a_kill_may_happen_again_at_the_same_point(tmp_path: Path) -> None:
    points = []
    for name in "ab":
        (tmp_path / name).mkdir()
        points.append(run(tmp_path / name, 30, 20, marked=True).points)
    assert points[0] == points[1]


# Faults that are put back: each would break the promise, and the kills find it.


@BOTH
def test_rows_that_are_sent_again_without_settling_are_found(
    monkeypatch: pytest.MonkeyPatch, marked: bool
) -> None:
    async def plan_again(self: Settling) -> None:
        for row in await self.journal.rows_in(State.SENDING):
            self.journal.record(RowRecord(row.row, State.PLANNED))

    monkeypatch.setattr(Settling, "look_up_earlier_runs", plan_again)
    assert any(" 2 times" in text for _, texts in broken_by_kills(marked) for text in texts)


def test_rows_that_are_sent_before_the_journal_says_so_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    async def begin_nothing(self: Journal, rows: Sequence[int]) -> None:
        """Leave the rows as they are."""

    monkeypatch.setattr(Journal, "begin", begin_nothing)
    assert any(" 2 times" in text for _, texts in broken_by_kills(marked=False) for text in texts)
