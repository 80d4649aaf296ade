"""Updates of model records, by named fields or by an edited copy, and the version check.

:func:`change` and :func:`change_to` return the call and the updated record.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping
from typing import Any, TypeVar

from wosdk_async.codec.checks import kind_of
from wosdk_async.codec.records import from_dict
from wosdk_async.errors import ConflictError, InvalidCallError, UnknownFieldError
from wosdk_async.model import EntitySpecifier, Record, registry
from wosdk_async.model.metadata import OWNED, Wire
from wosdk_async.protocol.arguments import require_id
from wosdk_async.protocol.calls import content_of
from wosdk_async.protocol.elements import difference, elements, point_reference
from wosdk_async.protocol.records import retrieve, update
from wosdk_async.protocol.wire import Call
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.suggestions import suggestion

E = TypeVar("E", bound=Record)
UpdateCall = Call[EntitySpecifier]


def change(record: E, changes: Mapping[str, Any], origin: str | None = None) -> tuple[UpdateCall, E]:
    """Return the call that writes named fields of ``record``, and the updated record.

    None is sent as null. A reference is sent as an id; the fields of the referenced record are not written.
    If an amount of money lacks a part, such as the currency, the part is taken from ``record``. Raises
    InvalidCallError for an unknown field, a new id or version, a record or reference without an id, a record
    from a Company other than ``origin``, or an empty list. The service accepts and ignores an empty list
    (spec 4.9 rule 3).
    """
    if not changes:
        raise InvalidCallError(
            "update() has nothing to write; pass fields, as in update(order, po_number='PO-77'), or the"
            " edited copy and the record that was read, as in update(edited, read)",
            for_callers="the update has nothing to write; send at least one field",
        )
    entity = type(record)
    id = _id_of(record)
    for name in changes:
        _require_writable(entity, id, name, changes)
    changes = {name: _whole(record, name, value) for name, value in changes.items()}
    content = content_of(_with_fields(entity(), changes), origin=origin)
    properties: list[str] = []
    fields: dict[str, Any] = {}
    for name in changes:
        meta = entity.__wire__[name]
        steps, fields[meta["name"]] = _paths_and_value(name, meta, content.get(meta["name"]))
        properties += [meta["name"] + step for step in steps]
    after = _with_fields(copy.copy(record), {name: _after(record, name, changes[name]) for name in changes})
    return update(entity, id, properties, fields), _converted(after, fields)


def change_to(edited: E, read: E, origin: str | None = None) -> tuple[UpdateCall | None, E]:
    """Return the call that writes the differences between ``read`` and its ``edited`` copy.

    Also return the updated record. The call is None if nothing differs.
    """
    if type(edited) is not type(read):
        raise InvalidCallError(
            f"{kind_of(edited)} is not an edited {type(read).__name__}; "
            "pass a changed copy and the record that was read"
        )
    id = _id_of(read)
    if _id_of(edited) != id:
        raise InvalidCallError(
            f"these records differ: ids {_id_of(edited)} and {id}; pass a changed copy and its original"
        )
    after = copy.deepcopy(edited)
    _complete_amounts(after, read, type(read).__name__)
    found = difference(read, after, origin)
    _remove_deleted_elements(after)
    _converted(after, found.fields)
    if _is_versioned(read):
        _with_fields(after, {"concurrency_id": _version_of(read)})
    return (update(type(read), id, found.properties, found.fields) if found.properties else None), after


def require_updatable(record: Record, read: Record | None, changes: Mapping[str, Any]) -> None:
    """Raise InvalidCallError if an update changes a field that only commands change."""
    original = record if read is None else read
    for name in _fixed_fields(type(original)):  # type: ignore[arg-type]  # as in dicts.py
        # An edited copy may be of another class, which change_to() refuses.
        if name in changes if read is None else getattr(record, name, None) != getattr(read, name):
            wire_name = original.__wire__[name]["name"]
            why = "is changed only by commands; an update would be refused or ignored"
            raise InvalidCallError(
                f"{name} {why}", remedies=(Remedy.UNCHECKED,), for_callers=f"{wire_name} {why}"
            )


@functools.cache
def _fixed_fields(entity: type[Record]) -> tuple[str, ...]:
    # catalogue: WorkOrder.Employee is "not updatable through the base interface", and Flags is read-only
    return tuple(name for name, meta in entity.__wire__.items() if not meta.get("updatable", True))


def versioned(record: E, response: EntitySpecifier) -> E:
    """Set the version of ``record`` to the response's, or to None if the response has none (spec 4.9)."""
    if not _is_versioned(record):
        return record
    return _with_fields(record, {"concurrency_id": response.concurrency_id})


