"""Hundreds of Companies on one client, on a clock that the test moves: none gets in another's way."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict

from tests.support.virtual import World, reply
from wosdk_async.protocol.wire import Response

COMPANIES = 80


class Cloud(World):
    """Knows the host of each Company, and how often its locator was asked."""

    def __init__(self) -> None:
        super().__init__(self.answer)
        self.discoveries: Counter[str] = Counter()
        self.hosts: dict[str, str] = defaultdict(lambda: "a")
        self.on_discovery = self.discover
        self.slowest = 1
        self.asked = 0

    async def discover(self, _: str, __: str, headers: dict[str, str], ___: bytes | None) -> Response:
        await self.time.sleep(0.2)
        name = headers["CompanyName"]
        self.discoveries[name] += 1
        return reply({"CommandResult": {"Url": f"https://{self.hosts[name]}.corrigo.com/"}})

    async def answer(self, _: str, url: str, headers: dict[str, str], __: bytes | None) -> Response:
        self.asked += 1
        await self.time.sleep(0.05 * (1 + self.asked % self.slowest))
        if not url.startswith(f"https://{self.hosts[headers['CompanyName']]}.corrigo.com/"):
            return reply({"ErrorCode": "DATABASE_VERSION_MISMATCH", "ErrorMessage": "moved"}, 400)
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
