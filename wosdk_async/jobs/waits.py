"""Waits and calls that a stop ends, and texts that are said now and then while something takes long."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

__all__ = ["NowAndThen", "stopped_within", "unless_stopped"]

T = TypeVar("T")
D = TypeVar("D")

_EACH = 5.0  # seconds between two texts
_SOON = 1.0  # seconds of a wait whose end is not worth a text


class NowAndThen:
    """Says a text, unless it said one, or was made, within the last five seconds."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say, self._loop = say, asyncio.get_running_loop()
        self._next = self._loop.time() + _EACH

    def __call__(self, text: str) -> None:
        """Say the text if it is time."""
        if self._loop.time() >= self._next:
            self._next = self._loop.time() + _EACH
            self._say(text)


async def stopped_within(
    stopped: asyncio.Event, seconds: float, say: Callable[[float], None] = lambda _: None
) -> bool:
    """Wait for some seconds, or until ``stopped`` is set, and return whether it is.

    ``say`` is called every five seconds with the seconds that are left; not at the start.
    """
    loop = asyncio.get_running_loop()
    ends = loop.time() + seconds
    while not stopped.is_set() and (left := ends - loop.time()) > 0:
        try:
            async with asyncio.timeout(min(left, _EACH)):
                await stopped.wait()
        except TimeoutError:
            if (left := ends - loop.time()) >= _SOON:
                say(left)
    return stopped.is_set()


async def unless_stopped(stopped: asyncio.Event, call: Coroutine[Any, Any, T], otherwise: D) -> T | D:
    """Return the result of a call, or ``otherwise`` once ``stopped`` is set: the call is cancelled then.

    It has ended when this returns; nothing of it goes on.
    """
    calling = asyncio.ensure_future(call)
    stopping = asyncio.ensure_future(stopped.wait())
    try:
        await asyncio.wait({calling, stopping}, return_when=asyncio.FIRST_COMPLETED)
    finally:
        stopping.cancel()
        calling.cancel()  # without effect on one that has ended
        await asyncio.wait([calling])
    return otherwise if calling.cancelled() else calling.result()
