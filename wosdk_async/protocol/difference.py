"""Difference between a record that was read and its edited copy, in the grammar of updates (facts 3.6).

The JSON forms are compared, so that an enum member and its text, or ``Ref(5)`` and a record with that id, are
equal. A change that the grammar cannot express is refused: it would be lost in silence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import attrs

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError
from wosdk_async.model import Record
from wosdk_async.model.metadata import Wire
from wosdk_async.protocol.content import content_of
from wosdk_async.protocol.elements import (
    NOT_WRITTEN,
    OWNED,
    elements,
    fields_by_wire_name,
    is_part,
    key_of,
    point_reference,
    reference_target,
    removal,
    too_deep,
)
from wosdk_async.text.remedies import Remedy

__all__ = ["Difference", "difference"]

E = TypeVar("E", bound=Record)
Content = Mapping[str, Any]


@attrs.define
class Difference:
    """Entries of ``Properties``, and the fields to send with them by wire name."""

    properties: list[str] = attrs.field(factory=list)
    fields: dict[str, Any] = attrs.field(factory=dict)


def difference(read: E, edited: E) -> Difference:
    """Return what an update has to write so that ``read`` becomes ``edited``.

    Raises InvalidCallError, which names the field and the remedy, for faults of changed fields and for
    changes that an update cannot make.
    """
    names = [name for name in read.__wire__ if getattr(read, name) != getattr(edited, name)]
    old, new = codec.unstructure(_only(read, names)), content_of(_only(edited, names))
    if new.get("PerformDeletion"):
        raise InvalidCallError(
            f"perform_deletion removes elements of lists; delete the {read.wire_name}",
            for_callers=f"PerformDeletion removes elements of lists; delete the {read.wire_name}",
        )
    return _members(type(read).__name__, old, new, type(read).__name__)


def _only(record: E, names: Iterable[str]) -> E:
    """Return a copy of ``record`` that has the named fields only."""
    part = type(record)(extra=record.extra)
    for name in names:
        setattr(part, name, getattr(record, name))
    return part


def _members(of: str | None, old: Content, new: Content, where: str) -> Difference:
    """Return the difference of two objects of the class ``of``."""
    made = Difference()
    for name in dict.fromkeys((*old, *new)):
        before, after = old.get(name), new.get(name)
        if before == after or name in NOT_WRITTEN:
            continue
        meta = fields_by_wire_name(of).get(name) or _guess(name, before, after)
        inner = _member(meta, before, after, f"{where}.{name}")
        made.properties += [f"{name}{step}" for step in inner.properties]
        if inner.properties:
            made.fields[name] = inner.fields.get("")
    return made


def _guess(name: str, before: Any, after: Any) -> Wire:
    """Guess how to write a field that the catalogue does not know, from its values (not shown; assumed)."""
    values = [value for value in (before, after) if value is not None]
    lists = all(isinstance(value, list) for value in values)
    objects = lists and any(isinstance(element, Mapping) for value in values for element in value)
    return {"name": name, "type": "any", "many": objects}


def _member(meta: Wire, before: Any, after: Any, where: str) -> Difference:
    """Compare one field; return the steps behind its name, and its value under the empty name."""
    if meta.get("many"):
        made = _list(meta.get("of"), before, after, where)
        return Difference([".*"], {"": made}) if made else Difference()
    if meta["type"] != "ref":
        return Difference([""], {"": after})
    if meta["of"] in OWNED:
        return _owned(meta["of"], before, after, where)
    return _reference(meta["of"], before, after, where)


def _reference(of: str, before: Any, after: Any, where: str) -> Difference:
    """Compare a reference to another record: only the reference can change, not the record's own fields."""
    steps, target = point_reference(of, after, where)
    if target == reference_target(of, before):
        if after is not None and dict(after) != target:  # more than a bare reference
            raise InvalidCallError(
                f"{where} is a record of its own; update that {of}", remedies=(Remedy.REFERENCE,), of=of
            )
        return Difference()
    return Difference(steps, {"": target})


def _owned(of: str, before: Any, after: Any, where: str) -> Difference:
    """Compare a part of the record; changes inside it are paths such as ``Address.Street`` (facts 3.6)."""
    if after is None:
        raise InvalidCallError(f"{where}: no way to remove it is shown; set its fields to None instead")
    key = key_of(after)
    if key is not None and key != key_of(before):
        raise InvalidCallError(f"{where}: it keeps its id; change its fields instead")
    inner = _members(of, before if isinstance(before, Mapping) else {}, after, where)
    own = {} if key is None else {"Id": key}
    return Difference([f".{path}" for path in inner.properties], {"": own | inner.fields})


# --- lists ------------------------------------------------------------------------------------


def _list(of: str | None, before: Any, after: Any, where: str) -> list[Any]:
    """Return the elements to send that turn one list into the other."""
    if after is None or not (after or before):
        raise InvalidCallError(f"{where}: an update cannot send {after!r}", remedies=(Remedy.KEEP_ELEMENTS,))
    before = before if isinstance(before, list) else []
    held, kept = _by_id(before, where), _by_id(after, where)
    made = [removal({"Id": key}, where) for key in held if key not in kept]
    for key, element in kept.items():
        spot = f"{where}[id {key}]"
        if key not in held or element.get("PerformDeletion") is True:
            made += elements(of, [element], spot)  # an id that was not read is a link (not shown; assumed)
        elif changed := _changed(of, held[key], element, spot):
            made.append({"Id": key} | changed)
    return made + _added(of, before, after, where)


def _by_id(content: list[Any], where: str) -> dict[Any, Any]:
    """Return the elements that have an id, by id."""
    found: dict[Any, Any] = {}
    for element in content:
        key = key_of(element)
        if key in found:
            raise InvalidCallError(f"{where}: two elements have the id {key}; give a new element none")
        if key is not None:
            found[key] = element
    return found


def _changed(of: str | None, before: Content, after: Content, where: str) -> dict[str, Any]:
    """Return the changed fields of an element; an update cannot reach its parts."""
    for name, meta in fields_by_wire_name(of).items():
        if is_part(meta) and before.get(name) != after.get(name):
            raise too_deep(f"{where}.{name}", of)
    return _members(of, before, after, where).fields


def _added(of: str | None, before: list[Any], after: list[Any], where: str) -> list[Any]:
    """Return the new elements; those that were read without an id must still be there unchanged."""
    new = [element for element in after if key_of(element) is None]
    for element in before:
        if key_of(element) is None:
            if element not in new:
                raise InvalidCallError(
                    f"{where}: an element that was read without an id cannot be changed or removed; "
                    "read it again"
                )
            new.remove(element)
    return elements(of, new, where)
