"""Registration of faults, and replacement of the client's functions by faulty ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import attrs

__all__ = ["Revert", "Reverts", "replace"]


@attrs.frozen
class Revert:
    """Fault that can be put back; ``shows`` holds the names of the violations that it causes."""

    text: str
    shows: frozenset[str]
    apply: Callable[[], AbstractContextManager[None]]


class Reverts(dict[str, Revert]):
    """Faults by name."""

    def add(self, name: str, text: str, shows: str) -> Callable[[Callable[[], Iterator[None]]], None]:
        """Return the decorator of a generator that puts a fault back until it ends.

        ``shows`` holds the names of the violations, with spaces between them.
        """

        def register(function: Callable[[], Iterator[None]]) -> None:
            self[name] = Revert(text, frozenset(shows.split()), contextmanager(function))

        return register


@contextmanager
def replace(owner: Any, name: str, value: Any) -> Iterator[None]:
    """Replace an attribute within the block."""
    original = owner.__dict__[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, original)
