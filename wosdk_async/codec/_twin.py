"""Twins: a hidden msgspec Struct of a class, filled from the text in C, and the function that copies it.

A twin's fields have no types but the objects they hold, so each value arrives as :func:`loads` gives it
and is read by the very expressions of ``_read.py``. Only objects differ: no dict is made of them. What a twin
has no field for, or an object where none was seen yet, makes msgspec raise: the text is read the other way.

All values of a twin are taken out in one step, and most of them go into their slots as they are: a line for
each field would take twice as long.
"""

from __future__ import annotations

import functools
from collections import defaultdict
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import attrs
import cattrs
import msgspec
from msgspec import UNSET

from wosdk_async.codec._read import VALUES, expression, is_nested, is_plain, later, spellings
from wosdk_async.model import _registry
from wosdk_async.model._base import Record
from wosdk_async.model._wire import Wire

__all__ = ["Seen", "Twin", "Twins"]

# What read_local and read_utc do with documented times, without the call. What is no time raises.
TIMES = {
    "datetime-local": "v if (v := {get}) is None or (v := parse(s := v)).tzinfo is None else read_local(s)",
    "datetime-utc": "v if (v := {get}) is None or (v := parse(s := v)).tzinfo is UTC else read_utc(s)",
}
_EMPTY: Any = Annotated[list[Any], msgspec.Meta(max_length=0)]
_SOURCE = """\
def copy(twin):
    made = new(cls)
    {targets} = astuple(twin)
{lines}    made.extra = {extra}
    return made
"""
MAX_UNKNOWN = 64  # names of each class: what somebody else sends must not fill the memory


@attrs.define
class Seen:
    """What answers held so far, for each class: which of its objects were there, and which unknown names."""

    nested: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))
    odd: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))
    """Where something else was than the object that is documented."""
    unknown: dict[type[Record], dict[str, None]] = attrs.field(factory=lambda: defaultdict(dict))

    def learn(self, made: Any) -> int:
        """Note what is new in ``made``, and say how much it was."""
        cls, new = type(made), 0
        for name in made.extra or ():
            if name not in self.unknown[cls] and self._is_learnable(cls, name):
                self.unknown[cls][name] = None
                new += 1
        for name in _nested_fields(cls):  # type: ignore[arg-type]
            value = getattr(made, name)
            for inner in value if isinstance(value, list) else (() if value is None else (value,)):
                kind = self.nested[cls] if isinstance(inner, Record) else self.odd[cls]
                new += name not in kind
                kind[name] = None
                if isinstance(inner, Record):
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


@attrs.frozen
class Twin:
    """The Struct of a class, and what makes an object of it."""

    struct: Any
    copy: Callable[[Any], Any]


class Twins:
    """Makes the twins of one kind of answer, of what was seen in such answers."""

    def __init__(self, seen: Seen, converter: cattrs.BaseConverter) -> None:
        self._seen = seen
        self._converter = converter
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
            "astuple": msgspec.structs.astuple,
            "UNSET": UNSET,
            "UTC": UTC,
            "parse": datetime.fromisoformat,
            **VALUES,
        }
        fields: list[tuple[str, Any, Any]] = []
        targets, lines = [], []
        for i, (name, meta) in enumerate(cls.__wire__.items()):
            kind, text = self._field(cls, name, f"x{i}", names)
            fields.append((name, kind, msgspec.field(name=meta["name"], default=None)))
            targets.append(f"x{i}" if text else f"made.{name}")
            if text:
                lines.append(f"    made.{name} = {text}\n")
        if unknown:
            lines.append("    extra = {}\n")
        for i, name in enumerate(unknown):
            fields.append((f"_{i}", Any, msgspec.field(name=name, default=UNSET)))
            targets.append(f"u{i}")
            lines.append(f"    if u{i} is not UNSET: extra[{name!r}] = u{i}\n")
        source = _SOURCE.format(
            targets=", ".join([*targets, ""]),
            lines="".join(lines),
            extra="extra or None" if unknown else None,
        )
        exec(compile(source, f"<copier of {cls.__name__}>", "exec"), names)  # noqa: S102 - text made above
        struct = msgspec.defstruct(cls.__name__, fields, kw_only=True, gc=False, forbid_unknown_fields=True)
        return Twin(struct, names["copy"])

    def _field(self, cls: type[Record], name: str, x: str, names: dict[str, Any]) -> tuple[Any, str]:
        """The type of one field of a Struct, and the text that reads its value ``x``; none to keep it."""
        meta = cls.__wire__[name]
        many = meta.get("many")
        if not is_nested(meta):
            return self._value(meta, x, names)
        if name not in self._seen.nested[cls] and name not in self._seen.odd[cls]:
            return (_EMPTY | None, "") if many else (None, "")
        twin = self.twin(_registry.resolve(meta["of"])) if name not in self._seen.odd[cls] else None
        if twin is not None:
            return _object(meta, x, names, twin)
        text = expression(meta, x, names, functools.partial(later, self._converter))
        return Any, f"({text}) if {x} else {x}" if many else text

    def _value(self, meta: Wire, x: str, names: dict[str, Any]) -> tuple[Any, str]:
        if meta["type"] == "enum" and not meta.get("many"):
            return _registry.resolve(meta["of"]) | None, ""
        kind = meta["type"]
        text = TIMES[kind].format(get=x) if kind in TIMES else expression(meta, x, names, later)
        return Any, "" if text == x else text


def _object(meta: Wire, x: str, names: dict[str, Any], twin: Twin) -> tuple[Any, str]:
    copy = f"copy_{meta['of']}"
    names[copy] = twin.copy
    struct: Any = twin.struct
    if not meta.get("many"):
        return struct | None, f"None if {x} is None else {copy}({x})"
    return list[struct | None] | None, f"[None if i is None else {copy}(i) for i in {x}] if {x} else {x}"
