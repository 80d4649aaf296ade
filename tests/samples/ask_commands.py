"""What a program writes for each sample of a command: one function for one file, under the file's name."""

from __future__ import annotations

from datetime import datetime as _datetime
from typing import Any

import wosdk_async as _wosdk
from wosdk_async import Company as _Company
from wosdk_async import Ref as _Ref


async def ap_status_change(acme: _Company) -> Any:
    return await acme.run(_wosdk.ApStatusChangeCommand(work_order_id=90417, vendor_invoice_status_id=5))


async def get_doc_download_url(acme: _Company) -> Any:
    return await acme.run(_wosdk.GetDocDownloadUrlCommand(document_ids=[70021]))


async def send_work_order(acme: _Company) -> Any:
    return await acme.run(_wosdk.SendWorkOrderCommand(work_order_id=90417))


async def space_create(acme: _Company) -> Any:
    address = _wosdk.Address2(
        actor_type_id="CommLeaseSpace",
        type_id="Primary",
        street="18 Quay Street",
        street2="Suite 214",
        city="Portmouth",
        state="ME",
        zip="04099",
        country="USA",
    )
    unit = _wosdk.NewUnitSpecifier(
        unit_name="Suite 214", unit_floor_plan="Small suite", street_address=address
    )
    return await acme.run(
        _wosdk.SpaceCreateCommand(
            customer_id=512,
            start_date=_datetime(2024, 6, 1),
            if_unit_already_exists="Reuse",
            instructions="Keys at reception.",
            new_unit_specifier=unit,
        )
    )


async def verify_work(acme: _Company) -> Any:
    verify = _wosdk.VerifyWorkCommand
    return await acme.run(
        verify(work_order_id=90417, wo_rating_id="Positive", comment="Cool again, thank you.")
    )


async def wo_assign(acme: _Company) -> Any:
    assign = _wosdk.WoAssignCommand
    return await acme.run(
        assign(work_order_id=90417, assignees=[208, 215], mode="Snapshot", comment="Two people needed.")
    )


async def wo_cancel(acme: _Company) -> Any:
    cancel = _wosdk.WoCancelCommand
    return await acme.run(cancel(work_order_id=90418, action_reason_id=1841, comment="Entered twice."))


async def wo_complete(acme: _Company) -> Any:
    return await acme.run(
        _wosdk.WoCompleteCommand(
            work_order_id=90417,
            comment="Replaced the belt, airflow normal.",
            completion_note_option="Replace",
            repair_code_id=61,
        )
    )


async def wo_create(acme: _Company) -> Any:
    """The requestor goes out in both places: the specification's and the recordings'."""
    order = _wosdk.WorkOrder(
        items=[_wosdk.WoItem(asset=_Ref(21544), task=_Ref(14211))],
        contactid=731,
        contact_name="Tomas Lindqvist",
        type_category="Request",
        sub_type=_Ref(4),
        customer=_Ref(512),
    )
    return await acme.run(_wosdk.WoCreateCommand(work_order=order, compute_schedule=True))


async def wo_create_basic(acme: _Company) -> Any:
    field = _wosdk.CustomField2(descriptor=_Ref(88), object_type_id="WO", value="Dock 2")
    order = _wosdk.WorkOrder(
        items=[_wosdk.WoItem(asset=_Ref(21544), task=_Ref(14211), comment="Belt squeals.")],
        type_category="Basic",
        sub_type=_Ref(1),
        work_zone=_Ref(14),
        custom_fields=[field],
    )
    return await acme.run(
        _wosdk.WoCreateCommand(
            work_order=order,
            compute_assignment=False,
            compute_schedule=True,
            comment="Raised by the morning round.",
        )
    )


async def wo_on_hold(acme: _Company) -> Any:
    hold = _wosdk.WoOnHoldCommand
    return await acme.run(hold(work_order_id=90417, action_reason_id=2207, comment="Waiting for a belt."))


async def wo_pick_up(acme: _Company) -> Any:
    return await acme.run(_wosdk.WoPickUpCommand(work_order_id=90417, comment="On my way."))


async def wo_reopen(acme: _Company) -> Any:
    return await acme.run(_wosdk.WoReopenCommand(work_order_id=90417, comment="Warm again."))


async def wo_start(acme: _Company) -> Any:
    return await acme.run(_wosdk.WoStartCommand(work_order_id=90417))
