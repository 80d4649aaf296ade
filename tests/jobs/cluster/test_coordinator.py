"""The coordinator: each claim gets one outcome, no row takes effect twice, whatever is lost on the way."""

import asyncio
from collections import Counter

import attrs
import pytest

from tests.jobs.cluster.world import OPTIONS, Source, World, virtually
from wosdk_async.errors import (
    ConfigurationError,
    CredentialsError,
    InDoubtError,
    InvalidCallError,
    WosdkError,
)
from wosdk_async.jobs.cluster.leases import LeaseLostError
from wosdk_async.jobs.cluster.ledger import Loss
from wosdk_async.jobs.errors import JournalError, RowError
from wosdk_async.jobs.row_operation import Effect
from wosdk_async.outcome import Done, Failed, InDoubt, NotStarted


async def outcomes_of(coordinator, source, *, encode=str):
    """Return the outcomes of a run; each claim that was taken has one."""
    async with coordinator.run(source, encode) as run:
        ends = [outcome async for outcome in run]
    assert_one_each(source, ends)
    return ends


async def read(run, ends):
    """Add the outcomes of a run to ``ends``, also when it raises in the end."""
    async with run:
        async for outcome in run:
            ends.append(outcome)


def assert_one_each(source, ends):
    assert Counter(id(end.input) for end in ends) == Counter(id(claim) for claim in source.taken)
    assert sorted(end.index for end in ends) == list(range(len(ends)))


def kinds(ends):
    return Counter(type(end).__name__ for end in ends)


def rows_of(ends, kind):
    return [end.input.record for end in ends if isinstance(end, kind)]


async def until(condition):
    while not condition():
        await asyncio.sleep(0.01)


# --- the law --------------------------------------------------------------------------------


async def chaos(world):
    """Kill, cut off and stop workers; each that is gone is replaced after a while."""
    rng = world.rng
    for _ in range(rng.randrange(3, 8)):
        await asyncio.sleep(rng.uniform(0.05, 1.5))
        place = rng.randrange(len(world.workers))
        worker = world.workers[place]
        what = rng.choice(["kill", "cut", "stop", "stop"])
        if what == "stop" and worker.awake.is_set():
            worker.awake.clear()
            asyncio.get_running_loop().call_later(rng.uniform(0.5, 9.0), worker.awake.set)
        elif what == "kill":
            worker.kill()
            world.add_worker()
        elif what == "cut" and not world.links[place].cut:
            world.links[place].cut = "cut off"
            world.add_worker()


async def whole_job(world, rows):
    """Send rows as a job does: those in doubt are looked up when they have settled, then sent again."""
    ended, left = {}, range(rows)
    async with world.coordinator() as coordinator:
        breaking = asyncio.ensure_future(chaos(world))
        for _ in range(12):
            doubted = []
            for end in await outcomes_of(coordinator, Source(left)):
                if isinstance(end, InDoubt):
                    doubted.append(end.input.record)
                else:
                    ended[end.input.record] = end
            if not doubted:
                break
            await asyncio.sleep(1.0)  # what was sent before is there now
            left = [row for row in doubted if not world.effects[row]]
        breaking.cancel()
        statistics = coordinator.statistics()
    await asyncio.sleep(30.0)  # those that were stopped or cut off do what they still do
    return ended, statistics


@pytest.mark.parametrize("seed", range(12))
def test_no_row_is_lost_or_sent_twice(seed):
    async def main():
        world = World(seed, trouble=0.04)
        ended, statistics = await whole_job(world, 300)

        assert not [row for row, times in world.effects.items() if times != 1]
        refused = [row for row, end in ended.items() if isinstance(end, Failed)]
        assert set(range(300)) == set(world.effects) | set(refused)
        assert all(ended[row].error.args[0].startswith("its worker was lost") for row in refused)
        assert not set(refused) & set(world.effects)
        assert not [row for row, end in ended.items() if isinstance(end, NotStarted)]
        assert world.most_busy <= OPTIONS.in_flight
        assert not world.ledger.open
        assert statistics.granted >= 300

    virtually(main(), seed)


