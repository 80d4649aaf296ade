"""Hypothesis strategies for every class of the model, built from the metadata of its fields."""

from __future__ import annotations

import functools
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from hypothesis import strategies as st

from wosdk_async import model
from wosdk_async.model import Record

found = (getattr(model, name) for name in model.__all__ if name not in ("Asset", "Priority", "SubType"))
CLASSES = sorted(
    (cls for cls in found if isinstance(cls, type) and issubclass(cls, Record)), key=lambda cls: cls.__name__
)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
numbers = st.decimals(allow_nan=False, allow_infinity=False, places=4, min_value=-(10**9), max_value=10**9)
integers = st.integers(-(2**63), 2**63 - 1)
leaves = st.one_of(st.none(), st.booleans(), integers, texts)
json_values = st.recursive(
    leaves, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2)
)
extras = st.dictionaries(texts.map(lambda text: f"~{text}"), json_values, min_size=1, max_size=2)

SCALARS: dict[str, st.SearchStrategy[Any]] = {
    "string": texts,
    "integer": integers,
    "number": numbers,
    "boolean": st.booleans(),
    "datetime-local": st.datetimes(),
    "datetime-utc": st.datetimes(timezones=st.just(UTC)),
}


@functools.cache
def members(enum: str) -> st.SearchStrategy[Any]:
    """Members that are listed, and values that are not."""
    cls = getattr(model, enum)
    unlisted = st.one_of(texts, st.integers(200, 999)).map(cls)
    return st.one_of(st.sampled_from(list(cls)), unlisted)


def values(meta: dict[str, Any], depth: int) -> st.SearchStrategy[Any]:
    """Values of a field's type, without the list around them."""
    if meta["type"] == "enum":
        return members(meta["of"])
    if meta["of"]:
        return st.deferred(lambda: records(getattr(model, meta["of"]), depth - 1))
    if meta.get("max_length"):
        return texts.map(lambda text: text[: meta["max_length"]])
    # Any: null alone is left out, because None means not sent.
    return SCALARS.get(meta["type"], json_values.filter(lambda value: value is not None))


@functools.cache
def records(cls: type[Record], depth: int = 2) -> st.SearchStrategy[Any]:
    """Objects of ``cls`` with a few of their fields set, at most ``depth`` objects deep."""
    fields = {
        name: st.lists(values(meta, depth), max_size=2) if meta.get("many") else values(meta, depth)
        for name, meta in cls.__wire__.items()
        if depth > 0 or not meta["of"] or meta["type"] == "enum"
    }
    few = st.lists(st.sampled_from(sorted(fields)), max_size=6, unique=True) if fields else st.just([])
    some = few.flatmap(lambda names: st.fixed_dictionaries({name: fields[name] for name in names}))
    return st.builds(lambda given, extra: cls(**given, extra=extra), some, st.none() | extras)


SAMPLES: dict[str, Any] = {
    "string": "x",
    "integer": 2**40,
    "number": Decimal("12.50"),
    "boolean": False,
    "datetime-local": datetime(2024, 5, 14, 9, 12, 31, 447000),
    "datetime-utc": datetime(2024, 5, 14, 13, 12, 31, tzinfo=UTC),
}


def sample(meta: dict[str, Any], depth: int) -> Any:
    """Return a value of a field's type, in a list if the field is one."""
    if meta["type"] == "enum":
        cls = getattr(model, meta["of"])
        both = [list(cls)[-1], cls("Later")]
        return both if meta.get("many") else both[depth % 2]
    one = (
        filled(getattr(model, meta["of"]), depth - 1) if meta["of"] else SAMPLES.get(meta["type"], {"A": [1]})
    )
    return [one, one] if meta.get("many") else one


def filled(cls: type[Record], depth: int = 1) -> Any:
    """Return an object of ``cls`` with every field set, and so the records in it, ``depth`` objects deep."""
    if depth < 0:
        return cls(extra={"~": 1})
    return cls(**{name: sample(meta, depth) for name, meta in cls.__wire__.items()})
