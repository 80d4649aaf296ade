"""Responses of the locator and the token endpoint: no odd value in one is used."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from typing import Any

import httpx
import pytest

from tests.support.facts import having
from tests.support.laws import each_of
from tests.support.service import Answer, Request, Service, error
from tests.support.virtual import REGION, World, reply
from wosdk_async import (
    AccessToken,
    ConfigurationError,
    CredentialsError,
    DeadlineError,
    DiscoveryError,
    NotSentError,
    Region,
    SessionError,
    SessionRefusedError,
    UnknownCompanyError,
    WosdkError,
    problem_of,
)
from wosdk_async.protocol.wire import Response
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.http.engine import SendError


@each_of("url", ["https://evil.example/", "http://am.corrigo.com/", "", None, 7])
async def test_a_locator_that_names_a_foreign_host(url: Any) -> None:
    """The token is not taken to a host outside the rules; no call is made."""
    async with Service() as service, service.client() as client:
        service.on_discovery = lambda _: Answer(body={"CommandResult": {"Url": url}})
        with pytest.raises(DiscoveryError):
            await client.company().get("Thing", 1)
    assert service.calls == []


@pytest.mark.parametrize(("given", "kept"), [("9" * 300, "9" * 200), (9, None)])
async def test_an_odd_version_or_number_of_a_company(given: Any, kept: str | None) -> None:
    """A text is cut, and what is of another type is not known."""
    async with Service() as service, service.client() as client:
        result = {"Url": service.url, "CompanyVersion": given, "CompanyId": "7"}
        service.on_discovery = lambda _: Answer(body={"CommandResult": result})
        company = client.company()
        await company.connect()
        assert (company.version, company.id) == (kept, None)


async def test_locator_and_token_address_must_be_safe() -> None:
    """A configured address in clear that is neither loopback nor trusted is refused before a byte leaves."""
    region = Region("mine", locator_url="http://locator.example", token_url="https://login.example/t")
    async with Service() as service:
        mixed = Region("mine", locator_url="http://locator.example", token_url=service.region().token_url)
        for wrong in (region, mixed):
            with pytest.raises(ConfigurationError, match="locator_url of the region mine: http://locator"):
                service.client(region=wrong)
            async with service.client() as client:
                with pytest.raises(ConfigurationError, match="use https"):
                    client.company(region=wrong)


@each_of("token", ["a\r\nb", "a b", "", 7, None, "ü", "a\tb", "a\x7fb", "x" * 16_385])
async def test_a_token_that_is_no_header(token: Any) -> None:
    """What the token endpoint sends is not put into a header unseen."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(body={"access_token": token})
        company = client.company().with_options(deadline=0.2)
        with pytest.raises((DeadlineError, NotSentError)):
            await company.get("Thing", 1)
    assert service.calls == []


async def used_for(life: str) -> float:
    """Seconds that a token is used for whose ``expires_in`` is this JSON."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(body=b'{"access_token": "t", "expires_in": %s}' % life.encode())
        for _ in range(5):
            await client.company().get("Thing", 1)
        (state,) = client.stats().companies
    assert len(service.tokens) == 1
    assert state.session_left is not None
    return state.session_left


@each_of(
    "life",
    [
        *("0", "-1", "-1e-9", "1e-9", "0.99", "86401", "1e999", "1e999999999", "-1e999", "9" * 400),
        *('"x"', '"600"', '""', "null", "true", "[600]", "{}"),
    ],
)
async def test_odd_lifetimes(life: str) -> None:
    """An expires_in that makes no sense counts as the documented 20 minutes."""
    assert 1160 < await used_for(life) <= 1170


@each_of(("life", "seconds"), [("1", 5), ("1.5", 5), ("10", 5), ("50", 25), ("60", 30), ("86400", 86370)])
async def test_short_lifetimes(life: str, seconds: float) -> None:
    """A short life is believed, but no Company logs in all the time because of it."""
    assert seconds - 4 < await used_for(life) <= seconds


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_locator_elsewhere_may_not_name_this_machine(host: str) -> None:
    """The token would go to whatever listens here; a host in trusted_hosts is the user's word."""
    async with Service() as here:
        url = here.url.replace("127.0.0.1", host)
        seen = []

        async def app(scope: dict[str, Any], receive: Any, send: Any) -> None:
            seen.append(scope["path"])
            body = {"access_token": "a-token", "CommandResult": {"Url": url}, "Data": {"Id": 1}}
            await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body", "body": json.dumps(body).encode()})

        for trusted in ([], [host]):
            settings = {"region": Region.EMEA, "trusted_hosts": trusted}
            async with here.client(transport=httpx.ASGITransport(app), **settings) as client:
                if trusted:
                    assert await client.company().get("Thing", 1) == {"Id": 1}
                    continue
                with pytest.raises(DiscoveryError, match=f"'{host}'"):
                    await client.company().get("Thing", 1)
                assert len(seen) == 2
    assert len(seen) == 5


