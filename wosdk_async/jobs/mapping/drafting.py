"""Map drafts. A field without a similar column gets the placeholder ``{ADAPT}``, which imports reject."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs

from wosdk_async.codec.text_values import shown_value
from wosdk_async.jobs.errors import ImportMapError
from wosdk_async.jobs.mapping.draft_fields import (
    MARKER_FIELD,
    DraftField,
    draft_fields,
    is_usable,
    name_field,
)
from wosdk_async.jobs.mapping.record_operations import RowOperation
from wosdk_async.jobs.mapping.tables import KINDS
from wosdk_async.jobs.sources.source import Source
from wosdk_async.jobs.sources.table_rules import PLACEHOLDER
from wosdk_async.model import registry
from wosdk_async.model.enums import WOType
from wosdk_async.text.safe_text import one_line

ADAPT = f"{{{PLACEHOLDER}}}"

_WIDTH = 110
_SHOWN_VALUES = 8  # values shown per enum


def draft_map(
    columns: Sequence[str],
    operation: RowOperation,
    file: str,
    keys: KeyColumns | None = None,
    note: str = "",
    header_row: int | None = None,
) -> str:
    """Return a draft map for ``file``, as TOML text.

    ``keys`` is None if the rows have not been read; ``note`` says where further fields are described.
    """
    keys = keys or KeyColumns()
    found = draft_fields(columns, operation, keys.unique, keys.excluded_kinds)
    shown = [each for each in found if each.shown]
    lines = [
        *_comment(f"Draft map for {file}. Replace each {ADAPT} with a {{column}} or a fixed value."),
        *_comment("Check every line: columns were matched by similar names only."),
        *_column_notes(columns, found),
        "",
        f"operation = {_quoted(operation.name)}",
        *([f"header_row = {header_row}  # skip the lines above"] if header_row else []),
        *_marker(operation, shown, keys),
        *_tables(operation, shown, keys),
        *_references(shown),
        "",
        *_more(found, shown, note),
    ]
    return "\n".join(lines).rstrip() + "\n"


def _column_notes(columns: Sequence[str], found: Sequence[DraftField]) -> Iterator[str]:
    used = {each.column for each in found}
    if unused := [column for column in columns if column not in used and is_usable(column)]:
        yield from _comment(f"Unmatched columns: {', '.join(unused)}")
    if bad := [repr(column) for column in columns if column.strip() and not is_usable(column)]:
        yield from _comment(f"Rename these columns, whose names are invalid in maps: {', '.join(bad)}")


def _marker(operation: RowOperation, shown: Sequence[DraftField], keys: KeyColumns) -> list[str]:
    of_orders = operation.table == "command"
    if operation.by is not None or (of_orders and operation.label != "created"):
        return []
    candidates = [each for each in shown if each.meta["type"] == "string" and each.target is None]
    if of_orders:
        candidates = [each for each in candidates if each.name == MARKER_FIELD]
    purpose = "The marker field carries each row's key, so that no row is created twice."
    for each in candidates:
        path = f"work_order.{each.name}" if of_orders else each.name
        if each.column in keys.unique and _may_be_marker(operation, path):
            others = ", ".join(key for key in keys.unique if key != each.column)
            more = f" Other unique columns: {others}." if others else ""
            text = f"{purpose} All cells in {each.column} are unique.{more}"
            return ["", *_comment(text), f"marker = {_quoted(path)}"]
    examples = [f"work_order.{MARKER_FIELD}"] if of_orders else [each.name for each in candidates]
    example = f"marker = {_quoted(examples[0])}" if examples else "marker"
    unique = f" Unique columns: {', '.join(keys.unique)}." if keys.unique else ""
    named = [each.column for each in candidates if of_orders]
    nearly = "".join(
        f" {column} could be the key, but {', '.join(exceptions)}."
        for column, exceptions in keys.exceptions.items()
        if column in keys.nearly or column in named
    )
    text = f"{purpose} Fill the field from a unique column, then remove the # below.{unique}{nearly}"
    return ["", *_comment(text), f"# {example}"]


def _may_be_marker(operation: RowOperation, path: str) -> bool:
    try:
        operation.require_marker(path)
    except ImportMapError:
        return False
    return True


def _tables(operation: RowOperation, shown: Sequence[DraftField], keys: KeyColumns) -> Iterator[str]:
    tables = dict.fromkeys((operation.table, *(each.table for each in shown)))
    for table in tables:
        yield ""
        yield f"[[{_bare(table)}]]" if table.startswith("[") else f"[{table}]"
        for each in shown:
            if each.table == table:
                value = _quoted(f"@{each.reference}" if each.target is not None else _from(each))
                if form := keys.formats.get(each.column or "", {}).get(each.looks):
                    value = f"{{ text = {value}, {form} }}"
                yield f"{each.name} = {value}  # {_explained(each)}"


def _bare(table: str) -> str:
    return table.replace("[", "").replace("]", "")


def _references(shown: Sequence[DraftField]) -> Iterator[str]:
    for each in shown:
        if each.target is not None:
            yield ""
            yield f"[reference.{each.reference}]"
            yield f"entity = {_quoted(each.target.__name__)}"
            yield f"by = {_quoted(name_field(each.target, each.column) or '')}"
            yield f"from = {_quoted(_from(each))}"
            missing = 'if_missing = "fail"  # or "create", with a table of further fields'
            yield f"where = {each.where}" if each.where else missing


def _from(field: DraftField) -> str:
    return ADAPT if field.column is None else f"{{{field.column}}}"


def _explained(field: DraftField) -> str:
    kind, meta = field.meta["type"], field.meta
    if field.target is not None:
        text = f"{field.target.__name__}, looked up by name below"
        fixed = "12" if kind == "integer" else "{ id = 12 }"
        text += f"; for a fixed record write {fixed}, and delete the table below"
    elif kind == "enum":
        values = [each.name for each in registry.resolve(meta["of"] or "")]
        more = ", ..." if len(values) > _SHOWN_VALUES else ""
        text = f"one of {', '.join(values[:_SHOWN_VALUES])}{more}"
        if meta["of"] == WOType.__name__:
            text += "; a Request needs a customer"
    elif kind.startswith("datetime"):
        text = 'a time; if not in ISO 8601: { text = "{...}", date = "%d.%m.%Y" }'
    else:
        text = KINDS.get(kind, "a string")
        if limit := meta.get("max_length"):
            text += f" of at most {limit} characters"
    return f"{'required; ' if field.required else field.note}{text}"


def _more(found: Sequence[DraftField], shown: Sequence[DraftField], note: str) -> Iterator[str]:
    if hidden := [f"{_bare(each.table)}.{each.name}" for each in found if each not in shown]:
        yield from _comment(f"Further fields{note}: {', '.join(hidden)}")


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in textwrap.wrap(one_line(text), _WIDTH, break_long_words=False)]


def _quoted(text: Any) -> str:
    return json.dumps(text, ensure_ascii=False)


_ROWS = 100_000  # maximum rows to read
_EXCEPTIONS = 3  # maximum, in a nearly unique column
_ROWS_PER_EXCEPTION = 4  # minimum, in a nearly unique column
_KEY = re.compile(r"\S{1,40}")
# Coordinates, timestamps and the like are often unique but not keys.
_NO_KEY = re.compile(r"[+-]?[0-9]*[.,][0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}.*|[0-9]{1,2}[./][0-9]{1,2}[./][0-9]+")


@attrs.frozen
class KeyColumns:
    """Columns that can identify rows, in file order."""

    unique: Sequence[str] = ()
    nearly: Sequence[str] = ()
    """Columns whose cells are unique and usable as keys, except for a few cells."""
    exceptions: Mapping[str, Sequence[str]] = attrs.field(factory=dict)
    """For each column, its first unsuitable cells, described as in ``line 3 has an empty cell``."""
    excluded_kinds: Mapping[str, frozenset[str]] = attrs.field(factory=dict)
    """For each column, the kinds (``time`` or ``number``) that most of its first cells do not resemble."""
    formats: Mapping[str, Mapping[str, str]] = attrs.field(factory=dict)
    """For each column, the TOML of a format that fits all its first cells, by kind."""


def key_columns(source: Source) -> KeyColumns:
    """Find the columns that can identify rows; a file with a single row has none."""
    seen: dict[str, dict[int, int]] = {column: {} for column in source.columns if is_usable(column)}
    exceptions: dict[str, list[str]] = {column: [] for column in seen}
    rows = 0
    for row in islice(source, _ROWS):
        if not seen:
            break
        if row.fault is not None:
            continue
        rows += 1
        cells = dict(row.cells.items())  # unlike [], items() never raises RowError
        for column in list(seen):
            cell = cells.get(column, "")
            first = seen[column].setdefault(hash(cell), row.line)
            if (exception := _exception(cell, row.line, first)) is None:
                continue
            if len(exceptions[column]) == _EXCEPTIONS:
                exception = "and others"
                del seen[column]
            exceptions[column].append(exception)
    sample = _first_cells(source)
    excluded_kinds = {column: _excluded_kinds(texts) for column, texts in sample.items()}
    formats = {column: _formats(texts) for column, texts in sample.items()}
    if rows <= 1:
        return KeyColumns(excluded_kinds=excluded_kinds, formats=formats)
    unique = [column for column in seen if not exceptions[column]]
    nearly = [column for column in seen if 0 < len(exceptions[column]) <= rows / _ROWS_PER_EXCEPTION]
    excepted = {name: found for name, found in exceptions.items() if found}
    return KeyColumns(unique, nearly, excepted, excluded_kinds, formats)


def _exception(cell: str, line: int, first: int) -> str | None:
    """Return why a cell cannot be a key; None if it can. ``first`` is the first line with the same cell."""
    if not cell.strip():
        return f"line {line} has an empty cell"
    if first != line:
        return f"line {line} repeats {shown_value(cell)} from line {first}"
    if not _KEY.fullmatch(cell) or _NO_KEY.fullmatch(cell):
        return f"line {line} has {shown_value(cell)}"
    return None


_SAMPLE = 200  # rows to guess types from
_LOOKS = {
    "time": re.compile(
        r"\d{8}|(\d{1,4}[-./ ]+(\d{1,2}|[^\W\d_]{3,10}\.?)[-./, ]+\d{2,4}"
        r"|[^\W\d_]{3,10}\.? \d{1,2},? \d{4})\b.*"
    ),
    "number": re.compile(r"[^\w+-]*[A-Z]{0,3}\s*[+-]?\d[\d.,'\s]*\D{0,8}"),
}
"""Patterns of dates with optional times, and of numbers with optional currencies or units."""
_GERMAN_DATE = re.compile(r"\d{1,2}\.\d{1,2}\.\d{4}")
_GERMAN_NUMBER = re.compile(r"[+-]?(\d+|\d{1,3}(\.\d{3})+)(,\d+)?")


def _first_cells(source: Source) -> dict[str, list[str]]:
    cells: dict[str, list[str]] = {}
    for row in islice(source, _SAMPLE):
        for column, cell in dict(row.cells.items()).items():
            if cell.strip():
                cells.setdefault(column, []).append(cell.strip()[:_WIDTH])
    return cells


def _excluded_kinds(texts: Sequence[str]) -> frozenset[str]:
    return frozenset(
        kind
        for kind, looks in _LOOKS.items()
        if sum(looks.fullmatch(text) is not None for text in texts) * 2 < len(texts)
    )


def _formats(texts: Sequence[str]) -> dict[str, str]:
    """Return the German formats, by kind, that fit all cells of a column."""
    if all(map(_GERMAN_DATE.fullmatch, texts)):
        return {"time": 'date = "%d.%m.%Y"'}
    # if three digits follow each comma, the commas may mark thousands
    decimals = any(len(text.partition(",")[2]) not in (0, 3) for text in texts)
    if not decimals or not all(map(_GERMAN_NUMBER.fullmatch, texts)):
        return {}
    return {"number": 'decimal = ","' + (', thousands = "."' if any("." in text for text in texts) else "")}
