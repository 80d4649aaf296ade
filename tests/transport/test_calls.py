"""What happens to one call when the service, the network or the caller misbehaves: real sockets."""

from __future__ import annotations

import asyncio
import copy
import email.utils
import gzip
import pickle
import socket
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import anyio
import pytest

from tests.support.service import COMPANY, RESET, SECRET, Answer, Request, Service, error
from wosdk_async import (
    BusinessRuleError,
    CallOptions,
    ConfigurationError,
    DeadlineError,
    InDoubtError,
    NoAnswerError,
    NotFoundError,
    NotSentError,
    RefusedError,
    RetryPolicy,
    SendWorkOrderCommand,
    ThrottledError,
    Trace,
    UnknownNameError,
    errors,
)

QUICK = CallOptions(retry=RetryPolicy(attempts=3, first_wait=0.001))
DONE = Answer(body={"CommandResult": {"Wo": {"Id": 7}}, "RequestId": "x"})
FOUND = Answer(body={"Data": {"Id": 1}})


class Script:
    """Answers one after the other; the last one stays."""

    def __init__(self, *answers: Answer) -> None:
        self.answers: Iterator[Answer] = iter(answers)
        self.last = answers[-1]

    def __call__(self, _: Request) -> Answer:
        return next(self.answers, self.last)


DOUBTFUL = {
    "reset": RESET,
    "half an answer": Answer(body={"CommandResult": {"Wo": {"Id": 7}}}, cut=60),
    "a 500": error(500, "BUSINESS_LOGIC_ERROR"),
    "a 502 page": Answer(502, b"<html>bad gateway</html>"),
    "a 404 page": Answer(404, b"<html>not found</html>"),
    "no JSON": Answer(200, b"{]"),
    "an empty body": Answer(200, b""),
    "another envelope": Answer(200, {"Result": {}}),
    "a list": Answer(200, []),
    "broken gzip": Answer(200, b"no gzip at all", {"Content-Encoding": "gzip"}),
    "a redirect": Answer(307, b"", {"Location": "/elsewhere"}),
}


@pytest.mark.parametrize("answer", DOUBTFUL.values(), ids=DOUBTFUL)
async def test_a_create_without_a_clear_answer_is_in_doubt(answer: Answer) -> None:
    """Sent, and no answer that tells: InDoubtError with the RequestId, and no second attempt."""
    async with Service(lambda _: answer) as service, service.client(options=QUICK) as client:
        with pytest.raises(InDoubtError) as caught:
            await client.company().run("WoCreateCommand", {"WorkOrder": {}})
    assert len(service.calls) == 1
    assert caught.value.request_id == service.calls[0].json["RequestId"]
    assert (caught.value.company, caught.value.operation) == (COMPANY, "WoCreateCommand")


@pytest.mark.parametrize("answer", DOUBTFUL.values(), ids=DOUBTFUL)
async def test_a_read_without_a_clear_answer_is_repeated(answer: Answer) -> None:
    """The same for a call that is safe to repeat: sent again, and its answer taken."""
    async with Service(Script(answer, FOUND)) as service, service.client(options=QUICK) as client:
        assert await client.company().get("Thing", 1) == {"Id": 1}
    assert len(service.calls) == 2


@pytest.mark.parametrize("answer", DOUBTFUL.values(), ids=DOUBTFUL)
async def test_a_read_is_not_repeated_for_ever(answer: Answer) -> None:
    """After the attempts of the policy the caller hears that no answer could be read."""
    async with Service(lambda _: answer) as service, service.client(options=QUICK) as client:
        with pytest.raises(NoAnswerError) as caught:
            await client.company().get("Thing", 1)
    assert len(service.calls) == caught.value.attempts == 3


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize("wait", ["0", "0.01", None, "soon", "-1", "Wed, 21 Oct 2015 07:28:00 GMT"])
async def test_a_service_that_asks_to_wait_is_asked_again(status: int, wait: str | None) -> None:
    """429 and 503 mean that nothing was done: even a create is sent again, under the same RequestId."""
    busy = Answer(status, b"busy", {"Retry-After": wait} if wait else {})
    async with Service(Script(busy, DONE)) as service, service.client(options=QUICK) as client:
        made = await client.company().run("WoCreateCommand", {})
    assert made == {"Wo": {"Id": 7}}
    assert len({request.json["RequestId"] for request in service.calls}) == 1
    assert len(service.calls) == 2


