"""The coordinator's side of leases: who gets rows, and what a report or the clock changes."""

from __future__ import annotations

from typing import Any

import pytest

from wosdk_async.jobs.cluster.allocator import Allocator, ConnectedWorker
from wosdk_async.jobs.cluster.leases import ClusterOptions, Lease
from wosdk_async.jobs.cluster.messages import GrantedRow, Report, RowReport

OPTIONS = ClusterOptions(lease=10.0, deadline=4.0, skew=1.0, in_flight=4)
OVER = 15.0  # seconds after which a lease is over


class AtAllocator:
    """A allocator with a clock, on which workers say something."""

    def __init__(self, rows: int = 0, options: ClusterOptions = OPTIONS, epoch: int = 0) -> None:
        self.now = 1000.0
        self.allocator = Allocator(options, epoch=epoch, now=self.now)
        self.numbers: dict[str, int] = {}
        for number in range(1, rows + 1):
            self.put(number)

    def put(self, number: int, losses: int = 0) -> None:
        self.allocator.put(GrantedRow(number, "{}", losses), self.now)

    def worker(self, nonce: str) -> ConnectedWorker:
        worker = self.allocator.enter(Report(worker=nonce, clock=5.0), f"link {nonce}", self.now)
        self.say(worker)
        return worker

    def say(self, worker: ConnectedWorker, *results: RowReport, **more: Any) -> Any:
        given = {"session": 1, "share": self.allocator.budget.share(worker.nonce).number, **more}
        report = Report(worker=worker.nonce, clock=self.now + 7, results=results, **given)
        return self.allocator.receive(worker, report, self.now)

    def result(self, worker: ConnectedWorker, lease: Lease, row: int, result: Any = "done") -> RowReport:
        number = self.numbers[worker.nonce] = self.numbers.get(worker.nonce, 0) + 1
        return RowReport(number=number, epoch=lease.epoch, row=row, result=result)

    def grant(self, worker: ConnectedWorker) -> Lease:
        lease = self.allocator.open_grant(worker)
        self.allocator.deliver(lease, worker)
        return lease


def test_a_grant_leaves_with_each_order_until_a_report_shows_it() -> None:
    at = AtAllocator(rows=3, epoch=6)
    worker = at.worker("a")
    lease = at.grant(worker)
    assert (lease.epoch, list(lease.rows), lease.may_have_arrived) == (7, [1, 2, 3], False)
    assert lease.ends == at.now + 7 + 10
    for _ in range(2):
        assert [grant.epoch for grant in at.allocator.order_for(worker).grants] == [7]
    assert lease.may_have_arrived
    at.say(worker, epochs=(7,))
    assert at.allocator.order_for(worker).grants == ()


def test_a_report_ends_rows_and_a_lease_once() -> None:
    at = AtAllocator(rows=2)
    worker = at.worker("a")
    lease = at.grant(worker)
    first, second = at.result(worker, lease, 1), at.result(worker, lease, 2, "failed")
    assert at.say(worker, second).ended == []  # one before it is missing
    changes = at.say(worker, first, second)
    assert [(report.row, report.result) for report in changes.ended] == [(1, "done"), (2, "failed")]
    assert changes.closed == [lease]
    assert at.say(worker, first, second).ended == []
    assert at.allocator.order_for(worker).received == 2


def test_rows_that_come_back_wait_again_in_front_unless_the_run_was_stopped() -> None:
    at = AtAllocator(rows=2)
    worker = at.worker("a")
    lease = at.grant(worker)
    at.put(3)
    changes = at.say(worker, at.result(worker, lease, 2, "not_sent"))
    assert (changes.ended, changes.not_started, len(at.allocator.waiting)) == ([], [], 2)
    assert [row.row for row in at.allocator.stop()] == [2, 3]
    changes = at.say(worker, at.result(worker, lease, 1, "not_sent"))
    assert [row.row for row in changes.not_started] == [1]
    assert at.allocator.open_grant(worker) is None
    assert at.allocator.order_for(worker).stop


