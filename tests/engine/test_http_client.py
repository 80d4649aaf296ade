"""``transport=`` and ``http_client=``: the user's own httpx or httpx2, behind our gate and chain."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from typing import Any
from unittest.mock import AsyncMock

import httpx
import httpx2
import pytest

from tests.support.facts import having
from tests.support.laws import case, each_of
from tests.support.service import RESET, SECRET, Answer, Request, Service
from tests.support.tls import trusted
from tests.transport.script import DONE, QUICK, Script
from wosdk_async import (
    CallOptions,
    Client,
    ConfigurationError,
    Credentials,
    Customer,
    DeadlineError,
    InDoubtError,
    InvalidCallError,
    NoAnswerError,
    NotFoundError,
    NotSentError,
    RetryPolicy,
    Timeouts,
    WoCreateCommand,
    WosdkError,
)
from wosdk_async.sandbox import LocalCompany

ANY = {
    "access_token": "a",
    "expires_in": 1199,
    "CommandResult": {"Url": "https://acme.corrigo.com/", "CompanyId": 1},
    "Data": {"Id": 7},
}
"""A body that responds to a log-in, a discovery and a read."""
ONCE = CallOptions(retry=RetryPolicy(attempts=1))


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with Service() as made:
        yield made


async def test_a_client_of_the_users_own(library: Any, service: Service) -> None:
    """Its headers, cookies, hooks and auth go with every call, ours win; it stays open, and keeps cookies."""
    hooked = []

    async def hook(request: Any) -> None:
        hooked.append(request.url.path)

    class Signing(library.Auth):
        def auth_flow(self, request: Any) -> Any:
            request.headers["X-Signed"] = str(len(request.content))
            yield request

    async with library.AsyncClient(
        headers={"X-Gateway": "key", "CompanyName": "other"},
        cookies={"a": "1"},
        auth=Signing(),
        event_hooks={"request": [hook]},
        follow_redirects=True,
    ) as http:
        service.handler = lambda _: DONE
        async with service.client(http_client=http) as client:
            await client.company().run("NewCommand", {})
        assert not http.is_closed
    sent = service.calls[0].headers
    assert (sent["x-gateway"], sent["cookie"], sent["x-signed"] == str(len(service.calls[0].body))) == (
        "key",
        "a=1",
        True,
    )
    assert (sent["companyname"], sent["authorization"]) == ("Acme Facilities", "Bearer token-1")
    assert len(hooked) == 3


class Wrapped:
    """Another object, as its wrapper shows it: attributes and class are those of what it holds."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __getattr__(self, name: str) -> Any:
        return getattr(self.held, name)

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        return type(self.held)


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
async def test_a_wrapped_transport_is_one_of_its_library(library: Any, service: Service) -> None:
    """Tools that trace wrap transports. Both libraries are here, and each takes its own requests only."""
    async with library.AsyncHTTPTransport(verify=trusted()) as held:
        async with service.client(transport=Wrapped(held)) as client:
            assert (await client.company().get(Customer, 1)).id == 1


async def test_redirects_are_never_followed(library: Any, service: Service) -> None:
    """The token belongs to the host that the session names, whatever the user's client would do."""
    async with Service() as other, library.AsyncClient(follow_redirects=True) as http:
        service.handler = lambda _: Answer(302, headers={"Location": f"{other.url}/"})
        async with service.client(http_client=http, options=QUICK) as client:
            with pytest.raises(NoAnswerError, check=having(status=302)):
                await client.company().get(Customer, 7)
    assert other.connections == 0


