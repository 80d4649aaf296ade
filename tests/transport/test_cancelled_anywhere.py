"""A call may be cancelled wherever it waits: on real sockets, with TLS and without, on both loops."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from tests.engine.raw import RawServer, echoing, engine, get, on_each_loop
from tests.support.certificate import certificate
from tests.support.service import RESET, Answer, Request, Service
from tests.support.suspension import MOMENTS, CancelledAt, Moment
from tests.transport.script import DONE, QUICK
from wosdk_async import Client, Customer, WoCreateCommand, WorkOrder
from wosdk_async.protocol.wire import Response

pytestmark = pytest.mark.plain("each test has servers with TLS and without")

TLS = pytest.mark.parametrize("tls", [False, True], ids=["plain", "TLS"])
EACH_MOMENT = pytest.mark.parametrize("moment", MOMENTS)
_MOST = 200  # suspensions that a call may have


def contexts(tls: bool) -> tuple[ssl.SSLContext | None, ssl.SSLContext | None]:
    """Return the context of a service, and that of its clients."""
    if not tls:
        return None, None
    service = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    service.load_cert_chain(certificate())
    return service, ssl.create_default_context(cafile=certificate())


async def cancelled_at_each_point(
    call: Callable[[int], Awaitable[Any]], moment: Moment, after: Callable[[int, bool], Awaitable[None]]
) -> int:
    """Make a call again and again, each time cancelled one point later, until it ends before that.

    Args:
        call: makes the call of this number.
        moment: see ``CancelledAt``.
        after: gets the number, and whether the call was cancelled, when it has ended.

    Returns:
        At how many points it was cancelled.
    """
    for point in range(_MOST):
        cancelling = CancelledAt(call(point), point, moment)

        async def one(cancelling: CancelledAt = cancelling) -> Any:
            return await cancelling

        task = asyncio.create_task(one())
        async with asyncio.timeout(10):
            await asyncio.wait([task])
        if not task.cancelled():
            task.result()
        await after(point, task.cancelled())
        if not cancelling.reached:
            return point
    raise AssertionError(f"it waits more than {_MOST} times")


@on_each_loop
@TLS
@EACH_MOMENT
@pytest.mark.parametrize("connection", ["new", "kept", "busy"])
async def test_a_request_of_the_engine(tls: bool, moment: Moment, connection: str) -> None:
    """No place is lost, and no connection is used whose response was not read."""
    service, client = contexts(tls)

    others: list[asyncio.Task[Response]] = []
    async with RawServer(echoing, service) as server, engine(context=client, connections=1) as made:

        async def call(number: int) -> None:
            if connection == "busy":
                others.append(asyncio.create_task(get(made, f"{server.url}/other")))
                await asyncio.sleep(0)
            assert (await get(made, f"{server.url}/{number}", safe=False)).body == b"/%d" % number

        async def after(number: int, _: bool) -> None:
            assert {response.body for response in await asyncio.gather(*others)} <= {b"/other"}
            if connection == "new":
                await made.aclose()  # a closed engine uses each connection once
            else:
                assert (await get(made, f"{server.url}/next")).body == b"/next"
            now = made.statistics()
            assert (now.busy, now.waiting) == (0, 0)

        if connection != "new":
            await get(made, server.url)
        points = await cancelled_at_each_point(call, moment, after)
        assert points >= {"new": 2, "kept": 1, "busy": 3}[connection]


class Orders:
    """A service that keeps what is created; ``lost`` responses of creates are resets."""

    def __init__(self, lost: int) -> None:
        self.lost = lost
        self.created: list[str] = []

    def __call__(self, request: Request) -> Answer:
        if "/query/" in request.path:
            wanted = request.body.decode()
            found = [key for key in self.created if f'"{key}"' in wanted]
            return Answer(body={"Entities": [{"Data": {"Id": 7, "PoNumber": key}} for key in found]})
        if request.path.endswith("WoCreateCommand"):
            key = request.json["Command"]["WorkOrder"]["PoNumber"]
            self.created.append(key)
            if self.created.count(key) <= self.lost:
                return RESET
            return DONE
        return Answer(body={"Data": {"Id": 1}})


@on_each_loop
@TLS
@EACH_MOMENT
@pytest.mark.parametrize("lost", [0, 1], ids=["responded", "response lost"])
async def test_a_create(tls: bool, moment: Moment, lost: int) -> None:
    """It is there once at the most; if it is and its caller was cancelled, the hook is told."""
    context, trusted = contexts(tls)

    orders, doubtful = Orders(lost), []
    async with Service(orders, context=context) as service:
        clients: dict[int, Client] = {}

        def made() -> Client:
            return service.client(
                ssl_context=trusted,
                options=QUICK,
                on_in_doubt=lambda call, _: doubtful.append(call.body.decode()),
            )

        async def call(number: int) -> None:
            order = WoCreateCommand(work_order=WorkOrder(po_number=f"PO-{number}"))
            client = clients[number] = made()
            marker = "work_order.po_number" if lost else None
            await client.company().run(order, marker=marker, check=False)

        async def after(number: int, cancelled: bool) -> None:
            client, key = clients[number], f"PO-{number}"
            stats = client.stats()
            assert (stats.in_flight, stats.queued, stats.connections_busy) == (0, 0, 0), number
            await client.company().get(Customer, 1, check=False)
            await client.aclose()
            assert orders.created.count(key) <= 1
            told = sum(f'"{key}"' in body for body in doubtful)
            assert told <= 1
            if key in orders.created:
                assert told == cancelled, number

        assert await cancelled_at_each_point(call, moment, after) > 2
        async with asyncio.timeout(10):
            while service.open_connections:
                await asyncio.sleep(0)
