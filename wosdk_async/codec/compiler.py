"""Functions that read and write the objects of one class, written as text from one table of field types.

Four functions for each class, compiled at its first use:

* ``compile_reader``: an object of a dict, lenient; the definition of what JSON means.
* ``compile_struct``: a hidden msgspec Struct, which is filled in C, and an object of it.
* ``compile_writer``: a dict of an object, strict; the definition of what is sent.
* ``compile_fast_writer``: the same for objects that hold nothing odd, with the search for mistakes in it.
"""

from __future__ import annotations

import functools
import re
import types
from collections.abc import Callable, Container, Iterable, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import attrs
import msgspec

from wosdk_async.codec.values import (
    EnumReader,
    read_local,
    read_number,
    read_utc,
    write_enum,
    write_local,
    write_number,
    write_text,
    write_utc,
)
from wosdk_async.model import registry
from wosdk_async.model.base import Command, Record, Ref
from wosdk_async.model.compiled import compile_function
from wosdk_async.model.lazy import Lazy, raw_slot
from wosdk_async.model.metadata import Wire, is_nested

__all__ = [
    "FIELD_TYPES",
    "FieldType",
    "Part",
    "Unsupported",
    "compile_fast_writer",
    "compile_reader",
    "compile_struct",
    "compile_writer",
    "is_plain",
]


@attrs.frozen
class FieldType:
    """What is done with values of one type of the catalogue, as text: ``v`` is the value."""

    read: str = "v"
    """What is stored of a value that the service sent and that is not null."""
    quick: str = ""
    """The same for a documented value, without a call. It raises TypeError or ValueError for others."""
    write: str = "v"
    """What is sent of a value that is not None, whatever it is."""
    fits: str = "False"
    """Whether a value has no problems (``protocol.validation``) and is sent as ``plain`` says."""
    plain: str = "v"
    """What is sent of a value that fits."""


FIELD_TYPES = {
    "string": FieldType(
        write="v if v.__class__ is str else write_text(v, {where!r})", fits="v.__class__ is str"
    ),
    "integer": FieldType(fits="v.__class__ is int and -0x80000000 <= v <= 0x7fffffff"),
    "boolean": FieldType(fits="v.__class__ is bool"),
    "number": FieldType(
        read="v if v.__class__ is Decimal else read_number(v)",
        write="write_number(v, {where!r})",
        fits="v.__class__ is Decimal and v.is_finite()",
    ),
    "datetime-local": FieldType(
        read="read_local(v)",
        quick="t if (t := parse(v)).tzinfo is None else read_local(v)",
        write="write_local(v, {where!r})",
        fits="v.__class__ is datetime and v.tzinfo is None",
        plain="v.isoformat()",
    ),
    "datetime-utc": FieldType(
        read="read_utc(v)",
        quick="t if (t := parse(v)).tzinfo is UTC else read_utc(v)",
        write="write_utc(v, {where!r})",
        fits="v.__class__ is datetime and v.tzinfo is UTC",
        plain="v.replace(tzinfo=None).isoformat() + 'Z'",
    ),
    "enum": FieldType(
        read="{of}[v] if v.__class__ is str else {of}.odd(v)",
        write="write_enum(v)",
        fits="v.__class__ is {of}",
        plain="v._value_",
    ),
}
"""Type of the catalogue -> what is done with its values. Every other type is :data:`OBJECT`."""

OBJECT = FieldType(
    read="{of}(v, None) if v.__class__ is dict else v",
    write="unstructure(v)",
    fits="v.__class__ is {of}",
    plain="writers[{of}](v)",
)
"""Objects of another class, and references to them."""

_VALUE = re.compile(r"\bv\b")

NAMES = {
    "Decimal": Decimal,
    "Ref": type(Ref(0)),
    "UTC": UTC,
    "datetime": datetime,
    "parse": datetime.fromisoformat,
    "read_local": read_local,
    "read_number": read_number,
    "read_utc": read_utc,
    "write_enum": write_enum,
    "write_local": write_local,
    "write_number": write_number,
    "write_text": write_text,
    "write_utc": write_utc,
}
"""What the texts refer to by a fixed name."""


class Unsupported(Exception):
    """A value that only the strict writer can judge."""


