"""An order as it was read, and copies of it with changes."""

from __future__ import annotations

import copy
from collections.abc import Callable
from decimal import Decimal
from typing import Any

from tests.support.service import Answer, Request
from wosdk_async import Address2, Customer, Money, WoEstimate, WoNote, WorkOrder, WorkOrderStatus

DONE = Answer(body={"EntitySpecifier": {"EntityType": "WorkOrder", "Id": 7, "ConcurrencyId": 4}})


def done(request: Request) -> Answer:
    """Return the success of an update: the type and id that it named, and a new version."""
    made = {
        "EntityType": request.path.rpartition("/")[2],
        "Id": request.json["Entity"]["Id"],
        "ConcurrencyId": 4,
    }
    return Answer(body={"EntitySpecifier": made})


ORDER = WorkOrder(
    id=7,
    concurrency_id=3,
    is_new=False,
    po_number="PO-1",
    duration=30,
    status_id=WorkOrderStatus.New,
    vendor_nte=Money(currency_type_id="USD", value=Decimal("1.50")),
    customer=Customer(id=512, name="Lindqvist"),
    address=Address2(id=4, street="1 Main", city="Portmouth"),
    notes=[WoNote(id=1, body="a"), WoNote(id=2, body="b"), WoNote(id=3, body="c")],
    estimate=WoEstimate(id=9, items=None),
    extra={"Novel": 1, "Gone": True},
)


def edited(**changes: Any) -> Callable[[], WorkOrder]:
    def make() -> WorkOrder:
        order = copy.deepcopy(ORDER)
        for name, value in changes.items():
            setattr(order, name, value)
        return order

    return make
