"""Company values in a result: plain JSON of bounded size, escaped and without secrets."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from itertools import islice, takewhile
from math import isfinite
from typing import Any

import attrs

from wosdk_async.codec.masking import mask_fields
from wosdk_async.text.safe_text import Secrets, one_line, shortened

MAX_BYTES = 48_000
"""Maximum size of a result's records, in bytes of JSON."""

_READ = 20_000  # characters to read per string
_MAX_READ = 500_000  # characters and values to read for a result: masking takes about a second per million
_DEPTH = 8
_NAME = 100  # characters per field name
_WHOLE_FLOATS = 2**53
_MAX_BITS = 10_000  # per number, because Python refuses to print more than 4,300 digits
_MARKS = ("PerformDeletion", "IsNew")  # these control a write and are not data of the record
_EMPTY: tuple[Any, ...] = (None, "", [], {})
_CUT = "the record is too long; name the properties to read"


@attrs.frozen
class _Bounds:
    text: int
    items: int
    fields: int = 1_000_000


_STEPS = (_Bounds(4000, 50), _Bounds(500, 20), _Bounds(120, 5))
_LAST = _Bounds(120, 5, 20)  # for each field of a record that is still too long


def safe_text(text: str, longest: int = 500) -> str:
    """Return Company text on one line, truncated and without secrets."""
    return _text(str(mask_fields(text[:_READ])), longest)


def bytes_of(value: Any) -> int:
    """Return the size of a value as JSON."""
    return len(json.dumps(value, ensure_ascii=False).encode())


def fit_records(records: Sequence[Any], secrets: Secrets) -> tuple[list[dict[str, Any]], bool]:
    """Return the first records that fit into a result, and whether anything was cut."""
    found: list[dict[str, Any]] = []
    left, cut = MAX_BYTES, False
    reader = _Reader()
    for record in records:
        shown, size, was_cut = fit_record(record, secrets, reader)
        if found and (size > left or reader.left <= 0):
            return found, True
        found.append(shown)
        left -= size
        cut = cut or was_cut
    return found, cut


def fit_record(
    record: Any, secrets: Secrets, reader: _Reader | None = None
) -> tuple[dict[str, Any], int, bool]:
    """Cut a record to fit into a result; return it, its size as JSON, and whether anything was cut.

    ``secrets`` are hidden before truncation, because part of a truncated secret would not be recognized.
    """
    reader = reader or _Reader()
    masked = mask_fields(reader.read(record, 0), secrets)
    for bounds in _STEPS:
        shown, was_cut = _bounded(masked, bounds)
        size = bytes_of(shown)
        if size <= MAX_BYTES:
            return shown, size, was_cut or reader.cut
    shown = _first_fields(masked)
    return shown, bytes_of(shown), True


def _first_fields(masked: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a record that fit, with a note about omitted fields."""
    shown: dict[str, Any] = {"cut": _CUT}
    left = MAX_BYTES - bytes_of(shown)
    for name, value in masked.items():
        field, _ = _bounded({name: value}, _LAST)
        size = bytes_of(field)
        if size <= left and "cut" not in field:
            shown |= field
            left -= size
    return shown


@attrs.define
class _Reader:
    """Converter of records to plain JSON values, limited in depth and total size.

    In each converted list, the last item is the length of the original list.
    """

    left: int = _MAX_READ
    cut: bool = False

    def read(self, value: Any, depth: int) -> Any:
        """Convert a value to JSON; numbers keep their digits."""
        self.left -= 1
        if depth > _DEPTH and isinstance(value, Mapping | list | tuple):
            self.cut = True
            return "..."
        if isinstance(value, Mapping):
            kept: dict[str, Any] = {}
            for name, item in value.items():
                if self.left <= 0:
                    self.cut = True
                    break
                if name not in _MARKS and item not in _EMPTY:
                    kept[self._text(str(name))] = self.read(item, depth + 1)
            return kept
        if isinstance(value, list | tuple):
            first = takewhile(lambda _: self.left > 0, value[: _STEPS[0].items])
            return [*(self.read(item, depth + 1) for item in first), len(value)]
        if isinstance(value, str):
            return self._text(str(value.value) if isinstance(value, Enum) else value)
        if value is None or isinstance(value, bool):
            return value
        return plain_number(value) if isinstance(value, int | float | Decimal) else self._text(str(value))

    def _text(self, text: str) -> str:
        read = text[:_READ]
        self.left -= len(read)
        return read


def plain_number(value: Any) -> Any:
    """Return a number if JSON parsers keep all its digits, otherwise a string."""
    if isinstance(value, int):
        if abs(value) < _WHOLE_FLOATS:
            return int(value)
        return str(int(value)) if value.bit_length() < _MAX_BITS else "(a number with thousands of digits)"
    if isinstance(value, float):
        return value if isfinite(value) else str(value)
    if value.is_finite() and -_WHOLE_FLOATS < value < _WHOLE_FLOATS and value == value.to_integral_value():
        return int(value)
    exact = value.is_finite() and isfinite(float(value)) and Decimal(repr(float(value))) == value
    return float(value) if exact else str(value)


def _bounded(value: Any, bounds: _Bounds) -> tuple[Any, bool]:
    """Cut a value to fit ``bounds``; return it and whether anything was cut."""
    if isinstance(value, str):
        return _text(value, bounds.text), len(value) > bounds.text
    if isinstance(value, list) and value:  # a list that was masked is empty
        *items, length = value
        shown = [_bounded(item, bounds) for item in items[: bounds.items]]
        more = length - len(shown)
        rest = [f"... and {more} more"] if more > 0 else []
        return [item for item, _ in shown] + rest, more > 0 or any(cut for _, cut in shown)
    if isinstance(value, dict):
        first = islice(value.items(), bounds.fields)
        kept = {_text(name, _NAME): _bounded(item, bounds) for name, item in first}
        lost = len(kept) < len(value)  # also if names are equal once they are cut
        return {name: item for name, (item, _) in kept.items()}, lost or any(cut for _, cut in kept.values())
    return value, False


def _text(text: str, longest: int) -> str:
    return one_line(shortened(text, longest))
