"""One deadline for a call with a marker: attempts, lookups, the time to settle, and what is reported."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.virtual import reply, settle
from tests.transport.test_marker import MARKER, PAGE, ScriptedCompany, create
from wosdk_async import (
    BusinessRuleError,
    InDoubt,
    InDoubtError,
    NoAnswerError,
    NotUniqueError,
    RetryPolicy,
    ThrottledError,
    Trace,
    WosdkError,
)
from wosdk_async.protocol.wire import Response

REFUSED = reply({"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "no"}, 400)
BUSY = reply({"ErrorCode": "X", "ErrorMessage": "busy"}, 503, {"retry-after": "900"})


class Late(ScriptedCompany):
    """Fates besides: a Response is given at once, ``hang`` commits at once and never responds."""

    async def serve(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        if "/query/" in url:
            return await super().serve(method, url, headers, body)
        fate = next(self.scripts, "answer")
        if isinstance(fate, Response):
            self.sent += 1
            return fate
        if fate == "stuck":
            self.sent += 1
            await asyncio.Event().wait()
        self.sent += 1
        made = await super().serve(method, url, headers, body)
        if fate == "hang":
            await asyncio.Event().wait()
        return made if fate == "answer" else PAGE

    def __init__(self, *scripts: Any, **options: Any) -> None:
        super().__init__(**options)
        self.scripts = iter(scripts)
        self.sent = 0

    async def timed(self, **options: Any) -> tuple[asyncio.Task[Any], float]:
        """The finished call, and how many seconds it took."""
        begun = self.time.seconds
        company = self.company(**options)
        task = asyncio.create_task(company.run(create("k"), marker=MARKER))
        await self.time.finish(task)
        return task, self.time.seconds - begun


@each_of(
    ("fate", "there_after", "deadline", "seconds"),
    [
        ("hang", 0.0, 8.0, 6.0),  # the attempt ends a quarter of a short deadline before it
        ("hang", 0.0, 100.0, 95.0),  # five seconds before a long one: more is not needed for looks
        ("stuck", 7.0, 8.0, 7.75),  # a look is sent shortly before the deadline
        ("stuck", 1.8, 2.0, 1.87),
    ],
)
async def test_what_was_made_is_found_within_the_deadline(
    fate: str, there_after: float, deadline: float, seconds: float
) -> None:
    """Though no response came, and however late it was made."""
    service = Late(fate)
    if there_after:
        service.time.call_later(there_after, lambda: service.commit({"PoNumber": "k"}) and None)
    task, took = await service.timed(deadline=deadline)
    assert task.result().wo.id == 1
    assert seconds <= took <= seconds + 0.1


@each_of("deadline", [0.1, 8.0, 29.0, 100.0, None])
async def test_a_deadline_that_ends_before_it_has_settled_leaves_a_doubt(deadline: float | None) -> None:
    """Nothing is sent again, looks go on until shortly before the deadline, and the error says why."""
    service = Late("stuck")
    task, took = await service.timed(deadline=deadline)
    with pytest.raises(InDoubtError, match=r" s to take effect \(settle\), beyond the deadline of "):
        task.result()
    assert took <= (deadline or 120.0) + 0.02
    assert took >= (deadline or 120.0) * 0.75
    assert service.sent == 1


@each_of(("deadline", "sent"), [(34.0, 1), (35.25, 1), (35.75, 2), (60.0, 2)])
async def test_it_is_sent_again_if_there_is_time(deadline: float, sent: int) -> None:
    """Settled and looked for at 30.25 s: five seconds before the deadline belong to looks.

    Without the time for an attempt it was not carried out, and that is what it says.
    """
    service = Late(PAGE, "answer")
    task, took = await service.timed(deadline=deadline)
    assert (took, service.sent) == (30.25, sent)
    if sent == 2:
        assert task.result().wo.id == 1
        return
    with pytest.raises(NoAnswerError, match=r"not carried out: no record appeared within .* \(attempts: 1;"):
        task.result()


@each_of("later", [REFUSED, BUSY])
async def test_a_later_refusal_is_preceded_by_a_last_look(later: Response) -> None:
    """The first attempt takes effect after its time to settle, the second is refused: the record is found."""
    service = Late(PAGE, later)

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        if "/query/" not in url and service.sent == 1:
            service.commit({"PoNumber": "k"})
        return await service.serve(method, url, headers, body)

    service.handler = serve
    task, _ = await service.timed(deadline=300.0)
    assert task.result().wo.id == 1
    assert (service.sent, len(service.orders)) == (2, 1)


@pytest.mark.parametrize(("later", "error"), [(REFUSED, BusinessRuleError), (BUSY, ThrottledError)])
async def test_a_later_refusal_of_what_is_not_there(later: Response, error: type[WosdkError]) -> None:
    """After the last look the refusal is the truth."""
    service = Late(PAGE, later)
    task, _ = await service.timed(deadline=300.0)
    with pytest.raises(error) as caught:
        task.result()
    assert caught.value.attempts == 2


async def test_a_later_refusal_that_cannot_be_checked_is_a_doubt() -> None:
    """Without the last look nobody knows what the first attempt did."""
    service = Late(PAGE, REFUSED)

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        return PAGE if service.sent == 2 else await service.serve(method, url, headers, body)

    service.handler = serve
    task, _ = await service.timed(deadline=60.0)
    with pytest.raises(InDoubtError, match="the look-up failed"):
        task.result()


async def test_the_deadline_of_a_look_up_hides_no_earlier_response() -> None:
    """The last one is cut off without a response; what the earlier ones got is the reason."""
    service, queries = Late(PAGE), 0

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        nonlocal queries
        if "/query/" not in url:
            return await service.serve(method, url, headers, body)
        queries += 1
        if queries > 4:  # the attempts of the first look-up
            await asyncio.Event().wait()
        return reply({"ErrorCode": "X", "ErrorMessage": "the cause"}, 500)

    service.handler = serve
    task, _ = await service.timed(deadline=60.0)
    with pytest.raises(InDoubtError, match=r"the look-up failed .*the cause"):
        task.result()
    assert queries > 4


async def failed(service: Late, **options: Any) -> WosdkError:
    task, _ = await service.timed(**options)
    error = task.exception()
    assert isinstance(error, WosdkError)
    return error


async def test_errors_of_a_marked_call_say_where_and_how_often() -> None:
    """Company, operation, RequestId and the attempts of the whole, whichever error it is."""
    twice = RetryPolicy(attempts=2)
    several = Late(PAGE)
    several.orders = [{"Id": number, "PoNumber": "k"} for number in (1, 2)]
    for error, kind, attempts in (
        (await failed(Late(*[PAGE] * 9), retry=twice), NoAnswerError, 2),
        (await failed(several), NotUniqueError, 1),
        (await failed(Late(PAGE, "stuck"), deadline=50.0), InDoubtError, 2),
    ):
        assert type(error) is kind
        assert (error.company, error.operation, error.attempts) == ("Acme", "WoCreateCommand", attempts)
        assert len(error.request_id or "") == 32
        assert error.times["queue"] >= 0


async def test_a_trace_of_a_marked_call_is_that_of_the_whole() -> None:
    """Both attempts count, and the response to a lookup is not taken for that of the create."""
    service = Late(PAGE, "answer")
    trace, begun = Trace(), service.time.seconds
    task = asyncio.create_task(service.company().traced(trace).run(create("k"), marker=MARKER))
    await service.time.finish(task)
    assert trace.attempts == 2
    assert trace.reply is not None
    assert b"CommandResult" in trace.reply.body
    assert trace.request_id == service.request_ids[0]
    assert trace.times["lookup"] >= 30.0
    assert sum(trace.times.values()) == pytest.approx(service.time.seconds - begun)


async def test_a_call_whose_record_was_found_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    """It succeeded: no error is logged, and the trace has the time of its look-up."""
    service, trace = Late(PAGE), Trace()
    service.time.call_later(9.0, lambda: service.commit({"PoNumber": "k"}) and None)
    task = asyncio.create_task(service.company().traced(trace).run(create("k"), marker=MARKER))
    await service.time.finish(task)
    (entry,) = caplog.records
    assert entry.levelname == "WARNING"
    assert entry.getMessage().endswith(f" request_id={trace.request_id} key=k id=1")
    assert 9.0 <= trace.times["lookup"] < 15.0


# --- cancelled, cut and closed --------------------------------------------------------------


@each_of("seconds", [0.0, 5.0, 29.0, 31.0])
async def test_cancelled_at_any_point_after_a_doubt_it_is_reported_once(
    seconds: float, caplog: pytest.LogCaptureFixture
) -> None:
    """While it is looked up, while it waits, and while the second attempt is under way."""
    told: list[Any] = []
    service = Late(PAGE, "stuck", on_in_doubt=lambda call, company: told.append((call, company)))
    task = asyncio.create_task(service.company().run(create("k"), marker=MARKER))
    await settle()
    await service.time.pass_by(seconds)
    task.cancel()
    await settle()
    assert task.cancelled()
    ((call, company),) = told
    assert (call.operation, call.key, company) == ("WoCreateCommand", "k", "Acme")
    assert len(call.request_id) == 32
    assert "key=k" in caplog.messages[-1]


def queued_behind_another(told: list[str]) -> Late:
    """A Company whose only slot is taken once the first attempt was given up and looked up."""
    return Late(PAGE, "stuck", in_flight=1, on_in_doubt=lambda call, _: told.append(call.operation))


async def until_the_second_attempt_queues(service: Late) -> asyncio.Task[Any]:
    """Take the only slot in the turn in which the last look ended."""
    others: list[asyncio.Task[Any]] = []

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        if "/Hog/" in url:
            await asyncio.Event().wait()
        answer = await service.serve(method, url, headers, body)
        if "/query/" in url and service.time.seconds >= 1030.0 and not others:
            others.append(asyncio.create_task(service.company().get("Hog", 1)))
            await settle()
        return answer

    service.handler = serve
    await settle()
    await service.time.pass_by(32.0)
    assert service.sent == 1, "the second attempt waits in the queue"
    return others[0]


async def test_a_run_that_is_cut_while_the_second_attempt_queues_is_in_doubt() -> None:
    """NotStarted would say that nothing was sent."""
    told: list[str] = []
    service = queued_behind_another(told)
    entered, leave = asyncio.Event(), asyncio.Event()
    run = service.company().run_many([create("k")], marker=MARKER, grace=0.0)

    async def block() -> None:
        async with run:
            entered.set()
            await leave.wait()
            raise ZeroDivisionError

    task = asyncio.create_task(block())
    await entered.wait()
    other = await until_the_second_attempt_queues(service)
    leave.set()
    await asyncio.wait([task])
    assert isinstance(task.exception(), ZeroDivisionError)
    (outcome,) = [outcome async for outcome in run]
    assert isinstance(outcome, InDoubt)
    error = outcome.error
    assert (error.company, error.operation, error.attempts) == ("Acme", "WoCreateCommand", 1)
    assert len(error.request_id or "") == 32
    assert told == ["WoCreateCommand"]
    other.cancel()
    await settle()


async def test_closing_waits_for_one_that_is_looked_up() -> None:
    """Its looks go out within the grace, and it ends as if nothing had happened."""
    service = Late(PAGE)
    service.time.call_later(4.0, lambda: service.commit({"PoNumber": "k"}) and None)
    task = asyncio.create_task(service.company().run(create("k"), marker=MARKER))
    await settle()
    await service.time.pass_by(1.0)
    closing = asyncio.create_task(service.transport.aclose(5.0))
    await settle()
    assert not closing.done(), "a call is under way"
    await service.time.finish(task)
    await closing
    assert task.result().wo.id == 1


@pytest.mark.parametrize("hangs", [False, True])
async def test_a_look_up_ends_with_the_grace(hangs: bool) -> None:
    """The waiting between two looks, or the look that is under way: none is waited for after it."""
    service = Late(PAGE)

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        if hangs and "/query/" in url:
            await asyncio.Event().wait()
        return await service.serve(method, url, headers, body)

    service.handler = serve
    task = asyncio.create_task(service.company().run(create("k"), marker=MARKER))
    await settle()
    await service.time.pass_by(1.1)
    await service.transport.aclose(0.0)
    with pytest.raises(InDoubtError, match="closed before the look-up succeeded"):
        task.result()
    assert all(engine.closed for engine in service.engines)


@pytest.mark.parametrize("stall", [0.5, 3.0, 20.0])
async def test_a_program_that_holds_up_the_loop_between_two_looks(stall: float) -> None:
    """What is due in the meantime comes late and all at once; the looks go on."""
    service = Late(PAGE)
    service.time.call_later(25.0, lambda: service.commit({"PoNumber": "k"}) and None)
    task = asyncio.create_task(service.company().run(create("k"), marker=MARKER))
    await settle()
    await service.time.stall(stall)
    await service.time.finish(task)
    assert task.result().wo.id == 1
