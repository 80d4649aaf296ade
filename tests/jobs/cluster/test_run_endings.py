"""Runs that end before their rows: by a stop, an exception, or what concerns all rows."""

import asyncio

import attrs
import pytest

from tests.jobs.cluster.reading import assert_one_each, failing_run, kinds, outcomes_of, read, rows_of, until
from tests.jobs.cluster.world import OPTIONS, Source, World, virtually
from wosdk_async.errors import (
    ConfigurationError,
    InvalidCallError,
)
from wosdk_async.jobs.errors import JournalError
from wosdk_async.outcome import Done, InDoubt, NotStarted


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


LONG = attrs.evolve(OPTIONS, lease=60.0)


@pytest.mark.parametrize(("times", "seconds"), [(1, 4.5), (2, 1.5)])
@pytest.mark.parametrize("lost", [False, True])
def test_a_stop_in_a_hurry_gives_up_workers_that_are_silent(times, seconds, lost):
    """Such as those behind a scheduler that stands still; the next run waits for their leases."""

    async def main():
        world = World(options=LONG)
        world.seconds = 30.0
        loop, source = asyncio.get_running_loop(), Source(range(50))
        async with world.coordinator() as coordinator:
            async with coordinator.run(source, str) as run:
                await until(lambda: world.busy >= 3)
                for link in world.links:
                    link.worker.awake.clear()
                    link.cut = "it left the cluster" if lost else None
                began = loop.time()
                for _ in range(times):
                    coordinator.hurry()
                run.stop()
                ends = [outcome async for outcome in run]
        assert loop.time() - began < seconds
        assert_one_each(source, ends)
        doubted = set(rows_of(ends, InDoubt))
        assert doubted >= set(world.effects)
        assert doubted <= {row for epoch in world.ledger.open for row in world.ledger.grants[epoch].rows}

    virtually(main())


def test_a_stop_in_a_hurry_waits_for_calls_of_workers_that_are_heard():
    async def main():
        world = World(options=attrs.evolve(LONG, deadline=20.0))
        world.seconds = 8.0
        source = Source(range(50))
        async with world.coordinator() as coordinator:
            async with coordinator.run(source, str) as run:
                await until(lambda: world.busy >= 3)
                coordinator.hurry()
                run.stop()
                ends = [outcome async for outcome in run]
        assert_one_each(source, ends)
        assert set(rows_of(ends, Done)) == set(world.effects)
        assert kinds(ends).keys() == {"Done", "NotStarted"}
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
                    await until(lambda: len(source.fetched) == 5)
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
                await until(lambda: len(source.fetched) == 5)
                run.stop()
                world.ledger.disk.set()
                ends = [outcome async for outcome in run]

        assert_one_each(source, ends)
        assert kinds(ends) == {"NotStarted": 5}

    virtually(main())


# --- what concerns all rows -----------------------------------------------------------------


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


def test_a_grant_that_cannot_be_written_loses_no_result_of_the_rows_under_way():
    async def main():
        world = World()
        world.seconds = 0.8
        write, granted = world.ledger.grant, []

        async def full_after_some(record):
            granted.append(record)
            if len(granted) > 4:
                raise JournalError("the disk is full")
            await write(record)

        world.ledger.grant = full_after_some
        began = asyncio.get_running_loop().time()
        error, ends = await failing_run(world)

        assert error.message == "the disk is full"
        assert world.effects
        assert set(rows_of(ends, Done)) == set(world.effects)
        assert kinds(ends).keys() == {"Done", "NotStarted"}
        assert asyncio.get_running_loop().time() - began < 3.0

    virtually(main())


def test_workers_that_hang_are_not_said_to_give_back_their_rows():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, no_worker=10.0))

        def hang():
            for worker in world.workers:
                worker.awake.clear()

        asyncio.get_running_loop().call_later(0.5, hang)
        error, _ = await failing_run(world, rows=500)
        assert error.message == "no worker of 3 fakes was heard of for 10 s"

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
            if len(self.fetched) > 20:
                raise JournalError("cannot be read")
            return await super().__anext__()

        def at_hand(self):
            return super().at_hand() if len(self.fetched) <= 20 else None

    async def main():
        world = World()
        source, ends = Broken(range(50)), []
        async with world.coordinator() as coordinator:
            with pytest.raises(JournalError, match="cannot be read"):
                await read(coordinator.run(source, str), ends)
        assert_one_each(source, ends)

    virtually(main())
