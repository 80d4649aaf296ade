"""References, and elements of nested lists, in the form that an update sends (facts 3.6)."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Mapping
from typing import Any

from wosdk_async.errors import InvalidCallError
from wosdk_async.model.metadata import Wire
from wosdk_async.model.registry import resolve
from wosdk_async.text.remedies import Remedy

__all__ = [
    "NOT_WRITTEN",
    "OWNED",
    "elements",
    "fields_by_wire_name",
    "full_element",
    "key_of",
    "point_reference",
    "reference_target",
    "removal",
]

# Entities that are a part of the record that refers to them (facts 3.4; Blob and ContactInfo assumed): an
# update writes inside them. Every other reference names a separate record.
OWNED = frozenset({"Address2", "AssetInfo", "Blob", "ContactInfo", "WoEstimate", "WoNote", "WoQuote"})

# Fields that an update does not write: the id, the version, which the service counts (facts 3.3, 3.7), and
# the marks of a new or a removed element.
NOT_WRITTEN = frozenset({"Id", "ConcurrencyId", "IsNew", "PerformDeletion"})

Content = Mapping[str, Any]


@functools.cache
def fields_by_wire_name(of: str | None) -> dict[str, Wire]:
    """Return the metadata of the fields of a class, by wire name; empty for an unknown class."""
    known: Mapping[str, Wire] = resolve(of).__wire__ if of else {}
    return {meta["name"]: meta for meta in known.values()}


def key_of(element: Any) -> Any:
    """Return the Id of an element; None when it has no Id or 0, which mean a new one."""
    key = element.get("Id") if isinstance(element, Mapping) else None
    return key if isinstance(key, int | str) and key != 0 else None


def reference_target(of: str | None, value: Any) -> dict[str, Any] | None:
    """Return the target of a reference: ``{"Id": 5}``, with ``TypeId`` for an actor (facts 3.4)."""
    if key_of(value) is None:
        return None
    names = ("Id", "TypeId") if of == "Actor" else ("Id",)
    return {name: value[name] for name in names if name in value}


def point_reference(of: str | None, value: Any, where: str) -> tuple[list[str], dict[str, Any] | None]:
    """Return the paths below ``where`` and the value that make a reference point to a record, or to none.

    Only the id of the record is sent: ``Child.*`` would write inside it (facts 3.6). Raises
    InvalidCallError when ``value`` has no id, or a text as its id.
    """
    target = reference_target(of, value)
    if isinstance(key_of(value), str):
        raise InvalidCallError(
            f"{where} has the id {reprlib.repr(key_of(value))}, a text", remedies=(Remedy.REFERENCE,), of=of
        )
    if value is not None and target is None:
        raise InvalidCallError(
            f"{where} has no id; create the {of} first", remedies=(Remedy.REFERENCE,), of=of
        )
    return [f".{name}" for name in target or ("Id",)], target  # a None is sent as null: not shown; assumed


def elements(of: str | None, content: list[Any], where: str) -> list[Any]:
    """Return the elements to send for a list; each one adds, changes or removes an element."""
    return [_element(of, element, f"{where}[{i}]") for i, element in enumerate(content)]


def removal(element: Content, where: str) -> dict[str, Any]:
    """Return what to send to remove ``element``. Raises InvalidCallError when it has no id."""
    key = key_of(element)
    if key is None:
        raise InvalidCallError(
            f"{where}: an element without an id cannot be removed; read the list again, or leave it out"
        )
    return {"Id": key, "PerformDeletion": True}


def full_element(of: str | None, element: Any, where: str) -> Any:
    """Return an element with its fields, references by id only (facts 3.7) and without ``ConcurrencyId``.

    Raises InvalidCallError when an element with an id has parts itself: only one level is shown (facts 3.6).
    """
    if not isinstance(element, Mapping):
        return element
    key = key_of(element)
    made = {"Id": element["Id"]} if element.get("Id") is not None else {}  # 0 means new, like no Id
    for name, value in element.items():
        meta = fields_by_wire_name(of).get(name, {})
        if key is not None and value and is_part(meta):
            raise too_deep(f"{where}.{name}", of)
        if name not in NOT_WRITTEN:
            made[name] = _value(meta, value, f"{where}.{name}")
    return made


def is_part(meta: Wire) -> bool:
    """Return whether a field holds parts of its record: a list, or an owned object."""
    return bool(meta.get("many")) or meta.get("of") in OWNED


def too_deep(where: str, of: str | None) -> InvalidCallError:
    """Return the error for a list within a list: sources show updates of the record's own lists only."""
    return InvalidCallError(
        f"{where}: an update reaches one level deep; update the {of or 'element'} by itself"
    )


def _element(of: str | None, element: Any, where: str) -> Any:
    marked = isinstance(element, Mapping) and element.get("PerformDeletion") is True
    return removal(element, where) if marked else full_element(of, element, where)


def _value(meta: Wire, value: Any, where: str) -> Any:
    of = meta.get("of")
    if meta.get("many") and isinstance(value, list):
        return [full_element(of, element, f"{where}[{i}]") for i, element in enumerate(value)]
    if meta.get("type") != "ref":
        return value
    if of in OWNED:
        return full_element(of, value, where)
    return (
        reference_target(of, value) or value
    )  # a reference without an id may name its record in another way (spec 2.9)
