"""Figures of a job over time: calls, their durations, waits and retries, one sample for each second."""

from __future__ import annotations

import asyncio
import datetime
import time
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from wosdk_async.calls.outcome import Done, Failed, InDoubt
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.journal import Journal

__all__ = ["CallMeter"]


Ended = Done[Any, Any] | Failed[Any] | InDoubt[Any]


class CallMeter:
    """Counts the calls of a job and gives the journal a sample for each second in which some ended.

    Seconds count since the first run with the same file, so that the runs of one file follow each other.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._loop = asyncio.get_running_loop()
        self._second = -1
        self._durations: list[float] = []
        self._waits = self._retries = 0

    @cached_property
    def _zero(self) -> float:
        """The event loop's time at which the first run with this file began."""
        plan = self._journal.plan  # as it is once the file was admitted
        begun = datetime.datetime.fromisoformat(plan.since or plan.created_at).timestamp()
        return self._loop.time() - max(0.0, time.time() - begun)

    def add(self, outcome: Ended, started: float) -> tuple[int, float]:
        """Count a call that ended now, and return its attempts and its seconds."""
        now = self._loop.time()
        second = int(now - self._zero)
        if second != self._second:
            self.flush()
            self._second = second
        self._durations.append(now - started)
        attempts, waits = _effort(outcome)
        self._waits += bool(waits)
        self._retries += max(0, attempts - 1)
        return attempts, now - started

    def flush(self) -> None:
        """Give the journal what was counted since the last sample."""
        if durations := sorted(self._durations):
            p50, p95 = (durations[int(part * len(durations))] for part in (0.5, 0.95))
            self._journal.sample(self._second, len(durations), p50, p95, self._waits, self._retries)
        self._durations = []
        self._waits = self._retries = 0


def _effort(outcome: Ended) -> tuple[int, Sequence[float]]:
    """Return how many attempts a call took, and the seconds that it waited before each further one."""
    if isinstance(outcome, Done):
        return outcome.attempts, outcome.waits
    error = outcome.error
    return (error.attempts, error.waits) if isinstance(error, WosdkError) else (0, ())
