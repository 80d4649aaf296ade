"""An engine and a clock of the program: all requests go through the one, all waits through the other."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.support.laws import case
from tests.support.virtual import REGION, ScriptedEngine, Time, reply
from wosdk_async import Client, ConfigurationError, Credentials, Customer, DeadlineError, Limits
from wosdk_async.protocol.wire import Response


class Service:
    """Engines that respond to log-ins at once and to all other requests after 30 s."""

    def __init__(self, time: Time) -> None:
        self.time = time
        self.urls: list[str] = []

    def engine(self, limits: Limits) -> ScriptedEngine:
        return ScriptedEngine(limits.connections, self._respond)

    async def _respond(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        self.urls.append(url)
        if url == REGION.token_url:
            return reply({"access_token": "t", "expires_in": 1200})
        if url.startswith(REGION.locator_url):
            return reply({"CommandResult": {"Url": "https://host.corrigo.com/"}})
        if url.endswith("/GetDocDownloadUrlCommand"):
            return reply({"CommandResult": {"Results": [{"DocumentId": 7, "Url": "https://a.example/a"}]}})
        if "/Document/" in url:
            return reply({"Data": {"StorageTypeId": "Cloud"}})
        await self.time.sleep(30)
        return reply({"Data": {"Id": 7, "Name": "Mall"}})

    def client(self) -> Client:
        pair = Credentials("id", "secret")
        return Client(
            credentials=pair, region=REGION, company="Acme", engine=self.engine, clock=self.time.clock()
        )


async def test_engine_and_clock_serve_every_call() -> None:
    """Log-in and call go through the engine, and the deadline is one of the clock: no second passes."""
    time = Time()
    service = Service(time)
    async with service.client() as client:
        acme = client.company()
        reading = asyncio.create_task(acme.get(Customer, 7))
        late = asyncio.create_task(acme.with_options(deadline=20).get(Customer, 7))
        await time.finish(reading, late)
    assert reading.result().name == "Mall"
    assert isinstance(late.exception(), DeadlineError)
    assert {url.split("/")[2] for url in service.urls} == {
        "token.corrigo.com",
        "locator.corrigo.com",
        "host.corrigo.com",
    }


async def test_a_download_needs_an_engine_that_streams(tmp_path: Path) -> None:
    """It does not fall back on the network."""
    async with Service(Time()).client() as client:
        download = client.company().documents.download(7, tmp_path / "a")
        with pytest.raises(ConfigurationError, match=r"ScriptedEngine.* it has no stream\(\)"):
            await download


def test_options_that_an_engine_would_ignore() -> None:
    """They are refused beside it, also by ``from_env``."""
    engine = Service(Time()).engine
    given: dict[str, Any] = {
        "transport": httpx.MockTransport(lambda _: httpx.Response(200)),
        "http_client": httpx.AsyncClient(),
        "ssl_context": ssl.create_default_context(),
        "proxy": "http://proxy.example:8080",
    }
    for name, value in given.items():
        for make in (Client, Client.from_env):
            with case(name, make.__name__), pytest.raises(ConfigurationError) as caught:
                make(engine=engine, **{name: value})
            assert f"{name}= has no effect with engine=" in str(caught.value)


@pytest.mark.parametrize("name", ["engine", "clock"])
def test_values_that_do_not_fit(name: str) -> None:
    """The message names the argument and the kind of the value."""
    wrong: Any = {name: 7}
    with pytest.raises(ConfigurationError, match=f"{name} is an? int"):
        Client(**wrong)
