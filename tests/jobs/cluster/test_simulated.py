"""Jobs on many workers, on virtual time: some seeds hold and replay, and faults that are put back are found.

``python -m benchmarks.cluster_simulated``, a part of ``.ci/run``, runs more of them, and ``--reverts`` finds
every fault.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys

import attrs
import pytest

from benchmarks.cluster_simulated.drawing import draw
from benchmarks.cluster_simulated.machines import Machine, MachineLoop
from benchmarks.cluster_simulated.plan import Event, Plan
from benchmarks.cluster_simulated.reverts import REVERTS
from benchmarks.cluster_simulated.runs import run
from wosdk_async.jobs.journal import State

QUIET = Plan(
    seed=1,
    kind="cluster",
    workers=3,
    rows=30,
    lease=2.0,
    deadline=1.0,
    settle=1.0,
    skew=0.2,
    rate=None,
    limit=6,
    marked=True,
)


@pytest.mark.parametrize("seeds", [range(start, 24, 3) for start in range(3)])
def test_a_seed_breaks_no_promise(seeds: range) -> None:
    broken = {seed: result.violations for seed in seeds if (result := run(draw(seed))).violations}
    assert broken == {}


@pytest.mark.parametrize("seed", [3, 11])
def test_a_seed_replays_exactly(seed: int) -> None:
    first, second = run(draw(seed)), run(draw(seed))
    assert first.events == second.events
    assert first.digest == second.digest != run(draw(seed + 1)).digest


def test_a_seed_replays_in_processes_with_other_hashes() -> None:
    program = (
        "from benchmarks.cluster_simulated.drawing import draw\n"
        "from benchmarks.cluster_simulated.runs import run\n"
        "print([run(draw(seed)).digest for seed in (3, 8)])"
    )
    digests = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": hashes},
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        for hashes in ("1", "2")
    }
    assert len(digests) == 1


def test_without_faults_every_row_is_done_and_nothing_is_lost() -> None:
    result = run(QUIET)
    assert (result.violations, result.states) == ([], {State.DONE: 30})
    assert (result.facts["lost"], result.facts["late"]) == (0, 0)


def test_a_row_that_kills_its_workers_is_refused_and_the_others_are_done() -> None:
    result = run(attrs.evolve(QUIET, poison=12))
    assert (result.violations, result.states) == ([], {State.DONE: 29, State.REFUSED: 1})
    assert result.facts["poisoned"] >= 2


@pytest.mark.parametrize("what", ["freeze", "suspend", "cut", "die", "remake"])
def test_a_worker_that_is_lost_costs_no_row(what: str) -> None:
    events = tuple(Event(0.3 + place / 10, what, place, 7.0) for place in range(3))  # type: ignore[arg-type]
    result = run(attrs.evolve(QUIET, rows=60, limit=3, events=events, at_work=True))
    assert (result.violations, result.states) == ([], {State.DONE: 60})
    assert result.facts["lost"]


def test_a_coordinator_that_is_killed_leaves_workers_that_go_on() -> None:
    result = run(attrs.evolve(QUIET, kills=(60, 40)))
    assert (result.violations, result.states) == ([], {State.DONE: 30})
    assert result.facts["coordinators killed"] == 2


# --- machines -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("how", "after"), [("freeze", 2.0), ("suspend", 2.5)])
def test_a_machine_that_stands_still_does_nothing(how: str, after: float) -> None:
    """Its timers run out meanwhile, or not; its boot clock runs on in both cases."""
    loop = MachineLoop.of(random.Random(1))
    machine, done = Machine("m", loop, offset=100.0, drift=0.0), []
    begin, boottime = loop.time(), machine.boottime()
    machine.call_later(1.0, lambda: done.append((loop.time() - begin, machine.boottime() - boottime)))
    loop.call_later(0.5, getattr(machine, how))
    loop.call_later(2.0, machine.wake)
    loop.call_later(4.0, loop.stop)
    loop.run_forever()
    loop.close()
    assert done == [pytest.approx((after, after))]


# --- faults that are put back ---------------------------------------------------------------------


@pytest.mark.parametrize("name", REVERTS)
def test_each_fault_can_be_put_back(name: str) -> None:
    with REVERTS[name].apply():
        assert run(attrs.evolve(QUIET, rows=5)).events


CUT = attrs.evolve(
    QUIET,
    seed=2,
    rows=60,
    lease=4.0,
    limit=3,
    pace=0.5,
    events=tuple(Event(1.0 + 0.6 * place, "cut", place) for place in range(5)),
)
FOUND = {
    "grant-not-written": QUIET,
    "granted-by-time": CUT,
    "lost-at-once": CUT,
    "results-not-numbered": attrs.evolve(CUT, events=(), repeated=0.2, late=0.1, trouble=9.0),
    "shares-at-once": CUT,
}


@pytest.mark.parametrize("name", FOUND)
def test_a_fault_that_is_put_back_is_found(name: str) -> None:
    plans = [attrs.evolve(FOUND[name], seed=seed) for seed in range(1, 9)]
    with REVERTS[name].apply():
        assert any(REVERTS[name].shows.intersection(run(plan).names) for plan in plans)
    assert not any(run(plan).violations for plan in plans[:2])
