"""A local Company that counts what it is asked, and a work order of it."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.jobs.conftest import Local, serving
from wosdk_async import (
    Customer,
    Location,
    Task,
    WoCreateCommand,
    WoItem,
    WoPickUpCommand,
    WorkOrder,
    WorkOrderType,
    WoStartCommand,
    WOType,
)


@pytest.fixture
async def local(tmp_path: Path, seeded_store: Path, dialect: str) -> AsyncIterator[Local]:
    """Yield a fresh local Company."""
    shutil.copy(seeded_store, tmp_path / "store.db")
    async with serving(tmp_path / "store.db", dialect) as found:
        yield found


@pytest.fixture
async def order(local: Local) -> WorkOrder:
    """Create a work order."""
    return await ordered(local)


async def ordered(local: Local) -> WorkOrder:
    """Create one more work order."""
    made = await local.company.run(
        WoCreateCommand(
            work_order=WorkOrder(
                items=[WoItem(asset=Location.ref(20440), task=Task.ref(14211))],
                customer=Customer.ref(512),
                sub_type=WorkOrderType.ref(259),
                type_category=WOType.Request,
            )
        )
    )
    assert made.wo is not None
    return made.wo


async def started(local: Local, order: WorkOrder) -> WorkOrder:
    """Put the work order in progress."""
    await local.company.run(WoPickUpCommand(work_order_id=order.id))
    made = await local.company.run(WoStartCommand(work_order_id=order.id))
    assert made.wo is not None
    return made.wo
