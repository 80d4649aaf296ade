"""Time stands still until it is moved, and passes by itself where a call does nothing but wait."""

from __future__ import annotations

import asyncio
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.import_files import COLUMNS, write_map
from tests.testing.orders import count, create_command
from wosdk_async import Client, Company, Customer, DeadlineError, InDoubtError, NotSentError, WorkOrder
from wosdk_async.jobs import CsvFile, Import, ImportMap
from wosdk_async.query.fields import fields
from wosdk_async.sandbox import Faults
from wosdk_async.testing import Sandbox, SkippingClock

START = datetime(2025, 3, 1, tzinfo=UTC)


async def test_calls_take_no_time(wosdk_company: Company, wosdk_clock: SkippingClock) -> None:
    """Nothing moves the clock while there is something to do."""
    start = wosdk_clock.now
    await asyncio.gather(*(wosdk_company.get(Customer, 512) for _ in range(50)))
    assert wosdk_clock.now == start


async def test_a_record_gets_the_time_of_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is no fraction earlier or later, neither at the start nor after a jump."""
    monkeypatch.setattr(time, "time_ns", lambda: 1_715_692_351_447_021_789)
    with Sandbox() as sandbox:
        acme, f = sandbox.client().company(), fields(WorkOrder)
        for wait in (1e-9, 0.1234567891):
            now = sandbox.clock.now
            await acme.run(create_command())
            at = f.last_action_date_utc
            assert len(await acme.query(WorkOrder).where(at >= now, at <= now).all()) == 1
            await sandbox.clock.client_clock().sleep(wait)


async def test_a_token_dies_on_both_sides(
    wosdk_sandbox: Sandbox, wosdk_company: Company, wosdk_clock: SkippingClock
) -> None:
    """20 minutes later the client fetches another before the service would refuse it."""
    await wosdk_company.get(Customer, 512)
    wosdk_clock.advance(minutes=21)
    await wosdk_company.get(Customer, 512)
    paths = [seen.path for seen in wosdk_sandbox.requests]
    assert paths.count("/OAuth/token") == 2
    assert {seen.status for seen in wosdk_sandbox.requests} == {200}


async def test_waits_of_retries_are_skipped(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock
) -> None:
    """A Retry-After of 10 seconds moves the clock, and the test does not wait."""
    await wosdk_company.connect()
    wosdk_faults.add("status", status=503, retry_after=10, first=2, operation="retrieve")
    before, began = wosdk_clock.now, time.monotonic()
    assert (await wosdk_company.get(Customer, 512)).id == 512
    assert (wosdk_clock.now - before).total_seconds() >= 20
    assert time.monotonic() - began < 5


async def test_a_deadline_comes_before_a_longer_wait(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock
) -> None:
    """What is due first happens first, at its time; no call hangs."""
    await wosdk_company.connect()
    wosdk_faults.add("latency", fixed=1000, operation="retrieve")
    before = wosdk_clock.now
    with pytest.raises(DeadlineError):
        await wosdk_company.get(Customer, 512)
    assert 60 <= (wosdk_clock.now - before).total_seconds() < 60.1


async def test_a_wait_moves_on_only_when_all_calls_wait(wosdk_faults: Faults) -> None:
    """A call that has something to do is not overtaken by the time of another."""
    with Sandbox(now=START) as sandbox:
        acme = sandbox.client().company()
        await acme.connect()
        sandbox.faults.add("latency", fixed=5, operation="retrieve", first=1)
        slow = asyncio.ensure_future(acme.get(Customer, 512))
        made = [await acme.run(create_command()) for _ in range(3)]
        assert (len(made), sandbox.clock.now) == (3, START)
        await slow
        assert (sandbox.clock.now - START).total_seconds() == pytest.approx(5)


@pytest.mark.parametrize("hold", [{}, {"hold": 1}], ids=["client hangs up", "server hangs up"])
async def test_a_commit_after_the_client_gave_up(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock, hold: dict[str, int]
) -> None:
    """In doubt at first; once the time has come, the order is there."""
    await wosdk_company.connect()
    wosdk_faults.add("late_commit", after=30, operation="WoCreateCommand", **hold)
    with pytest.raises(InDoubtError):
        await wosdk_company.run(create_command())
    wosdk_faults.clear()
    assert await count(wosdk_company) == 0
    wosdk_clock.advance(seconds=31)
    assert await count(wosdk_company) == 1


@pytest.mark.parametrize("hold", [{}, {"hold": 1}, {"hold": 90}], ids=str)
async def test_a_late_commit_counts_from_the_hang_up(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock, hold: dict[str, int]
) -> None:
    """A clock moved at once after the call moves beyond the late commit, which is then there."""
    await wosdk_company.connect()
    wosdk_faults.add("late_commit", after=2, operation="WoCreateCommand", **hold)
    with pytest.raises(InDoubtError):
        await wosdk_company.run(create_command())
    wosdk_clock.advance(seconds=3)
    assert await count(wosdk_company) == 1


async def test_a_late_commit_counts_from_the_end_of_a_hold_that_the_clock_jumped_over(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock
) -> None:
    """The server hangs up after 10 s and carries out after 20 more, whatever was asked at 100 s."""
    await wosdk_company.connect()
    wosdk_faults.add("late_commit", after=20, hold=10, operation="WoCreateCommand", first=1)
    call = asyncio.ensure_future(wosdk_company.run(create_command()))
    await wosdk_clock.settle()
    wosdk_clock.advance(seconds=100)
    with pytest.raises(InDoubtError):
        await call
    assert await count(wosdk_company) == 1


async def test_the_service_is_away_for_good(wosdk_company: Company, wosdk_faults: Faults) -> None:
    """Also the log-in's own patience passes without waiting."""
    wosdk_faults.add("latency", fixed=100, operation="token")
    began = time.monotonic()
    with pytest.raises((NotSentError, DeadlineError)):  # the second while an attempt is under way
        await wosdk_company.with_options(deadline=25).get(Customer, 512)
    assert time.monotonic() - began < 10