def test_without_trouble_all_rows_are_done_and_shared():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            ends = await outcomes_of(coordinator, Source(range(200)))
            statistics = coordinator.statistics()
            began = asyncio.get_running_loop().time()

        assert asyncio.get_running_loop().time() - began < 0.5
        assert kinds(ends) == {"Done": 200}
        assert ends[0].result == Effect("", ends[0].input.record)
        assert world.effects.total() == 200
        assert (statistics.workers, statistics.joined, statistics.lost) == (3, 3, 0)
        assert statistics.granted == 200
        assert all(any(order.grants for order in worker.orders) for worker in world.workers)
        assert not any(worker.results for worker in world.workers)  # each knows that all has arrived
        assert all(link.closed for link in world.links)

    virtually(main())


def test_epochs_go_on_after_those_of_earlier_runs():
    async def main():
        world = World()
        world.ledger.epoch = 41
        async with world.coordinator() as coordinator:
            await outcomes_of(coordinator, Source(range(5)))

        grant = world.ledger.grants[42]
        assert (grant.run, grant.seconds, min(world.ledger.grants)) == (4, OPTIONS.surely_over, 42)

    virtually(main())


def test_the_duration_of_a_call_is_that_of_the_worker():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            async with coordinator.run(Source(range(3)), str) as run:
                async for outcome in run:
                    now = asyncio.get_running_loop().time()
                    assert 0.5 <= now - outcome.input.started < 0.6

    virtually(main())


def test_a_row_that_cannot_be_encoded_fails_alone():
    def encode(record):
        if record == 3:
            raise ValueError("no JSON")
        return "{}"

    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            ends = await outcomes_of(coordinator, Source(range(10)), encode=encode)

        assert kinds(ends) == {"Done": 9, "Failed": 1}
        assert rows_of(ends, Failed) == [3]

    virtually(main())


def test_rows_that_were_not_sent_are_granted_again():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, in_flight=3))
        world.first_workers, world.seconds = 1, 0.3
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(40))))
            await until(lambda: world.effects.total() > 10)
            world.workers[0].awake.clear()
            await asyncio.sleep(OPTIONS.lease - OPTIONS.deadline + 0.5)
            world.workers[0].awake.set()
            ends = await task
            assert coordinator.statistics().not_sent > 0

        assert kinds(ends) == {"Done": 40}
        assert world.effects.total() == 40
        assert not world.ledger.lost

    virtually(main())


# --- lost workers ---------------------------------------------------------------------------


async def lost_with_one_worker(world, lose):
    """Run rows on one worker, lose it, and return the outcomes with the seconds until they came."""
    world.first_workers, world.seconds = 1, 100.0
    loop = asyncio.get_running_loop()
    async with world.coordinator() as coordinator:
        task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(5))))
        await until(lambda: world.busy)
        lose(world.workers[0], world.links[0])
        began = loop.time()
        world.seconds = 0.05
        world.add_worker()
        ends = await task
        return ends, loop.time() - began


def test_rows_of_a_worker_that_has_ended_are_in_doubt_at_once():
    async def main():
        world = World()
        ends, seconds = await lost_with_one_worker(world, lambda worker, _: worker.kill())

        assert kinds(ends) == {"InDoubt": 5}
        assert isinstance(ends[0].error, LeaseLostError)
        assert seconds < 0.5
        assert sorted(sum(world.ledger.lost, ())) == [0, 1, 2, 3, 4]

    virtually(main())


@pytest.mark.parametrize("how", ["cut", "stop"])
def test_rows_of_a_worker_that_may_go_on_are_in_doubt_when_its_lease_is_over(how):
    def lose(worker, link):
        if how == "cut":
            link.cut = "cut off"
        worker.awake.clear()

    async def main():
        world = World()
        ends, seconds = await lost_with_one_worker(world, lose)

        assert kinds(ends) == {"InDoubt": 5}
        assert OPTIONS.surely_over - 0.5 < seconds < OPTIONS.surely_over + 0.5

    virtually(main())


def test_a_report_before_the_lease_is_over_counts_and_one_after_it_is_a_fact():
    async def main(asleep):
        world = World()
        world.first_workers, world.seconds = 1, 0.05
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(5))))
            await until(lambda: world.busy)
            world.workers[0].awake.clear()
            await asyncio.sleep(asleep)
            world.workers[0].awake.set()
            ends = await task
            await asyncio.sleep(6.0)  # the exchange that hangs is repeated, and the worker heard
            return kinds(ends), len(world.ledger.facts), world.workers[0].results

    early, facts, _ = virtually(main(2.0))
    assert (early["InDoubt"], facts) == (0, 0)
    late, facts, unconfirmed = virtually(main(OPTIONS.surely_over + 1.0))
    assert late["InDoubt"] == facts > 0
    assert not unconfirmed


