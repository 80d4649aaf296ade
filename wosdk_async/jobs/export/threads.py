"""Threads that write the files of an export: a caller that is cancelled waits until they have ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Collection
from concurrent.futures import Executor
from pathlib import Path
from typing import Any, TypeVar

import anyio

from wosdk_async.jobs.export.errors import writing_output

__all__ = ["all_ended", "in_thread"]

T = TypeVar("T")


async def in_thread(
    path: Path,
    function: Callable[[], T],
    *,
    thread: Executor | None = None,
    on_cancel: Callable[[], None] = lambda: None,
) -> T:
    """Return the result of a function that writes files, as :func:`writing_output` does.

    A caller that is cancelled waits until the function has ended: it works on what the caller would close.
    ``on_cancel`` may end it sooner.
    """
    # Not a task: a loop that is closed cancels its tasks, and the function would still run.
    writing = asyncio.get_running_loop().run_in_executor(thread, function)
    with writing_output(path):
        try:
            await all_ended([writing], on_cancel)
        except asyncio.CancelledError:
            writing.exception()  # seen: the cancellation says more
            raise
        return writing.result()


async def all_ended(
    futures: Collection[asyncio.Future[Any]], on_cancel: Callable[[], None] = lambda: None
) -> None:
    """Wait until all have ended, however often the caller is cancelled meanwhile.

    Raises:
        asyncio.CancelledError: the caller was cancelled; all have ended.
    """
    try:
        await asyncio.wait(futures)
    except asyncio.CancelledError:
        on_cancel()
        with anyio.CancelScope(shield=True):
            while not all(each.done() for each in futures):
                with contextlib.suppress(asyncio.CancelledError):  # it passes the shield
                    await asyncio.wait(futures)
        raise
