"""Tasks that many callers in one event loop share, found by key while they run."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import copy
import math
from collections.abc import Callable, Coroutine
from typing import Any, Generic, Self, TypeVar

import anyio

from wosdk_async.errors import WosdkError

T = TypeVar("T")


class SharedTask(Generic[T]):
    """Task that starts in the next iteration of the event loop, and is cancelled once no caller waits for it.

    Callers wait inside ``with shared:``. ``started_at`` is the start time on the clock ``now``, or
    infinity before the start. The result is no older than ``started_at``.
    """

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]], now: Callable[[], float]) -> None:
        self.started_at = math.inf
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
        self.started_at = self._now()
        return await work()

    async def result(self) -> T:
        """Return the result. Each caller gets its own copy of an error, to add details to."""
        with self:
            try:
                return await asyncio.shield(self._task)
            except WosdkError as error:
                raise copy.copy(error).with_traceback(error.__traceback__) from error.__cause__

    def is_usable(self, not_before: float) -> bool:
        """Return whether the task is running, with a result no older than ``not_before``."""
        if self._abandoned or self._task.done() or self.started_at < not_before:
            return False
        return self._task.get_loop() is asyncio.get_running_loop()  # a task of another loop may never end

    async def ended(self) -> None:
        """Wait until the work has ended in any way, without counting as a waiting caller."""
        await asyncio.wait([self._task])

    def call_when_ended(self, act: Callable[[], None]) -> None:
        """Call ``act`` when the work is done, has failed or was cancelled."""
        self._task.add_done_callback(lambda _: act())


class SingleFlight:
    """A Company's running shared tasks, keyed by what they look up."""

    # A task is shared only within its loop, but loops in other threads use the same keys.

    def __init__(self) -> None:
        # GIL: threads read, set and remove a key atomically.
        self._tasks: dict[object, SharedTask[Any]] = {}

    def find(self, key: object, not_before: float) -> Any:
        """Return the task for ``key`` if its result will be no older than ``not_before``; otherwise None."""
        task = self._tasks.get(key)
        return task if task is not None and task.is_usable(not_before) else None

    def add(self, key: object, task: SharedTask[Any]) -> None:
        """Let others find ``task`` until it has ended."""
        self._tasks[key] = task
        task.call_when_ended(lambda: self._remove(key, task))

    def hide(self, key: object) -> None:
        """Remove the task for ``key`` from :meth:`find`; the task continues."""
        self._tasks.pop(key, None)

    def _remove(self, key: object, task: SharedTask[Any]) -> None:
        # After a cancellation, another task may have replaced this task. If another thread replaces the task
        # between these two steps, the new task is removed, and the next caller queries again.
        if self._tasks.get(key) is task:
            self._tasks.pop(key, None)


def mark_retrieved(task: asyncio.Future[Any]) -> None:
    """Read the error of a task or future, so that asyncio does not log it as unretrieved."""
    if not task.cancelled():
        task.exception()


async def completed(future: asyncio.Future[T], on_cancel: Callable[[], None] = lambda: None) -> T:
    """Wait until ``future`` has ended, however often the caller is cancelled, and return its result.

    Raises:
        asyncio.CancelledError: the caller was cancelled; ``future`` has ended.
    """
    try:
        await asyncio.wait([future])
    except asyncio.CancelledError:
        on_cancel()
        with anyio.CancelScope(shield=True):
            while not future.done():
                with contextlib.suppress(asyncio.CancelledError):  # Task.cancel() ignores the shield
                    await asyncio.wait([future])
        mark_retrieved(future)
        raise
    return future.result()


async def open_in_thread(function: Callable[[], T], *, close: Callable[[T], None]) -> T:
    """Run a function in a thread, and return its result, which the caller must close.

    If the call is cancelled, even repeatedly, it waits until the function has ended, and then passes the
    result to ``close``.
    """
    context = contextvars.copy_context()
    # Not a task: a closing loop would cancel the task, while the function would continue in its thread.
    opening = asyncio.get_running_loop().run_in_executor(None, context.run, function)
    try:
        return await completed(opening)
    except asyncio.CancelledError:
        if not opening.cancelled() and opening.exception() is None:
            close(opening.result())
        raise
