"""Objects of one process: forked children drop their sockets, and no copy of them is made."""

from __future__ import annotations

import os
from typing import Any, ClassVar, NoReturn, Protocol
from weakref import WeakSet

__all__ = ["Uncopied", "register_after_fork"]


class Uncopied:
    """Base of what holds connections: a copy could not use them, and pickle would fail at a lock in them."""

    __slots__ = ()
    _instead: ClassVar[str]
    """What to do instead."""

    def __reduce_ex__(self, _: Any) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled; {self._instead}")


class Forkable(Protocol):
    """Object with sockets. A forked child must not close them: that may send bytes to the parent's server."""

    def forked(self) -> None:
        """Replace the inherited state. Called in the child."""


def register_after_fork(holder: Forkable) -> None:
    """Call ``holder.forked()`` in every forked child. The reference to ``holder`` is weak."""
    _holders.add(holder)  # GIL: threads that make clients add to the set atomically


def _in_child() -> None:
    for holder in list(_holders):
        holder.forked()


_holders: WeakSet[Forkable] = WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
