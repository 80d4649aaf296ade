"""A create of a work order that the local Company accepts, and the number of its orders."""

from __future__ import annotations

from wosdk_async import (
    Company,
    Customer,
    Location,
    Task,
    WoCreateCommand,
    WoItem,
    WorkOrder,
    WorkOrderType,
    WOType,
    fields,
)


def create_command(po_number: str = "PO-1") -> WoCreateCommand:
    return WoCreateCommand(
        work_order=WorkOrder(
            items=[WoItem(asset=Location.ref(20440), task=Task.ref(14211))],
            customer=Customer.ref(512),
            sub_type=WorkOrderType.ref(259),
            type_category=WOType.Request,
            po_number=po_number,
        )
    )


async def count(acme: Company, po_number: str = "PO-1") -> int:
    """Return the number of orders with this PO number."""
    query = acme.query(WorkOrder).where(fields(WorkOrder).po_number == po_number)
    return len([order async for order in query])
