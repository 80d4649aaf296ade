"""Readers: for each class a function that fills the slots of a new object from a dict.

The function is written as text and compiled at the first use of the class: measured on an order of 5 KB it
takes a third of the time of cattrs' own, mostly because it does not look up a hook for every
optional value. It is a plain cattrs hook, and finds the hooks of nested classes through the converter.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import attrs
import cattrs

from wosdk_async.codec.values import EnumReader, read_local, read_number, read_utc
from wosdk_async.model import registry
from wosdk_async.model.base import Record
from wosdk_async.model.lazy import slot_of
from wosdk_async.model.metadata import Wire, is_nested

__all__ = ["VALUES", "Hook", "expression", "is_plain", "later", "make_reader", "spellings"]

Hook = Callable[[Any, Any], Any]

HEAD = """\
def read(data, _):
    if data.__class__ is not dict:
        data = as_dict(data)
    extra = None
    if not data.keys() <= known:
        data, extra = sort_out(data)
    get = data.get
    made = new(cls)
    made.extra = extra
"""

# {get} fetches the value; {of} is the table of the enum or the reader of the class that the field refers to.
EXPRESSIONS = {
    "number": "v if (v := {get}) is None or v.__class__ is Decimal else read_number(v)",
    "datetime-local": "None if (v := {get}) is None else read_local(v)",
    "datetime-utc": "None if (v := {get}) is None else read_utc(v)",
    "enum": "None if (v := {get}) is None else {of}[v] if v.__class__ is str else {of}.odd(v)",
    "class": "None if (v := {get}) is None else {of}(v, None) if v.__class__ is dict else v",
}
VALUES = {"Decimal": Decimal, "read_local": read_local, "read_number": read_number, "read_utc": read_utc}
"""What the expressions refer to by a fixed name."""


def make_reader(cls: type[Record], converter: cattrs.BaseConverter) -> Hook:
    """The structure hook of ``cls``."""
    names: dict[str, Any] = {
        "cls": cls,
        # A class that a user derived may have fields of its own: only its __init__ knows their defaults.
        "new": object.__new__ if is_plain(cls) else type.__call__,
        "known": frozenset(meta["name"] for meta in cls.__wire__.values()),
        "sort_out": functools.partial(_sort_out, cls),
        "as_dict": functools.partial(_as_dict, cls),
        **VALUES,
    }
    lines = [
        f"    made.{slot_of(cls, name)} = {_field(meta, names, converter)}\n"
        for name, meta in cls.__wire__.items()
    ]
    source = f"{HEAD}{''.join(lines)}    return made\n"
    exec(compile(source, f"<reader of {cls.__name__}>", "exec"), names)  # noqa: S102 - text made above
    names["read"].reads = cls  # tells it from a hook that a user registered
    return names["read"]  # type: ignore[no-any-return]


def is_plain(cls: type[Record]) -> bool:
    """Whether the class has no fields but those of the wire."""
    return {field.name for field in attrs.fields(cls)} == {"extra", *cls.__wire__}


def _field(meta: Wire, names: dict[str, Any], converter: cattrs.BaseConverter) -> str:
    return expression(meta, f"get({meta['name']!r})", names, functools.partial(later, converter))


def expression(meta: Wire, get: str, names: dict[str, Any], reader: Callable[..., Hook]) -> str:
    """The text that reads one field, of what the text ``get`` gives; what it refers to is added to ``names``.

    ``reader(load, name, names)`` makes the function that reads objects of a nested class.
    """
    kind = "class" if is_nested(meta) else meta["type"]
    if kind not in EXPRESSIONS:
        return get
    of = f"{kind}_{meta['of']}"
    if meta["of"] and of not in names:
        load = functools.partial(registry.resolve, meta["of"])
        names[of] = EnumReader(load) if kind == "enum" else reader(load, of, names)
    if not meta.get("many"):
        return EXPRESSIONS[kind].format(get=get, of=of)
    names.setdefault(f"{of}_list", _list_reader(of, names))
    return f"v if (v := {get}) is None else {of}_list(v)"


def later(converter: cattrs.BaseConverter, load: Callable[[], Any], name: str, names: dict[str, Any]) -> Hook:
    """A reader that at its first call finds the real one, and puts it in its own place."""

    def first(data: Any, _: Any) -> Any:
        cls = load()
        hook = names[name] = converter.get_structure_hook(cls)
        return hook(data, cls)

    return first


def _list_reader(of: str, names: dict[str, Any]) -> Callable[[Any], Any]:
    """A reader of lists of objects or enum values; elements of another type stay as they are."""

    def read_objects(items: Any) -> Any:
        if not items or items.__class__ is not list:
            return [] if items == [] else items
        read = names[of]
        return [read(item, None) if item.__class__ is dict else item for item in items]

    def read_members(items: Any) -> Any:
        return [names[of].odd(item) for item in items] if items.__class__ is list else items

    return read_members if isinstance(names[of], EnumReader) else read_objects


def _as_dict(cls: type[Record], data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping):
        return dict(data)
    raise TypeError(f"{cls.__name__} is made of a JSON object, not of {type(data).__name__}.")


def _sort_out(cls: type[Record], data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    """The slow path: documented fields, and the rest. The service ignores letter case (facts 3.3)."""
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
    """The documented names, and every name or alias in lower case -> the documented one."""
    known = {meta["name"]: (meta["name"], *meta.get("aliases", ())) for meta in cls.__wire__.values()}
    return frozenset(known), {other.lower(): name for name, others in known.items() for other in others}
