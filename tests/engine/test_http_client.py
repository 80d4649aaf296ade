"""``transport=`` and ``http_client=``: the user's own httpx, behind our gate and chain."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import httpx
import pytest

from tests.support.service import RESET, SECRET, Answer, Request, Service
from tests.transport.script import DONE, QUICK, Script
from wosdk_async import (
    CallOptions,
    Client,
    ConfigurationError,
    Customer,
    Limits,
    NoAnswerError,
    RetryPolicy,
    Timeouts,
)

ONCE = CallOptions(retry=RetryPolicy(attempts=1))


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with Service() as made:
        yield made


async def test_an_asgi_application_responds() -> None:
    """Token, discovery and call reach it, and the network sees nothing."""
    seen = []

    async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
        path = scope["path"]
        seen.append(path)
        body: dict[str, Any] = {"access_token": "a", "expires_in": 1199, "Data": {"Id": 7}}
        body["CommandResult"] = {"Url": "https://acme.corrigo.com/", "CompanyName": "Acme Facilities"}
        body["CommandResult"]["CompanyId"] = 1
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": json.dumps(body).encode()})

    service = Service()
    service.url = "https://am-locator.corrigo.com"
    async with service.client(transport=httpx.ASGITransport(app)) as client:
        assert (await client.company().get(Customer, 7)).id == 7
    assert len(seen) == 3


async def test_a_client_of_the_users_own(service: Service) -> None:
    """Its headers, cookies, hooks and auth go with every call, ours win; it stays open, and keeps cookies."""
    hooked = []

    async def hook(request: httpx.Request) -> None:
        hooked.append(request.url.path)

    class Signing(httpx.Auth):
        def auth_flow(self, request: httpx.Request) -> Any:
            request.headers["X-Signed"] = str(len(request.content))
            yield request

    async with httpx.AsyncClient(
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


async def test_redirects_are_never_followed(service: Service) -> None:
    """The token belongs to the host that the session names, whatever the user's client would do."""
    async with Service() as other, httpx.AsyncClient(follow_redirects=True) as http:
        service.handler = lambda _: Answer(302, headers={"Location": f"{other.url}/"})
        async with service.client(http_client=http, options=QUICK) as client:
            with pytest.raises(NoAnswerError, match="302"):
                await client.company().get(Customer, 7)
    assert other.connections == 0


async def test_a_client_that_was_closed(service: Service) -> None:
    """Not sent, and nothing that a retry could cure."""
    http = httpx.AsyncClient()
    await http.aclose()
    async with service.client(http_client=http) as client:
        with pytest.raises(ConfigurationError, match="closed"):
            await client.company().get(Customer, 7)


async def test_timeouts_are_the_clients_own_unless_ours_are_given(service: Service) -> None:
    """``timeouts=`` wins over those of the user's client; httpx's types are understood."""

    async def hang(request: Request) -> Answer:
        await asyncio.Event().wait()
        return RESET

    service.handler = hang
    quick = httpx.Timeout(None, read=0.01)
    async with (
        httpx.AsyncClient(timeout=quick) as http,
        httpx.AsyncClient(timeout=60) as slow,
        httpx.AsyncHTTPTransport() as stock,
    ):
        for settings in (
            {"http_client": http},
            {"http_client": slow, "timeouts": Timeouts(read=0.01)},
            {"transport": stock, "timeouts": quick},
        ):
            async with service.client(**settings, options=ONCE, limits=httpx.Limits()) as client:
                with pytest.raises(NoAnswerError, match="ReadTimeout"):
                    await client.company().get(Customer, 7)


async def test_a_download_takes_nothing_of_the_client_along(service: Service) -> None:
    """The author of a document chooses its address, so base headers, cookies and auth are not sent."""
    service.handler = Script(
        Answer(body={"CommandResult": {"Results": [{"DocumentId": 7, "Url": f"{service.url}/file"}]}}),
        Answer(body=b"bytes"),
    )
    http = httpx.AsyncClient(headers={"X-Gateway": "key"}, cookies={"a": "1"}, auth=("user", "password"))
    async with http, service.client(http_client=http) as client:
        assert await client.company().documents.download(7) == b"bytes"
    assert "x-gateway" in service.calls[0].headers
    assert set(service.calls[-1].headers) == {"host", "accept-encoding"}


async def test_many_calls_over_one_client(service: Service) -> None:
    """The gate stays in front of it, and the figures count."""
    service.handler = lambda _: DONE
    async with (
        httpx.AsyncClient() as http,
        service.client(http_client=http, limits=Limits(connections=3)) as client,
    ):
        acme = client.company()
        calls = [asyncio.create_task(acme.run("NewCommand", {})) for _ in range(20)]
        await asyncio.gather(*calls)
        stats = client.stats()
    assert (stats.outcomes["done"], stats.connections_busy) == (20, 0)
    assert service.connections <= 4


@pytest.mark.parametrize(
    ("settings", "match"),
    [
        (
            {
                "transport": httpx.MockTransport(lambda _: httpx.Response(200)),
                "http_client": httpx.AsyncClient(),
            },
            "two ways",
        ),
        ({"transport": httpx.AsyncHTTPTransport(), "http2": True}, "http2= has no effect beside transport="),
        (
            {"http_client": httpx.AsyncClient(), "proxy": "http://a"},
            "proxy= has no effect beside http_client=",
        ),
        ({"http_client": httpx.Client()}, "takes an httpx.AsyncClient"),
        ({"transport": httpx.AsyncClient()}, "takes an httpx.AsyncBaseTransport"),
        ({"timeouts": 5}, "timeouts is 5; it takes Timeouts"),
        ({"timeouts": httpx.Timeout(0)}, "above 0"),
        ({"limits": 5}, "limits is 5; it takes Limits"),
        ({"limits": httpx.Limits(max_connections=0)}, "one connection at least"),
        ({"proxy": f"ftp://user:{SECRET}@a"}, "proxy is not the address of a proxy"),
    ],
)
def test_what_contradicts_itself_is_refused(settings: dict[str, Any], match: str) -> None:
    """When the client is made, with the remedy; never with a password."""
    with pytest.raises(ConfigurationError, match=match) as caught:
        Client(**settings)
    assert SECRET not in str(caught.value)
