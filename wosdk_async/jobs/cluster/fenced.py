"""Fence of a lease: no request of a row is sent after its lease has ended.

A worker starts a row only if the row can end within its lease. But a process may be stopped, or its machine
may sleep, between any two steps. So the clock is read again right before the first byte of each request.
"""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from contextvars import ContextVar
from functools import partial
from typing import Any

import attrs

from wosdk_async.protocol.verdicts import BUSY
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import (
    Engine,
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    whole_response,
)

__all__ = ["Fence", "FencedEngine", "LeaseEndedError"]


class LeaseEndedError(Exception):
    """A request that was not sent, because the lease of its row had ended.

    It is not a WosdkError: no retry and no look-up is to follow, and the connection is not used again.
    """


@attrs.frozen
class Fence:
    """End of a lease, by the clock of the worker; ``begins`` is called before each request of its row."""

    ends: float
    clock: Callable[[], float]
    begins: Callable[[], None] = lambda: None

    def enter(self) -> None:
        """Hold for all requests of the running task, and of the tasks that it starts."""
        _current.set(self)

    def allows(self, seconds: float) -> bool:
        """Return whether work of that many seconds can end within the lease."""
        return self.clock() + seconds <= self.ends

    def require(self) -> None:
        """Raise LeaseEndedError unless the lease holds now."""
        now = self.clock()
        if not now < self.ends:  # also when ``ends`` is not a number
            raise LeaseEndedError(f"its lease ended {now - self.ends:.3g} s before")


_current: ContextVar[Fence | None] = ContextVar("fence", default=None)


class FencedEngine:
    """Engine that sends only requests of a lease that holds, and counts responses that ask to wait."""

    def __init__(self, engine: Engine, throttled: Callable[[], None]) -> None:
        self.capacity = engine.capacity
        self._engine = engine
        self._throttled = throttled

    def __repr__(self) -> str:
        return f"<FencedEngine {self._engine!r}>"

    def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,
        read: Read = whole_response,
    ) -> Coroutine[Any, Any, Any]:
        """Return the coroutine of the engine below; the fence of the running task holds for it."""
        checked = partial(_pass, _current.get(), on_sending)
        return self._engine.send(method, url, headers, body, checked, repeat_safe, partial(self._read, read))

    def statistics(self) -> PoolStatistics:
        """Return the state of the connections."""
        return self._engine.statistics()

    async def aclose(self) -> None:
        """Close every connection."""
        await self._engine.aclose()

    def _read(self, read: Read, response: Response) -> Any:
        if response.status in BUSY:
            self._throttled()
        return read(response)


def _pass(fence: Fence | None, on_sending: OnSending) -> None:
    """Let the first byte of a request be sent, if the lease of its row holds."""
    if fence is None:  # a worker sends nothing of its own
        raise LeaseEndedError("it belongs to no lease")
    fence.require()
    fence.begins()
    on_sending()
