"""Laws that hold for every class of the model."""

from __future__ import annotations

from typing import Any

import attrs
from hypothesis import given
from hypothesis import strategies as st

from tests.codec.model_strategies import CLASSES, filled, records
from tests.support.laws import case, examples
from wosdk_async import codec
from wosdk_async.protocol.validation import problems


def survives(made: Any) -> None:
    """Check that a record is the same after it was written and read, as JSON and as text."""
    cls = type(made)
    plain = codec.unstructure(made)
    text = codec.dumps(plain)
    assert codec.structure(plain, cls) == made
    assert codec.structure(codec.loads(text), cls) == made
    assert codec.dumps(codec.unstructure(codec.structure(codec.loads(text), cls))) == text
    # A drawn command may lack what it needs or have what a create drops, and a number may be larger than the
    # service is thought to take.
    errors = [problem for problem in problems(made) if problem.severity == "error"]
    of_creates = ("is missing", "is set by the service for new records")
    assert [error for error in errors if not error.message.startswith(of_creates)] == []


@examples(250)
@given(st.sampled_from(CLASSES).flatmap(records))
def test_what_was_written_reads_the_same(made: Any) -> None:
    """structure(unstructure(x)) == x, also through the text, with unknown fields and unlisted enum values."""
    survives(made)


def test_a_record_with_every_field_reads_the_same() -> None:
    """The same with a value in each field of a class, and in each field of the records in it."""
    for cls in CLASSES:
        with case(cls.__name__):
            survives(filled(cls))


def test_every_field_goes_by_its_wire_name() -> None:
    """A value that no type fits comes back as it was sent, under the same name and in the same field."""
    odd = {"@": [1]}
    for cls in CLASSES:
        for name, meta in cls.__wire__.items():
            with case(cls.__name__, name):
                sent = {meta["name"]: [odd]} if meta["type"] in ("string", "enum") else {meta["name"]: 1.5}
                made = codec.structure(sent, cls)
                assert made.extra is None
                assert [other for other in cls.__wire__ if getattr(made, other) is not None] == [name]
                assert codec.loads(codec.dumps(codec.unstructure(made))) == codec.loads(codec.dumps(sent))


def test_names_in_another_case_are_understood() -> None:
    """The service ignores letter case, and so does reading (facts 3.3)."""
    for cls in CLASSES:
        with case(cls.__name__):
            names = {meta["name"] for meta in cls.__wire__.values()}
            made = codec.structure({name.swapcase(): "5" for name in names} | {"~": 1}, cls)
            assert made == codec.structure(dict.fromkeys(names, "5") | {"~": 1}, cls)
            assert made.extra == {"~": 1}


def test_null_and_missing_are_none() -> None:
    """Null, and a missing name, give None; nothing is written for them."""
    for cls in CLASSES:
        with case(cls.__name__):
            nulls = codec.structure({meta["name"]: None for meta in cls.__wire__.values()}, cls)
            assert nulls == codec.structure({}, cls) == cls()
            assert codec.unstructure(nulls) == {}


def test_attrs_knows_the_fields() -> None:
    """attrs.fields gives every field with the catalogue's metadata; attrs.evolve changes a copy."""
    for cls in CLASSES:
        with case(cls.__name__):
            fields = {field.name: field.metadata for field in attrs.fields(cls)}
            assert fields.pop("extra") == fields.pop("origin") == {}
            assert {name: dict(meta) for name, meta in fields.items()} == cls.__wire__
            changed = attrs.evolve(cls(), extra={"A": 1})
            assert changed == cls(extra={"A": 1}) != cls()
