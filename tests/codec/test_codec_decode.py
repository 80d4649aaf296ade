"""decode(body, cls) is structure(loads(body), cls), whatever comes."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Callable
from datetime import datetime
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest
from hypothesis import strategies as st

from tests.codec.model_strategies import CLASSES, filled, holds_for_every_class, records
from tests.support.forking import status_of_child
from tests.support.laws import case
from wosdk_async import codec
from wosdk_async.codec.reading import WHOLE, Envelope, RecordReaders, ResponseReader
from wosdk_async.model import Customer, Employee, FilterExpression, Money, Record, WorkOrder, WorkZone
from wosdk_async.model.base import define, field, wire
from wosdk_async.protocol.envelopes import ROWS

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


def test_decode_is_structure_of_loads() -> None:
    """For documented responses, for unknown fields and for whatever else comes, before and after learning."""

    def law(cls: type[Any], data: st.DataObject) -> None:
        reader, _ = reader_of(cls)
        texts = [codec.dumps(codec.unstructure(data.draw(records(cls)))) for _ in range(2)]
        for text in texts * 3:
            assert agrees(reader, text, cls)
        for text in texts:
            for body in (text, *(mutated(text.decode(), data) for _ in range(4)), b"\xef\xbb\xbf" + text):
                assert agrees(reader, body, cls)

    holds_for_every_class(law, 2)


def test_a_text_with_every_field_is_decoded() -> None:
    """The same for a text that has each field of a class, as often as learning takes."""
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


def test_an_object_that_was_not_seen_is_learned() -> None:
    """The first order with an employee is read by both ways, the next by the fast one."""
    reader, slow = reader_of(WorkOrder)
    bodies = [ORDER, b'{"Employee": {"Id": 1, "Fresh": 2}, "Flags": [{}]}']
    assert all(agrees(reader, body, WorkOrder) for body in bodies * 10)
    assert len(slow) < 4


def test_an_object_beside_what_is_known_is_learned() -> None:
    """An object where none was seen yet is read the slow way, until its Struct has a place for it."""
    reader, slow = reader_of(WorkOrder)
    bodies = [b'{"Id": 1, "Customer": {"Id": 2}}', b'{"Id": 1, "Employee": {"Id": 2}}']
    assert all(agrees(reader, body, WorkOrder) for body in bodies * 5)
    assert len(slow) == 3


@pytest.mark.parametrize("field", ["DtDue", "DueDateUtc", "LastActionDateUtc"])
def test_times_with_any_zone_are_read_the_same(field: str) -> None:
    """With a zone, without and with an offset, of 7 digits or none, in local and UTC fields."""
    reader, slow = reader_of(WorkOrder)
    for zone in ("", "Z", "+02:00", "+00:00") * 3:
        for digits in ("", ".1", ".1234569", ".123456"):
            body = f'{{"{field}": "2024-05-14T09:12:31{digits}{zone}"}}'.encode()
            assert agrees(reader, body, WorkOrder)
    assert len(slow) < 4


def test_a_name_that_comes_later_is_learned() -> None:
    """An unknown name in some responses is read the fast way too, after a few."""
    reader, slow = reader_of(WorkOrder)
    bodies = [b'{"Id": 1}', b'{"Id": 1, "New": 2}', b'{"Id": 1, "Newer": null}']
    assert all(agrees(reader, body, WorkOrder) for body in bodies * 10)
    assert len(slow) < 9
    before = len(slow)
    assert all(agrees(reader, body, WorkOrder) for body in bodies)
    assert len(slow) == before


def test_a_field_that_comes_later_is_learned() -> None:
    """A Struct has places for what was seen; the first response with more is read by both ways."""
    reader, slow = reader_of(WorkOrder)
    bodies = [b'{"Id": 1}', b'{"Id": 1, "Number": "W-1", "DtDue": "2024-05-14T09:12:31"}']
    assert all(agrees(reader, body, WorkOrder) for body in bodies * 10)
    assert len(slow) == 3


def test_null_is_read_the_fast_way_too() -> None:
    """A service that says null, where the one that is documented leaves out, is found out at once."""
    reader, slow = reader_of(WorkOrder)
    body = b'{"Id": 1, "Number": null, "Customer": null, "Items": null, "WorkZone": {"Id": 2, "Name": null}}'
    assert all(agrees(reader, body, WorkOrder) for _ in range(9))
    assert len(slow) == 3


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


@pytest.mark.parametrize(
    "odd",
    [
        b'"\\"quoted\\"": 1',
        b'"number": "other case"',
        b'"Id": "seven", "Customer": 5',
        b'"StatusId": 4',
        b'"Po\\ud800": 1',
        b'"New": NaN',
    ],
)
def test_what_a_struct_does_not_take_falls_back(odd: bytes) -> None:
    """A name that no Struct can have, another case, a wrong type: the slow way reads them, each time."""
    reader, slow = reader_of(WorkOrder)
    body = ORDER.replace(b'"@odd name": 1', odd)
    assert all(agrees(reader, body, WorkOrder) for _ in range(6))
    assert len(slow) == 6


@pytest.mark.parametrize("odd", [b'"soon"', b"5", b"[1]", b'"0001-01-01T00:00:00+09:00"'])
def test_what_is_no_time_stays_as_it_was_sent(odd: bytes) -> None:
    """Also in an object in an object, which is made when nobody can read the text another way any more."""
    reader, slow = reader_of(WorkOrder)
    cost = b'{"CheckClearDate": %b, "VendorInvoiceDate": "2024-05-14T09:12:31"}' % odd
    body = b'{"DtDue": %b, "DueDateUtc": %b, "WorkOrderCost": %b}' % (odd, odd, cost)
    assert all(agrees(reader, body, WorkOrder) for _ in range(6))
    assert len(slow) == 1


def test_another_case_of_a_name_is_not_learned_as_unknown() -> None:
    """Beside the documented name "number" is unknown, alone it is the number."""
    reader, _ = reader_of(WorkOrder)
    bodies = [b'{"Number": "1", "number": "2"}', b'{"number": "3"}'] * 4
    assert all(agrees(reader, body, WorkOrder) for body in bodies)
    assert reader.read(bodies[1]).number == "3"


def test_unknown_names_do_not_fill_the_memory() -> None:
    """Of each class 64 names are kept in mind; texts with another are read the slow way."""
    reader, slow = reader_of(Money)
    assert all(agrees(reader, b'{"N%d": 1}' % i, Money) for i in range(250))
    before = len(slow)
    assert all(agrees(reader, b'{"N%d": 1}' % i, Money) for i in range(64))
    assert len(slow) == before
    assert agrees(reader, b'{"N64": 1}', Money)
    assert len(slow) == before + 1


def test_a_long_name_is_not_kept() -> None:
    """A name may be as long as a response: 64 of them would fill the memory."""
    reader, slow = reader_of(Money)
    for length, ways in ((100, 1), (101, 2), (100_000, 2)):
        slow.clear()
        body = b'{"Value": 1.5, "%b": 1}' % (b"n" * length)
        assert all(agrees(reader, body, Money) for _ in range(2))
        assert len(slow) == ways


def test_a_child_that_is_forked_while_a_thread_learns_reads_on() -> None:
    """The thread is not in the child, and what it held is free there."""
    asked, go = threading.Event(), threading.Event()
    own = codec.converter.copy()
    readers = RecordReaders(own)
    reader = ResponseReader(Money, WHOLE, readers)
    reader.read(b'{"Value": 1.5}')

    def hold() -> None:
        with readers.lock:
            asked.set()
            go.wait(30)

    thread = threading.Thread(target=hold)
    thread.start()
    asked.wait(30)
    status = status_of_child(
        lambda: all(agrees(reader, b'{"Value": 1.5, "New": 1}', Money) for _ in range(3))
    )
    go.set()
    thread.join()
    assert status == 0


def test_a_class_in_itself_is_read_at_every_depth() -> None:
    """A class that refers to itself is a Struct outside, and is read from dicts inside."""
    reader, slow = reader_of(FilterExpression)
    body = b'{"FilterOperator": "And", "Filters": [{"Filters": [{"Filters": [], "X": 1}]}, null]}'
    assert all(agrees(reader, body, FilterExpression) for _ in range(5))
    assert len(slow) == 1


def test_hooks_of_the_program_are_obeyed() -> None:
    """A class with a hook of the program has no Struct, alone or inside another."""
    own = codec.converter.copy()
    own.register_structure_hook(Employee, lambda data, _: Employee(id=data["Id"] + 1))
    outside, inside = (
        ResponseReader(Employee, WHOLE, RecordReaders(own)),
        ResponseReader(WorkOrder, WHOLE, RecordReaders(own)),
    )
    for _ in range(4):
        assert outside.read(b'{"Id": 3}') == Employee.ref(4)
        assert inside.read(b'{"Employee": {"Id": 3}, "Customer": {"Id": 4}}').employee == Employee.ref(4)


def test_a_class_that_msgspec_refuses_is_read() -> None:
    """A wire name that no Struct takes leaves its class to the slow way."""

    @define(kw_only=True)
    class Quoted(Record):
        number: str | None = field(default=None, metadata=wire('"No"', "string"))

    reader, slow = reader_of(Quoted)
    for _ in range(4):
        assert reader.read(b'{"\\"No\\"": "7", "New": 1}') == Quoted(number="7", extra={"New": 1})
    assert len(slow) == 4


def test_decode_keeps_its_readers() -> None:
    """The package's own function learns over calls."""
    for _ in range(3):
        assert codec.decode(b'{"Id": 5}', Customer) == Customer.ref(5)


def test_of_a_huge_response_only_a_part_is_learned_from() -> None:
    """To learn from a record takes ten times as long as to read it; what comes late is read all the same."""
    rows = [{"Data": {"Id": id, "Duration": 5}} for id in range(100_000)]
    rows[-1] = {"Data": {"Id": -1, "PoNumber": "last", "Unheard": 1}}
    body = codec.dumps({"Entities": rows})
    begun = time.thread_time()
    made = ResponseReader(WorkOrder, ROWS, RecordReaders(codec.converter)).read(body)
    took, begun = time.thread_time() - begun, time.thread_time()
    codec.structure([row["Data"] for row in rows], list[WorkOrder])
    assert took < 4 * (time.thread_time() - begun)
    assert (made[0].id, made[-1].po_number, made[-1].extra) == (0, "last", {"Unheard": 1})