async def test_the_settle_time_of_a_record_that_rows_refer_to_takes_no_time(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock, tmp_path: Path
) -> None:
    """The record is created late and once, by the clock of the client."""
    (tmp_path / "rows.csv").write_text(f"{','.join(COLUMNS)}\n1,text,,New\n", "utf-8")
    wosdk_faults.add("late_commit", after=30, operation="create", first=1)
    company = wosdk_company.with_options(settle=60, deadline=5)
    job = Import(CsvFile(tmp_path / "rows.csv"), ImportMap.load(write_map(tmp_path)))
    before, began = wosdk_clock.now, time.monotonic()
    summary = await job.run(company)
    assert (summary.created, summary.failed) == (1, 0)
    named = company.query(Customer).where(fields(Customer).display_as == "New")
    assert len([each async for each in named]) == 1
    assert (wosdk_clock.now - before).total_seconds() >= 30
    assert time.monotonic() - began < 10


@given(st.lists(st.floats(0.001, 1000), min_size=1, max_size=8))
def test_waits_end_in_order_and_on_time(seconds: list[float]) -> None:
    """Whatever calls wait for, they go on in the order of their times, none early or 1 us late."""
    clock = SkippingClock(START)
    start = clock()
    ended: list[tuple[float, int]] = []

    async def wait(span: float) -> None:
        await clock.client_clock().sleep(span)
        ended.append((span * 10**6, (clock() - start) // 1000))

    async def run() -> None:
        await asyncio.gather(*map(wait, seconds))

    asyncio.run(run())
    assert [at for _, at in ended] == sorted(at for _, at in ended)
    assert all(span <= at < span + 1 for span, at in ended)
    assert (len(ended), clock.sleepers) == (len(seconds), 0)


def test_the_client_counts_finely(wosdk_clock: SkippingClock) -> None:
    """A microsecond is one for the client's deadlines, too."""
    now = wosdk_clock.client_clock().now
    wosdk_clock.advance(seconds=1e-6)
    assert now() == pytest.approx(1e-6, rel=1e-3)


async def test_a_sleeper_that_is_cancelled_holds_nothing_up(wosdk_clock: SkippingClock) -> None:
    """Cancelled waits leave the clock: the next one is found behind them."""
    first = asyncio.ensure_future(wosdk_clock.sleep(5))
    await asyncio.sleep(0)
    first.cancel()
    await asyncio.gather(first, return_exceptions=True)
    assert wosdk_clock.sleepers == 0
    await wosdk_clock.client_clock().sleep(7)


def test_it_goes_on_in_another_loop(wosdk_client: Client, wosdk_faults: Faults) -> None:
    """A loop that ended while a call waited holds up no other."""
    acme = wosdk_client.company()
    wosdk_faults.add("latency", fixed=3, operation="retrieve")

    async def give_up() -> None:
        call = asyncio.ensure_future(acme.get(Customer, 512))
        for _ in range(15):
            await asyncio.sleep(0)
        call.cancel()

    asyncio.run(give_up())
    assert asyncio.run(acme.get(Customer, 512)).id == 512
