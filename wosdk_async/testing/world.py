"""What the Companies of a test start with: a copy of a store that was made once in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from wosdk_async.sandbox.schema.values import Moment
from wosdk_async.sandbox.seed.rows import given_rows, load_rows
from wosdk_async.sandbox.seed.seed import found_company, open_store
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store

__all__ = ["Rows", "add_rows", "copy_of", "first_store"]

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


@cache
def first_store(companies: tuple[str, ...]) -> Store:
    """What these Companies start with, to be copied and left alone; made once for the same names.

    Args:
        companies: their names; "AcmeFacilities" when there are none.

    Raises:
        ValueError: a name cannot be used.
    """
    store = open_store(":memory:", *companies[:1])
    for name in companies[1:]:
        found_company(store, name)
    return store


def copy_of(store: Store) -> Store:
    """A store in memory with the same content, which nobody else has.

    Copying the pages takes half a millisecond, making them anew fifty.
    """
    return Store(":memory:", like=store)


def add_rows(store: Store, company: StoredCompany, rows: Rows, now: Moment) -> None:
    """Add rows to a Company, all or none. Raises StoreError."""
    load_rows(store, company, given_rows(rows), now)
