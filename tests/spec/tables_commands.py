"""Spec 4.3 to 4.8 as tables: each command as the client takes it and as it is on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from tests.spec.table import Json
from tests.support.service import Answer
from wosdk_async import (
    Address2,
    ApStatusChangeCommand,
    NewUnitSpecifier,
    Ref,
    SendWorkOrderCommand,
    SpaceCreateCommand,
    VerifyWorkCommand,
    WoCompleteCommand,
    WoCreateCommand,
    WoItem,
    WorkOrder,
)

CREATE = WoCreateCommand(
    work_order=WorkOrder(
        items=[WoItem(asset=Ref(20440), task=Ref(14211)), WoItem(asset=Ref(20441), task=Ref(14213))],
        contactid=731,
        type_category="Request",
        sub_type=Ref(259),
        customer=Ref(512),
    ),
    compute_schedule=True,
)
CREATED = {
    "WorkOrder": {
        "Items": [
            {"Asset": {"Id": 20440}, "Task": {"Id": 14211}},
            {"Asset": {"Id": 20441}, "Task": {"Id": 14213}},
        ],
        "Contactid": 731,
        "RequestorContact": {"Id": 731},  # facts 5: the recordings drop Contactid and take this
        "TypeCategory": 4,
        "SubType": {"Id": 259},
        "Customer": {"Id": 512},
    },
    "ComputeSchedule": True,
}
SPACE_CREATE = SpaceCreateCommand(
    customer_id=512,
    start_date=datetime(2024, 6, 1),
    if_unit_already_exists="Reuse",
    instructions="Keys at the desk.",
    new_unit_specifier=NewUnitSpecifier(
        unit_name="Suite 210",
        unit_floor_plan="Small suite",
        street_address=Address2(
            actor_type_id="CommLeaseSpace",
            type_id="Primary",
            street="18 Quay Street",
            street2="Door 3",
            city="Portmouth",
            state="ME",
            zip="04099",
            country="USA",
        ),
    ),
)
SPACE_CREATED = {
    "CustomerId": "512",
    "StartDate": "2024-06-01T00:00:00",
    "IfUnitAlreadyExists": "Reuse",
    "Instructions": "Keys at the desk.",
    "NewUnitSpecifier": {
        "UnitName": "Suite 210",
        "UnitFloorPlan": "Small suite",
        "StreetAddress": {
            "ActorTypeId": "CommLeaseSpace",
            "TypeId": "Primary",
            "Street": "18 Quay Street",
            "Street2": "Door 3",
            "City": "Portmouth",
            "State": "ME",
            "Zip": "04099",
            "Country": "USA",
        },
    },
}
# section, command, path segment, its ``Command``
COMMANDS: list[tuple[str, Any, str, Json]] = [
    ("4.3", CREATE, "WoCreateCommand", CREATED),
    ("4.4", SPACE_CREATE, "SpaceCreateCommand", SPACE_CREATED),
    (
        "4.5",
        ApStatusChangeCommand(work_order_id=90417, vendor_invoice_status_id=7),
        "ApStatusChangeCommand",
        {"WorkOrderid": 90417, "VendorInvoiceStatusId": 7},
    ),
    ("4.6", SendWorkOrderCommand(work_order_id=90417), "SendWorkOrder", {"WorkOrderId": 90417}),
    (
        "4.7",
        VerifyWorkCommand(work_order_id=90417, wo_rating_id="Positive", comment="Neat."),
        "VerifyWorkCommand",
        {"WorkOrderId": 90417, "WoRatingId": "Positive", "Comment": "Neat."},
    ),
    (
        "4.8",
        WoCompleteCommand(work_order_id=90417, comment="Belt replaced."),
        "WoCompleteCommand",
        {"WorkOrderId": 90417, "Comment": "Belt replaced."},
    ),
    (
        "4.8-with-Region-and-type",
        WoCompleteCommand(work_order_id=90417, comment="Done.", region="Americas", type="WoCompleteCommand"),
        "WoCompleteCommand",
        {"WorkOrderId": 90417, "Comment": "Done.", "Region": "Americas", "type": "WoCompleteCommand"},
    ),
]


def result(content: Any) -> Answer:
    return Answer(body={"CommandResult": content})
