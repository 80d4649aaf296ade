"""Each error has a problem body by RFC 9457, and nothing internal is in it."""

from __future__ import annotations

import json
import math
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.errors.test_values import any_error
from tests.support.laws import each_of
from wosdk_async import (
    BusinessRuleError,
    Client,
    Company,
    ConfigurationError,
    Credentials,
    CredentialsError,
    DownloadError,
    InDoubtError,
    InvalidCallError,
    Money,
    NameNotFoundError,
    NotFoundError,
    NotSentError,
    OverloadedError,
    ProblemRule,
    SessionError,
    ThrottledError,
    UnknownCompanyError,
    UnknownPropertyError,
    WorkOrder,
    WosdkError,
    errors,
    problem_of,
)
from wosdk_async.protocol.verdicts import ENDINGS, ending_of
from wosdk_async.resources.custom_fields import write_value
from wosdk_async.text.remedies import Remedy
from wosdk_async.web.problems import PROBLEMS

KINDS = [kind for name in errors.__all__ if isinstance(kind := getattr(errors, name), type)]


def test_every_error_has_a_row_of_its_own() -> None:
    """A class that is added needs one, and a ``type`` that no other has."""
    assert PROBLEMS.keys() == set(KINDS)
    assert len({rule.name for rule in PROBLEMS.values()}) == len(KINDS)


def test_a_back_end_may_give_a_rule_of_its_own() -> None:
    """If callers choose the Company, an unknown one is their mistake: status and body say so."""
    rule = ProblemRule(UnknownCompanyError, 404, "Unknown Company", "No Company has this name.")
    problem = problem_of(UnknownCompanyError("no tenant 'West' at https://locator.example"), rule)
    assert (problem.status, problem.body["status"]) == (404, 404)
    assert problem.body["type"].endswith(":unknown-company")
    assert (problem.body["title"], problem.body["detail"]) == ("Unknown Company", "No Company has this name.")
    for error in (InDoubtError("no response"), BusinessRuleError("closed")):
        assert problem_of(error, rule) == problem_of(error), "the rule is about another class"


@each_of("kind", KINDS)
def test_the_status_agrees_with_the_verdicts(kind: type[WosdkError]) -> None:
    """What may be gone a moment later is a 5xx with Retry-After, and nothing else has one by itself."""
    rule, ending = PROBLEMS[kind], ending_of(kind("x", status=400))
    lasting = rule.status == 502 and issubclass(kind, errors.SessionError)  # the operator has to act
    assert (rule.retry_after is not None) is (ending.passes and not lasting)
    if ending.passes:
        assert rule.status in (502, 503, 504)
    problem = problem_of(kind("x"))
    assert problem.body["in_doubt"] is (ending is ENDINGS[0])
    assert (problem.headers.get("Retry-After") is not None) is (rule.retry_after is not None)


def test_a_body() -> None:
    error = BusinessRuleError(
        "Order is closed.",
        code="BUSINESS_LOGIC_ERROR",
        operation="WoStartCommand",
        request_id="7f",
        status=400,
    )
    problem = problem_of(error)
    assert (problem.status, problem.headers) == (422, {"Content-Type": "application/problem+json"})
    assert json.loads(problem.content) == {
        "type": "urn:problem-type:wosdk:business-rule",
        "title": "A business rule forbids this request",
        "status": 422,
        "detail": "Order is closed.",
        "in_doubt": False,
        "code": "BUSINESS_LOGIC_ERROR",
        "operation": "WoStartCommand",
        "request_id": "7f",
    }


async def test_a_value_of_a_caller_is_explained_without_python(wosdk_company: Company) -> None:
    """The program itself is told what to write in Python."""
    order = WorkOrder(id=1)
    with pytest.raises(InvalidCallError) as caught:
        await wosdk_company.update(order, customer="Lindqvist")
    assert "await company.resolve(Customer, " in caught.value.message
    assert problem_of(caught.value).body["detail"] == (
        'WorkOrder: customer is a string; it must be an object of type Customer, such as {"Id": 5}.'
    )
    for changes in [dict[str, Any](), {"vendor_nte": Money(value=Decimal(5))}]:
        with pytest.raises(InvalidCallError) as caught:
            await wosdk_company.update(order, **changes)
        assert "(" in caught.value.message
        assert "(" not in problem_of(caught.value).body["detail"]
    for kind in ("Integer", "Decimal", "Money", "Date", "Time", "Boolean", "String"):
        with pytest.raises(InvalidCallError) as caught:
            write_value("Dock", kind, ["x"])
        assert "(" not in problem_of(caught.value).body["detail"]


def test_a_doubt_is_not_repeated_by_machines() -> None:
    """502, 503 and 504 are sent again by proxies and HTTP libraries."""
    problem = problem_of(InDoubtError("https://acme.example: reset", request_id="7f"))
    assert (problem.status, problem.body["in_doubt"], problem.body["request_id"]) == (500, True, "7f")
    assert "Retry-After" not in problem.headers


