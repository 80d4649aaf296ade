"""Work that many callers wait for."""

from __future__ import annotations

import asyncio
import copy
import math
from collections.abc import Callable, Coroutine
from typing import Any, Generic, Self, TypeVar

from wosdk_async.errors import WosdkError

__all__ = ["SharedTask", "SingleFlight"]

T = TypeVar("T")


class SharedTask(Generic[T]):
    """A task of its own, begun in the loop's next turn, that outlives any one of those who wait for it.

    ``with shared:`` counts as waiting; the task is cancelled when the last one leaves. ``asked_at`` is when
    the work began, by ``now``: its answer is not older. Before that it is infinity.
    """

    def __init__(self, work: Callable[[], Coroutine[Any, Any, T]], now: Callable[[], float]) -> None:
        self.asked_at = math.inf
        self._now = now
        self._task = asyncio.get_running_loop().create_task(self._begin(work))
        self._task.add_done_callback(_retrieve)
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
        """What the work gives. Its error reaches each who waits, as a copy to add details to."""
        with self:
            try:
                return await asyncio.shield(self._task)
            except WosdkError as error:
                raise copy.copy(error) from error

    def serves(self, not_before: float) -> bool:
        """Whether to wait for it: it is under way, and its answer will not be older than ``not_before``."""
        return not (self._abandoned or self._task.done()) and self.asked_at >= not_before

    def when_ended(self, act: Callable[[], None]) -> None:
        """Call ``act`` once the work is done, has failed or was given up."""
        self._task.add_done_callback(lambda _: act())


class SingleFlight:
    """The shared work of a Company that has not ended, by what it is about."""

    def __init__(self) -> None:
        self._works: dict[object, SharedTask[Any]] = {}

    def serving(self, place: object, not_before: float) -> Any:
        """The work about ``place`` whose answer will be as new as this, to be waited for; else None."""
        work = self._works.get(place)
        return work if work is not None and work.serves(not_before) else None

    def enter(self, place: object, work: SharedTask[Any]) -> None:
        """Let others find ``work`` until it has ended."""
        self._works[place] = work
        work.when_ended(lambda: self._leave(place, work))

    def close(self, place: object) -> None:
        """Let nobody find the work about ``place`` any more."""
        self._works.pop(place, None)

    def _leave(self, place: object, work: SharedTask[Any]) -> None:
        if self._works.get(place) is work:  # not one that was begun since, after this one was given up
            del self._works[place]


def _retrieve(task: asyncio.Task[Any]) -> None:
    """Nobody may be left to read the error, which is no reason to log it."""
    if not task.cancelled():
        task.exception()
