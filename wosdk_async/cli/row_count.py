"""Number of rows of a query: the service does not count them, so their ids are read."""

from __future__ import annotations

from contextlib import aclosing
from typing import Any

from wosdk_async.cli.output.progress import RowProgress
from wosdk_async.query.builder import Query
from wosdk_async.query.paging import ROW_CAP
from wosdk_async.query.plan import KEYS

__all__ = ["count_rows"]

_PROGRESS = 1000  # rows between two reports


async def count_rows(query: Query[Any], entity: str) -> int:
    """Return the number of rows, by reading their ids (facts 4)."""
    rows, key = 0, KEYS.get(entity)
    found = query.select("Id").scan(size=ROW_CAP) if key is None else aiter(query.select(*key))
    with RowProgress(final=False) as progress:
        async with aclosing(found):
            async for _ in found:
                rows += 1
                if not rows % _PROGRESS:
                    progress.add(_PROGRESS)
    return rows
