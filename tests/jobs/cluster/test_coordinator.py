"""The coordinator: each claim gets one outcome, no row takes effect twice, whatever is lost on the way."""

import asyncio

import attrs
import pytest

from tests.jobs.cluster.reading import kinds, outcomes_of, rows_of, until
from tests.jobs.cluster.world import OPTIONS, Source, World, virtually
from wosdk_async.jobs.row_operation import Effect
from wosdk_async.outcome import Failed, InDoubt, NotStarted


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
        assert statistics.granted_rows >= 300

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
        assert (statistics.workers, statistics.joined, statistics.lost_workers) == (3, 3, 0)
        assert statistics.granted_rows == 200
        assert all(any(order.grants for order in worker.orders) for worker in world.workers)
        assert not any(worker.results for worker in world.workers)  # each knows that all has arrived
        assert all(link.closed for link in world.links)

    virtually(main())


def test_the_last_order_waits_for_nothing():
    """It only tells the worker that its results have arrived."""

    async def main():
        world = World()
        world.first_workers, world.seconds = 1, 0.001
        async with world.coordinator() as coordinator:
            await outcomes_of(coordinator, Source(range(5)))
        *_, before, last = world.workers[0].orders
        assert (before.patience, last.received, last.patience) == (0.1, 5, 0.0)

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
            assert coordinator.statistics().given_back_rows > 0

        assert kinds(ends) == {"Done": 40}
        assert world.effects.total() == 40
        assert not world.ledger.lost

    virtually(main())


def test_rows_that_were_given_back_go_out_again_in_their_order_before_the_others():
    async def main():
        world = World()
        world.first_workers = 1
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(40))))
            await until(lambda: world.workers)
            worker = world.workers[0]
            worker.start = lambda: setattr(worker, "kept", worker.share)
            await until(lambda: worker.queue)
            for epoch, _, row in worker.queue:
                worker.report(epoch, row.row, "not_sent")
            worker.queue.clear()
            del worker.start
            await task

        first, second = (world.ledger.grants[epoch].rows for epoch in (1, 2))
        assert len(first) > 1
        assert second[: len(first)] == first

    virtually(main())
