"""ShadowStructs: a hidden msgspec Struct of a class, filled in C, and the function that copies it.

A twin's fields have no types but the objects they hold, so each value arrives as :func:`loads` gives it
and is read by the very expressions of ``_read.py``. Only objects differ: no dict is made of them. What a twin
has no field for, or an object where none was seen yet, makes msgspec raise: the text is read the other way.

A twin inside another is copied when its field is first looked at (``model/lazy.py``), unless what it holds
needs a hook of the program's own, which may refuse it.
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

from wosdk_async.codec._copier import HERE, TIMES, StructConverter, deeper
from wosdk_async.codec._read import VALUES, expression, is_plain, later
from wosdk_async.codec._seen import Seen
from wosdk_async.model import registry
from wosdk_async.model.base import Record
from wosdk_async.model.lazy import Later, slot_of
from wosdk_async.model.metadata import Wire, is_nested

__all__ = ["ShadowStruct", "ShadowStructs"]

_EMPTY: Any = Annotated[list[Any], msgspec.Meta(max_length=0)]


@attrs.frozen
class ShadowStruct:
    """The Struct of a class, what makes an object of one, and what that consists of."""

    struct: Any
    copy: Callable[[Any], Any]
    copier: StructConverter


class _Many(Later):
    """The twins of a list."""

    __slots__ = ("_twins",)

    def __init__(self, twins: list[Any]) -> None:
        self._twins = twins

    def __made__(self) -> Any:
        return [None if twin is None else twin.__made__() for twin in self._twins]


class ShadowStructs:
    """Makes the twins of one kind of answer, of what was seen in such answers."""

    def __init__(self, seen: Seen, converter: cattrs.BaseConverter) -> None:
        self._seen = seen
        self._converter = converter
        self._made: dict[type[Record], ShadowStruct | None] = {}
        self._names: dict[str, Any] = {
            "astuple": msgspec.structs.astuple,
            "many": _Many,
            "UNSET": UNSET,
            "UTC": UTC,
            "parse": datetime.fromisoformat,
            **VALUES,
        }
        """What all the functions refer to."""

    def twin(self, cls: type[Record]) -> ShadowStruct | None:
        """The twin of ``cls``; None inside itself, and when the program has a hook of its own for it."""
        if cls not in self._made:
            self._made[cls] = None
            if getattr(self._converter.get_structure_hook(cls), "reads", None) is cls:
                self._made[cls] = self._make(cls)
        return self._made[cls]

    def _make(self, cls: type[Record]) -> ShadowStruct:
        new, plain = f"new{len(self._made)}", is_plain(cls)
        self._names[new] = functools.partial(object.__new__ if plain else type.__call__, cls)
        copier = StructConverter(cls, new, sure=plain)
        seen = cls.__wire__ if self._seen.every else self._seen.fields[cls]
        for i, name in enumerate(cls.__wire__):
            if name in seen:
                self._add(copier, name, f"{i}_{HERE}")
            else:
                copier.lines.append(f"made{HERE}.{slot_of(cls, name)} = None")
        self._add_unknown(copier)
        copy = copier.compiled(self._names)
        struct = msgspec.defstruct(
            cls.__name__,
            copier.fields,
            bases=(Later,),
            namespace={"__made__": copy},
            kw_only=True,
            gc=False,
            forbid_unknown_fields=True,
        )
        return ShadowStruct(struct, copy, copier)

    def _add_unknown(self, copier: StructConverter) -> None:
        extra = f"extra{HERE}"
        unknown = tuple(self._seen.unknown[copier.cls])
        if unknown:
            copier.lines.append(f"{extra} = {{}}")
        for i, name in enumerate(unknown):
            value = f"u{i}_{HERE}"
            copier.fields.append((f"_{i}", Any, msgspec.field(name=name, default=UNSET)))
            copier.targets.append(value)
            copier.lines.append(f"if {value} is not UNSET: {extra}[{name!r}] = {value}")
        copier.lines.append(f"made{HERE}.extra = {f'{extra} or None' if unknown else None}")

    def _add(self, copier: StructConverter, name: str, at: str) -> None:
        """Add a field, whose value the text calls ``x{at}``."""
        meta, slot, x = copier.cls.__wire__[name], f"made{HERE}.{slot_of(copier.cls, name)}", f"x{at}"
        kind: Any = Any
        if meta["type"] in TIMES:
            lines, target = list[str](), x
            copier.quick.append(f"{slot} = {TIMES[meta['type']].format(x=x)}")
            copier.slow.append(f"{slot} = {self._expression(meta, x)}")
        else:
            kind, lines = (
                self._object(copier, name, slot, at) if is_nested(meta) else self._value(meta, slot, x)
            )
            target = x if lines else slot
        copier.lines += lines
        copier.fields.append((name, kind, msgspec.field(name=meta["name"], default=None)))
        copier.targets.append(target)

    def _expression(self, meta: Wire, x: str) -> str:
        return expression(meta, x, self._names, functools.partial(later, self._converter))

    def _value(self, meta: Wire, slot: str, x: str) -> tuple[Any, list[str]]:
        """The type of a field of a Struct, and the lines that read its value; none to keep it."""
        if meta["type"] == "enum" and not meta.get("many"):
            return registry.resolve(meta["of"]) | None, []
        text = self._expression(meta, x)
        return Any, [] if text == x else [f"{slot} = {text}"]

    def _object(self, copier: StructConverter, name: str, slot: str, at: str) -> tuple[Any, list[str]]:
        """The same, of a field that holds objects."""
        cls, x = copier.cls, f"x{at}"
        meta = cls.__wire__[name]
        many, odd = meta.get("many"), name in self._seen.odd[cls]
        if not odd and name not in self._seen.nested[cls]:
            return (_EMPTY | None, []) if many else (None, [])
        twin = None if odd else self.twin(registry.resolve(meta["of"]))
        if twin is None:
            copier.sure = False  # a hook of the program's own may refuse it
            text = self._expression(meta, x)
            return Any, [f"{slot} = ({text}) if {x} else {x}" if many else f"{slot} = {text}"]
        copier.sure &= twin.copier.sure
        struct: Any = twin.struct
        if many:
            held = f"many({x})" if twin.copier.sure else f"many({x}).__made__()"
            return list[struct | None] | None, [f"{slot} = {held} if {x} else {x}"]
        if twin.copier.small:
            body = [*twin.copier.body(at), f"{slot} = made{at}"]
            return struct | None, [f"if {x} is None: {slot} = None", "else:", *deeper(body)]
        made_now = f"{slot} = {x} if {x} is None else {x}.__made__()"
        return struct | None, [] if twin.copier.sure else [made_now]