def test_rows_of_a_lost_worker_are_lost_when_the_lease_is_over_and_not_before() -> None:
    at = AtAllocator(rows=2)
    worker = at.worker("a")
    lease = at.grant(worker)
    at.allocator.order_for(worker)
    assert at.allocator.lose(worker) == 2
    assert at.allocator.lose(worker) == 2  # again: nothing changes
    at.now += OVER - 0.1
    assert at.allocator.expire(at.now).closed == []
    assert "a" in at.allocator.budget.workers()
    at.now += 0.2
    changes = at.allocator.expire(at.now)
    assert (changes.closed, [row.row for row, _ in changes.lost]) == ([lease], [2, 1])
    assert "a" not in at.allocator.budget.workers()
    late = at.result(worker, lease, 1)
    assert at.say(worker, late).ended == []  # it decides nothing


def test_rows_of_a_grant_that_never_left_wait_again() -> None:
    at = AtAllocator(rows=2)
    worker = at.worker("a")
    at.grant(worker)
    at.now += OVER
    changes = at.allocator.expire(at.now)
    assert (changes.lost, len(changes.closed), len(at.allocator.waiting)) == ([], 1, 2)
    at.say(worker)
    assert at.allocator.order_for(worker).grants == ()
    lease = at.allocator.open_grant(worker)
    assert lease is not None
    assert at.allocator.withdraw(lease).closed == [lease]
    assert len(at.allocator.waiting) == 2


def test_a_row_that_was_lost_is_alone_at_its_worker() -> None:
    at = AtAllocator(rows=9)
    worker, other = at.worker("a"), at.worker("b")
    at.say(worker)
    lease = at.grant(worker)
    at.put(20, losses=1)
    at.say(other)
    assert list(at.grant(other).rows) == [20]
    assert at.allocator.open_grant(other) is None
    at.say(worker, *(at.result(worker, lease, row) for row in list(lease.rows)))
    assert at.allocator.open_grant(worker) is None or not at.allocator.waiting


@pytest.mark.parametrize("session", [{"session": 0}, {"session": 4, "session_refused": 4}])
def test_a_worker_without_a_session_gets_no_rows(session: dict[str, int]) -> None:
    at = AtAllocator(rows=1)
    worker = at.worker("a")
    at.say(worker, **session)
    assert at.allocator.open_grant(worker) is None


def test_a_worker_has_no_more_rows_than_its_calls_and_the_work_ahead() -> None:
    at = AtAllocator(rows=1000)
    worker = at.worker("a")
    most = 4 * 8
    lease = at.grant(worker)
    assert len(lease.rows) == most
    at.say(worker, epochs=(lease.epoch,), unstarted=0)  # whatever it says
    assert len(at.grant(worker).rows) == 4
    assert at.allocator.leases.outstanding("a") == most + 4


def test_a_rate_bounds_the_work_ahead() -> None:
    at = AtAllocator(rows=100, options=ClusterOptions(lease=10.0, deadline=4.0, in_flight=4, rate=5.0))
    assert len(at.grant(at.worker("a")).rows) == 5


def test_a_silent_worker_without_rows_gives_up_its_share_and_gets_one_when_it_is_heard() -> None:
    at = AtAllocator()
    worker = at.worker("a")
    at.now += 6.0
    at.allocator.expire(at.now)
    assert "a" not in at.allocator.budget.workers()
    at.say(worker)
    assert at.allocator.budget.share("a").in_flight == 4


def test_a_run_without_progress_is_noticed() -> None:
    at = AtAllocator()
    assert at.allocator.stuck_after == 60.0
    worker = at.worker("a")
    at.now += 500.0
    assert at.allocator.stuck_for(at.now) == 0.0  # no row waits
    at.put(1)
    at.now += 59.0
    assert at.allocator.stuck_for(at.now) == 59.0
    at.say(worker)
    lease = at.grant(worker)
    assert at.allocator.stuck_for(at.now) == 0.0
    at.say(worker, at.result(worker, lease, 1, "not_sent"))
    assert at.allocator.stuck_for(at.now) == 59.0
    lease = at.grant(worker)
    at.put(2)
    at.say(worker, at.result(worker, lease, 1))
    assert at.allocator.stuck_for(at.now) == 0.0


def test_a_grant_is_unsent_until_an_order_has_it() -> None:
    at = AtAllocator(rows=1)
    worker = at.worker("a")
    lease = at.grant(worker)
    assert at.allocator.leases.unsent() == [lease]
    at.allocator.order_for(worker)
    assert at.allocator.leases.unsent() == []
