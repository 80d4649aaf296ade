"""User-supplied rows, from JSON files or a program, validated before any is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import Refusal, StoreError, did_you_mean
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import EntitySchema, enumeration, find_schema, schemas
from wosdk_async.sandbox.schema.relations import OWNED_OBJECTS
from wosdk_async.sandbox.schema.values import UNREADABLE, Moment, read_value, reference_id
from wosdk_async.sandbox.seed.initial import is_initial
from wosdk_async.sandbox.service.commands.creation import complete_order
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.service.references import check_references
from wosdk_async.sandbox.service.write import create
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.database import is_table
from wosdk_async.sandbox.storage.store import Store

_MAX_MISTAKES = 20  # mistakes listed in one error message
_MAX_LISTED = 300  # characters of an enum's names; longer lists are omitted from the message


@attrs.frozen
class SeedRow:
    """Row to add; ``members`` are as in the entity of a create request."""

    place: str  # for error messages, such as ``record 1 of Customer``
    entity: str
    members: Mapping[str, Any]


def seed_rows(rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[SeedRow]:
    """Convert ``{entity type: [rows]}`` to a list. Raises StoreError for any other structure."""
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
        for check, checked in (
            (complete_order, [each for each in created if each[1][0].name == "WorkOrder"]),
            (check_references, created),
        ):
            _raise_mistakes(
                f"{place}: {text}" for place, each in checked for text in _refusals(check, context, *each)
            )
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
            initial = is_initial(company, schema.name, key)
            why = "is an initial record" if initial else "already exists"
            remedy = (
                "seed an empty Company (empty=True, or add-company --empty)" if initial else "reset the store"
            )
            raise StoreError(f"{row.place}: {schema.name} {key} {why}. Leave Id out, or {remedy}.")
        context.store.counters.raise_to(context.company.id, schema.name, key)
        create(context, schema, row.members, {"Id": key})
        return created
    except Refusal as refusal:
        raise StoreError(f"{row.place}: {refusal.message}") from refusal


def _mistakes_of(row: SeedRow) -> Iterator[str]:
    try:
        schema = find_schema(row.entity)
    except Refusal:
        yield f"there is no entity type '{row.entity}'{did_you_mean(row.entity, schemas())}"
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
    is_id = field.name == "Id"
    try:
        stored = read_value(field, value)
    except Refusal as refusal:
        yield f"{schema.name}.{field.name}: {refusal.message}"
        return
    if stored is UNREADABLE or (is_id and stored < 0):
        names = enumeration(field.of or "").numbers if field.type == "enum" else ()
        takes = "an object with an Id" if field.type == "ref" else field.of or field.type
        takes = "a positive integer" if is_id else takes
        hint = did_you_mean(str(value), names)
        if names and not hint and len(listed := ", ".join(names)) <= _MAX_LISTED:
            hint = f": one of {listed}"
        yield f"{schema.name}.{field.name} takes {takes}, not {value!r:.60}{hint}"


def _refusals(check: Callable[..., None], *arguments: object) -> Iterator[str]:
    try:
        check(*arguments)
    except Refusal as refusal:
        yield refusal.message


# --- rows of files -------------------------------------------------------------------------------


def read_rows(path: Path) -> list[SeedRow]:
    """Read the rows of a JSON file, ``{entity type: [rows]}``.

    Raises OSError if the file cannot be read, StoreError if it is malformed; the message says where.
    """
    if path.suffix.lower() == ".csv":
        raise StoreError(f"{path}: write the rows as JSON, or import the CSV file with a map.")
    try:
        text = path.read_text(encoding="utf-8-sig")
        return seed_rows(json.loads(text, object_pairs_hook=_without_repeats, parse_float=Decimal))
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is not UTF-8: {error}.") from error
    except json.JSONDecodeError as error:
        raise StoreError(f"{path} line {error.lineno}: {error.msg}.") from error
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from error


def _without_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(members)
    if len(found) < len(members):
        name = next(name for name, _ in members if [each for each, _ in members].count(name) > 1)
        raise StoreError(f"An object in the file has two members named {name!r}; merge them.")
    return found
