"""Pages of an export that are longer than a response may be."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
import pytest

from tests.export.conftest import Orders, order
from tests.support.service import Service
from wosdk_async import Limits, NoAnswerError, WorkOrder
from wosdk_async.jobs import Export


@pytest.mark.parametrize("limit", [None, 40])
async def test_a_page_that_is_too_long_is_asked_for_by_half(
    orders: Orders, tmp_path: Path, limit: int | None
) -> None:
    """At once, and the next pages too: the same page would be as long again."""
    orders.rows = {id: order(id, TaskRefinement="x" * 1000) for id in range(1, 60)}
    async with Service() as service, service.client(limits=Limits(body=16_000)) as client:
        service.handler = orders
        summary = await Export(
            WorkOrder, tmp_path / "orders.parquet", company=client.company(), page=40, parallel=1, limit=limit
        )
    assert summary.rows == (limit or 59)
    assert pq.read_table(tmp_path / "orders.parquet")["Id"].to_pylist() == list(range(1, summary.rows + 1))
    pages = [above for above, until in orders.asked if until == 59]
    assert pages == [None, None, None, *range(10, summary.rows, 10)]


async def test_a_record_that_is_too_long_ends_the_export(orders: Orders, tmp_path: Path) -> None:
    """There is no half of it."""
    orders.rows = {1: order(1, TaskRefinement="x" * 20_000), 2: order(2)}
    async with Service() as service, service.client(limits=Limits(body=12_000)) as client:
        service.handler = orders
        with pytest.raises(NoAnswerError, match="longer than 12000 bytes"):
            await Export(WorkOrder, tmp_path / "orders.parquet", company=client.company(), page=2, parallel=1)
    assert [bounds for bounds in orders.asked if bounds[1]] == [(None, 2), (None, 2)]
