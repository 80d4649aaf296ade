"""One Company on an event loop of its own: what commands await, Ctrl-C ends within a second."""

from __future__ import annotations

import asyncio
import functools
import os
import threading
from collections.abc import Coroutine, Mapping
from types import TracebackType
from typing import Any, Self, TypeVar

from wosdk_async.cli.exit_codes import Exit
from wosdk_async.cli.options import Target

__all__ = ["Runner"]

T = TypeVar("T")

_PATIENCE = 0.7  # seconds that closing gets after Ctrl-C


class Runner:
    """``with Runner(target) as link: link.do(link.company.get(...))``.

    With ``variables`` the Company is the one that they lead to, whatever the environment says; ``more``
    goes to the client. Between two calls of :meth:`do` no loop runs, so that a question can be asked
    and Ctrl-C answers it.
    """

    def __init__(self, target: Target, variables: Mapping[str, str] | None = None, **more: Any) -> None:
        self._open = functools.partial(target.client, variables, **more)
        self._name = target.company if variables is None else None
        self._runner = asyncio.Runner()

    def __enter__(self) -> Self:
        self._client = self._open()
        self.company = self._client.company(self._name)
        self._runner.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._runner.run(self._client.aclose())
        finally:
            self._runner.__exit__(kind, error, trace)

    def do(self, call: Coroutine[Any, Any, T], *, hurry: bool = True) -> T:
        """The result of ``call``. Raises KeyboardInterrupt after Ctrl-C, when ``call`` has seen its end.

        With ``hurry`` the process does not outlive Ctrl-C by more than a moment, whatever hangs.
        """
        return self._runner.run(_hurried(call) if hurry else call)


async def _hurried(call: Coroutine[Any, Any, T]) -> T:
    try:
        return await call
    except asyncio.CancelledError:
        _leave_soon()
        raise


def _leave_soon() -> None:
    """End the process a moment from now: a thread that asks a dead name server cannot be interrupted."""
    timer = threading.Timer(_PATIENCE, os._exit, [int(Exit.INTERRUPTED)])
    timer.daemon = True
    timer.start()
