"""Log-ins over the program's own httpx pool: only those that hang give way, and a full pool is reported."""

from __future__ import annotations

import asyncio
from typing import Any

import httpx
import httpx2
import pytest

from tests.support.service import Answer, Request, Service
from tests.support.virtual import World
from wosdk_async import Client
from wosdk_async.options import Limits
from wosdk_async.transport.http.engine import POOL_EXHAUSTED


async def connect_all(client: Client, companies: int) -> None:
    await asyncio.gather(*(client.company(f"c{number}").connect() for number in range(companies)))


@pytest.mark.parametrize("library", [httpx, httpx2])
@pytest.mark.parametrize("way", ["http_client", "transport"])
async def test_no_log_in_gives_way_within_a_second(library: Any, way: str) -> None:
    """Tokens take longer than over a pool of ours, where requests give way sooner; each is requested once."""
    async with Service() as service:
        respond = service.on_token

        async def slowly(request: Request) -> Answer:
            await asyncio.sleep(0.3)
            found = respond(request)
            assert isinstance(found, Answer)
            return found

        service.on_token = slowly
        limits = library.Limits(max_connections=8)
        made = {"http_client": library.AsyncClient, "transport": library.AsyncHTTPTransport}[way](
            limits=limits
        )
        async with made, service.client(**{way: made}, limits=Limits(connections=8)) as client:
            await connect_all(client, 12)
    assert len(service.tokens) == 12
    assert {each.headers["accept"] for each in service.tokens} == {"application/json"}
    ended = {each.headers["connection"] for each in (*service.tokens, *service.discoveries)}
    assert ended == {"close"}, "no response says to which request it belongs"


async def test_log_ins_that_hang_give_way_after_a_second() -> None:
    """There are more of them than slots. They are retried in a few, which leaves the others to new ones."""
    await asyncio.gather(*map(let_log_ins_hang, (httpx, httpx2)))


async def let_log_ins_hang(library: Any) -> None:

    async def hang_or_respond(request: Request) -> Answer:
        if request.headers["companyname"].startswith("hangs"):
            await asyncio.Event().wait()
        found = respond(request)
        assert isinstance(found, Answer)
        return found

    async with Service() as service, library.AsyncClient() as own:
        respond, service.on_discovery = service.on_discovery, hang_or_respond
        async with service.client(http_client=own, limits=Limits(connections=8)) as client:
            hanging = [asyncio.create_task(client.company(f"hangs {n}").connect()) for n in range(20)]
            while len(service.discoveries) < 8:
                await asyncio.sleep(0)
            for healthy in ("first", "second"):  # the second comes while those that hang are retried
                await client.company(healthy).with_options(deadline=6.0).connect()
            assert not any(task.done() for task in hanging)
            for task in hanging:
                task.cancel()
            await asyncio.gather(*hanging, return_exceptions=True)


async def test_log_ins_use_no_more_connections_than_the_limits_say() -> None:
    """The pool may have no more, and is shared with calls."""
    now = most = 0
    async with Service() as service:
        respond = service.on_token

        async def counted(request: Request) -> Answer:
            nonlocal now, most
            now, most = now + 1, max(most, now + 1)
            await asyncio.sleep(0)
            now -= 1
            found = respond(request)
            assert isinstance(found, Answer)
            return found

        service.on_token = counted
        async with httpx.AsyncClient() as own:
            async with service.client(http_client=own, limits=Limits(connections=3)) as client:
                await connect_all(client, 20)
    assert most <= 3


async def test_a_log_in_that_got_no_connection_reports_the_pool() -> None:
    """The error of a call that waited for it, too."""
    world = World(lambda *_: asyncio.sleep(0))  # type: ignore[arg-type]  # no call gets that far

    async def wait(*_: object) -> Any:
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as cancelled:
            cancelled.add_note(POOL_EXHAUSTED)  # as the engine does
            raise

    world.on_token = wait
    call = asyncio.create_task(world.company(deadline=12.0).get("Thing", 1))
    await world.time.finish(call)
    assert POOL_EXHAUSTED in str(call.exception())
