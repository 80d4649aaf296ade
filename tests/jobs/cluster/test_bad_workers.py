"""Workers that lie or are broken: what they cost is bounded, the others go on, and people are told."""

import asyncio
from collections import Counter

import attrs
import pytest

from tests.jobs.cluster.fake_worker import FakeWorker
from tests.jobs.cluster.reading import kinds, outcomes_of, read, rows_of, until
from tests.jobs.cluster.world import OPTIONS, Source, World, virtually
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.cluster.leases import LeaseLostError
from wosdk_async.jobs.cluster.messages import MessageError
from wosdk_async.outcome import Failed

_MUCH_AHEAD = attrs.evolve(OPTIONS, in_flight=4, rows_per_grant=200)


def lies(worker: FakeWorker) -> None:
    """Let a worker say of every row that it was not sent, after it sent it."""
    true_word = worker.report
    worker.report = lambda epoch, row, result: true_word(epoch, row, "not_sent")


def test_a_row_that_is_given_back_again_and_again_is_in_doubt():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            for worker in world.workers:
                lies(worker)
            ends = await outcomes_of(coordinator, Source(range(6)))
            assert coordinator.statistics().given_back_rows == 30

        assert kinds(ends) == {"InDoubt": 6}
        assert all(isinstance(end.error, LeaseLostError) for end in ends)
        assert "gave it back 5 times as not sent" in ends[0].error.message
        assert set(world.effects.values()) == {5}
        assert not world.ledger.lost
        assert not world.ledger.open

    virtually(main())


def test_a_worker_that_gives_back_its_rows_gets_few_and_is_named():
    async def main():
        world = World()
        events = []
        async with world.coordinator(events.append) as coordinator:
            lies(world.workers[1])
            ends = await outcomes_of(coordinator, Source(range(1500)))
            given_back = coordinator.statistics().given_back_rows
            seconds = asyncio.get_running_loop().time()

        assert set(kinds(ends)) <= {"Done", "InDoubt"}
        assert kinds(ends)["Done"] >= 1490
        # Some before it was known, then what it has room for every five seconds.
        assert 20 <= given_back <= 60 + 20 * seconds / 5
        assert events == ["worker w1 gives back its rows as not sent, so it gets few from now on"]

    virtually(main())


def test_a_worker_that_says_it_has_started_all_gets_no_more_than_its_calls_and_the_work_ahead():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            liar = world.workers[0]
            liar.start = lambda: setattr(liar, "kept", liar.share)
            true_reply = liar.reply
            liar.reply = lambda: attrs.evolve(true_reply(), unstarted=0)
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(900))))
            await asyncio.sleep(2.0)
            has = sum(len(each.rows) for each in world.ledger.grants.values() if each.worker == "w0")
            share = liar.share.in_flight
            liar.kill()
            await task

        assert share == 4
        assert has == 2 * share  # it has reported nothing, so what is ahead is one row for each call

    virtually(main())


def test_a_worker_that_is_mended_gets_rows_again():
    async def main():
        world = World()
        world.first_workers = 1
        async with world.coordinator() as coordinator:
            true_word = world.workers[0].report
            lies(world.workers[0])
            first = await outcomes_of(coordinator, Source(range(8)))
            world.workers[0].report = true_word
            began = asyncio.get_running_loop().time()
            ends = await outcomes_of(coordinator, Source(range(100, 500)))
            seconds = asyncio.get_running_loop().time() - began

        assert kinds(first) == {"InDoubt": 8}
        assert kinds(ends) == {"Done": 400}
        assert seconds < 30

    virtually(main())


def test_rows_that_are_given_back_at_the_end_of_their_lease_are_no_fault_of_the_worker():
    async def main():
        world = World(options=_MUCH_AHEAD)
        world.first_workers = 1
        events = []
        async with world.coordinator(events.append) as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(900))))
            await until(lambda: world.effects.total() > 200)
            worker = world.workers[0]
            worker.awake.clear()
            await asyncio.sleep(OPTIONS.lease - OPTIONS.deadline + 0.5)
            worker.awake.set()
            ends = await task
            assert coordinator.statistics().given_back_rows >= 20

        assert kinds(ends) == {"Done": 900}
        assert events == []

    virtually(main())


