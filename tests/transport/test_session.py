"""Token and host are one pair, asked for once by whoever comes first and renewed once for all."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import pytest

from tests.support.service import COMPANY, SECRET, Answer, Request, Service, error
from wosdk_async import (
    ConfigurationError,
    Credentials,
    CredentialsError,
    DiscoveryError,
    NotSentError,
    Region,
    SessionError,
    SessionRefusedError,
    UnknownCompanyError,
)
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.session import Grant, SessionKeeper


async def test_ten_thousand_first_calls_log_in_once() -> None:
    """However many calls come first, one token request and one discovery are made."""
    async with Service() as service, service.client() as client:
        company = client.company()
        got = await asyncio.gather(*(company.get("Thing", 1) for _ in range(10_000)))
    assert len(got) == len(service.calls) == 10_000
    assert (len(service.tokens), len(service.discoveries)) == (1, 1)


async def test_every_call_carries_the_headers_of_the_specification() -> None:
    """Spec 5: Authorization, CompanyName, Content-Type and Accept-Encoding, discovery included."""
    async with Service() as service, service.client() as client:
        company = client.company()
        await company.get("Thing", 1)
        assert (company.version, company.id, company.host) == ("9.21.4.118", 40217, service.url)
    for request in (service.discoveries[0], service.calls[0]):
        assert request.headers["authorization"] == "Bearer token-1"
        assert request.headers["companyname"] == COMPANY
        assert request.headers["content-type"] == "application/json"
        assert request.headers["accept-encoding"] == "gzip,deflate"
    assert "authorization" not in service.tokens[0].headers


@pytest.mark.parametrize(
    "refusal",
    [
        error(403, "EXPIRED_TOKEN"),
        error(403, "INCORRECT_TOKEN"),
        error(400, "DATABASE_VERSION_MISMATCH"),
        Answer(401, b"<html>no</html>"),
    ],
)
async def test_a_dead_session_is_renewed_once_and_the_call_resent(refusal: Answer) -> None:
    """A refused token or host costs one renewal for all calls under way, creates included."""

    def handler(request: Request) -> Answer:
        if request.headers["authorization"] == "Bearer token-1":
            return refusal
        return Answer(body={"CommandResult": {}})

    async with Service(handler) as service, service.client() as client:
        company = client.company()
        await asyncio.gather(*(company.run("WoCreateCommand", {}) for _ in range(50)))
    assert (len(service.tokens), len(service.discoveries)) == (2, 2)
    assert len({request.json["RequestId"] for request in service.calls}) == 50


async def test_a_session_that_stays_refused_is_an_error() -> None:
    """Renewed once and refused again: the refusal is raised, with its code."""
    async with Service(lambda _: error(403, "EXPIRED_TOKEN", "Token has expired")) as service:
        async with service.client() as client:
            with pytest.raises(SessionRefusedError, match="Token has expired") as caught:
                await client.company().get("Thing", 1)
    assert (caught.value.code, caught.value.status) == ("EXPIRED_TOKEN", 403)
    assert len(service.calls) == 2
    assert isinstance(caught.value, SessionError)


async def test_a_company_that_moved_is_followed() -> None:
    """After DATABASE_VERSION_MISMATCH calls go to the host that the locator names then."""
    async with Service(lambda _: error(400, "DATABASE_VERSION_MISMATCH")) as old, Service() as new:
        async with old.client() as client:
            old.company_url = old.url
            company = client.company()
            old.on_discovery, first = lambda request: moved(request), old.on_discovery

            def moved(request: Request) -> Answer:
                old.company_url = new.url if len(old.discoveries) > 1 else old.url
                return first(request)  # type: ignore[return-value]

            await company.get("Thing", 1)
            assert company.host == new.url
    assert (len(old.calls), len(new.calls)) == (1, 1)


async def test_credentials_and_region_belong_to_a_company() -> None:
    """Each Company logs in with its own pair, which an async function may look up."""
    asked = []

    async def lookup(company: str) -> Credentials:
        asked.append(company)
        return Credentials(f"id-of-{company}", SECRET)

    async with Service() as here, Service() as there, here.client(credentials=lookup) as client:
        await client.company("A").get("Thing", 1)
        await client.company("B", region=there.region()).get("Thing", 1)
        await client.company("C", credentials=Credentials("own", SECRET)).get("Thing", 1)
        await client.company("a").get("Thing", 1)
    assert asked == ["A", "B"], "the second spelling of A shares its session (facts 1)"
    assert [b"own" in request.body for request in here.tokens] == [False, True]
    assert len(there.calls) == 1


async def test_wrong_credentials() -> None:
    """HTTP 400 invalid_client and a bare 401 are both the credentials, and the secret is in no message."""
    for answer in (Answer(400, {"error": "invalid_client"}), Answer(401, b"")):
        async with Service() as service, service.client() as client:
            service.on_token = lambda _, answer=answer: answer
            with pytest.raises(CredentialsError, match="client id and secret") as caught:
                await client.company().get("Thing", 1)
        assert SECRET not in repr(caught.value)
        assert (caught.value.company, len(service.tokens)) == (COMPANY, 1)


async def test_unknown_company() -> None:
    """What the locator refuses is a Company it does not know."""
    async with Service() as service, service.client() as client:
        service.on_discovery = lambda _: error(400, "BUSINESS_LOGIC_ERROR", "no such company")
        with pytest.raises(UnknownCompanyError, match="Acme Facilities"):
            await client.company().connect()


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


class Time:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def clock(self) -> Clock:
        return Clock(lambda: self.seconds)


def keeper(time: Time, *results: Any) -> tuple[SessionKeeper, list[float]]:
    """A keeper whose renewals give ``results`` in turn, the last one for ever."""
    renewals: list[float] = []

    async def renew() -> Grant:
        renewals.append(time.seconds)
        await asyncio.sleep(0)
        result = results[min(len(renewals), len(results)) - 1]
        if isinstance(result, Exception):
            raise result
        return Grant(token="t", expires_in=result, base_url="https://a.corrigo.com", locator_url="")

    return SessionKeeper("Acme", renew, time.clock()), renewals


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_renewed_early_by_one_while_the_others_go_on() -> None:
    """Late in its life the session is still handed out, and one renewal runs aside."""
    time = Time()
    sessions, renewals = keeper(time, 1200)
    first = await sessions.newer_than(0)
    time.seconds += 1000
    assert [sessions.current() for _ in range(20)] == [first] * 20
    await settle()
    assert sessions.current() is not first
    assert len(renewals) == 2


async def test_a_failed_early_renewal_is_logged_and_held_off(caplog: pytest.LogCaptureFixture) -> None:
    """While the old session lives, a locator that is down stops nobody and is not hammered."""
    time = Time()
    sessions, renewals = keeper(time, 1200, SessionError("down"))
    first = await sessions.newer_than(0)
    time.seconds += 1000
    with caplog.at_level(logging.WARNING, "wosdk_async"):
        for _ in range(50):
            assert sessions.current() is first
            await settle()
    assert len(renewals) == 2
    assert "company=Acme" in caplog.text
    time.seconds += 20
    sessions.current()
    await settle()
    assert len(renewals) == 3


async def test_a_dead_session_is_not_handed_out() -> None:
    """Before a token can die on its way it is not used any more."""
    time = Time()
    sessions, _ = keeper(time, 1200)
    await sessions.newer_than(0)
    time.seconds += 1171
    assert sessions.current() is None


async def test_a_renewal_outlives_the_caller_that_started_it() -> None:
    """Cancelling one waiter neither cancels the renewal nor the others."""
    time = Time()
    sessions, renewals = keeper(time, 1200)
    first, second = (asyncio.ensure_future(sessions.newer_than(0)) for _ in range(2))
    await asyncio.sleep(0)
    first.cancel()
    assert (await second).generation == 1
    assert len(renewals) == 1


async def test_each_waiter_gets_an_error_of_its_own() -> None:
    """A failed renewal reaches all who wait, as separate exceptions with one cause."""
    sessions, renewals = keeper(Time(), CredentialsError("no"))
    errors = await asyncio.gather(*(sessions.newer_than(0) for _ in range(3)), return_exceptions=True)
    assert len(renewals) == 1
    assert len({id(error) for error in errors}) == 3
    assert len({id(error.__cause__) for error in errors}) == 1  # type: ignore[union-attr]


async def test_a_late_failure_of_an_old_generation_renews_nothing() -> None:
    """Who failed with a session that was replaced meanwhile gets the new one."""
    sessions, renewals = keeper(Time(), 1200)
    await sessions.newer_than(0)
    second = await sessions.newer_than(1)
    assert await sessions.newer_than(1) is second
    assert len(renewals) == 2
