"""Conversion of records to JSON values and back; implements :func:`wosdk_async.to_dict` and ``from_dict``.

Unlike ``dicts.py``, this module writes any value from a response, even an invalid one. It reads the same
dicts as ``dicts.py``, and also accepts Python names.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from enum import Enum
from typing import Any, Literal

import attrs
import msgspec

from wosdk_async.codec.checks import json_kind_of
from wosdk_async.codec.compiler import compile_reader, read_text
from wosdk_async.codec.dicts import spellings
from wosdk_async.codec.field_types import NAMES, type_of
from wosdk_async.codec.struct_compiler import StructFields
from wosdk_async.codec.values import show_utc
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import registry
from wosdk_async.model.base import Record, Ref
from wosdk_async.model.compiled import compile_function
from wosdk_async.model.lazy import Lazy, raw_slot
from wosdk_async.model.metadata import Wire, is_nested
from wosdk_async.text.safe_text import one_line

Names = Literal["wire", "python"]
"""Field names: the service's (``StatusId``) or Python's (``status_id``)."""

EXTRA = "extra"
"""Key for unknown fields whose own names would be mistaken for known fields."""

Writer = Callable[[Any], Any]


@functools.cache
def wire_name_of(cls: type[Record]) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return two maps to documented names: from Python or documented names, and from lower-case names."""
    exact = {name: meta["name"] for name, meta in cls.__wire__.items()}
    known, meant_by = spellings(cls)  # type: ignore[arg-type]  # as in dicts.py
    return {**exact, **{name: name for name in known}}, meant_by


# --- records to dicts ------------------------------------------------------------------------

_WRITER = """\
def write(record):
    made, structs = {{}}, {{}}
{lines}
    if structs: made |= write_structs(structs)
    if record.extra: add_extra(made, record.extra)
    return made
"""
_VALUE = "    if (v := record.{slot}) is not None: made[{name!r}] = {text}"
# Most lists are empty, so an empty list is written without a function call.
_LIST = """\
    if (v := record.{slot}) is not None:
        if not v and (v.__class__ is tuple or v.__class__ is list): made[{name!r}] = []
        else: made[{name!r}] = writers[v.__class__](v)"""
# All Lazy objects of a record are written together. Until then, each holds the place of its dict, so that the
# fields keep their order.
_OBJECT = """\
    if (v := record.{slot}) is not None:
        if isinstance(v, Lazy): structs[{name!r}] = made[{name!r}] = v
        else: made[{name!r}] = writers[v.__class__](v)"""


@attrs.frozen
class DictWriters:
    """Writers of JSON values, by value class; each is created on first use."""

    names: Names
    secrets: bool
    """Whether secret fields are written."""
    of: dict[type[Any], Writer] = attrs.field(init=False, repr=False)
    _structs: _StructWriters = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "of", ByClass(self._make))
        structs = _StructWriters(self.of, self.names == "python", self.secrets, _taken)  # type: ignore[arg-type]
        object.__setattr__(self, "_structs", structs)

    def write(self, value: Any) -> Any:
        """Return the JSON value of a record, a list of records or a field's value."""
        return self.of[value.__class__](value)

    def _make(self, cls: type[Any]) -> Writer:
        if issubclass(cls, Record):
            return self._of_record(cls)
        if issubclass(cls, Lazy):
            return self._structs.write
        if issubclass(cls, list | tuple):
            return self._write_list
        if issubclass(cls, Mapping):
            return self._write_mapping
        if cls is type(Ref(0)):
            id_name = "Id" if self.names == "wire" else "id"  # spec 2.1
            return lambda ref: {id_name: ref.id}
        return next((write for base, write in _PLAIN.items() if issubclass(cls, base)), _refuse)

    def _write_list(self, items: list[Any] | tuple[Any, ...]) -> list[Any]:
        if items.__class__ is tuple and any(isinstance(item, Lazy) for item in items):
            return self._structs.write_list(items)
        return [self.of[item.__class__](item) for item in items]

    def _write_mapping(self, value: Mapping[Any, Any]) -> dict[str, Any]:
        written = {name: self.of[item.__class__](item) for name, item in value.items()}
        if not {str}.issuperset(map(type, written)):
            raise TypeError("has a key that is not a string, which JSON does not allow")
        return written

    def _of_record(self, cls: type[Record]) -> Writer:
        names: dict[str, Any] = {
            **NAMES,
            "writers": self.of,
            "plain": self.write,
            "Lazy": Lazy,
            "write_structs": self._structs.write_all,
            "add_extra": functools.partial(self._add_extra, _taken(cls)),  # type: ignore[arg-type]  # as in dicts.py
        }
        lines = []
        for name, meta in cls.__wire__.items():
            if meta.get("secret") and not self.secrets:
                continue
            if meta["type"] == "enum":
                names[meta["of"]] = registry.resolve(meta["of"])
            is_object = is_nested(meta) and not meta.get("many")
            template = _LIST if meta.get("many") else _OBJECT if is_object else _VALUE
            shown = meta["name"] if self.names == "wire" else name
            text = type_of(meta).show.format(of=meta["of"])
            lines.append(template.format(slot=raw_slot(cls, name), name=shown, text=text))
        source = _WRITER.format(lines="\n".join(lines))
        return compile_function("write", source, f"dict writer of {cls.__name__}", names)  # type: ignore[no-any-return]

    def _add_extra(self, taken: frozenset[str], made: dict[str, Any], extra: dict[str, Any]) -> None:
        """Add unknown fields under their own names, or in ``extra`` if the name belongs to a field."""
        for name, value in self._write_mapping(extra).items():
            if name.lower() in taken:
                made.setdefault(EXTRA, {})[name] = value
            else:
                made[name] = value


