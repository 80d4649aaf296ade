"""The worker's side of leases: what may start, what may leave, and what is said of it."""

from __future__ import annotations

from typing import Any

import pytest

from wosdk_async.jobs.cluster.leases import LeasedRow, LeasedRows, LeaseEndedError
from wosdk_async.jobs.cluster.messages import MAX_RESULTS, Grant, GrantedRow, Order, Share

DONE = {"result": "done"}


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


class Held(LeasedRows):
    """Held rows with a short way to give them an order."""

    def __init__(self, deadline: float = 2.0) -> None:
        self.clock = Clock()
        super().__init__("me", deadline, self.clock)

    def say(self, **changes: Any) -> bool:
        given = {"worker": "me", "received": 0, "share": Share(number=1, rate=None, in_flight=2)}
        return self.obey(Order(**given | changes))

    def grant(self, epoch: int, *rows: int, seconds: float = 10.0) -> Grant:
        return Grant(
            epoch=epoch, ends=self.clock.now + seconds, rows=tuple(GrantedRow(row, "") for row in rows)
        )

    def start_rows(self) -> list[LeasedRow]:
        found = []
        while (row := self.next_row()) is not None:
            found.append(row)
        return found

    def told(self) -> list[tuple[int, str]]:
        return [(each.row, each.result) for each in self.report().results]


def test_a_row_starts_only_if_it_can_end_within_its_lease() -> None:
    held = Held(deadline=2.0)
    held.say(grants=(held.grant(1, 1, seconds=1.9), held.grant(2, 2, seconds=2.1)))
    assert [row.granted.row for row in held.start_rows()] == [2]
    assert held.told() == [(1, "not_sent")]


def test_the_clock_is_read_again_before_each_first_byte() -> None:
    held = Held()
    held.say(grants=(held.grant(1, 1, seconds=3.0),))
    (row,) = held.start_rows()
    row.begin()
    held.clock.now += 3.0
    with pytest.raises(LeaseEndedError, match="the lease expired 0 s ago"):
        row.begin()
    assert held.overdue() == [row]


def test_a_row_of_two_leases_is_not_under_way_twice() -> None:
    held = Held()
    held.say(grants=(held.grant(1, 1), held.grant(2, 1)))
    assert len(held.start_rows()) == 1
    assert [(each.epoch, each.result) for each in held.results] == [(2, "not_sent")]


def test_few_rows_wait_for_a_low_rate() -> None:
    held = Held()
    held.say(grants=(held.grant(1, *range(1, 9)),), share=Share(number=2, rate=4.0, in_flight=8))
    rows = held.start_rows()
    assert len(rows) == 2  # half a second of the rate
    rows[0].begin()
    assert len(held.start_rows()) == 1


def test_a_report_names_the_grants_of_results_that_it_has_no_room_for() -> None:
    held = Held()
    grants = (held.grant(1, *range(MAX_RESULTS), seconds=0.0), held.grant(2, 2000, seconds=0.0))
    held.say(grants=grants)
    assert held.start_rows() == []
    report = held.report(session=3)
    assert (len(report.results), report.epochs, report.session) == (MAX_RESULTS, (2,), 3)
