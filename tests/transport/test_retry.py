"""The arithmetic and the table of retries, as laws."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wosdk_async import (
    RetryPolicy,
)
from wosdk_async.transport.retry import backoff

seconds = st.floats(0, 1000)


@given(failed=st.integers(1, 10_000), draw=st.floats(0, 1, exclude_max=True), first=seconds, longest=seconds)
def test_waits_stay_within_their_bounds(failed: int, draw: float, first: float, longest: float) -> None:
    """However often a call failed, a wait is never negative and never above the longest."""
    policy = RetryPolicy(wait_initial=first, wait_max=longest)
    assert 0 <= backoff(policy, failed, draw) <= longest


@given(failed=st.integers(1, 20), draw=st.floats(0.01, 1, exclude_max=True))
def test_waits_double(failed: int, draw: float) -> None:
    """With the same draw, from the first wait up to the longest."""
    policy = RetryPolicy()
    assert backoff(policy, 1, draw) == draw * policy.wait_initial
    doubled = min(2 * backoff(policy, failed, draw), draw * policy.wait_max)
    assert backoff(policy, failed + 1, draw) == pytest.approx(doubled)
