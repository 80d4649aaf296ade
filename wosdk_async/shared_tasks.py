"""Tasks of one event loop that many callers wait for: each is found by a key while it runs."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import math
from collections.abc import Callable, Collection, Coroutine
from typing import Any, Generic, Self, TypeVar

import anyio

from wosdk_async.errors import WosdkError

__all__ = ["SharedTask", "SingleFlight", "all_ended", "mark_retrieved"]

T = TypeVar("T")


class SharedTask(Generic[T]):
    """Task that begins in the next turn of the loop, and is cancelled when no caller waits for it any more.

    A caller waits inside ``with shared:``. ``asked_at`` is the time by ``now`` when the work began,
    or infinity before; the result is not older than that.
    """

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]], now: Callable[[], float]) -> None:
        self.asked_at = math.inf
        self._now = now
        self._task = asyncio.get_running_loop().create_task(self._begin(work), name="wosdk lookup")
        self._task.add_done_callback(mark_retrieved)
        self._waiting = 0
        self._abandoned = False

    def __enter__(self) -> Self:
        self._waiting += 1
        return self

    def __exit__(self, *_: object) -> None:
        self._waiting -= 1
        if not self._waiting:
            self._abandoned = True
            self._task.cancel()

    async def _begin(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        self.asked_at = self._now()
        return await work()

    async def result(self) -> T:
        """Return the result of the work. Each caller gets its own copy of an error, to add details to."""
        with self:
            try:
                return await asyncio.shield(self._task)
            except WosdkError as error:
                raise copy.copy(error) from error

    def is_usable(self, not_before: float) -> bool:
        """Return whether it is running, and its result will not be older than ``not_before``."""
        if self._abandoned or self._task.done() or self.asked_at < not_before:
            return False
        return self._task.get_loop() is asyncio.get_running_loop()  # the task of another loop may never end

    async def ended(self) -> None:
        """Wait until the work has ended, however it did, without being one of those it is done for."""
        await asyncio.wait([self._task])

    def call_when_ended(self, act: Callable[[], None]) -> None:
        """Call ``act`` when the work is done, has failed or was cancelled."""
        self._task.add_done_callback(lambda _: act())


class SingleFlight:
    """Running shared tasks of a Company; the key says what a task looks up."""

    # A task is shared within its loop. Loops in other threads put theirs under the same keys.

    def __init__(self) -> None:
        # GIL: threads read, set and remove a key atomically.
        self._tasks: dict[object, SharedTask[Any]] = {}

    def find(self, key: object, not_before: float) -> Any:
        """Return the task for ``key`` if its result will not be older than ``not_before``; else None."""
        task = self._tasks.get(key)
        return task if task is not None and task.is_usable(not_before) else None

    def add(self, key: object, task: SharedTask[Any]) -> None:
        """Let others find ``task`` until it has ended."""
        self._tasks[key] = task
        task.call_when_ended(lambda: self._remove(key, task))

    def hide(self, key: object) -> None:
        """Remove the task for ``key``, so that :meth:`find` does not return it; the task continues."""
        self._tasks.pop(key, None)

    def _remove(self, key: object, task: SharedTask[Any]) -> None:
        # Another may have replaced it after it was cancelled. A loop in another thread may even do it between
        # these two steps, and remove its own: then a third one asks the service once more.
        if self._tasks.get(key) is task:
            self._tasks.pop(key, None)


def mark_retrieved(task: asyncio.Future[Any]) -> None:
    """Read the error of a task or future, so that asyncio does not log it when no one else reads it."""
    if not task.cancelled():
        task.exception()


async def all_ended(
    futures: Collection[asyncio.Future[Any]], on_cancel: Callable[[], None] = lambda: None
) -> None:
    """Wait until all have ended, however often the caller is cancelled.

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
