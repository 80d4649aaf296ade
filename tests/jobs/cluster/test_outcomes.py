"""Outcomes of rows, from the reports of workers."""

from wosdk_async.errors import ConflictError, InDoubtError, WosdkError
from wosdk_async.jobs.cluster.messages import RowReport
from wosdk_async.jobs.cluster.outcomes import outcome_of
from wosdk_async.jobs.errors import RowError
from wosdk_async.jobs.row_operation import Effect
from wosdk_async.outcome import Done, Failed, InDoubt


def test_outcomes_of_errors_keep_their_class_and_details():
    def outcome(result, error):
        return outcome_of(
            7, "claim",
            RowReport(number=1, epoch=1, row=1, result=result, error=error, reason="so", code="C",
                      status=409, request_id="r", attempts=3, waits=(0.5,)),
        )  # fmt: skip

    failed = outcome("failed", "ConflictError")
    assert type(failed) is Failed
    assert type(failed.error) is ConflictError
    assert (failed.index, failed.input, failed.error.message) == (7, "claim", "so")
    assert (failed.error.code, failed.error.status, failed.error.attempts) == ("C", 409, 3)
    assert type(outcome("failed", "RowError").error) is RowError
    assert type(outcome("failed", "NoSuchError").error) is WosdkError
    assert type(outcome("failed", "InDoubtError")) is InDoubt  # never taken for a row without effect
    doubt = outcome("in_doubt", "ConflictError")
    assert type(doubt) is InDoubt
    assert type(doubt.error) is InDoubtError


def test_the_outcome_of_a_row_that_is_done_has_everything_of_its_report():
    report = RowReport(
        number=1, epoch=1, row=1, result="done", entity="WorkOrder", id=7, record="SR-7", version=2,
        found=True, attempts=3, waits=(0.5, 1.0),
    )  # fmt: skip

    done = outcome_of(4, "claim", report)

    assert type(done) is Done
    assert (done.index, done.input, done.result) == (4, "claim", Effect("WorkOrder", 7, "SR-7", 2))
    assert (done.found, done.attempts, done.waits) == (True, 3, (0.5, 1.0))
