"""A short run of ``tests.chaos.desync``: surplus responses over each engine, on each way to the service."""

from __future__ import annotations

import pytest

from tests.chaos.desync import CELLS, ENGINES, Cell, run
from tests.support.laws import some

PAIRS = [(engine, cell) for engine in ENGINES for cell in CELLS]


# The loop makes no difference to httpx, which asks asyncio for its connections.
@pytest.mark.parametrize(
    ("engine", "cell"),
    some([pair for pair in PAIRS if pair[0] == "native" or pair[1].loop == "asyncio"], 5),
    ids=str,
)
def test_no_command_believes_the_response_of_another(engine: str, cell: Cell) -> None:
    """Every fourth response has surplus: some calls are in doubt, none hears an untruth."""
    tally = run(engine, "commands", cell, creates=100, every=4, seed=7)
    assert tally.wrong == []
    assert tally.outcomes["done"] > 50


@pytest.mark.parametrize("cell", some(CELLS, 3), ids=str)
def test_no_base_create_believes_what_came_before_it_was_sent(cell: Cell) -> None:
    """Nothing names its request here, so only the time tells that a response is not its own."""
    tally = run("native", "base creates", cell, creates=200, every=4, seed=7)
    assert tally.wrong == []
    assert tally.outcomes["in doubt (same flight)"] > 0
    assert tally.outcomes["done"] > 100


def test_what_comes_later_is_believed() -> None:
    """The window that docs/failures.md names is there: the campaign is not blind."""
    assert run("native", "base creates, late", Cell(), creates=400, every=4, seed=7).wrong
