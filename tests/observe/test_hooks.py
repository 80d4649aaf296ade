"""What observers get of calls: each attempt, its outcome, and nothing that is secret."""

from __future__ import annotations

import asyncio
import json
import logging
from typing import Any

import pytest

from tests.support.service import RESET, Answer, Request, Service
from wosdk_async import (
    Attempt,
    BusinessRuleError,
    CallOptions,
    InDoubtError,
    NotSentError,
    RefusedError,
    RetryPolicy,
    WoPickUpCommand,
)

QUICK = CallOptions(retry=RetryPolicy(wait_initial=0.0))
DONE = Answer(body={"CommandResult": {"Wo": {"Id": 7}}})
BUSY = Answer(503, body={"ErrorCode": "", "ErrorMessage": "busy", "TimeStamp": ""})
REFUSED = Answer(400, body={"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "no", "TimeStamp": ""})


def answering(*answers: Answer) -> Any:
    left = list(answers)
    return lambda _: left.pop(0)


async def seen(*answers: Answer, error: type[Exception] | None = None, **bounds: Any) -> list[Attempt]:
    """The attempts of one command that gets these responses."""
    found: list[Attempt] = []
    async with Service(answering(*answers)) as service:
        async with service.client(options=QUICK, on_attempt=found.append, **bounds) as client:
            call = client.company().run(WoPickUpCommand(work_order_id=7))
            if error is None:
                await call
            else:
                with pytest.raises(error):
                    await call
    return found


async def test_each_attempt_is_reported() -> None:
    """Its number, its status and where it went, under the RequestId of the call."""
    found = await seen(BUSY, DONE)
    assert [(each.number, each.status, each.error) for each in found] == [(1, 503, ""), (2, 200, "")]
    assert {each.operation for each in found} == {"WoPickUpCommand"}
    assert len({each.request_id for each in found}) == 1
    assert all(each.host == "127.0.0.1" and each.port and each.method == "POST" for each in found)
    assert all(0 < each.seconds < 10 for each in found)


async def test_a_refusal_is_a_response() -> None:
    """The hook gets its status, and the caller gets the error as always."""
    (attempt,) = await seen(REFUSED, error=BusinessRuleError)
    assert (attempt.status, attempt.error) == (400, "")


async def test_a_response_that_never_came_is_reported() -> None:
    """Lost behind the request, or never sent: one word says which."""
    (lost,) = await seen(RESET, error=InDoubtError)
    assert (lost.status, lost.error) == (None, "NoAnswer")
    async with Service(answering(DONE, DONE)) as service:
        found: list[Attempt] = []
        async with service.client(options=QUICK, on_attempt=found.append) as client:
            await client.company().run("WoPickUpCommand", {"WorkOrderId": 7})
            await service.__aexit__(None, None, None)
            with pytest.raises(NotSentError):  # the search for another host takes the rest of the time
                company = client.company().with_options(retry=RetryPolicy(attempts=1), deadline=1.0)
                await company.run("WoPickUpCommand", {"WorkOrderId": 7})
    assert found[0].status == 200
    assert found[-1].error == "NotSent"


async def test_a_cancelled_attempt_is_reported() -> None:
    """The hook hears of it, and the caller gets its CancelledError."""
    found: list[Attempt] = []
    came = asyncio.Event()

    async def hang(_: Request) -> Answer:
        came.set()
        await asyncio.Event().wait()
        raise AssertionError

    async with Service(hang) as service, service.client(on_attempt=found.append) as client:
        call = asyncio.create_task(client.company().get("Thing", 1))
        await came.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
    assert [(each.error, each.status) for each in found] == [("Cancelled", None)]


async def test_a_hook_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    """What it raises is logged."""

    def broken(_: Attempt) -> None:
        raise RuntimeError("hook")

    async with Service(answering(DONE)) as service, service.client(on_attempt=broken) as client:
        await client.company().run(WoPickUpCommand(work_order_id=7))
    assert "an observer failed" in caplog.text


async def test_the_log_shows_attempts_and_calls_and_no_secret(caplog: pytest.LogCaptureFixture) -> None:
    """At DEBUG: fields of a fixed list; the token is in none of them."""
    caplog.set_level(logging.DEBUG, logger="wosdk_async")
    async with Service(answering(REFUSED)) as service, service.client() as client:
        with pytest.raises(BusinessRuleError):
            await client.company().run(WoPickUpCommand(work_order_id=7))
    messages = [record.getMessage() for record in caplog.records if record.name == "wosdk_async"]
    assert any("attempt: " in text and "status=400" in text for text in messages)
    assert any("call: " in text and "code=BUSINESS_LOGIC_ERROR" in text for text in messages)
    token = service.calls[0].headers["authorization"].removeprefix("Bearer ")
    assert token not in caplog.text


ODD = "A\nwosdk_async call: forged\r\x1b[2J\x9b\u202e\u2028\ud83d"


async def test_a_log_line_is_one_line(caplog: pytest.LogCaptureFixture) -> None:
    """Whatever the service or the program calls things: no line is forged, and nothing steers a terminal."""
    caplog.set_level(logging.DEBUG, "wosdk_async")
    odd = json.dumps({"ErrorCode": ODD, "ErrorMessage": ODD, "TimeStamp": ODD, "RequestId": ODD}).encode()
    async with (
        Service(lambda _: Answer(400, odd)) as service,
        service.client(check_request_ids=False) as client,
    ):
        with pytest.raises(RefusedError) as caught:
            await client.company().run("WoStartCommand", {})
    error = caught.value
    assert (error.code, error.message, error.request_id) == (ODD, ODD, ODD), "the program gets what was sent"
    texts = [record.getMessage() for record in caplog.records]
    assert [text for text in texts if text.startswith("call: ")]
    for text in (str(error), *texts):
        assert text.isprintable(), repr(text)
        str(text).encode("utf-8")
    assert r"A\nwosdk_async call: forged\r\x1b[2J\x9b\u202e\u2028\ud83d" in str(error)


async def test_attempts_of_calls_that_overlap_are_not_mixed_up() -> None:
    """Each call numbers its own attempts, under its own operation, though the other's come in between."""
    both = asyncio.Barrier(2)
    busy = {"First", "Second"}

    async def answer(request: Request) -> Answer:
        operation = request.path.rpartition("/")[2]
        await both.wait()
        if operation in busy:
            busy.remove(operation)
            return BUSY
        return DONE

    found: list[Attempt] = []
    async with Service(answer) as service, service.client(options=QUICK, on_attempt=found.append) as client:
        acme = client.company()
        await asyncio.gather(acme.run("First", {}), acme.run("Second", {}))
    for operation in ("First", "Second"):
        own = [each for each in found if each.operation == operation]
        assert [(each.number, each.status) for each in own] == [(1, 503), (2, 200)]
        assert len({each.request_id for each in own}) == 1
