"""Requests as a user of the client writes them."""

from __future__ import annotations

from typing import Any

from tests.spec.local import ASSET, CONTACT, CUSTOMER, SUB_TYPE, TASK
from wosdk_async import Ref, WoCreateCommand, WoItem, WorkOrder


def typed_request(**changes: Any) -> WoCreateCommand:
    """The request of ``local.create_request`` with the classes of the model."""
    order = {
        "items": [WoItem(asset=Ref(ASSET), task=Ref(TASK))],
        "contactid": CONTACT,
        "type_category": "Request",
        "sub_type": Ref(SUB_TYPE),
        "customer": Ref(CUSTOMER),
    }
    return WoCreateCommand(work_order=WorkOrder(**order), compute_schedule=True, **changes)
