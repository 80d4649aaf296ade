"""The form of a table of the specification, and what its wire types mean in JSON and in Python."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import attrs

import wosdk_async as wosdk

Json = dict[str, Any]
Row = tuple[str, str, Any]
"""Field, wire type, and a sample value; the sample of an object is the table of its own fields."""


@attrs.frozen
class Table:
    """One table of spec.md: ``cls`` is the name under which the class is imported."""

    section: str
    cls: str
    rows: tuple[Row, ...]

    @property
    def payload(self) -> Json:
        """A JSON object that has every field of the table."""
        return {name: value.payload if isinstance(value, Table) else value for name, _, value in self.rows}

    def paths(self, *before: str) -> Iterator[tuple[str, tuple[str, ...], str]]:
        """Section, path and wire type of every field, those of the objects in it too."""
        for name, kind, value in self.rows:
            yield self.section, (*before, name), kind
            if isinstance(value, Table):
                yield from value.paths(*before, name)


def rows(kind: str, *names: str, sample: Any = None) -> tuple[Row, ...]:
    """Rows for a list of fields of one type, as spec.md writes them: "A, B, C (strings)"."""
    value = SAMPLES[kind] if sample is None else sample
    return tuple((name, kind, value) for name in names)


SAMPLES: Json = {
    "integer": 1033,
    "string": "Ring at the side door, ask for Åsa",
    "boolean": True,
    "money": {"CurrencyTypeId": "USD", "Value": 1250.75},
    "local": "2024-05-14T09:15:07",
    "utc": "2024-05-14T13:15:07Z",
    "list": [],
}

# --- in JSON --------------------------------------------------------------------------------

_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?")  # no offset
_UTC = re.compile(_LOCAL.pattern + "Z")  # a trailing Z


def _is_money(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() == {"CurrencyTypeId", "Value"}
        and isinstance(value["CurrencyTypeId"], str)
        and type(value["Value"]) in (int, float)
    )


IN_JSON: dict[str, Callable[[Any], bool]] = {
    "integer": lambda value: type(value) is int,
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: type(value) is bool,
    "money": _is_money,
    "local": lambda value: isinstance(value, str) and bool(_LOCAL.fullmatch(value)),
    "utc": lambda value: isinstance(value, str) and bool(_UTC.fullmatch(value)),
    "list": lambda value: isinstance(value, list),
    "object": lambda value: isinstance(value, dict),
}

# --- in Python ------------------------------------------------------------------------------


def is_read_right(kind: str, value: Any, sample: Any) -> bool:
    """Whether ``value`` is what a client makes of ``sample``: the right Python type, and equal."""
    if isinstance(sample, Table):
        return type(value) is getattr(wosdk, sample.cls)
    if kind == "money":
        amount = Decimal(str(sample["Value"]))
        return (
            type(value) is wosdk.Money
            and type(value.value) is Decimal
            and (str(value.currency_type_id), value.value) == (sample["CurrencyTypeId"], amount)
        )
    if kind == "local":
        return type(value) is datetime and value.tzinfo is None and value == datetime.fromisoformat(sample)
    if kind == "utc":
        return type(value) is datetime and value.tzinfo is UTC and value == datetime.fromisoformat(sample)
    types = {"integer": int, "string": str, "boolean": bool, "list": list}
    exact = kind != "string"  # an open enum is a text too
    right = type(value) is types[kind] if exact else isinstance(value, types[kind])
    return right and value == sample
