"""The time, as something that can be handed in: tests bring their own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable

import attrs

__all__ = ["Clock"]


@attrs.frozen
class Clock:
    """``now`` is monotonic, in seconds; ``sleep`` waits that long."""

    now: Callable[[], float] = time.monotonic
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
