"""A Company whose host cannot be reached any more: the locator is asked once, and calls go where it says."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.service import COMPANY, Answer, Request, Service
from tests.support.virtual import World, reply
from wosdk_async import (
    Client,
    Company,
    InDoubtError,
    NoAnswerError,
    NotSentError,
    RetryPolicy,
)
from wosdk_async.protocol.wire import Call, Response
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.session.manager import TokenGrant

ONCE = RetryPolicy(attempts=1)
FOUND = {"Id": 1}
MADE = Answer(body={"CommandResult": {"Wo": FOUND}})
PAGE = Answer(503, b"<html>", {"Content-Type": "text/html"})


# --- over sockets ---------------------------------------------------------------------------


async def moved(locator: Service, company: Company, to: Service) -> None:
    """Let ``company`` call a host that is gone afterwards, and the locator name another one then."""
    async with Service() as old:
        locator.company_url = old.url
        await company.get("Thing", 1)
        assert company.host == old.url
    locator.company_url = to.url


async def test_calls_that_were_not_sent_go_to_the_host_that_the_locator_names_now() -> None:
    """Creates too, with a single attempt each; one discovery is made for all of them."""
    async with Service() as locator, Service(lambda _: MADE) as new, locator.client() as client:
        company = client.company().with_options(retry=ONCE)
        await moved(locator, company, new)
        await asyncio.gather(*(company.run("WoCreateCommand", {}) for _ in range(50)))
        quota = client.stats().retry_quota
    assert (len(locator.discoveries), len(new.calls)) == (2, 50)
    assert quota == 500


async def test_a_host_that_sends_a_503_may_be_the_old_one() -> None:
    """A read goes to the host that the locator names; a create is in doubt, and the next one goes there."""
    done = Answer(body={"CommandResult": {"Wo": FOUND}, "Data": FOUND})
    async with Service() as locator, Service(lambda _: PAGE) as old, Service(lambda _: done) as new:
        for doubtful in (False, True):
            locator.company_url = old.url
            async with locator.client() as client:
                company = client.company().with_options(retry=ONCE)
                await company.connect()
                locator.company_url = new.url
                if doubtful:
                    with pytest.raises(InDoubtError):
                        await company.run("WoCreateCommand", {})
                    await company.run("WoCreateCommand", {})
                else:
                    await company.get("Thing", 1)
                assert company.host == new.url
        assert (len(old.calls), len(new.calls)) == (2, 2)


async def test_a_host_that_sends_a_503_is_not_left_without_another_one() -> None:
    """The locator is asked once in 5 seconds, and the call fails as without the question."""
    async with Service(lambda _: PAGE) as service, service.client() as client:
        company = client.company().with_options(retry=ONCE)
        for _ in range(20):
            with pytest.raises(NoAnswerError):
                await company.get("Thing", 1)
        assert (len(service.calls), len(service.discoveries)) == (20, 2)


async def test_calls_under_way_elsewhere_are_not_disturbed() -> None:
    """The old host takes no new connections and still answers on those it has."""
    go = asyncio.Event()

    async def answer(_: Request) -> Answer:
        await go.wait()
        return MADE

    async with Service() as locator, Service(lambda _: MADE) as new, locator.client() as client:
        async with Service(answer) as old:
            locator.company_url = old.url
            under_way = asyncio.create_task(client.company().run("WoCreateCommand", {}))
            while not old.calls:
                await asyncio.sleep(0)
            old.stop_listening()
            locator.company_url = new.url
            await client.company().run("WoCreateCommand", {})
            go.set()
            await under_way
        assert (len(old.calls), len(new.calls)) == (1, 1)


@pytest.mark.parametrize("to_locator", [False, True])
async def test_a_provider_of_grants_is_asked_for_another_host(to_locator: bool) -> None:
    """As a locator is, also for a command to the locator that it named."""
    asked = []

    class Provider:
        async def grant(self, company: str, _: object) -> TokenGrant:
            asked.append(company)
            url = gone if len(asked) == 1 else new.url
            return TokenGrant(token="a-token", expires_in=600.0, base_url=url, locator_url=url)

    async with Service() as old:
        gone = old.url
    call = Call("any", "POST", "any", bytes, repeat_safe=False, body=b"{}", to_locator=to_locator)
    async with Service() as new, Client(credentials=Provider()) as client:
        await client.company(COMPANY).with_options(retry=ONCE).send(call)
    assert (asked, len(new.calls)) == ([COMPANY] * 2, 1)


# --- on a clock that the test moves ---------------------------------------------------------


class Cloud(World):
    """A Company at host ``a``, which is gone until a time; the locator may be down until another one."""

    def __init__(self, named: str = "a") -> None:
        super().__init__(self.answer)
        self.named, self.gone_until, self.locator_down_until = "a", 0.0, 0.0
        self.discoveries: list[float] = []
        self.busy = 0  # so many calls that arrive at a host fail before one does not
        self.on_discovery = self.discover
        self.first = self.company()
        self.then_named = named

    async def open(self) -> None:
        await self.time.finish(asyncio.create_task(self.first.connect()))
        self.named, self.gone_until = self.then_named, self.time.seconds + 1000.0
        self.discoveries.clear()

    async def discover(self, *_: object) -> Response:
        self.discoveries.append(self.time.seconds)
        if self.time.seconds < self.locator_down_until:
            raise SendError("down", sent=False, host_gone=True)
        return reply({"CommandResult": {"Url": f"https://{self.named}.corrigo.com/"}})

    async def answer(self, _: str, url: str, *__: object) -> Response:
        if url.startswith("https://a.") and self.time.seconds < self.gone_until:
            raise SendError("gone", sent=False, host_gone=True)
        if self.busy:
            self.busy -= 1
            raise SendError("reset", sent=False)
        return reply({"Data": FOUND})

    async def get(self, times: int = 1, **options: Any) -> list[asyncio.Task[Any]]:
        company = self.first.with_options(**options)
        tasks = [asyncio.create_task(company.get("Thing", 1)) for _ in range(times)]
        await self.time.finish(*tasks)
        return tasks


async def test_the_same_host_is_asked_for_once_in_5_seconds() -> None:
    """Calls try it until their deadline, and however many do, neither it nor the locator is hammered."""
    cloud = Cloud()
    await cloud.open()
    for call in await cloud.get(100, deadline=9.0):
        failure = call.exception()
        assert isinstance(failure, NotSentError)
        assert 6 <= failure.attempts <= 19
        assert sum(failure.waits) == pytest.approx(8.75)
        assert all(0.5 <= wait <= 1.5 for wait in failure.waits[:-1])
    assert len(cloud.discoveries) == 2
    assert cloud.discoveries[1] - cloud.discoveries[0] >= 5.0


async def test_a_single_attempt_means_one_search() -> None:
    """A call without retries does not wait for the next one."""
    cloud = Cloud()
    await cloud.open()
    begun = cloud.time.seconds
    for call in await cloud.get(10, retry=ONCE):
        assert isinstance(call.exception(), NotSentError)
    assert len(cloud.discoveries) == 1
    assert cloud.time.seconds - begun < 1.0


async def test_a_locator_that_names_the_next_host_late_is_waited_for() -> None:
    """Nothing is spent meanwhile: each call has all its attempts at the next host, and the quota is whole."""
    cloud = Cloud()
    await cloud.open()
    cloud.time.call_later(1.0, lambda: setattr(cloud, "named", "b"))
    cloud.busy = 3
    begun = cloud.time.seconds
    (call,) = await cloud.get(deadline=20.0)
    assert call.result() == FOUND
    assert cloud.transport.stats().retry_quota >= 500 - 3 * 5
    assert [call.result() for call in await cloud.get(100, deadline=20.0)] == [FOUND] * 100
    assert cloud.time.seconds - begun < 20.0
    assert len(cloud.discoveries) == 2


async def test_host_and_locator_that_fail_together_are_waited_for() -> None:
    """The locator is back after 3 s and names another host: every call with 12 s goes there."""
    cloud = Cloud("b")
    await cloud.open()
    cloud.locator_down_until = cloud.time.seconds + 3.0
    begun = cloud.time.seconds
    calls = await cloud.get(100, deadline=12.0)
    assert [call.result() for call in calls] == [FOUND] * 100
    assert cloud.time.seconds - begun < 12.0


async def test_a_host_that_comes_back_is_found_though_the_locator_is_down() -> None:
    """The session is still good, so the call waits for the search a few seconds only."""
    cloud = Cloud()
    await cloud.open()
    cloud.locator_down_until = cloud.time.seconds + 1000.0
    cloud.gone_until = cloud.time.seconds + 1.0
    (call,) = await cloud.get(deadline=5.0)
    assert call.result() == FOUND


async def test_a_provider_that_fails_does_not_hide_that_the_host_is_gone() -> None:
    """The error is that of the call."""

    class Provider:
        async def grant(self, *_: object) -> TokenGrant:
            return grants.pop()  # an IndexError the second time

    grants = [TokenGrant(token="t", expires_in=600.0, base_url="https://a.corrigo.com", locator_url="")]

    async def gone(*_: object) -> Response:
        raise SendError("gone", sent=False, host_gone=True)

    world = World(gone)
    company = world.company(credentials=Provider())
    call = asyncio.create_task(company.get("Thing", 1))
    await world.time.finish(call)
    assert isinstance(call.exception(), NotSentError)
