"""What an import does with each row: the protocol of operations, and the effect that a row had."""

from __future__ import annotations

from collections.abc import AsyncIterable, Collection, Iterable, Mapping, Sequence
from typing import Any, Literal, Protocol, TypeVar

import attrs

from wosdk_async.calls.run_many import Run
from wosdk_async.company import Company
from wosdk_async.jobs.errors import RowError
from wosdk_async.model import Record

__all__ = ["Effect", "Found", "Item", "Items", "Label", "RowOperation", "effect_of", "usable_id"]

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


class RowOperation(Protocol):
    """What is done with each row."""

    @property
    def name(self) -> str:
        """Stable text that identifies it in a journal."""

    @property
    def label(self) -> Label:
        """What a row is afterwards."""

    @property
    def noun(self) -> str:
        """What is made or changed, in the singular, for people."""

    @property
    def question(self) -> str:
        """The question to ask a person before anything is sent."""

    @property
    def table(self) -> str:
        """The table of the map that has its fields."""

    @property
    def kind(self) -> type[Record]:
        """The class of the record that is built from a row."""

    @property
    def new(self) -> bool:
        """Whether a record needs all fields that a new one needs."""

    @property
    def by(self) -> str | None:
        """The field whose value says which record is changed; None when one is made."""

    @property
    def compares(self) -> bool:
        """Whether :meth:`settled` compares the record that was built from the row."""

    def require_fields(self, names: Collection[str]) -> None:
        """Raise ImportMapError when a map that fills these fields cannot be carried out."""

    def require_marker(self, path: str) -> None:
        """Raise ImportMapError when records cannot be found by the field at ``path``."""

    def run(
        self, company: Company, items: Items[Item], marker: str | None, *, limit: int, grace: float
    ) -> Run[Item, Any]:
        """Return the run that carries it out for each item."""

    async def send(self, company: Company, record: Any, marker: str | None) -> Any:
        """Carry it out for one record."""

    def effect(self, result: Any) -> Effect:
        """Return what :meth:`send` or the run gave, in short."""

    async def find(self, company: Company, path: str, keys: Sequence[str], *, whole: bool = False) -> Found:
        """Return the records that have each key in the field at ``path``; ``whole`` with all values."""

    def point(self, record: Any, key: str, found: Sequence[Any]) -> None:
        """Write the id of the record that is changed into ``record``. Raise RowError when there is none."""

    def settled(self, record: Any, key: str, found: Sequence[Any]) -> Effect | None:
        """Return the effect of a row in doubt, or None when it had none.

        In doubt: no response said whether the row was carried out.

        Raises:
            RowError: nobody can tell; the message says why.
        """
