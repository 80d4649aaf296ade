"""What docs/howto.md shows without a helper, tried."""

from __future__ import annotations

from tests.jobs.conftest import Local
from wosdk_async import AssetAttribute, AssetInfo, Location, WorkOrder, fields


async def test_orders_by_hold_reason_and_number(local: Local, order: WorkOrder) -> None:
    """The reason is read with the orders and compared here; numbers keep their zeros."""
    acme, f = local.company, fields(WorkOrder)
    await acme.work_orders.hold(order, reason="Waiting for parts")
    query = acme.query(WorkOrder).where(f.status_id == "OnHold").select("*", "LastAction.Reason.*")
    reasons = [each.last_action.reason.display_as async for each in query]
    assert reasons == ["Waiting for parts"]
    assert (await acme.query(WorkOrder).where(f.number == (order.number or "")).one()).id == order.id


async def test_an_attribute_is_read_with_its_name_and_removed(local: Local) -> None:
    acme, a = local.company, fields(AssetAttribute)
    query = acme.query(AssetAttribute).where(a.asset_id == 20440).select("*", "Descriptor.*")
    (found,) = await query.all()
    assert found.descriptor is not None
    assert found.descriptor.name == "Service line"
    await acme.update(Location.ref(20440), attributes=[AssetAttribute(id=found.id, perform_deletion=True)])
    assert await query.all() == []


async def test_what_asset_info_holds_is_asked_of_the_asset(local: Local) -> None:
    acme, f = local.company, fields(Location)
    await acme.update(Location.ref(20441), info=AssetInfo(tag_id="A-17"))
    found = await acme.query(Location).where(f.info.tag_id == "A-17").select("*", "Info.*").one()
    assert found.id == 20441
    assert found.info is not None
    assert found.info.tag_id == "A-17"
