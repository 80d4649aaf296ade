"""Told in a forked child: whoever holds sockets, which belong to the parent."""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet

__all__ = ["register_after_fork"]


class Holder(Protocol):
    """What must leave alone what it inherits: to close a socket would speak to the parent's peer."""

    def forked(self) -> None:
        """Begin anew: this is a child."""


def register_after_fork(holder: Holder) -> None:
    """Call its ``forked`` in every child, for as long as somebody else keeps it."""
    _told.add(holder)


def _in_child() -> None:
    for holder in list(_told):
        holder.forked()


_told: WeakSet[Holder] = WeakSet()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
