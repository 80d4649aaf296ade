"""Sessions and shares of the workers, as the coordinator hands them out."""

import asyncio
from collections import Counter

import attrs

from tests.jobs.cluster.reading import failing_run, kinds, outcomes_of, rows_of, until
from tests.jobs.cluster.world import Source, World, virtually
from tests.transport.test_session_manager import Time, manager
from wosdk_async.errors import (
    CredentialsError,
)
from wosdk_async.jobs.cluster.sessions import ManagedSessions
from wosdk_async.outcome import Done


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


def test_a_worker_that_always_refuses_its_session_makes_no_storm_of_log_ins():
    async def main():
        world = World()
        world.first_workers, world.seconds = 2, 0.1
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(3000))))
            await until(lambda: world.workers and world.workers[0].session)
            liar = world.workers[0]
            true_reply = liar.reply
            liar.reply = lambda: attrs.evolve(true_reply(), session_refused=liar.session)
            began = asyncio.get_running_loop().time()
            ends = await task
            seconds = asyncio.get_running_loop().time() - began

        assert kinds(ends) == {"Done": 3000}
        assert seconds > 10
        assert 1 <= world.sessions.log_ins <= 10 * (1 + seconds // 30)

    virtually(main())


def test_a_worker_that_leaves_gets_no_rows():
    async def main():
        world = World()
        world.first_workers = 2
        async with world.coordinator() as coordinator:
            await until(lambda: coordinator.statistics().workers == 2)
            leaves = world.workers[0]
            true_reply = leaves.reply
            leaves.reply = lambda: attrs.evolve(true_reply(), draining=True)
            await until(lambda: len(leaves.orders) > 5)
            ends = await outcomes_of(coordinator, Source(range(100)))

        assert kinds(ends) == {"Done": 100}
        assert not any(order.grants for order in leaves.orders)

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


async def test_a_worker_is_told_how_long_its_session_lives_and_not_until_when():
    """The clock of the worker is another one."""
    time = Time()
    opened, _ = manager(time, 600)
    sessions = ManagedSessions(opened)

    assert sessions.current() is None
    assert (await sessions.renew(after=0)).expires_in == 570.0  # the last 30 s are not used
    time.seconds += 100.0
    assert sessions.current().expires_in == 470.0


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
