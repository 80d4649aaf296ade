"""The clock of leases."""

from __future__ import annotations

import time

__all__ = ["boottime"]


def boottime() -> float:
    """Return seconds of a clock that nobody sets and that runs on while the machine sleeps.

    Where there is none, it is the monotonic clock, which stands still then.
    """
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()