def test_a_lost_worker_is_granted_nothing_though_it_responds_again():
    async def main():
        world = World()
        world.first_workers = 1
        async with world.coordinator() as coordinator:
            await until(lambda: coordinator.statistics().workers)
            world.links[0].cut = "cut off"
            await until(lambda: not coordinator.statistics().workers)
            world.links[0].cut = None
            world.joined(world.links[0])
            world.add_worker()
            await outcomes_of(coordinator, Source(range(20)))

            assert not any(order.grants for order in world.workers[0].orders)
            assert coordinator.statistics().lost == 1

    virtually(main())


def test_another_worker_behind_the_same_link_gets_grants_of_its_own():
    async def main():
        world = World()
        world.first_workers, world.seconds = 1, 0.3
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(30))))
            await until(lambda: world.busy)
            before = world.workers[0]
            before.kill()
            world.links[0].worker = type(before)(world, "other")
            ends = await task
            assert coordinator.statistics().joined == 2

        assert kinds(ends)["Done"] >= 10
        assert set(rows_of(ends, InDoubt)) == {row for lost in world.ledger.lost for row in lost}

    virtually(main())


def test_a_row_that_kills_its_workers_is_refused_and_the_others_are_done():
    async def main():
        world = World()
        world.poison = {17}
        killed = set()

        async def replace():
            while True:
                await asyncio.sleep(0.05)
                for worker in [each for each in world.workers if each.dead and each.nonce not in killed]:
                    killed.add(worker.nonce)
                    world.add_worker()

        ended, left, rounds = {}, range(60), []
        async with world.coordinator() as coordinator:
            replacing = asyncio.ensure_future(replace())
            while left:
                ends = await outcomes_of(coordinator, Source(left))
                ended |= {end.input.record: end for end in ends}
                left = [row for row in rows_of(ends, InDoubt) if not world.effects[row]]
                rounds.append(len(left))
            replacing.cancel()

        assert isinstance(ended[17].error, RowError)
        assert ended[17].error.message.startswith("its worker was lost 3 times")
        assert world.effects == Counter(dict.fromkeys(set(range(60)) - {17}, 1))
        assert len(killed) == 3
        assert rounds[-2:] == [1, 0]

    virtually(main())


def test_a_row_that_was_lost_alone_in_an_earlier_run_is_not_sent():
    async def main():
        world = World()
        world.ledger.known = {2: Loss(3, alone=True), 3: Loss(1), 4: Loss(2)}
        async with world.coordinator() as coordinator:
            ends = await outcomes_of(coordinator, Source(range(6)))

        assert rows_of(ends, Failed) == [2]
        assert 2 not in world.effects
        assert {(3,), (4,)} <= {grant.rows for grant in world.ledger.grants.values()}

    virtually(main())


def test_nothing_is_granted_beside_a_row_that_was_lost_before():
    async def main():
        world = World()
        world.first_workers, world.seconds = 1, 100.0  # each call takes half a second
        world.ledger.known = {20: Loss(1)}
        async with world.coordinator() as coordinator:
            ends = await outcomes_of(coordinator, Source(range(60)))

        assert kinds(ends) == {"Done": 60}
        (epoch,) = (epoch for epoch, grant in world.ledger.grants.items() if grant.rows == (20,))
        assert world.ledger.beside[epoch] == 0  # nothing was open when it was granted
        assert world.ledger.beside[epoch + 1] == 0  # it had ended before the next one

    virtually(main())


def test_workers_that_may_still_send_keep_their_share():
    async def main():
        world = World()
        world.first_workers, world.seconds = 2, 100.0  # each call takes half a second
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(150))))
            await until(lambda: world.busy == 12)
            await asyncio.sleep(1.0)  # by now they have rows ahead
            world.links[0].cut = "cut off"  # and it goes on
            world.add_worker()
            await task

        assert world.most_busy == 12
        assert len(world.ledger.facts) == 0

    virtually(main())


