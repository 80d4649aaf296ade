"""Token and host are one pair, asked for once by whoever comes first and renewed once for all."""

from __future__ import annotations

import asyncio
import traceback

import pytest

from tests.support.service import SECRET, Answer, Request, Service, error
from wosdk_async import (
    Credentials,
    CredentialsError,
    SessionError,
    SessionRefusedError,
)


async def test_hundreds_of_first_calls_log_in_once() -> None:
    """However many calls come first, one token request and one discovery are made."""
    async with Service() as service, service.client() as client:
        company = client.company()
        got = await asyncio.gather(*(company.get("Thing", 1) for _ in range(300)))
    assert len(got) == len(service.calls) == 300
    assert (len(service.tokens), len(service.discoveries)) == (1, 1)


@pytest.mark.parametrize(
    "refusal",
    [
        error(403, "EXPIRED_TOKEN"),
        error(403, "INCORRECT_TOKEN"),
        error(400, "DATABASE_VERSION_MISMATCH"),
        Answer(401, b"<html>no</html>"),
        error(401, "BUSINESS_LOGIC_ERROR"),
    ],
)
async def test_a_dead_session_is_renewed_once_and_the_call_resent(refusal: Answer) -> None:
    """A refused token or host costs one renewal for all calls under way, creates included."""

    def handler(request: Request) -> Answer:
        if request.headers["authorization"] == "Bearer token-1":
            return refusal
        return Answer(body={"CommandResult": {"Wo": {"Id": 7}}})

    async with Service(handler) as service, service.client() as client:
        company = client.company()
        await asyncio.gather(*(company.run("WoCreateCommand", {}) for _ in range(50)))
    assert (len(service.tokens), len(service.discoveries)) == (2, 2)
    assert len({request.json["RequestId"] for request in service.calls}) == 50


async def test_the_traceback_of_a_log_in_that_failed_has_one_error() -> None:
    """All waiting calls share a log-in, and the next ones its refusal; each error is a copy."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(400, {"error": "invalid_client"})
        found = []
        for _ in range(2):
            calls = (client.company().get("Thing", 1) for _ in range(2))
            found += await asyncio.gather(*calls, return_exceptions=True)
    assert len(service.tokens) == 1
    for each in found:
        assert isinstance(each, CredentialsError)
        text = "".join(traceback.format_exception(each))
        assert (text.count("Traceback"), text.count("CredentialsError: ")) == (1, 1)
    assert "login.py" in "".join(traceback.format_exception(found[0]))


async def test_a_session_that_stays_refused_is_an_error() -> None:
    """Renewed twice and refused again: the refusal is raised, with its code."""
    async with Service(lambda _: error(403, "EXPIRED_TOKEN", "Token has expired")) as service:
        async with service.client() as client:
            with pytest.raises(SessionRefusedError) as caught:
                await client.company().get("Thing", 1)
    assert (caught.value.code, caught.value.status) == ("EXPIRED_TOKEN", 403)
    assert caught.value.message == "still refused after 2 renewals: Token has expired"
    assert len(service.calls) == 3
    assert isinstance(caught.value, SessionError)


@pytest.mark.parametrize("names", [("Acme", "acme"), ("Straße", "STRASSE"), ("Kelvin", "\u212aelvin")])
async def test_sessions_are_by_the_exact_name(names: tuple[str, str]) -> None:
    """Two names that only folding makes one never share a token: the provider is asked for each."""

    async def lookup(company: str) -> Credentials:
        return Credentials(f"id-of-{company}", SECRET)

    async with Service() as service, service.client(credentials=lookup) as client:
        for name in (*names, *names):
            await client.company(name).get("Thing", 1)
    assert len(service.tokens) == 2
    used = [request.headers["authorization"] for request in service.calls]
    assert used == ["Bearer token-1", "Bearer token-2"] * 2
