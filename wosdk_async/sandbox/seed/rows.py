"""User-supplied rows, validated against the catalogue before any is stored."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import Refusal, StoreError, did_you_mean
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import EntitySchema, enumeration, find_schema, schemas
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS
from wosdk_async.sandbox.schema.values import UNREADABLE, Moment, read_value, reference_id
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.references import check_references
from wosdk_async.sandbox.service.write import create
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.database import is_table
from wosdk_async.sandbox.storage.store import Store

_MAX_MISTAKES = 20  # mistakes listed in one error message


@attrs.frozen
class SeedRow:
    """Row to add; ``members`` are those of the entity in a create request."""

    place: str  # for error messages, such as ``line 3`` or ``record 1 of Customer``
    entity: str
    members: Mapping[str, Any]


def seed_rows(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[SeedRow]:
    """Convert ``{entity type: [rows]}``. Raises StoreError for any other structure."""
    example = 'Write {"Customer": [{"Name": "Acme"}]}: a list of rows for each entity type.'
    if not isinstance(rows, Mapping):
        raise StoreError(f"The rows are {_short(rows)}, not an object. {example}")
    found = []
    for key, listed in rows.items():
        entity = getattr(key, "wire_name", key)  # a key may be a record class of the client
        if not isinstance(entity, str):
            raise StoreError(f"{_short(key)} is not an entity type. {example}")
        if isinstance(listed, str | Mapping) or not isinstance(listed, Sequence):
            raise StoreError(f"The rows of {entity} are {_short(listed)}, not a list. {example}")
        for number, members in enumerate(listed, 1):
            place = f"record {number} of {entity}"
            if not isinstance(members, Mapping):
                raise StoreError(f"{place} is {_short(members)}, not an object. {example}")
            shown = f"{place} (Id {_short(members['Id'])})" if "Id" in members else place
            found.append(SeedRow(shown, entity, dict(members)))
    return found


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:60]}..."


def load_rows(store: Store, company: StoredCompany, rows: Sequence[SeedRow], now: Moment) -> int:
    """Create records from rows, all or none; return the number of records, including nested ones.

    References may point to later rows. Raises StoreError, which lists up to 20 mistakes.
    """
    _raise_mistakes(f"{row.place}: {text}" for row in rows for text in _mistakes_of(row))
    with store.transaction():
        created = [(row.place, each) for row in rows for each in _insert(store, company, now, row)]
        context = RequestContext(store, company, now)
        _raise_mistakes(text for place, each in created for text in _dangling(context, place, *each))
    return len(created)


def _raise_mistakes(mistakes: Iterable[str]) -> None:
    found = list(mistakes)
    if found:
        more = [f"and {len(found) - _MAX_MISTAKES} more"] if len(found) > _MAX_MISTAKES else []
        raise StoreError("\n".join([*found[:_MAX_MISTAKES], *more]))


def _insert(
    store: Store, company: StoredCompany, now: Moment, row: SeedRow
) -> list[tuple[EntitySchema, Record]]:
    created: list[tuple[EntitySchema, Record]] = []
    context = RequestContext(store, company, now, unchecked=created)
    schema = find_schema(row.entity)
    ids = [value for name, value in row.members.items() if schema.field(name) is schema.by_name["id"]]
    key = reference_id({"Id": ids[0]}) if ids else None
    try:
        if key is None:
            create(context, schema, row.members)
            return created
        if context.find(schema.name, key) is not None:
            raise StoreError(
                f"{row.place}: {schema.name} {key} already exists. Leave Id out, or reset the store."
            )
        context.store.counters.raise_to(context.company.id, schema.name, key)
        create(context, schema, row.members, {"Id": key})
        return created
    except Refusal as refusal:
        raise StoreError(f"{row.place}: {refusal.message}") from refusal


def seeded_type(entity: str) -> EntitySchema:
    """Return an entity type by name. Raises StoreError with a suggestion."""
    try:
        return find_schema(entity)
    except Refusal:
        raise StoreError(f"there is no entity type '{entity}'{did_you_mean(entity, schemas())}") from None


def _mistakes_of(row: SeedRow) -> Iterator[str]:
    try:
        schema = seeded_type(row.entity)
    except StoreError as error:
        yield str(error)
        return
    if not is_table(schema.name):
        yield f"rows of {schema.name} are computed from other rows and cannot be added"
    yield from _mistakes(schema, row.members)


def _mistakes(schema: EntitySchema, members: Mapping[str, Any]) -> Iterator[str]:
    for name, value in members.items():
        field = schema.field(name)
        if field is None:
            names = [known.name for known in schema.fields]
            yield f"{schema.name} has no property '{name}'{did_you_mean(name, names)}"
        elif value is not None:
            yield from _value_mistakes(schema, field, value)


def _value_mistakes(schema: EntitySchema, field: Field, value: Any) -> Iterator[str]:
    inner = schemas().get(field.of or "")
    if field.is_list or field.of in OWNED_OBJECTS:
        elements = value if field.is_list else [value]
        if not isinstance(elements, list) or not all(isinstance(element, dict) for element in elements):
            yield f"{schema.name}.{field.name} takes {'a list of objects' if field.is_list else 'an object'}"
        elif inner is not None:
            for element in elements:
                yield from _mistakes(inner, element)
        return
    try:
        unreadable = read_value(field, value) is UNREADABLE
    except Refusal as refusal:
        yield f"{schema.name}.{field.name}: {refusal.message}"
        return
    if unreadable:
        names = enumeration(field.of or "").numbers if field.type == "enum" else ()
        takes = "an object with an Id" if field.type == "ref" else field.of or field.type
        yield f"{schema.name}.{field.name} takes {takes}, not {value!r:.60}{did_you_mean(str(value), names)}"


def _dangling(context: RequestContext, place: str, schema: EntitySchema, record: Record) -> Iterator[str]:
    try:
        check_references(context, schema, record)
    except Refusal as refusal:
        yield f"{place}: {refusal.message}"