def test_a_worker_that_wakes_is_told_which_grants_have_ended():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, in_flight=1))
        world.first_workers, world.seconds = 1, 100.0  # each call takes half a second
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(5))))
            await until(lambda: world.workers and world.workers[0].queue)
            worker = world.workers[0]
            worker.awake.clear()
            worker.start = lambda: None  # it would start them though their lease has ended
            epochs = {epoch for epoch, _, _ in worker.queue}
            await asyncio.sleep(OPTIONS.surely_over + 1.0)
            worker.awake.set()
            await until(lambda: any(epochs <= set(each.withdrawn) for each in worker.orders))
            del worker.start
            await task

    virtually(main())


def test_a_report_that_is_repeated_counts_once():
    async def main():
        world = World(3, options=attrs.evolve(OPTIONS, lease=100.0), trouble=0.2)
        async with world.coordinator() as coordinator:
            ends = await outcomes_of(coordinator, Source(range(200)))
            statistics = coordinator.statistics()

        assert set(kinds(ends)) <= {"Done", "InDoubt"}
        assert (statistics.facts, statistics.lost_rows) == (0, 0)
        assert not world.ledger.facts

    virtually(main())


def test_a_grant_that_ends_before_it_is_written_does_not_count_as_work_of_its_worker():
    async def main():
        world = World()
        world.first_workers = 1
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(30))))
            await until(lambda: world.busy)
            world.ledger.disk.clear()
            await asyncio.sleep(OPTIONS.surely_over + 1.0)
            world.ledger.disk.set()
            ends = await task

        assert kinds(ends)["Done"] > 12  # those of the grant that was being written among them
        assert set(kinds(ends)) == {"Done", "InDoubt"}
        assert set(world.effects.values()) == {1}

    virtually(main())


# --- stop and abort -------------------------------------------------------------------------


def test_stop_lets_calls_under_way_end_and_starts_nothing_else():
    async def main():
        world = World()
        world.seconds = 0.3
        source = Source(range(500))
        ends = []
        async with world.coordinator() as coordinator:
            async with coordinator.run(source, str) as run:
                async for outcome in run:
                    ends.append(outcome)
                    if len(ends) == 10:
                        source.stopped = True
                        run.stop()
                        sent = world.effects.total()

        assert_one_each(source, ends)
        assert set(rows_of(ends, Done)) == set(world.effects)
        assert kinds(ends)["NotStarted"] > 0
        assert world.effects.total() <= sent + OPTIONS.in_flight
        assert not world.ledger.open

    virtually(main())


def test_an_exception_in_the_block_gives_each_row_an_outcome_and_leaves_its_lease_open():
    async def main():
        world = World()
        world.first_workers = 2
        source = Source(range(100))
        ends = []
        async with world.coordinator() as coordinator:
            run = coordinator.run(source, str, grace=0.5)
            with pytest.raises(KeyError):
                async with run:
                    await until(lambda: world.busy >= 2)
                    for worker in world.workers:
                        worker.awake.clear()
                    raise KeyError
            ends = [outcome async for outcome in run]

            assert_one_each(source, ends)
            assert set(rows_of(ends, NotStarted)).isdisjoint(world.effects)
            lost = {end.input.record for end in ends if isinstance(end, InDoubt)}
            assert lost
            still_open = {row for epoch in world.ledger.open for row in world.ledger.grants[epoch].rows}
            assert lost <= still_open
            with pytest.raises(InvalidCallError, match="aborted"):
                coordinator.run(source, str)

    virtually(main())


def test_a_cancelled_run_can_be_read_to_its_end():
    async def main():
        world = World()
        world.seconds = 10.0
        source, ends = Source(range(100)), []
        async with world.coordinator() as coordinator:
            run = coordinator.run(source, str, grace=0.2)

            async def consume():
                try:
                    await read(run, ends)
                except asyncio.CancelledError:
                    ends.extend([outcome async for outcome in run])
                    raise

            task = asyncio.ensure_future(consume())
            await until(lambda: world.busy)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task

        assert_one_each(source, ends)
        assert set(rows_of(ends, InDoubt) + rows_of(ends, Done)) == set(world.effects)
        assert any(order.abort for worker in world.workers for order in worker.orders)

    virtually(main())


