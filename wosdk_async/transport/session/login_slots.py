"""Log-in slots: a few for thousands of Companies, with preemption of hanging requests."""

from __future__ import annotations

from asyncio import CancelledError, Future, get_running_loop
from collections import deque
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from wosdk_async.transport.clock import Deadlines, Scope, TransportClock

T = TypeVar("T")

# Seconds after which the first, second and each further attempt may be preempted. With these, 1,200 hanging
# requests delay the next one by 6 s.
_ALLOWANCES = (0.25, 2.5, 60.0)
_OWN_POOL = (1.0, 60.0)  # allowances with the program's own pool; 500 hanging requests delay the next by 10 s
_SLOW_SHARE = 4  # one in this many slots is reserved for slow requests


class LoginSlots:
    """Slots for ``total`` concurrent requests within one event loop.

    After 0.25 s, a request is preempted if another is waiting: it is cancelled and retried as a slow request,
    because all log-in requests are safe to retry. A slow request is preempted after 2.5 s, or earlier by a
    fast one. A quarter of the slots is reserved for slow requests, so a slow host still serves all of its
    callers.

    If not ``preemptive``, a request is preempted only once, after 1 s: httpx may lose the connection of a
    cancelled request, especially early in its life. Slow requests then leave a quarter of the slots to the
    others.
    """

    def __init__(
        self, total: int, clock: TransportClock, deadlines: Deadlines, preemptive: bool = True
    ) -> None:
        # Only the loop's own thread uses this object, so nothing here relies on the GIL.
        self._clock = clock
        self._deadlines = deadlines
        self._preemptive = preemptive
        self._allowances = _ALLOWANCES if preemptive else _OWN_POOL
        self._free = total
        self._reserved = reserved = max(1, total // _SLOW_SHARE)
        self._max_slow = total if preemptive else max(reserved, total - reserved)
        self._slow_slots = 0
        self._fresh, self._slow = deque[Future[None]](), deque[Future[None]]()
        """Waiting requests, in order."""
        self._running_slow: dict[Scope, None] = {}
        self._overdue: dict[Scope, None] = {}
        self._preempted: set[Scope] = set()

    async def run(self, send: Callable[[], Awaitable[T]], seconds: float) -> T:
        """Return the result of ``send()``, which is called again after a preemption.

        Raises TimeoutError if an attempt takes more than ``seconds``.
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
                if scope not in self._preempted:
                    raise
            finally:
                timer.cancel()
                self._forget(scope)
                self._preempted.discard(scope)
                self._release(slow)
            level = min(level + 1, len(self._allowances) - 1)

    async def _take(self, slow: bool) -> None:
        queue, granted = self._slow if slow else self._fresh, get_running_loop().create_future()
        queue.append(granted)
        self._grant()
        try:
            await granted
        except CancelledError:
            if not granted.cancelled():
                self._release(slow)
            elif granted in queue:
                queue.remove(granted)
            raise

    def _release(self, slow: bool) -> None:
        self._free += 1
        self._slow_slots -= slow
        self._grant()

    def _grant(self) -> None:
        """Grant free slots, and preempt running requests for those still waiting."""
        fresh, slow, reserved = self._fresh, self._slow, self._reserved
        while self._free and (fresh or slow):
            is_slow = bool(slow) and self._slow_slots < (reserved if fresh else self._max_slow)
            if not (fresh or is_slow):
                break
            granted = (slow if is_slow else fresh).popleft()
            if not granted.done():  # a cancelled caller gets no slot
                self._free -= 1
                self._slow_slots += is_slow
                granted.set_result(None)
        while self._overdue and len(fresh) + len(slow) > len(self._preempted):
            self._preempt(next(iter(self._overdue)))
        while self._preemptive and len(self._running_slow) > reserved and len(fresh) > len(self._preempted):
            self._preempt(next(reversed(self._running_slow)))  # the newest, which loses the least progress

    def _became_overdue(self, scope: Scope) -> None:
        self._overdue[scope] = None
        self._grant()

    def _preempt(self, scope: Scope) -> None:
        self._forget(scope)
        self._preempted.add(scope)
        scope.expire()

    def _forget(self, scope: Scope) -> None:
        self._overdue.pop(scope, None)
        self._running_slow.pop(scope, None)
