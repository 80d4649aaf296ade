"""User-supplied rows, from JSON and CSV files or a program, validated before any is stored."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import Refusal, StoreError, did_you_mean
from wosdk_async.sandbox.schema.bodies import Record
from wosdk_async.sandbox.schema.entities import MONEY_PARTS, EntitySchema, enumeration, find_schema, schemas
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
    """Row to add; ``members`` are those of the entity in a create request."""

    place: str  # for error messages, such as ``line 3`` or ``record 1 of Customer``
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


def seeded_type(entity: str) -> EntitySchema:
    """Return an entity type by name. Raises StoreError, with a suggestion, for an unknown name."""
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
        hint = did_you_mean(str(value), names)
        if names and not hint and len(listed := ", ".join(names)) <= _MAX_LISTED:
            hint = f": one of {listed}"
        yield f"{schema.name}.{field.name} takes {takes}, not {value!r:.60}{hint}"


def _refusals(check: Callable[..., None], *arguments: object) -> Iterator[str]:
    try:
        check(*arguments)
    except Refusal as refusal:
        yield refusal.message


# --- rows of files, with line numbers ------------------------------------------------------------

_VALUE = re.compile(r"[\"{]")
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_rows(path: Path, entity: str | None = None) -> list[SeedRow]:
    """Read the rows of a ``.csv`` file, with property paths in the first line, or of a JSON file.

    JSON is ``{entity type: [rows]}``, or ``[rows]`` if ``entity`` is passed. CSV always needs ``entity``.
    Raises OSError, or a StoreError that names the line or record if the file is malformed.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        if path.suffix.lower() != ".csv":
            try:
                return list(_from_json(text, entity))
            except StoreError as error:
                raise StoreError(f"{path}: {error}") from error
        if entity is None:
            raise StoreError("A CSV file needs an entity type: set it with --entity.")
        return list(_from_csv(text, seeded_type(entity)))
    except UnicodeDecodeError as error:
        raise StoreError(f"{path} is not UTF-8: {error}.") from error
    except json.JSONDecodeError as error:
        raise StoreError(f"{path} line {error.lineno}: {error.msg}.") from error
    except Refusal as refusal:
        raise StoreError(refusal.message) from refusal


def _from_json(text: str, entity: str | None) -> Iterator[SeedRow]:
    found = json.loads(text, object_pairs_hook=_without_repeats)
    seed_rows({entity: found} if entity is not None and isinstance(found, list) else found)
    # The text has been validated, so the next brace begins a row, and the next quote an entity type.
    decoder, name = json.JSONDecoder(parse_float=Decimal), entity or ""
    at = 0 if isinstance(found, list) else text.index("{") + 1
    while begin := _VALUE.search(text, at):
        value, at = decoder.raw_decode(text, begin.start())
        if isinstance(value, dict):
            yield SeedRow(f"line {text.count(chr(10), 0, begin.start()) + 1}", name, value)
        elif entity is not None and seeded_type(value) is not seeded_type(entity):
            raise StoreError(f"The file has rows of {value}, not {entity}: omit --entity, or use {value}.")
        else:
            name = value


def _without_repeats(members: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of a JSON object. Raises StoreError if a name is repeated."""
    found = dict(members)
    if len(found) < len(members):
        name = next(name for name, _ in members if [each for each, _ in members].count(name) > 1)
        raise StoreError(f"The file has an object with two members {name!r}; merge them.")
    return found


def _from_csv(text: str, schema: EntitySchema) -> Iterator[SeedRow]:
    import csv

    lines = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        header = [name.strip() for name in next(lines, [])]
        if not any(header):
            raise StoreError("line 1: there are no column names.")
        if len(header) == 1 and (mark := next((each for each in ";\t|" if each in header[0]), None)):
            raise StoreError(f"line 1: the delimiter seems to be {mark!r}; use commas.")
        fields = _fields(schema, header)
        last = lines.line_num
        for cells in lines:
            place, last = f"line {last + 1}", lines.line_num
            if cells and len(cells) != len(header):
                raise StoreError(f"{place}: there are {len(cells)} cells for {len(header)} columns.")
            if any(cells):
                found = zip(header, cells, strict=False)
                members = _members(fields, place, [(p, t) for p, t in found if t.strip()])
                yield SeedRow(place, schema.name, members)
    except csv.Error as error:
        raise StoreError(f"line {lines.line_num}: {error}.") from error


def _members(fields: Mapping[str, Field | None], place: str, cells: list[tuple[str, str]]) -> dict[str, Any]:
    members: dict[str, Any] = {}
    for path, text in cells:
        *outer, last = path.split(".")
        inside: Any = members
        for step in outer:
            inside = inside.setdefault(step, {}) if isinstance(inside, dict) else None
        if not isinstance(inside, dict) or last in inside:
            raise StoreError(f"{place}: column {path} and another column set the same property.")
        inside[last] = _convert_cell(fields.get(path), text)
    return members


def _fields(schema: EntitySchema, header: list[str]) -> dict[str, Field | None]:
    """Return the field of each column. Raises StoreError for columns that are not properties."""
    found = {path: _field(schema, path.split(".")) for path in header if path}
    if problems := [f"line 1: {each}" for each in found.values() if isinstance(each, str)]:
        raise StoreError("\n".join(problems))
    return {path: each for path, each in found.items() if not isinstance(each, str)}


def _field(schema: EntitySchema, steps: list[str]) -> Field | str | None:
    """Return a column path's field or an error message; None if row validation must decide."""
    field = schema.field(steps[0])
    if field is None:
        near = did_you_mean(steps[0], [each.name for each in schema.fields])
        return f"{schema.name} has no property '{steps[0]}'{near}"
    if len(steps) == 1:
        return field
    if field.type == "money":
        return MONEY_PARTS.get(steps[1].lower())
    target = schemas().get(field.of or "")
    return _field(target, steps[1:]) if target else None


def _convert_cell(field: Field | None, text: str) -> Any:
    """Convert a cell; invalid text is returned unchanged, for row validation to report."""
    if field is None:
        return text
    if field.type == "boolean":
        return _BOOLEANS.get(text.strip().lower(), text)
    if field.type == "number":
        with suppress(InvalidOperation):
            return Decimal(text.strip())
    return text
