"""Private msgspec Structs that mirror record classes, and the functions that convert them to records."""

from __future__ import annotations

import re
import types
from collections.abc import Callable, Container, Iterable, Mapping
from typing import Any

import attrs
import msgspec

from wosdk_async.codec.compiler import in_place, read_text
from wosdk_async.codec.field_types import NAMES, new_of, type_of
from wosdk_async.model import registry
from wosdk_async.model.base import CommandResult, Record
from wosdk_async.model.compiled import compile_function
from wosdk_async.model.lazy import Lazy, raw_slot
from wosdk_async.model.metadata import Wire, is_nested


@attrs.frozen
class StructFields:
    """Fields of a Struct class, kept as its ``__fields__``."""

    cls: type[Record]
    known: Container[str]
    unknown: tuple[str, ...]
    parts: Mapping[str, Any]
    """Structs of nested objects."""
    hook_of: Callable[[str], Callable[..., Any]]
    """Returns the dict reader of a class."""


@attrs.define
class _StructText:
    """Generator of a Struct's fields, and of the statements that convert ``struct`` to ``made``."""

    names: dict[str, Any]
    hook_of: Callable[[str], Callable[..., Any]]

    def of(
        self, cls: type[Record], known: Container[str], unknown: Iterable[str], parts: Mapping[str, Any]
    ) -> tuple[list[tuple[str, Any, Any]], list[str]]:
        self.names["new"] = new_of(cls)
        fields: list[tuple[str, Any, Any]] = []
        targets: list[str] = []
        lines: list[str] = []
        quick: list[str] = []
        slow: list[str] = []
        for i, (name, meta) in enumerate(cls.__wire__.items()):
            slot, x = f"made.{raw_slot(cls, name)}", f"x_{i}"
            if name not in known:
                lines.append(f"{slot} = None")
                continue
            kind, read = self._field(meta, parts.get(name), slot, x)
            # Programs run a command to get the record in its result, so this record is created immediately.
            if issubclass(cls, CommandResult) and name in parts and not meta.get("many"):
                read = [f"{slot} = {x} if {x} is None else {x}.__made__(origin)"]
            fields.append((name, kind, msgspec.field(name=meta["name"], default=None)))
            in_variable = any(re.search(rf"\b{x}\b", line) for line in read)
            targets.append(x if in_variable else slot)
            if text := type_of(meta).quick:
                quick.append(f"{slot} = {x} if {x} is None else {in_place(text, x)}")
                slow += read
            else:
                lines += read
        if quick:
            lines += ["try:", *_indented(quick), "except NOT_QUICK:", *_indented(slow)]
        lines.append("made.extra = extra = {}" if unknown else "made.extra = None")
        for i, name in enumerate(unknown):
            fields.append((f"_{i}", Any, msgspec.field(name=name, default=msgspec.UNSET)))
            targets.append(f"u_{i}")
            lines.append(f"if u_{i} is not UNSET: extra[{name!r}] = u_{i}")
        if unknown:
            lines.append("if not extra: made.extra = None")
        if targets:
            lines.insert(0, f"({', '.join(targets)},) = astuple(struct)")
        return fields, ["made = new()", "made.origin = origin", *lines]

    def _field(self, meta: Wire, part: Any, slot: str, x: str) -> tuple[Any, list[str]]:
        """Return a field's type, and any statements needed to convert its value ``x``."""
        if part is not None and meta.get("many"):
            return types.GenericAlias(tuple, (part | None, ...)) | None, []
        if part is not None:
            return part | None, []
        if meta["type"] == "enum" and not meta.get("many"):
            return registry.resolve(meta["of"]) | None, []
        text = read_text(meta, x, self.names, self.hook_of)
        if text == x:
            return Any, []
        if meta.get("many") or is_nested(meta):  # most of these values are absent or empty
            return Any, [f"if {slot}: {slot} = {text.replace(x, slot)}"]
        return Any, [f"{slot} = {text}"]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def compile_struct(
    cls: type[Record],
    known: Container[str],
    unknown: Iterable[str],
    parts: Mapping[str, Any],
    hook_of: Callable[[str], Callable[..., Any]],
) -> Any:
    """Return a Struct class for ``cls``; its ``__made__`` converts an instance to an object of ``cls``.

    Apart from enum members and nested Structs, a Struct holds the values that :func:`loads` returns. The same
    generated code reads Structs and dicts.

    Args:
        cls: the class.
        known: fields of the Struct.
        unknown: wire names to read into ``extra``, because the catalogue lacks them. msgspec refuses JSON
            with any further name.
        parts: Structs for objects in fields, by field. Other objects are read as dicts.
        hook_of: returns, for a class name, the function that reads its dicts; it takes ``(data, None)``.
    """
    names = {
        "astuple": msgspec.structs.astuple,
        "UNSET": msgspec.UNSET,
        **NAMES,
    }
    fields, lines = _StructText(names, hook_of).of(cls, known, unknown, parts)
    source = "\n".join(["def convert(struct, origin=None):", *_indented(lines), "    return made\n"])

    def convert(found: Any, origin: str | None = None) -> Any:
        # Compiled on the first call: programs access few of the objects in a response.
        struct.__made__ = compile_function("convert", source, f"struct converter of {cls.__name__}", names)
        return struct.__made__(found, origin)

    struct: Any = msgspec.defstruct(
        cls.__name__,
        fields,
        bases=(Lazy,),
        namespace={
            "__made__": convert,
            "__fields__": StructFields(cls, known, tuple(unknown), parts, hook_of),
        },
        kw_only=True,
        gc=False,
        forbid_unknown_fields=True,
        omit_defaults=True,
    )
    return struct
