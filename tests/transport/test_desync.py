"""A short run of ``benchmarks.desync``: surplus responses over each engine."""

from __future__ import annotations

import pytest

from benchmarks.desync import ENGINES, create_work_order, run


@pytest.mark.parametrize("engine", ENGINES)
async def test_no_command_believes_the_response_of_another(engine: str) -> None:
    """Every fourth response is followed by a surplus one: some calls are in doubt, none hears an untruth."""
    tally = await run(engine, create_work_order, creates=250, every=4, seed=7)
    assert tally.wrong == []
    assert tally.outcomes["in doubt"] > 0
    assert tally.outcomes["done"] > 100
