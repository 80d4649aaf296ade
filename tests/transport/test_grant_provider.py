"""Sessions that another process has opened: checked like a log-in, asked for again when one is refused."""

from __future__ import annotations

import asyncio

import pytest

from tests.support.service import COMPANY, Answer, Request, Service, error
from wosdk_async import Client, ConfigurationError, DeadlineError, SessionError
from wosdk_async.transport.session.manager import TokenGrant

TOKEN = "handed-over-token-of-forty-characters-01"


class Provider:
    """Gives the grants of a list, one after the other; then it waits for ever."""

    def __init__(self, *grants: TokenGrant) -> None:
        self.grants = list(grants)
        self.asked = 0

    async def grant(self, company: str, replaced: object) -> TokenGrant:
        assert company == COMPANY
        self.asked += 1
        if not self.grants:
            await asyncio.Event().wait()
        return self.grants.pop(0)


def handed(url: str, token: str = TOKEN) -> TokenGrant:
    return TokenGrant(token=token, expires_in=600.0, base_url=url, locator_url=url)


async def test_a_session_that_was_handed_over_is_used_without_a_log_in() -> None:
    """Calls carry the token of the provider and the headers of the specification."""
    async with Service() as service:
        async with Client(credentials=Provider(handed(service.url))) as client:
            company = client.company(COMPANY)
            await asyncio.gather(*(company.get("Thing", 1) for _ in range(20)))
    assert (len(service.tokens), len(service.discoveries), len(service.calls)) == (0, 0, 20)
    for request in service.calls:
        assert request.headers["authorization"] == f"Bearer {TOKEN}"
        assert request.headers["companyname"] == COMPANY


async def test_a_refused_session_is_asked_for_again_once_for_all_calls() -> None:
    """The provider gives the next session, and creates are sent again under it."""

    def handler(request: Request) -> Answer:
        if request.headers["authorization"].endswith("old"):
            return error(403, "EXPIRED_TOKEN", f"expired: {request.headers['authorization']}")
        return Answer(body={"CommandResult": {}})

    async with Service(handler) as service:
        provider = Provider(handed(service.url, f"{TOKEN}-old"), handed(service.url, f"{TOKEN}-new"))
        async with Client(credentials=provider) as client:
            company = client.company(COMPANY)
            await asyncio.gather(*(company.run("WoCreateCommand", {}) for _ in range(20)))
    assert provider.asked == 2
    assert not service.tokens


async def test_a_client_that_waits_for_a_session_can_be_closed() -> None:
    """No call waits for ever when nobody hands a session over."""
    async with Client(credentials=Provider()) as client:
        call = asyncio.create_task(client.company(COMPANY).get("Thing", 1))
        await asyncio.sleep(0)
        await client.aclose(grace=0.0)
        with pytest.raises(DeadlineError, match="closed"):
            await call


async def test_a_response_that_repeats_the_token_does_not_show_it() -> None:
    """The token of a session that was handed over is hidden like that of a log-in."""
    async with Service(lambda _: error(400, "BUSINESS_LOGIC_ERROR", f"no: {TOKEN}")) as service:
        async with Client(credentials=Provider(handed(service.url))) as client:
            with pytest.raises(Exception, match=r"no: \*\*\*") as caught:
                await client.company(COMPANY).get("Thing", 1)
            assert TOKEN not in f"{caught.value!r}{client!r}{client.stats()!r}"


@pytest.mark.parametrize(
    "url", ["http://far.example.com", "ftp://127.0.0.1", "https://user:pw@a.example", ""]
)
async def test_a_host_that_may_not_get_the_token_is_refused(url: str) -> None:
    """https is needed, but for this machine and trusted hosts; nothing is sent."""
    async with Client(credentials=Provider(handed(url))) as client:
        with pytest.raises(ConfigurationError, match=r"provided session|use https") as caught:
            await client.company(COMPANY).get("Thing", 1)
    assert "pw" not in str(caught.value)


@pytest.mark.parametrize("token", ["", "a b", "a\r\nX: y", "t\u00f6ken", "x" * 20_000])
async def test_a_token_that_no_header_can_carry_is_refused(token: str) -> None:
    """Nothing is sent with it, and the error does not show it."""
    async with Client(credentials=Provider(handed("https://a.example", token))) as client:
        with pytest.raises(SessionError, match="no token") as caught:
            await client.company(COMPANY).get("Thing", 1)
    assert len(token) < 3 or token not in str(caught.value)


async def test_a_trusted_host_may_be_reached_without_https() -> None:
    """What the user trusts is reached as the provider says."""
    async with Client(
        credentials=Provider(handed("http://far.example.com")), trusted_hosts=["example.com"]
    ) as c:
        company = c.company(COMPANY)
        await company.connect()
        assert company.host == "http://far.example.com"
