"""A program says of error codes of its own that the service did nothing: RetryPolicy(waits=, repeats=)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.service import Answer, Service, error
from tests.transport.script import DONE, QUICK, Script
from wosdk_async import (
    BusinessRuleError,
    CallOptions,
    ConfigurationError,
    InDoubtError,
    RefusedError,
    RetryPolicy,
    SessionRefusedError,
    ThrottledError,
    Trace,
)

MY_CODE = "MAINTENANCE_WINDOW"


def options(**codes: Any) -> CallOptions:
    return CallOptions(retry=RetryPolicy(attempts=3, wait_initial=0.001, **codes))


async def created(given: CallOptions, *answers: Answer) -> tuple[Any, int]:
    """Run a create, and return its result or error with the number of requests."""
    async with Service(Script(*answers)) as service, service.client(options=given) as client:
        try:
            result: Any = await client.company().run("WoCreateCommand", {"WorkOrder": {}})
        except Exception as failure:
            result = failure
        assert len({each.json["RequestId"] for each in service.calls}) == 1
        return result, len(service.calls)


@pytest.mark.parametrize("status", [400, 409, 500, 502])
@pytest.mark.parametrize("codes", [{"waits": {MY_CODE}}, {"repeats": [MY_CODE]}], ids=["waits", "repeats"])
async def test_a_create_is_sent_again_after_a_code_of_the_program(status: int, codes: Any) -> None:
    """Under the same RequestId, whatever the status of the response."""
    assert await created(options(**codes), error(status, MY_CODE), DONE) == ({"Wo": {"Id": 7}}, 2)


@pytest.mark.parametrize(("status", "kind"), [(400, RefusedError), (500, InDoubtError)])
async def test_without_the_program_the_code_is_not_sent_again(status: int, kind: type[Exception]) -> None:
    """A refusal is raised and a 500 leaves a doubt; so does another code than the program names."""
    for given in (QUICK, options(waits={"OTHER"}, repeats={"ANOTHER"})):
        found, requests = await created(given, error(status, MY_CODE), DONE)
        assert (type(found), requests) == (kind, 1)


@pytest.mark.parametrize("status", [400, 500])
async def test_the_attempts_come_to_an_end(status: int) -> None:
    """Then a code that waits is a ThrottledError, and one that is repeated is of its own class."""
    found, requests = await created(options(waits={MY_CODE}), error(status, MY_CODE))
    assert (type(found), found.code, found.status, requests) == (ThrottledError, MY_CODE, status, 3)
    assert len(found.waits) == 2
    found, requests = await created(options(repeats={MY_CODE}), error(status, MY_CODE))
    assert (type(found), found.code, found.status, requests) == (RefusedError, MY_CODE, status, 3)
    rule = "BUSINESS_LOGIC_ERROR"
    found, requests = await created(options(repeats={rule}), error(status, rule))
    assert (type(found), requests) == (BusinessRuleError, 3)


async def test_a_code_that_waits_is_waited_for_as_asked() -> None:
    """The Retry-After of the response counts, and one that is too long ends the call."""
    asks = Answer(400, {"ErrorCode": MY_CODE, "ErrorMessage": "soon"}, {"Retry-After": "0.2"})
    async with Service(Script(asks, DONE)) as service:
        async with service.client(options=options(waits={MY_CODE})) as client:
            await client.company().run("WoCreateCommand", {"WorkOrder": {}})
        given = options(waits={MY_CODE}, max_retry_after=0.1)
        service.handler = lambda _: asks
        async with service.client(options=given) as client:
            with pytest.raises(ThrottledError) as caught:
                await client.company().run("WoCreateCommand", {"WorkOrder": {}})
    assert (caught.value.retry_after, caught.value.attempts) == (0.2, 1)


async def test_a_code_in_a_success_is_waited_for_like_in_an_error() -> None:
    """An ErrorInfo comes with status 200; its Retry-After counts, and the end is a ThrottledError."""
    info = {"CommandResult": {"ErrorInfo": {"Number": 77, "Description": "soon"}}}
    asks = Answer(200, info, {"Retry-After": "0.2"})
    given = options(waits={"ERROR_CODE_77"})
    async with Service(Script(asks, DONE)) as service, service.client(options=given) as client:
        trace = Trace()
        await client.company().traced(trace).run("WoCreateCommand", {"WorkOrder": {}})
        assert (trace.attempts, trace.waits[0] >= 0.2) == (2, True)
    found, requests = await created(given, Answer(200, info))
    assert (type(found), found.code, found.status, requests) == (ThrottledError, "ERROR_CODE_77", 200, 3)
    assert found.attempts == 3
    assert found.message.endswith(": soon")


async def test_a_page_without_the_code_stays_in_doubt() -> None:
    """A gateway's page, and an error body that carries the RequestId of another call."""
    given = options(waits={MY_CODE}, repeats={"B"})
    assert type((await created(given, Answer(500, MY_CODE.encode()), DONE))[0]) is InDoubtError
    other = {"ErrorCode": MY_CODE, "ErrorMessage": "no", "RequestId": "f" * 32}
    for status in (400, 500):
        found, requests = await created(given, Answer(status, other), DONE)
        assert (type(found), requests) == (InDoubtError, 1)


