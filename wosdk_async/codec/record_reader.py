"""The Struct of each class: what it has places for, and what is learned from responses that it did not take.

The catalogue knows hundreds of fields and objects that no response of a service ever holds, and misses names
that newer releases send. A Struct has places for what was seen, and is made again when more is seen.
"""

from __future__ import annotations

import functools
import operator
import os
import threading
from collections.abc import Callable, Container, Iterator
from typing import Any
from weakref import WeakValueDictionary

import attrs
import cattrs

from wosdk_async.codec.dict_reader import hook_of, spellings
from wosdk_async.codec.struct_compiler import Part, compile_struct
from wosdk_async.model import registry
from wosdk_async.model.base import CommandResult, Record
from wosdk_async.model.metadata import is_nested

__all__ = ["RecordReaders", "make"]

MAX_UNKNOWN = 64  # names of each class: what somebody else sends must not fill the memory
_MAX_NAME = 100  # characters; a name may be as long as a response
_FEW = 8  # fields of an object that is sooner made than left for later
_ROUNDS = 3  # of learning fields; then every field gets a place
_LEARNED_FROM = 50  # rows of a response: to look through one takes half as long as to read it


@attrs.frozen(eq=False)
class Build:
    """A Struct of a class."""

    cls: type[Record] = Record
    known: Container[str] = ()
    unknown: tuple[str, ...] = ()
    """The names that it has places for, those that the catalogue does not know apart."""
    struct: Any = None
    """None where msgspec refuses the class."""
    parts: tuple[tuple[Callable[[], Build], Build], ...] = ()
    """The Structs in it: what gives the one of today, and the one that was taken."""

    def part(self, at_once: bool) -> Part:
        """Return how a field reads an object as this Struct."""
        fields = self.cls.__wire__.values()
        is_small = len(fields) <= _FEW and not any(map(is_nested, fields))
        return Part(self.cls, self.known, self.unknown, self.struct, at_once or is_small, is_small)

    @property
    def is_current(self) -> bool:
        """Whether every Struct in it is still the one of today."""
        return all(today() is taken for today, taken in self.parts)


@attrs.define
class _Pace:
    """How often a Struct is made again: rarer and rarer, because it costs as much as a hundred readings."""

    is_behind: bool = False
    """Whether something was learned that the Struct has no place for yet."""
    _builds: int = 0
    _waited: int = 0

    def is_due(self) -> bool:
        """Count a response from which something was learned, now or before; return whether to build."""
        self._waited += 1
        self.is_behind = self._waited <= self._builds**2
        if not self.is_behind:
            self._builds, self._waited = self._builds + 1, 0
        return not self.is_behind


