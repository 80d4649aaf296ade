"""Property paths, checked step by step against the model's metadata (facts 3.4), and their values.

Values are always sent as strings in the format of the property's type (facts 4).
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterable
from datetime import datetime
from decimal import Decimal
from inspect import iscoroutine
from typing import Any

import attrs

from wosdk_async.codec.checks import kind_of, named_by
from wosdk_async.codec.field_types import FIELD_TYPES
from wosdk_async.codec.values import write_local, write_utc
from wosdk_async.errors import InvalidCallError, UnknownPropertyError
from wosdk_async.model import Record, Ref, entity_class, registry
from wosdk_async.model.metadata import Wire
from wosdk_async.protocol.arguments import entity_name
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion

_ALIKE = 0.9  # a name at least this similar is suggested before an equal name in a nested object


@attrs.frozen
class ResolvedPath:
    """Property path, resolved step by step from a query's entity."""

    entity: str  # wire name of the entity
    path: str = ""  # wire names of the steps, joined by dots
    meta: Wire | None = attrs.field(default=None, eq=False, repr=False)
    """Metadata of the last step; None for the entity itself and for an unknown step."""
    below: type[Record] | None = attrs.field(default=None, eq=False, repr=False)
    """Class whose properties the next step may name; None for a single value."""
    checked: bool = True
    in_list: bool = False  # whether the path goes through a list, so that any element may match

    @functools.cached_property
    def unbounded(self) -> Wire:
        """Metadata of the last step without its length limit, which a comparison may exceed."""
        return {**(self.meta or {}), "max_length": None}

    @property
    def name_path(self) -> str | None:
        """Path of the text property that names the object at this path, if any."""
        key = named_by(self.below) if self.below is not None else None
        return f"{self.path}.{self.below.__wire__[key]['name']}" if self.below and key else None

    def __str__(self) -> str:
        return f"{self.entity}{self.path and '.'}{self.path}"

    @property
    def kind(self) -> str:
        """Catalogue type; ``entity`` for the start, ``any`` for an unknown step."""
        if self.meta is None:
            return "any" if self.path and not self.checked else "entity"
        return "list" if self.meta.get("many") else self.meta["type"]

    def by_python(self, name: str) -> ResolvedPath:
        """Return the path to the property with this model name."""
        return self._unchecked(name) if not self.checked else self._step(name, _by_python(self.below))

    def by_wire(self, name: str) -> ResolvedPath:
        """Return the path to the property with this wire name."""
        return self._unchecked(name) if not self.checked else self._step(name, fields_of(self.below))

    def _step(self, name: str, table: dict[str, Wire]) -> ResolvedPath:
        meta = table.get(name)
        if meta is None:
            raise self._unknown(name, table)
        below = _below(meta)
        if below is None and meta["type"] == "object":  # the catalogue does not define the object's content
            return self._unchecked(meta["name"], in_list=bool(meta.get("many")))
        is_in_list = self.in_list or bool(meta.get("many"))
        return ResolvedPath(self.entity, self._joined(meta["name"]), meta, below, in_list=is_in_list)

    def _unchecked(self, name: str, *, in_list: bool = False) -> ResolvedPath:
        return ResolvedPath(self.entity, self._joined(name), checked=False, in_list=self.in_list or in_list)

    def _joined(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name

    def _unknown(self, name: str, names: Iterable[str]) -> UnknownPropertyError:
        if self.below is None:
            return UnknownPropertyError(f"{self.entity}.{self.path} is a single value; it has no {name!r}")
        owner = self.below.wire_name
        near = suggestion(name, names, _ALIKE) or self._suggest_path_below(name) or suggestion(name, names)
        remedies = () if near else (Remedy.PROPERTIES,)
        text = f"unknown property {name!r} of {owner}{near}"
        return UnknownPropertyError(text, remedies=remedies, entity=owner)

    def _suggest_path_below(self, name: str) -> str:
        for meta in _by_python(self.below).values():
            inner = fields_of(_below(meta))
            found = next((each for each in inner.values() if each["name"].lower() == name.lower()), None)
            if found is not None:
                shown = ".DisplayAs" if "DisplayAs" in fields_of(_below(found)) else ""
                return f"; did you mean {self._joined(meta['name'])}.{found['name']}{shown}?"
        return ""


def root(entity: type[Record] | str) -> ResolvedPath:
    """Return the root path of ``entity``. If ``entity`` is a name, its paths are not checked."""
    if isinstance(entity, str):
        return ResolvedPath(entity, checked=False)
    return ResolvedPath(entity_name(entity), below=entity)


def find(start: ResolvedPath, path: str) -> ResolvedPath:
    """Follow a path in the service's spelling, as in ``Customer.Name``. Raises UnknownPropertyError."""
    return functools.reduce(ResolvedPath.by_wire, path.split("."), start)


def _below(meta: Wire) -> type[Record] | None:
    if meta["of"] is None or meta["type"] == "enum":
        return None
    found: type[Record] = registry.resolve(meta["of"])
    return found


def _by_python(cls: type[Record] | None) -> dict[str, Wire]:
    return cls.__wire__ if cls is not None else {}


def fields_of(cls: type[Record] | None) -> dict[str, Wire]:
    """Return the metadata of a class's properties by wire name; empty for None."""
    return _by_wire(cls)  # type: ignore[arg-type]  # mypy: records are unhashable, but their class is not


@functools.cache
def _by_wire(cls: Any) -> dict[str, Wire]:
    return {meta["name"]: meta for meta in _by_python(cls).values()}


# --- values ---------------------------------------------------------------------------------


def text(value: Any, path: ResolvedPath) -> str:
    """Return ``value`` as text for the property at ``path``. Raises InvalidCallError with the remedy."""
    meta = path.meta
    if meta is not None and meta["type"] == "string" and isinstance(value, str):
        return str.__str__(value)
    where = f"{path.entity}.{path.path}"
    if value is None:
        raise InvalidCallError(f"{where} is compared with None; use .is_null() or .not_null()")
    if meta is None:
        return _text_of_unknown_type(value, where)
    kind = meta["type"]
    found = FIELD_TYPES[kind].check(value, path.unbounded)
    if found and found[1] == "error":
        in_json = f"{where} {found.in_json}" if found.in_json else ""
        in_utc = _named_in_utc(path) if kind == "datetime-local" and "zone" in found.message else ""
        raise InvalidCallError(f"{where} {found.message}{in_utc}", for_callers=in_json)
    return _WRITERS[kind](value, meta, where)


def _named_in_utc(path: ResolvedPath) -> str:
    """Return a sentence that names the UTC property of the same event; empty if there is none."""
    entity, words = entity_class(path.entity), _event(path.path)
    for name, meta in entity.__wire__.items() if entity is not None else ():
        if meta["type"] == "datetime-utc" and _event(meta["name"]) == words:
            return f" For a time in UTC, compare {name}."
    return ""


def _event(name: str) -> set[str]:
    """Return the words for the event in a time property's name: ``Created`` for ``DtCreated``."""
    return set(re.findall("[A-Z][a-z]*", name)) - {"Dt", "Date", "Utc"}


def _number(value: Any, _: Wire, __: str) -> str:
    """Return a number's exact digits, or those of a float's ``repr``, without an exponent."""
    return format(Decimal(repr(value) if isinstance(value, float) else value), "f")


def _utc(value: Any, where: str) -> str:
    """Return a UTC time without ``Z``, unlike in records: facts 3.5 shows no other form in a condition."""
    return str(write_utc(value, where)).removesuffix("Z")


def _boolean(value: Any, _: Wire, __: str) -> str:
    return "true" if value else "false"


_WRITERS: dict[str, Callable[[Any, Wire, str], str]] = {
    "integer": lambda value, _, __: str(int(value)),
    "number": _number,
    "boolean": _boolean,
    "enum": lambda value, meta, _: str(registry.resolve(meta["of"])(value)),  # never the number (facts 9)
    "datetime-local": lambda value, _, where: str(write_local(value, where)),
    "datetime-utc": lambda value, _, where: _utc(value, where),
}


def _text_of_unknown_type(value: Any, where: str) -> str:
    if isinstance(value, bool):
        return _boolean(value, {}, where)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, int | float | Decimal) and Decimal(value).is_finite():
        return _number(value, {}, where)
    if isinstance(value, datetime):
        return _utc(value, where) if value.tzinfo else str(write_local(value, where))
    if isinstance(value, Record | type(Ref(0))):
        return str(identifier(value, where))
    raise InvalidCallError(
        f"{where} is compared with {value!r}; compare it with text, a number, a boolean, a time, a record"
        " or a Ref"
    )


def identifier(value: Any, where: str, of: str | None = None) -> int:
    """Return ``value`` if it is an id, or its id if it is a Ref or a record (of class ``of``).

    Raises InvalidCallError for anything else.
    """
    fits = of is None or any(base.__name__ == of for base in type(value).__mro__)
    is_record = isinstance(value, Record) and fits
    found = getattr(value, "id", None) if is_record or isinstance(value, type(Ref(0))) else value
    if isinstance(found, int) and not isinstance(found, bool):
        return int(found)
    shown = f"a {type(value).__name__} without an id" if is_record else repr(value)
    if iscoroutine(value):
        shown = kind_of(value)
    raise InvalidCallError(f"{where} is {shown}; it must be Ref(id), a record with its id, or an id")
