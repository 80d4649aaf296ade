"""Fork safety: objects with sockets start anew in a forked child, as the sockets are the parent's."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet

__all__ = ["register_after_fork"]


class Forkable(Protocol):
    """Object that must not touch what it inherits: closing a socket would send to the parent's peer."""

    def forked(self) -> None:
        """Start anew: this is the child."""


def register_after_fork(holder: Forkable) -> None:
    """Call ``holder.forked()`` in every child. The reference to ``holder`` is weak."""
    _holders.add(holder)


def _in_child() -> None:
    for holder in list(_holders):
        holder.forked()


_holders: WeakSet[Forkable] = WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