def is_plain(cls: type[Record]) -> bool:
    """Return whether the class has no fields but those of the wire."""
    return {field.name for field in attrs.fields(cls)} == {"extra", *cls.__wire__}


def _type_of(meta: Wire) -> FieldType:
    return FIELD_TYPES.get(meta["type"], OBJECT)


def _new(cls: type[Record]) -> Callable[[], Record]:
    # A class that a program derived may have fields of its own: only its __init__ knows their defaults.
    return functools.partial(object.__new__ if is_plain(cls) else type.__call__, cls)


# --- reading --------------------------------------------------------------------------------

_READER = """\
def read(data, _=None):
    if data.__class__ is not dict:
        data = as_dict(data)
    extra = None
    if not data.keys() <= known:
        data, extra = sort_out(data)
    get = data.get
    made = new()
    made.extra = extra
{lines}
    return made
"""


def compile_reader(
    cls: type[Record],
    hook_of: Callable[[str], Callable[..., Any]],
    as_dict: Callable[[Any], dict[str, Any]],
    sort_out: Callable[[dict[str, Any]], tuple[dict[str, Any], dict[str, Any] | None]],
) -> Callable[..., Record]:
    """Return the function that makes an object of ``cls`` of a dict.

    Args:
        cls: The class.
        hook_of: Gives the function ``(data, None)`` that reads dicts of the class with this name.
        as_dict: Makes a dict of another mapping, or raises TypeError.
        sort_out: Splits a dict with unknown names into known and unknown fields.
    """
    names: dict[str, Any] = {
        "new": _new(cls),
        "known": frozenset(meta["name"] for meta in cls.__wire__.values()),
        "as_dict": as_dict,
        "sort_out": sort_out,
        **NAMES,
    }
    lines = []
    for name, meta in cls.__wire__.items():
        get = f"get({meta['name']!r})"
        lines.append(f"    made.{raw_slot(cls, name)} = {_read(meta, get, names, hook_of)}")
    source = _READER.format(lines="\n".join(lines))
    return compile_function("read", source, f"reader of {cls.__name__}", names)  # type: ignore[no-any-return]


def _read(meta: Wire, get: str, names: dict[str, Any], hook_of: Callable[[str], Callable[..., Any]]) -> str:
    """Return the text that reads one value, which ``get`` fetches; add what it needs to ``names``."""
    of, kind = meta["of"], "enum" if meta["type"] == "enum" else "object"
    if not of and (meta.get("many") or meta["type"] not in FIELD_TYPES):
        return get
    name = f"{kind}_{of}"
    if of and name not in names:
        if kind == "enum":
            names[name] = EnumReader(functools.partial(registry.resolve, of))
        else:
            names[name] = hook_of(of)
    if meta.get("many"):
        names[f"{name}_list"] = _list_reader(names[name])
        return f"{name}_list({get})"
    text = _type_of(meta).read.format(of=name)
    if text == "v":
        return get
    if get.isidentifier():
        return f"{get} if {get} is None else {_VALUE.sub(get, text)}"
    return f"None if (v := {get}) is None else {text}"


def _list_reader(read: Any) -> Callable[[Any], Any]:
    """Return the reader of lists of objects or enum values; elements of another type stay as they are."""

    def read_objects(items: Any) -> Any:
        if not items or items.__class__ is not list:
            return [] if items == [] else items
        return [read(item, None) if item.__class__ is dict else item for item in items]

    def read_members(items: Any) -> Any:
        return [read.odd(item) for item in items] if items.__class__ is list else items

    return read_members if isinstance(read, EnumReader) else read_objects


@attrs.frozen
class Part:
    """How the object in a field of a Struct is read: as another Struct."""

    cls: type[Record]
    known: Container[str]
    unknown: tuple[str, ...]
    struct: Any
    at_once: bool
    """Whether the object is made with the record, and not at the first look."""
    inline: bool = False
    """Whether its statements stand in the function of the record: a call would cost more than they do."""


class _LazyList(Lazy):
    """The Structs of a list."""

    __slots__ = ("_structs",)

    def __init__(self, structs: list[Any]) -> None:
        self._structs = structs

    def __made__(self) -> Any:
        return [None if struct is None else struct.__made__() for struct in self._structs]


