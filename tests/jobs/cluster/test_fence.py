"""Nothing of a row leaves after its lease has ended, at whatever step the worker was held up."""

from __future__ import annotations

import asyncio
import math
from typing import Any

import pytest

from tests.engine.raw import RawServer, Time, echoing
from tests.jobs.cluster.ordering import Clock, Ordered, ordered
from tests.jobs.conftest import Local
from tests.jobs.runs import held
from wosdk_async.jobs.cluster.leases import LeasedRow, LeaseEndedError
from wosdk_async.jobs.cluster.messages import GrantedRow, Share
from wosdk_async.jobs.cluster.worker import FencedEngine, _current
from wosdk_async.options import ClientOptions
from wosdk_async.transport.http.engine import FRESH, Request
from wosdk_async.transport.http.native.engine import NativeEngine
from wosdk_async.transport.http.selection import engine_for

HALF_AN_HOUR = 1800.0  # past the lease of a row, within that of the worker


async def granted(worker: Ordered, rows: int, **changes: Any) -> None:
    grants = (worker.grant(1, await worker.bodies(range(1, rows + 1))),)
    await worker.say(grants=grants, patience=0.0, **changes)


def under(ends: float, clock: Any) -> None:
    _current.set(LeasedRow(1, ends, GrantedRow(1, "{}"), clock))


def test_an_end_that_is_no_number_has_passed() -> None:
    with pytest.raises(LeaseEndedError):
        LeasedRow(1, float("nan"), GrantedRow(1, "{}"), lambda: 1.0).begin()


async def test_rows_that_wait_are_given_back_when_their_lease_ends(local: Local) -> None:
    """The next order finds them, and none of them leaves."""
    clock = Clock()
    async with ordered(local, clock) as worker:
        worker.share = Share(number=2, rate=None, in_flight=0)
        await granted(worker, 5)
        clock.ahead = HALF_AN_HOUR
        worker.share = Share(number=3, rate=None, in_flight=5)
        results = await worker.all_of(5)
    assert {result.result for result in results.values()} == {"not_sent"}
    assert await held(local) == {}


async def test_the_fence_holds_between_the_start_and_the_first_byte(local: Local) -> None:
    """A row that was started and waits for its rate does not leave when the lease has ended meanwhile."""
    clock = Clock()
    async with ordered(local, clock) as worker:
        worker.share = Share(number=2, rate=2.0, in_flight=5)
        await granted(worker, 5)
        await worker.all_of(1)
        clock.ahead = HALF_AN_HOUR
        sent = local.server.count("WoCreateCommand")
        results = await worker.all_of(5)
    assert local.server.count("WoCreateCommand") == sent
    assert sorted(result.result for result in results.values()) == ["done"] * sent + ["not_sent"] * (5 - sent)


async def test_the_fence_holds_between_two_attempts(local: Local) -> None:
    """After a 429 the row is not sent again; it had no effect, so it was not sent."""
    clock = Clock()

    def ends_the_lease(path: str) -> bool:
        clock.ahead = HALF_AN_HOUR if path.endswith("WoCreateCommand") else clock.ahead
        return False

    local.server.busy, local.server.silent = True, ends_the_lease
    async with ordered(local, clock) as worker:
        await granted(worker, 1)
        results = await worker.all_of(1)
    assert results[1].result == "not_sent"
    assert local.server.count("WoCreateCommand") == 1


@pytest.mark.parametrize("kind", ["broken", "unheard"])
async def test_a_row_whose_lease_ends_while_it_is_looked_up_is_in_doubt(local: Local, kind: str) -> None:
    """Whether it was carried out or not: the worker cannot know, and sends nothing more."""
    clock = Clock()
    if kind == "broken":
        local.server.broken = True
    else:
        local.server.unheard, local.server.hidden = 1, "query/WorkOrder"
    async with ordered(local, clock, settle=60.0) as worker:
        await granted(worker, 1)
        while not local.server.count("query/WorkOrder"):
            await worker.say()
        clock.ahead = HALF_AN_HOUR
        await asyncio.sleep(0)
        results = await worker.all_of(1)
        asked = list(local.server.asked)
        await worker.say()
    assert (results[1].result, results[1].error) == ("in_doubt", "InDoubtError")
    assert local.server.count("WoCreateCommand") == 1
    assert local.server.asked == asked


async def test_no_byte_is_sent_past_the_fence(local: Local) -> None:
    """Also over a connection that was used before, and it stays usable or is closed."""
    clock, sent = Clock(), []
    engine = FencedEngine(engine_for(ClientOptions()))
    url = f"{local.variables['WOSDK_LOCATOR_URL']}/no-such-page"

    async def get(ends: float) -> int:
        under(ends, clock)
        response = await engine.send(Request("GET", url, (), None, lambda: sent.append(1), True))
        return int(response.status)

    try:
        before = len(local.server.asked)
        assert await asyncio.create_task(get(clock() + 60)) >= 400
        for _ in range(3):
            with pytest.raises(LeaseEndedError):
                await asyncio.create_task(get(clock() - 1))
        with pytest.raises(LeaseEndedError, match="no lease"):
            await engine.send(Request("GET", url, (), None, lambda: sent.append(1), True))
        assert await asyncio.create_task(get(clock() + 60)) >= 400
        assert (len(local.server.asked) - before, len(sent)) == (2, 2)
    finally:
        await engine.aclose()


@pytest.mark.parametrize(("safe", "connections"), [(True, 1), (False, 2)])
async def test_only_a_request_that_may_be_repeated_takes_a_connection_that_rested(
    safe: bool, connections: int
) -> None:
    """The fence tells the engine below which one it is: a create must not meet a connection that closes."""
    time = Time()
    engine = FencedEngine(NativeEngine(now=time))
    under(math.inf, time)
    async with RawServer(echoing) as server:
        for _ in range(2):
            await engine.send(Request("GET", server.url, (), repeat_safe=safe))
            time.now += FRESH + 1
        assert server.connections == connections
        await engine.aclose()
