"""What operations of an import take and give: items with records, found records, and the effect of a row."""

from __future__ import annotations

from collections.abc import AsyncIterable, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

import attrs

from wosdk_async.jobs.errors import RowError

__all__ = ["Effect", "Found", "Item", "Items", "Label", "effect_of", "usable_id"]

Label = Literal["created", "updated", "deleted", "done"]
"""What a row is when its operation was carried out."""

Found = Mapping[str, Sequence[Any] | RowError]
"""Records that have each key; or the error of the rows whose key too many records have."""


def usable_id(value: Any) -> int | None:
    """Return an id or a version of a response; None for what no record can have, whatever was sent."""
    return value if type(value) is int and 0 < value < 2**63 else None  # True is an int, too


@attrs.frozen
class Effect:
    """The record that a row created or changed, as far as the response says."""

    entity: str = ""
    id: int | None = attrs.field(default=None, converter=usable_id)
    number: str | None = None
    version: int | None = attrs.field(default=None, converter=usable_id)


def effect_of(record: Any, entity: str | None = None) -> Effect:
    """Return the effect that a record shows, or what a record of type ``entity`` will be made of."""
    number = getattr(record, "number", None)
    return Effect(
        entity or record.wire_name,
        getattr(record, "id", None),
        number if isinstance(number, str) else None,
        getattr(record, "concurrency_id", None),
    )


class HasRecord(Protocol):
    """One input of a run: a row with the record that was built from it."""

    record: Any


Item = TypeVar("Item", bound=HasRecord)
Items = Iterable[Item] | AsyncIterable[Item]
