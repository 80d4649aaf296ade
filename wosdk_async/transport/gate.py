"""Who may send now: a bounded number of calls in flight, first come first served.

Every Company has its own bound below the bound of the client, and the Companies take turns, so
that one with a long queue does not hold up the others.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Hashable

__all__ = ["Gate"]


class Gate:
    """Hands out at most ``total`` slots at once, and at most ``each`` of them for one key.

    A caller that is cancelled while it waits leaves the queue; one that is cancelled just after
    it was granted a slot hands the slot on.
    """

    def __init__(self, total: int, each: int | None = None) -> None:
        self._total = total
        self._each = min(total, each or total)
        self._held: Counter[Hashable] = Counter()
        self._free = total
        self._waiting: dict[Hashable, deque[asyncio.Future[None]]] = {}
        self._turns: deque[Hashable] = deque()  # the keys that wait, next one first

    def __repr__(self) -> str:
        return f"<Gate {self.in_flight} of {self._total} in flight, {self.queued} queued>"

    @property
    def in_flight(self) -> int:
        """How many slots are held."""
        return self._total - self._free

    @property
    def queued(self) -> int:
        """How many callers wait."""
        return sum(len(queue) for queue in self._waiting.values())

    async def acquire(self, key: Hashable) -> None:
        """Wait for a slot for ``key``."""
        if key not in self._waiting and self._has_room(key):
            self._take(key)
            return
        granted = asyncio.get_running_loop().create_future()
        if key not in self._waiting:
            self._waiting[key] = deque()
            self._turns.append(key)
        self._waiting[key].append(granted)
        try:
            await granted
        except asyncio.CancelledError:
            if granted.done() and not granted.cancelled():
                self.release(key)  # granted and cancelled in the same turn of the loop: hand it on
            else:
                self._forget(key, granted)
            raise

    def release(self, key: Hashable) -> None:
        """Give a slot back and let the next in line go."""
        self._free += 1
        self._held[key] -= 1
        if not self._held[key]:
            del self._held[key]
        self._grant()

    def _has_room(self, key: Hashable) -> bool:
        return self._free > 0 and self._held[key] < self._each

    def _take(self, key: Hashable) -> None:
        self._free -= 1
        self._held[key] += 1

    def _grant(self) -> None:
        """Grant what can be granted, one turn for each waiting key."""
        for _ in range(len(self._turns)):
            if not self._free:
                return
            key = self._turns.popleft()
            queue = self._waiting[key]
            while queue and queue[0].done():  # cancelled, and not yet gone from the queue
                queue.popleft()
            if queue and self._has_room(key):
                self._take(key)
                queue.popleft().set_result(None)
            if queue:
                self._turns.append(key)
            else:
                del self._waiting[key]

    def _forget(self, key: Hashable, granted: asyncio.Future[None]) -> None:
        queue = self._waiting.get(key)
        if queue is None or granted not in queue:
            return  # a grant came by and took it out
        queue.remove(granted)
        if not queue:
            del self._waiting[key]
            self._turns.remove(key)
