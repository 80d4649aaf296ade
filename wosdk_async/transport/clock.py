"""The time, as something that can be handed in: tests bring their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from typing import Protocol

import attrs

__all__ = ["Clock", "Timer"]


class Timer(Protocol):
    """What was asked for later, and can be called off."""

    def cancel(self) -> None: ...


def _on_the_loop(seconds: float, callback: Callable[[], None]) -> Timer:
    return asyncio.get_running_loop().call_later(seconds, callback)


@attrs.frozen
class Clock:
    """``now`` is monotonic, in seconds; ``sleep`` waits that long; ``call_later`` calls back then."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    call_later: Callable[[float, Callable[[], None]], Timer] = _on_the_loop