def version(record: E) -> Call[E]:
    """Return the call that reads the current version of ``record``.

    Raises InvalidCallError if there is no version to compare.
    """
    name = type(record).__name__
    if not _is_versioned(record):
        raise InvalidCallError(
            f"the service does not version {name} records",
            remedies=(Remedy.LEAVE_OUT,),
            option="if_unchanged",
        )
    if _version_of(record) is None:
        raise InvalidCallError(
            f"the version of the {name} is unknown: the record was read without ConcurrencyId, or an update's"
            ' response had none; reread the record with properties=["*"] first'
        )
    return retrieve(type(record), _id_of(record), ["ConcurrencyId"])


def require_unchanged(held: Record, found: Record, company: str) -> None:
    """Raise ConflictError, as the service would (facts 3.7), if two reads have different versions."""
    ours, theirs = _version_of(held), _version_of(found)
    if ours != theirs:
        raise ConflictError(
            f"version {ours} was read, but the current version is {theirs}: the {type(held).__name__} was "
            "changed in between; read it again and repeat the change. Nothing was written",
            code="ERROR_CODE_6",
            company=company,
            operation=f"update {held.wire_name}",
        )


def _require_writable(entity: type[Record], id: int, name: str, changes: Mapping[str, Any]) -> None:
    """Raise InvalidCallError unless ``name`` is a writable field of ``entity``."""
    meta = entity.__wire__.get(name)
    if meta is None:
        if name in ("timeout", "deadline"):  # Python accepts these, because any keyword may name a field
            near = "; with_options(deadline=...) sets a call's deadline"
        else:
            near = suggestion(name, (*entity.__wire__, "check", "if_unchanged"))
        raise UnknownFieldError(f"{entity.__name__} has no field {name!r}{near}")
    given = changes[name]
    # spec 4.9: Id names the record; facts 3.7: the service increments any ConcurrencyId
    if meta["name"] in ("Id", "ConcurrencyId") or (meta["name"] == "PerformDeletion" and given):
        why, remedy = _NOT_WRITTEN[meta["name"]]
        raise InvalidCallError(
            f"update() never writes {name}, {why}",
            for_callers=f"update never writes {meta['name']}, {why}",
            remedies=(remedy,),
            entity=entity.__name__,
            id=id,
            other=given if isinstance(given, int) else "id",
        )


_NOT_WRITTEN = {
    "Id": ("the key of the given record", Remedy.UPDATE_OTHER),
    "PerformDeletion": ("which removes elements of lists", Remedy.DELETE),
    "ConcurrencyId": ("which the service increments", Remedy.IF_UNCHANGED),
}
"""Fields that no update writes, with the reason and the remedy."""


def _whole(record: Record, name: str, value: Any) -> Any:
    """Return a field's value, with missing parts of an amount taken from ``record``."""
    meta = record.__wire__[name]
    return _whole_amount(meta, value, getattr(record, name), f"{type(record).__name__}.{meta['name']}")


def _id_of(record: Record) -> int:
    id = getattr(record, "id", None)
    if id is not None and not isinstance(id, Mapping):
        require_id(type(record), id)
    if not isinstance(id, int):
        raise InvalidCallError(
            f"the {type(record).__name__} has no id; read it first, or give it one (a record with a compound "
            "key cannot be updated directly: update the record that contains it)"
        )
    return id


def _is_versioned(record: Record) -> bool:
    return "concurrency_id" in record.__wire__


def _version_of(record: Record) -> int | None:
    version: int | None = getattr(record, "concurrency_id", None)
    return version


def _paths_and_value(name: str, meta: Wire, value: Any) -> tuple[list[str], Any]:
    """Return the paths below a field's name in ``Properties``, and the value to send (facts 3.6)."""
    if meta.get("many"):
        if not value:
            raise InvalidCallError(
                f"{name}: the service ignores an empty list", remedies=(Remedy.REMOVE_ELEMENTS,)
            )
        return [".*"], elements(meta["of"], value, name)
    if meta["type"] != "ref":
        return [""], value
    if meta["of"] not in OWNED:
        return point_reference(meta["of"], value, name)
    inside = isinstance(value, Mapping) and not set(value) <= {"Id"}
    return [".*" if inside else ".Id"], value  # not shown; assumed from facts 3.4


