"""The one clock of a local Company."""

from __future__ import annotations

import asyncio
import threading
import time
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from tests.sandbox.faulty import raw_client
from tests.support.payload import create_command
from wosdk_async import Client, Customer, WorkOrder
from wosdk_async.sandbox import Clock, LocalCompany, VirtualClock

START = datetime(2025, 3, 1, 12, 0, tzinfo=UTC)


async def test_a_virtual_clock_stands_still() -> None:
    """It shows its start until it is moved; a clock that runs shows the time, moved on."""
    clock, running = VirtualClock(START), Clock()
    assert clock.now == START
    clock.advance(30, minutes=1, hours=2)
    assert clock.now == START + timedelta(hours=2, minutes=1, seconds=30)
    running.advance(days=3)
    assert timedelta(days=2, hours=23) < running.now - datetime.now(UTC) < timedelta(days=3, hours=1)


async def test_sleepers_wake_when_their_time_has_come() -> None:
    """Not before, also when the clock is moved from another thread; a nap of a running clock just ends."""
    clock = VirtualClock(START)
    nap = asyncio.ensure_future(clock.sleep(10))
    for _ in range(3):
        await asyncio.sleep(0)
    thread = threading.Thread(target=clock.advance, args=(9.9,))
    thread.start()
    thread.join()
    for _ in range(9):
        await asyncio.sleep(0)
    assert not nap.done()
    thread = threading.Thread(target=clock.advance, args=(0.1,))
    thread.start()
    await asyncio.wait_for(nap, 10)
    thread.join()
    begun = time.monotonic()
    await Clock().sleep(0.02)
    assert time.monotonic() - begun >= 0.015


@pytest.mark.parametrize("span", [{"seconds": -1}, {"days": 10**6}, {"days": 10**10}])
def test_where_a_clock_does_not_go(span: dict[str, float]) -> None:
    """Not back, and not beyond the calendar."""
    with pytest.raises((ValueError, OverflowError)):
        VirtualClock(START).advance(**span)
    with pytest.raises(ValueError, match="no time zone"):
        VirtualClock(START.replace(tzinfo=None))


async def test_all_times_of_a_company_go_by_it() -> None:
    """Stamps and tokens: after 21 minutes the client fetches a new token and the caller notices nothing."""
    with LocalCompany(clock=VirtualClock(START)) as local, raw_client(local) as raw:
        async with Client.from_env(local.variables) as client:
            acme = client.company()
            made = await acme.run(create_command("one"))
            local.clock.advance(minutes=21)
            assert raw.create("refused").status == 403
            assert (await acme.get(Customer, 512)).id == 512
            later = await acme.run(create_command("two"))
            assert made.wo is not None
            assert later.wo is not None
            records = [await acme.get(WorkOrder, order.id) for order in (made.wo, later.wo)]
    assert [record.created_date_utc for record in records] == [START, START + timedelta(minutes=21)]


def test_the_date_of_responses_goes_by_it() -> None:
    """Each response has one, with a fault or a page of the sandbox's own, too."""
    with LocalCompany(clock=VirtualClock(START)) as local:
        root = local.variables["WOSDK_LOCATOR_URL"]
        local.faults.load({"rule": [{"fault": "status", "operation": "query", "status": 502}]})
        replies = [
            httpx.post(f"{root}/api/v1/query/Customer"),
            httpx.get(f"{root}/base/Customer"),
            httpx.get(root),
        ]
    assert replies[0].status_code == 502
    assert {tuple(reply.headers.get_list("date")) for reply in replies} == {
        ("Sat, 01 Mar 2025 12:00:00 GMT",)
    }


def test_a_span_that_is_no_number() -> None:
    """The unit and the value are named."""
    advance: Any = VirtualClock(START).advance
    with pytest.raises(TypeError, match=r"minutes is '5'; it must be a number, as in advance\(minutes=21\)"):
        advance(minutes="5")
