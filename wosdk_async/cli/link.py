"""One Company on an event loop of its own: what commands await, Ctrl-C ends within a second."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Coroutine
from types import TracebackType
from typing import Any, Self, TypeVar

from wosdk_async.cli.exits import Exit
from wosdk_async.cli.options import Target

__all__ = ["Link", "leave_soon"]

T = TypeVar("T")

_PATIENCE = 0.7  # seconds that closing gets after Ctrl-C


class Link:
    """``with Link(target) as link: link.do(link.company.get(...))``.

    Between two calls of :meth:`do` no loop runs, so that a question can be asked and Ctrl-C answers it.
    """

    def __init__(self, target: Target) -> None:
        self._target = target
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._client = self._target.client()
        self.company = self._target.of(self._client)
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(self._client.aclose())
        finally:
            self._runner.__exit__(kind, error, trace)

    def do(self, call: Coroutine[Any, Any, T]) -> T:
        """The result of ``call``. Raises KeyboardInterrupt after Ctrl-C, when ``call`` has seen its end."""
        return self._runner.run(_interruptible(call))


async def _interruptible(call: Coroutine[Any, Any, T]) -> T:
    try:
        return await call
    except asyncio.CancelledError:
        leave_soon()
        raise


def leave_soon() -> None:
    """End the process a moment from now: a thread that asks a dead name server cannot be interrupted."""
    timer = threading.Timer(_PATIENCE, os._exit, [int(Exit.INTERRUPTED)])
    timer.daemon = True
    timer.start()