async def test_a_page_of_a_load_balancer_is_asked_for_again() -> None:
    """408 says nothing of the credentials."""
    async with Service() as service, service.client() as client:
        answers = [Answer(408, b"<html>"), Answer(408, b"<html>")]
        token = service.on_token

        service.on_token = lambda request: answers.pop() if answers else token(request)
        await client.company().connect()
        assert len(service.tokens) == 3


@pytest.mark.parametrize("status", [300, 302, 404])
async def test_a_token_address_that_is_wrong_is_an_error_at_once(status: int) -> None:
    """With its status; the next log-in takes another connection."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(status, b"<html>")
        for _ in range(2):
            with pytest.raises(SessionError) as caught:
                await client.company().connect()
            assert (
                f"{service.url}/OAuth/token responded with HTTP {status}; check WOSDK_TOKEN_URL, or"
                in str(caught.value)
            )
        assert (len(service.tokens), service.connections) == (2, 2)


@each_of(
    ("place", "variable", "kind"),
    [("on_token", "WOSDK_TOKEN_URL", SessionError), ("on_discovery", "WOSDK_LOCATOR_URL", DiscoveryError)],
)
@each_of(
    "answer",
    [
        error(404, "NOT_FOUND", "There is nothing at this path."),
        error(405, "NOT_ALLOWED"),
        error(404, "COMMAND_NOT_FOUND"),
        Answer(404, b"<html>"),
    ],
)
async def test_an_address_that_is_not_that_of_a_log_in(
    place: str, variable: str, kind: type[SessionError], answer: Answer
) -> None:
    """The caller asked for nothing wrong, and the Company may be known: only the operator can help."""
    async with Service() as service, service.client() as client:
        setattr(service, place, lambda _: answer)
        with pytest.raises(SessionError) as caught:
            await client.company().connect()
        assert len(service.tokens) == 1
    found = caught.value
    assert type(found) is kind
    assert f"{service.url}" in found.message
    assert (found.remedies, found.facts["variable"]) == ((Remedy.ENDPOINT,), variable)
    assert found.status == answer.status
    problem = problem_of(found)
    assert (problem.status, "retry_after" in problem.body) == (502, False)


async def test_a_locators_page_with_400() -> None:
    """It means that the Company is unknown, whoever says it."""
    async with Service() as service, service.client() as client:
        service.on_discovery = lambda _: Answer(400, b"<html>")
        for _ in range(2):
            with pytest.raises(UnknownCompanyError) as caught:
                await client.company().connect()
            assert (caught.value.status, caught.value.code) == (400, "")
        assert len(service.discoveries) == 2


async def test_the_locators_reason_is_shown() -> None:
    """In an ErrorInfo, which is untrusted text: bounded, on one line, and without the token."""

    def upgrading(request: Request) -> Answer:
        told = f"Acme is being upgraded\x1b[2J\n{request.headers['authorization']} {'x' * 9000}"
        return Answer(body={"CommandResult": {"errorinfo": {"Number": 5, "Description": told}}})

    async with Service() as service, service.client() as client:
        service.on_discovery = upgrading
        with pytest.raises(DiscoveryError) as caught:
            await client.company().connect()
    found = caught.value
    assert type(found) is DiscoveryError
    assert (found.code, found.status) == ("ERROR_CODE_5", 200)
    assert "ERROR_CODE_5: Acme is being upgraded" in str(found)
    assert "Bearer ***" in str(found)
    assert len(str(found)) < 3000
    assert str(found).isprintable()


async def test_a_refusal_of_the_locator_that_is_not_about_the_name() -> None:
    """Only a host that knows no such Company is UnknownCompanyError; a refused token is not."""
    async with Service() as service, service.client() as client:
        service.on_discovery = lambda _: error(403, "INCORRECT_TOKEN", "not this token")
        with pytest.raises(WosdkError, check=having(code="INCORRECT_TOKEN")) as caught:
            await client.company().get("Thing", 1)
    assert not isinstance(caught.value, UnknownCompanyError)


async def test_a_throttled_log_in_says_how_long_to_wait() -> None:
    async with Service() as service, service.client() as client:
        service.on_discovery = lambda _: Answer(429, b"{}", {"Retry-After": "200"})
        with pytest.raises(SessionError) as caught:
            await client.company().with_options(deadline=10).get("Thing", 1)
    assert caught.value.retry_after == 200


EXPIRED = error(403, "EXPIRED_TOKEN", "Token has expired")
NO_HEADER = error(401, "MISSING_AUTHORIZATION_HEADER", "no header")
WRONG_PAIR = error(403, "INCORRECT_TOKEN", "not this token")


@pytest.mark.parametrize(
    ("refusal", "refused", "requests"),
    [
        (EXPIRED, 1, 2),
        (NO_HEADER, 1, 2),
        (Answer(401, b"<html>"), 1, 2),
        (EXPIRED, 9, 2),
        (WRONG_PAIR, 1, 1),
    ],
)
@pytest.mark.parametrize("at_renewal", [False, True])
async def test_a_token_that_the_locator_refuses_is_renewed_once(
    refusal: Answer, refused: int, requests: int, at_renewal: bool
) -> None:
    """Facts 1: at the first log-in and in a renewal. A token of another Company is not."""
    async with Service() as service, service.client() as client:
        company = client.company()
        if at_renewal:
            await company.get("Thing", 1)
            answers = iter([EXPIRED])
            service.handler = lambda _: next(answers, Answer(body={"Data": {"Id": 1}}))
        before, discover = len(service.tokens), service.on_discovery

        def locate(request: Request) -> Answer | Awaitable[Answer]:
            is_refused = len(service.discoveries) - before <= refused
            return refusal if is_refused else discover(request)

        service.on_discovery = locate
        if refused < requests:
            await company.get("Thing", 1)
        else:
            with pytest.raises(SessionRefusedError) as caught:
                await company.get("Thing", 1)
            assert caught.value.code == refusal.body["ErrorCode"]
            assert caught.value.message.startswith("the locator refused the new token: ")
        assert len(service.tokens) - before == len(service.discoveries) - before == requests
        newest = f"Bearer token-{before + requests}"
        assert service.discoveries[-1].headers["authorization"] == newest


async def test_a_provider_is_asked_again_for_a_token_that_the_locator_refuses() -> None:
    """It may have a newer one; the host is asked for with it."""
    given: list[str] = []

    async def provide(_: str) -> AccessToken:
        given.append(f"own-{len(given)}")
        return AccessToken(given[-1], 600.0)

    async with Service() as service, service.client(credentials=provide) as client:
        discover = service.on_discovery
        service.on_discovery = lambda request: EXPIRED if len(service.discoveries) < 2 else discover(request)
        await client.company().get("Thing", 1)
    assert given == ["own-0", "own-1"]
    assert service.calls[0].headers["authorization"] == "Bearer own-1"


@each_of(
    ("body", "shown"),
    [
        (b"", ""),
        (b"<html>no</html>", ""),
        (b"[1]", ""),
        (b'{"error": 7}', ""),
        (b'{"error": "%b"}' % (b"x" * 40), ""),
        (b'{"error": "no, because"}', ""),
        (b'{"error": "invalid_client"}', "invalid_client"),
        (b'{"error": "%b"}' % (b"x" * 39), "x" * 39),
    ],
)
async def test_credentials_are_refused_whatever_the_body_says(body: bytes, shown: str) -> None:
    """The word of OAuth is the code of the error; nothing else of the body is shown."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(401, body)
        with pytest.raises(CredentialsError) as caught:
            await client.company().get("Thing", 1)
    assert caught.value.code == shown
    assert ("xxx" in str(caught.value)) is ("xxx" in shown)
    assert ("proxy or gateway" in caught.value.message) is (body[:1] in (b"<", b"["))
    assert len(service.tokens) == 1


LOCAL = Region("local", locator_url="http://127.0.0.1", token_url="http://127.0.0.1/t")


@pytest.mark.parametrize(
    ("region", "status", "hinted"), [(LOCAL, 0, True), (LOCAL, 502, False), (REGION, 0, False)]
)
async def test_an_address_in_clear_that_closes_its_connections_may_speak_https(
    region: Region, status: int, hinted: bool
) -> None:
    """A server of TLS does so. One that responds, or has https in its address, is something else."""

    async def respond(*_: Any) -> Response:
        if status:
            return reply(b"<html>", status)
        raise SendError("closed", sent=True)

    world = World(respond)
    world.on_token = respond
    call = asyncio.create_task(world.company(region=region, deadline=5.0).get("Thing", 1))
    await world.time.finish(call)
    error = call.exception()
    assert isinstance(error, NotSentError)
    assert ("https://" in error.message) is hinted