def test_a_stop_gives_rows_back_once_and_they_were_not_started():
    async def main():
        world = World(options=_MUCH_AHEAD)
        world.first_workers = 1
        source, ends, events = Source(range(900)), [], []
        async with world.coordinator(events.append) as coordinator:
            run = coordinator.run(source, str)
            task = asyncio.ensure_future(read(run, ends))
            await until(lambda: world.workers and len(world.workers[0].queue) > 40)
            source.stopped = True
            run.stop()
            await task
            assert coordinator.statistics().given_back_rows > 30

        assert set(kinds(ends)) == {"Done", "NotStarted"}
        assert events == []

    virtually(main())


def test_a_row_that_is_given_back_for_the_fifth_time_by_a_stop_was_not_started():
    async def main():
        world = World()
        world.first_workers = 1
        source, ends = Source(range(1)), []
        async with world.coordinator() as coordinator:
            run = coordinator.run(source, str)
            task = asyncio.ensure_future(read(run, ends))
            await until(lambda: world.workers)
            worker = world.workers[0]
            lies(worker)
            await until(lambda: worker.number == 4)
            worker.start = lambda: None
            await until(lambda: worker.queue)
            run.stop()
            await task
            assert coordinator.statistics().given_back_rows == 5

        assert kinds(ends) == {"NotStarted": 1}

    virtually(main())


def test_a_run_whose_workers_give_everything_back_ends_with_an_error():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, no_worker=10.0))
        source, ends = Source(range(3000)), []
        async with world.coordinator() as coordinator:
            for worker in world.workers:
                lies(worker)
            with pytest.raises(
                WosdkError, match="no row could be sent for 10 s: 3 fakes gave each back as not sent"
            ):
                await read(coordinator.run(source, str), ends)

        assert max(world.effects.values()) <= 5

    virtually(main())


def answers(worker: FakeWorker, seconds: float) -> None:
    """Let a worker keep each row for a while, as one that waits for its turn, and then give it back."""

    async def send(epoch, ends, row):
        await asyncio.sleep(seconds)
        worker.report(epoch, row, "not_sent")

    worker.send = send


def test_rows_that_come_back_at_their_deadline_are_not_in_doubt_however_often_that_is():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, no_worker=100.0))
        world.first_workers = 1
        ends = []
        async with world.coordinator() as coordinator:
            worker = world.workers[0]
            answers(worker, OPTIONS.deadline)
            task = asyncio.ensure_future(read(coordinator.run(Source(range(30)), str), ends))
            await until(lambda: coordinator.statistics().given_back_rows >= 30 * 8)
            del worker.send
            await task

        assert kinds(ends) == {"Done": 30}
        assert set(world.effects.values()) == {1}

    virtually(main())


def test_a_row_that_comes_back_fifty_times_is_in_doubt_though_others_end():
    async def main():
        world = World()
        world.first_workers = 1
        async with world.coordinator() as coordinator:
            worker = world.workers[0]
            true_send = worker.send

            async def send(epoch, ends, row):
                if row != 3:
                    return await true_send(epoch, ends, row)
                await asyncio.sleep(OPTIONS.deadline)
                return worker.report(epoch, row, "not_sent")

            worker.send = send
            ends = await outcomes_of(coordinator, Source(range(15_000)))

        assert kinds(ends) == {"Done": 14_999, "InDoubt": 1}
        (doubt,) = (end for end in ends if not hasattr(end, "result"))
        assert "gave it back 50 times as not sent" in doubt.error.message

    virtually(main())


def test_a_run_in_which_rows_only_come_back_ends_with_an_error_and_none_is_in_doubt():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, no_worker=10.0))
        ends = []
        async with world.coordinator() as coordinator:
            for worker in world.workers:
                answers(worker, OPTIONS.deadline)
            with pytest.raises(WosdkError, match="no row could be sent for 10 s"):
                await read(coordinator.run(Source(range(300)), str), ends)

        assert kinds(ends) == {"NotStarted": 300}

    virtually(main())


def test_nothing_is_granted_to_a_worker_whose_session_was_refused():
    async def main():
        world = World(options=attrs.evolve(OPTIONS, no_worker=10.0))
        world.first_workers = 1
        log_in = asyncio.Event()
        true_renew = world.sessions.renew

        async def renew(after):
            await log_in.wait()
            return await true_renew(after)

        world.sessions.renew = renew
        async with world.coordinator() as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(900))))
            await until(lambda: world.effects.total() > 50)
            world.accepted += 1
            await until(lambda: world.workers[0].refused == 1)
            await asyncio.sleep(OPTIONS.lease)  # what it has comes back, and it gets nothing more
            grants = coordinator.statistics().grants
            await asyncio.sleep(30.0)
            assert coordinator.statistics().grants == grants
            log_in.set()
            ends = await task

        assert kinds(ends) == {"Done": 900}

    virtually(main())


