"""Rows from JSON and CSV files, with line numbers."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from wosdk_async.catalogue import Field
from wosdk_async.sandbox.errors import Refusal, StoreError, did_you_mean
from wosdk_async.sandbox.schema.entities import MONEY_PARTS, EntitySchema, schemas
from wosdk_async.sandbox.seed.rows import SeedRow, seed_rows, seeded_type

_VALUE = re.compile(r"[\"{]")
_BOOLEANS = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}


def read_rows(path: Path, entity: str | None = None) -> list[SeedRow]:
    """Read the rows of a ``.csv`` file, with property paths in the first line, or of a JSON file.

    JSON is ``{entity type: [rows]}``, or ``[rows]`` with ``entity``. CSV always needs ``entity``. Raises
    OSError, or a StoreError that names the line or record if the file is malformed.
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
    lines = csv.reader(text.splitlines(keepends=True), strict=True)
    try:
        header = [name.strip() for name in next(lines, [])]
        if len(header) == 1 and (mark := next((each for each in ";\t|" if each in header[0]), None)):
            raise StoreError(f"line 1: the delimiter seems to be {mark!r}; use commas.")
        fields = _fields(schema, header)
        last = lines.line_num
        for cells in lines:
            place, last = f"line {last + 1}", lines.line_num
            if len(cells) > len(header):
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
