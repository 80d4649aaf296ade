"""Rows of a user's own, checked against the catalogue before any of them is kept."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import Refusal, StoreError, nearest
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import EntitySchema, enumeration, find_schema, schemas
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS
from wosdk_async.sandbox.schema.values import UNREADABLE, Moment, read_value, reference_id
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.write import create
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store
from wosdk_async.sandbox.storage.tables import is_table

__all__ = ["SeedRow", "given_rows", "load_rows"]

_MOST = 20  # mistakes that one error tells


@attrs.frozen
class SeedRow:
    """One row as it was given.

    Args:
        place: where, as an error names it: ``line 3``, ``Customer 0``.
    """

    place: str
    entity: str
    members: Mapping[str, Any]


def given_rows(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[SeedRow]:
    """The rows of a program, by entity type. Raises StoreError when they are not of that shape."""
    shape = 'Write {"Customer": [{"Name": "Acme"}]}: a list of rows for each entity type.'
    if not isinstance(rows, Mapping):
        raise StoreError(f"The rows are {_short(rows)}. {shape}")
    found = []
    for key, each in rows.items():
        entity = getattr(key, "wire_name", key)  # the client's classes have one
        if not isinstance(entity, str):
            raise StoreError(f"{_short(key)} is no entity type. {shape}")
        if isinstance(each, str | Mapping) or not isinstance(each, Sequence):
            raise StoreError(f"The rows of {entity} are {_short(each)}. {shape}")
        for index, members in enumerate(each):
            if not isinstance(members, Mapping):
                raise StoreError(f"{entity} {index} is {_short(members)}. {shape}")
            found.append(SeedRow(f"{entity} {index}", entity, dict(members)))
    return found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def load_rows(store: Store, company: StoredCompany, rows: Sequence[SeedRow], now: Moment) -> int:
    """Add the rows to a Company, all or none; how many there were.

    A row goes the way of a create: texts and times are worked out, lists become rows, and a missing
    ``Id`` is given. References may name rows further below.

    Args:
        now: the moment of the writing.

    Raises:
        StoreError: rows do not fit; the text names up to 20 mistakes, each with its place.
    """
    _refuse(f"{given.place}: {text}" for given in rows for text in _mistakes_of(given))
    context = RequestContext(store, company, now)
    with store.transaction():
        kept = [(given, _keep(context, given)) for given in rows]
        _refuse(
            f"{given.place}: {text}" for given, row in kept for text in _dangling(context, given.entity, row)
        )
    return len(rows)


def _refuse(mistakes: Iterable[str]) -> None:
    found = list(mistakes)
    if found:
        more = [f"and {len(found) - _MOST} more"] if len(found) > _MOST else []
        raise StoreError("\n".join([*found[:_MOST], *more]))


def _keep(context: RequestContext, given: SeedRow) -> Record:
    shape = find_schema(given.entity)
    key = _own_id(shape, given.members)
    try:
        if key is None:
            return create(context, shape, given.members)
        if context.find(shape.name, key) is not None:
            raise StoreError(
                f"{given.place}: {shape.name} {key} is there already. Leave Id out, or reset the store."
            )
        context.store.raise_counter(context.company.id, shape.name, key)
        return create(context, shape, given.members, {"Id": key})
    except Refusal as refusal:
        raise StoreError(f"{given.place}: {refusal.message}") from refusal


def _own_id(shape: EntitySchema, members: Mapping[str, Any]) -> int | None:
    named = next((value for name, value in members.items() if shape.field(name) is shape.by_name["id"]), None)
    return reference_id({"Id": named})


def _mistakes_of(given: SeedRow) -> Iterator[str]:
    try:
        shape = find_schema(given.entity)
    except Refusal:
        yield f"there is no entity type '{given.entity}'{_near(given.entity, schemas())}"
        return
    if not is_table(shape.name):
        yield f"rows of {shape.name} are worked out from others"
    yield from _mistakes(shape, given.members)


def _mistakes(shape: EntitySchema, members: Mapping[str, Any]) -> Iterator[str]:
    for name, value in members.items():
        field = shape.field(name)
        if field is None:
            names = [known.name for known in shape.fields]
            yield f"{shape.name} has no property '{name}'{_near(name, names)}"
        elif value is not None:
            yield from _wrong(shape, field, value)


def _wrong(shape: EntitySchema, field: Field, value: Any) -> Iterator[str]:
    inner = schemas().get(field.of or "")
    if field.is_list or field.of in OWNED_OBJECTS:
        elements = value if field.is_list else [value]
        if not isinstance(elements, list) or not all(isinstance(element, dict) for element in elements):
            yield f"{shape.name}.{field.name} takes {'a list of objects' if field.is_list else 'an object'}"
        elif inner is not None:
            for element in elements:
                yield from _mistakes(inner, element)
        return
    try:
        unreadable = read_value(field, value) is UNREADABLE
    except Refusal as refusal:
        yield f"{shape.name}.{field.name}: {refusal.message}"
        return
    if unreadable:
        names = enumeration(field.of or "").numbers if field.type == "enum" else ()
        takes = "an object with an Id" if field.type == "ref" else field.of or field.type
        yield f"{shape.name}.{field.name} takes {takes}, not {value!r:.60}{_near(str(value), names)}"


def _dangling(context: RequestContext, entity: str, row: Record) -> Iterator[str]:
    """References to rows that are not there."""
    for field in find_schema(entity).fields:
        target = schemas().get(field.of or "")
        if field.type != "ref" or target is None or not is_table(target.name) or field.name not in row:
            continue
        key = row[field.name]["Id"]
        if context.find(target.name, key) is None:
            yield f"{field.name}: there is no {target.name} {key}"


def _near(name: str, known: Iterable[str]) -> str:
    close = nearest(name, known)
    return f". Did you mean {close}?" if close else ""
