"""A token endpoint or a locator that is down: who has time waits for it, who has none is told why."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import socket
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.virtual import World, reply
from tests.transport.script import found
from wosdk_async import (
    AccessToken,
    Client,
    Credentials,
    Customer,
    DeadlineError,
    NotSentError,
    Region,
    WosdkError,
)
from wosdk_async.protocol.wire import Response
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.http.engine import SendError

PLACES = pytest.mark.parametrize("place", ["on_token", "on_discovery"])
FOUND = {"Id": 1}


class Outage(World):
    """Fails at one of the two addresses of a log-in until a time."""

    def __init__(self, place: str, failure: Exception | Response | None) -> None:
        super().__init__(found)
        self.until, self.failure, self.attempts = self.time.seconds, failure, 0
        self.works = getattr(self, place)
        setattr(self, place, self.respond)

    async def respond(self, *request: Any) -> Response:
        self.attempts += 1
        if self.time.seconds >= self.until:
            response: Response = await self.works(*request)
            return response
        if isinstance(self.failure, Exception):
            raise self.failure
        if self.failure is None:
            await asyncio.Event().wait()
        assert self.failure is not None
        return self.failure

    def down_for(self, seconds: float) -> None:
        self.until = self.time.seconds + seconds


def refused() -> SendError:
    return SendError("refused", sent=False)


@PLACES
@each_of(
    ("failure", "companies"),
    [
        (refused(), 1),
        (SendError("reset", sent=True), 1),
        (reply(b"<html>", 502), 1),
        (reply({}, 503), 1),
        (None, 1),
        (refused(), 200),
        (None, 200),
    ],
)
async def test_an_outage_of_3_s_is_survived_by_every_call_with_12_s(
    failure: Exception | Response | None, companies: int, place: str
) -> None:
    """40 calls of one Company at once, or one of each of 200: there are 64 connections for their log-ins."""
    world = Outage(place, failure)
    world.down_for(3.0)
    names = [f"c{number % companies}" for number in range(max(companies, 40))]
    calls = [asyncio.create_task(world.company(name, deadline=12.0).get("Thing", 1)) for name in names]
    await world.time.finish(*calls, within=12.0)
    assert [call.result() for call in calls] == [FOUND] * len(names)


@PLACES
async def test_each_caller_waits_for_as_long_as_it_has_time(place: str) -> None:
    """One log-in serves callers with different deadlines, and those with too little are told what it met."""
    world = Outage(place, refused())
    world.down_for(5.0)
    begun = world.time.seconds
    short, long = (
        asyncio.create_task(world.company(deadline=seconds).get("Thing", 1)) for seconds in (2, 20)
    )
    await world.time.finish(short)
    assert world.time.seconds - begun == pytest.approx(2, abs=0.02)
    assert isinstance(short.exception(), DeadlineError)
    assert "(refused)" in str(short.exception())
    await world.time.finish(long)
    assert long.result() == FOUND


@PLACES
@each_of(
    ("failure", "error", "status"),
    [(refused(), NotSentError, 0), (reply(b"<html>", 502), NotSentError, 502)],
)
async def test_an_outage_that_lasts_is_an_error_when_no_attempt_fits_into_the_time(
    failure: Exception | Response, error: type[WosdkError], status: int, place: str
) -> None:
    """Not the bare deadline: the failure of the last attempt, with its status and how many there were."""
    world = Outage(place, failure)
    world.down_for(100.0)
    begun = world.time.seconds
    call = asyncio.create_task(world.company(deadline=30.0).get("Thing", 1))
    await world.time.finish(call)
    assert world.time.seconds - begun == pytest.approx(29.75, abs=0.02), "the last attempt"
    failed = call.exception()
    assert isinstance(failed, error)
    assert (failed.status, failed.attempts) == (status, world.attempts)


async def test_a_log_in_ends_when_nobody_waits_for_it_any_more() -> None:
    """Its callers were cancelled: no request is sent later, and no task remains."""
    world = Outage("on_discovery", refused())
    world.down_for(1000.0)
    calls = [asyncio.create_task(world.company().get("Thing", 1)) for _ in range(3)]
    await world.time.pass_by(11.0)
    for call in calls:
        call.cancel()
    await asyncio.wait(calls)
    attempts = world.attempts
    await world.time.pass_by(60.0)
    assert world.attempts == attempts
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_a_log_in_that_takes_longer_than_a_deadline_is_there_for_the_next_call() -> None:
    """It goes on for 10 s without a caller: short deadlines do not keep a Company from its session."""
    world = Outage("on_discovery", None)
    world.works = slow = world.works

    async def discover(*request: Any) -> Response:
        await world.time.sleep(3.0)
        response: Response = await slow(*request)
        return response

    world.on_discovery = discover
    late = asyncio.create_task(world.company(deadline=1.0).get("Thing", 1))
    await world.time.finish(late)
    assert isinstance(late.exception(), DeadlineError)
    await world.time.pass_by(2.5)
    call = asyncio.create_task(world.company(deadline=1.0).get("Thing", 1))
    await world.time.finish(call)
    assert call.result() == FOUND
    assert world.tokens == 1


@PLACES
async def test_an_early_renewal_without_callers_ends_by_itself(place: str) -> None:
    """Also one that hangs: after its second attempt; the next one begins 15 s later."""
    world = Outage(place, None)
    first = asyncio.create_task(world.company().get("Thing", 1))
    await world.time.finish(first)
    await world.time.pass_by(1000.0)
    world.down_for(10_000.0)
    begun, before = world.time.seconds, world.attempts
    while world.time.seconds < begun + 49.0:
        call = asyncio.create_task(world.company().get("Thing", 1))
        await world.time.finish(call)
        assert call.result() == FOUND
        await world.time.pass_by(0.5)
    assert world.attempts - before == 4, "the second one begins after 8 + 8 + 15 s"


@PLACES
async def test_what_a_person_has_to_change_is_an_error_at_once(place: str) -> None:
    """Such as a certificate that is refused: the next attempt would meet it again."""
    failure = SendError("certificate", sent=False, remedy=Remedy.AUTHORITY)
    world = Outage(place, failure)
    world.down_for(100.0)
    begun = world.time.seconds
    call = asyncio.create_task(world.company().get("Thing", 1))
    await world.time.finish(call)
    failed = call.exception()
    assert isinstance(failed, NotSentError)
    assert (failed.remedies, world.attempts, world.time.seconds) == ((Remedy.AUTHORITY,), 1, begun)


@PLACES
async def test_a_host_that_cannot_be_reached_is_logged_once_a_minute(
    place: str, caplog: pytest.LogCaptureFixture
) -> None:
    """The retries of several Companies are otherwise silent for as long as their deadlines."""
    world = Outage(place, SendError("refused", sent=False, host_gone=True))
    world.down_for(1000.0)
    with caplog.at_level(logging.WARNING, "wosdk_async"):
        for warnings, deadline in enumerate((40.0, 15.0, 40.0), start=1):
            calls = [world.company(f"c{number}", deadline=deadline).get("Thing", 1) for number in range(3)]
            tasks = [asyncio.create_task(call) for call in calls]
            await world.time.finish(*tasks, within=deadline)
            assert {type(task.exception()) for task in tasks} == {NotSentError}
            assert {task.exception().remedies for task in tasks} == {()}  # type: ignore[union-attr]
            said = [record.getMessage() for record in caplog.records]
            assert len(said) == (1, 1, 2)[warnings - 1]
    assert "for up to 40 s: refused" in said[0]


@pytest.fixture
def root_of_nobody() -> Iterator[Callable[[], str]]:
    """Return addresses of this machine where nobody listens. Their ports stay taken, also for other tests."""
    with contextlib.ExitStack() as held:

        def root() -> str:
            taken = held.enter_context(socket.socket())
            taken.bind(("127.0.0.1", 0))
            return f"http://127.0.0.1:{taken.getsockname()[1]}"

        yield root


async def test_a_local_company_that_is_not_there_is_to_be_started(root_of_nobody: Callable[[], str]) -> None:
    root = root_of_nobody()
    region = Region("here", token_url=f"{root}/OAuth/token", locator_url=root)
    async with Client(region=region) as client:
        company = client.company("Acme", credentials=Credentials("id", "secret")).with_options(deadline=1.0)
        with pytest.raises(NotSentError) as error:
            await company.get(Customer, 1)
    assert error.value.remedies == (Remedy.START_SANDBOX,)


async def test_a_proxy_that_cannot_be_reached_is_logged(
    caplog: pytest.LogCaptureFixture, root_of_nobody: Callable[[], str]
) -> None:
    """A misspelt proxy is otherwise silent for a whole deadline."""
    root, proxy = root_of_nobody(), root_of_nobody()
    region = Region("here", token_url=f"{root}/OAuth/token", locator_url=root)
    async with Client(region=region, proxy=proxy) as client:
        company = client.company("Acme", credentials=Credentials("id", "secret")).with_options(deadline=1.6)
        with caplog.at_level(logging.WARNING, "wosdk_async"), pytest.raises((DeadlineError, NotSentError)):
            await company.get(Customer, 1)
    (record,) = caplog.records
    assert f"the proxy {proxy}: " in record.getMessage()


async def test_a_host_that_the_program_names_is_logged_too(
    caplog: pytest.LogCaptureFixture, root_of_nobody: Callable[[], str]
) -> None:
    """With a token of the program, no log-in meets the outage first."""
    token = AccessToken("token-of-the-program", 600, root_of_nobody())

    async def provide(_: str) -> AccessToken:
        return token

    async with Client() as client:
        company = client.company("Acme", credentials=provide).with_options(deadline=1.6)
        with caplog.at_level(logging.WARNING, "wosdk_async"), pytest.raises((DeadlineError, NotSentError)):
            await company.get(Customer, 1)
    (record,) = caplog.records
    assert str(token.base_url) in record.getMessage()
    assert token.token.reveal() not in record.getMessage()
