"""Laws that hold for every class of the model."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.codec.model_strategies import CLASSES, records
from wosdk_async import codec
from wosdk_async.protocol.validation import problems

few = settings(
    max_examples=20,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
each_class = pytest.mark.parametrize("cls", CLASSES, ids=lambda cls: cls.__name__)


@each_class
@few
@given(data=st.data())
def test_what_was_written_reads_the_same(cls: type[Any], data: st.DataObject) -> None:
    """structure(unstructure(x)) == x, also through the text, with unknown fields and unlisted enum values."""
    made = data.draw(records(cls))
    plain = codec.unstructure(made)
    text = codec.dumps(plain)
    assert codec.structure(plain, cls) == made
    assert codec.structure(codec.loads(text), cls) == made
    assert codec.dumps(codec.unstructure(codec.structure(codec.loads(text), cls))) == text
    # A drawn command may lack what it needs, and a number may be larger than the service is thought to take.
    errors = [problem for problem in problems.problems(made) if problem.severity == "error"]
    assert [error for error in errors if "is missing" not in error.message] == []


@each_class
def test_every_field_goes_by_its_wire_name(cls: type[Any]) -> None:
    """A value that no type fits comes back as it was sent, under the same name and in the same field."""
    odd = {"@": [1]}
    for name, meta in cls.__wire__.items():
        sent = {meta["name"]: [odd]} if meta["type"] in ("string", "enum") else {meta["name"]: 1.5}
        made = codec.structure(sent, cls)
        assert made.extra is None
        assert [other for other in cls.__wire__ if getattr(made, other) is not None] == [name]
        assert codec.loads(codec.dumps(codec.unstructure(made))) == codec.loads(codec.dumps(sent))


@each_class
def test_names_in_another_case_are_understood(cls: type[Any]) -> None:
    """The service ignores letter case, and so does reading (facts 3.3)."""
    names = {meta["name"] for meta in cls.__wire__.values()}
    made = codec.structure({name.swapcase(): "5" for name in names} | {"~": 1}, cls)
    assert made == codec.structure(dict.fromkeys(names, "5") | {"~": 1}, cls)
    assert made.extra == {"~": 1}


@each_class
def test_null_and_missing_are_none(cls: type[Any]) -> None:
    """Null, and a missing name, give None; nothing is written for them."""
    nulls = codec.structure({meta["name"]: None for meta in cls.__wire__.values()}, cls)
    assert nulls == codec.structure({}, cls) == cls()
    assert codec.unstructure(nulls) == {}


@each_class
def test_attrs_knows_the_fields(cls: type[Any]) -> None:
    """attrs.fields gives every field with the catalogue's metadata; attrs.evolve changes a copy."""
    fields = {field.name: field.metadata for field in attrs.fields(cls)}
    assert fields.pop("extra") == {}
    assert {name: dict(meta) for name, meta in fields.items()} == cls.__wire__
    changed = attrs.evolve(cls(), extra={"A": 1})
    assert changed == cls(extra={"A": 1}) != cls()
