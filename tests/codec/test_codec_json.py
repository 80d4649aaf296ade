"""The text: what is read although it is only nearly JSON, and what is refused."""

from __future__ import annotations

import contextvars
from decimal import Decimal, localcontext
from typing import Any

import pytest

from tests.support.laws import each_of
from wosdk_async.codec import decode, dumps, loads
from wosdk_async.model import Ref, WorkOrder
from wosdk_async.protocol.envelopes import ROWS


@each_of(
    ("body", "value"),
    [
        (b"1.10", Decimal("1.10")),
        (b"12345678901234567890123", 12345678901234567890123),
        (b'\xef\xbb\xbf{"a":0.5}', {"a": Decimal("0.5")}),
        (b'"\\ud800"', "\ud800"),
        (b"[NaN]", ["NaN"]),
        (b"[1e99999999999999999999]", ["1e99999999999999999999"]),
    ],
)
def test_bodies_are_read(body: bytes, value: Any) -> None:
    """Numbers are exact, and what other JSON writers let pass is not lost."""
    assert loads(body) == value


@each_of("digits", ["0.0", "-0.00", "1E-9", "1." + "0" * 99, "9" * 5000 + ".5", "1E+999999999999999999"])
def test_no_digit_of_a_number_is_lost(digits: str) -> None:
    """Whatever precision the program has set for its own arithmetic."""
    with localcontext(prec=3):
        assert str(loads(digits.lower().encode())) == digits


def test_reading_numbers_leaves_nothing_in_the_context_of_a_task() -> None:
    """Making a context takes as long as reading ten numbers, and most calls have a task of their own."""
    own = contextvars.Context()
    assert own.run(loads, b"1.50") == Decimal("1.50")
    assert not list(own)


@each_of("body", [b"", b"<html>", b'{"a":1', b'"\xff"', b"[" * 200_000])
def test_what_is_not_json_is_a_value_error(body: bytes) -> None:
    """The error says so and does not repeat the body, which may hold a token."""
    with pytest.raises(ValueError, match=rf"the body of {len(body)} bytes is not JSON"):
        loads(body)


@pytest.mark.parametrize("item", [b"1,", b'{"a":[]},'])
def test_the_number_of_brackets_and_commas_is_bounded(item: bytes) -> None:
    """2,000,000 of them are read, and one more is not, however long the text is."""
    each = sum(item.count(sign) for sign in (b"[", b"]", b"{", b"}", b","))
    body = b"[" + item * ((2_000_000 - 2) // each - 1) + b"1," * ((2_000_000 - 2) % each + each) + b"1]"
    assert len(loads(body)) > 100_000
    with pytest.raises(ValueError, match="more than 2000000 brackets and commas"):
        loads(b"[2," + body[1:])


def test_records_are_bounded_too() -> None:
    """Also where they are read in one pass, after the first responses have been read."""
    rows = b'{"Entities":[%b{"Data":{"Id":1}}]}'
    for _ in range(3):
        assert [order.id for order in decode(rows % b"", WorkOrder, ROWS)] == [1]
    with pytest.raises(ValueError, match="more than 2000000 brackets and commas"):
        decode(rows % (b'{"Data":{}},' * 400_000), WorkOrder, ROWS)


@each_of(
    ("value", "words"),
    [
        ({"a": [1, float("nan")]}, r"\$\.a\[1\] is nan, .* finite"),
        ({"a": {"b": Decimal("Infinity")}}, r"\$\.a\.b is Infinity"),
        ({"a": 2**64}, r"\$\.a is 18446744073709551616, more than 64 bits"),
        ({"a": "x\ud800"}, r"\$\.a is text with an unpaired surrogate"),
        ({"\ud800": 1}, r"the name .* an unpaired surrogate"),
        ({1: 1}, r"key 1; JSON keys must be strings"),
        ({"a": b"x"}, r"\$\.a is bytes; .*base64"),
        ({"a": {1, 2}}, r"\$\.a is a set"),
        ({"a": WorkOrder()}, r"\$\.a is a WorkOrder.*unstructure"),
        ({"a": Ref(1)}, r"\$\.a is a Ref"),
    ],
)
def test_what_cannot_be_written_is_a_value_error(value: Any, words: str) -> None:
    """The error names the place, the value and the remedy."""
    with pytest.raises(ValueError, match=words):
        dumps(value)


def test_too_deep_is_a_value_error() -> None:
    """An object that holds itself is refused."""
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises(ValueError, match="nested too deeply"):
        dumps(loop)


def test_null_is_written() -> None:
    """None is null and not taken for NaN."""
    assert dumps({"a": None, "b": "null"}) == b'{"a":null,"b":"null"}'
