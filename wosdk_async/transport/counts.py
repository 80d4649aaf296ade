"""How many calls are under way in a client, and how those that ended did."""

from __future__ import annotations

import asyncio
from collections import Counter

__all__ = ["Counts"]


class Counts:
    """Counted for every call; ``outcomes`` has ``done``, ``cancelled`` and the names of the errors."""

    def __init__(self) -> None:
        self.under_way = 0
        """How many have come and not gone; each adds itself."""
        self.outcomes: Counter[str] = Counter()
        self.done = 0
        """How many gave a value."""
        self._none_left: asyncio.Event | None = None

    def failed(self, how: str) -> None:
        """A call ended without a value."""
        self.outcomes[how] += 1

    def end(self) -> None:
        """A call has gone."""
        self.under_way -= 1
        if not self.under_way and self._none_left is not None:
            self._none_left.set()

    def totals(self) -> dict[str, int]:
        """Outcomes of the calls that ended."""
        return {"done": self.done, **self.outcomes}

    async def none_left(self) -> None:
        """Wait until no call is under way."""
        while self.under_way:
            self._none_left = self._none_left or asyncio.Event()
            self._none_left.clear()
            await self._none_left.wait()
