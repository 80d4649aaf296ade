"""A create whose answer is lost, against the local Company: a real server and its store."""

from __future__ import annotations

from typing import Any

import attrs

from wosdk_async import CallOptions, Client, Ref, WoCreateCommand, WoItem, WorkOrder, WOType
from wosdk_async.protocol.wire import Response
from wosdk_async.sandbox import LocalCompany
from wosdk_async.transport.http.engine import SendError


class Losing:
    """Sends to the real service, and loses the answers to its first creates."""

    def __init__(self, engine: Any, times: int) -> None:
        self.engine, self.left = engine, times

    async def send(self, method: str, url: str, *request: Any, **more: Any) -> Response:
        answer: Response = await self.engine.send(method, url, *request, **more)
        if url.endswith("/WoCreateCommand") and self.left:
            self.left -= 1
            raise SendError("the answer was lost", sent=True)
        return answer


async def test_a_lost_answer_of_the_local_company(dialect: str) -> None:
    """The order is found by its key, with its number as from a create, and there is one of it."""
    with LocalCompany(dialect=dialect) as local:
        async with Client.from_env(local.variables, options=CallOptions(settle=5.0)) as client:
            acme = client.company()
            await acme.connect()
            loops = client._transport._loops
            ((loop, running),) = loops.items()
            losing = attrs.evolve(running.dispatcher, engine=Losing(running.dispatcher.engine, 1))
            loops[loop] = attrs.evolve(running, dispatcher=losing)
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
    assert made.wo is not None
    assert made.wo.number
    assert [row.id for row in rows if row.po_number == "PO-1"] == [made.wo.id]
