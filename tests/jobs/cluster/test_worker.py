"""A worker carries out the rows of its leases and reports each, whatever messages are lost or come again."""

from __future__ import annotations

import asyncio
import logging

import pytest

from tests.jobs.cluster.ordering import DEADLINE, ordered, session_of, setup_of
from tests.jobs.conftest import Local
from tests.jobs.runs import held
from wosdk_async import ConfigurationError
from wosdk_async.jobs.cluster.messages import MOST_RESULTS, GrantedRow, Order, Share
from wosdk_async.jobs.cluster.worker import Worker


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


async def test_grants_that_come_again_or_late_start_nothing(local: Local) -> None:
    """A grant starts its rows once; one that was withdrawn before it came, never."""
    async with ordered(local) as worker:
        bodies = await worker.bodies(range(1, 7))
        first = worker.grant(1, {row: bodies[row] for row in (1, 2, 3)})
        late = worker.grant(2, {row: bodies[row] for row in (4, 5, 6)})
        await worker.say(grants=(first, first), withdrawn=(2,))
        await worker.all_of(3)
        await worker.say(grants=(first, late))
        await worker.say(grants=(first, late))
    assert await held(local) == {"PO-1": 1, "PO-2": 1, "PO-3": 1}
    assert len(worker.results) == 3


async def test_results_are_repeated_until_they_are_confirmed(local: Local) -> None:
    """A report that is lost loses no result, and a confirmation that comes again drops none."""
    async with ordered(local) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 4))),))
        await worker.all_of(3)
        lost = await worker.worker.exchange(Order(worker=worker.worker.nonce, received=0, share=worker.share))
        await worker.say(grants=(worker.grant(2, await worker.bodies(range(4, 6))),))
        await worker.all_of(5)
    assert lost.results == ()  # they were confirmed
    assert [result.number for result in worker.results] == [1, 2, 3, 4, 5]


async def test_a_report_names_the_grants_of_results_that_it_has_no_room_for(local: Local) -> None:
    """Else the coordinator would take them for grants that did not arrive, and repeat them."""
    async with ordered(local) as worker:
        grants = [
            worker.grant(epoch, dict.fromkeys(rows, "{}"), seconds=0.0)  # its rows come back at once
            for epoch, rows in ((1, range(MOST_RESULTS)), (2, range(2000, 2003)))
        ]
        first = await worker.say(grants=tuple(grants))
        second = await worker.say()
    assert (len(first.results), first.epochs) == (MOST_RESULTS, (2,))
    assert ([result.epoch for result in second.results], second.epochs) == ([2, 2, 2], ())


async def test_an_unconfirmed_result_comes_with_every_report(local: Local) -> None:
    """Two coordinators' readings of the same report are the same."""
    async with ordered(local) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 3))),))
        again = Order(worker=worker.worker.nonce, received=0, share=worker.share)
        while len((report := await worker.worker.exchange(again)).results) < 2:
            pass
        repeated = await worker.worker.exchange(again)
        assert repeated.results == report.results
        assert await worker.worker.end() == report.results


async def test_orders_for_another_worker_are_not_obeyed(local: Local) -> None:
    """The report says who is there; nothing is sent and nothing is forgotten."""
    async with ordered(local) as worker:
        grant = worker.grant(1, await worker.bodies(range(1, 4)))
        for nonce in ("", "another"):
            report = await worker.say(
                worker=nonce, grants=(grant,), share=Share(number=9, rate=1.0, in_flight=1)
            )
            assert (report.worker, report.epochs, report.share) == (worker.worker.nonce, (), 1)
    assert await held(local) == {}


async def test_a_worker_that_is_made_again_has_another_nonce(local: Local) -> None:
    """So it obeys no order to the one before it in its place."""
    async with ordered(local) as before, ordered(local) as worker:
        assert worker.worker.nonce != before.worker.nonce
        grant = worker.grant(1, await worker.bodies(range(1, 4)))
        report = await worker.say(worker=before.worker.nonce, grants=(grant,))
        assert (report.worker, report.epochs) == (worker.worker.nonce, ())
    assert await held(local) == {}


async def test_a_lower_share_is_confirmed_only_when_it_is_kept_to(local: Local) -> None:
    """Calls under way go on; until few enough are left, the worker keeps to the old share."""
    local.server.held = asyncio.Event()
    async with ordered(local) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 21))),), patience=0.0)
        await local.server.arrived.wait()
        worker.share = Share(number=2, rate=None, in_flight=2)
        assert (await worker.say(patience=0.0)).share == 1
        local.server.held.set()
        await worker.all_of(20)
        assert (await worker.say(patience=0.0)).share == 2


async def test_no_more_rows_are_under_way_than_the_share_allows(local: Local) -> None:
    """Without calls in its share a worker starts nothing."""
    local.server.held = asyncio.Event()
    async with ordered(local) as worker:
        worker.share = Share(number=2, rate=None, in_flight=0)
        grants = (worker.grant(1, await worker.bodies(range(1, 11))),)
        report = await worker.say(grants=grants)
        assert (report.unstarted, local.server.count("WoCreateCommand")) == (10, 0)
        worker.share = Share(number=3, rate=None, in_flight=3)
        while (await worker.say()).unstarted != 7:
            pass
        local.server.held.set()
        await worker.all_of(10)


async def test_a_share_of_nothing_has_the_rate_0(local: Local) -> None:
    """The worker keeps to it, and goes on with the next share."""
    async with ordered(local) as worker:
        worker.share = Share(number=2, rate=0.0, in_flight=0)
        report = await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 3))),))
        assert (report.share, report.unstarted) == (2, 2)
        worker.share = Share(number=3, rate=50.0, in_flight=2)
        assert {result.result for result in (await worker.all_of(2)).values()} == {"done"}


