"""Leases and waiting rows: a row is under one lease at most, and leaves it once."""

import types

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from wosdk_async.jobs.cluster.leases import Batch, LeaseBook, RowToSend
from wosdk_async.jobs.cluster.ledger import Loss
from wosdk_async.jobs.cluster.options import ClusterOptions
from wosdk_async.jobs.cluster.waiting import WaitingRows

OPTIONS = ClusterOptions(lease=30.0, deadline=20.0, skew=1.0)


def row_of(number, leases=0, *, alone=False, body="{}"):
    claim = types.SimpleNamespace(record=number)
    return RowToSend(number, number, claim, body, Loss(leases, alone))


def numbers(batch):
    return [row.number for row in batch.rows]


class Leases(RuleBasedStateMachine):
    """Workers with clocks of their own, which send as late as they may."""

    @initialize(lease=st.floats(0.2, 50), part=st.floats(0.1, 0.9), skew=st.floats(0, 3))
    def begin(self, lease, part, skew):
        self.options = ClusterOptions(lease=lease, deadline=lease * part, skew=skew)
        self.book = LeaseBook(self.options)
        self.now, self.epoch, self.row = 0.0, 0, 0
        self.offsets = {}  # worker -> reading of its clock at 0
        self.mailed = {}  # worker -> reading of its clock in the report that is on its way
        self.live = {}  # row -> (worker, epoch, true time until which it may be under way)
        self.left = {}  # row -> how

    def leave(self, number, how):
        assert number not in self.left
        del self.live[number]
        self.left[number] = how

    @rule(worker=st.sampled_from("abc"), offset=st.floats(-1e6, 1e6))
    def report_leaves_the_worker(self, worker, offset):
        self.offsets.setdefault(worker, offset)
        self.mailed[worker] = self.now + self.offsets[worker]

    @rule(part=st.sampled_from([0.01, 0.3, 0.5, 0.7, 1.0, 1.2]))
    def wait(self, part):
        self.now += part * self.options.lease

    @precondition(lambda self: self.mailed)
    @rule(data=st.data(), rows=st.integers(1, 4))
    def report_arrives_and_rows_are_granted(self, data, rows):
        worker = data.draw(st.sampled_from(sorted(self.mailed)))
        batch = Batch([row_of(self.row + place) for place in range(rows)])
        self.row += rows
        self.epoch += 1
        lease = self.book.open(self.epoch, worker, batch, clock=self.mailed[worker], heard=self.now)
        # A row starts before the lease ends at the worker; it takes as long as the deadline at most.
        until = lease.ends - self.offsets[worker] + self.options.deadline
        for number in numbers(batch):
            self.live[number] = (worker, self.epoch, until)

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def report(self, data):
        number = data.draw(st.sampled_from(sorted(self.live)))
        worker, epoch, _ = self.live[number]
        assert self.book.pop_row(worker, epoch, number).number == number
        self.leave(number, "reported")
        assert self.book.pop_row(worker, epoch, number) is None

    @precondition(lambda self: self.row)
    @rule(data=st.data(), worker=st.sampled_from("abc"))
    def report_what_is_not_its_own(self, data, worker):
        number = data.draw(st.integers(0, self.row - 1))
        epoch = data.draw(st.integers(0, self.epoch + 1))
        if self.live.get(number, ())[:2] != (worker, epoch):
            assert self.book.pop_row(worker, epoch, number) is None

    @rule()
    def look_at_the_clock(self):
        for lease in self.book.pop_expired(self.now):
            for number in lease.rows:
                assert self.live[number][2] + self.options.skew <= self.now + 1e-3
                self.leave(number, "lost")

    @rule(worker=st.sampled_from("abc"))
    def process_ends(self, worker):
        for lease in self.book.pop_of(worker):
            assert lease.worker == worker
            for number in lease.rows:
                self.leave(number, "lost")

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def grant_again_what_is_granted(self, data):
        number = data.draw(st.sampled_from(sorted(self.live)))
        with pytest.raises(AssertionError, match="granted already"):
            self.book.open(self.epoch + 1, "a", Batch([row_of(number)]), clock=0.0, heard=0.0)

    @invariant()
    def the_book_has_what_is_live(self):
        if hasattr(self, "book"):
            there = [
                (lease.worker, epoch, n)
                for w in "abc"
                for epoch, lease in self.book.of(w).items()
                for n in lease.rows
            ]
            assert sorted(there) == sorted((w, e, n) for n, (w, e, _) in self.live.items())

    def teardown(self):
        """Let all leases end: every row has left in one way."""
        self.now += 1000.0
        self.look_at_the_clock()
        assert not self.live
        assert sorted(self.left) == list(range(self.row))


