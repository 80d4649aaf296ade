"""Encoding of references and list elements in updates, and the difference between two records (facts 3.6)."""

from __future__ import annotations

import functools
import reprlib
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import attrs

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record
from wosdk_async.model.metadata import OWNED, Wire
from wosdk_async.model.registry import resolve
from wosdk_async.protocol.calls import content_of
from wosdk_async.text.remedies import Remedy

E = TypeVar("E", bound=Record)
Content = Mapping[str, Any]

# Fields that an update does not write: the id, the version (incremented by the service: facts 3.3, 3.7), and
# the marks of new and removed elements.
_NOT_WRITTEN = frozenset({"Id", "ConcurrencyId", "IsNew", "PerformDeletion"})


@functools.cache
def _fields_by_wire_name(of: str | None) -> dict[str, Wire]:
    known: Mapping[str, Wire] = resolve(of).__wire__ if of else {}
    return {meta["name"]: meta for meta in known.values()}


def _key_of(element: Any) -> Any:
    """Return an element's Id; None for a new element, whose Id is missing or 0."""
    key = element.get("Id") if isinstance(element, Mapping) else None
    return key if isinstance(key, int | str) and key != 0 else None


def _reference_target(of: str | None, value: Any) -> dict[str, Any] | None:
    """Return a reference as ``{"Id": 5}``, plus ``TypeId`` for an actor (facts 3.4); None without an id."""
    if _key_of(value) is None:
        return None
    names = ("Id", "TypeId") if of == "Actor" else ("Id",)
    return {name: value[name] for name in names if name in value}


def point_reference(of: str | None, value: Any, where: str) -> tuple[list[str], dict[str, Any] | None]:
    """Return the paths to send, relative to ``where``, and the value that sets or clears the reference.

    Only the id is sent: ``Child.*`` would write the fields of the referenced record (facts 3.6). Raises
    InvalidCallError if ``value`` has no id, or a string id.
    """
    target = _reference_target(of, value)
    if isinstance(_key_of(value), str):
        raise InvalidCallError(
            f"the id of {where} is the string {reprlib.repr(_key_of(value))}",
            remedies=(Remedy.REFERENCE,),
            of=of,
        )
    if value is not None and target is None:
        raise InvalidCallError(
            f"{where} has no id; create the {of} first", remedies=(Remedy.REFERENCE,), of=of
        )
    # not shown; assumed: null clears the reference
    return [f".{name}" for name in target or ("Id",)], target


def elements(of: str | None, content: list[Any], where: str) -> list[Any]:
    """Return the elements to send for a list; each adds, changes or removes an element."""
    return [_element(of, element, f"{where}[{i}]") for i, element in enumerate(content)]


def _removal(element: Content, where: str) -> dict[str, Any]:
    """Return what to send to remove ``element``. Raises InvalidCallError if ``element`` has no id."""
    key = _key_of(element)
    if key is None:
        raise InvalidCallError(
            f"{where}: an element without an id cannot be removed; reread the list, or leave the element out"
        )
    return {"Id": key, "PerformDeletion": True}


def _full_element(of: str | None, element: Any, where: str) -> Any:
    """Return an element's id and the fields that an update writes, with references by id only (facts 3.7).

    Raises InvalidCallError if an existing element has nested parts: the sources show only updates of one
    level (facts 3.6).
    """
    if not isinstance(element, Mapping):
        return element
    key = _key_of(element)
    to_send = {"Id": element["Id"]} if element.get("Id") is not None else {}  # an Id of 0 also means new
    for name, value in element.items():
        meta = _fields_by_wire_name(of).get(name, {})
        if key is not None and value and _is_part(meta):
            raise _too_deep_error(f"{where}.{name}", of)
        if name not in _NOT_WRITTEN:
            to_send[name] = _value(meta, value, f"{where}.{name}")
    return to_send


def _is_part(meta: Wire) -> bool:
    """Return whether a field holds parts of its record: a list, or an owned object."""
    return bool(meta.get("many")) or meta.get("of") in OWNED


def _too_deep_error(where: str, of: str | None) -> InvalidCallError:
    """Return the error for nested lists: the sources show only updates to a record's own lists."""
    return InvalidCallError(
        f"{where}: an update reaches only one level; update the {of or 'element'} directly"
    )


def _element(of: str | None, element: Any, where: str) -> Any:
    marked = isinstance(element, Mapping) and element.get("PerformDeletion") is True
    return _removal(element, where) if marked else _full_element(of, element, where)


def _value(meta: Wire, value: Any, where: str) -> Any:
    of = meta.get("of")
    if meta.get("many") and isinstance(value, list):
        return [_full_element(of, element, f"{where}[{i}]") for i, element in enumerate(value)]
    if meta.get("type") != "ref":
        return value
    if of in OWNED:
        return _full_element(of, value, where)
    # A reference without an id may identify its record by other fields (spec 2.9).
    return _reference_target(of, value) or value


# --- difference between a record and its edited copy ---------------------------------------------

# The JSON forms are compared, so that an enum member equals its text, and ``Ref(5)`` equals a record with the
# id 5. If ``Properties`` cannot express a change, it is refused, because it would be lost silently.


@attrs.define
class Difference:
    """Entries of ``Properties``, and the values to send, by wire name."""

    properties: list[str] = attrs.field(factory=list)
    fields: dict[str, Any] = attrs.field(factory=dict)