@pytest.mark.parametrize("how", ["stop", "abort"])
def test_a_grant_that_is_being_written_does_not_leave_any_more(how):
    async def main():
        world = World()
        source, ends = Source(range(5)), []
        async with world.coordinator() as coordinator:
            await until(lambda: coordinator.statistics().workers == 3)
            run = coordinator.run(source, str, grace=0.2)
            try:
                async with run:
                    await until(lambda: len(source.taken) == 5)
                    await asyncio.sleep(0)
                    world.ledger.disk.clear()
                    await until(lambda: "rows 5" in repr(coordinator))
                    run.stop()
                    if how == "abort":
                        raise KeyError
                    world.ledger.disk.set()
            except KeyError:
                world.ledger.disk.set()
            ends = [outcome async for outcome in run]
            await asyncio.sleep(0.3)

        assert_one_each(source, ends)
        assert kinds(ends) == {"NotStarted": 5}
        assert not any(order.grants for worker in world.workers for order in worker.orders)

    virtually(main())


def test_a_run_that_is_stopped_while_it_takes_rows_in_needs_no_worker_to_end():
    async def main():
        world = World()
        world.first_workers = 0
        source = Source(range(5))
        async with world.coordinator() as coordinator:
            world.ledger.disk.clear()
            async with coordinator.run(source, str) as run:
                await until(lambda: len(source.taken) == 5)
                run.stop()
                world.ledger.disk.set()
                ends = [outcome async for outcome in run]

        assert_one_each(source, ends)
        assert kinds(ends) == {"NotStarted": 5}

    virtually(main())


# --- what concerns all rows -----------------------------------------------------------------


async def failing_run(world, rows=50):
    """Return the error that a run raises after its outcomes."""
    source, ends = Source(range(rows)), []
    async with world.coordinator() as coordinator:
        with pytest.raises(WosdkError) as caught:
            await read(coordinator.run(source, str), ends)
    assert_one_each(source, ends)
    return caught.value, ends


def test_a_grant_that_cannot_be_written_does_not_leave():
    async def refuse(record):
        raise JournalError("the disk is full")

    async def main():
        world = World()
        world.ledger.grant = refuse
        began = asyncio.get_running_loop().time()
        error, ends = await failing_run(world)

        assert error.message == "the disk is full"
        assert asyncio.get_running_loop().time() - began < 1.0
        assert kinds(ends) == {"NotStarted": len(ends)}
        assert not any(order.grants for worker in world.workers for order in worker.orders)

    virtually(main())


def test_a_run_without_workers_ends_after_a_while():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, no_worker=10.0))
        world.first_workers = 0
        began = asyncio.get_running_loop().time()
        error, ends = await failing_run(world)

        assert "no worker of 3 fakes was heard of for 10 s" in error.message
        assert kinds(ends) == {"NotStarted": len(ends)}
        assert asyncio.get_running_loop().time() - began < 12.0

    virtually(main())


def test_losses_that_cannot_be_read_end_the_run():
    async def main():
        world = World()
        world.ledger.error = JournalError("cannot be read")
        error, ends = await failing_run(world)

        assert error is world.ledger.error
        assert kinds(ends) == {"NotStarted": len(ends)}

    virtually(main())


def test_the_time_without_workers_counts_from_the_begin_of_a_run():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, no_worker=2.0))
        world.first_workers = 0
        async with world.coordinator() as coordinator:
            await asyncio.sleep(5.0)
            asyncio.get_running_loop().call_later(1.0, world.add_worker)
            assert kinds(await outcomes_of(coordinator, Source(range(5)))) == {"Done": 5}

    virtually(main())


def test_a_pool_that_is_broken_ends_the_run():
    async def main():
        world = World()
        world.seconds = 5.0
        asyncio.get_running_loop().call_later(1.0, lambda: world.broken("the scheduler is gone"))
        error, ends = await failing_run(world)

        assert error.message == "the scheduler is gone"
        assert set(rows_of(ends, Done)) == set(world.effects)

    virtually(main())


def test_a_worker_that_refuses_to_work_ends_the_run():
    async def main():
        world = World()

        async def refuse(order):
            raise ConfigurationError("version 2 of the package")

        world.first_workers = 0
        asyncio.get_running_loop().call_later(0.5, lambda: world.add_worker())
        asyncio.get_running_loop().call_later(0.5, lambda: setattr(world.links[0], "exchange", refuse))
        error, _ = await failing_run(world)

        assert "version 2" in error.message

    virtually(main())


