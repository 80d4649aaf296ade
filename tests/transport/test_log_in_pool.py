"""Log-ins of thousands of Companies over a few connections: one that hangs gives way to the others."""

from __future__ import annotations

import asyncio
import json
from typing import Any
from urllib.parse import parse_qs

import attrs
import pytest

from tests.engine.raw import RawServer, request
from tests.support.laws import some
from tests.support.virtual import REGION, World, reply
from wosdk_async import Client, Company, Credentials, Region
from wosdk_async.protocol.wire import Response

CONNECTIONS = 64
FAR = attrs.evolve(REGION, name="far", token_url="https://far.corrigo.com/t")


class Cloud(World):
    """Hangs, or takes its time, for the Companies that it is told of; each has its name as its client id."""

    def __init__(self) -> None:
        super().__init__(self.answer)
        self.hanging_tokens: set[str] = set()
        self.hanging_hosts: set[str] = set()
        self.seconds_per_token: dict[str, float] = {}
        self.now = self.most = 0
        self.on_token, self.on_discovery = self.token, self.discover

    def named(self, name: str, region: Region = REGION, deadline: float = 12.0) -> Company:
        return self.company(name, region, Credentials(name, "secret"), deadline=deadline)

    async def token(self, _: str, url: str, __: object, body: bytes | None) -> Response:
        assert body is not None
        (name,) = parse_qs(body.decode())["client_id"]
        hangs = name in self.hanging_tokens or url == FAR.token_url
        return await self.respond(name, hangs, self.seconds_per_token.get(name, 0.02), super()._token)

    async def discover(self, _: str, __: str, headers: dict[str, str], ___: object) -> Response:
        name = headers["CompanyName"]
        return await self.respond(name, name in self.hanging_hosts, 0.02, super()._discovery)

    async def respond(self, name: str, hangs: bool, seconds: float, respond: Any) -> Response:
        self.now += 1
        self.most = max(self.most, self.now)
        try:
            await (asyncio.Event().wait() if hangs else self.time.sleep(seconds))
            result: Response = await respond()
            return result
        finally:
            self.now -= 1

    async def answer(self, *_: object) -> Response:
        return reply({"Data": {"Id": 1}})


async def stop(calls: list[asyncio.Task[Any]]) -> None:
    for call in calls:
        call.cancel()
    await asyncio.gather(*calls, return_exceptions=True)


@pytest.mark.parametrize(
    ("hangs", "place"),
    some(
        [
            ("token", 1200),
            ("half of each", 0),
            ("locator", 1200),
            ("half of each", 600),
            ("another region", 1200),
            ("half of each", 1200),
        ],
        3,
    ),
)
async def test_1200_log_ins_that_hang_leave_one_its_turn(hangs: str, place: int) -> None:
    """Whether it comes before them, between them or behind them, and wherever they hang."""
    cloud = Cloud()
    names = [f"hangs-{number}" for number in range(1200)]
    cloud.hanging_tokens.update({"token": names, "half of each": names[::2]}.get(hangs, ()))
    cloud.hanging_hosts.update({"locator": names, "half of each": names[1::2]}.get(hangs, ()))
    region = FAR if hangs == "another region" else REGION
    companies = [cloud.named(name, region) for name in names]
    companies.insert(place, cloud.named("healthy"))
    begun = cloud.time.seconds
    calls = [asyncio.create_task(company.get("Thing", 1)) for company in companies]
    await cloud.time.finish(calls[place], within=12.0)
    assert calls[place].result() == {"Id": 1}
    assert cloud.time.seconds - begun < 7.0
    assert cloud.most <= CONNECTIONS
    await stop(calls)


async def test_one_that_comes_while_all_connections_hang_is_served_at_once() -> None:
    """No time has to pass: a slow request gives way."""
    cloud = Cloud()
    names = [f"hangs-{number}" for number in range(100)]
    cloud.hanging_tokens.update(names)
    stuck = [asyncio.create_task(cloud.named(name, deadline=60.0).get("Thing", 1)) for name in names]
    await cloud.time.pass_by(5.0)
    assert cloud.now == CONNECTIONS
    for number in range(100):
        begun = cloud.time.seconds
        call = asyncio.create_task(cloud.named(f"healthy-{number}").get("Thing", 1))
        await cloud.time.finish(call)
        assert cloud.time.seconds - begun == pytest.approx(0.04)
    assert not any(each.done() for each in stuck), "they are retried for as long as they have time"
    await stop(stuck)


async def test_a_token_endpoint_that_is_merely_slow_serves_everybody() -> None:
    """2 s for each token, and 300 Companies at once: each takes a connection for 2 s, and 0.25 s before."""
    cloud = Cloud()
    names = [f"c{number}" for number in range(300)]
    cloud.seconds_per_token = dict.fromkeys(names, 2.0)
    begun = cloud.time.seconds
    calls = [asyncio.create_task(cloud.named(name, deadline=60.0).get("Thing", 1)) for name in names]
    await cloud.time.finish(*calls)
    assert [call.result() for call in calls] == [{"Id": 1}] * 300
    assert cloud.time.seconds - begun < 20.0


