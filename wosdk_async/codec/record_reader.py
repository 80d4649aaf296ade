"""Structs of record classes, with only the fields found in responses.

A Struct starts without fields, and is recompiled when responses contain new ones. This saves time for two
reasons:

* Newer releases send names that are not in the catalogue. A Struct without these names cannot read the
  response, and the slow path takes 121 us for an order of 5 KB instead of 33 us.
* The whole catalogue would need 104 Structs, most of which would never be used. The first order would block
  the event loop for 84 ms instead of 26 ms, and each order would take 4 to 12 % longer.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Container, Iterator
from typing import Any

import attrs
import cattrs

from wosdk_async.codec.dicts import hook_of, reachable, spellings
from wosdk_async.codec.struct_compiler import compile_struct
from wosdk_async.fork_safety import register_after_fork
from wosdk_async.model import registry
from wosdk_async.model.base import Record
from wosdk_async.model.metadata import is_nested

MAX_UNKNOWN = 64  # maximum learned names per class, so that ever new names do not exhaust the memory
_MAX_NAME = 100  # maximum characters of a learned name: the service may send names of any length
_MAX_ROUNDS = 3  # after a class has learned fields this many times, its Struct gets every field
MAX_LEARNED = 50  # maximum records inspected per response: inspecting one takes half as long as reading it


@attrs.frozen(eq=False)
class CompiledStruct:
    """Struct of a class, compiled for the fields known at the time."""

    struct: Any = None
    """The Struct; None while the class is being compiled, or if msgspec refuses it."""
    parts: tuple[tuple[RecordReader, CompiledStruct], ...] = ()
    """Readers of nested objects, each with the nested Struct that this one was compiled with."""

    @property
    def is_current(self) -> bool:
        """Whether the Structs of nested objects are still current."""
        return all(reader.current() is used for reader, used in self.parts)


@attrs.define
class _CompileBackoff:
    """Backoff for recompiling a class's Struct.

    Each wait is longer than the last, because compiling takes as long as reading a hundred responses.
    """

    is_behind: bool = False
    """Whether the Struct lacks learned fields."""
    _compiled: int = 0
    _waited: int = 0

    def count_misfit(self) -> bool:
        """Count a response with fields that the Struct lacks; return whether to recompile now."""
        self._waited += 1
        self.is_behind = self._waited <= self._compiled**2
        if not self.is_behind:
            self._compiled, self._waited = self._compiled + 1, 0
        return not self.is_behind


class RecordReader:
    """Fields of one class learned from responses, and its current Struct."""

    def __init__(self, cls: type[Record], readers: RecordReaders) -> None:
        self._cls = cls
        self._readers = readers
        self._known: Container[str] = frozenset()
        self._unknown: dict[str, None] = {}
        self._rounds = 0
        self.backoff = _CompileBackoff()
        self._compiled = _NONE
        self._is_compiling = False

    def current(self) -> CompiledStruct:
        """Return the Struct for all learned fields; compile it if needed."""
        if self._is_compiling:  # an object nested in an object of the same class is read as a dict
            return _NONE
        if self._compiled is _NONE or not self._compiled.is_current:
            self._is_compiling = True
            try:
                self._compiled = self._compile()
            finally:
                self._is_compiling = False
        return self._compiled

    def _compile(self) -> CompiledStruct:
        nested = [(name, reader, reader.current()) for name, reader in self._nested_readers()]
        parts = {name: used.struct for name, _, used in nested if used.struct is not None}
        hooks = functools.partial(hook_of, self._readers.converter)
        try:
            struct = compile_struct(self._cls, self._known, self._unknown, parts, hooks)
        except (TypeError, ValueError):
            struct = None  # msgspec may refuse the types in a program's class, which is then read as a dict
        used_parts = tuple((reader, used) for _, reader, used in nested if used is not _NONE)
        return CompiledStruct(struct, used_parts)

    def _nested_readers(self) -> Iterator[tuple[str, RecordReader]]:
        for name, meta in self._cls.__wire__.items():
            if name in self._known and is_nested(meta):
                yield name, self._readers[registry.resolve(meta["of"])]

    def learn(self, record: Any) -> bool:
        """Learn the fields of ``record`` and nested objects; return whether any of them was new."""
        if record.__class__ is not self._cls:
            return False
        fields = self._cls.__wire__
        new = {name for name in fields if name not in self._known and getattr(record, name) is not None}
        unknown = [name for name in record.extra or () if self._is_learnable(name)]
        if new or unknown:
            known = new.union(self._known) if self._rounds < _MAX_ROUNDS else fields  # type: ignore[arg-type]
            self._set_known(known)
            self._unknown.update(dict.fromkeys(unknown[: MAX_UNKNOWN - len(self._unknown)]))
        any_new = bool(new or unknown)
        for name, reader in self._nested_readers():
            value = getattr(record, name)
            for each in value[:MAX_LEARNED] if isinstance(value, list) else (value,):
                any_new |= reader.learn(each)
        return any_new

    def learn_all(self) -> None:
        """Learn all fields of the class and of its known nested objects."""
        if not self.knows_all:
            nested = dict(self._nested_readers())
            self._set_known(self._cls.__wire__)
            for reader in nested.values():
                reader.learn_all()

    @property
    def knows_all(self) -> bool:
        """Whether all fields of the class are known."""
        return self._known is self._cls.__wire__

    def _set_known(self, known: Container[str]) -> None:
        self._known, self._rounds = known, self._rounds + 1
        self._compiled = _NONE

    def _is_learnable(self, name: str) -> bool:
        if len(name) > _MAX_NAME:
            return False
        # A variant of a field's name in upper or lower case is not learned: if the documented spelling is
        # missing, the variant is read as the field.
        is_known = name in self._unknown or name.lower() in spellings(self._cls)[1]  # type: ignore[arg-type]  # as in dicts.py
        msgspec_accepts_it = name.isprintable() and not {'"', "\\"} & set(name)
        return msgspec_accepts_it and not is_known and len(self._unknown) < MAX_UNKNOWN


_NONE = CompiledStruct()


class RecordReaders(dict[type[Record], RecordReader]):
    """Readers by class, each created on first use. Hold ``lock`` while using them."""

    def __init__(self, converter: cattrs.BaseConverter) -> None:
        super().__init__()
        self.converter = converter
        self.lock = threading.RLock()
        self.version = 0
        """Number of times that a Struct had to be recompiled."""
        register_after_fork(self)

    def forked(self) -> None:
        """Clear the readers in a forked child if a thread of the parent was compiling or learning."""
        inherited, self.lock = self.lock, threading.RLock()
        if not inherited.acquire(blocking=False):
            self.clear()
            self.version += 1

    def __missing__(self, cls: type[Record]) -> RecordReader:
        self[cls] = RecordReader(cls, self)
        return self[cls]

    def learn(self, cls: type[Record], records: list[Any]) -> None:
        """Learn from records that the Struct of ``cls`` could not read."""
        with self.lock:
            reader = self[cls]
            any_new = [reader.learn(record) for record in records[:MAX_LEARNED]]
            if not any(any_new) and not reader.backoff.is_behind:
                # The records have no new fields, so the reason is unknown. A field that the Struct lacks may
                # be null, or a value may have another type.
                if reader.knows_all:
                    return
                reader.learn_all()
            if reader.backoff.count_misfit():
                self.version += 1

    def is_unhooked(self, cls: type[Record]) -> bool:
        """Return whether ``cls`` and its nested classes have no hooks except the package's own.

        Other hooks may refuse their data. They must run while the response can still be reported as
        unreadable, so objects of classes with such hooks are not created lazily.
        """
        hook_of = self.converter.get_structure_hook
        return all(getattr(hook_of(each), "reads", None) is each for each in reachable(cls))