async def test_a_wait_that_is_too_long_is_the_callers_to_decide() -> None:
    """Above the patience of the policy the call ends at once and the error says how long to wait."""
    in_an_hour = email.utils.formatdate(time.time() + 3600, usegmt=True)
    for wait in ("3600", in_an_hour):
        busy = Answer(429, b"", {"Retry-After": wait})
        async with Service(lambda _, busy=busy: busy) as service, service.client() as client:
            with pytest.raises(ThrottledError) as caught:
                await client.company().run("WoCreateCommand", {})
        assert caught.value.retry_after == pytest.approx(3600, abs=5)
        assert len(service.calls) == 1


async def test_a_refusal_is_raised_at_once_with_all_it_says() -> None:
    """An error body of spec 7: code, message, time, RequestId, operation and Company are on the error."""
    refusal = error(400, "BUSINESS_LOGIC_ERROR", "no\nway")
    async with Service(lambda _: refusal) as service, service.client() as client:
        with pytest.raises(BusinessRuleError, match="no\nway") as caught:
            await client.company().run("WoCreateCommand", {})
    found = caught.value
    assert (found.code, found.status) == ("BUSINESS_LOGIC_ERROR", 400)
    assert found.time_stamp == "2024-05-14T13:15:07.2210413Z"
    assert found.request_id == service.calls[0].json["RequestId"]
    assert (found.company, found.operation, len(service.calls)) == (COMPANY, "WoCreateCommand", 1)


async def test_the_raw_answer_can_be_had_beside_the_typed_one() -> None:
    """A traced Company notes attempts and the last answer as it came, for successes and refusals."""
    busy = Answer(503, b"busy")
    async with Service(Script(busy, FOUND, error(400, "X"))) as service:
        async with service.client(options=QUICK) as client:
            trace = Trace()
            acme = client.company().traced(trace)
            assert await acme.get("Thing", 1) == {"Id": 1}
            assert trace.reply is not None
            assert (trace.attempts, trace.reply.status) == (2, 200)
            assert trace.reply.body == b'{"Data": {"Id": 1}}'
            assert trace.reply.headers["Content-Type"].startswith("application/json")
            with pytest.raises(RefusedError):
                await acme.run("Any", {})
            assert (trace.attempts, trace.reply.status) == (1, 400)
            assert trace.request_id == service.calls[-1].json["RequestId"]


async def test_an_unknown_code_keeps_its_text() -> None:
    """The list of codes is open (facts 6)."""
    async with Service(lambda _: error(400, "ERROR_CODE_4711")) as service, service.client() as client:
        with pytest.raises(RefusedError) as caught:
            await client.company().get("Thing", 1)
    assert (type(caught.value), caught.value.code) == (RefusedError, "ERROR_CODE_4711")


async def test_a_path_that_the_company_does_not_know_is_tried_no_more() -> None:
    """Sources differ on SendWorkOrder: after COMMAND_NOT_FOUND the other path is used, and remembered."""

    def handler(request: Request) -> Answer:
        known = request.path.endswith("/SendWorkOrderCommand")
        return Answer(body={"CommandResult": {}}) if known else error(400, "COMMAND_NOT_FOUND")

    async with Service(handler) as service, service.client() as client:
        for _ in range(2):
            await client.company().run(SendWorkOrderCommand(work_order_id=1))
    paths = [request.path.rpartition("/")[2] for request in service.calls]
    assert paths == ["SendWorkOrder", "SendWorkOrderCommand", "SendWorkOrderCommand"]
    assert service.calls[0].json == service.calls[1].json


async def test_a_command_that_no_path_knows() -> None:
    """When every path was refused the last refusal is raised."""
    async with Service(lambda _: error(400, "COMMAND_NOT_FOUND")) as service, service.client() as client:
        with pytest.raises(UnknownNameError):
            await client.company().run(SendWorkOrderCommand(work_order_id=1))
    assert len(service.calls) == 2


