"""What locator and token endpoint may say: nothing odd of it is put to use."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.service import Answer, Service
from wosdk_async import ConfigurationError, DiscoveryError, NotSentError, Region


@pytest.mark.parametrize("url", ["https://evil.example/", "http://am.corrigo.com/", "", None, 7])
async def test_a_locator_that_names_a_foreign_host(url: Any) -> None:
    """The token is not taken to a host outside the rules; no call is made."""
    async with Service() as service, service.client() as client:
        service.on_discovery = lambda _: Answer(body={"CommandResult": {"Url": url}})
        with pytest.raises(DiscoveryError):
            await client.company().get("Thing", 1)
    assert service.calls == []


async def test_locator_and_token_address_must_be_safe() -> None:
    """A configured address in clear that is neither loopback nor trusted is refused before a byte leaves."""
    region = Region("mine", locator_url="http://locator.example", token_url="https://login.example/t")
    async with Service() as service:
        mixed = Region("mine", locator_url="http://locator.example", token_url=service.region().token_url)
        for wrong in (region, mixed):
            async with service.client(region=wrong) as client:
                with pytest.raises((ConfigurationError, NotSentError)):
                    await client.company().get("Thing", 1)


@pytest.mark.parametrize("name", ["Acme\r\nX-Evil: 1", "Acme\n", "A\0", " Acme", "Acme ", "", "\u2028x"])
async def test_a_company_name_that_is_no_header(name: str) -> None:
    """A name with a line break or outer blanks is refused when it is given."""
    async with Service() as service, service.client(company=None) as client:
        with pytest.raises(ConfigurationError):
            client.company(name)


@pytest.mark.parametrize("token", ["a\r\nb", "a b", "", 7, None, "ü"])
async def test_a_token_that_is_no_header(token: Any) -> None:
    """What the token endpoint sends is not put into a header unseen."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(body={"access_token": token})
        company = client.company().with_options(deadline=0.2)
        with pytest.raises(Exception, match=r"not done within|no answer that could be read"):
            await company.get("Thing", 1)
    assert service.calls == []


@pytest.mark.parametrize("life", [0, -1, "x", None, 1e999, "600"])
async def test_odd_lifetimes(life: Any) -> None:
    """An expires_in that makes no sense counts as the documented 20 minutes."""
    async with Service() as service, service.client() as client:
        body = b'{"access_token": "t", "expires_in": 1e999}'
        answer = body if life == 1e999 else {"access_token": "t", "expires_in": life}
        service.on_token = lambda _: Answer(body=answer)
        company = client.company()
        await company.get("Thing", 1)
        await company.get("Thing", 1)
    assert len(service.tokens) == 1
