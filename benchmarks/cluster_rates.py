"""The rate of a job: requests by the boot clocks of their senders, in every window of 10 s."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

__all__ = ["WINDOW", "bound", "burst", "fullest", "highest_excess"]

WINDOW = 10.0  # seconds
_AHEAD = 0.1  # seconds of its rate that a sender may use at once (docs/load.md)


def burst(rate: float) -> float:
    """Return how many requests may be sent at once."""
    return _AHEAD * rate


def bound(rate: float) -> float:
    """Return how many requests a window of 10 s may hold, without one for each sender."""
    return WINDOW * rate + burst(rate)


def highest_excess(sent: Sequence[tuple[float, int]], rate: float) -> float:
    """Return how many requests, at most, some window of 10 s holds beyond 10 times the rate.

    One request of each sender does not count: whatever its share is, it may send one at any time.

    Args:
        sent: when each request was sent, and by which process; in the order of the times.
        rate: requests in a second, of all senders together.
    """
    senders: Counter[int] = Counter()
    first, most = 0, -WINDOW * rate
    for number, (at, sender) in enumerate(sent):
        senders[sender] += 1
        while sent[first][0] <= at - WINDOW:
            senders[sent[first][1]] -= 1
            first += 1
        excess = number + 1 - first - sum(count > 0 for count in senders.values()) - WINDOW * rate
        most = max(most, excess)
    return most


def fullest(sent: Sequence[tuple[float, int]]) -> int:
    """Return how many requests the fullest window of 10 s holds; the arguments are as above."""
    first = most = 0
    for number, (at, _) in enumerate(sent):
        while sent[first][0] <= at - WINDOW:
            first += 1
        most = max(most, number + 1 - first)
    return most
