"""Commands on the cost record of a work order (spec 4.5, facts 5)."""

from __future__ import annotations

from wosdk_async.sandbox.body import Row
from wosdk_async.sandbox.desk import Desk
from wosdk_async.sandbox.errors import modified, required
from wosdk_async.sandbox.selection import shown
from wosdk_async.sandbox.shape import shapes

from .registry import Arguments, command, needed
from .workflow import the_order

__all__ = ["change_ap_status", "change_cost_status"]


@command("ApStatusChangeCommand")
def change_ap_status(desk: Desk, arguments: Arguments) -> Row:
    """Set the vendor invoice status to an ApInvoiceStatus row, whose state the cost takes."""
    return _change(desk, arguments, "VendorInvoiceStatusId", "ApInvoiceStatus", ("ApStatusId", "ApStateId"))


@command("CostStatusChangeCommand")
def change_cost_status(desk: Desk, arguments: Arguments) -> Row:
    """Set the internal cost status to an InternalCostStatus row (facts 5)."""
    return _change(desk, arguments, "CostStatusId", "InternalCostStatus", ("CostStatusId", "CostState"))


_STATES = {"ApInvoiceStatus": "ApStateId", "InternalCostStatus": "InternalCostStateId"}


def _change(desk: Desk, arguments: Arguments, name: str, entity: str, targets: tuple[str, str]) -> Row:
    """The work order itself stays as it is: every record counts for itself (facts 3.7)."""
    order = the_order(desk, arguments)
    cost = desk.row("WorkOrderCost", order["Id"])
    status_field, state_field = targets
    expected = (arguments.get("CurrentStatusId", 0), arguments.get("FinancialConcurrencyId", 0))
    if expected[0] not in (0, cost[status_field]) or expected[1] not in (0, cost["ConcurrencyId"]):
        raise modified()  # facts 3.7
    key = arguments.get(name, 0)
    if not key:
        raise required(name)
    status = needed(desk.find(entity, key), name, key)
    changed = cost | {status_field: key, state_field: status[_STATES[entity]]}
    if changed != cost:  # a write that changes nothing does not count (facts 3.7)
        desk.replace(shapes()["WorkOrderCost"], changed)
    return {"Financial": shown(desk, "WorkOrderCost", changed)}
