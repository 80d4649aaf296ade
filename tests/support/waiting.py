"""A bounded wait for what another thread or process does."""

from __future__ import annotations

import time
from collections.abc import Callable


def until(true: Callable[[], object], seconds: float = 10) -> None:
    """Wait until a condition is true; fail when it is not after ``seconds``."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.001)