@functools.cache
def _taken(cls: type[Record]) -> frozenset[str]:
    """Return the lower-case names that would be mistaken for fields of ``cls``."""
    exact, meant_by = wire_name_of(cls)  # type: ignore[arg-type]  # mypy: records are unhashable, but their class is not
    return frozenset({EXTRA, *map(str.lower, exact), *meant_by})


def _show_time(value: datetime) -> str:
    # A UTC time ends with Z in every field; any other time keeps its offset, or has none.
    return value.isoformat() if value.utcoffset() else str(show_utc(value, datetime.isoformat))


def _refuse(value: Any) -> Any:
    name = type(value).__name__
    raise TypeError(f"holds an object of type {name}, which is not a JSON value; convert it to a string")


_PLAIN: dict[Any, Writer] = {
    Enum: lambda member: member._value_,
    (str, bool, int, float, Decimal, type(None)): lambda value: value,
    datetime: _show_time,
    date: date.isoformat,
}


# --- Structs to dicts ------------------------------------------------------------------------
# For objects that the program has not accessed. msgspec copies a Struct into a dict in C, with raw values.
# Values that ``to_dict`` writes differently (times, numbers that arrived as strings) are fixed in place.
# Decoding a 5 KB order and making its dict takes 61 us, compared with 81 us via the objects
# (``python -m benchmarks.records``).

ByValueClass = Mapping[type[Any], Callable[[Any], Any]]
Fix = Callable[[dict[str, Any], Any], dict[str, Any]]
"""Function that fixes the copied dict of a Struct and returns it; called with the dict and the Struct."""

_copy = functools.partial(msgspec.to_builtins, builtin_types=(Decimal,))


class ByClass(dict[Any, Any]):
    """Functions by class, each created on first use."""

    # GIL: threads that first use a class at the same time each create a function; setting it is atomic.

    def __init__(self, make: Callable[[Any], Any]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, cls: Any) -> Any:
        self[cls] = self._make(cls)
        return self[cls]


@attrs.frozen
class _StructWriters:
    """Converter of Structs to dicts; the dicts equal those that ``writers`` make from the same records."""

    writers: ByValueClass
    by_python_name: bool
    secrets: bool
    """Whether secret fields are written."""
    taken: Callable[[type[Record]], frozenset[str]]
    """Returns the lower-case names that would be mistaken for fields."""
    _fixes: ByClass = attrs.field(init=False, repr=False)

    def __attrs_post_init__(self) -> None:
        object.__setattr__(self, "_fixes", ByClass(lambda struct: self._fix_of(struct.__fields__)))

    def write(self, struct: Any) -> Any:
        return self.write_all({"": struct})[""]

    def write_all(self, structs: dict[str, Any]) -> dict[str, Any]:
        """Return the dicts of several Structs by name; copying them together is faster than one by one."""
        dicts: dict[str, Any] = _copy(structs)
        for name, struct in structs.items():
            if (fix := self._fixes[struct.__class__]) is not None:
                dicts[name] = fix(dicts[name], struct)
        return dicts

    def write_list(self, structs: tuple[Any, ...]) -> list[Any]:
        """Return the dicts of a list of Structs, which may include None."""
        fixes = [None if struct is None else self._fixes[struct.__class__] for struct in structs]
        copies = zip(_copy(structs), structs, fixes, strict=True)
        return [copy if fix is None else fix(copy, struct) for copy, struct, fix in copies]

    def _fix_of(self, fields: StructFields) -> Fix | None:
        if self._has_conflict(fields):
            return lambda _, struct: self.writers[fields.cls](struct.__made__())
        return _FixCompiler(self.writers, self.by_python_name, self.secrets).of(fields)

    def _has_conflict(self, fields: StructFields) -> bool:
        is_taken = not self.taken(fields.cls).isdisjoint(map(str.lower, fields.unknown))
        return is_taken or any(self._has_conflict(part.__fields__) for part in fields.parts.values())


