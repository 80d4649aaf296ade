"""Tests that mock httpx or httpx2: nothing passes the mock by, and behind it all is as before.

The service is a real one on a socket; no connection to it is the proof.
"""

from __future__ import annotations

import asyncio
import functools
import sys
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import httpx2
import pytest
import respx
from pytest_httpx import HTTPXMock
from respx.models import AllMockedAssertionError

import wosdk_async
from tests.support.forking import status_of_child
from tests.support.service import Answer, Service
from tests.transport.script import QUICK
from wosdk_async import (
    Client,
    ConfigurationError,
    Credentials,
    Customer,
    Document,
    InDoubtError,
    WoCreateCommand,
)
from wosdk_async.testing import routes

TOKEN = {"access_token": "mocked", "token_type": "bearer", "expires_in": 1199}


def discovery(url: str) -> dict[str, Any]:
    return {"CommandResult": {"Url": f"{url}/", "CompanyName": "Acme Facilities", "CompanyId": 1}}


def mocked_service(router: respx.MockRouter, url: str) -> respx.Route:
    """Let ``router`` stand for the service; the route of a customer."""
    router.post(f"{url}/OAuth/token").respond(json=TOKEN)
    router.post(path__regex=".*/GetCompanyWsdkUrlCommand").respond(json=discovery(url))
    return router.get(path__regex=".*/Customer/7").respond(json={"Data": {"Id": 7, "Name": "mocked"}})


@pytest.fixture
async def service() -> AsyncIterator[Service]:
    async with Service(lambda _: Answer(body={"Data": {"Id": 7, "Name": "real"}})) as made:
        yield made


async def read(client: Client) -> str | None:
    return (await client.company().get(Customer, 7)).name


MODES = [{}, {"using": "httpx"}, {"using": "httpcore"}, {"using": "httpcore2"}]  # the last is pytest-httpx2's


@pytest.mark.parametrize("mode", MODES, ids=str)
async def test_respx_responds_in_each_of_its_modes(service: Service, mode: dict[str, Any]) -> None:
    """Token, discovery and call, of a client made inside; a new client after it reaches the network."""
    with respx.mock(**mode) as router:
        route = mocked_service(router, service.url)
        async with service.client() as client:
            assert await read(client) == "mocked"
    assert (route.call_count, service.connections) == (1, 0)
    assert route.calls.last.request.headers["authorization"] == "Bearer mocked"
    async with service.client() as client:
        assert await read(client) == "real"
    assert service.connections > 0


@pytest.mark.parametrize("mode", MODES, ids=str)
async def test_a_client_from_outside_is_mocked_for_as_long_as_the_mock_is_there(
    service: Service, mode: dict[str, Any]
) -> None:
    """Before and after it the native engine sends, over the connection that it kept."""
    async with service.client() as client:
        assert await read(client) == "real"
        before = service.connections
        async with respx.mock(**mode, assert_all_called=False) as router:
            mocked_service(router, service.url)
            assert await read(client) == "mocked"
        assert await read(client) == "real"
    assert len(service.calls) == 2
    assert service.connections == before


async def test_the_fixture(respx_mock: respx.MockRouter, service: Service) -> None:
    """The fixture ``respx_mock``, used from two event loops."""
    mocked_service(respx_mock, service.url)
    async with service.client() as client:
        assert await read(client) == "mocked"
        assert await asyncio.to_thread(asyncio.run, read(client)) == "mocked"
    assert service.connections == 0


async def test_a_request_without_a_mock_fails_the_test(service: Service) -> None:
    """respx says which request it did not expect, and that is what the test sees."""
    with respx.mock(assert_all_called=False) as router:
        mocked_service(router, service.url)
        async with service.client() as client:
            with pytest.raises(AllMockedAssertionError, match="Customer/8"):
                await client.company().get(Customer, 8)
    assert service.connections == 0


@pytest.mark.parametrize("mode", MODES, ids=str)
async def test_what_may_pass_reaches_the_network(service: Service, mode: dict[str, Any]) -> None:
    """``pass_through`` is up to the test that says it."""
    with respx.mock(**mode) as router:
        mocked_service(router, service.url).pass_through()
        async with service.client() as client:
            assert await read(client) == "real"
    assert (len(service.calls), len(service.tokens)) == (1, 0)


async def test_files_are_mocked_too(service: Service) -> None:
    """A download inside of a mock comes from the mock, in the mode that patches clients, too."""
    with respx.mock(using="httpx") as router:
        router.post(f"{service.url}/OAuth/token").respond(json=TOKEN)
        router.post(path__regex=".*/GetCompanyWsdkUrlCommand").respond(json=discovery(service.url))
        found = {"CommandResult": {"Results": [{"DocumentId": 7, "Url": f"{service.url}/file"}]}}
        router.get(path__regex=".*/base/Document/7").respond(json={"Data": {"StorageTypeId": "Cloud"}})
        router.post(path__regex=".*/GetDocDownloadUrlCommand").respond(json=found)
        file = router.get(f"{service.url}/file").respond(content=b"bytes")
        async with service.client() as client:
            assert await client.company().documents.download(Document(id=7)) == b"bytes"
    assert "authorization" not in file.calls.last.request.headers
    assert service.connections == 0


