"""Tokens that a program has: no log-in, the locator only where the host is not known."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from tests.spec.rules import spec
from tests.support.laws import each_of
from tests.support.service import COMPANY, Answer, Request, Service, error
from wosdk_async import AccessToken, Client, ConfigurationError, Region

TOKEN = "token-of-the-program-of-forty-characters"


def client_of(service: Service, give: Callable[[int], Any]) -> tuple[Client, list[str]]:
    """Return a client whose tokens come from ``give``, which gets the number of the call, and the calls."""
    asked: list[str] = []

    async def provider(company: str) -> Any:
        asked.append(company)
        return give(len(asked))

    region = Region("test", service.url, f"{service.url}/OAuth/token")
    return Client(credentials=provider, region=region), asked


@spec("5", 3)
@pytest.mark.parametrize("knows_host", [True, False])
async def test_calls_carry_the_token(knows_host: bool) -> None:
    """The provider is asked once for all calls, and the locator only for a host that it does not name."""
    async with Service() as service:
        host = service.url if knows_host else None
        client, asked = client_of(service, lambda _: AccessToken(TOKEN, 600.0, host))
        async with client:
            await asyncio.gather(*(client.company(COMPANY).get("Thing", 1) for _ in range(20)))
    assert asked == [COMPANY]
    assert (len(service.tokens), len(service.discoveries), len(service.calls)) == (0, not knows_host, 20)
    for request in service.calls + service.discoveries:
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        assert request.headers["companyname"] == COMPANY


@pytest.mark.parametrize("more", ["/", "/api/v1/", "/wsdk/CorrigoService.asmx"])
async def test_a_host_is_read_as_the_locator_names_it(more: str) -> None:
    """Its path is dropped (facts 2); an address that is none is not shown with the token."""
    async with Service() as service:
        client, _ = client_of(service, lambda _: AccessToken(TOKEN, 600.0, f"{service.url}{more}"))
        async with client:
            await client.company(COMPANY).get("Thing", 1)
        assert [request.path for request in service.calls] == ["/api/v1/base/Thing/1"]
        client, _ = client_of(service, lambda _: AccessToken(TOKEN, 600.0, f"ht!tp://{TOKEN}"))
        async with client:
            with pytest.raises(ConfigurationError, match="base_url") as caught:
                await client.company(COMPANY).get("Thing", 1)
    assert TOKEN not in str(caught.value)


async def test_a_refused_token_is_asked_for_again() -> None:
    """A create is sent again under the next one; no error shows either."""

    def handler(request: Request) -> Answer:
        if request.headers["authorization"].endswith("-1"):
            return error(403, "EXPIRED_TOKEN", f"expired: {TOKEN}-1")
        return error(400, "BUSINESS_LOGIC_ERROR", f"no: {TOKEN}-2")

    async with Service(handler) as service:
        client, asked = client_of(service, lambda n: AccessToken(f"{TOKEN}-{n}", 600.0, service.url))
        async with client:
            with pytest.raises(Exception, match=r"no: \*\*\*") as caught:
                await client.company(COMPANY).run("WoCreateCommand", {})
            assert TOKEN not in f"{caught.value!r}{client!r}{client.stats()!r}"
    assert len(asked) == 2


@each_of("life", [0, -1.0, float("inf"), float("nan"), "600", None, True])
async def test_a_life_has_to_be_seconds(life: Any) -> None:
    """It is refused where it is given, without the token."""
    with pytest.raises(ConfigurationError, match="expires_in") as caught:
        AccessToken(TOKEN, life)
    assert TOKEN not in str(caught.value)
    assert TOKEN not in repr(AccessToken(TOKEN, 1))


async def test_what_no_header_can_carry() -> None:
    """Neither the locator nor the Company is sent it; nor is a token sent to a host without https."""
    async with Service() as service:
        client, _ = client_of(service, lambda n: AccessToken("to\nken", 600.0, None))
        async with client:
            with pytest.raises(ConfigurationError, match="stray LINE FEED"):
                await client.company(COMPANY).get("Thing", 1)
        client, _ = client_of(service, lambda n: AccessToken(TOKEN, 600.0, "http://example.com"))
        async with client:
            with pytest.raises(ConfigurationError, match="https"):
                await client.company(COMPANY).get("Thing", 1)
    assert not service.calls + service.discoveries
