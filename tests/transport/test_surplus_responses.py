"""Surplus responses over each adapter: idle sockets are checked. Those to commands: ``test_desync.py``."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import ssl
from collections.abc import AsyncIterator, Callable
from typing import Any

import attrs
import httpx
import httpx2
import pytest
import uvloop

from tests.support.laws import WHOLE
from tests.support.service import Answer, Request, Service
from tests.support.virtual import settle
from tests.transport.test_cancelled_anywhere import TLS, contexts
from wosdk_async import (
    CallOptions,
    Client,
    Limits,
    Region,
    RetryPolicy,
)

pytestmark = pytest.mark.plain("each test runs with and without TLS by itself")
ONCE = CallOptions(retry=RetryPolicy(attempts=1), deadline=20)
LOOPS = {"asyncio": asyncio.run, "uvloop": uvloop.run}
CREATED = lambda _: Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": 1}})  # noqa: E731


def ways(adapters: list[str]) -> pytest.MarkDecorator:
    """Run a test over each adapter; on both loops where it asks the loop itself for its connections."""
    pairs = [
        (loop, each) for each in adapters for loop in LOOPS if WHOLE or loop == "asyncio" or each == "native"
    ]
    return pytest.mark.parametrize(
        ("run", "adapter"), [pytest.param(LOOPS[loop], each, id=f"{loop}-{each}") for loop, each in pairs]
    )


@attrs.frozen
class Crowded(Answer):
    """A response with other bytes behind it in the same segment."""

    behind: bytes = b""

    def raw(self) -> bytes:
        return super().raw() + self.behind


@contextlib.asynccontextmanager
async def over(
    adapter: str, service: Service, trusted: ssl.SSLContext | None, connections: int = 1
) -> AsyncIterator[Client]:
    more: dict[str, Any] = {"limits": Limits(connections=connections), "options": ONCE}
    if adapter == "native":
        async with service.client(ssl_context=trusted, **more) as client:
            yield client
        return
    library: Any = httpx2 if adapter == "httpx2" else httpx
    limits = library.Limits(max_connections=connections)
    if adapter == "transport":
        async with library.AsyncHTTPTransport(verify=trusted or True, limits=limits) as transport:
            async with service.client(transport=transport, **more) as client:
                yield client
        return
    async with library.AsyncClient(verify=trusted or True, trust_env=False, limits=limits) as own:
        async with service.client(http_client=own, **more) as client:
            yield client


class Talkative(Service):
    """Its connections can be written to between two requests."""

    writers: list[asyncio.StreamWriter]

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers = [writer]
        super()._connected(reader, writer)


@ways(["native", "httpx", "httpx2"])
@TLS
@pytest.mark.parametrize("speaks", [True, False], ids=["a response", "the end"])
def test_what_comes_between_two_requests_closes_the_connection(
    run: Callable[..., None], tls: bool, adapter: str, speaks: bool
) -> None:
    """A base create has no RequestId: it takes another connection, gets its own id and is in no doubt."""
    context, trusted = contexts(tls)
    ids = itertools.count(1)

    def created(_: Request) -> Answer:
        return Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": next(ids)}})

    async def creates() -> None:
        async with Talkative(created, context=context) as service, over(adapter, service, trusted) as client:
            acme = client.company()
            assert (await acme.create("Customer", {"Name": "x"}, check=False)).id == 1
            before = service.connections
            for expected in (2, 3):
                (writer,) = service.writers
                if speaks:
                    stray = Answer(body={"EntitySpecifier": {"EntityType": "Customer", "Id": 999}})
                    writer.write(stray.raw())
                    await writer.drain()
                else:
                    writer.transport.abort()
                    await settle()  # the socket is closed in a later turn
                assert (await acme.create("Customer", {"Name": "x"}, check=False)).id == expected
            assert service.connections - before == 2

    run(creates())


@ways(["native", "httpx", "httpx2", "transport"])
@pytest.mark.parametrize("doubled", ["token", "discovery"])
def test_no_log_in_gets_a_response_to_another(run: Callable[..., None], adapter: str, doubled: str) -> None:
    """The first comes twice in one write, and none says for certain which Company it is for."""

    surplus = [doubled]

    def sent(response: Any, kind: str) -> Answer:
        if surplus != [kind]:
            return response
        surplus.clear()
        return Crowded(body=response.body, behind=response.raw())

    async def log_in() -> None:
        async with Service() as tokens, Service() as locator, Service(CREATED, name="localhost") as service:
            region = Region("test", locator_url=locator.url, token_url=f"{tokens.url}/OAuth/token")

            def discovered(request: Request) -> Answer:
                host = {"a": "localhost", "b": "127.0.0.1"}[request.json["Command"]["CompanyName"]]
                found = {"Url": service.url.replace("localhost", host)}
                return sent(Answer(body={"CommandResult": found}), "discovery")

            on_token = tokens.on_token
            tokens.on_token = lambda request: sent(on_token(request), "token")
            locator.on_discovery = discovered
            async with over(adapter, service, None, 8) as client:
                for name in ("a", "b"):
                    acme = client.company(name, region=region)
                    await acme.create("Customer", {"Name": name}, check=False)
            a, b = (call.headers for call in service.calls)
            assert (a["companyname"], a["host"][:9]) == ("a", "localhost")
            assert (b["companyname"], b["host"][:9]) == ("b", "127.0.0.1")
            assert a["authorization"] != b["authorization"]

    run(log_in())
    assert not surplus
