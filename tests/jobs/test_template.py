"""Texts with columns in them."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of
from wosdk_async.jobs.mapping.template import NAME, Template

CELLS = {"a": "", "b": "  ", "c": " see ", "odd, name's": "x", NAME: "Acme"}


@each_of(
    ("source", "text"),
    [
        ("{c}", " see "),
        ("{b}", "  "),
        ("{a}", None),
        ("{a}{a}", None),
        ("{a} and {c}", " and  see "),
        ("{a|b|c}", " see "),
        ("{ a | 'no one''s' }", "no one's"),
        ("{a|b}", ""),
        ("{odd, name's}", "x"),
        ("at {{c}}: {c}", "at {c}:  see "),
        ("{}", "Acme"),
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_a_template_is_filled_from_cells(source: str, text: str | None) -> None:
    assert (Template.parse(source).fill(CELLS) or None) == (text or None)


def test_only_an_empty_template_of_columns_gives_no_text() -> None:
    assert Template.parse("{a}").fill(CELLS) is None
    assert Template.parse("").fill(CELLS) == ""


@each_of("source", ["{c", "c}", "{a|}", "{|a}", "{'a}", "{{c}", "{ }", "{a|'b' c}"])
def test_what_cannot_be_read_is_reported(source: str) -> None:
    with pytest.raises(ValueError, match=r"brace|is invalid"):
        Template.parse(source)


@each_of(
    "inside",
    [
        "a" + (" " * 12 + "|a") * 20 + "|",
        "'" * 20_001,
        "a" + "|a " * 20_000 + "|",
        "'a' |" * 20_000,
        " " * 50_000,
    ],
)
def test_what_cannot_be_read_is_reported_at_once(inside: str) -> None:
    """It is read once, whatever could be tried."""
    begun = time.thread_time()
    with pytest.raises(ValueError, match="is invalid"):
        Template.parse(f"{{{inside}}}")
    assert time.thread_time() - begun < 0.5


@given(st.text())
def test_a_lone_column_is_its_cell(cell: str) -> None:
    assert (Template.parse("{c}").fill({"c": cell}) or "") == cell


@given(st.text())
def test_doubled_braces_are_text(text: str) -> None:
    assert Template.parse(text.replace("{", "{{").replace("}", "}}")).fill({}) == text