@each_of(
    ("error", "seconds"),
    [
        (OverloadedError("x"), "1"),
        (ThrottledError("x"), "5"),
        (ThrottledError("x", retry_after=20.2), "21"),
        (ThrottledError("x", retry_after=0.1), "1"),
        (ThrottledError("x", retry_after=0), "1"),
        (ThrottledError("x", retry_after=-5), "1"),
        (ThrottledError("x", retry_after=1e300), "3600"),
        (ThrottledError("x", retry_after=math.inf), "5"),
        (SessionError("x", retry_after=200.0), "200"),
    ],
)
def test_seconds_to_wait(error: WosdkError, seconds: str) -> None:
    problem = problem_of(error)
    assert (problem.status, problem.headers["Retry-After"]) == (503, seconds)
    assert problem.body["retry_after"] == int(seconds)


def test_what_concerns_the_operator_is_not_shown() -> None:
    for kind in (NotSentError, CredentialsError, ConfigurationError, DownloadError, InDoubtError):
        assert b"db7.internal" not in problem_of(kind("db7.internal:8443 /etc/wosdk.toml")).content


def test_an_address_in_a_text_of_the_service_is_not_shown() -> None:
    """Such a text may name the service's own hosts."""
    found = problem_of(BusinessRuleError("Call to 'https://user:pw@db7.internal:8443/x?y' failed\nat Z"))
    assert found.body["detail"] == "Call to '[address]' failed\\nat Z"


@pytest.mark.parametrize(
    "inside",
    [
        "db7.internal:8443",
        "sql-prod:1433",
        "10.20.30.40",
        "10.20.30.40:5432",
        "fe80:0:0:1::7",
        "db7.corp",
        "//files7/share/x.txt",
        "\\\\files7\\share\\x.txt",
        "C:\\inetpub\\site\\web.config",
        "/var/www/site/a.cs",
        "Server=sqlprod7",
        "Password=hunter2",
        "ApiToken: abc123",
    ],
)
def test_insides_of_the_service_are_not_shown(inside: str) -> None:
    shown = problem_of(BusinessRuleError(f"Order 7 cannot be held ({inside}) at 12:30")).body["detail"]
    assert inside not in shown
    assert shown.startswith("Order 7 cannot be held (")
    assert problem_of(errors.RefusedError(inside)).body["detail"].startswith("The work-order service refused")


def test_texts_for_users_stay() -> None:
    text = "Order RSC000001 of 2026-11-23 12:30 cannot be placed in state Hold: 3/4 done, 7.5 h and/or so."
    assert problem_of(BusinessRuleError(text)).body["detail"] == text


def test_the_nearest_class_counts() -> None:
    class NoSuchRoomError(NotFoundError):
        pass

    assert problem_of(NoSuchRoomError("x")).status == 404
    assert problem_of(NameNotFoundError("x")).status == 422  # a name in a body: the address is right
    assert problem_of(UnknownPropertyError("x")).body["type"].endswith(":unknown-property")
    assert problem_of(InvalidCallError("x")).body["type"].endswith(":invalid")


@given(error=any_error() | st.text().map(NotFoundError))
def test_any_error_has_a_bounded_body(error: WosdkError) -> None:
    """Of JSON, for every class and every text."""
    problem = problem_of(error)
    body = json.loads(problem.content)
    assert body["status"] == problem.status
    assert len(problem.content) < 4000


def test_a_body_has_no_advice_for_programmers() -> None:
    """The caller of a web back end has no argument check."""
    error = InvalidCallError("WoCreateCommand: comment has 9000 characters.", remedies=(Remedy.UNCHECKED,))
    assert problem_of(error).body["detail"] == "WoCreateCommand: comment has 9000 characters."
    assert "check=False" in str(error)


async def test_a_call_on_a_closed_client_can_be_retried() -> None:
    """At shutdown, another process of the back end may carry it out; a rule of the program comes first."""
    client = Client(credentials=Credentials("id", "secret"), company="Acme")
    await client.aclose()
    with pytest.raises(ConfigurationError) as caught:
        await client.company().get(WorkOrder, 1)
    problem = problem_of(caught.value)
    assert (problem.status, problem.body["in_doubt"], problem.headers["Retry-After"]) == (503, False, "5")
    own = ProblemRule(ConfigurationError, 500, "Error in the back end")
    assert problem_of(caught.value, own).status == 500


def test_a_local_service_that_is_not_there_is_a_matter_of_time() -> None:
    """The hint to start the sandbox is for developers: behind a local proxy, a retry may succeed."""
    problem = problem_of(NotSentError("refused", remedies=(Remedy.START_SANDBOX,)))
    assert (problem.status, problem.headers["Retry-After"]) == (503, "5")
    assert problem_of(NotSentError("refused", remedies=(Remedy.POOL,))).status == 502


def test_an_unknown_company_is_told_from_a_missing_session() -> None:
    assert problem_of(UnknownCompanyError("no tenant 'West'")).body["title"] == "Unknown Company"
