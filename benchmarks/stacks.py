"""Clients to measure: each yields a coroutine function that creates one work order.

All send the same JSON over at most ``size`` connections and read the same response: our client into a typed
WorkOrder through all its layers, most others into a dict.
"""

from __future__ import annotations

import contextlib
import os
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

import attrs
import orjson

import wosdk_async as wosdk
from tests.support.floor import Pool
from tests.support.payload import object_reader
from wosdk_async.protocol import calls

Call = Callable[[], Awaitable[object]]

PATH = "/api/v1/cmd/WoCreateCommand"
HEADERS = {
    "Authorization": "Bearer " + "t" * 64,
    "CompanyName": "Bench",
    "Content-Type": "application/json",
    "Accept-Encoding": "gzip,deflate",
}
ITEM = {"Asset": {"Id": 21544}, "Task": {"Id": 14211}, "Comment": "No cold air since this morning"}
BODY = {
    "Command": {
        "WorkOrder": {
            "Items": [ITEM],
            "TypeCategory": 4,
            "SubType": {"Id": 259},
            "Customer": {"Id": 512},
            "PoNumber": "PO-77",
        },
        "ComputeSchedule": True,
    },
    "RequestId": "0" * 32,
}
_LONG = 600.0  # seconds, so that timers are started but never fire


@attrs.frozen
class Target:
    """Server that the clients are measured with."""

    port: int
    certificate: Path | None = None
    """Certificate of a server that speaks https."""

    @property
    def url(self) -> str:
        """Address of the server."""
        return f"{'http' if self.certificate is None else 'https'}://127.0.0.1:{self.port}"

    def context(self) -> ssl.SSLContext | None:
        """Return a context that trusts the certificate; None over http."""
        return None if self.certificate is None else ssl.create_default_context(cafile=self.certificate)


def command() -> wosdk.WoCreateCommand:
    """Return the command that :data:`BODY` encodes."""
    return wosdk.WoCreateCommand(
        work_order=wosdk.WorkOrder(
            items=[
                wosdk.WoItem(
                    asset=wosdk.Location.ref(21544), task=wosdk.Task.ref(14211), comment=str(ITEM["Comment"])
                )
            ],
            type_category=wosdk.WOType.Request,
            sub_type=wosdk.WorkOrderType.ref(259),
            customer=wosdk.Customer.ref(512),
            po_number="PO-77",
        ),
        compute_schedule=True,
    )


def client(target: Target, size: int) -> wosdk.Client:
    """Return our client for the server, with as many calls at once as connections."""
    if target.certificate is not None:  # by a variable, because TLS sessions of a passed context are not kept
        os.environ["SSL_CERT_FILE"] = str(target.certificate)
    return wosdk.Client(
        region=wosdk.Region("bench", target.url, f"{target.url}/OAuth/token"),
        # As long as a real secret, because texts of the service are searched for it.
        credentials=wosdk.Credentials("id", "Q7rT2mXv9KpL4sWz8NbY6cJd1HfG3gAe"),
        options=wosdk.CallOptions(deadline=_LONG),
        limits=wosdk.Limits(connections=size),
        in_flight=size,
    )


@contextlib.asynccontextmanager
async def _ours(target: Target, size: int) -> AsyncIterator[Call]:
    async with client(target, size) as own:
        bench = own.company("Bench")
        order = command()  # built once, as BODY is for the others

        async def call() -> object:
            made = await bench.run(order)
            assert made.wo is not None
            return made.wo

        yield call


@contextlib.asynccontextmanager
async def ours_looked_at(target: Target, size: int) -> AsyncIterator[Call]:
    """Yield our client in a program that reads every object of the result."""
    read_all = object_reader()
    async with _ours(target, size) as create:

        async def call() -> object:
            return read_all(await create())

        yield call


@contextlib.asynccontextmanager
async def _httpx_json(target: Target, size: int) -> AsyncIterator[Call]:
    import httpx

    limits = httpx.Limits(max_connections=size, max_keepalive_connections=size)
    async with httpx.AsyncClient(
        base_url=target.url,
        headers=HEADERS,
        limits=limits,
        timeout=_LONG,
        verify=target.context() or True,
    ) as client:

        async def call() -> object:
            response = await client.post(PATH, json=BODY)
            response.raise_for_status()
            return response.json()

        yield call


@contextlib.asynccontextmanager
async def _aiohttp_orjson(target: Target, size: int) -> AsyncIterator[Call]:
    import aiohttp

    async with aiohttp.ClientSession(
        target.url,
        headers=HEADERS,
        connector=aiohttp.TCPConnector(limit=size, ssl=target.context() or True),
        cookie_jar=aiohttp.DummyCookieJar(),
        timeout=aiohttp.ClientTimeout(total=_LONG),
    ) as session:

        async def call() -> object:
            async with session.post(PATH, data=orjson.dumps(BODY)) as response:
                response.raise_for_status()
                return orjson.loads(await response.read())

        yield call


@contextlib.asynccontextmanager
async def _pyreqwest_orjson(target: Target, size: int) -> AsyncIterator[Call]:
    from pyreqwest.client import ClientBuilder

    builder = ClientBuilder().max_connections(size).pool_max_idle_per_host(size).default_headers(HEADERS)
    if target.certificate is not None:
        builder = builder.add_root_certificate_pem(target.certificate.read_bytes())
    async with builder.timeout(timedelta(seconds=_LONG)).http1_only().build() as client:
        url = f"{target.url}{PATH}"

        async def call() -> object:
            response = await client.post(url).body_bytes(orjson.dumps(BODY)).build().send()
            assert response.status == 200
            return orjson.loads(memoryview(await response.bytes()))

        yield call


def head(target: Target) -> bytes:
    """Return the head of the floor's requests, up to Content-Length."""
    lines = "".join(f"{name}: {value}\r\n" for name, value in HEADERS.items())
    return f"POST {PATH} HTTP/1.1\r\nHost: 127.0.0.1:{target.port}\r\n{lines}".encode()


@contextlib.asynccontextmanager
async def _floor(target: Target, size: int) -> AsyncIterator[Call]:
    pool, before = Pool(target.port, size, target.context()), head(target)

    async def call() -> Any:
        status, _, body = await pool.post(before, orjson.dumps(BODY), _LONG)
        assert status == 200
        return orjson.loads(body)

    yield call
    pool.close()


@contextlib.asynccontextmanager
async def floor_typed(target: Target, size: int) -> AsyncIterator[Call]:
    """Yield the floor with our typed objects and without our transport: the cost of types alone."""
    pool, before, order = Pool(target.port, size, target.context()), head(target), command()

    async def call() -> Any:
        made = calls.command(order)
        status, _, body = await pool.post(before, made.body or b"", _LONG)
        assert status == 200
        return made.decode(body)

    yield call
    pool.close()


STACKS: dict[str, Callable[[Target, int], contextlib.AbstractAsyncContextManager[Call]]] = {
    "wosdk_async, typed": _ours,
    "wosdk_async, all looked at": ours_looked_at,
    "hand-written floor, dict": _floor,
    "hand-written floor, typed": floor_typed,
    "pyreqwest + orjson, dict": _pyreqwest_orjson,
    "aiohttp + orjson, dict": _aiohttp_orjson,
    "httpx + json, dict": _httpx_json,
}