_FIX = """\
def fix(made, _=None):
    get = made.get
{lines}
    return {result}
"""
_FIX_DROP = "    made.pop({wire!r}, None)"
_FIX_PART = "    if (v := get({wire!r})) is not None: made[{wire!r}] = {fix}(v)"
_FIX_LIST = "    if (v := get({wire!r})) is not None: made[{wire!r}] = {items} if v else []"
_FIX_VALUE = """\
    if (v := get({wire!r})) is not None:
        v = {read}
        made[{wire!r}] = {show}"""
_FIX_QUICK_VALUE = """\
    if (v := get({wire!r})) is not None:
        try: v = {quick}
        except NOT_QUICK: v = {read}
        made[{wire!r}] = {show}"""


class _FixCompiler:
    def __init__(self, writers: ByValueClass, by_python_name: bool, secrets: bool) -> None:
        self._names = {**NAMES, "writers": writers, "plain": lambda value: writers[value.__class__](value)}
        self._by_python_name = by_python_name
        self._secrets = secrets

    def of(self, fields: StructFields) -> Fix | None:
        """Return a function that fixes a Struct's dict; None if the dict needs no fix."""
        names = dict(self._names)
        lines = list(self._lines(fields, names))
        if not lines and not self._by_python_name:
            return None
        result = "made"
        if self._by_python_name:
            names["name_of"] = {meta["name"]: name for name, meta in fields.cls.__wire__.items()}.get
            result = "{name_of(name, name): value for name, value in made.items()}"
        source = _FIX.format(lines="\n".join(lines), result=result)
        return compile_function("fix", source, f"struct dicts of {fields.cls.__name__}", names)  # type: ignore[no-any-return]

    def _lines(self, fields: StructFields, names: dict[str, Any]) -> Iterator[str]:
        for name, meta in fields.cls.__wire__.items():
            if name not in fields.known:
                continue
            wire = meta["name"]
            if meta.get("secret") and not self._secrets:
                yield _FIX_DROP.format(wire=wire)
            elif part := fields.parts.get(name):
                fix = f"fix_{name}"
                names[fix] = self.of(part.__fields__)
                if meta.get("many"):  # the value is a tuple, and becomes a list
                    items = f"[x if x is None else {fix}(x) for x in v]" if names[fix] else "list(v)"
                    yield _FIX_LIST.format(wire=wire, items=items)
                elif names[fix] is not None:
                    yield _FIX_PART.format(wire=wire, fix=fix)
            elif meta.get("many") or meta["type"] != "enum":  # msgspec has copied the value of an enum
                yield from _value_lines(meta, fields, names)


def _value_lines(meta: Wire, fields: StructFields, names: dict[str, Any]) -> Iterator[str]:
    read = read_text(meta, "v", names, fields.hook_of)
    if read == "v":
        return
    field_type, wire, of = type_of(meta), meta["name"], meta["of"]
    if meta["type"] == "enum":
        names[of] = registry.resolve(of)
    show = "plain(v)" if meta.get("many") else field_type.show.format(of=of)
    template = _FIX_QUICK_VALUE if field_type.quick else _FIX_VALUE
    yield template.format(wire=wire, read=read, show=show, quick=field_type.quick)


# --- dicts to records ------------------------------------------------------------------------


class DictReaders(dict[type[Record], Callable[..., Any]]):
    """Readers by class, for dicts with wire or Python names."""

    # GIL: threads that first use a class at the same time each compile a function; setting it is atomic.

    def __missing__(self, cls: type[Record]) -> Callable[..., Any]:
        as_dict, sort_out = functools.partial(_as_dict, cls), functools.partial(_sort_out, cls)
        self[cls] = compile_reader(cls, self._reader_of, as_dict, sort_out, from_user=True)
        return self[cls]

    def _reader_of(self, name: str) -> Callable[..., Any]:
        return lambda data, _=None: self[registry.resolve(name)](data)


def _as_dict(cls: type[Record], data: Any) -> dict[str, Any]:
    if isinstance(data, Mapping):
        return dict(data)
    raise InvalidCallError(f"{cls.__name__} takes a JSON object, not {json_kind_of(data)}.")


def _sort_out(cls: type[Record], data: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any] | None]:
    exact, meant_by = wire_name_of(cls)  # type: ignore[arg-type]  # mypy: records are unhashable, but their class is not
    known: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    for name, value in data.items():
        meant = exact.get(name) or meant_by.get(str(name).lower())
        if meant is not None:
            _put(cls, known, meant, name, value)
        elif name == EXTRA and isinstance(value, dict):
            for inner, unknown in value.items():
                _put(cls, extra, inner, inner, unknown)
        else:
            _put(cls, extra, name, name, value)
    return known, extra or None


def _put(cls: type[Record], into: dict[str, Any], key: str, name: Any, value: Any) -> None:
    if not isinstance(name, str):
        raise InvalidCallError(f"{cls.__name__} has a field called {name!r}; field names must be strings.")
    if key in into:
        shown = one_line(repr(name))
        raise InvalidCallError(
            f"{cls.__name__} has the field {key} twice, once as {shown}; send one of them."
        )
    into[key] = value