async def test_error_info_in_a_success_is_a_refusal() -> None:
    """A command may fail with status 200 and ErrorInfo in its result (facts 5)."""
    info = {"Number": 1019, "Description": "gone", "Type": "X"}
    async with Service(lambda _: Answer(body={"CommandResult": {"ErrorInfo": info}})) as service:
        async with service.client() as client:
            with pytest.raises(NotFoundError, match="gone"):
                await client.company().run("WoStartCommand", {})


@pytest.mark.parametrize("body", [{"Data": {"Id": 5}}, {"Entities": [{"Data": {"Id": 5}}]}])
async def test_both_envelopes_of_a_retrieve(body: Any) -> None:
    """Spec 4.9 and the recordings wrap a record differently; either is read."""
    async with Service(lambda _: Answer(body=body)) as service, service.client() as client:
        assert await client.company().get("Thing", 5) == {"Id": 5}


@pytest.mark.parametrize(("coding", "pack"), [("gzip", gzip.compress), ("deflate", zlib.compress)])
async def test_compressed_answers(coding: str, pack: Callable[[bytes], bytes]) -> None:
    """Accept-Encoding is sent (spec 5), so answers may come compressed."""
    packed = Answer(200, pack(b'{"Data": {"Id": 5}}'), {"Content-Encoding": coding})
    async with Service(lambda _: packed) as service, service.client() as client:
        assert await client.company().get("Thing", 5) == {"Id": 5}


async def test_many_hosts_share_the_connections() -> None:
    """Idle connections of one Company's host make room for another's: the bound is the client's."""
    async with Service() as first, Service() as second, first.client(connections=3) as client:
        here = client.company()
        there = client.company("There", region=second.region())
        for company in (here, there, here):
            await asyncio.gather(*(company.get("Thing", 1) for _ in range(9)))
        (engine, _) = client._transport._engines
        assert "0 of 3 busy, 3 idle" in repr(engine)


async def test_a_company_name_that_is_not_ascii() -> None:
    """The name goes into its header as UTF-8 (assumed)."""
    async with Service() as service, service.client() as client:
        await client.company("Kälte & Söhne 東").get("Thing", 1)
    assert service.calls[0].headers["companyname"].encode("latin-1").decode() == "Kälte & Söhne 東"


async def test_an_empty_retrieve_is_no_record() -> None:
    """No entity in the envelope means that no record has the id."""
    async with Service(lambda _: Answer(body={"Entities": []})) as service, service.client() as client:
        with pytest.raises(NotFoundError):
            await client.company().get("Thing", 5)


def closed_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port: int = listener.getsockname()[1]
        return port


async def test_a_create_that_was_never_sent_is_sent_again() -> None:
    """A refused connection is no doubt: tried as often as the policy says, then NotSentError."""
    async with Service() as service, service.client(options=QUICK) as client:
        service.company_url = f"http://127.0.0.1:{closed_port()}"
        with pytest.raises(NotSentError, match=service.company_url) as caught:
            await client.company().run("WoCreateCommand", {})
    assert caught.value.attempts == 3


async def test_redirects_are_not_followed() -> None:
    """The token is not carried to where a redirect points."""
    async with Service() as other:
        async with Service(lambda _: Answer(302, b"", {"Location": other.url})) as service:
            async with service.client(options=QUICK) as client:
                with pytest.raises(NoAnswerError):
                    await client.company().get("Thing", 1)
    assert other.connections == 0


async def hang(_: Request) -> Answer:
    await asyncio.Event().wait()
    raise AssertionError


async def test_a_deadline_that_passes_while_waiting_for_the_answer() -> None:
    """Reads get a DeadlineError that names what took the time; creates are in doubt."""
    async with Service(hang) as service, service.client(options=CallOptions(deadline=0.1)) as client:
        company = client.company()
        with pytest.raises(DeadlineError, match="waiting for the answer") as late:
            await company.get("Thing", 1)
        with pytest.raises(InDoubtError, match=r"within 0\.1 s"):
            await company.run("WoCreateCommand", {})
    assert late.value.phase == "waiting for the answer"
    assert isinstance(late.value, TimeoutError)


async def test_a_deadline_that_passes_in_the_queue() -> None:
    """A create that never left the queue is no doubt."""
    async with Service(hang) as service, service.client(in_flight=1) as client:
        company = client.company()
        first = asyncio.create_task(company.get("Thing", 1))
        while not service.calls:
            await asyncio.sleep(0)
        with pytest.raises(DeadlineError, match="waiting in the queue"):
            await company.with_options(deadline=0.05).run("WoCreateCommand", {})
        first.cancel()
    assert len(service.calls) == 1


