"""Pools of the program's own client or transport: whether a request left, and who took the connections."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from h2.config import H2Configuration
from h2.connection import H2Connection
from h2.events import StreamEnded

from tests.engine.conftest import serving
from tests.engine.proxy import Proxy
from tests.engine.raw import RawServer
from tests.support.service import Answer, Request, Service
from tests.support.tls import trusted
from tests.transport.script import DONE, QUICK
from wosdk_async import (
    CallOptions,
    Client,
    InDoubtError,
    NotSentError,
    RetryPolicy,
    Timeouts,
    WosdkError,
)
from wosdk_async.options import ClientOptions
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.http.engine import Request as SentRequest
from wosdk_async.transport.http.selection import engine_for

SHORT = CallOptions(deadline=0.2, retry=RetryPolicy(attempts=2, wait_initial=0.001))
WAYS = pytest.mark.parametrize("way", ["http_client", "transport"])


class Holding(Service):
    """Answers commands; a request for ``/hold`` keeps its connection, and a command in ``silence`` too."""

    def __init__(self) -> None:
        super().__init__(self._hold)
        self.held, self.silence = asyncio.Event(), False

    async def _hold(self, request: Request) -> Answer:
        if request.path == "/hold" or self.silence:
            self.held.set()
            await asyncio.Event().wait()
        return DONE

    @property
    def creates(self) -> int:
        return sum("/cmd/" in call.path for call in self.calls)


@pytest.fixture
async def service() -> AsyncIterator[Holding]:
    async with Holding() as made:
        yield made


def transport_of(library: Any, **more: Any) -> Any:
    more.setdefault("limits", library.Limits(max_connections=1))
    return library.AsyncHTTPTransport(verify=trusted(), **more)


def client_of(library: Any, kind: Any = None, **more: Any) -> Any:
    more.setdefault("limits", library.Limits(max_connections=1))
    return (kind or library.AsyncClient)(verify=trusted(), timeout=None, trust_env=False, **more)


@contextlib.asynccontextmanager
async def connected(service: Service, own: Any, **more: Any) -> AsyncIterator[Client]:
    """A client over the program's own part, with a session."""
    way = "http_client" if hasattr(own, "is_closed") else "transport"
    async with own, service.client(**{way: own, "options": SHORT, **more}) as client:
        await client.company().with_options(deadline=10).connect()
        yield client


@contextlib.asynccontextmanager
async def exhausted(library: Any, service: Holding, own: Any) -> AsyncIterator[None]:
    """Take the only connection of a pool."""
    request = library.Request("GET", f"{service.url}/hold")
    send = own.send if hasattr(own, "is_closed") else own.handle_async_request
    task = asyncio.create_task(send(request))
    await service.held.wait()
    yield
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


async def create(client: Client) -> Any:
    return await client.company().run("WoCreateCommand", {})


async def failure(client: Client, kind: type[WosdkError]) -> WosdkError:
    with pytest.raises(kind) as caught:
        await create(client)
    return caught.value


@WAYS
async def test_an_exhausted_pool_at_the_deadline(library: Any, service: Holding, way: str) -> None:
    """The create was not sent; the error names the pool, has a remedy, and the next call works."""
    own = transport_of(library) if way == "transport" else client_of(library)
    told: list[Any] = []
    async with connected(service, own, on_in_doubt=lambda *call: told.append(call)) as client:
        async with exhausted(library, service, own):
            error = await failure(client, NotSentError)
            assert "pool" in error.message
            assert error.remedies == (Remedy.POOL,)
            task = asyncio.create_task(create(client))
            while not client.stats().connections_busy:
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            assert task.cancelled()
        assert (service.creates, told) == (0, [])
        assert await client.company().with_options(deadline=10).run("WoCreateCommand", {}) == {
            "Wo": {"Id": 7}
        }


@WAYS
async def test_an_exhausted_pool_at_its_own_timeout(library: Any, service: Holding, way: str) -> None:
    """The same error, after the attempts of the policy: the pool may have room at the next one."""
    own = transport_of(library) if way == "transport" else client_of(library)
    async with connected(service, own, timeouts=Timeouts(pool=0.01), options=QUICK) as client:
        async with exhausted(library, service, own):
            error = await failure(client, NotSentError)
    assert "pool" in error.message
    assert error.remedies == (Remedy.POOL,)
    assert (error.attempts, service.creates) == (3, 0)


async def test_a_create_that_left_through_a_proxy_is_in_doubt(library: Any, service: Holding) -> None:
    """The pool of a proxy sends its own request, with the events of ours."""
    async with Proxy() as proxy:
        async with connected(service, client_of(library, proxy=f"http://{proxy.address}")) as client:
            assert await create(client) == {"Wo": {"Id": 7}}
            service.silence = True
            await failure(client, InDoubtError)
    assert service.creates == 2