async def test_rows_that_the_rate_delays_do_not_run_out_of_time(local: Local) -> None:
    """With a low rate fewer rows wait at a time, and none fails for it."""
    async with ordered(local, deadline=0.6) as worker:
        worker.share = Share(number=2, rate=10.0, in_flight=50)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 16))),))
        results = await worker.all_of(15)
    assert {result.result for result in results.values()} == {"done"}


async def test_rows_that_wait_for_the_rate_are_not_sent_when_the_coordinator_is_gone(local: Local) -> None:
    """Half a second of the rate has been started; what has made no request is given back."""
    async with ordered(local) as worker:
        worker.share = Share(number=2, rate=5.0, in_flight=50)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 41))),), patience=0.0)
        while not worker.results:
            report = await worker.say()
        begun = 40 - report.unstarted
        results = {each.row: each for each in (*worker.results, *await worker.worker.end())}
        sent = sum((await held(local)).values())
    done = [row for row, result in results.items() if result.result == "done"]
    assert len(done) == sent <= begun + 1
    assert {result.result for row, result in results.items() if row not in done} == {"not_sent"}
    assert len(results) == 40


@pytest.mark.parametrize("how", ["stop", "withdrawn"])
async def test_rows_that_wait_for_the_rate_come_back_at_once(local: Local, how: str) -> None:
    """With a stop, and when their grant is withdrawn."""
    async with ordered(local) as worker:
        worker.share = Share(number=2, rate=0.2, in_flight=50)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 41))),))
        await worker.say(**({"stop": True} if how == "stop" else {"withdrawn": (1,)}), patience=0.0)
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


async def test_a_row_of_two_leases_is_not_sent_by_both_at_a_time(local: Local) -> None:
    """While the call of the first is under way, the second is told that nothing was sent for it."""
    local.server.held = asyncio.Event()
    async with ordered(local) as worker:
        bodies = await worker.bodies(range(1, 2))
        await worker.say(grants=(worker.grant(1, bodies),), patience=0.0)
        await local.server.arrived.wait()
        await worker.say(grants=(worker.grant(2, bodies),), patience=0.0)
        local.server.held.set()
        await worker.all_of(2)
    assert [(result.epoch, result.result) for result in worker.results] == [(2, "not_sent"), (1, "done")]


async def test_stop_gives_the_unstarted_rows_back(local: Local) -> None:
    """Calls under way go on, and are reported."""
    local.server.held = asyncio.Event()
    async with ordered(local) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 31))),), patience=0.0)
        while (await worker.say()).unstarted != 20:
            pass
        await worker.say(stop=True, patience=0.0)
        local.server.held.set()
        results = await worker.all_of(30)
    done = [row for row, result in results.items() if result.result == "done"]
    assert done == list(range(1, 11))
    assert {results[row].result for row in range(11, 31)} == {"not_sent"}


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


async def test_the_end_lets_calls_under_way_end_and_returns_their_results(local: Local) -> None:
    """After it, a grant starts nothing."""
    local.server.held = asyncio.Event()
    async with ordered(local) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 31))),), patience=0.0)
        while (await worker.say()).unstarted != 20:
            pass
        ending = asyncio.create_task(worker.worker.end())
        await asyncio.sleep(0)
        local.server.held.set()
        results = await ending
        report = await worker.say(grants=(worker.grant(2, await worker.bodies(range(31, 33))),))
    assert sorted(result.row for result in results) == list(range(1, 31))
    assert sum(result.result == "done" for result in results) == 10
    assert [result.result for result in report.results][-2:] == ["not_sent"] * 2
    assert sum((await held(local)).values()) == 10


async def test_responses_that_ask_to_wait_are_counted(local: Local) -> None:
    """The coordinator lowers the budget by this number."""
    local.server.busy = True
    async with ordered(local, attempts=2, deadline=3.0) as worker:
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 3))),))
        results = await worker.all_of(2)
        report = await worker.say(patience=0.0)
    assert report.throttled == 4
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
        report = await worker.worker.exchange(order)
        await worker.say(grants=(worker.grant(1, await worker.bodies(range(1, 3))),))
        await worker.all_of(2)
        texts = (repr(order), repr(report), repr(worker.worker), repr(worker.results), caplog.text)
    assert caplog.text
    assert not any(session.token in text for text in texts)


# --- making one ---------------------------------------------------------------------------------


async def test_another_version_is_refused(local: Local) -> None:
    """Workers and coordinator are of one version."""
    with pytest.raises(ConfigurationError, match=r"0\.0\.9"):
        Worker(setup_of(local, version="0.0.9"))


async def test_a_host_without_https_needs_trust(local: Local) -> None:
    """A token does not go out in clear; the rows fail with the reason."""
    async with ordered(local, session=False) as worker:
        session = await session_of(local, base_url="http://far.example.com")
        await worker.say(session=session, grants=(worker.grant(1, await worker.bodies(range(1, 2))),))
        results = await worker.all_of(1)
    assert (results[1].result, results[1].error) == ("failed", "ConfigurationError")


async def test_two_rows_of_one_number_in_a_grant_are_sent_once(local: Local) -> None:
    """A damaged order doubles nothing."""
    async with ordered(local) as worker:
        bodies = await worker.bodies(range(1, 2))
        grant = worker.grant(1, bodies)
        twice = type(grant)(epoch=1, ends=grant.ends, rows=(*grant.rows, GrantedRow(1, bodies[1])))
        await worker.say(grants=(twice,))
        await worker.all_of(2)
    assert await held(local) == {"PO-1": 1}
    assert grant.ends > DEADLINE
