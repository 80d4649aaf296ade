"""The verdict table, written a second time by hand."""

from __future__ import annotations

import pytest

from tests.support.laws import each_of
from wosdk_async import errors
from wosdk_async.protocol import verdicts
from wosdk_async.protocol.responses import refusal_error
from wosdk_async.protocol.verdicts import ending_of, means_unknown_company, verdict_on

RESPONSES = [  # status, code, has an error body, has a Retry-After -> verdict, error
    (299, "BUSINESS_LOGIC_ERROR", True, False, "refused", "BusinessRuleError"),
    (400, "ERROR_CODE_77", True, False, "refused", "RefusedError"),
    (400, "ERROR_CODE_6", True, False, "refused", "ConflictError"),
    (499, "", True, False, "refused", "RefusedError"),
    (400, "COMMAND_NOT_FOUND", True, False, "other path", "UnknownNameError"),
    (403, "EXPIRED_TOKEN", True, False, "session refused", "SessionRefusedError"),
    (400, "DATABASE_VERSION_MISMATCH", True, False, "session refused", "SessionRefusedError"),
    (401, "ERROR_CODE_6", True, False, "session refused", "SessionRefusedError"),
    (401, "", False, False, "session refused", "SessionRefusedError"),
    (402, "ERROR_CODE_6", True, False, "refused", "ConflictError"),
    (429, "", False, False, "wait", "ThrottledError"),
    (429, "EXPIRED_TOKEN", True, False, "wait", "ThrottledError"),
    (503, "", True, False, "wait", "ThrottledError"),
    (503, "", False, True, "wait", "ThrottledError"),
    (503, "", False, False, "in doubt", ""),
    (400, "", False, True, "in doubt", ""),
    (404, "", False, False, "in doubt", ""),
    (307, "ERROR_CODE_6", True, False, "in doubt", ""),
    (500, "BUSINESS_LOGIC_ERROR", True, True, "in doubt", ""),
    (502, "EXPIRED_TOKEN", True, False, "in doubt", ""),
    (1005, "", False, False, "in doubt", ""),
]


@each_of(("status", "code", "body", "wait", "verdict", "error"), RESPONSES)
def test_a_response(status: int, code: str, body: bool, wait: bool, verdict: str, error: str) -> None:
    """Status first; the code decides where a 4xx or a success carries one."""
    found, kind = verdict_on(status, code, has_error_body=body, has_retry_after=wait)
    assert found.name == verdict
    assert not error or kind.__name__ == error


@pytest.mark.parametrize("rule", verdicts.CODES.values(), ids=lambda rule: rule.code)
def test_no_row_would_be_ignored(rule: verdicts.CodeRule) -> None:
    """STATUSES decides these verdicts, and the error of the row would never be raised."""
    assert rule.verdict not in (verdicts.IN_DOUBT, verdicts.NEVER_SENT)
    assert rule.verdict is not verdicts.WAIT or issubclass(rule.error, errors.ThrottledError)


def test_after_which_statuses_fewer_calls_are_sent() -> None:
    assert {429, 503} == verdicts.BUSY


@each_of(
    ("error", "status", "passes"),
    [
        (errors.InDoubtError("x"), 7, False),
        (errors.UnknownCompanyError("x"), 5, True),
        (errors.SessionRefusedError("x"), 5, True),
        (errors.ThrottledError("x"), 6, True),
        (errors.NotFoundError("x"), 4, False),
        (errors.ConflictError("x"), 3, False),
        (errors.UnsupportedError("x", status=400), 3, False),
        (errors.UnsupportedError("x"), 2, False),
        (errors.NotUniqueError("x"), 3, False),
        (errors.OverloadedError("x"), 6, True),
        (errors.NoAnswerError("x"), 6, True),
        (errors.DeadlineError("x"), 6, True),
        (errors.InvalidCallError("x"), 2, False),
        (ValueError("x"), 2, False),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_an_ending(error: Exception, status: int, passes: bool) -> None:
    """The exit status, and whether the lookup of a call in doubt tries again."""
    found = ending_of(error)
    assert (found.exit_status, found.passes) == (status, passes)


@each_of(
    ("status", "code", "unknown"),
    [
        (400, "", True),
        (200, "", True),
        (400, "COMMAND_NOT_FOUND", False),
        (404, "NOT_FOUND", False),
        (403, "", False),
        (403, "DATABASE_VERSION_MISMATCH", True),
        (429, "DATABASE_VERSION_MISMATCH", True),
        (403, "INCORRECT_TOKEN", False),
        (401, "", False),
        (429, "", False),
    ],
)
def test_a_refusal_of_the_locator(status: int, code: str, unknown: bool) -> None:
    """A 400 or the code for it: it does not know the Company. Other statuses are those of another place."""
    assert means_unknown_company(refusal_error(code, "", status)) is unknown