# --- the record afterwards ----------------------------------------------------------------------


def _converted(record: E, written: Mapping[str, Any]) -> E:
    """Convert ``written`` fields of ``record`` to their catalogue types, such as ``"45"`` to 45."""
    converted = from_dict(type(record), written)
    for name, meta in record.__wire__.items():
        if meta["name"] in written and not meta.get("many") and not isinstance(getattr(record, name), Record):
            setattr(record, name, getattr(converted, name))
    return record


def _after(record: Record, name: str, value: Any) -> Any:
    """Return a field's value after the write: a list keeps elements that the write did not name."""
    if not record.__wire__[name].get("many"):
        return value
    held = getattr(record, name)
    if held is None:
        return None  # the list was not read, and remains unknown
    of: Any = type(record).__wire__[name]["of"] and registry.resolve(type(record).__wire__[name]["of"])
    value = [from_dict(of, each) if isinstance(each, Mapping) else each for each in value]
    named = {id: element for element in value if (id := getattr(element, "id", None))}
    kept = [_merged(element, named.pop(getattr(element, "id", None), None)) for element in held]
    new = [element for element in value if not (id := getattr(element, "id", None)) or id in named]
    return [element for element in (*kept, *new) if not getattr(element, "perform_deletion", None)]


def _merged(element: Any, change: Any) -> Any:
    if change is None or not isinstance(element, Record):
        return element if change is None else change
    given = {name: value for name in change.__wire__ if (value := getattr(change, name)) is not None}
    return _with_fields(copy.copy(element), given)


def _remove_deleted_elements(record: Record) -> None:
    for name, meta in record.__wire__.items():
        held = getattr(record, name)
        if meta.get("many") and isinstance(held, list):
            setattr(record, name, [e for e in held if not getattr(e, "perform_deletion", None)])


# --- amounts of money are written whole: a missing part comes from the record that was read -----------------


def _whole_amount(meta: Wire, value: Any, held: Any, where: str) -> Any:
    """Return a field's value; in an amount of money, take a missing currency or value from ``held``.

    Amounts are always complete (facts 3.4), and ``Properties`` names only whole amounts. Not shown; assumed:
    an update without the currency would clear it. Raises InvalidCallError if a part is missing in both
    ``value`` and ``held``.
    """
    if meta["type"] != "money" or not isinstance(value, Record) or value == held:
        return value
    whole: Any = copy.copy(value)
    for name, part in value.__wire__.items():
        if getattr(whole, name) is None:
            setattr(whole, name, getattr(held, name, None))
        if getattr(whole, name) is None:
            why = f"{where} has no {part['name']}, but amounts are written as a whole; give both currency and"
            raise InvalidCallError(
                f'{why} value, as in Money(currency_type_id="USD", value=6), or update the record that was'
                " read",
                for_callers=f'{why} value, as in {{"CurrencyTypeId": "USD", "Value": 6}}',
            )
    return whole


def _complete_amounts(edited: Record, read: Record, where: str) -> None:
    """Complete the changed amounts in ``edited``, its parts and its elements, in place."""
    for name, meta in edited.__wire__.items():
        value, held = getattr(edited, name), getattr(read, name)
        path = f"{where}.{meta['name']}"
        if value is None or value == held:
            continue
        if meta.get("many"):
            _complete_elements(value, held, path)
        elif meta.get("of") in OWNED and isinstance(value, Record) and isinstance(held, Record):
            _complete_amounts(value, held, path)
        else:
            setattr(edited, name, _whole_amount(meta, value, held, path))


def _complete_elements(value: Any, held: Any, where: str) -> None:
    """Complete the amounts in list elements that were read; new elements stay as the caller made them."""
    by_id: Mapping[Any, Any] = {getattr(element, "id", None): element for element in held or ()}
    for element in value:
        id = getattr(element, "id", None)
        if id and isinstance(by_id.get(id), type(element)):
            _complete_amounts(element, by_id[id], f"{where}[id {id}]")


def _with_fields(record: E, changes: Mapping[str, Any]) -> E:
    """Set fields of ``record`` and return it. Raises UnknownFieldError for an unknown name."""
    for name, value in changes.items():
        if name not in record.__wire__:
            near = suggestion(name, record.__wire__)
            raise UnknownFieldError(f"{type(record).__name__} has no field {name!r}{near}")
        setattr(record, name, value)
    return record
