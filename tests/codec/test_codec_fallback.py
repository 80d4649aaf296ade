"""What the fast way of ``decode`` does not read, and what it does not learn."""

from __future__ import annotations

import threading
import time
from typing import Any

import cattrs
import pytest

from tests.codec.test_codec_decode import ORDER, agrees, reader_of
from tests.support.forking import status_of_child
from tests.support.laws import each_of
from wosdk_async import codec
from wosdk_async.codec import WHOLE, RecordReaders, ResponseReader
from wosdk_async.model import Employee, FilterExpression, Money, Record, WorkOrder
from wosdk_async.model.base import define, field, wire
from wosdk_async.protocol.envelopes import ROWS


@each_of(
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


@each_of("odd", [b'"soon"', b"5", b"[1]", b'"0001-01-01T00:00:00+09:00"'])
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


@pytest.mark.parametrize("odd", [b'{"Id": 7, "Customer": 5}', b'{"id": 7}'])
def test_an_odd_row_does_not_slow_down_the_page(odd: bytes) -> None:
    """The slow way reads only the odd row of a hundred, and only the first row of a first page."""
    slow: list[Any] = []

    class Watched(cattrs.Converter):
        def structure(self, data: Any, cls: Any) -> Any:
            slow.append(data)
            return codec.structure(data, cls)

        def get_structure_hook(self, cls: Any, **_: Any) -> Any:
            return codec.converter.get_structure_hook(cls)

    reader = ResponseReader(WorkOrder, ROWS, RecordReaders(Watched()))
    rows = [b'{"Data": {"Id": %d, "Customer": {"Id": 1}}}' % id for id in range(1, 100)]
    plain, with_odd = (
        b'{"Entities": [%b]}' % b",".join(each) for each in (rows, [b'{"Data": %b}' % odd, *rows])
    )
    for page in (plain, with_odd, with_odd):
        slow.clear()
        read = reader.read(page)
        assert len(slow) == 1
        assert read == ROWS.plain(codec.loads(page), lambda data: codec.structure(data, WorkOrder))


def test_of_a_huge_response_only_a_part_is_learned_from() -> None:
    """To learn from a record takes ten times as long as to read it; what comes late is read all the same."""
    rows = [{"Data": {"Id": id, "Duration": 5}} for id in range(20_000)]
    rows[-1] = {"Data": {"Id": -1, "PoNumber": "last", "Unheard": 1}}
    body = codec.dumps({"Entities": rows})
    begun = time.thread_time()
    made = ResponseReader(WorkOrder, ROWS, RecordReaders(codec.converter)).read(body)
    took, begun = time.thread_time() - begun, time.thread_time()
    codec.structure([row["Data"] for row in rows], list[WorkOrder])
    assert took < 4 * (time.thread_time() - begun)
    assert (made[0].id, made[-1].po_number, made[-1].extra) == (0, "last", {"Unheard": 1})
