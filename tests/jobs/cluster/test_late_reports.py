"""Reports and grants that come late, twice, or not at all."""

import asyncio

import attrs
import pytest

from tests.jobs.cluster.reading import kinds, outcomes_of, rows_of, until
from tests.jobs.cluster.world import OPTIONS, Source, World, virtually
from wosdk_async.outcome import Done, InDoubt


def test_a_report_before_the_lease_is_over_counts_and_one_after_it_is_late():
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
            return kinds(ends), len(world.ledger.late), world.workers[0].results

    early, kept, _ = virtually(main(2.0))
    assert (early["InDoubt"], kept) == (0, 0)
    late, kept, unconfirmed = virtually(main(OPTIONS.surely_over + 1.0))
    assert late["InDoubt"] == kept > 0
    assert not unconfirmed


@pytest.mark.parametrize("when", ["while its lease is open", "when its lease has ended"])
def test_a_late_report_of_a_worker_that_was_replaced_costs_its_successor_nothing(when):
    async def main():
        world = World()
        world.first_workers, world.seconds = 1, 100.0  # each call takes half a second
        events = []
        async with world.coordinator(events.append) as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(60))))
            await until(lambda: world.busy)
            link, before = world.links[0], world.workers[0]
            true_exchange = link.exchange

            async def lost(order):
                raise OSError

            async def exchange(order):
                link.exchange = true_exchange
                return late

            link.exchange = lost
            await until(lambda: len(before.results) >= 3)
            late = before.reply()
            had = {result.row for result in late.results}
            before.kill()
            link.worker = type(before)(world, "other")
            link.exchange = true_exchange
            await until(lambda: coordinator.statistics().joined == 2)
            if when == "when its lease has ended":
                await until(lambda: world.ledger.lost)
            link.exchange = exchange
            ends = await task
            statistics = coordinator.statistics()

        done = set(rows_of(ends, Done))
        if when == "while its lease is open":
            assert had <= done
            assert not world.ledger.late
        else:
            assert had <= set(rows_of(ends, InDoubt))
            assert {report.row for report in world.ledger.late} == had
        assert kinds(ends)["Done"] >= 36  # of 24 rows was said nothing when it was replaced
        assert (statistics.workers, statistics.lost_workers) == (1, 1)
        assert [text for text in events if "took its place" not in text] == []

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
        assert (statistics.late_reports, statistics.lost_rows) == (0, 0)
        assert not world.ledger.late

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