@attrs.define
class _StructText:
    """The fields of a Struct, and the statements that make ``made`` of ``struct``, for one function."""

    names: dict[str, Any]
    hook_of: Callable[[str], Callable[..., Any]]

    def of(
        self,
        cls: type[Record],
        known: Container[str],
        unknown: Iterable[str],
        parts: Mapping[str, Part],
        at: str = "",
    ) -> tuple[list[tuple[str, Any, Any]], list[str]]:
        """Return fields and statements; ``at`` ends each variable of the statements."""
        made, new = f"made{at}", f"new{at}"
        self.names[new] = _new(cls)
        fields: list[tuple[str, Any, Any]] = []
        targets: list[str] = []
        lines: list[str] = []
        quick: list[str] = []
        slow: list[str] = []
        for i, (name, meta) in enumerate(cls.__wire__.items()):
            slot, x = f"{made}.{raw_slot(cls, name)}", f"x{at}_{i}"
            if name not in known:
                lines.append(f"{slot} = None")
                continue
            kind, read = self._field(meta, parts.get(name), slot, x)
            fields.append((name, kind, msgspec.field(name=meta["name"], default=None)))
            in_variable = any(re.search(rf"\b{x}\b", line) for line in read)
            targets.append(x if in_variable else slot)
            if text := _type_of(meta).quick:
                quick.append(f"{slot} = {x} if {x} is None else {_VALUE.sub(x, text)}")
                slow += read
            else:
                lines += read
        if quick:
            lines += ["try:", *_indented(quick), "except (TypeError, ValueError):", *_indented(slow)]
        lines.append(f"{made}.extra = extra{at} = {{}}" if unknown else f"{made}.extra = None")
        for i, name in enumerate(unknown):
            fields.append((f"_{i}", Any, msgspec.field(name=name, default=msgspec.UNSET)))
            targets.append(f"u{at}_{i}")
            lines.append(f"if u{at}_{i} is not UNSET: extra{at}[{name!r}] = u{at}_{i}")
        if unknown:
            lines.append(f"if not extra{at}: {made}.extra = None")
        if targets:
            lines.insert(0, f"({', '.join(targets)},) = astuple(struct{at})")
        return fields, [f"{made} = {new}()", *lines]

    def _field(self, meta: Wire, part: Part | None, slot: str, x: str) -> tuple[Any, list[str]]:
        """Return the type of a field, and the statements that read its value ``x``; none to keep it."""
        if part is not None and meta.get("many"):
            element = part.struct | None
            kind: Any = types.GenericAlias(list, element) | None
            return kind, [f"if {slot}: {slot} = LazyList({slot})"]
        if part is not None:
            return part.struct | None, self._part(part, slot, x)
        if meta["type"] == "enum" and not meta.get("many"):
            return registry.resolve(meta["of"]) | None, []
        text = _read(meta, x, self.names, self.hook_of)
        if text == x:
            return Any, []
        if meta.get("many") or is_nested(meta):  # most are not there, or empty
            return Any, [f"if {slot}: {slot} = {text.replace(x, slot)}"]
        return Any, [f"{slot} = {text}"]

    def _part(self, part: Part, slot: str, x: str) -> list[str]:
        if not part.at_once:
            return []
        if not part.inline:
            return [f"{slot} = {x} if {x} is None else {x}.__made__()"]
        at = x.removeprefix("x")
        _, lines = self.of(part.cls, part.known, part.unknown, {}, at)
        lines = [f"struct{at} = {x}", *lines, f"{slot} = made{at}"]
        return [f"if {x} is None: {slot} = None", "else:", *_indented(lines)]


def _indented(lines: Iterable[str]) -> list[str]:
    return [f"    {line}" for line in lines]


def compile_struct(
    cls: type[Record],
    known: Container[str],
    unknown: Iterable[str],
    parts: Mapping[str, Part],
    hook_of: Callable[[str], Callable[..., Any]],
) -> Any:
    """Return a Struct for objects of ``cls``; its ``__made__`` makes an object of one.

    Values arrive as :func:`loads` gives them and are read by the same texts as those of a dict.

    Args:
        cls: The class.
        known: The fields that get a place. msgspec raises for a text with another.
        unknown: Names of the service that the catalogue does not have, and that go to ``extra``.
        parts: The fields whose objects are read as Structs. Those of others are read as dicts.
        hook_of: Gives the function ``(data, None)`` that reads dicts of the class with this name.
    """
    names = {"astuple": msgspec.structs.astuple, "UNSET": msgspec.UNSET, "LazyList": _LazyList, **NAMES}
    fields, lines = _StructText(names, hook_of).of(cls, known, unknown, parts)
    source = "\n".join(["def convert(struct):", *_indented(lines), "    return made\n"])

    def convert(found: Any) -> Any:
        # Compiled when it is first wanted: a program looks at few of the objects of a response.
        struct.__made__ = compile_function("convert", source, f"struct converter of {cls.__name__}", names)
        return struct.__made__(found)

    struct: Any = msgspec.defstruct(
        cls.__name__,
        fields,
        bases=(Lazy,),
        namespace={"__made__": convert},
        kw_only=True,
        gc=False,
        forbid_unknown_fields=True,
    )
    return struct


