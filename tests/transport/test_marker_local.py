"""A create whose response is lost, against the local Company: a real server and its store."""

from __future__ import annotations

import httpx

from wosdk_async import CallOptions, Client, Ref, WoCreateCommand, WoItem, WorkOrder, WOType
from wosdk_async.sandbox import LocalCompany


class Losing(httpx.AsyncBaseTransport):
    """Transport that sends to the real service, and loses the response to the first create."""

    def __init__(self) -> None:
        self.inner, self.lost = httpx.AsyncHTTPTransport(), 0

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        response = await self.inner.handle_async_request(request)
        if request.url.path.endswith("/WoCreateCommand") and not self.lost:
            self.lost += 1
            await response.aread()
            raise httpx.ReadError("the response was lost")
        return response

    async def aclose(self) -> None:
        await self.inner.aclose()


async def test_a_lost_response_of_the_local_company(dialect: str) -> None:
    """The order is found by its key, with its number as from a create, and there is one of it."""
    with LocalCompany(dialect=dialect) as local:
        async with (
            Losing() as losing,
            Client.from_env(local.variables, options=CallOptions(settle=5.0), transport=losing) as client,
        ):
            acme = client.company()
            order = WorkOrder(
                po_number="PO-1",
                items=[WoItem(asset=Ref(20440), task=Ref(14211))],
                customer=Ref(512),
                sub_type=Ref(259),
                type_category=WOType.Request,
            )
            command = WoCreateCommand(work_order=order, compute_schedule=True)
            made = await acme.run(command, marker="work_order.po_number")
            rows = await acme.query(WorkOrder).select("*").all()
    assert losing.lost == 1
    assert made.wo is not None
    assert made.wo.number
    assert [row.id for row in rows if row.po_number == "PO-1"] == [made.wo.id]
