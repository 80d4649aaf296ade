"""decode(body, cls) is structure(loads(body), cls), whatever comes."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codec.model_strategies import CLASSES, filled, records
from tests.support.laws import case, examples
from wosdk_async import codec
from wosdk_async.codec import WHOLE, Envelope, RecordReaders, ResponseReader
from wosdk_async.model import Customer, Employee, Record, WorkOrder, WorkZone

# JSON texts that take the place of a value; some end it and begin another member, or the same one again.
ODD = (
    *("null", "true", "[]", "{}", "[null]", "[[]]", '""', '"x"', "-0", "-0.0", "1.50", "1e5", "1E400", "NaN"),
    *("1e99999999999999999999", str(2**63), str(2**64), str(10**40), '"1.50"', '"NaN"', '{"Id": 1.0}'),
    *('"\\ud800"', '"\\u0041"', '"2024-05-14T09:12:31.4470216Z"', '"2024-05-14T09:12:31.4470219"'),
    *(
        '"2024-05-14T09:12:31+02:00"',
        '"2024-13-14"',
        '"2024-05-14"',
        '"0001-01-01T00:00:00+14:00"',
        "[{}, 5]",
    ),
    *(
        '1, "Unknown": [1.20]',
        '1, "Id": "again"',
        'null, "id": 5',
        '5, "ID": {"a": null}',
        '1, "\\u0049d": 3',
    ),
)
VALUE = re.compile(r'(?<=":)("[^"\\]*"|-?[0-9.]+|null|true|false|\[\]|\{\})')
NAME = re.compile(r'"([A-Za-z]+)":')


def fingerprint(value: Any) -> Any:
    """The value and all the types in it, the digits of numbers and the zones of times included."""
    if isinstance(value, Record):
        return type(value), {name: fingerprint(getattr(value, name)) for name in ("extra", *value.__wire__)}
    if isinstance(value, dict):
        return {name: fingerprint(item) for name, item in value.items()}
    if isinstance(value, list):
        return [fingerprint(item) for item in value]
    if isinstance(value, Enum):
        return type(value), value.value, value.name, id(value) if value.name in type(value).__members__ else 0
    if isinstance(value, datetime):
        return value.replace(tzinfo=None), id(value.tzinfo)
    return type(value), str(value) if isinstance(value, Decimal | float) else value


def outcome(read: Callable[[], Any]) -> Any:
    try:
        return fingerprint(read())
    except (ValueError, TypeError, KeyError) as error:
        return type(error), str(error)


def agrees(reader: ResponseReader, body: bytes, cls: type[Any]) -> bool:
    return outcome(lambda: reader.read(body)) == outcome(lambda: codec.structure(codec.loads(body), cls))


def reader_of(cls: type[Any]) -> tuple[ResponseReader, list[Any]]:
    """A reader, and the documents that it read the slow way."""
    slow: list[Any] = []

    def plain(document: Any, one: Callable[[Any], Any]) -> Any:
        slow.append(document)
        return one(document)

    return ResponseReader(cls, Envelope(plain, WHOLE.typed), RecordReaders(codec.converter)), slow


def mutated(text: str, data: st.DataObject) -> bytes:
    """``text`` with one value replaced, or one name in another letter case."""
    found = [match.span(1) for match in VALUE.finditer(text)]
    names = [match.span(1) for match in NAME.finditer(text)]
    if names and data.draw(st.booleans()):
        start, end = data.draw(st.sampled_from(names))
        return f"{text[:start]}{text[start:end].swapcase()}{text[end:]}".encode()
    start, end = data.draw(st.sampled_from(found)) if found else (0, len(text))
    return f"{text[:start]}{data.draw(st.sampled_from(ODD))}{text[end:]}".encode()


@examples(250)
@given(st.data())
def test_decode_is_structure_of_loads(data: st.DataObject) -> None:
    """For documented responses, for unknown fields and for whatever else comes, before and after learning."""
    cls = data.draw(st.sampled_from(CLASSES))
    reader, _ = reader_of(cls)
    texts = [codec.dumps(codec.unstructure(data.draw(records(cls)))) for _ in range(2)]
    for text in texts * 3:
        assert agrees(reader, text, cls)
    for text in texts:
        for body in (text, *(mutated(text.decode(), data) for _ in range(4)), b"\xef\xbb\xbf" + text):
            assert agrees(reader, body, cls)


def test_a_text_with_every_field_is_decoded() -> None:
    """The same for a text that has each field of a class, of each class, as often as learning takes."""
    for cls in CLASSES:
        with case(cls.__name__):
            reader, _ = reader_of(cls)
            text = codec.dumps(codec.unstructure(filled(cls)))
            assert all(agrees(reader, text, cls) for _ in range(3))


ORDER = b"""{"Id": 7, "StatusId": "New", "TypeCategory": "Request", "New": {"Deep": 0.10}, "@odd name": 1,
 "Customer": {"Id": 512, "Later": null}, "VendorNte": {"CurrencyTypeId": "USD", "Value": 350.00},
 "Items": [{"Asset": {"Id": 3}, "Task": {"Id": 4}}, null], "Notes": [],
 "CreatedDateUtc": "2024-05-14T13:12:31Z"}"""


def test_what_was_seen_is_read_the_fast_way() -> None:
    """One response that is read the slow way teaches its objects and its unknown fields."""
    reader, slow = reader_of(WorkOrder)
    assert all(agrees(reader, ORDER, WorkOrder) for _ in range(5))
    assert len(slow) == 1
    assert reader.read(ORDER).extra == {"New": {"Deep": Decimal("0.10")}, "@odd name": 1}


LATER: dict[str, tuple[list[bytes], int]] = {
    "an object that was not seen": ([ORDER, b'{"Employee": {"Id": 1, "Fresh": 2}, "Flags": [{}]}'], 3),
    "an object beside what is known": (
        [b'{"Id": 1, "Customer": {"Id": 2}}', b'{"Id": 1, "Employee": {"Id": 2}}'],
        3,
    ),
    "a name": ([b'{"Id": 1}', b'{"Id": 1, "New": 2}', b'{"Id": 1, "Newer": null}'], 3),
    "a field": ([b'{"Id": 1}', b'{"Id": 1, "Number": "W-1", "DtDue": "2024-05-14T09:12:31"}'], 3),
    "null": ([b'{"Id": 1, "Number": null, "Items": null, "WorkZone": {"Id": 2, "Name": null}}'], 3),
}
"""Responses that come in turn, and how many are read the slow way before all is learned."""


@pytest.mark.parametrize(("bodies", "learning"), LATER.values(), ids=LATER)
def test_what_comes_later_is_learned(bodies: list[bytes], learning: int) -> None:
    """A Struct has places for what was seen; the first response with more is read by both ways."""
    reader, slow = reader_of(WorkOrder)
    for _ in range(2):
        assert all(agrees(reader, body, WorkOrder) for body in bodies * 10)
        assert len(slow) == learning


@pytest.mark.parametrize("field", ["DtDue", "DueDateUtc", "LastActionDateUtc"])
def test_times_with_any_zone_are_read_the_same(field: str) -> None:
    """With a zone, without and with an offset, of 7 digits or none, in local and UTC fields."""
    reader, slow = reader_of(WorkOrder)
    for zone in ("", "Z", "+02:00", "+00:00") * 3:
        for digits in ("", ".1", ".1234569", ".123456"):
            body = f'{{"{field}": "2024-05-14T09:12:31{digits}{zone}"}}'.encode()
            assert agrees(reader, body, WorkOrder)
    assert len(slow) < 4


def test_fields_that_differ_from_response_to_response_do_not_keep_it_slow() -> None:
    """After some rounds of learning every field has a place, seen or not."""
    reader, slow = reader_of(WorkOrder)
    plain = {"string", "integer", "boolean"}
    bodies = [
        b'{"%s": {"Id": 1, "%s": true}}' % (cls.__name__.encode(), meta["name"].encode())
        for cls in (WorkZone, Employee, Customer)
        for meta in cls.__wire__.values()
        if meta["type"] in plain
    ]
    assert all(agrees(reader, body, WorkOrder) for body in bodies * 3)
    assert len(slow) < 50 < len(bodies)
    before = len(slow)
    assert all(agrees(reader, body, WorkOrder) for body in bodies)
    assert len(slow) == before
