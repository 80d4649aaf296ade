"""Names that the examples of README and docs use: ``acme`` is a Company, and so on.

Each example becomes the body of a function whose parameters are the fields of :class:`Given`, in a module
that begins with ``IMPORTS``. What a page wants to teach, its examples import themselves.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import httpx
from attrs import define
from starlette.requests import Request

from wosdk_async import (
    AssetAttribute,
    Client,
    Company,
    Customer,
    Document,
    Location,
    Query,
    Task,
    Watermark,
    WoCreateCommand,
    WoItem,
    WoPickUpCommand,
    WorkOrder,
    WorkOrderType,
    WorkZone,
    WoStartCommand,
    WOType,
    fields,
)

if TYPE_CHECKING:
    from wosdk_async.query.fields import AssetAttributeFields, WorkOrderFields

IMPORTS = """\
import copy
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import TYPE_CHECKING

import httpx
import wosdk_async as wosdk
from starlette.requests import Request
from tests.docs.prelude import GatewayAuth
from wosdk_async import *
from wosdk_async.errors import *
from wosdk_async.model import *

if TYPE_CHECKING:
    from wosdk_async.query.fields import AssetAttributeFields, WorkOrderFields
"""


class GatewayAuth(httpx.Auth):
    """Log in at a gateway before the service."""


@define
class Given:
    """Names that examples use without defining them."""

    acme: Company
    client: Client
    order: WorkOrder
    edited: WorkOrder
    customer: Customer
    zone: WorkZone
    document: Document
    command: WoCreateCommand
    commands: Sequence[WoCreateCommand]
    leak: WorkOrder
    query: Query[WorkOrder]
    f: WorkOrderFields
    a: AssetAttributeFields
    key: str
    image_bytes: bytes
    request: Request
    watermark: Watermark | None
    load: Callable[[], str | None]
    save: Callable[[str], None]


def new_order(po_number: str | None = None) -> WorkOrder:
    """Return an order that the service accepts."""
    return WorkOrder(
        po_number=po_number,
        items=[WoItem(asset=Location.ref(20440), task=Task.ref(14211))],
        customer=Customer.ref(512),
        sub_type=WorkOrderType.ref(259),
        type_category=WOType.Request,
    )


def _command(po_number: str | None = None) -> WoCreateCommand:
    return WoCreateCommand(work_order=new_order(po_number))


async def given(client: Client) -> Given:
    """Create the records that the examples use; the order is number 1, and in progress."""
    acme = client.company().with_options(settle=0.1)  # programs that wait it run in a moment
    made = await acme.run(_command())
    assert made.wo is not None
    await acme.run(WoPickUpCommand(work_order_id=made.wo.id))
    await acme.run(WoStartCommand(work_order_id=made.wo.id))
    order = await acme.get(WorkOrder, 1)
    attached = await acme.documents.attach(order, b"a picture", file_name="belt.jpg")
    edited = copy.deepcopy(order)

    async def receive() -> dict[str, object]:
        return {"type": "http.request", "body": b"half a picture"}

    edited.po_number = "PO-78"
    return Given(
        acme=acme,
        client=client,
        order=order,
        edited=edited,
        customer=await acme.get(Customer, 512),
        zone=await acme.get(WorkZone, 14),
        document=await acme.get(Document, attached.id or 0),
        command=_command(),
        commands=[_command("PO-1"), _command("PO-2")],
        leak=new_order(),
        query=acme.query(WorkOrder),
        f=fields(WorkOrder),
        a=fields(AssetAttribute),
        key="PO-79",
        image_bytes=b"a picture",
        request=Request({"type": "http"}, receive),
        watermark=None,
        load=lambda: None,
        save=lambda text: None,
    )
