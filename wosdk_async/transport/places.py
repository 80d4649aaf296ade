"""Typed places in which packages above the transport keep what the calls of one Company share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from wosdk_async.transport.clock import TransportClock

__all__ = ["Place", "Places"]

T = TypeVar("T")


class Place(Generic[T]):
    """Key of a value, owned by the module that uses it; ``make`` makes the value at its first use."""

    def __init__(self, make: Callable[[TransportClock], T]) -> None:
        self.make = make


class Places:
    """Values of one Company, each in its place."""

    def __init__(self, clock: TransportClock) -> None:
        self._clock = clock
        self._values: dict[Place[Any], Any] = {}

    def __getitem__(self, place: Place[T]) -> T:
        if (value := self._values.get(place)) is None:
            # GIL: loops in several threads share these; of two values made at once all use the first.
            value = self._values.setdefault(place, place.make(self._clock))
        found: T = value
        return found
