"""Readers and writers for each class, generated as Python source from the table of field types.

Each function is compiled when its class is first used:

* ``compile_reader``: dict to object, lenient; the reference implementation of decoding.
* ``compile_writer``: object to dict, strict; the reference implementation of encoding.
* ``compile_fast_writer``: faster, but only for valid objects with values of the documented types.

``struct_compiler.py`` generates the code for the Structs that msgspec fills.
"""

from __future__ import annotations

import functools
import re
import threading
from collections.abc import Callable, Mapping
from typing import Any

from wosdk_async.codec.field_types import FIELD_TYPES, NAMES, OBJECT, new_of, type_of
from wosdk_async.codec.values import EnumReader
from wosdk_async.model import registry
from wosdk_async.model.base import Command, Record
from wosdk_async.model.compiled import compile_function
from wosdk_async.model.lazy import raw_slot
from wosdk_async.model.metadata import Wire

_VALUE = re.compile(r"\bv\b")


class Reading(threading.local):
    """State of the response that a thread is reading; stored here because hooks accept no extra arguments."""

    origin: str | None = None
    """Origin of the records in the response that is being read."""


READING = Reading()


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
    made.origin = reading.origin
{lines}
    return made
"""


def compile_reader(
    cls: type[Record],
    hook_of: Callable[[str], Callable[..., Any]],
    as_dict: Callable[[Any], dict[str, Any]],
    sort_out: Callable[[dict[str, Any]], tuple[dict[str, Any], dict[str, Any] | None]],
    *,
    from_user: bool = False,
) -> Callable[..., Record]:
    """Return a function that creates an object of ``cls`` from a dict.

    Args:
        cls: the class.
        hook_of: returns, for a class name, the function that reads its dicts; it takes ``(data, None)``.
        as_dict: converts a mapping to a dict, and refuses any other value.
        sort_out: splits a dict with unknown names into known and unknown fields.
        from_user: whether the dicts come from the program's user instead of the service.
    """
    names: dict[str, Any] = {
        "new": new_of(cls),
        "known": frozenset(meta["name"] for meta in cls.__wire__.values()),
        "as_dict": as_dict,
        "sort_out": sort_out,
        "reading": READING,
        **NAMES,
    }
    lines = []
    for name, meta in cls.__wire__.items():
        get = f"get({meta['name']!r})"
        lines.append(f"    made.{raw_slot(cls, name)} = {read_text(meta, get, names, hook_of, from_user)}")
    source = _READER.format(lines="\n".join(lines))
    return compile_function("read", source, f"reader of {cls.__name__}", names)  # type: ignore[no-any-return]


def read_text(
    meta: Wire,
    get: str,
    names: dict[str, Any],
    hook_of: Callable[[str], Callable[..., Any]],
    from_user: bool = False,
) -> str:
    """Return source that reads the value of the expression ``get``; add the objects it uses to ``names``."""
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
    field_type = type_of(meta)
    text = ((from_user and field_type.take) or field_type.read).format(of=name)
    if text == "v":
        return get
    if get.isidentifier():
        return f"{get} if {get} is None else {in_place(text, get)}"
    return f"None if (v := {get}) is None else {text}"


def in_place(text: str, name: str) -> str:
    """Return the source ``text`` with its variable ``v`` renamed to ``name``."""
    return _VALUE.sub(name, text)


def _list_reader(read: Any) -> Callable[[Any], Any]:
    """Return a function that reads a list of objects or enum values, and keeps other elements unchanged."""

    def read_objects(items: Any) -> Any:
        if not items or items.__class__ is not list:
            return [] if items == [] else items
        return [read(item, None) if item.__class__ is dict else item for item in items]

    def read_members(items: Any) -> Any:
        return [read.odd(item) for item in items] if items.__class__ is list else items

    return read_members if isinstance(read, EnumReader) else read_objects


# --- writing --------------------------------------------------------------------------------


class Unsupported(Exception):
    """Object that the fast writers do not support."""


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
    """Return a function that converts an object of ``cls`` to a dict without None values.

    Args:
        cls: the class.
        unstructure: encodes nested objects, list elements and unknown fields.
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
        text = type_of(meta).write.format(where=f"{cls.__name__}.{name}")
        text = "unstructure_list(v)" if meta.get("many") else text
        lines.append(f"    if (v := record.{name}) is not None: made[{meta['name']!r}] = {text}")
    source = _WRITER.format(lines="\n".join(lines))
    return compile_function("write", source, f"writer of {cls.__name__}", names)  # type: ignore[no-any-return]


