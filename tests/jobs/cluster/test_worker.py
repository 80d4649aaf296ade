"""A worker carries out the rows of its leases and reports each, whatever messages are lost or come again."""

from __future__ import annotations

import asyncio
import logging

import pytest

from tests.jobs.cluster.ordering import Clock, ordered, session_of
from tests.jobs.conftest import Local
from tests.jobs.runs import held
from tests.support.waiting import until_true
from wosdk_async.jobs.cluster.leases import LeaseEndedError
from wosdk_async.jobs.cluster.messages import Order, RowReport, Share, from_bytes, to_bytes


async def test_rows_are_carried_out_and_reported(local: Local) -> None:
    """Each row has one result, with the record that it made."""
    async with ordered(local) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 61))),))
        results = await worker.all_of(60)
        report = await worker.say(patience=0.0)
    assert {result.result for result in results.values()} == {"done"}
    assert all(row.entity == "WorkOrder" and row.id and row.record for row in results.values())
    assert {row.epoch for row in results.values()} == {1}
    assert await held(local) == {f"PO-{row}": 1 for row in range(1, 61)}
    assert (report.results, report.epochs, report.unstarted) == ((), (), 0)


async def test_no_more_rows_are_under_way_than_the_share_allows(local: Local) -> None:
    """A share of nothing has the rate 0: the worker keeps to it, and resumes with the next share."""
    local.server.held = asyncio.Event()
    async with ordered(local) as worker:
        worker.share = Share(number=2, rate=0.0, in_flight=0)
        report = await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 11))),))
        assert (report.share, report.unstarted, local.server.count("WoCreateCommand")) == (2, 10, 0)
        worker.share = Share(number=3, rate=50.0, in_flight=3)
        while (await worker.say()).unstarted != 7:
            pass
        local.server.held.set()
        assert {result.result for result in (await worker.all_of(10)).values()} == {"done"}


async def test_rows_that_the_rate_delays_do_not_run_out_of_time(local: Local) -> None:
    """With a low rate fewer rows wait at a time, and none fails for it."""
    async with ordered(local, deadline=0.6) as worker:
        worker.share = Share(number=2, rate=10.0, in_flight=50)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 16))),))
        results = await worker.all_of(15)
    assert {result.result for result in results.values()} == {"done"}


async def test_rows_that_wait_for_the_rate_come_back_at_once(local: Local) -> None:
    """With a stop."""
    async with ordered(local) as worker:
        worker.share = Share(number=2, rate=0.2, in_flight=50)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 41))),))
        await worker.say(stop=True, patience=0.0)
        began = asyncio.get_running_loop().time()
        results = await worker.all_of(40)
        assert asyncio.get_running_loop().time() - began < 2.0
    assert sum(result.result == "not_sent" for result in results.values()) >= 36


async def test_a_row_that_cannot_be_read_fails_and_the_others_go_on(local: Local) -> None:
    """Whatever is in a body: the worker lives, and the report does not repeat the text."""
    hostile = {2: "{", 3: "[]", 4: "null", 5: "[" * 100_000, 6: '{"WorkOrder": "PO-s3cret"}', 7: "\ud800"}
    async with ordered(local) as worker:
        good = await worker.bodies(range(1, 2))
        await worker.say(grants=(worker.grant(1, good | hostile),))
        results = await worker.all_of(7)
    assert results[1].result == "done"
    assert {results[row].result for row in hostile} == {"failed"}
    assert {results[row].error for row in (2, 3, 4, 5)} == {"RowError"}


async def test_abort_cancels_the_calls_under_way(local: Local) -> None:
    """One that was sent is in doubt; one that had not begun was not sent."""
    local.server.held = asyncio.Event()
    async with ordered(local) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 4))),), patience=0.0)
        await local.server.arrived.wait()
        bodies = await worker.bodies(range(4, 6))
        await worker.say(grants=(worker.grant(2, bodies),), abort=True, patience=0.0)
        results = await worker.all_of(5)
    assert results[1].result == "in_doubt"
    assert {results[4].result, results[5].result} == {"not_sent"}
    assert results[1].error == "InDoubtError"


async def test_rows_fail_when_the_service_asks_to_wait_too_often(local: Local) -> None:
    local.server.busy = True
    async with ordered(local, attempts=2, deadline=3.0) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 3))),))
        results = await worker.all_of(2)
    assert {(row.result, row.error, row.status) for row in results.values()} == {
        ("failed", "ThrottledError", 429)
    }


