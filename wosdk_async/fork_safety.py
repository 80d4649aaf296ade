"""Fork safety: in a forked child, objects drop the sockets that still belong to the parent."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet

__all__ = ["register_after_fork"]


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
