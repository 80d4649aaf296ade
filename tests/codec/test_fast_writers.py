"""``codec.plain``: what it gives is what the check and ``unstructure`` would have given."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import attrs
import cattrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codec.model_strategies import CLASSES, filled, records
from tests.support.laws import case, each_of, examples
from wosdk_async import Customer, Ref, RepairCode, WoItem, WorkOrder, WOType, codec
from wosdk_async.codec.dicts import FastWriters, make_writer
from wosdk_async.protocol import validation as problems

EAST = timezone(timedelta(hours=-5))
ODD_VALUES: list[Any] = [
    *(True, 1, 2**31, 1.5, float("nan"), Decimal("NaN"), Decimal("1.50"), "x" * 5000, "2024-01-01", b"x"),
    *([], [None], {}, {"Id": 5}, Ref(5), Customer.ref(5), WOType.Request, WOType("Later")),
    *(datetime(2024, 1, 1), datetime(2024, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=EAST)),
]


def same_as_the_slow_way(record: Any) -> bool:
    """Whether ``plain`` wrote ``record``, after the comparison that the law asks for."""
    made = codec.plain(record)
    if made is None:
        return False
    assert [found for found in problems.problems(record) if "is missing" not in found.message] == []
    assert codec.dumps(made) == codec.dumps(codec.unstructure(record))
    return True


@examples(250)
@given(record=st.sampled_from(CLASSES).flatmap(records), data=st.data())
def test_what_plain_gives_is_what_the_slow_way_gives(record: Any, data: st.DataObject) -> None:
    """Whatever a field holds: either the same text without a problem, or None."""
    if names := sorted(record.__wire__):
        setattr(record, data.draw(st.sampled_from(names)), data.draw(st.sampled_from(ODD_VALUES)))
    same_as_the_slow_way(record)


def test_each_field_is_written_the_same_both_ways() -> None:
    """The same for each field of each class alone, with a value of its type."""
    for cls in CLASSES:
        whole = filled(cls)
        same_as_the_slow_way(whole)
        for name in cls.__wire__:
            with case(cls.__name__, name):
                same_as_the_slow_way(cls(**{name: getattr(whole, name)}))


@pytest.mark.parametrize(("number", "at_once"), [(2**31 - 1, True), (1 - 2**31, True), (2**31, False)])
def test_integers_of_32_bits_are_written_at_once(number: int, at_once: bool) -> None:
    """Larger ones are refused by the check; the lowest is left to the slow way, which sends it."""
    assert same_as_the_slow_way(WorkOrder(duration=number)) == at_once
    assert codec.unstructure(WorkOrder(duration=-(2**31))) == {"Duration": -(2**31)}


def test_what_programs_send_is_written_at_once() -> None:
    """Objects of the documented types take the fast way: texts, numbers, times, members, lists."""
    order = WorkOrder(
        items=[WoItem(task=Ref(3), comment="No cold air")],
        customer=Customer.ref(512),
        type_category=WOType.Request,
        is_warranty=False,
        duration=45,
        dt_due=datetime(2024, 5, 1, 9, 30),
        due_date_utc=datetime(2024, 5, 1, 14, 30, tzinfo=UTC),
        flags=[],
    )
    assert same_as_the_slow_way(order)


@each_of(
    "odd",
    [
        WorkOrder(po_number=5),  # type: ignore[arg-type]
        WorkOrder(contact_name="x" * 257),
        WorkOrder(items=[None]),  # type: ignore[list-item]
        WorkOrder(due_date_utc=datetime(2024, 5, 1)),
        WorkOrder(extra={"New": 1}),
    ],
    ids=str,
)
def test_what_is_odd_is_left_to_the_slow_way(odd: WorkOrder) -> None:
    """It has the messages and the rules for whatever is not beyond doubt."""
    assert codec.plain(odd) is None


def test_an_object_that_holds_itself_is_left_to_the_slow_way() -> None:
    """It cannot be written, and the slow way has the message."""
    code = RepairCode()
    code.codes = [code]
    assert codec.plain(code) is None


def test_a_hook_of_the_program_decides_what_is_written() -> None:
    """The plain writers stand aside for classes that have an unstructure hook of somebody else's."""
    converter = cattrs.Converter()
    converter.register_unstructure_hook_factory(attrs.has, make_writer)
    assert FastWriters(converter).write(WoItem(comment="a")) == {"Comment": "a"}
    converter.register_unstructure_hook(WoItem, lambda item: {"Comment": item.comment.upper()})
    assert FastWriters(converter).write(WorkOrder(items=[WoItem(comment="a")])) is None