def test_a_worker_that_leaves_is_not_said_to_give_back_its_rows():
    async def main():
        world = World(options=_MUCH_AHEAD)
        world.first_workers = 1
        events = []
        async with world.coordinator(events.append) as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(1500))))
            leaver = world.workers[0]
            await until(lambda: len(leaver.queue) > 40)
            world.add_worker()
            true_reply = leaver.reply
            leaver.reply = lambda: attrs.evolve(true_reply(), draining=True)
            for epoch, _, row in leaver.queue:
                leaver.report(epoch, row.row, "not_sent")
            leaver.queue = []
            await until(lambda: not leaver.results and not leaver.under_way)
            leaver.kill()
            ends = await task

        assert kinds(ends) == {"Done": 1500}
        assert events == ["worker w0 was told to end, and did; it had no rows"]

    virtually(main())


# --- messages that cannot be read ---------------------------------------------------------------


def unreadable_from(link, worker):
    async def exchange(order):
        worker.obey(order)
        await asyncio.sleep(0.01)
        raise MessageError("not a Report: clock: not a number")

    link.exchange = exchange


@pytest.mark.parametrize("when", ["from the first message on", "later"])
def test_a_worker_whose_messages_cannot_be_read_is_lost_and_the_others_go_on(when):
    async def main():
        world = World()
        events = []
        async with world.coordinator(events.append) as coordinator:
            if when == "from the first message on":
                unreadable_from(world.links[1], world.workers[1])
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(900))))
            if when == "later":
                await until(lambda: world.workers[1].under_way)
                unreadable_from(world.links[1], world.workers[1])
            began = asyncio.get_running_loop().time()
            await until(lambda: world.links[1].closed)
            assert asyncio.get_running_loop().time() - began < 2.0
            assert not task.done()
            ends = await task

        assert set(kinds(ends)) <= {"Done", "InDoubt"}
        assert kinds(ends)["InDoubt"] <= 20
        assert (kinds(ends)["InDoubt"] > 0) is (when == "later")
        (text,) = events
        begin = (
            "worker w1 was lost: 3 messages one after another could not be read or sent: not a Report: clock"
        )
        assert text.startswith(begin)

    virtually(main())


def test_two_unreadable_messages_lose_no_worker():
    async def main():
        world = World()
        world.first_workers = 1
        events = []
        async with world.coordinator(events.append) as coordinator:
            true_exchange, times = world.links[0].exchange, Counter()

            async def exchange(order):
                times["all"] += 1
                if times["all"] % 3:
                    raise MessageError("damaged")
                return await true_exchange(order)

            world.links[0].exchange = exchange
            ends = await outcomes_of(coordinator, Source(range(5)))

        assert kinds(ends) == {"Done": 5}
        assert events == []

    virtually(main())


def test_a_row_that_does_not_fit_a_message_fails_alone():
    async def main():
        world = World()
        async with world.coordinator() as coordinator:
            ends = await outcomes_of(
                coordinator, Source(range(5)), encode=lambda row: "x" * (8_000_001 if row == 2 else 9)
            )

        assert kinds(ends) == {"Done": 4, "Failed": 1}
        assert rows_of(ends, Failed) == [2]
        (failed,) = (end for end in ends if isinstance(end, Failed))
        assert "8000001 characters" in failed.error.message

    virtually(main())


# --- what people are told -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "marker", "text"),
    [
        ("kill", "m", "worker w0 was lost: killed; its 5 rows are looked up"),
        ("kill", None, "worker w0 was lost: killed; its 5 rows are in doubt"),
        ("cut", "m", "worker w0 was lost: cut off; its 5 rows are looked up when their leases are over"),
        ("stop", "m", "worker w0 was silent for too long: its 5 rows are looked up"),
    ],
)
def test_a_lost_worker_is_named_with_the_number_of_its_rows(how, marker, text):
    async def main():
        world = World()
        world.marker = marker
        world.first_workers, world.seconds = 1, 100.0
        events = []
        async with world.coordinator(events.append) as coordinator:
            task = asyncio.ensure_future(outcomes_of(coordinator, Source(range(5))))
            await until(lambda: world.busy == 5)
            if how == "kill":
                world.workers[0].kill()
            elif how == "cut":
                world.links[0].cut = "cut off"
            else:
                world.workers[0].awake.clear()
            world.add_worker()
            await task

        assert events == [text]

    virtually(main())
