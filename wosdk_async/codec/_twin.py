"""Twins: a hidden msgspec Struct of a class, filled from the text in C, and the function that copies it.

A twin's fields have no types but the objects they hold, so each value arrives as :func:`loads` gives it
and is read by the very expressions of ``_read.py``. Only objects differ: no dict is made of them. What a twin
has no field for, or an object where none was seen yet, makes msgspec raise: the text is read the other way.

A twin inside another is copied when its field is first looked at (``model/_later.py``), unless what it holds
needs a hook of the program's own, which may refuse it.

All values of a twin are taken out in one step, and most of them go into their slots as they are: a line for
each field would take twice as long, but for twins of a few fields.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import attrs
import cattrs
import msgspec
from msgspec import UNSET

from wosdk_async.codec._read import VALUES, expression, is_plain, later
from wosdk_async.codec._seen import Seen
from wosdk_async.model import _registry
from wosdk_async.model._base import Record
from wosdk_async.model._later import Later, slot_of
from wosdk_async.model._wire import Wire, is_nested

__all__ = ["Twin", "Twins"]

# What read_local and read_utc do with documented times, without the call. What is no time raises, and all
# times of the object are read by them.
TIMES = {
    "datetime-local": "{x} if {x} is None else v if (v := parse({x})).tzinfo is None else read_local({x})",
    "datetime-utc": "{x} if {x} is None else v if (v := parse({x})).tzinfo is UTC else read_utc({x})",
}
_EMPTY: Any = Annotated[list[Any], msgspec.Meta(max_length=0)]
_COPY = """\
def copy(x):
    made = new()
{taken}{lines}    made.extra = {extra}
    return made
