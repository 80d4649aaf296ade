"""Hundreds of Companies on one client, on a clock that the test moves: none gets in another's way."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from typing import Any

import attrs

from tests.support.virtual import REGION, World, reply
from wosdk_async import DeadlineError, NoAnswerError
from wosdk_async.protocol.wire import Response

COMPANIES = 80
DEAD = attrs.evolve(REGION, name="dead", locator_url="https://dead.corrigo.com")


class Cloud(World):
    """Knows which token belongs to which Company, and what each Company was asked for."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(self.answer, **settings)
        self.discoveries: Counter[str] = Counter()
        self.hosts: dict[str, str] = defaultdict(lambda: "a")
        self.revoked: set[str] = set()
        self.calls: Counter[tuple[str, str]] = Counter()
        self.on_discovery = self.discover
        self.slowest = 1
        self.asked = 0

    async def discover(self, _: str, url: str, headers: dict[str, str], __: bytes | None) -> Response:
        await self.time.sleep(0.2)
        if url.startswith(DEAD.locator_url):
            await asyncio.Event().wait()
        name = headers["CompanyName"]
        self.discoveries[name] += 1
        return reply({"CommandResult": {"Url": f"https://{self.hosts[name]}.corrigo.com/"}})

    async def answer(self, _: str, url: str, headers: dict[str, str], __: bytes | None) -> Response:
        self.asked += 1
        await self.time.sleep(0.05 * (1 + self.asked % self.slowest))
        token, name = headers["Authorization"], headers["CompanyName"]
        if token in self.revoked:
            return reply({"ErrorCode": "EXPIRED_TOKEN", "ErrorMessage": "expired"}, 403)
        if not url.startswith(f"https://{self.hosts[name]}.corrigo.com/"):
            return reply({"ErrorCode": "DATABASE_VERSION_MISMATCH", "ErrorMessage": "moved"}, 400)
        self.calls[name, token] += 1
        return reply({"Data": {"Id": 1}})


async def test_one_log_in_for_each_company_and_generation() -> None:
    """First calls, calls over two token lives, and a host move: exactly one log-in for each generation."""
    cloud = Cloud()
    companies = [cloud.company(f"c{number}") for number in range(COMPANIES)]

    async def everyone(times: int) -> None:
        tasks = [asyncio.create_task(one.get("Thing", 1)) for one in companies for _ in range(times)]
        await cloud.time.finish(*tasks, within=5.0)
        assert all(task.result() == {"Id": 1} for task in tasks)

    await everyone(3)
    assert cloud.tokens == COMPANIES
    await cloud.time.pass_by(1000.0)
    await everyone(2)  # all of them are past their early renewal, and nobody waits for it
    await cloud.time.pass_by(1.0)
    assert cloud.tokens == 2 * COMPANIES
    await everyone(1)
    moved = [f"c{number}" for number in range(0, COMPANIES, 2)]
    cloud.slowest = 17  # some hear that they moved long after others have renewed
    cloud.hosts.update(dict.fromkeys(moved, "b"))
    await everyone(3)
    assert cloud.tokens == 2 * COMPANIES + len(moved)
    assert cloud.discoveries == {one.name: 3 if one.name in moved else 2 for one in companies}, (
        "token and host are asked for together"
    )


async def test_dead_locators_delay_nobody_else() -> None:
    """While the locator of half of the Companies hangs, the others log in over the connections it leaves."""
    cloud = Cloud()
    dead = [cloud.company(f"dead{number}", DEAD) for number in range(COMPANIES // 2)]
    live = [cloud.company(f"live{number}") for number in range(COMPANIES // 2)]
    stuck = [asyncio.create_task(one.get("Thing", 1)) for one in dead]
    await cloud.time.pass_by(1.0)
    begun = cloud.time.seconds
    calls = [asyncio.create_task(one.get("Thing", 1)) for one in live]
    await cloud.time.finish(*calls, within=5.0)
    assert cloud.time.seconds - begun < 0.66, "three rounds of 48 log-ins, 0.2 s each, and a call"
    await cloud.time.finish(*stuck, within=100.0)
    assert {type(task.exception()) for task in stuck} <= {NoAnswerError, DeadlineError}
    assert cloud.transport.stats().in_flight == 0


async def test_an_outage_of_the_locator_within_the_life_of_a_token_stops_nobody() -> None:
    """Early renewals fail aside, calls go on with the old pair, and only its end is an error."""
    cloud = Cloud()
    company = cloud.company()
    first = asyncio.create_task(company.get("Thing", 1))
    await cloud.time.finish(first)

    async def down(*_: Any) -> Response:
        return reply(b"<html>", 502)

    cloud.on_discovery = down
    end = cloud.time.seconds + 1165.0
    while cloud.time.seconds < end:
        begun = cloud.time.seconds
        call = asyncio.create_task(company.get("Thing", 1))
        await cloud.time.finish(call)
        assert call.result() == {"Id": 1}
        assert cloud.time.seconds - begun < 0.06
        await cloud.time.pass_by(10.0)
    await cloud.time.pass_by(10.0)
    late = asyncio.create_task(company.get("Thing", 1))
    await cloud.time.finish(late)
    assert late.exception() is not None
    cloud.on_discovery = cloud.discover
    back = asyncio.create_task(company.get("Thing", 1))
    await cloud.time.finish(back)
    assert back.result() == {"Id": 1}


async def test_a_session_in_use_is_not_let_go() -> None:
    """A Company that is used again while others come and go keeps its session."""
    cloud = Cloud()
    for number in range(200):
        for name in ("busy", f"c{number}"):
            call = asyncio.create_task(cloud.company(name).get("Thing", 1))
            await cloud.time.finish(call)
        await cloud.time.pass_by(1.0)
    assert cloud.discoveries["busy"] == 1
