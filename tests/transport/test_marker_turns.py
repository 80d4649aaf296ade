"""Calls with equal keys: one after the other, and one record, whichever of them is cancelled and when."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.facts import having
from tests.support.laws import each_of
from tests.support.virtual import reply, settle
from tests.transport.test_marker import MARKER, SETTLE, ScriptedCompany, create
from wosdk_async import (
    DeadlineError,
    InDoubtError,
    NoAnswerError,
    RetryPolicy,
    Trace,
    WoCreateCommand,
    problem_of,
)
from wosdk_async.codec import unstructure
from wosdk_async.protocol.calls import Written
from wosdk_async.protocol.wire import Response
from wosdk_async.protocol.writes import Effect


class Stepping(ScriptedCompany):
    """Waits a turn of the loop before and after each step, so that a caller can be cancelled at each."""

    async def serve(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        await asyncio.sleep(0)
        response = await super().serve(method, url, headers, body)
        await asyncio.sleep(0)
        return response


def start(service: ScriptedCompany, key: str = "k", **options: Any) -> asyncio.Task[Any]:
    company = service.company(**{"settle": SETTLE, **options})
    return asyncio.create_task(company.run(create(key), marker=MARKER))


@each_of("fate", ["answer", "lost", 0.0, 0.1, 3.0, 29.0])
@each_of("seconds", [0.0, 0.25, 5.0, 31.0])
async def test_the_first_is_cancelled_at_any_step(fate: str | float, seconds: float) -> None:
    """The second ends with the one record, whatever the first did: it sends only what was not made."""
    for turns in range(16):
        service = Stepping(fate, on_in_doubt=lambda *_: None)
        first, second = start(service), start(service)
        await service.time.pass_by(seconds) if seconds else None
        for _ in range(turns):
            await asyncio.sleep(0)
        first.cancel()
        await service.time.finish(second)
        await service.time.pass_by(100.0)
        (order,) = service.orders
        assert second.result().wo.id == order["Id"], (fate, seconds, turns)
        assert len(service.request_ids) <= 2


async def test_a_call_that_waited_for_a_row_of_an_import_gets_the_record() -> None:
    """The row's own result is only the effect."""
    service = ScriptedCompany("answer")
    row: Any = Written(WoCreateCommand, unstructure(create("k")), "k")
    first = asyncio.create_task(service.company(settle=SETTLE).run(row, marker=MARKER))
    second = start(service)
    await service.time.finish(second)
    assert first.result() == Effect("WorkOrder", 1)
    assert second.result().wo.id == 1
    assert len(service.request_ids) == 1


async def test_a_doubt_is_remembered_until_it_has_settled() -> None:
    """A program that repeats a call in doubt at once, with the same key, makes no double."""
    service = ScriptedCompany(20.0)
    first = start(service, deadline=5.0)
    await service.time.finish(first)
    assert isinstance(first.exception(), InDoubtError)
    trace = Trace()
    again = asyncio.create_task(service.company().traced(trace).run(create("k"), marker=MARKER))
    await service.time.finish(again)
    assert again.result().wo.id == 1
    assert (trace.found, trace.attempts) == (True, 0)
    assert len(service.orders) == len(service.request_ids) == 1


async def test_a_doubt_that_has_settled_is_forgotten() -> None:
    """After the settle time the key is as any other: sent, without a look."""
    service = ScriptedCompany("lost")
    first = start(service, deadline=5.0)
    await service.time.finish(first)
    assert isinstance(first.exception(), InDoubtError)
    await service.time.pass_by(SETTLE + 1.0)
    queries = service.queries
    again = start(service)
    await service.time.finish(again)
    assert again.result().wo.id == 1
    assert service.queries == queries


async def test_a_doubt_settles_from_the_end_of_its_attempt() -> None:
    """The first call looked until its deadline, during which the settle time already ran."""
    service = ScriptedCompany("lost")
    begun = service.time.seconds
    first = start(service, deadline=20.0)
    await service.time.finish(first)
    assert isinstance(first.exception(), InDoubtError)
    assert service.time.seconds - begun > 19.0
    again = start(service)
    await service.time.finish(again)
    assert again.result().wo.id == 1
    assert SETTLE <= service.time.seconds - begun < SETTLE + 1.0


@pytest.mark.parametrize("deadline", [0.0, 2.0, 20.0])
async def test_one_that_cannot_wait_so_long_says_that_nothing_was_sent(deadline: float) -> None:
    """Its deadline ends while the first is under way: not in doubt."""
    service = ScriptedCompany(29.0)
    first, second = start(service), start(service, deadline=deadline)
    begun = service.time.seconds
    await service.time.finish(second)
    with pytest.raises(DeadlineError, check=having(phase="queue", key_in_doubt=True)) as caught:
        second.result()
    assert service.time.seconds - begun <= deadline + 0.02
    assert (caught.value.attempts, caught.value.operation) == (0, "WoCreateCommand")
    problem = problem_of(caught.value)
    assert (problem.status, problem.body["in_doubt"]) == (500, True)  # the first may still make the order
    await service.time.finish(first)
    assert first.result().wo.id == 1


