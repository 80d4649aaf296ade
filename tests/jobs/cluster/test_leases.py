"""Leases, and rows that wait: each row is under one lease at most, and gets one outcome."""

from __future__ import annotations

import pytest

from wosdk_async.jobs.cluster.leases import ClusterOptions, Leases, WaitingRows
from wosdk_async.jobs.cluster.messages import GrantedRow

OPTIONS = ClusterOptions(lease=10.0, deadline=4.0, skew=1.0)


def a_row(number: int, losses: int = 0, body: str = "{}") -> GrantedRow:
    return GrantedRow(number, body, losses)


def test_a_lease_ends_at_the_worker_before_it_is_over_here() -> None:
    """Both clocks count from the same report; here the deadline and the skew come on top."""
    book = Leases(OPTIONS)
    lease = book.open(1, "w", [a_row(1)], clock=500.0, heard=20.0)
    assert (lease.ends, lease.expires_at) == (510.0, 35.0)
    assert book.pop_expired(34.9) == []
    assert book.pop_expired(35.0) == [lease]


def test_a_row_is_reported_once_and_ends_its_lease() -> None:
    book = Leases(OPTIONS)
    lease = book.open(1, "w", [a_row(1), a_row(2)], clock=0.0, heard=0.0)
    assert book.pop_row("w", 2, 1) is None  # of another grant
    assert book.pop_row("other", 1, 1) is None
    found = book.pop_row("w", 1, 1)
    assert (found[0].row, len(lease.rows), book.outstanding("w")) == (1, 1, 1)
    assert book.pop_row("w", 1, 1) is None
    assert book.pop_row("w", 1, 2) is not None
    assert (book.of("w"), len(book)) == ({}, 0)
    assert book.remove([lease]) == []  # it has ended


def test_a_row_is_not_granted_twice_at_a_time() -> None:
    book = Leases(OPTIONS)
    lease = book.open(1, "w", [a_row(1)], clock=0.0, heard=0.0)
    with pytest.raises(AssertionError):
        book.open(2, "x", [a_row(2), a_row(1)], clock=0.0, heard=0.0)
    assert book.remove([lease]) == [lease]
    book.open(2, "x", [a_row(2), a_row(1)], clock=0.0, heard=0.0)


def test_rows_wait_in_their_order_and_come_back_before_the_others() -> None:
    waiting = WaitingRows()
    for number in range(1, 6):
        waiting.put(a_row(number))
    first = waiting.next_batch(3, idle=False)
    assert [row.row for row in first] == [1, 2, 3]
    for row in reversed(first):
        waiting.appendleft(row)
    assert [row.row for row in waiting.next_batch(9, idle=True)] == [1, 2, 3, 4, 5]
    assert waiting.next_batch(9, idle=True) == []


def test_a_row_that_was_lost_is_granted_alone_to_an_idle_worker_before_all_others() -> None:
    waiting = WaitingRows()
    for number, losses in ((1, 0), (2, 1), (3, 2)):
        waiting.put(a_row(number, losses))
    assert waiting.next_batch(9, idle=False) == []
    assert [[row.row for row in waiting.next_batch(9, idle=True)] for _ in range(3)] == [[3], [2], [1]]


def test_a_batch_has_no_more_text_than_a_message_should() -> None:
    waiting = WaitingRows()
    for number in range(3):
        waiting.put(a_row(number, body="x" * 3_000_000))
    assert [len(waiting.next_batch(9, idle=True)) for _ in range(3)] == [1, 1, 1]
    waiting.put(a_row(9, body="x" * 9_000_000))
    assert len(waiting.next_batch(9, idle=True)) == 1
    for number in range(3):
        waiting.put(a_row(number, body="x" * 2_000_000))
    assert len(waiting.next_batch(9, idle=True)) == 2
