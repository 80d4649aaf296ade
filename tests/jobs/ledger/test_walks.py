"""Random walks of imports: a few seeds, and rules that are broken, which they find."""

from __future__ import annotations

import pytest

from tests.simulation.walks.faults import FAULTS
from tests.simulation.walks.walk import violations
from tests.support.laws import some


def names(seed: int) -> set[str]:
    return {each.partition(":")[0] for each in violations(seed)}


@pytest.mark.parametrize("seed", [*some(range(1, 21), 5), 400028, 401497, 980362])
def test_a_walk_doubles_nothing_and_loses_nothing(seed: int) -> None:
    """``python -m tests.simulation.walks --seeds 2000`` carries out as many as it takes.

    The last three: rejects under another marker, a repeated row under the first key of a map, and a copy of a
    file whose undo is in doubt.
    """
    assert violations(seed) == []


def test_a_seed_replays_a_walk() -> None:
    steps: list[list[str]] = [[], []]
    for said in steps:
        violations(7, say=lambda text, said=said: said.append(text.split(" {")[0]))  # type: ignore[misc]
    assert steps[0] == steps[1]
    assert len(steps[0]) > 5


@pytest.mark.parametrize(
    ("rule", "first"), [("edited-not-asked", 12), ("not-looked-up", 2), ("repeated-keys-sent", 20)]
)
def test_a_broken_rule_is_found(rule: str, first: int) -> None:
    """From the first seed on that finds it."""
    assert FAULTS[rule].find(names, range(first, first + 19)) is not None