def difference(read: E, edited: E, origin: str | None = None) -> Difference:
    """Return the changes that turn ``read`` into ``edited``, ready for an update.

    Raises InvalidCallError for invalid changes, for records from a Company other than ``origin``, and for
    changes that an update cannot make. The error names the field and the remedy.
    """
    names = [name for name in read.__wire__ if getattr(read, name) != getattr(edited, name)]
    old, new = codec.unstructure(_only(read, names)), content_of(_only(edited, names), origin=origin)
    if new.get("PerformDeletion"):
        raise InvalidCallError(
            f"perform_deletion removes only list elements; delete the {read.wire_name}",
            for_callers=f"PerformDeletion removes only list elements; delete the {read.wire_name}",
        )
    return _members(type(read).__name__, old, new, type(read).__name__)


def _only(record: E, names: Iterable[str]) -> E:
    part = type(record)(extra=record.extra)
    for name in names:
        setattr(part, name, getattr(record, name))
    return part


def _members(of: str | None, old: Content, new: Content, where: str) -> Difference:
    result = Difference()
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if before == after or name in _NOT_WRITTEN:
            continue
        meta = _fields_by_wire_name(of).get(name) or _guess(name, before, after)
        inner = _member(meta, before, after, f"{where}.{name}")
        result.properties += [f"{name}{step}" for step in inner.properties]
        if inner.properties:
            result.fields[name] = inner.fields.get("")
    return result


def _guess(name: str, before: Any, after: Any) -> Wire:
    """Return metadata for an unknown field.

    Not shown; assumed: an update changes a list of objects element by element.
    """
    values = [value for value in (before, after) if value is not None]
    lists = all(isinstance(value, list) for value in values)
    objects = lists and any(isinstance(element, Mapping) for value in values for element in value)
    return {"name": name, "type": "any", "many": objects}


def _member(meta: Wire, before: Any, after: Any, where: str) -> Difference:
    """Compare one field; the resulting paths are relative to the field, so its own path is empty."""
    if meta.get("many"):
        to_send = _list(meta.get("of"), before, after, where)
        return Difference([".*"], {"": to_send}) if to_send else Difference()
    if meta["type"] != "ref":
        return Difference([""], {"": after})
    if meta["of"] in OWNED:
        return _owned(meta["of"], before, after, where)
    return _reference(meta["of"], before, after, where)


def _reference(of: str, before: Any, after: Any, where: str) -> Difference:
    """Compare two values of a reference: only the reference can change, not the fields of the record."""
    steps, target = point_reference(of, after, where)
    if target == _reference_target(of, before):
        if after is not None and dict(after) != target:  # the reference has fields besides the id
            raise InvalidCallError(
                f"{where} is a separate record; update that {of}", remedies=(Remedy.REFERENCE,), of=of
            )
        return Difference()
    return Difference(steps, {"": target})


def _owned(of: str, before: Any, after: Any, where: str) -> Difference:
    """Compare an owned object; changes inside it become paths such as ``Address.Street`` (facts 3.6)."""
    if after is None:
        raise InvalidCallError(f"{where}: removal is not supported; set its fields to None instead")
    key = _key_of(after)
    if key is not None and key != _key_of(before):
        raise InvalidCallError(f"{where}: the id cannot change; change the other fields instead")
    inner = _members(of, before if isinstance(before, Mapping) else {}, after, where)
    own = {} if key is None else {"Id": key}
    return Difference([f".{path}" for path in inner.properties], {"": own | inner.fields})


# --- difference of lists -----------------------------------------------------------------------


def _list(of: str | None, before: Any, after: Any, where: str) -> list[Any]:
    """Return the elements to send that turn the first list into the second."""
    if after is None or not (after or before):
        raise InvalidCallError(f"{where}: an update cannot send {after!r}", remedies=(Remedy.KEEP_ELEMENTS,))
    before = before if isinstance(before, list) else []
    old, new = _by_id(before, where), _by_id(after, where)
    to_send = [_removal({"Id": key}, where) for key in old if key not in new]
    for key, element in new.items():
        path = f"{where}[id {key}]"
        if key not in old or element.get("PerformDeletion") is True:
            # not shown; assumed: an element with an id that was not read links an existing record
            to_send += elements(of, [element], path)
        elif fields := _changed_fields(of, old[key], element, path):
            to_send.append({"Id": key} | fields)
    return to_send + _new_elements(of, before, after, where)


def _by_id(content: list[Any], where: str) -> dict[Any, Any]:
    by_id: dict[Any, Any] = {}
    for element in content:
        key = _key_of(element)
        if key in by_id:
            raise InvalidCallError(
                f"{where}: two elements have the id {key}; a new element must not have an id"
            )
        if key is not None:
            by_id[key] = element
    return by_id


def _changed_fields(of: str | None, before: Content, after: Content, where: str) -> dict[str, Any]:
    """Return an element's changed fields; an update cannot change its nested parts."""
    for name, meta in _fields_by_wire_name(of).items():
        if _is_part(meta) and before.get(name) != after.get(name):
            raise _too_deep_error(f"{where}.{name}", of)
    return _members(of, before, after, where).fields


def _new_elements(of: str | None, before: list[Any], after: list[Any], where: str) -> list[Any]:
    """Return the new elements; elements read without an id must be present and unchanged."""
    new = [element for element in after if _key_of(element) is None]
    for element in before:
        if _key_of(element) is None:
            if element not in new:
                raise InvalidCallError(
                    f"{where}: an element read without an id cannot be changed or removed; read its id, too"
                )
            new.remove(element)
    return elements(of, new, where)
