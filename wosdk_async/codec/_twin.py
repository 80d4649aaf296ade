"""Twins: a hidden msgspec Struct of a class, filled from the text in C, and the function that copies it.

A twin's fields have no types but the objects they hold, so each value arrives as :func:`loads` gives it
and is read by the very expressions of ``_read.py``. Only objects differ: no dict is made of them. What a twin
has no field for makes msgspec raise, and the text is read the other way.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import attrs
import cattrs
import msgspec
from msgspec import UNSET

from wosdk_async.codec._read import VALUES, Hook, expression, is_nested, is_plain, later, spellings
from wosdk_async.model import _registry
from wosdk_async.model._base import Record
from wosdk_async.model._wire import Wire

__all__ = ["Seen", "Twin", "Twins"]

# What read_local and read_utc do with documented times, without the call. What is no time raises.
TIMES = {
    "datetime-local": "v if (v := {get}) is None or (v := parse(s := v)).tzinfo is None else read_local(s)",
    "datetime-utc": "v if (v := {get}) is None or (v := parse(s := v)).tzinfo is UTC else read_utc(s)",
}
MAX_UNKNOWN = 64  # names of each class: what somebody else sends must not fill the memory


@attrs.define
class Seen:
    """What answers held so far, for each class: which of its objects were there, and which unknown names."""

    nested: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))
    unknown: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))

    def learn(self, made: Any) -> int:
        """Note what is new in ``made``, and say how much it was."""
        cls, new = type(made), 0
        for name in made.extra or ():
            if name not in self.unknown[cls] and self._is_learnable(cls, name):
                self.unknown[cls][name] = None
                new += 1
        for name in _nested_fields(cls):  # type: ignore[arg-type]
            for inner in _records(getattr(made, name)):
                new += name not in self.nested[cls]
                self.nested[cls][name] = None
                new += self.learn(inner)
        return new

    def _is_learnable(self, cls: type[Record], name: str) -> bool:
        # A name that is a field's in another letter case is unknown only beside the documented one.
        known = name.lower() in spellings(cls)[1]  # type: ignore[arg-type]
        fit = name.isprintable() and not {'"', "\\"} & set(name)  # msgspec takes no others
        return not known and fit and len(self.unknown[cls]) < MAX_UNKNOWN


@functools.cache
def _nested_fields(cls: Any) -> tuple[str, ...]:
    return tuple(name for name, meta in cls.__wire__.items() if is_nested(meta))


def _records(value: Any) -> list[Record]:
    return [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, Record)]


@attrs.frozen
class Twin:
    """The Struct of a class, and what makes an object of it."""

    struct: Any
    copy: Callable[[Any], Any]


class Twins:
    """Makes the twins of one kind of answer, of what was seen in such answers.

    ``on_news`` is called when an object comes where none was seen; it is read all the same.
    """

    def __init__(self, seen: Seen, converter: cattrs.BaseConverter, on_news: Callable[[], None]) -> None:
        self._seen = seen
        self._converter = converter
        self._on_news = on_news
        self._made: dict[type[Record], Twin | None] = {}

    def twin(self, cls: type[Record]) -> Twin | None:
        """The twin of ``cls``; None inside itself, and when the program has a hook of its own for it."""
        if cls not in self._made:
            self._made[cls] = None
            if getattr(self._converter.get_structure_hook(cls), "reads", None) is cls:
                self._made[cls] = self._make(cls)
        return self._made[cls]

    def _make(self, cls: type[Record]) -> Twin:
        unknown = tuple(self._seen.unknown[cls])
        names: dict[str, Any] = {
            "cls": cls,
            "new": object.__new__ if is_plain(cls) else type.__call__,
            "UNSET": UNSET,
            "UTC": UTC,
            "parse": datetime.fromisoformat,
            **VALUES,
        }
        fields: list[tuple[str, Any, Any]] = []
        lines = []
        for name, meta in cls.__wire__.items():
            kind, text = self._field(cls, name, names)
            fields.append((name, kind, msgspec.field(name=meta["name"], default=None)))
            lines.append(f"    made.{name} = {text}\n")
        fields += [(f"_{i}", Any, msgspec.field(name=name, default=UNSET)) for i, name in enumerate(unknown)]
        source = f"{_head(unknown)}{''.join(lines)}    return made\n"
        exec(compile(source, f"<copier of {cls.__name__}>", "exec"), names)  # noqa: S102 - text made above
        struct = msgspec.defstruct(cls.__name__, fields, kw_only=True, gc=False, forbid_unknown_fields=True)
        return Twin(struct, names["copy"])

    def _field(self, cls: type[Record], name: str, names: dict[str, Any]) -> tuple[Any, str]:
        """The type of one field of a Struct, and the text that copies it."""
        meta, get = cls.__wire__[name], f"twin.{name}"
        if not is_nested(meta):
            return self._value(meta, get, names)
        seen = name in self._seen.nested[cls]
        if seen and (twin := self.twin(_registry.resolve(meta["of"]))):
            return _object(meta, get, names, twin)
        read = functools.partial(later, self._converter) if seen else self._unseen
        text = expression(meta, get, names, read)
        # Most lists that are sent are empty, and stay as they are.
        return Any, f"({text}) if {get} else {get}" if meta.get("many") else text

    def _value(self, meta: Wire, get: str, names: dict[str, Any]) -> tuple[Any, str]:
        if meta["type"] == "enum" and not meta.get("many"):
            return _registry.resolve(meta["of"]) | None, get
        kind = meta["type"]
        return Any, TIMES[kind].format(get=get) if kind in TIMES else expression(meta, get, names, later)

    def _unseen(self, load: Callable[[], Any], *_: Any) -> Hook:
        def read(data: Any, _: Any) -> Any:
            self._on_news()
            return self._converter.structure(data, load())

        return read


def _object(meta: Wire, get: str, names: dict[str, Any], twin: Twin) -> tuple[Any, str]:
    copy = f"copy_{meta['of']}"
    names[copy] = twin.copy
    struct: Any = twin.struct
    if not meta.get("many"):
        return struct | None, f"None if (v := {get}) is None else {copy}(v)"
    text = f"[None if i is None else {copy}(i) for i in v] if (v := {get}) else v"
    return list[struct | None] | None, text


def _head(unknown: tuple[str, ...]) -> str:
    lines = ["def copy(twin):\n    made = new(cls)\n"]
    if unknown:
        lines.append("    extra = {}\n")
        for i, name in enumerate(unknown):
            lines.append(f"    if (v := twin._{i}) is not UNSET: extra[{name!r}] = v\n")
    return "".join([*lines, f"    made.extra = {'extra or None' if unknown else None}\n"])
