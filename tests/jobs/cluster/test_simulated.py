"""The lease logic on virtual time: seeds hold and replay, and faults that are put back are found.

``python -m benchmarks.cluster_simulated``, a part of ``.ci/run``, runs more of them.
"""

from __future__ import annotations

import pytest

from benchmarks.cluster_simulated.faults import FAULTS, put_back
from benchmarks.cluster_simulated.scenario import Scenario

FOUND_BY = {
    "no check before the first byte": range(200, 215),
    "look-up before the lease has ended": range(1, 10),
    "nonce not compared": range(235, 250),
    "not sent reported for a sent row": range(50, 65),
    "epoch reused": range(1, 10),
    "share returned early": range(8, 20),
}


@pytest.mark.parametrize("start", range(1, 4))
def test_a_seed_breaks_no_promise(start: int) -> None:
    broken = {seed: found for seed in range(start, 60, 3) if (found := Scenario(seed).run())}
    assert broken == {}


def test_a_seed_replays_exactly() -> None:
    first, second, other = Scenario(7), Scenario(7), Scenario(8)
    for each in (first, second, other):
        each.run()
    assert first.world.plan == second.world.plan
    assert [text.partition("#")[0] for text in first.world.events] == [
        text.partition("#")[0] for text in second.world.events
    ]
    assert len(first.world.events) > 10
    assert first.world.events != other.world.events


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_that_is_put_back_is_found(name: str) -> None:
    with put_back(name):
        assert any(Scenario(seed).run() for seed in FOUND_BY[name])
    assert not any(Scenario(seed).run() for seed in FOUND_BY[name][:2])