@pytest.mark.parametrize("place", ["hook", "auth", "transport"])
async def test_an_error_of_ours_from_own_code_says_nothing_of_the_create(
    library: Any, service: Service, place: str
) -> None:
    """A hook that makes a call of another Company raises the error of that call."""
    kinds: list[type[WosdkError]] = [NotSentError, NotFoundError, DeadlineError, InvalidCallError]

    def fail(path: str) -> None:
        if path.endswith("/WoCreateCommand"):
            raise kinds[len(service.calls) - 1]("of another call; nothing was sent")

    async def hook(response: Any) -> None:
        fail(response.request.url.path)

    class Auth(library.Auth):  # type: ignore[misc, name-defined]
        def auth_flow(self, request: Any) -> Any:
            yield request
            fail(request.url.path)

    class Transport(library.AsyncHTTPTransport):  # type: ignore[misc, name-defined]
        async def handle_async_request(self, request: Any) -> Any:
            response = await super().handle_async_request(request)
            await response.aread()
            fail(request.url.path)
            return response

    own = {
        "hook": lambda: {"event_hooks": {"response": [hook]}},
        "auth": lambda: {"auth": Auth()},
        "transport": lambda: {"transport": Transport(verify=trusted())},
    }[place]()
    async with library.AsyncClient(**own) as http:
        async with service.client(http_client=http, options=QUICK) as client:
            for kind in kinds:
                with case(kind.__name__), pytest.raises(InDoubtError, match=kind.__name__):
                    await client.company().run(WoCreateCommand(), check=False)
    assert len(service.calls) == len(kinds)


async def test_a_client_that_was_closed(library: Any, service: Service) -> None:
    """Not sent, and nothing that a retry could cure."""
    http = library.AsyncClient()
    await http.aclose()
    async with service.client(http_client=http) as client:
        with pytest.raises(ConfigurationError, match="closed"):
            await client.company().get(Customer, 7)


def test_a_second_event_loop_is_refused(library: Any) -> None:
    """The connections of a client of httpx belong to one loop; in another a create was in doubt."""
    http = library.AsyncClient()

    async def create(client: Client) -> None:
        await client.company().run(WoCreateCommand(), check=False)

    with LocalCompany() as local, contextlib.closing(asyncio.new_event_loop()) as first:
        client = Client.from_env(local.variables, http_client=http)
        first.run_until_complete(client.company().query("Customer").limit(1).all())
        for other in (client, Client.from_env(local.variables, http_client=http)):
            with pytest.raises(ConfigurationError, match="another event loop") as caught:
                asyncio.run(create(other))
            assert "nothing was sent" in caught.value.message
        first.run_until_complete(client.company().query("Customer").limit(1).all())
        first.run_until_complete(http.aclose())


@pytest.mark.parametrize("mocked", [False, True], ids=["a handler", "a mock"])
def test_without_connections_it_works_in_each_loop(
    monkeypatch: pytest.MonkeyPatch, library: Any, mocked: bool
) -> None:
    """A handler is bound to no loop, nor is a client while its library is mocked: tests share a client."""

    async def respond(_: object, request: Any = None) -> Any:
        return library.Response(200, json=ANY)

    if mocked:
        monkeypatch.setattr(library.AsyncHTTPTransport, "handle_async_request", respond)
    http = library.AsyncClient(transport=None if mocked else library.MockTransport(respond))
    client = Client(credentials=Credentials("a", "b"), company="Acme", http_client=http)

    async def read() -> int | None:
        return (await client.company().get(Customer, 7)).id

    assert [asyncio.run(read()) for _ in range(2)] == [7, 7]


async def test_timeouts_are_the_clients_own_unless_ours_are_given(library: Any, service: Service) -> None:
    """``timeouts=`` wins over those of the user's client; httpx's types are understood."""

    async def hang(request: Request) -> Answer:
        await asyncio.Event().wait()
        return RESET

    service.handler = hang
    quick = library.Timeout(None, read=0.01)
    async with (
        library.AsyncClient(timeout=quick) as http,
        library.AsyncClient(timeout=60) as slow,
        library.AsyncHTTPTransport() as stock,
    ):
        for settings in (
            {"http_client": http},
            {"http_client": slow, "timeouts": Timeouts(read=0.01)},
            {"transport": stock, "timeouts": quick},
        ):
            async with service.client(**settings, options=ONCE, limits=library.Limits()) as client:
                with pytest.raises(NoAnswerError, match="ReadTimeout"):
                    await client.company().get(Customer, 7)


