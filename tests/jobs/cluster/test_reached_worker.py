"""One worker, as its reports show it."""

from wosdk_async.jobs.cluster.messages import Grant, GrantedRow, Report, RowReport, Share
from wosdk_async.jobs.cluster.reached_worker import ReachedWorker

ROWS = range(1, 5)
SHARE = Share(number=1, rate=None, in_flight=4)


def room_of(worker):
    return worker.room(SHARE, outstanding=0, seconds=1.0, most=500)


def test_a_worker_whose_rows_are_all_reported_has_room_at_once():
    """Its report does not name the grant any more: it had the grant, and has ended it."""
    worker = ReachedWorker("w", "w", heard=0.0)
    worker.granted(Grant(epoch=1, ends=9.0, rows=tuple(GrantedRow(row, "{}") for row in ROWS)))
    assert room_of(worker) == 0

    results = tuple(RowReport(number=row, epoch=1, row=row, result="done") for row in ROWS)
    worker.receive(Report(worker="w", clock=0.1, results=results), 0.1)

    assert worker.unconfirmed == {}
    assert room_of(worker) == 4


def test_a_late_report_lets_no_response_that_asks_to_wait_count_twice():
    worker = ReachedWorker("w", "w", heard=0.0)

    said = [worker.note_throttled(Report(worker="w", clock=0.0, throttled=n)) for n in (0, 2, 1, 2, 3)]

    assert said == [False, True, False, False, True]
