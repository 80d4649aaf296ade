"""Objects bound to one process: a forked child drops its parent's sockets, and copying is refused."""

from __future__ import annotations

import os
from typing import Any, ClassVar, NoReturn, Protocol
from weakref import WeakValueDictionary


class Uncopied:
    """Base class of objects that cannot be copied, because a copy could not use their sockets and locks."""

    __slots__ = ()
    _instead: ClassVar[str]
    """What to do instead of copying or pickling, for the error message."""

    def __reduce_ex__(self, _: Any) -> NoReturn:
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled; {self._instead}")


class Forkable(Protocol):
    """Object with sockets or locks.

    A forked child must not close the sockets, because closing them may send bytes.
    """

    def forked(self) -> None:
        """Replace the inherited state. Called in the child."""


def register_after_fork(holder: Forkable) -> None:
    """Call ``holder.forked()`` in every forked child. ``holder`` is referenced weakly."""
    _holders[id(holder)] = holder  # GIL: threads that create clients add to the dict atomically


def _in_child() -> None:
    for holder in list(_holders.values()):
        holder.forked()


_holders: WeakValueDictionary[int, Forkable] = WeakValueDictionary()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
