"""Log-ins that are not sent: after refused credentials, and while the service asks to wait."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.virtual import World, reply
from tests.transport.script import found
from wosdk_async import Credentials, CredentialsError, SessionError
from wosdk_async.protocol.wire import Response

FOUND = {"Id": 1}


class Door(World):
    """Counts token requests; the endpoint gives the responses of a list first."""

    def __init__(self, *responses: Response) -> None:
        super().__init__(found)
        self.responses, self.requests = list(responses), list[float]()
        self.works, self.on_token = self.on_token, self.respond

    async def respond(self, *request: Any) -> Response:
        self.requests.append(self.time.seconds)
        return self.responses.pop(0) if self.responses else await self.works(*request)

    async def outcome(self, *, connect: bool = False, **options: Any) -> BaseException | None:
        company = self.company(**options)
        task = asyncio.create_task(company.connect() if connect else company.get("Thing", 1))
        await self.time.finish(task)
        return task.exception()


REFUSED = reply({"error": "invalid_client"}, 400)


# --- refused credentials --------------------------------------------------------------------


async def test_refused_credentials_are_tried_again_after_5_s() -> None:
    """They may have been activated meanwhile."""
    door = Door(REFUSED)
    assert isinstance(await door.outcome(), CredentialsError)
    await door.time.pass_by(4.9)
    assert isinstance(await door.outcome(), CredentialsError)
    assert len(door.requests) == 1
    await door.time.pass_by(0.2)
    assert await door.outcome() is None
    assert len(door.requests) == 2


async def test_connect_tries_refused_credentials_at_once() -> None:
    """A person who has just corrected something asks for it; calls after it have the session."""
    door = Door(REFUSED, REFUSED)
    for _ in range(2):
        assert isinstance(await door.outcome(connect=True), CredentialsError)
    assert isinstance(await door.outcome(), CredentialsError)
    assert len(door.requests) == 2
    assert await door.outcome(connect=True) is None
    assert await door.outcome() is None
    assert len(door.requests) == 3


async def test_other_credentials_are_tried_at_once() -> None:
    """A provider that gives the same pair is asked, and no request is sent."""
    pair = Credentials("id", "wrong")

    async def provider(_: str) -> Credentials:
        return pair

    door = Door(REFUSED)
    for _ in range(5):
        assert isinstance(await door.outcome(credentials=provider), CredentialsError)
    assert len(door.requests) == 1
    pair = Credentials("id", "right")
    assert await door.outcome(credentials=provider) is None
    assert len(door.requests) == 2


async def test_each_company_and_pair_is_held_off_by_itself() -> None:
    door = Door(REFUSED)
    assert isinstance(await door.outcome(name="Acme"), CredentialsError)
    assert await door.outcome(name="Other") is None
    assert await door.outcome(name="Acme", credentials=Credentials("id", "other")) is None


# --- a request to wait ----------------------------------------------------------------------


def busy(seconds: str, status: int = 429) -> Response:
    return reply({"ErrorMessage": "full", "ErrorCode": "BUSY"}, status, {"retry-after": seconds})


@each_of("status", [429, 503])
@each_of("place", ["token", "locator"])
async def test_a_request_to_wait_holds_for_all_callers(place: str, status: int) -> None:
    """No log-in is sent before, whoever calls; who has the time waits, and the others fail at once."""
    door = Door()
    sent: list[float] = []
    answers = [busy("20", status)]
    works = door.on_token if place == "token" else door.on_discovery

    async def respond(*request: Any) -> Response:
        sent.append(door.time.seconds)
        return answers.pop() if answers else await works(*request)

    setattr(door, "on_token" if place == "token" else "on_discovery", respond)
    begun = door.time.seconds
    patient = [asyncio.create_task(door.company(deadline=30.0).get("Thing", 1)) for _ in range(50)]
    await door.time.pass_by(1.0)
    for connect in (False, True):
        before = door.time.seconds
        failure = await door.outcome(deadline=10.0, connect=connect)
        assert isinstance(failure, SessionError)
        assert (failure.status, failure.code) == (status, "BUSY")
        assert door.time.seconds == before
    late = asyncio.create_task(door.company(deadline=30.0).get("Thing", 1))
    await door.time.finish(*patient, late)
    assert [task.result() for task in (*patient, late)] == [FOUND] * 51
    assert len(sent) == 2
    assert sent[1] - begun >= 20.0


async def test_callers_without_the_time_do_not_wait_for_their_deadline() -> None:
    """Those that had waited for the log-in already, too, beside one that has the time."""
    door = Door(busy("20"))
    begun = door.time.seconds
    short, long = (asyncio.create_task(door.company(deadline=each).get("Thing", 1)) for each in (10, 30))
    await door.time.finish(short)
    assert isinstance(short.exception(), SessionError)
    assert door.time.seconds == begun
    await door.time.finish(long)
    assert long.result() == FOUND


async def test_an_absurd_time_to_wait_is_bounded() -> None:
    """Nobody waits for it, as no call does; after five minutes the service is asked again."""
    door = Door(busy("86400"))
    for _ in range(3):
        assert isinstance(await door.outcome(deadline=100_000.0), SessionError)
    assert len(door.requests) == 1
    await door.time.pass_by(299.0)
    assert isinstance(await door.outcome(deadline=0.5), SessionError)
    assert len(door.requests) == 1
    await door.time.pass_by(2.0)
    assert await door.outcome() is None


async def test_an_early_renewal_is_held_off_too() -> None:
    """The session in use still does; nothing is sent before the time that the service asked for."""
    door = Door()
    assert await door.outcome() is None
    await door.time.pass_by(1000.0)
    door.responses.append(busy("50"))
    begun = door.time.seconds
    while door.time.seconds < begun + 55.0:
        assert await door.outcome() is None
        await door.time.pass_by(1.0)
    assert len(door.requests) == 3
    assert door.requests[2] - door.requests[1] >= 50.0


# --- a provider that raises CancelledError --------------------------------------------------


async def wrapped_vault(_: str) -> Credentials:
    """Await a task that somebody else cancelled."""
    inner = asyncio.ensure_future(asyncio.Event().wait())
    inner.cancel()
    await inner
    raise AssertionError


def plain_vault(_: str) -> Any:
    raise asyncio.CancelledError


class CancelledGrants:
    async def grant(self, company: str, _: object) -> Any:
        return await wrapped_vault(company)


@pytest.mark.parametrize(
    ("provider", "name"),
    [
        (wrapped_vault, "wrapped_vault"),
        (plain_vault, "plain_vault"),
        (CancelledGrants(), "CancelledGrants"),
    ],
)
async def test_a_provider_that_raises_cancelled_error_is_named(provider: Any, name: str) -> None:
    """Nobody closed the client and nobody cancelled the call."""
    door = Door()
    calls = [asyncio.create_task(door.company(credentials=provider).get("Thing", 1)) for _ in range(3)]
    await door.time.finish(*calls)
    for call in calls:
        failure = call.exception()
        assert isinstance(failure, SessionError)
        assert f"function {name} " in str(failure)
        assert failure.remedy
    assert await door.outcome() is None, "the client is open"


@pytest.mark.parametrize("way", ["cancel", "close"])
async def test_a_provider_that_is_cancelled_from_outside_is_not_blamed(way: str) -> None:
    """Its caller stays cancelled, and a client that is closed says so."""

    async def hangs(_: str) -> Credentials:
        await asyncio.Event().wait()
        raise AssertionError

    door = Door()
    manager = door.transport.sessions(door.tenant(credentials=hangs))
    waiting = asyncio.create_task(manager.renew(after=0))
    await door.time.pass_by(0.1)
    if way == "cancel":
        waiting.cancel()
        await asyncio.wait([waiting])
        assert waiting.cancelled()
        return
    await manager.aclose()
    with pytest.raises(SessionError, match="the client was closed"):
        await waiting
