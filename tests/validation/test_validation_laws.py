"""Whatever is broken, the message names the path of it, and nothing else is called broken."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.codec.model_strategies import records
from tests.support.laws import examples
from wosdk_async import (
    Contact,
    ConvertMoneyValuesCommand,
    Document,
    QueryExpression,
    SpaceCreateCommand,
    WoAssignCommand,
    WoCreateCommand,
    WorkOrder,
)
from wosdk_async.model import Record
from wosdk_async.protocol.validation import problems

BROKEN: dict[str, list[Any]] = {
    "string": [5, b"x", ["x"]],
    "integer": ["many", 1.5, True, 2**63],
    "number": ["1", Decimal("Infinity"), float("nan"), True],
    "boolean": ["yes", 0],
    "enum": ["No Such Value", 12345, 1.5, False],
    "datetime-local": ["soon", 5, datetime(2024, 1, 1, tzinfo=UTC)],
    "datetime-utc": ["soon", 5, datetime(2024, 1, 1)],
    "ref": [512, "512", ["x"]],
    "money": [12, "12"],
}


def inside(record: Record, path: str = "") -> Iterator[tuple[Record, str]]:
    """``record`` and the records in it, each with its path."""
    yield record, path
    for name in record.__wire__:
        value = getattr(record, name)
        here = f"{path}.{name}" if path else name
        if isinstance(value, Record):
            yield from inside(value, here)
        elif isinstance(value, list):
            for i, item in enumerate(value):
                if isinstance(item, Record):
                    yield from inside(item, f"{here}[{i}]")


CLASSES = [
    *(Contact, ConvertMoneyValuesCommand, Document, QueryExpression, SpaceCreateCommand),
    *(WoAssignCommand, WoCreateCommand, WorkOrder),
]


@pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)
@given(data=st.data())
@examples(20)
def test_the_broken_leaf_is_named(cls: type[Any], data: st.DataObject) -> None:
    """One leaf of a good object is broken, at any depth: that is what is found, and where."""
    made = data.draw(records(cls))
    owner, path = data.draw(st.sampled_from(list(inside(made))))
    fields = sorted(name for name, meta in owner.__wire__.items() if meta["type"] in BROKEN)
    if not fields:
        return
    name = data.draw(st.sampled_from(fields))
    meta = owner.__wire__[name]
    broken = data.draw(st.sampled_from(BROKEN[meta["type"]]))
    setattr(owner, name, [broken] if meta.get("many") else broken)
    place = f"{path}.{name}" if path else name
    of_creates = ("is missing", "is set by the service for new records")
    found = [p for p in problems(made) if p.severity == "error" and not p.message.startswith(of_creates)]
    assert [problem.path for problem in found] == [f"{place}[0]" if meta.get("many") else place]
    assert "; " in found[0].message
