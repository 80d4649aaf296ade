"""Bounded waits for another task, thread or process."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable


def until(true: Callable[[], object], seconds: float = 10) -> None:
    """Wait until a condition is true; fail if it is still false after ``seconds``."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it never came true"
        time.sleep(0.001)


async def cancel_without_end(task: asyncio.Task[object]) -> None:
    """Cancel a task twice, and check that it does not end: it waits for a thread."""
    for _ in range(2):
        task.cancel()
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert not task.done()


async def until_true(true: Callable[[], object], seconds: float = 10) -> None:
    """Wait like :func:`until`, and let the loop run in the meantime."""
    async with asyncio.timeout(seconds):
        while not true():
            await asyncio.sleep(0.001)
