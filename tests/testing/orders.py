"""A create of a work order that the local Company accepts, and the number of its orders."""

from __future__ import annotations

from tests.docs.prelude import new_order
from wosdk_async import Company, WoCreateCommand, WorkOrder, fields


def create_command(po_number: str = "PO-1") -> WoCreateCommand:
    return WoCreateCommand(work_order=new_order(po_number))


async def count(acme: Company, po_number: str = "PO-1") -> int:
    """Return the number of orders with this PO number."""
    query = acme.query(WorkOrder).where(fields(WorkOrder).po_number == po_number)
    return len([order async for order in query])