"""
_TRIED = """\
    try:
{quick}    except (TypeError, ValueError):
{slow}"""
_FEW = 8  # fields that are sooner taken one by one


@attrs.frozen
class Twin:
    """The Struct of a class, what makes an object of one, and whether that may wait: it cannot fail then."""

    struct: Any
    copy: Callable[[Any], Any]
    sure: bool


class _Many(Later):
    """The twins of a list."""

    __slots__ = ("_twins",)

    def __init__(self, twins: list[Any]) -> None:
        self._twins = twins

    def __made__(self) -> Any:
        return [None if twin is None else twin.__made__() for twin in self._twins]


@attrs.define
class _Parts:
    """What a twin is made of, field by field."""

    cls: type[Record]
    names: dict[str, Any]
    """What the text of the copier refers to."""
    fields: list[tuple[str, Any, Any]] = attrs.field(factory=list)
    """Of the Struct."""
    targets: list[str] = attrs.field(factory=list)
    """Where the copier puts the value of each: a slot, or a variable to be read by what follows."""
    lines: list[str] = attrs.field(factory=list)
    quick: list[str] = attrs.field(factory=list)
    """The times, read by :data:`TIMES`."""
    slow: list[str] = attrs.field(factory=list)
    """The same, read as ``_read.py`` does."""
    sure: bool = True

    def copier(self, extra: str) -> Callable[[Any], Any]:
        """The function that makes an object of a twin."""
        lines = _indented(self.lines)
        if self.quick:
            lines += _TRIED.format(quick=_indented(self.quick, 8), slow=_indented(self.slow, 8))
        source = _COPY.format(taken=_indented(self._taken()), lines=lines, extra=extra)
        exec(compile(source, f"<copier of {self.cls.__name__}>", "exec"), self.names)  # noqa: S102 - text made here
        copy: Callable[[Any], Any] = self.names["copy"]
        return copy

    def _taken(self) -> list[str]:
        """The lines that take the values out of a twin."""
        names = [name for name, _, _ in self.fields]
        if len(names) > _FEW:
            return [f"{', '.join(self.targets)} = astuple(x)"]
        return [f"{target} = x.{name}" for target, name in zip(self.targets, names, strict=True)]


def _indented(lines: list[str], by: int = 4) -> str:
    return "".join(f"{' ' * by}{line}\n" for line in lines)


class Twins:
    """Makes the twins of one kind of answer, of what was seen in such answers."""

    def __init__(self, seen: Seen, converter: cattrs.BaseConverter) -> None:
        self._seen = seen
        self._later = functools.partial(later, converter)
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
        plain = is_plain(cls)
        names = {
            "new": functools.partial(object.__new__ if plain else type.__call__, cls),
            "astuple": msgspec.structs.astuple,
            "many": _Many,
            "UNSET": UNSET,
            "UTC": UTC,
            "parse": datetime.fromisoformat,
            **VALUES,
        }
        parts = _Parts(cls, names, sure=plain)
        seen = cls.__wire__ if self._seen.every else self._seen.fields[cls]
        for i, name in enumerate(cls.__wire__):
            if name in seen:
                self._add(parts, name, f"x{i}")
            else:
                parts.lines.append(f"made.{slot_of(cls, name)} = None")
        unknown = tuple(self._seen.unknown[cls])
        if unknown:
            parts.lines.append("extra = {}")
        for i, name in enumerate(unknown):
            parts.fields.append((f"_{i}", Any, msgspec.field(name=name, default=UNSET)))
            parts.targets.append(f"u{i}")
            parts.lines.append(f"if u{i} is not UNSET: extra[{name!r}] = u{i}")
        copy = parts.copier("extra or None" if unknown else "None")
        struct = msgspec.defstruct(
            cls.__name__,
            parts.fields,
            bases=(Later,),
            namespace={"__made__": copy},
            kw_only=True,
            gc=False,
            forbid_unknown_fields=True,
        )
        return Twin(struct, copy, parts.sure)

    def _add(self, parts: _Parts, name: str, x: str) -> None:
        """Add a field whose value is ``x`` in the text."""
        cls = parts.cls
        meta, slot = cls.__wire__[name], f"made.{slot_of(cls, name)}"
        if meta["type"] in TIMES:
            kind, text = Any, x
            parts.quick.append(f"{slot} = {TIMES[meta['type']].format(x=x)}")
            parts.slow.append(f"{slot} = {self._expression(parts, meta, x)}")
        else:
            kind, text = self._object(parts, name, x) if is_nested(meta) else self._value(parts, meta, x)
            if text:
                parts.lines.append(f"{slot} = {text}")
        parts.fields.append((name, kind, msgspec.field(name=meta["name"], default=None)))
        parts.targets.append(x if text else slot)

    def _expression(self, parts: _Parts, meta: Wire, x: str) -> str:
        return expression(meta, x, parts.names, self._later)

    def _value(self, parts: _Parts, meta: Wire, x: str) -> tuple[Any, str]:
        """The type of a field of a Struct, and the text that reads its value; none to keep it."""
        if meta["type"] == "enum" and not meta.get("many"):
            return _registry.resolve(meta["of"]) | None, ""
        text = self._expression(parts, meta, x)
        return Any, "" if text == x else text

    def _object(self, parts: _Parts, name: str, x: str) -> tuple[Any, str]:
        """The same, of a field that holds objects."""
        cls = parts.cls
        meta = cls.__wire__[name]
        many, odd = meta.get("many"), name in self._seen.odd[cls]
        if not odd and name not in self._seen.nested[cls]:
            return (_EMPTY | None, "") if many else (None, "")
        twin = None if odd else self.twin(_registry.resolve(meta["of"]))
        if twin is None:
            parts.sure = False  # a hook of the program's own may refuse it
            text = self._expression(parts, meta, x)
            return Any, f"({text}) if {x} else {x}" if many else text
        parts.sure &= twin.sure
        struct: Any = twin.struct
        if not many:
            return struct | None, "" if twin.sure else f"{x} if {x} is None else {x}.__made__()"
        made = f"many({x})" if twin.sure else f"many({x}).__made__()"
        return list[struct | None] | None, f"{made} if {x} else {x}"
