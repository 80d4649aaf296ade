"""Short run of ``python -m benchmarks.threads``."""

from __future__ import annotations

import asyncio

from benchmarks.threads import Case, measure


def test_threads_that_share_a_client_or_have_one_each() -> None:
    """The benchmark itself checks its results and the number of log-ins."""
    cases = [Case(4, shared=True), Case(4, shared=False)]
    figures = measure(cases, asyncio.new_event_loop, rounds=1, calls=400)
    assert list(figures) == cases
