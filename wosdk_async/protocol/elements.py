"""References and elements of nested lists as an update sends them (facts 3.6)."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Mapping
from typing import Any

from wosdk_async.errors import InvalidCallError
from wosdk_async.model.metadata import Wire
from wosdk_async.model.registry import resolve

__all__ = ["NOT_WRITTEN", "OWNED", "elements", "identity", "key_of", "pointed", "removal", "table", "whole"]

# Single references that are a part of the record (facts 3.4; Blob and ContactInfo assumed): an update writes
# inside them. Every other reference names a record of its own.
OWNED = frozenset({"Address2", "AssetInfo", "Blob", "ContactInfo", "WoEstimate", "WoNote", "WoQuote"})

# Fields that name or mark a record; the service counts versions itself (facts 3.3, 3.7).
NOT_WRITTEN = frozenset({"Id", "ConcurrencyId", "IsNew", "PerformDeletion"})

Content = Mapping[str, Any]


@functools.cache
def table(of: str | None) -> dict[str, Wire]:
    """Return the metadata of the fields of a class, by wire name; empty for an unknown class."""
    known: Mapping[str, Wire] = resolve(of).__wire__ if of else {}
    return {meta["name"]: meta for meta in known.values()}


def key_of(element: Any) -> Any:
    """Return the Id of an element; None when it is new, with no Id or 0."""
    key = element.get("Id") if isinstance(element, Mapping) else None
    return key if isinstance(key, int | str) and key != 0 else None


def identity(of: str | None, value: Any) -> dict[str, Any] | None:
    """Return the target of a reference: ``{"Id": 5}``, and for an actor its kind as well (facts 3.4)."""
    if key_of(value) is None:
        return None
    names = ("Id", "TypeId") if of == "Actor" else ("Id",)
    return {name: value[name] for name in names if name in value}


def pointed(of: str | None, value: Any, where: str) -> tuple[list[str], dict[str, Any] | None]:
    """Return the steps of ``Properties`` and the value that point a reference to another record, or to none.

    Only the id of the record is sent: ``Child.*`` would write inside it (facts 3.6). Raises
    InvalidCallError when it has no id, or one that is a text.
    """
    target = identity(of, value)
    if isinstance(key_of(value), str):
        raise InvalidCallError(
            f"{where} has the id {reprlib.repr(key_of(value))}, a text; refer to it by {of}.ref(id)"
        )
    if value is not None and target is None:
        raise InvalidCallError(f"{where} has no id; create the {of} first and refer to it by {of}.ref(id)")
    return [f".{name}" for name in target or ("Id",)], target  # null for None: not shown; assumed


def elements(of: str | None, content: list[Any], where: str) -> list[Any]:
    """Return the elements of a list to send; each is an addition, a change of its fields, or a removal."""
    return [_element(of, element, f"{where}[{i}]") for i, element in enumerate(content)]


def removal(element: Content, where: str) -> dict[str, Any]:
    """Return the element to send that removes ``element``. Raises InvalidCallError when it has no id."""
    key = key_of(element)
    if key is None:
        raise InvalidCallError(
            f"{where}: an element without an id cannot be removed; read the list again, or leave it out"
        )
    return {"Id": key, "PerformDeletion": True}


def whole(of: str | None, element: Any, where: str) -> Any:
    """Return an element with all its fields: references as bare ids (facts 3.7), and no version.

    Raises InvalidCallError for parts of parts of an element that exists: only one level is shown (facts 3.6).
    """
    if not isinstance(element, Mapping):
        return element
    key = key_of(element)
    made = {"Id": element["Id"]} if element.get("Id") is not None else {}  # 0: new, as without
    for name, value in element.items():
        meta = table(of).get(name, {})
        if key is not None and value and is_part(meta):
            raise deeper(f"{where}.{name}", of)
        if name not in NOT_WRITTEN:
            made[name] = _value(meta, value, f"{where}.{name}")
    return made


def is_part(meta: Wire) -> bool:
    """Return whether a field holds parts of its record: a list, or an owned object."""
    return bool(meta.get("many")) or meta.get("of") in OWNED


def deeper(where: str, of: str | None) -> InvalidCallError:
    """Return the error for a list within a list: the grammar is only shown for lists of the record itself."""
    return InvalidCallError(
        f"{where}: an update reaches one level deep; update the {of or 'element'} by itself"
    )


def _element(of: str | None, element: Any, where: str) -> Any:
    marked = isinstance(element, Mapping) and element.get("PerformDeletion") is True
    return removal(element, where) if marked else whole(of, element, where)


def _value(meta: Wire, value: Any, where: str) -> Any:
    of = meta.get("of")
    if meta.get("many") and isinstance(value, list):
        return [whole(of, element, f"{where}[{i}]") for i, element in enumerate(value)]
    if meta.get("type") != "ref":
        return value
    if of in OWNED:
        return whole(of, value, where)
    return identity(of, value) or value  # without an id it may be named otherwise (spec 2.9)