def test_an_error_of_the_claims_is_raised_after_the_outcomes():
    class Broken(Source):
        async def __anext__(self):
            if len(self.taken) > 20:
                raise JournalError("cannot be read")
            return await super().__anext__()

        def at_hand(self):
            return super().at_hand() if len(self.taken) <= 20 else None

    async def main():
        world = World()
        source, ends = Broken(range(50)), []
        async with world.coordinator() as coordinator:
            with pytest.raises(JournalError, match="cannot be read"):
                await read(coordinator.run(source, str), ends)
        assert_one_each(source, ends)

    virtually(main())


# --- session and budget ---------------------------------------------------------------------


def test_a_refused_session_is_renewed_once_for_all_workers():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            await outcomes_of(coordinator, Source(range(20)))
            world.accepted = 2
            ends = await outcomes_of(coordinator, Source(range(100, 160)))

        assert kinds(ends) == {"Done": 60}
        assert world.sessions.log_ins == world.sessions.asked == 1
        pushed = [order.session.number for w in world.workers for order in w.orders if order.session]
        assert Counter(pushed) == {1: 3, 2: 3}

    virtually(main())


def test_a_session_that_the_coordinator_renewed_is_pushed():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            await until(lambda: all(worker.session == 1 for worker in world.workers) and world.workers)
            world.sessions.number = 2
            await until(lambda: all(worker.session == 2 for worker in world.workers))
            assert "t0ken" not in repr(coordinator)

    virtually(main())


def test_a_log_in_that_fails_again_and_again_ends_the_run():
    async def main():
        world = World()
        world.accepted = 2
        world.sessions.error = CredentialsError("refused")
        error, ends = await failing_run(world)

        assert error is world.sessions.error
        assert not world.effects
        assert not rows_of(ends, Done)

    virtually(main())


def test_a_service_that_refuses_every_session_ends_the_run():
    async def main():
        world = World()
        world.accepted = 1000
        error, _ = await failing_run(world)

        assert "refused 5 sessions one after another" in error.message
        assert not world.effects
        assert world.sessions.log_ins == 5

    virtually(main())


def test_sessions_may_be_refused_again_and_again_while_rows_are_carried_out():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            for number in range(1, 9):
                world.accepted = number
                rows = range(100 * number, 100 * number + 20)
                assert kinds(await outcomes_of(coordinator, Source(rows))) == {"Done": 20}

        assert world.sessions.log_ins == 7

    virtually(main())


def test_a_response_that_asks_to_wait_lowers_all_shares():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            await until(lambda: [w.kept.in_flight for w in world.workers] == [4, 4, 4])
            world.workers[1].throttled = 1
            await until(lambda: [w.kept.in_flight for w in world.workers] == [2, 2, 2])
            assert coordinator.statistics().level == 0.5
            await until(lambda: [w.kept.in_flight for w in world.workers] == [4, 4, 4])

    virtually(main())


def test_outcomes_of_errors_keep_their_class_and_details():
    from wosdk_async.errors import ConflictError
    from wosdk_async.jobs.cluster.messages import RowReport
    from wosdk_async.jobs.cluster.outcomes import outcome_of

    def outcome(result, error):
        return outcome_of(
            7, "claim",
            RowReport(number=1, epoch=1, row=1, result=result, error=error, reason="so", code="C",
                      status=409, request_id="r", attempts=3, waits=(0.5,)),
        )  # fmt: skip

    failed = outcome("failed", "ConflictError")
    assert type(failed) is Failed
    assert type(failed.error) is ConflictError
    assert (failed.index, failed.input, failed.error.message) == (7, "claim", "so")
    assert (failed.error.code, failed.error.status, failed.error.attempts) == ("C", 409, 3)
    assert type(outcome("failed", "RowError").error) is RowError
    assert type(outcome("failed", "NoSuchError").error) is WosdkError
    assert type(outcome("failed", "InDoubtError")) is InDoubt  # never taken for a row without effect
    doubt = outcome("in_doubt", "ConflictError")
    assert type(doubt) is InDoubt
    assert type(doubt.error) is InDoubtError