async def test_pytest_httpx(service: Service, httpx_mock: HTTPXMock) -> None:
    """Its fixture responses, and its requests can be looked at."""
    httpx_mock.add_response(url=f"{service.url}/OAuth/token", json=TOKEN)
    httpx_mock.add_response(method="POST", json=discovery(service.url))
    httpx_mock.add_response(method="GET", json={"Data": {"Id": 7, "Name": "mocked"}})
    async with service.client() as client:
        assert await read(client) == "mocked"
    assert httpx_mock.get_requests()[-1].headers["companyname"] == "Acme Facilities"
    assert service.connections == 0


async def test_pytest_httpx2(service: Service, httpx2_mock: respx.MockRouter) -> None:
    """Its fixture is a router of respx, which responds in the place of httpcore2, errors included."""
    route = mocked_service(httpx2_mock, service.url)
    async with service.client(options=QUICK) as client:
        assert await read(client) == "mocked"
        assert route.calls.last.request.headers["authorization"] == "Bearer mocked"
        httpx2_mock.post(path__regex=".*/WoCreateCommand").mock(
            side_effect=[httpx2.ConnectError("refused"), httpx2.ReadTimeout("slow")]
        )
        with pytest.raises(InDoubtError, match="ReadTimeout") as caught:
            await client.company().run(WoCreateCommand(), check=False)
    assert caught.value.attempts == 2
    assert service.connections == 0


async def test_the_routes_of_the_service_for_pytest_httpx2(httpx2_mock: respx.MockRouter) -> None:
    """``routes()`` takes its fixture as it takes ``respx_mock``."""
    routes(httpx2_mock, company="Acme").on(Customer).answers(Customer(id=7, name="mocked"))
    async with Client(credentials=Credentials("a", "b"), company="Acme") as client:
        assert await read(client) == "mocked"


async def test_one_library_is_mocked_after_the_other(service: Service) -> None:
    """Each has its own stock client; with both at once httpx responds."""
    async with service.client() as client:
        for using in ("httpcore", "httpcore2"):
            with respx.mock(using=using, assert_all_called=False) as router:
                mocked_service(router, service.url)
                assert await read(client) == "mocked"
        with respx.mock(using="httpcore", assert_all_called=False) as router, respx.mock(using="httpcore2"):
            mocked_service(router, service.url)
            assert await read(client) == "mocked"
    assert service.connections == 0


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
async def test_a_patch_of_the_tests_own(
    library: Any, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A mock is detected whoever wrote it, even if it copies the name of the method it replaces."""

    @functools.wraps(library.AsyncHTTPTransport.handle_async_request)
    async def patch(_: object, request: Any) -> Any:
        if request.url.path.endswith("/token"):
            return library.Response(200, json=TOKEN)
        return library.Response(200, json={**discovery(service.url), "Data": {"Id": 7, "Name": "mocked"}})

    monkeypatch.setattr(library.AsyncHTTPTransport, "handle_async_request", patch)
    async with service.client() as client:
        assert await read(client) == "mocked"
    assert service.connections == 0


async def test_a_proxy_that_only_our_engine_can_use(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """SOCKS needs a package in httpx: the error says which."""
    monkeypatch.setitem(sys.modules, "socksio", None)
    async with service.client(proxy="socks5://user:secret@127.0.0.1:1") as client:
        with respx.mock(), pytest.raises(ConfigurationError, match=r"mocked: .*\[socks\]") as caught:
            await read(client)
    assert "secret" not in str(caught.value)


class Watched:
    """Stands for a function as the wrappers of tracing tools do."""

    def __init__(self, function: Callable[..., Any]) -> None:
        self.function = function
        self.calls = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self.function, name)

    def __call__(self, *args: Any) -> Any:
        self.calls += 1
        return self.function(*args)


@pytest.mark.parametrize("library", [httpx, httpx2], ids=["httpx", "httpx2"])
async def test_a_tool_that_watches_httpx_is_no_mock(
    library: Any, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program whose httpx is traced does not get slower for it."""
    watched = Watched(library.AsyncHTTPTransport.handle_async_request)
    monkeypatch.setattr(library.AsyncHTTPTransport, "handle_async_request", watched)
    async with service.client() as client:
        assert await read(client) == "real"
    assert watched.calls == 0


@pytest.mark.parametrize("using", ["httpx", "httpcore", "httpcore2"])
def test_wosdk_async_is_imported_inside_of_the_mock(using: str) -> None:
    """Nothing of the time before the mock has to be known."""

    def mocked() -> bool:
        for name in [name for name in sys.modules if name.partition(".")[0] == "wosdk_async"]:
            del sys.modules[name]
        with respx.mock(using=using) as router:
            import wosdk_async as wosdk

            mocked_service(router, "http://127.0.0.1:1")
            region = wosdk.Region("test", "http://127.0.0.1:1", "http://127.0.0.1:1/OAuth/token")

            async def call() -> str | None:
                async with wosdk.Client(region=region, credentials=wosdk.Credentials("a", "b")) as client:
                    return (await client.company("Acme").get(wosdk.Customer, 7)).name

            return wosdk is not wosdk_async and asyncio.run(call()) == "mocked"

    assert status_of_child(mocked) == 0
