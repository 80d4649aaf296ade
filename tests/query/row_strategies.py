"""Rows as the service might send them, and what a table must make of each: told by reading the record."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any

from hypothesis import strategies as st

from wosdk_async import codec
from wosdk_async.codec import spellings
from wosdk_async.model import Record
from wosdk_async.query.columns import Column

Json = Any

DOCUMENTED: dict[str, st.SearchStrategy[Any]] = {
    "string": st.text(st.characters(exclude_categories=["Cs"]), max_size=6),
    "enum": st.sampled_from(["New", "Open", "USD", "Later", ""]) | st.integers(0, 5),
    "integer": st.integers(-(2**63), 2**63 - 1),
    "boolean": st.booleans(),
    "number": st.decimals(-(10**6), 10**6, places=4) | st.integers(-9, 9),
    "datetime-local": st.datetimes().map(datetime.isoformat) | st.just("1753-01-01T00:00:00"),
    "datetime-utc": st.datetimes().map(lambda t: t.isoformat() + "Z")
    | st.datetimes().map(datetime.isoformat),
    "list": st.lists(st.fixed_dictionaries({"Id": st.integers(0, 9)}), max_size=2),
}
ODD = st.sampled_from(
    [
        *(
            None,
            "",
            "7",
            "7.25",
            " 7",
            "x",
            "NaN",
            7,
            -7,
            2**63,
            -(2**64),
            True,
            False,
            [],
            {},
            [1],
            {"Id": 7},
        ),
        *map(
            Decimal,
            ("7.0", "0.12345", "1E+3", "1234567890123456.5", "1E-16", "1E+40", "0E+300", "-0.0"),
        ),
        *("2024-05-14", "2024-05-14T10:30:15.1234567Z", "2024-05-14T10:30:15,5", "0000-01-01T00:00:00"),
        *("2024-05-14T10:30:15.5+02:00", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59Z", "20240514"),
    ]
).map(copy.deepcopy)
NAMES = st.sampled_from(
    [
        "SlaState",
        "New.Name",
        "Customer.Name",
        "id",
        "number",
        "NUMBER",
        "Notes",
        "Flags",
        'quo"te',
        "b\\.c",
        "Id ",
    ]
)


@st.composite
def rows(draw: st.DrawFn, columns: tuple[Column, ...], *, odd: bool = True) -> Json:
    """A row with some values of the columns, and some that no column has."""
    row: Json = {}
    for column in columns:
        kind = draw(st.sampled_from(["documented"] * 5 + ["absent"] * 2 + (["odd"] if odd else [])))
        if column.type == "extra" or kind == "absent":
            continue
        value = draw(DOCUMENTED.get(column.type, ODD) if kind == "documented" else ODD)
        _put(row, column.steps, value)
    if odd:
        at = [row, *(each for each in row.values() if isinstance(each, dict))]
        for name in draw(st.lists(NAMES, max_size=3)):
            draw(st.sampled_from(at))[name] = draw(ODD)
        if "Customer" in row and not draw(st.integers(0, 9)):
            row["Customer"] = draw(ODD)
    return row


def _put(row: Json, steps: tuple[str, ...], value: Any) -> None:
    for step in steps[:-1]:
        row = row.setdefault(step, {})
    row[steps[-1]] = value


def expected(row: Json, cls: type[Record], columns: tuple[Column, ...]) -> Json:
    """Return the row of the table: cells by column, and Extra as a dict."""
    cells: Json = dict.fromkeys(column.name for column in columns)
    extra: Json = {}
    types = {column.steps: column for column in columns if column.steps}
    for path, held, sent in _values(codec.structure(row, cls), row, (), types):
        column = types.get(path)
        if column is None or not _fits(held, column):
            if sent is not None or column is None:
                own = path[-1].replace("\\", r"\\").replace(".", r"\.")
                extra[".".join((*path[:-1], own))] = sent
        else:
            cells[column.name] = codec.dumps(sent).decode() if column.is_json else _plain(held)
    return cells | {"Extra": extra or None}


def _values(record: Record, data: Json, steps: tuple[str, ...], types: Json) -> Iterator[tuple[Any, ...]]:
    """Yield path, value of the record and value as sent."""
    for name, value in (record.extra or {}).items():
        yield (*steps, name), None, value
    sent = {spellings(type(record))[1].get(name.lower()): data[name] for name in data}
    sent |= {name: data[name] for name in data.keys() & spellings(type(record))[0]}
    for name, meta in record.__wire__.items():
        path, value = (*steps, meta["name"]), getattr(record, name)
        if meta["name"] not in sent or meta.get("secret"):
            continue
        inside = any(known[: len(path)] == path and known != path for known in types)
        if inside and isinstance(value, Record):
            yield from _values(value, sent[meta["name"]], path, types)
        elif not (inside and value is None):
            yield path, value, sent[meta["name"]]


def _plain(held: Any) -> Any:
    return str(held) if isinstance(held, Enum) else held


def _fits(held: Any, column: Column) -> bool:
    if column.is_json:
        return held is not None
    if column.type == "boolean" or isinstance(held, bool):
        return column.type == "boolean" and isinstance(held, bool)
    if column.type == "enum":
        return isinstance(held, Enum)
    if column.type == "integer":
        return isinstance(held, int) and -(2**63) <= held < 2**63
    if column.type == "number":
        places, digits = (4, 15) if column.owner == "Money" else (15, 23)
        return (
            isinstance(held, Decimal) and abs(held) < Decimal(10) ** digits and _scaled(held, places) == held
        )
    return isinstance(held, datetime if "date" in column.type else str)


def _scaled(number: Decimal, places: int) -> Decimal:
    return Decimal(int(number.scaleb(places))).scaleb(-places)


def as_sent(row: Json) -> Json:
    """Return a row of ``to_pylist`` with Extra as the dict that its text says."""
    return row | {"Extra": json.loads(row["Extra"], parse_float=Decimal) if row["Extra"] else None}
