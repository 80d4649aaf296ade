"""Moments at which a worker has a request under way: what is killed at others proves nothing.

The processes note each request as it leaves and as it ends (``cluster_hooks.py``). A process is stopped
first, so that what the notes say then is certain, and goes on at once if it has nothing under way.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Collection
from pathlib import Path

from benchmarks.cluster_hooks import under_way

__all__ = ["stop_at_work"]

_AGAIN = 0.004  # seconds from one attempt to the next
_LONGEST = 20.0  # seconds


async def stop_at_work(folder: Path, workers: Callable[[], Collection[int]]) -> int | None:
    """Stop a worker by SIGSTOP while it has a request under way.

    Args:
        folder: where the requests are noted.
        workers: returns the workers to choose from, in the order of the choice.

    Returns:
        The process, which stands still; None if none had a request under way for a while.
    """
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_LONGEST):
            while True:
                for process in workers():
                    if under_way(folder, process) and _stopped_at_work(folder, process):
                        return process
                await asyncio.sleep(_AGAIN)
    return None


def _stopped_at_work(folder: Path, process: int) -> bool:
    try:
        os.kill(process, signal.SIGSTOP)
        while (state := _state(process)) != "T":  # it takes some microseconds
            if state in "ZX":
                return False
    except (ProcessLookupError, FileNotFoundError):
        return False
    if under_way(folder, process):
        return True
    os.kill(process, signal.SIGCONT)
    return False


def _state(process: int) -> str:
    """Return the letter of the state of a process, see proc(5)."""
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
