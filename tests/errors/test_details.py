"""Details of the response in an error, wherever the response came from."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.service import COMPANY, Answer, Request, Service, error
from tests.transport.script import DONE, QUICK, Script
from wosdk_async import (
    Client,
    CredentialsError,
    Done,
    Failed,
    InDoubt,
    InDoubtError,
    NoAnswerError,
    NotFoundError,
    RefusedError,
    SessionError,
    ThrottledError,
    Trace,
    UnknownCompanyError,
    WoPauseCommand,
    WoPickUpCommand,
    WosdkError,
    WoStartCommand,
)
from wosdk_async.protocol.wire import Call, Response

STAMP = "2024-05-14T13:15:07.2210413Z"


def said(found: WosdkError) -> tuple[object, ...]:
    return found.status, found.code, found.message, found.time_stamp, found.request_id


async def failed(answer: Answer, run: bool = True, trace: Trace | None = None, **options: Any) -> WosdkError:
    """The error of a command, or of a read, that the service answers so."""
    async with Service(lambda _: answer) as service, service.client(options=QUICK, **options) as client:
        company = client.company().traced(trace or Trace())
        with pytest.raises(WosdkError) as caught:
            await (company.run("WoStartCommand", {}) if run else company.get("Thing", 1))
    assert caught.value.company == COMPANY
    assert caught.value.operation == ("WoStartCommand" if run else "retrieve Thing")
    return caught.value


async def test_the_request_id_of_the_answer_comes_first() -> None:
    """It is the last member of an error body when the request carried one (facts 6)."""
    body = {"ErrorMessage": "no", "ErrorCode": "ERROR_CODE_77", "TimeStamp": STAMP, "RequestId": "theirs"}
    found = await failed(Answer(400, body), check_request_ids=False)
    assert said(found) == (400, "ERROR_CODE_77", "no", STAMP, "theirs")
    sent = await failed(Answer(400, {**body, "RequestId": None}), check_request_ids=False)
    assert sent.request_id not in (None, "theirs")


async def test_error_info_in_a_success_says_as_much() -> None:
    """Its number is the code, and what is around it is read too."""
    info = {"Number": 1019, "Description": "gone", "Type": "X"}
    body = {"CommandResult": {"ErrorInfo": info}, "TimeStamp": STAMP, "RequestId": "theirs"}
    found = await failed(Answer(200, body), check_request_ids=False)
    assert isinstance(found, NotFoundError)
    assert said(found) == (200, "ERROR_CODE_1019", "gone", STAMP, "theirs")


@each_of(
    ("info", "code", "message"),
    [
        ({"Number": 4711}, "ERROR_CODE_4711", "ERROR_CODE_4711"),
        ({"Type": "Some.Exception"}, "BUSINESS_LOGIC_ERROR", "Some.Exception"),
        ({"Description": ["odd"]}, "BUSINESS_LOGIC_ERROR", "BUSINESS_LOGIC_ERROR"),
        ("just text", "BUSINESS_LOGIC_ERROR", "just text"),
        ({"Number": 6, "Description": "x" * 5000}, "ERROR_CODE_6", "x" * 2000),
    ],
)
async def test_error_info_of_any_shape_is_a_refusal(info: Any, code: str, message: str) -> None:
    """The service says that it failed, so the call is not in doubt."""
    found = await failed(Answer(200, {"CommandResult": {"ErrorInfo": info}}))
    assert isinstance(found, RefusedError)
    assert (found.status, found.code, found.message) == (200, code, message)


async def test_a_throttled_call_says_what_the_answer_said() -> None:
    """With the seconds that it asks for, the attempts and the time: a text of the service may be bare."""
    body = {"ErrorMessage": "later.", "ErrorCode": "BUSY", "TimeStamp": STAMP, "RequestId": "theirs"}
    found = await failed(Answer(429, body, {"Retry-After": "90"}), check_request_ids=False)
    assert isinstance(found, ThrottledError)
    assert re.fullmatch(
        r"throttled: 1 attempt in [\d.e-]+ s \(HTTP 429\): later; not retried: .* 90 s.*", found.message
    )
    found.args = ("later",)
    assert (*said(found), found.retry_after) == (429, "BUSY", "later", STAMP, "theirs", 90.0)


@pytest.mark.parametrize("run", [True, False])
async def test_an_answer_that_does_not_tell_keeps_its_status(run: bool) -> None:
    """A gateway's page leaves a command in doubt and a read without an answer; both name the status."""
    found = await failed(Answer(502, b"<html>", {"Content-Type": "text/html"}), run=run)
    assert isinstance(found, InDoubtError if run else NoAnswerError)
    assert found.status == 502