async def test_slow_log_ins_get_their_turn_while_new_ones_keep_coming() -> None:
    """A part of the connections is for them, though the rest is never enough."""
    cloud = Cloud()
    slow = [f"slow-{number}" for number in range(16)]
    cloud.seconds_per_token = dict.fromkeys(slow, 2.0)
    patient = [asyncio.create_task(cloud.named(name, deadline=60.0).get("Thing", 1)) for name in slow]
    others = []
    for number in range(18):  # 240 in a second, and 48 connections can try 192
        names = [f"hangs-{number}-{each}" for each in range(60)]
        cloud.hanging_tokens.update(names)
        others += [asyncio.create_task(cloud.named(name).get("Thing", 1)) for name in names]
        await cloud.time.pass_by(0.25)
    assert all(call.done() and call.result() == {"Id": 1} for call in patient)
    await stop(others)


async def test_a_few_slow_log_ins_are_never_interrupted() -> None:
    """As many as may run without one that waits: each request is sent once."""
    cloud = Cloud()
    names = [f"c{number}" for number in range(CONNECTIONS)]
    cloud.seconds_per_token = dict.fromkeys(names, 5.0)
    calls = [asyncio.create_task(cloud.named(name).get("Thing", 1)) for name in names]
    await cloud.time.pass_by(4.0)
    assert cloud.now == CONNECTIONS
    await cloud.time.finish(*calls)
    assert cloud.tokens == CONNECTIONS


async def test_one_that_is_merely_slow_is_served_among_many_that_hang() -> None:
    """After 2.5 s each of those gives way to it, and it needs 2 s."""
    cloud = Cloud()
    names = [f"hangs-{number}" for number in range(200)]
    cloud.hanging_tokens.update(names)
    cloud.seconds_per_token = {"slow": 2.0}
    stuck = [asyncio.create_task(cloud.named(name, deadline=60.0).get("Thing", 1)) for name in names]
    await cloud.time.pass_by(0.1)
    call = asyncio.create_task(cloud.named("slow", deadline=15.0).get("Thing", 1))
    await cloud.time.finish(call)
    assert call.result() == {"Id": 1}
    await stop(stuck)


@pytest.mark.parametrize(("seconds", "longest"), [(0.2, 1.0), (0.3, 5.0), (0.5, 6.0), (2.0, 11.0)])
async def test_log_ins_that_hang_do_not_delay_slower_ones_that_came_with_them(
    seconds: float, longest: float
) -> None:
    """Each waits for at most two rounds of them, and no new request throws it back further."""
    cloud = Cloud()
    names = [f"c{number}" for number in range(200)]
    cloud.hanging_tokens.update(names[:100])
    cloud.seconds_per_token = dict.fromkeys(names, seconds)
    begun = cloud.time.seconds
    calls = [asyncio.create_task(cloud.named(name, deadline=60.0).get("Thing", 1)) for name in names]
    await cloud.time.finish(*calls[100:])
    assert cloud.time.seconds - begun < longest
    await stop(calls)


async def test_log_ins_that_hang_do_not_delay_later_ones_once_a_response_took_as_long() -> None:
    """One response shows that 0.4 s is usual, so new requests do not preempt the others."""
    cloud = Cloud()
    hanging = [f"hangs-{number}" for number in range(100)]
    names = [f"c{number}" for number in range(20)]
    cloud.hanging_tokens.update(hanging)
    cloud.seconds_per_token = dict.fromkeys(names, 0.4)
    await cloud.time.finish(asyncio.create_task(cloud.named(names[0]).get("Thing", 1)))
    stuck = [asyncio.create_task(cloud.named(name, deadline=60.0).get("Thing", 1)) for name in hanging]
    await cloud.time.pass_by(10.0)
    for name in names[1:]:
        begun = cloud.time.seconds
        await cloud.time.finish(asyncio.create_task(cloud.named(name).get("Thing", 1)))
        assert cloud.time.seconds - begun == pytest.approx(0.42)
    await stop(stuck)


async def test_each_request_of_a_log_in_has_a_connection_of_its_own() -> None:
    """No response to one names its Company: one too many would be believed by the next on its connection."""

    async def script(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while asked := await request(reader):
            result: dict[str, Any] = {"access_token": "t", "expires_in": 1199}
            if b"GetCompanyWsdkUrl" in asked:
                result = {"CommandResult": {"Url": f"{server.url}/", "CompanyId": 1}}
            body = json.dumps(result).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))

    async with RawServer(script) as server:
        region = Region("here", server.url, f"{server.url}/token")
        async with Client(credentials=Credentials("id", "secret"), region=region) as client:
            for name in ("North", "South"):
                await client.company(name).connect()
        assert server.connections == 4
