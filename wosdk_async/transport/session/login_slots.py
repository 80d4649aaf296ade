"""Slots for the requests of log-ins: a few for thousands of Companies, and one that hangs gives way."""

from __future__ import annotations

from asyncio import CancelledError, Future, get_running_loop
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from wosdk_async.transport.clock import Deadlines, Scope, TransportClock

__all__ = ["LoginSlots"]

T = TypeVar("T")

_ALLOWANCES = (0.25, 2.5, 60.0)  # seconds; with the first, 1,200 that hang delay the one behind them by 6 s
_OWN_POOL = (1.0, 60.0)  # seconds over a pool of httpx; 500 that hang delay the one behind them by 10 s
_KEPT = 4  # of so many slots, one is for slow requests


class LoginSlots:
    """Slots for ``total`` requests at a time within one event loop.

    After 0.25 s a request gives way to one that waits: it is cancelled, and retried as a slow request, which
    is safe for all requests of a log-in. A slow request gives way again after 2.5 s, and earlier to one that
    is not slow, but a quarter of the slots stays with slow ones: a slow host serves everybody in the end.
    If not ``preemptive``, a request gives way once, after 1 s: httpx may lose the connection of one that is
    cancelled, most often early. So slow ones leave a quarter of the slots to those that are not.
    """

    def __init__(
        self, total: int, clock: TransportClock, deadlines: Deadlines, preemptive: bool = True
    ) -> None:
        # Used by the thread of its loop alone, so none of it relies on the GIL.
        self._clock = clock
        self._deadlines = deadlines
        self._preemptive = preemptive
        self._allowances = _ALLOWANCES if preemptive else _OWN_POOL
        self._free = total
        self._kept = kept = max(1, total // _KEPT)
        self._most_slow = total if preemptive else max(kept, total - kept)
        self._slots_of_slow = 0
        self._fresh, self._slow = deque[Future[None]](), deque[Future[None]]()
        """Requests that wait, in order."""
        self._running_slow: dict[Scope, None] = {}
        self._overdue: dict[Scope, None] = {}
        self._giving_way: set[Scope] = set()

    async def run(self, send: Callable[[], Awaitable[T]], seconds: float) -> T:
        """Return the result of ``send()``, which is called again when it had to give way.

        Raises TimeoutError when it runs for longer than ``seconds``.
        """
        level = 0
        while True:
            await self._take(slow := level > 0)
            scope = self._deadlines.within(seconds)
            if slow:
                self._running_slow[scope] = None
            timer = self._clock.call_later(self._allowances[level], partial(self._became_overdue, scope))
            try:
                with scope:
                    return await send()
            except TimeoutError:
                if scope not in self._giving_way:
                    raise
            finally:
                timer.cancel()
                self._forget(scope)
                self._giving_way.discard(scope)
                self._release(slow)
            level = min(level + 1, len(self._allowances) - 1)

    async def _take(self, slow: bool) -> None:
        """Wait for a slot."""
        lane, granted = self._slow if slow else self._fresh, get_running_loop().create_future()
        lane.append(granted)
        self._grant()
        try:
            await granted
        except CancelledError:
            if not granted.cancelled():
                self._release(slow)
            elif granted in lane:
                lane.remove(granted)
            raise

    def _release(self, slow: bool) -> None:
        self._free += 1
        self._slots_of_slow -= slow
        self._grant()

    def _grant(self) -> None:
        """Grant the free slots, and let running requests give way to those that have none."""
        fresh, slow, kept = self._fresh, self._slow, self._kept
        while self._free and (fresh or slow):
            is_slow = bool(slow) and self._slots_of_slow < (kept if fresh else self._most_slow)
            if not (fresh or is_slow):
                break
            granted = (slow if is_slow else fresh).popleft()
            if not granted.done():  # else its caller was cancelled
                self._free -= 1
                self._slots_of_slow += is_slow
                granted.set_result(None)
        while self._overdue and len(fresh) + len(slow) > len(self._giving_way):
            self._give_way(next(iter(self._overdue)))
        while self._preemptive and len(self._running_slow) > kept and len(fresh) > len(self._giving_way):
            self._give_way(next(reversed(self._running_slow)))  # it has least to lose

    def _became_overdue(self, scope: Scope) -> None:
        self._overdue[scope] = None
        self._grant()

    def _give_way(self, scope: Scope) -> None:
        self._forget(scope)
        self._giving_way.add(scope)
        scope.expire()

    def _forget(self, scope: Scope) -> None:
        self._overdue.pop(scope, None)
        self._running_slow.pop(scope, None)