class RecordReader:
    """The Struct of one class.

    It has places for the fields and objects that responses were seen to hold: with all of them it would hold
    hundreds of other Structs, and take a tenth of a call longer to read.
    """

    def __init__(self, cls: type[Record], readers: RecordReaders) -> None:
        self._cls = cls
        self._readers = readers
        self._known: Container[str] = frozenset()
        self._unknown: dict[str, None] = {}
        self._rounds = 0
        self.pace = _Pace()
        self._build = _NONE
        self._is_building = False

    def build(self) -> Build:
        """Return the Struct of today."""
        if self._is_building:  # an object in an object of its own class is read as a dict
            return _NONE
        if self._build is _NONE or not self._build.is_current:
            self._is_building = True
            try:
                self._build = self._made()
            finally:
                self._is_building = False
        return self._build

    def _made(self) -> Build:
        # A result is nothing but what it holds: the order in it is made with it.
        at_once = issubclass(self._cls, CommandResult)
        taken = [(name, reader.build, reader.build()) for name, reader in self._held()]
        parts = {name: build.part(at_once) for name, _, build in taken if build.struct is not None}
        hooks = functools.partial(hook_of, self._readers.converter)
        try:
            struct = compile_struct(self._cls, self._known, self._unknown, parts, hooks)
        except (TypeError, ValueError):
            # A class of a program's own may have what msgspec refuses, and must be read all the same.
            struct = None
        used = tuple((today, build) for _, today, build in taken if build is not _NONE)
        return Build(self._cls, self._known, tuple(self._unknown), struct, used)

    def _held(self) -> Iterator[tuple[str, RecordReader]]:
        """Give the readers of the known fields that hold objects."""
        for name, meta in self._cls.__wire__.items():
            if name in self._known and is_nested(meta):
                yield name, self._readers[registry.resolve(meta["of"])]

    def learn(self, record: Any) -> bool:
        """Take up what is new in ``record`` and its objects, and return whether there was anything."""
        if record.__class__ is not self._cls:
            return False
        fields = self._cls.__wire__
        seen = {name for name in fields if name not in self._known and getattr(record, name) is not None}
        unknown = [name for name in record.extra or () if self._is_learnable(name)]
        if seen or unknown:
            self._take(seen.union(self._known) if self._rounds < _ROUNDS else fields)  # type: ignore[arg-type]
            self._unknown.update(dict.fromkeys(unknown[: MAX_UNKNOWN - len(self._unknown)]))
        news = bool(seen or unknown)
        for name, reader in self._held():
            held = getattr(record, name)
            for each in held[:_LEARNED_FROM] if isinstance(held, list) else (held,):
                news |= reader.learn(each)
        return news

    def take_all(self) -> None:
        """Give a place to every field of the class and of the objects that it was seen to hold."""
        if not self.takes_all:
            held = dict(self._held())
            self._take(self._cls.__wire__)
            for reader in held.values():
                reader.take_all()

    @property
    def takes_all(self) -> bool:
        """Whether every field has a place."""
        return self._known is self._cls.__wire__

    def _take(self, known: Container[str]) -> None:
        self._known, self._rounds = known, self._rounds + 1
        self._build = _NONE

    def _is_learnable(self, name: str) -> bool:
        if len(name) > _MAX_NAME:
            return False
        # A name that is a field's in another letter case is unknown only beside the documented one.
        known = name in self._unknown or name.lower() in spellings(self._cls)[1]  # type: ignore[arg-type]
        fit = name.isprintable() and not {'"', "\\"} & set(name)  # msgspec takes no others
        return fit and not known and len(self._unknown) < MAX_UNKNOWN


_NONE = Build()
make = operator.methodcaller("__made__")
"""Make the object of a Struct."""


class RecordReaders(dict[type[Record], RecordReader]):
    """Class -> its reader, made when the class is first read."""

    def __init__(self, converter: cattrs.BaseConverter) -> None:
        super().__init__()
        self.converter = converter
        self.lock = threading.RLock()
        self.version = 0
        """Counts the times that a Struct was to be made again."""
        _living[id(self)] = self

    def forked(self) -> None:
        """Start anew in a forked child if another thread of the parent was making or teaching a Struct."""
        held, self.lock = self.lock, threading.RLock()
        if not held.acquire(blocking=False):
            self.clear()
            self.version += 1

    def __missing__(self, cls: type[Record]) -> RecordReader:
        self[cls] = RecordReader(cls, self)
        return self[cls]

    def learn(self, cls: type[Record], records: list[Any]) -> None:
        """Learn from records of a response that a Struct of ``cls`` did not take."""
        with self.lock:
            reader = self[cls]
            news = [reader.learn(record) for record in records[:_LEARNED_FROM]]
            if not any(news) and not reader.pace.is_behind:
                # It says null, which an object does not show, or a value of another type.
                if reader.takes_all:
                    return
                reader.take_all()
            if reader.pace.is_due():
                self.version += 1

    def are_ours(self, cls: type[Record]) -> bool:
        """Return whether no hook of a program reads the class, or one that its objects may hold.

        Such a hook may refuse what it reads. It has to be asked while the response can still be called
        unreadable, so objects are not left for later then.
        """
        found, left = {cls}, [cls]
        while left:
            each = left.pop()
            if getattr(self.converter.get_structure_hook(each), "reads", None) is not each:
                return False
            held = {registry.resolve(meta["of"]) for meta in each.__wire__.values() if is_nested(meta)}
            left += held - found
            found |= held
        return True


def _in_child() -> None:
    for readers in list(_living.values()):
        readers.forked()


_living: WeakValueDictionary[int, RecordReaders] = WeakValueDictionary()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_in_child)