async def test_a_download_takes_nothing_of_the_client_along(library: Any, service: Service) -> None:
    """The author of a document chooses its address, so base headers, cookies and auth are not sent."""
    service.handler = Script(
        Answer(body={"Data": {"StorageTypeId": "Cloud"}}),
        Answer(body={"CommandResult": {"Results": [{"DocumentId": 7, "Url": f"{service.url}/file"}]}}),
        Answer(body=b"bytes"),
    )
    http = library.AsyncClient(headers={"X-Gateway": "key"}, cookies={"a": "1"}, auth=("user", "password"))
    async with http, service.client(http_client=http) as client:
        assert await client.company().documents.download(7) == b"bytes"
    assert "x-gateway" in service.calls[0].headers
    assert set(service.calls[-1].headers) == {"host", "accept-encoding"}


@each_of(
    ("settings", "match"),
    [
        (
            lambda of: {
                "transport": of.MockTransport(lambda _: of.Response(200)),
                "http_client": of.AsyncClient(),
            },
            "http_client=",
        ),
        (lambda of: {"http_client": of.AsyncClient(), "proxy": "http://a"}, "proxy= has no effect"),
        (lambda of: {"http_client": of.Client()}, "must be an httpx or httpx2 AsyncClient"),
        (lambda of: {"transport": of.AsyncClient()}, "must be an httpx or httpx2 AsyncBaseTransport"),
        (lambda of: {"http_client": of.HTTPTransport()}, "http_client is an HTTPTransport; it must be"),
        (lambda of: {"timeouts": of.Timeout(0)}, "above 0"),
        (lambda of: {"limits": of.Limits(max_connections=0)}, "at least one connection"),
        (lambda _: {"timeouts": 5}, "timeouts is 5; it must be Timeouts"),
        (lambda _: {"limits": 5}, "limits is 5; it must be Limits"),
        (lambda _: {"proxy": f"ftp://user:{SECRET}@a"}, "proxy is not the address of a proxy"),
    ],
)
def test_what_contradicts_itself_is_refused(library: Any, settings: Callable[[Any], Any], match: str) -> None:
    """When the client is made, with the remedy; never with a password."""
    with pytest.raises(ConfigurationError, match=match) as caught:
        Client(**settings(library))
    assert SECRET not in str(caught.value)


@each_of("event", ["request", "response"])
@each_of("shows", ["nothing", "the token", "the request"])
async def test_a_hook_that_raises(library: Any, event: str, shows: str) -> None:
    """The error names the hook and what it raised, which is not its cause: its frames hold the request.

    Nothing was sent when a hook of the request raises.
    """

    async def hook(of: Any) -> None:
        request = getattr(of, "request", of) if event == "response" else of
        if "/base/" not in request.url.path:
            return
        token = request.headers["authorization"]
        raise {
            "nothing": KeyError("missing-key"),
            "the token": ValueError(f"odd {token}"),
            "the request": library.RequestError("odd", request=request),
        }[shows]

    hooks = {event: [hook]}
    async with Service() as service, library.AsyncClient(verify=trusted(), event_hooks=hooks) as http:
        async with service.client(http_client=http, options=QUICK) as client:
            kind = NotSentError if event == "request" else NoAnswerError
            with pytest.raises(kind, match="an event hook of the http_client raised") as caught:
                await client.company().get("Thing", 1)
    failure = caught.value.__cause__
    assert failure is not None
    assert failure.__cause__ is None
    assert "token-0" not in str(caught.value)


async def test_a_double_of_a_client() -> None:
    """It has every attribute, and no connection."""
    async with Service() as service, service.client(http_client=AsyncMock()) as client:
        with pytest.raises(ConfigurationError, match="is a AsyncMock, not a client of httpx or httpx2; mock"):
            await client.company().connect()
