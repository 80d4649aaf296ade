"""What the answers of one kind held so far: what their twins are made for."""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import attrs

from wosdk_async.codec._read import spellings
from wosdk_async.model.base import Record
from wosdk_async.model.metadata import is_nested

__all__ = ["Seen"]

MAX_UNKNOWN = 64  # names of each class: what somebody else sends must not fill the memory
MAX_OBJECTS = 20_000  # of an answer: each takes 30 us, and those of a hostile one could be half a million


@attrs.define
class Seen:
    """What answers held so far, for each class."""

    fields: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))
    """The fields that had a value. The service leaves others out (facts 3.4), so they need no place."""
    every: bool = False
    """Whether all fields get a place nevertheless."""
    nested: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))
    """Which of its objects were there."""
    odd: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))
    """Where something else was than the object that is documented."""
    unknown: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))
    """The names that the catalogue does not know."""
    _left: int = 0

    def learn(self, records: Iterable[Record]) -> int:
        """Note what is new in the records of an answer, and say how much it was."""
        self._left = MAX_OBJECTS
        return sum(map(self._learn, records))

    def _learn(self, made: Any) -> int:
        cls, new = type(made), 0
        if not self._left:
            return 0
        self._left -= 1
        for name in made.extra or ():
            if name not in self.unknown[cls] and self._is_learnable(cls, name):
                self.unknown[cls][name] = None
                new += 1
        fields = self.fields[cls]
        for name in cls.__wire__:
            if name not in fields and getattr(made, name) is not None:
                fields[name] = None
                new += 1
        for name in _nested_fields(cls):  # type: ignore[arg-type]
            value = getattr(made, name)
            for inner in value if isinstance(value, list) else (() if value is None else (value,)):
                kind = self.nested[cls] if isinstance(inner, Record) else self.odd[cls]
                new += name not in kind
                kind[name] = None
                if isinstance(inner, Record):
                    new += self._learn(inner)
        return new

    def _is_learnable(self, cls: type[Record], name: str) -> bool:
        # A name that is a field's in another letter case is unknown only beside the documented one.
        known = name.lower() in spellings(cls)[1]  # type: ignore[arg-type]
        fit = name.isprintable() and not {'"', "\\"} & set(name)  # msgspec takes no others
        return not known and fit and len(self.unknown[cls]) < MAX_UNKNOWN


@functools.cache
def _nested_fields(cls: Any) -> tuple[str, ...]:
    return tuple(name for name, meta in cls.__wire__.items() if is_nested(meta))
