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

from tests.support.laws import each_of
from wosdk_async import WOType
from wosdk_async.codec.text_values import parse_value, shown_value

TYPES = ("integer", "number", "boolean", "datetime-local", "datetime-utc", "string")


def parse(kind: str, text: str, lenient: bool) -> Any:
    return parse_value(text, {"type": kind, "of": "WOType"}, lenient=lenient)


@each_of(
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


@each_of(
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
    with pytest.raises(ValueError, match=r"takes|has no value|is UTC"):
        parse(kind, text, lenient=False)


@each_of("kind", ["integer", "number"])
@each_of("text", ["1_000", "٥", "", "five", "NaN", "Infinity", "0x10", "1e", "9" * 5000 + "x"])
def test_what_is_not_a_number_is_refused(kind: str, text: str) -> None:
    for lenient in (True, False):
        with pytest.raises(ValueError, match="takes a"):
            parse(kind, text, lenient)


LONGEST = ("9" * 100, "-0." + "0" * 99 + "1", "1e99", "25E-100", "0E-100")


@each_of("text", LONGEST)
def test_a_number_is_exact_up_to_100_digits_on_each_side_of_the_point(text: str) -> None:
    assert parse("number", text, lenient=True) == Decimal(text)


@each_of(
    "text", ["9" * 101, "0." + "0" * 100 + "1", "1e100", "1e700000000", "1e-700000000", "0e101", "9" * 400]
)
def test_a_number_of_more_digits_is_refused_and_shown_cut(text: str) -> None:
    with pytest.raises(ValueError, match="takes a number with at most 100 digits on each side") as caught:
        parse("number", text, lenient=True)
    assert text[:100] in str(caught.value)
    assert len(str(caught.value)) < 250


@pytest.mark.parametrize("text", [str(1 << 63), str(-(1 << 63) - 1), "9" * 400])
def test_a_whole_number_of_more_than_64_bits_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="takes a whole number of at most 64 bits"):
        parse("integer", text, lenient=True)
    assert parse("integer", str(-(1 << 63)), lenient=True) == -(1 << 63)


@each_of("text", ["0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00"])
@each_of("lenient", [True, False])
def test_a_time_that_has_no_year_in_utc_is_refused(text: str, lenient: bool) -> None:
    with pytest.raises(ValueError, match=rf"takes a time in the years 1 to 9999, not '{re.escape(text)}'"):
        parse("datetime-utc", text, lenient)


def test_a_time_with_a_zone_is_not_a_local_time() -> None:
    with pytest.raises(
        ValueError, match="is the site's local time; remove the zone from '2026-03-01T08:00Z'"
    ):
        parse("datetime-local", "2026-03-01T08:00Z", lenient=True)


@given(st.text(), st.sampled_from(TYPES), st.booleans())
def test_no_text_raises_anything_but_a_value_error(text: str, kind: str, lenient: bool) -> None:
    """The message names the text, or its beginning."""
    with contextlib.suppress(ValueError):
        parse(kind, text, lenient)
        return
    with pytest.raises(ValueError, match=re.escape(shown_value(text.strip() if lenient else text))):
        parse(kind, text, lenient)