_FAST_WRITER = """\
def write(record, origin):
    if record.extra: raise Unsupported
    if record.origin is not None and record.origin != origin: raise Unsupported
    made = {{}}
{lines}
    return made
"""
# Most fields of a record are None, so reading the others twice is cheaper than assigning all to variables.
# Slots are read instead of fields, because reading a field that holds objects is a function call.
_SCALAR = """\
    if {slot} is not None:
        v = {slot}
        if {fits}: made[{wire!r}] = {plain}
        else: raise Unsupported"""
_OBJECT_OR = """\
    if {slot} is not None:
        v = {slot}
        if {fits}: made[{wire!r}] = {plain}{or_reference}
        else:
            v = {name}
            if {fits}: made[{wire!r}] = {plain}
            else: raise Unsupported"""
_OR_REFERENCE = """
        elif v.__class__ is Ref and v.id.__class__ is int: made[{wire!r}] = {{'Id': v.id}}"""
_OBJECT = _OBJECT_OR.replace("{or_reference}", "")
_REFERENCE = _OBJECT_OR.replace("{or_reference}", _OR_REFERENCE)
_LIST = """\
    if {slot} is not None:
        items = {name}
        if items.__class__ is not list: raise Unsupported
        made[{wire!r}] = list_made = []
        for v in items:
            if {fits}: list_made.append({plain})
            else: raise Unsupported"""


def compile_fast_writer(cls: type[Record], writers: Any) -> Callable[..., dict[str, Any]]:
    """Return the fast writer of ``cls``; for a valid object, its result equals the strict writer's.

    The writer raises Unsupported for an invalid object, or an object from a Company other than ``origin``.
    ``writers`` maps the other classes to their fast writers.
    """
    names: dict[str, Any] = {}
    slots = {name: f"record.{raw_slot(cls, name)}" for name in cls.__wire__}
    source = _FAST_WRITER.format(lines=content_source(cls, slots, names, writers))
    return compile_function("write", source, f"fast writer of {cls.__name__}", names)  # type: ignore[no-any-return]


def content_source(
    cls: type[Record], slots: Mapping[str, str], names: dict[str, Any], writers: Any = None
) -> str:
    """Return source that adds the fields in ``slots`` to the dict ``made``.

    Add the objects that the source uses to ``names``. ``slots`` maps each field to the expression for its
    value. With ``writers``, this is a slot of the record; without, a variable whose nested objects are
    already dicts.
    """
    names |= {"Unsupported": Unsupported, **NAMES}
    lines = [
        f"    if {slots.get(name)} is None: raise Unsupported"
        for name, meta in cls.__wire__.items()
        if issubclass(cls, Command) and meta.get("required")  # only commands: an update may omit fields
    ]
    for name, meta in ((name, meta) for name, meta in cls.__wire__.items() if name in slots):
        kind, of = type_of(meta), meta["of"]
        fits, plain = kind.fits.format(of=of), kind.plain.format(of=of)
        if of:
            names[of] = registry.resolve(of)
        if kind is OBJECT and writers is None:
            fits, plain = "v.__class__ is dict", "v"
        elif kind is OBJECT and of:
            names[f"write_{of}"] = _lazy_writer(names, f"write_{of}", writers, names[of])
        elif kind is OBJECT:
            fits = "False"
        if limit := meta.get("max_length"):  # check_text (checks.py) makes the same check
            fits += f" and len(v) <= {limit}"
        one = _SCALAR if kind is not OBJECT else _REFERENCE if meta["type"] == "ref" else _OBJECT
        template = _LIST if meta.get("many") else one
        field = slots[name] if writers is None else f"record.{name}"
        lines.append(template.format(slot=slots[name], name=field, wire=meta["name"], fits=fits, plain=plain))
    return "\n".join(lines)


def _lazy_writer(names: dict[str, Any], name: str, writers: Any, cls: Any) -> Callable[..., Any]:
    """Return a writer of ``cls`` that is compiled on the first call, because classes may form cycles."""

    def write(record: Any, origin: str | None) -> Any:
        names[name] = writers[cls]
        return names[name](record, origin)

    return write