async def test_where_a_host_sends_the_request_id_back_a_code_needs_it() -> None:
    """Unlike a 429, which may be sent before the request is read."""

    told = error(400, "ERROR_CODE_77")
    silent = Answer(500, {"ErrorCode": MY_CODE, "ErrorMessage": "no"}, echo=False)
    given = options(waits={MY_CODE})
    async with Service(Script(told, silent)) as service, service.client(options=given) as client:
        with pytest.raises(RefusedError):
            await client.company().run("WoCreateCommand", {})
        with pytest.raises(InDoubtError, match="carries no RequestId"):
            await client.company().run("WoCreateCommand", {})


@each_of(
    ("given", "words"),
    [
        (
            {"waits": "MY_CODE"},
            "RetryPolicy.waits is 'MY_CODE'; it must be a set of error codes: {'MY_CODE'}",
        ),
        ({"repeats": 5}, "RetryPolicy.repeats is 5; it must be a set of error codes"),
        ({"repeats": [""]}, "RetryPolicy.repeats holds ''; an error code is a string"),
        ({"waits": [["A"]]}, "RetryPolicy.waits holds ['A']; an error code is a string"),
        ({"waits": {"EXPIRED_TOKEN"}}, "RetryPolicy.waits holds 'EXPIRED_TOKEN', whose verdict is fixed"),
        ({"repeats": {"COMMAND_NOT_FOUND"}}, "'COMMAND_NOT_FOUND', whose verdict is fixed (other path)"),
        ({"waits": {"A", "B"}, "repeats": {"B"}}, "'B' is in both waits= and repeats=; remove it from one"),
    ],
)
def test_wrong_codes_are_refused(given: Any, words: str) -> None:
    """The error names the value and the remedy."""
    with pytest.raises(ConfigurationError) as caught:
        RetryPolicy(**given)
    assert words in str(caught.value)


def test_codes_are_kept_as_a_set() -> None:
    """Of any iterable; a policy stays a value that can be compared and hashed."""
    made = RetryPolicy(waits=["A", "A"], repeats=iter("B"))
    assert (made.waits, made.repeats) == (frozenset("A"), frozenset("B"))
    assert made == RetryPolicy(waits={"A"}, repeats={"B"})
    assert hash(made) == hash(RetryPolicy(waits={"A"}, repeats={"B"}))


@pytest.mark.parametrize("codes", [{"waits": {MY_CODE}}, {"repeats": [MY_CODE]}], ids=["waits", "repeats"])
async def test_a_status_that_says_more_than_a_code_keeps_its_meaning(codes: Any) -> None:
    """A 401 is a refused session and a 429 asks to wait, whatever the program says of the code."""
    for status, kind in ((401, SessionRefusedError), (429, ThrottledError)):
        found, _ = await created(options(**codes), error(status, MY_CODE))
        assert type(found) is kind