# --- sessions -----------------------------------------------------------------------------------


async def test_no_row_starts_without_a_session(local: Local) -> None:
    """Its time would run in the worker; when a session comes, it starts."""
    async with ordered(local, session=False) as worker:
        report = await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 3))),))
        assert (report.unstarted, report.session) == (2, 0)
        await worker.say(session=await session_of(local))
        await worker.all_of(2)


async def test_a_refused_session_is_asked_for_again_once(local: Local) -> None:
    """Several calls find it refused; the next one is pushed, and all are sent again under it."""
    async with ordered(local, session=False) as worker:
        await worker.say(session=await session_of(local, 4, token="wrong-token-of-no-worth"), patience=0.0)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 11))),), patience=0.0)
        while (report := await worker.say()).session_refused == 0:
            pass
        assert (report.session, report.session_refused) == (4, 4)
        old = await session_of(local, 3, token="older-token-of-no-worth")
        assert (await worker.say(session=old)).session_refused == 4
        report = await worker.say(session=await session_of(local, 5))
        assert (report.session, report.session_refused) == (5, 0)
        results = await worker.all_of(10)
    assert {result.result for result in results.values()} == {"done"}
    assert sum((await held(local)).values()) == 10


async def test_a_row_that_waits_in_vain_for_a_session_was_not_sent(local: Local) -> None:
    """It is not the fault of the row: it can be granted again."""
    async with ordered(local, session=False, deadline=0.5) as worker:
        await worker.say(session=await session_of(local, 1, token="wrong-token-of-no-worth"), patience=0.0)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 3))),))
        results = await worker.all_of(2)
        report = await worker.say()
        assert report.session_refused == report.session == 1  # also now, when no row waits for another
    assert {result.result for result in results.values()} == {"not_sent"}


async def test_the_token_is_in_no_text(local: Local, caplog: pytest.LogCaptureFixture) -> None:
    """Not in a repr of anything, not in a log, not in a report."""
    caplog.set_level(logging.DEBUG)
    async with ordered(local, session=False) as worker:
        session = await session_of(local)
        order = Order(worker=worker.worker.nonce, received=0, share=worker.share, session=session)
        report = await worker.worker.obey(order)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 3))),))
        await worker.all_of(2)
        texts = (repr(order), repr(report), repr(worker.worker), repr(worker.results), caplog.text)
    assert caplog.text
    assert not any(session.token.reveal() in text for text in texts)


# --- making one ---------------------------------------------------------------------------------


async def test_a_host_without_https_needs_trust(local: Local) -> None:
    """A token does not go out in clear; the rows fail with the reason."""
    async with ordered(local, session=False) as worker:
        session = await session_of(local, base_url="http://far.example.com")
        await worker.say(session=session, grants=(worker.grant(1, await worker.bodies(range(1, 2))),))
        results = await worker.all_of(1)
    assert (results[1].result, results[1].error) == ("failed", "ConfigurationError")


async def test_a_worker_without_orders_for_a_whole_lease_ends(local: Local) -> None:
    """Its calls are cancelled, and a coordinator that comes back needs a new worker."""
    local.server.held = asyncio.Event()
    clock = Clock()
    async with ordered(local, clock, lease=60.0) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 4))),), patience=0.0)
        await local.server.arrived.wait()
        clock.ahead = 60.0
        with pytest.raises(LeaseEndedError):
            while True:
                await worker.say(worker="another")  # which is no order for it
                await asyncio.sleep(0)
        await until_true(lambda: not worker.worker._tasks)
        local.server.held.set()


async def test_calls_end_with_their_lease(local: Local) -> None:
    """They are in doubt, and so reported."""
    local.server.held = asyncio.Event()
    async with ordered(local, deadline=0.3) as worker:
        grant = worker.grant(1, await worker.bodies(range(1, 3)), seconds=0.5)
        await worker.say(grants=(grant,), patience=0.0)
        results = await worker.all_of(2)
        local.server.held.set()
    assert {result.result for result in results.values()} == {"in_doubt"}


def test_half_a_surrogate_pair_in_a_response_does_not_end_a_worker() -> None:
    """A service that cuts a text after 16-bit units sends one; a report with it could not be encoded."""
    texts = dict.fromkeys(("reason", "code", "record", "request_id"), "cut \ud83d")
    report = RowReport(number=1, epoch=1, row=1, result="failed", **texts)
    assert from_bytes(to_bytes(report), RowReport) == report
    assert report.reason == report.record == "cut ?"
