"""Twins: a hidden msgspec Struct of a class, filled from the text in C, and the function that copies it.

A twin's fields have no types but the objects they hold, so each value arrives as :func:`loads` gives it
and is read by the very expressions of ``_read.py``. Only objects differ: no dict is made of them. What a twin
has no field for, or an object where none was seen yet, makes msgspec raise: the text is read the other way.

All values of a twin are taken out in one step, and most of them go into their slots as they are: a line for
each field would take twice as long, but for twins of a few fields.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Annotated, Any

import attrs
import cattrs
import msgspec
from msgspec import UNSET

from wosdk_async.codec._read import VALUES, expression, is_nested, is_plain, later
from wosdk_async.codec._seen import Seen
from wosdk_async.model import _registry
from wosdk_async.model._base import Record
from wosdk_async.model._wire import Wire

__all__ = ["Twin", "Twins"]

# What read_local and read_utc do with documented times, without the call. What is no time raises.
TIMES = {
    "datetime-local": "{x} if {x} is None else v if (v := parse({x})).tzinfo is None else read_local({x})",
    "datetime-utc": "{x} if {x} is None else v if (v := parse({x})).tzinfo is UTC else read_utc({x})",
}
_EMPTY: Any = Annotated[list[Any], msgspec.Meta(max_length=0)]
_FUNCTION = """\
def {called}(x):
{body}    return made
"""
# A single object is copied by statements among those of the object that holds it: a call for each would cost
# more than all that is done in it. "$" is the place of an object in the tree.
_COPY = """\
made$ = {new}()
{taken}{lines}made$.extra = {extra}
"""
_NESTED = """\
if x${i}_ is None: made$.{name} = None
else:
{body}    made$.{name} = made${i}_
"""
_FEW = 8  # fields that are sooner taken one by one
_INLINED = 60  # lines: what is longer is called, so that the text cannot grow without bound


def _taken(targets: list[str], names: list[str]) -> str:
    """The lines that take the values of these fields out of a twin."""
    if len(names) > _FEW:
        return f"{', '.join(targets)} = astuple(x$)\n"
    return "".join(f"{target} = x$.{name}\n" for target, name in zip(targets, names, strict=True))


@attrs.frozen
class Twin:
    """The Struct of a class, what makes an object of it, its name in other copiers, and its statements."""

    struct: Any
    copy: Callable[[Any], Any]
    called: str
    body: str


class Twins:
    """Makes the twins of one kind of answer, of what was seen in such answers."""

    def __init__(self, seen: Seen, converter: cattrs.BaseConverter) -> None:
        self._seen = seen
        self._converter = converter
        self._made: dict[type[Record], Twin | None] = {}
        self._names: dict[str, Any] = {
            "astuple": msgspec.structs.astuple,
            "UNSET": UNSET,
            "UTC": UTC,
            "parse": datetime.fromisoformat,
            **VALUES,
        }
        """What all the functions refer to."""

    def twin(self, cls: type[Record]) -> Twin | None:
        """The twin of ``cls``; None inside itself, and when the program has a hook of its own for it."""
        if cls not in self._made:
            self._made[cls] = None
            if getattr(self._converter.get_structure_hook(cls), "reads", None) is cls:
                self._made[cls] = self._make(cls, len(self._made))
        return self._made[cls]

    def _make(self, cls: type[Record], number: int) -> Twin:
        fields: list[tuple[str, Any, Any]] = []
        targets, lines = [], []
        seen = cls.__wire__ if self._seen.every else self._seen.fields[cls]
        for i, (name, meta) in enumerate(cls.__wire__.items()):
            if name not in seen:
                lines.append(f"made$.{name} = None\n")
                continue
            kind, text = self._field(cls, name, i)
            fields.append((name, kind, msgspec.field(name=meta["name"], default=None)))
            targets.append(f"x${i}_" if text else f"made$.{name}")
            lines.append(text)
        unknown = tuple(self._seen.unknown[cls])
        if unknown:
            lines.append("extra$ = {}\n")
        for i, name in enumerate(unknown):
            fields.append((f"_{i}", Any, msgspec.field(name=name, default=UNSET)))
            targets.append(f"u${i}")
            self._names[f"name{number}_{i}"] = name
            lines.append(f"if u${i} is not UNSET: extra$[name{number}_{i}] = u${i}\n")
        make = object.__new__ if is_plain(cls) else type.__call__
        self._names[f"new{number}"] = functools.partial(make, cls)
        body = _COPY.format(
            new=f"new{number}",
            taken=_taken(targets, [name for name, _, _ in fields]),
            lines="".join(lines),
            extra="extra$ or None" if unknown else None,
        )
        struct = msgspec.defstruct(cls.__name__, fields, kw_only=True, gc=False, forbid_unknown_fields=True)
        called = f"copy{number}"
        source = _FUNCTION.format(called=called, body=textwrap.indent(body.replace("$", ""), "    "))
        exec(compile(source, f"<copier of {cls.__name__}>", "exec"), self._names)  # noqa: S102 - text made above
        return Twin(struct, self._names[called], called, body)

    def _field(self, cls: type[Record], name: str, i: int) -> tuple[Any, str]:
        """The type of one field of a Struct, and the lines that read its value; none to keep it."""
        meta = cls.__wire__[name]
        many, x = meta.get("many"), f"x${i}_"
        kind: Any = Any
        if not is_nested(meta):
            kind, text = self._value(meta, x)
        elif name not in self._seen.nested[cls] and name not in self._seen.odd[cls]:
            return (_EMPTY | None, "") if many else (None, "")
        elif name not in self._seen.odd[cls] and (twin := self.twin(_registry.resolve(meta["of"]))):
            struct: Any = twin.struct
            if not many:
                return struct | None, self._object(twin, name, i)
            kind = list[struct | None] | None
            text = f"[None if i is None else {twin.called}(i) for i in {x}] if {x} else {x}"
        else:
            text = expression(meta, x, self._names, functools.partial(later, self._converter))
            text = f"({text}) if {x} else {x}" if many else text
        return kind, f"made$.{name} = {text}\n" if text else ""

    def _value(self, meta: Wire, x: str) -> tuple[Any, str]:
        if meta["type"] == "enum" and not meta.get("many"):
            return _registry.resolve(meta["of"]) | None, ""
        kind = meta["type"]
        text = TIMES[kind].format(x=x) if kind in TIMES else expression(meta, x, self._names, later)
        return Any, "" if text == x else text

    def _object(self, twin: Twin, name: str, i: int) -> str:
        """The lines that copy a single object."""
        body = twin.body.replace("$", f"${i}_")
        if body.count("\n") > _INLINED:
            return f"made$.{name} = None if x${i}_ is None else {twin.called}(x${i}_)\n"
        return _NESTED.format(i=i, name=name, body=textwrap.indent(body, "    "))
