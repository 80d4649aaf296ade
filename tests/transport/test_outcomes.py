"""Many creates through a service that fails in every way, on a virtual clock: every outcome is true."""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from typing import Any

import pytest

from tests.support.laws import some
from tests.support.virtual import World, reply
from wosdk_async import Done, Failed, InDoubt, RetryPolicy, WoCreateCommand, WorkOrder
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.engine import SendError

SETTLE = 30.0
CREATES = 250
BUSY = reply(b"busy", 503, {"retry-after": "1"})
PAGE = reply(b"<html>bad gateway</html>", 502)


class Fates(World):
    """Every request meets a fate that is drawn; half of them are good."""

    def __init__(self, seed: int) -> None:
        super().__init__(self.serve, retry_quota=10**9)
        self.draw = random.Random(seed)
        self.made: Counter[str] = Counter()
        self.revoked: set[str] = set()

    async def serve(self, _: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        await self.time.sleep(self.draw.uniform(0.01, 0.1))
        if headers["Authorization"] in self.revoked:
            return reply({"ErrorCode": "EXPIRED_TOKEN", "ErrorMessage": "expired"}, 403)
        fate = self.draw.choice(["good"] * 5 + ["refused", "expired", "busy", "page", "reset"])
        if fate == "expired":
            self.revoked.add(headers["Authorization"])
            return reply({"ErrorCode": "EXPIRED_TOKEN", "ErrorMessage": "expired"}, 403)
        if fate == "busy":
            return BUSY
        sent = json.loads(body or b"")
        if "/query/" in url:
            return PAGE if fate in ("page", "reset") else self.rows(sent)
        return self.create(sent["Command"]["WorkOrder"]["PoNumber"], fate)

    def create(self, key: str, fate: str) -> Response:
        if fate == "good":
            return reply({"CommandResult": {"Wo": self.order(key)}})
        if fate == "refused":
            return reply({"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "no"}, 400)
        if self.draw.random() < 0.5:  # carried out, now or long after the client gave up
            self.time.call_later(self.draw.choice([0.0, 5.0, 29.0]), lambda: self.order(key) and None)
        if fate == "reset":
            raise SendError("reset", sent=True)
        return PAGE

    def order(self, key: str) -> dict[str, Any]:
        self.made[key] += 1
        return {"Id": int(key[1:]) + 1, "PoNumber": key}

    def rows(self, sent: Any) -> Response:
        keys = sent["QueryExpression"]["Criteria"]["Conditions"][0]["Values"]
        found = [
            {"Data": {"Id": int(key[1:]) + 1, "PoNumber": key}} for key in keys for _ in range(self.made[key])
        ]
        return reply({"Entities": found})

    async def outcomes(self, marker: str | None) -> list[Any]:
        commands = [WoCreateCommand(work_order=WorkOrder(po_number=f"k{n}")) for n in range(CREATES)]
        company = self.company(retry=RetryPolicy(attempts=12), settle=SETTLE, deadline=600.0)

        async def all_of_them() -> list[Any]:
            async with company.run_many(commands, limit=200, marker=marker) as run:
                return [outcome async for outcome in run]

        task = asyncio.create_task(all_of_them())
        await self.time.finish(task, within=1e6)
        await self.time.pass_by(SETTLE)
        assert sorted(outcome.index for outcome in task.result()) == list(range(CREATES))
        return task.result()

    def times_made(self, outcome: Any) -> int:
        return self.made[f"k{outcome.index}"]


@pytest.mark.parametrize("seed", some([1, 2], 2))
async def test_without_a_marker_what_is_unclear_is_in_doubt(seed: int) -> None:
    """Done was made once, Failed never, and of those in doubt some were made and some were not."""
    fates = Fates(seed)
    outcomes = await fates.outcomes(None)
    made: dict[type, list[int]] = {Done: [], Failed: [], InDoubt: []}
    for outcome in outcomes:
        made[type(outcome)].append(fates.times_made(outcome))
    assert set(made[Done]) == {1}
    assert set(made[Failed]) == {0}
    assert set(made[InDoubt]) == {0, 1}
    assert 0.1 < len(made[InDoubt]) / CREATES < 0.4


@pytest.mark.parametrize("seed", some([1, 2], 2))
async def test_with_a_marker_nothing_is_in_doubt(seed: int) -> None:
    """Every input was made once or refused: none lost, none twice, none unclear."""
    fates = Fates(seed)
    outcomes = await fates.outcomes("work_order.po_number")
    assert {type(outcome) for outcome in outcomes} == {Done, Failed}
    assert {fates.times_made(outcome) for outcome in outcomes if isinstance(outcome, Done)} == {1}
    assert {fates.times_made(outcome) for outcome in outcomes if isinstance(outcome, Failed)} == {0}
