"""From the bytes of a response to objects.

The definition is the slow way: ``loads`` and the cattrs converter, whose hooks are compiled readers of dicts.
The fast way gives the same in a third of the time: msgspec fills a Struct, whose values are moved into the
slots of an object. What a Struct does not take (an unknown name, a number where a name is documented) is read
the slow way. The names in it are kept in mind, so that the next response with them is read the fast way.
"""

from __future__ import annotations

import functools
import operator
import threading
from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

import attrs
import cattrs

from wosdk_async.codec.compiler import Part, compile_reader, compile_struct
from wosdk_async.codec.json import MAX_SYMBOLS, UNREADABLE, check_size, exact_decoder, loads
from wosdk_async.model import registry
from wosdk_async.model.base import CommandResult, Record
from wosdk_async.model.metadata import is_nested

__all__ = ["WHOLE", "Envelope", "RecordReaders", "ResponseReader", "make_reader", "spellings"]

MAX_UNKNOWN = 64  # names of each class: what somebody else sends must not fill the memory
_FEW = 8  # fields of an object that is sooner made than left for later
_ROUNDS = 3  # of learning fields; then every field gets a place
_LEARNED_FROM = 50  # rows of a response: to look through one takes half as long as to read it


# --- the slow way ---------------------------------------------------------------------------


def make_reader(cls: type[Record], converter: cattrs.BaseConverter) -> Callable[[Any, Any], Any]:
    """Return the structure hook of ``cls``, which is compiled when it is first called."""
    compiled: list[Callable[..., Any]] = []

    def read(data: Any, _: Any = None) -> Any:
        if not compiled:
            hooks = functools.partial(_hook_of, converter)
            compiled.append(
                compile_reader(
                    cls, hooks, functools.partial(_as_dict, cls), functools.partial(_sort_out, cls)
                )
            )
        return compiled[0](data)

    read.reads = cls  # type: ignore[attr-defined]  # tells it from a program's own hook
    return read


def _hook_of(converter: cattrs.BaseConverter, name: str) -> Callable[..., Any]:
    """Return the structure hook of the class ``name``, found at its first call: classes may be circular."""
    found: list[Any] = []

    def read(data: Any, _: Any = None) -> Any:
        if not found:
            cls = registry.resolve(name)
            found[:] = converter.get_structure_hook(cls), cls
        return found[0](data, found[1])

    return read


def _as_dict(cls: type[Record], data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping):
        return dict(data)
    raise TypeError(f"{cls.__name__} is made of a JSON object, not of {type(data).__name__}.")


def _sort_out(cls: type[Record], data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """Split a dict into documented fields and the rest. The service ignores letter case (facts 3.3)."""
    known, meant_by = spellings(cls)  # type: ignore[arg-type]  # mypy takes the objects for the class
    tidy = {name: data[name] for name in data.keys() & known}
    extra: dict[str, Any] = {}
    for name in data:
        if name in known:
            continue
        meant = meant_by.get(str(name).lower())
        if meant is not None and meant not in tidy:
            tidy[meant] = data[name]
        else:
            extra[name] = data[name]
    return tidy, extra or None


@functools.cache
def spellings(cls: type[Record]) -> tuple[frozenset[str], dict[str, str]]:
    """Return the documented names, and every name or alias in lower case -> the documented one."""
    known = {meta["name"]: (meta["name"], *meta.get("aliases", ())) for meta in cls.__wire__.values()}
    return frozenset(known), {other.lower(): name for name, others in known.items() for other in others}


# --- the fast way ---------------------------------------------------------------------------

SURPRISES = (*UNREADABLE, ValueError, TypeError)
"""What is raised for JSON that a Struct does not take."""


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
        hooks = functools.partial(_hook_of, self._readers.converter)
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
        if self._known is not self._cls.__wire__:
            held = dict(self._held())
            self._take(self._cls.__wire__)
            for reader in held.values():
                reader.take_all()

    def _take(self, known: Container[str]) -> None:
        self._known, self._rounds = known, self._rounds + 1
        self._build = _NONE

    def _is_learnable(self, name: str) -> bool:
        # A name that is a field's in another letter case is unknown only beside the documented one.
        known = name in self._unknown or name.lower() in spellings(self._cls)[1]  # type: ignore[arg-type]
        fit = name.isprintable() and not {'"', "\\"} & set(name)  # msgspec takes no others
        return fit and not known and len(self._unknown) < MAX_UNKNOWN


_NONE = Build()
_make = operator.methodcaller("__made__")


class RecordReaders(dict[type[Record], RecordReader]):
    """Class -> its reader, made when the class is first read."""

    def __init__(self, converter: cattrs.BaseConverter) -> None:
        super().__init__()
        self.converter = converter
        self.lock = threading.RLock()
        self.version = 0
        """Counts the names that were learned."""

    def __missing__(self, cls: type[Record]) -> RecordReader:
        self[cls] = RecordReader(cls, self)
        return self[cls]

    def learn(self, cls: type[Record], records: list[Any]) -> None:
        """Learn from records that a Struct did not take."""
        with self.lock:
            news = [self[cls].learn(record) for record in records[:_LEARNED_FROM]]
            if not any(news):
                # It says null, which an object does not show, or a value of another type.
                if self[cls]._known is cls.__wire__:
                    return
                self[cls].take_all()
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


One = Callable[[Any], Any]


@attrs.frozen(eq=False)
class Envelope:
    """Where the objects are in a response. Both functions get what makes an object of one of them.

    ``plain(document, one)`` finds them in the loaded JSON and is the definition. ``typed(found, one)`` finds
    them in ``envelope[struct]``, a generic Struct, and returns None for what it leaves to ``plain``.
    """

    plain: Callable[[Any, One], Any]
    typed: Callable[[Any, One], Any]
    envelope: Any = None


WHOLE = Envelope(lambda document, one: one(document), lambda found, one: one(found))
"""The response is the object."""


class ResponseReader:
    """Reads responses of one form that hold objects of one class."""

    def __init__(self, cls: type[Record], form: Envelope, readers: RecordReaders) -> None:
        self._cls = cls
        self._form = form
        self._readers = readers
        self._fast: Callable[[bytes], Any] | None = None
        self._version = -1 if readers.are_ours(cls) else None

    def read(self, body: bytes) -> Any:
        """Return what the form finds in ``body``. Raises what ``loads``, the form and the converter raise."""
        if self._version != self._readers.version and self._version is not None:
            self._build()
        if self._fast is not None:
            if len(body) > MAX_SYMBOLS:  # fewer bytes cannot have as many
                check_size(body)
            try:
                found = self._fast(body)
            except SURPRISES:
                found = None
            if found is not None:
                return found
        made = self._form.plain(loads(body), lambda data: self._readers.converter.structure(data, self._cls))
        if self._fast is not None:
            self._readers.learn(self._cls, made if isinstance(made, list) else [made])
        return made

    def _build(self) -> None:
        with self._readers.lock:
            self._version = self._readers.version
            struct = self._readers[self._cls].build().struct
            if struct is None:
                self._fast = None
                return
            envelope, typed = self._form.envelope, self._form.typed
            decode = exact_decoder(envelope[struct] if envelope else struct)
            self._fast = lambda body: typed(decode(body), _make)