async def test_a_locators_refusal_is_told_with_all_it_said() -> None:
    """The error is about the Company, and keeps status, code and time of the answer; no token is in it."""
    async with Service() as service, service.client() as client:
        service.on_discovery = lambda _: error(400, "BUSINESS_LOGIC_ERROR", "no such company: Bearer token-1")
        with pytest.raises(UnknownCompanyError, match=r"Bearer \*\*\*") as caught:
            await client.company("Nowhere").get("Thing", 1)
    found = caught.value
    assert (found.status, found.code, found.time_stamp) == (400, "BUSINESS_LOGIC_ERROR", STAMP)
    assert (found.company, found.operation, found.attempts) == ("Nowhere", "discovery", 1)


async def test_a_refused_secret_says_by_what() -> None:
    """Status, and the code of OAuth where there is one."""
    async with Service() as service, service.client() as client:
        service.on_token = lambda _: Answer(401, {"error": "invalid_client"})
        with pytest.raises(CredentialsError, match="HTTP 401, invalid_client") as caught:
            await client.company().get("Thing", 1)
        service.on_token = lambda _: Answer(404, b"")
        with pytest.raises(SessionError, match="HTTP 404") as other:
            await client.company().connect()
    assert (caught.value.status, caught.value.code, other.value.status) == (401, "invalid_client", 404)
    assert (caught.value.company, caught.value.operation) == (COMPANY, "token")


async def test_a_trace_holds_the_refusing_answer() -> None:
    """Raw, beside the error that was made of it, and the last of several."""
    trace = Trace()
    await failed(error(400, "ERROR_CODE_6"), trace=trace)
    assert trace.reply is not None
    assert (trace.reply.status, b"ERROR_CODE_6" in trace.reply.body) == (400, True)
    script = Script(Answer(502, b"one"), Answer(500, b"two"), Answer(504, b"three"))
    async with Service(script) as service, service.client(options=QUICK) as client:
        with pytest.raises(NoAnswerError):
            await client.company().traced(trace).get("Thing", 1)
    assert (trace.attempts, trace.reply.status, trace.reply.body) == (3, 504, b"three")


@pytest.mark.parametrize(
    ("reply", "kind"),
    [
        (Response(200, {}, b"<html>"), InDoubtError),
        (Response(400, {}, b'{"ErrorCode": "ERROR_CODE_6"}'), RefusedError),
    ],
)
async def test_a_hooks_answer_fails_as_the_services_would(reply: Response, kind: type[WosdkError]) -> None:
    """The error has its details, and a trace the answer."""

    async def hook(call: Call[Any], company: str) -> Response:
        return reply

    trace = Trace()
    async with Service() as service, service.client(before_send=hook) as client:
        assert isinstance(client, Client)
        with pytest.raises(kind) as caught:
            await client.company().traced(trace).run("WoStartCommand", {})
    assert (caught.value.company, caught.value.operation) == (COMPANY, "WoStartCommand")
    assert caught.value.request_id == trace.request_id
    assert trace.reply is reply


async def test_outcomes_keep_the_raw_answer_when_asked() -> None:
    """Of a success, a refusal and an answer that does not tell; without the asking there is none."""
    answers = {
        "WoPickUpCommand": DONE,
        "WoStartCommand": error(400, "ERROR_CODE_6"),
        "Odd": Answer(502, b"odd"),
    }
    commands = [kind(work_order_id=7) for kind in (WoPickUpCommand, WoStartCommand, WoPauseCommand)]

    def answer(request: Request) -> Answer:
        return answers.get(request.path.rpartition("/")[2], answers["Odd"])

    async with Service(answer) as service, service.client(options=QUICK) as client:
        for keep in (True, False):
            async with client.company().run_many(commands, keep_replies=keep) as run:
                found = {outcome.index: outcome async for outcome in run}
            replies = [getattr(found[index], "reply") for index in range(3)]  # noqa: B009
            assert [type(found[index]) for index in range(3)] == [Done, Failed, InDoubt]
            assert [reply and reply.status for reply in replies] == ([200, 400, 502] if keep else [None] * 3)