async def test_a_deadline_is_rounded_in_messages() -> None:
    """What is left of ``within(3)`` is rarely a round number."""
    service = ScriptedCompany(29.0)
    first, second = start(service), start(service, deadline=2.000037)
    await service.time.finish(second)
    assert str(second.exception()).startswith(
        "not sent: another call with the same key was in progress for 2 s "
    )
    await service.time.finish(first)


async def test_one_whose_deadline_ends_before_a_doubt_has_settled_sends_nothing() -> None:
    """The doubt of the one before is not its own."""
    service = ScriptedCompany("lost")
    first = start(service, deadline=5.0)
    await service.time.finish(first)
    assert isinstance(first.exception(), InDoubtError)
    second = start(service, deadline=5.0)
    await service.time.finish(second)
    with pytest.raises(DeadlineError) as caught:
        second.result()
    assert (caught.value.phase, caught.value.attempts) == ("sleep", 0)
    problem = problem_of(caught.value)
    assert (problem.status, problem.body["in_doubt"]) == (500, True)
    assert problem.body["detail"].endswith("Wait 30 seconds, then check for its effect before you retry.")
    assert "Retry-After" not in problem.headers
    assert len(service.request_ids) == 1
    third = start(service)
    await service.time.finish(third)
    assert third.result().wo.id == 1
    assert len(service.request_ids) == 2


async def test_the_second_needs_no_look_for_what_the_first_made() -> None:
    """The service keeps the key in another form, so no query finds it: nothing is sent twice all the same."""
    service = ScriptedCompany()
    service.rows = lambda _: reply({"Entities": []})

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        await service.time.sleep(1.0)
        return await service.serve(method, url, headers, body)

    service.handler = serve
    tasks = [start(service) for _ in range(3)]
    await service.time.finish(*tasks)
    assert [task.result().wo.id for task in tasks] == [1, 1, 1]
    assert len(service.request_ids) == 1


async def test_what_the_first_caller_does_to_its_result_is_not_in_the_others() -> None:
    """Each caller has a result of its own, however it is changed."""
    service = ScriptedCompany(1.0)

    async def vandal() -> Any:
        made = await service.company().run(create("k"), marker=MARKER)
        made.wo.id = 99
        return made

    first = asyncio.create_task(vandal())
    others = [start(service) for _ in range(3)]
    await service.time.finish(first, *others)
    assert [task.result().wo.id for task in others] == [1, 1, 1]
    assert len({id(task.result().wo) for task in others}) == 3


async def test_keys_that_differ_in_case_and_other_companies_do_not_wait() -> None:
    """They are other keys."""
    service = Stepping()
    tasks = [start(service, key) for key in ("k", "K")]
    tasks.append(asyncio.create_task(service.company("Other").run(create("k"), marker=MARKER)))
    await service.time.finish(*tasks, within=1.0)
    assert sorted(task.result().wo.id for task in tasks) == [1, 2, 3]


async def test_closing_ends_those_that_wait() -> None:
    """Nothing of theirs was sent, and nothing is sent after the grace."""
    service = ScriptedCompany(29.0)
    first, second = start(service), start(service)
    await settle()
    await service.time.pass_by(1.0)
    closing = asyncio.create_task(service.transport.aclose(0.0))
    await service.time.finish(closing, first, second)
    assert isinstance(first.exception(), InDoubtError)
    with pytest.raises(DeadlineError, match="the client was closed first"):
        second.result()
    assert len(service.request_ids) == 1


async def test_an_error_of_another_library_after_it_was_sent_is_a_doubt_for_the_next() -> None:
    """Nobody knows what it did: the next one looks until it has settled."""
    service = ScriptedCompany()
    broken = [ZeroDivisionError("of the program")]

    async def serve(method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        if "/query/" in url or not broken:
            return await service.serve(method, url, headers, body)
        service.time.call_later(10.0, lambda: service.commit({"PoNumber": "k"}) and None)
        raise broken.pop()

    service.handler = serve
    first, second = start(service), start(service)
    await service.time.finish(first, second)
    assert isinstance(first.exception(), ZeroDivisionError)
    assert second.result().wo.id == 1
    assert len(service.orders) == 1


async def test_one_that_was_never_carried_out_leaves_no_doubt() -> None:
    """The first used up its attempts, each settled: the second looks once and sends."""
    service = ScriptedCompany("lost")
    first = start(service, retry=RetryPolicy(attempts=1))
    second = start(service)
    await service.time.finish(first)
    assert isinstance(first.exception(), NoAnswerError)
    settled = service.time.seconds
    await service.time.finish(second)
    assert second.result().wo.id == 1
    assert service.time.seconds == settled


async def test_one_that_waited_until_its_deadline_says_what_took_the_time() -> None:
    """Only the time for look-ups was left when the first ended without effect: a retry is safe."""
    service, trace = ScriptedCompany("lost"), Trace()
    first = start(service, retry=RetryPolicy(attempts=1))
    waiting = service.company(deadline=SETTLE + 4).traced(trace).run(create("k"), marker=MARKER)
    second = asyncio.create_task(waiting)
    await service.time.finish(first, second)
    assert isinstance(first.exception(), NoAnswerError)
    with pytest.raises(DeadlineError, check=having(phase="queue", key_in_doubt=False)):
        second.result()
    assert trace.times["queue"] == pytest.approx(SETTLE, abs=1.0)
