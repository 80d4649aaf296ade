"""The sessions of all Companies of a client, and how those that nobody uses are let go."""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterator
from weakref import WeakValueDictionary

from wosdk_async.transport.session import SessionKeeper

__all__ = ["Keepers"]


class Keepers:
    """One keeper for each key, as long as it has a live session or somebody holds it.

    A client of a web back end meets thousands of Companies in its life. What is dead and unused is dropped
    whenever the number has doubled since the last time, so that each new Company pays for two looks at most.
    Event loops in several threads may share it.
    """

    FEWEST = 64

    def __init__(self) -> None:
        self._all: WeakValueDictionary[Hashable, SessionKeeper] = WeakValueDictionary()
        self._kept: dict[Hashable, SessionKeeper] = {}
        self._room = self.FEWEST
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._all)

    def __iter__(self) -> Iterator[SessionKeeper]:
        # In one step, unlike values(): other threads may add some meanwhile.
        found = [reference() for reference in self._all.valuerefs()]
        return iter([keeper for keeper in found if keeper is not None])

    def get(self, key: Hashable, make: Callable[[], SessionKeeper]) -> SessionKeeper:
        """The keeper of ``key``, made if need be."""
        with self._lock:
            keeper = self._all.get(key)
            if keeper is None:
                keeper = self._all[key] = make()
            if key not in self._kept:
                if len(self._kept) >= self._room:
                    self._drop_spent()
                self._kept[key] = keeper
            return keeper

    def forked(self) -> None:
        """Begin anew in a child: a thread that is not there may have held the lock."""
        self._lock = threading.Lock()

    def _drop_spent(self) -> None:
        self._kept = {key: keeper for key, keeper in self._kept.items() if not keeper.spent}
        self._room = max(self.FEWEST, 2 * len(self._kept))
