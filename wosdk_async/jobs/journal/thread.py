"""The thread of a journal, the only one that uses its connection: the event loop never waits for a disk."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from queue import SimpleQueue
from typing import Any, TypeVar

__all__ = ["JobThread"]

T = TypeVar("T")


class JobThread:
    """A thread that carries out functions one after the other; it starts with the first of them.

    Args:
        name: of the thread.
        synchronous: carry out functions in the caller, without a thread.
    """

    def __init__(self, name: str, *, synchronous: bool) -> None:
        self.synchronous = synchronous
        self._name = name
        self._tasks: SimpleQueue[Callable[[], None] | None] = SimpleQueue()
        self._thread: threading.Thread | None = None

    def run(self, function: Callable[[], T]) -> asyncio.Future[T]:
        """Carry out a function; return a future of the running loop."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        if self.synchronous:
            _settle(future, *_carry_out(function))
            return future

        def task() -> None:
            result, error = _carry_out(function)
            with contextlib.suppress(RuntimeError):  # the loop was closed meanwhile
                loop.call_soon_threadsafe(_settle, future, result, error)

        if self._thread is None:
            # A program that ends without closing its journal must not wait for this thread.
            self._thread = threading.Thread(target=self._work, name=self._name, daemon=True)
            self._thread.start()
        self._tasks.put(task)
        return future

    def end(self) -> None:
        """Let the thread end after what it was given, and wait for it."""
        if self._thread is not None:
            self._tasks.put(None)
            self._thread.join()
            self._thread = None

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            task()


def _carry_out(function: Callable[[], T]) -> tuple[T | None, BaseException | None]:
    try:
        return function(), None
    except BaseException as error:
        return None, error


def _settle(future: asyncio.Future[Any], result: object, error: BaseException | None) -> None:
    if future.done():  # cancelled
        return
    if error is None:
        future.set_result(result)
    else:
        future.set_exception(error)
