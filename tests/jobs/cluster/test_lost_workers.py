"""Workers that are killed, cut off or replaced, and what becomes of their rows."""

import asyncio
from collections import Counter

import pytest

from tests.jobs.cluster.fake_worker import Link
from tests.jobs.cluster.reading import kinds, outcomes_of, rows_of, until
from tests.jobs.cluster.world import OPTIONS, Source, World, virtually
from wosdk_async.jobs.cluster.leases import LeaseLostError
from wosdk_async.jobs.cluster.ledger import Loss
from wosdk_async.jobs.errors import RowError
from wosdk_async.outcome import Failed, InDoubt


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
            assert coordinator.statistics().lost_workers == 1

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


def test_a_worker_is_not_reached_in_two_ways():
    async def main():
        world = World()
        world.first_workers = 1
        events = []
        async with world.coordinator(events.append) as coordinator:
            await until(lambda: coordinator.statistics().workers)
            second = Link(world, world.workers[0])
            world.joined(second)
            await until(lambda: second.closed)
            assert kinds(await outcomes_of(coordinator, Source(range(5)))) == {"Done": 5}

        assert not world.links[0].cut
        (text,) = events
        assert text.endswith("a worker that was lost, or that is reached in another way; it had no rows")

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
        assert len(world.ledger.late) == 0

    virtually(main())
