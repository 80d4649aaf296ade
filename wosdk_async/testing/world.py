"""What the Company of a test starts with: a copy of one that was made once in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from wosdk_async.sandbox.desk import Desk
from wosdk_async.sandbox.errors import Refusal, StoreError
from wosdk_async.sandbox.seed import open_store
from wosdk_async.sandbox.shape import shape_of
from wosdk_async.sandbox.store import Company, Store
from wosdk_async.sandbox.times import Now
from wosdk_async.sandbox.write import create

__all__ = ["Rows", "add_rows", "copy_of", "first_store"]

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


@cache
def first_store(company: str | None = None) -> Store:
    """What a Company starts with, to be copied and left alone; made once for each name.

    Args:
        company: its name; "AcmeFacilities" when left out.
    """
    return open_store(":memory:", company)


def copy_of(store: Store) -> Store:
    """A store in memory with the same content, which nobody else has.

    Copying the pages takes half a millisecond, making them anew fifty.
    """
    return Store(":memory:", like=store)


def add_rows(store: Store, company: Company, rows: Rows, now: int) -> None:
    """Add rows to a Company, all or none. Raises StoreError."""
    desk = Desk(store, company, Now(now))
    with store.transaction():
        for entity, each in rows.items():
            for members in each:
                _add(desk, entity, members)


def _add(desk: Desk, entity: str, members: Mapping[str, Any]) -> None:
    key = members.get("Id")
    try:
        shape = shape_of(entity)
        unknown = [name for name in members if shape.field(name) is None]
        if unknown:
            raise StoreError(f"{entity} has no property {unknown[0]!r}.")
        if key is not None:
            desk.store.raise_counter(shape.name, key - 1)
        row = create(desk, shape, members)
    except Refusal as refusal:
        raise StoreError(f"{entity}: {refusal.message}") from refusal
    if key not in (None, row["Id"]):
        raise StoreError(f"{entity} {key} is taken. Name an Id from {row['Id']} on, or none.")
