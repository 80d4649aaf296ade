"""The lease logic on virtual time: seeds hold and replay, and faults that are put back are found.

``python -m tests.simulation.workers``, a part of ``.ci/run``, runs more of them.
"""

from __future__ import annotations

import pytest

from tests.simulation.workers.faults import FAULTS
from tests.simulation.workers.scenario import Scenario, violations
from tests.support.laws import some

FOUND_BY = {
    "lease-not-checked": range(200, 215),
    "early-look-up": range(1, 10),
    "nonce-not-compared": range(235, 250),
    "sent-as-not-sent": range(50, 65),
    "epoch-reused": range(3, 10),
    "early-share": range(8, 20),
}


@pytest.mark.parametrize("start", some(range(1, 4), 3))
def test_a_seed_breaks_no_promise(start: int) -> None:
    assert {seed: found for seed in range(start, 60, 3) if (found := violations(seed))} == {}


def test_a_seed_replays_exactly() -> None:
    first, second, other = Scenario(7), Scenario(7), Scenario(8)
    for each in (first, second, other):
        each.run()
    assert first.world.plan == second.world.plan
    assert first.world.events == second.world.events
    assert len(first.world.events) > 10
    assert first.world.events != other.world.events


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_is_return_row_is_found(name: str) -> None:
    """And without it the seed that finds it breaks no promise."""
    assert FAULTS[name].find(violations, FOUND_BY[name])