# --- writing --------------------------------------------------------------------------------

_WRITER = """\
def write(record):
    made = {{}}
{lines}
    if record.extra:
        for name, value in record.extra.items():
            made.setdefault(name, unstructure(value))
    return made
"""


def compile_writer(cls: type[Record], unstructure: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Return the function that makes a dict of an object of ``cls``, without what is None.

    Args:
        cls: The class.
        unstructure: Writes whatever else a program put into a field.
    """
    names: dict[str, Any] = {
        "unstructure": unstructure,
        "unstructure_list": lambda items: (
            [unstructure(item) for item in items] if isinstance(items, list) else unstructure(items)
        ),
        **NAMES,
    }
    lines = []
    for name, meta in cls.__wire__.items():
        text = _type_of(meta).write.format(where=f"{cls.__name__}.{name}")
        text = "unstructure_list(v)" if meta.get("many") else text
        lines.append(f"    if (v := record.{name}) is not None: made[{meta['name']!r}] = {text}")
    source = _WRITER.format(lines="\n".join(lines))
    return compile_function("write", source, f"writer of {cls.__name__}", names)  # type: ignore[no-any-return]


_FAST_WRITER = """\
def write(record):
    if record.extra: raise Unsupported
    made = {{}}
{lines}
    return made
"""
# Most fields of a record are None: looked at twice, the others cost less than all would in a variable.
_SCALAR = """\
    if record.{slot} is not None and (v := record.{name}) is not None:
        if {fits}: made[{wire!r}] = {plain}
        else: raise Unsupported"""
_REFERENCE = """\
    if record.{slot} is not None and (v := record.{name}) is not None:
        if {fits}: made[{wire!r}] = {plain}
        elif v.__class__ is Ref and v.id.__class__ is int: made[{wire!r}] = {{'Id': v.id}}
        else: raise Unsupported"""
_LIST = """\
    if record.{slot} is not None and record.{name} is not None:
        if record.{name}.__class__ is not list: raise Unsupported
        made[{wire!r}] = made_{name} = []
        for v in record.{name}:
            if {fits}: made_{name}.append({plain})
            else: raise Unsupported"""


def compile_fast_writer(cls: type[Record], writers: Any) -> Callable[[Any], dict[str, Any]]:
    """Return the function that does what the writer of ``cls`` does, for an object that has no problems.

    The function raises Unsupported for any other. ``writers`` has the functions of the other classes.
    """
    names: dict[str, Any] = {"writers": writers, "Unsupported": Unsupported, **NAMES}
    lines = [
        f"    if record.{raw_slot(cls, name)} is None: raise Unsupported"
        for name, meta in cls.__wire__.items()
        if issubclass(cls, Command) and meta.get("required")  # nothing of a command may be left out
    ]
    for name, meta in cls.__wire__.items():
        kind, of = _type_of(meta), meta["of"]
        fits, plain = kind.fits.format(of=of), kind.plain.format(of=of)
        if of:
            names[of] = registry.resolve(of)
        elif kind is OBJECT:
            fits = "False"
        if limit := meta.get("max_length"):
            fits += f" and len(v) <= {limit}"
        template = _LIST if meta.get("many") else _REFERENCE if meta["type"] == "ref" else _SCALAR
        lines.append(
            template.format(slot=raw_slot(cls, name), name=name, wire=meta["name"], fits=fits, plain=plain)
        )
    source = _FAST_WRITER.format(lines="\n".join(lines))
    return compile_function("write", source, f"fast writer of {cls.__name__}", names)  # type: ignore[no-any-return]