TestLeases = Leases.TestCase


def test_a_lease_ends_at_the_worker_before_it_is_over_here():
    lease = LeaseBook(OPTIONS).open(1, "a", Batch([row_of(1)]), clock=500.0, heard=100.0)

    assert lease.ends == 530.0
    assert lease.over_at == 151.0


def test_a_lease_ends_with_its_last_row():
    book = LeaseBook(OPTIONS)
    book.open(7, "a", Batch([row_of(1), row_of(2)]), clock=0.0, heard=0.0)

    book.pop_row("a", 7, 1)
    assert book.pop_finished() == []
    book.pop_row("a", 7, 2)
    assert book.pop_finished() == [7]
    assert book.pop_finished() == []
    assert not book.of("a")
    book.open(8, "b", Batch([row_of(1), row_of(2)]), clock=0.0, heard=0.0)  # they were not sent


def test_a_withdrawn_lease_gives_its_rows_back_once():
    book = LeaseBook(OPTIONS)
    lease = book.open(1, "a", Batch([row_of(1)]), clock=0.0, heard=0.0)

    assert [row.number for row in book.withdraw(lease)] == [1]
    assert book.withdraw(lease) == []
    book.open(2, "b", Batch([row_of(1)]), clock=0.0, heard=0.0)


# --- waiting rows ---------------------------------------------------------------------------


def waiting_of(*rows):
    waiting = WaitingRows()
    for row in rows:
        waiting.put(row)
    return waiting


def test_rows_that_were_never_lost_go_out_together_in_their_order():
    waiting = waiting_of(*map(row_of, range(10)))

    batch = waiting.next_batch(4, idle=False)

    assert numbers(batch) == [0, 1, 2, 3]
    assert not batch.careful
    waiting.put_back(batch.rows[3])
    assert numbers(waiting.next_batch(100, idle=True)) == [3, 4, 5, 6, 7, 8, 9]
    assert waiting.next_batch(100, idle=True) is None


def test_rows_that_were_lost_once_go_out_8_at_a_time_with_nothing_beside_them():
    waiting = waiting_of(row_of(100), *(row_of(number, 1) for number in range(10)))

    assert waiting.next_batch(500, idle=False) is None
    batch = waiting.next_batch(500, idle=True)
    assert numbers(batch) == list(range(8))
    assert (batch.careful, batch.alone) == (True, False)
    assert numbers(waiting.next_batch(1, idle=True)) == [8, 9]
    assert numbers(waiting.next_batch(1, idle=False)) == [100]


def test_a_row_that_was_lost_again_goes_out_alone():
    waiting = waiting_of(row_of(1, 1), row_of(2, 2), row_of(3, 5))

    batch = waiting.next_batch(500, idle=True)

    assert numbers(batch) == [2]
    assert (batch.careful, batch.alone) == (True, True)
    assert numbers(waiting.next_batch(500, idle=True)) == [3]


def test_a_grant_is_not_larger_than_a_message():
    large = "x" * 3_000_000
    waiting = waiting_of(row_of(1, body=large), row_of(2, body=large), row_of(3, body=3 * large))

    assert [numbers(waiting.next_batch(500, idle=True)) for _ in range(3)] == [[1], [2], [3]]