async def test_a_request_that_left_over_http2_was_sent(library: Any, certificates: dict[str, Path]) -> None:
    """The service has it, and never responds."""
    got, sent = asyncio.Event(), list[None]()

    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        http2 = H2Connection(H2Configuration(client_side=False))
        http2.initiate_connection()
        writer.write(http2.data_to_send())
        while data := await reader.read(65536):
            if any(isinstance(event, StreamEnded) for event in http2.receive_data(data)):
                assert sent == [None]
                got.set()
            writer.write(http2.data_to_send())

    serving_http2 = serving(certificates["here"])
    serving_http2.set_alpn_protocols(["h2"])
    trust = ssl.create_default_context(cafile=certificates["here"])
    async with (
        RawServer(hold, serving_http2) as server,
        library.AsyncClient(http2=True, verify=trust, timeout=None, trust_env=False) as own,
    ):
        engine = engine_for(ClientOptions(http_client=own))
        send = engine.send(SentRequest("POST", f"{server.url}/x", (), b"{}", lambda: sent.append(None)))
        task = asyncio.create_task(send)
        await asyncio.wait([task, asyncio.create_task(got.wait())], return_when=asyncio.FIRST_COMPLETED)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        assert task.cancelled()
    assert (got.is_set(), sent) == (True, [None])


# --- parts of the program that may send a request without events --------------------------------


def copy_of(library: Any, request: Any) -> Any:
    return library.Request(request.method, request.url, headers=request.headers, content=request.content)


def subclass_of_transport(library: Any) -> Any:
    """A request of its own, with other extensions, is sent by the library."""

    class Transport(library.AsyncHTTPTransport):  # type: ignore[misc, name-defined]
        async def handle_async_request(self, request: Any) -> Any:
            return await super().handle_async_request(copy_of(library, request))

    return client_of(library, transport=Transport(verify=trusted()))


def mount(library: Any) -> Any:
    return client_of(library, mounts={"all://": subclass_of_transport(library)._transport})


def subclass_of_client(library: Any) -> Any:
    class Own(library.AsyncClient):  # type: ignore[misc, name-defined]
        async def send(self, request: Any, **options: Any) -> Any:
            return await super().send(copy_of(library, request), **options)

    return client_of(library, Own)


def patched_client(library: Any) -> Any:
    client = client_of(library)
    send = client.send
    client.send = lambda request, **options: send(copy_of(library, request), **options)
    return client


def patched_transport(library: Any) -> Any:
    client = client_of(library)
    transport = client._transport
    handle = transport.handle_async_request
    transport.handle_async_request = lambda request: handle(copy_of(library, request))
    return client


def auth_class(library: Any) -> Any:
    class BasicAuth(library.Auth):  # type: ignore[misc, name-defined]
        def auth_flow(self, request: Any) -> Any:
            yield copy_of(library, request)

    return client_of(library, auth=BasicAuth())


def auth_function(library: Any) -> Any:
    return client_of(library, auth=lambda request: copy_of(library, request))


OWN_PARTS = [
    subclass_of_transport,
    mount,
    subclass_of_client,
    patched_client,
    patched_transport,
    auth_class,
    auth_function,
]


@pytest.mark.parametrize("make", OWN_PARTS, ids=lambda make: make.__name__)
async def test_a_create_that_own_code_sent_is_in_doubt(
    library: Any, service: Holding, make: Callable[[Any], Any]
) -> None:
    """Without events it counts as sent: the service has it, and never responds."""
    async with connected(service, make(library)) as client:
        service.silence = True
        await failure(client, InDoubtError)
    assert service.creates == 1


async def test_a_trace_of_the_program_stays(library: Any, service: Holding) -> None:
    """Its hook replaces our trace, gets all events, and the create that hangs counts as sent."""
    events: list[str] = []

    async def trace(event: str, _: Any) -> None:
        events.append(event)

    async def hook(request: Any) -> None:
        request.extensions["trace"] = trace

    async with connected(service, client_of(library, event_hooks={"request": [hook]})) as client:
        assert await create(client) == {"Wo": {"Id": 7}}
        assert "http11.send_request_headers.started" in events
        service.silence = True
        await failure(client, InDoubtError)
    assert service.creates == 2


async def test_a_digest_that_was_refused_was_sent(library: Any, service: Holding) -> None:
    """The same request leaves twice; the second one waits for its response."""
    challenge = Answer(401, b"", {"WWW-Authenticate": 'Digest realm="r", nonce="n", qop="auth"'})
    own = client_of(library, auth=library.DigestAuth("user", "password"))
    async with connected(service, own) as client:
        answers = iter([challenge])

        async def handler(_: Request) -> Answer:
            return next(answers, None) or await asyncio.Event().wait() or DONE

        service.handler = handler
        await failure(client, InDoubtError)
    assert service.creates == 2
