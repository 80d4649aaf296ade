"""Texts as values of a field's type, strictly and leniently."""

from __future__ import annotations

import contextlib
import re
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wosdk_async import WOType
from wosdk_async.text_values import parse_value

TYPES = ("integer", "number", "boolean", "datetime-local", "datetime-utc", "string")


def parse(kind: str, text: str, lenient: bool) -> Any:
    return parse_value(text, {"type": kind, "of": "WOType"}, lenient=lenient)


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", "-5", -5),
        ("number", "12.50", Decimal("12.50")),
        ("boolean", "TRUE", True),
        ("enum", "Request", WOType("Request")),
        ("datetime-local", "2026-03-01T08:00", datetime(2026, 3, 1, 8)),
        ("datetime-utc", "2026-03-01T08:00+02:00", datetime(2026, 3, 1, 6, tzinfo=UTC)),
        ("string", " as it is ", " as it is "),
        ("object", "any text", "any text"),
    ],
)
def test_a_text_of_the_type_is_its_value(kind: str, text: str, value: object) -> None:
    for lenient in (True, False):
        assert parse(kind, text, lenient) == value


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("integer", " 7\n", 7),
        ("boolean", "yes", True),
        ("boolean", " 0", False),
        ("enum", "request ", WOType("Request")),
        ("datetime-utc", "2026-03-01 08:00", datetime(2026, 3, 1, 8, tzinfo=UTC)),
    ],
)
def test_only_the_lenient_parser_takes_what_spreadsheets_hold(kind: str, text: str, value: object) -> None:
    assert parse(kind, text, lenient=True) == value
    with pytest.raises(ValueError, match=r"takes|does not know|is UTC"):
        parse(kind, text, lenient=False)


@pytest.mark.parametrize("kind", ["integer", "number"])
@pytest.mark.parametrize(
    "text", ["1_000", "٥", "", "five", "NaN", "Infinity", "0x10", "1e", "9" * 5000 + "x"]
)
def test_what_is_not_a_number_is_refused(kind: str, text: str) -> None:
    for lenient in (True, False):
        with pytest.raises(ValueError, match="takes a"):
            parse(kind, text, lenient)


def test_a_time_with_a_zone_is_not_a_local_time() -> None:
    with pytest.raises(
        ValueError, match="is local time of the site; leave the zone of '2026-03-01T08:00Z' out"
    ):
        parse("datetime-local", "2026-03-01T08:00Z", lenient=True)


@given(st.text(), st.sampled_from(TYPES), st.booleans())
def test_no_text_raises_anything_but_a_value_error(text: str, kind: str, lenient: bool) -> None:
    """The message names the text."""
    with contextlib.suppress(ValueError):
        parse(kind, text, lenient)
        return
    with pytest.raises(ValueError, match=re.escape(repr(text.strip() if lenient else text))):
        parse(kind, text, lenient)