async def test_calls_in_flight_stay_within_the_bounds() -> None:
    """Never more connections than the client may open, however many calls are made."""
    now = most = 0

    async def handler(_: Request) -> Answer:
        nonlocal now, most
        now += 1
        most = max(most, now)
        await asyncio.sleep(0)
        now -= 1
        return FOUND

    async with Service(handler) as service, service.client(connections=5) as client:
        await asyncio.gather(*(client.company().get("Thing", 1) for _ in range(200)))
    assert most <= 5
    assert service.connections <= 5 + 1  # and one for the session


async def natively(task: asyncio.Task[Any]) -> None:
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


@pytest.mark.parametrize("way", ["cancel", "timeout", "scope"])
async def test_cancelled_calls_leave_nothing_behind(way: str) -> None:
    """After cancellations at every step of a call, by any means, all slots work."""

    async def slow(_: Request) -> Answer:
        await asyncio.sleep(0.002)
        return FOUND

    async with Service(slow) as service, service.client(connections=4) as client:
        company = client.company()
        await company.get("Thing", 1)

        async def burst() -> None:
            async with anyio.create_task_group() as group:
                for _ in range(8):
                    group.start_soon(company.get, "Thing", 1)

        for steps in range(60):
            if way == "cancel":
                task = asyncio.create_task(burst())
                for _ in range(steps):
                    await asyncio.sleep(0)
                if not task.done():
                    await natively(task)
            elif way == "timeout":
                try:
                    async with asyncio.timeout(steps * 0.0002):
                        await burst()
                except TimeoutError:
                    pass
            else:
                with anyio.move_on_after(steps * 0.0002):
                    await burst()
        async with asyncio.timeout(5):
            got = await asyncio.gather(*(company.get("Thing", 1) for _ in range(40)))
    assert got == [{"Id": 1}] * 40


async def test_a_call_under_way_when_the_client_closes_leaves_no_connection() -> None:
    """Its answer is still read, and its connection is not kept."""
    go = asyncio.Event()

    async def handler(_: Request) -> Answer:
        await go.wait()
        return FOUND

    async with Service(handler) as service:
        async with service.client() as client:
            call = asyncio.create_task(client.company().get("Thing", 1))
            while not service.calls:
                await asyncio.sleep(0)
        go.set()
        assert await call == {"Id": 1}
        assert "0 busy, 0 idle" in repr(client._transport._engines[0]).replace(" of 20", "")


async def test_a_closed_client_says_so() -> None:
    """A call after the block is told what is wrong."""
    async with Service() as service:
        async with service.client() as client:
            company = client.company()
        with pytest.raises(ConfigurationError, match="closed"):
            await company.get("Thing", 1)


async def test_no_secret_is_shown(caplog: pytest.LogCaptureFixture) -> None:
    """Neither secret nor token is in a repr, an error or a log, even if the service echoes it."""
    caplog.set_level(0)
    refusal = error(400, "X", "you sent Bearer token-1")
    async with Service(lambda _: refusal) as service, service.client() as client:
        company = client.company()
        with pytest.raises(RefusedError) as caught:
            await company.get("Thing", 1)
        shown = [repr(client), repr(company), repr(vars(company)), repr(vars(client)), str(caught.value)]
        shown += [repr(caught.value), caplog.text]
    for text in shown:
        assert SECRET not in text
        assert "token-1" not in text


def every_error() -> Iterator[type[errors.WosdkError]]:
    for name in errors.__all__:
        if isinstance(kind := getattr(errors, name), type):
            yield kind


@pytest.mark.parametrize("kind", list(every_error()))
def test_errors_survive_pickle_and_copy(kind: type[errors.WosdkError]) -> None:
    """Every exception keeps its text and all its attributes."""
    made = kind("what happened", company="Acme", operation="op", request_id="r", attempts=2)
    for twin in (pickle.loads(pickle.dumps(made)), copy.copy(made), copy.deepcopy(made)):  # noqa: S301
        assert type(twin) is kind
        assert str(twin) == str(made) == "what happened (operation op, Company Acme, RequestId r)"
        assert twin.attempts == 2
