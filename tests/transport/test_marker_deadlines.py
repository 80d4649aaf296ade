"""Calls with one key keep their deadlines and take turns, whatever the interleaving."""

from __future__ import annotations

import asyncio
from typing import Any

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import each_of, examples
from tests.support.virtual import reply, settle
from tests.transport.test_marker import MARKER, PAGE, ScriptedCompany, create
from wosdk_async import (
    BusinessRuleError,
    Company,
    DeadlineError,
    InDoubtError,
    ThrottledError,
    WosdkError,
    problem_of,
)
from wosdk_async.cli.texts import message_of
from wosdk_async.protocol.wire import Response
from wosdk_async.sandbox import Faults
from wosdk_async.testing import SkippingClock
from wosdk_async.text.remedies import Remedy

REFUSED = reply({"ErrorCode": "BUSINESS_LOGIC_ERROR", "ErrorMessage": "no"}, 400)
BUSY = reply({"ErrorCode": "TOO_MANY_REQUESTS", "ErrorMessage": "later"}, 429)
TICK = 0.011  # seconds: a deadline is met within 10 ms

Fate = tuple[str, float]
"""What the service does with a create, or a look-up, and after how many seconds."""


class Fated(ScriptedCompany):
    """Creates and look-ups have their fates in turn, and those after the last are answered at once.

    A create that is ``unheard`` is committed, and its response lost.
    """

    def __init__(self, creates: list[Fate], looks: list[Fate], **options: Any) -> None:
        super().__init__(**options)
        self.creates, self.looks = iter(creates), iter(looks)
        self.under_way = self.most = 0
        self.begun = {"create": 0, "look": 0}

    async def serve(self, method: str, url: str, headers: dict[str, str], body: bytes | None) -> Response:
        is_look = "/query/" in url
        fate, seconds = next(self.looks if is_look else self.creates, ("answer", 0.0))
        self.begun["look" if is_look else "create"] += 1
        self.under_way += not is_look
        self.most = max(self.most, self.under_way)
        try:
            await self.time.sleep(seconds)
            if fate == "hang":
                await asyncio.Event().wait()
            if fate == "lost":
                return PAGE
            if fate == "busy":
                return attrs.evolve(BUSY, headers={"retry-after": "9"})
            if fate == "refused":
                return REFUSED
            response = await super().serve(method, url, headers, body)
            return PAGE if fate == "unheard" else response
        finally:
            self.under_way -= not is_look


@attrs.frozen
class Caller:
    """A program that makes a call, and repeats it at once as often as it fails."""

    start: float
    deadlines: list[float]
    cancelled_after: float | None

    async def run(self, service: Fated, late: list[str]) -> None:
        await service.time.sleep(self.start)
        for deadline in self.deadlines:
            begun = service.time.seconds
            try:
                await service.company(deadline=deadline, settle=2.0).run(create("k"), marker=MARKER)
                return
            except WosdkError:
                pass
            finally:
                if service.time.seconds - begun > deadline + TICK:
                    late.append(f"{service.time.seconds - begun} of {deadline} s")


steps = st.sampled_from([0.0, 0.25, 1.0, 3.0])
fates = st.tuples(st.sampled_from(["answer", "unheard", "refused", "lost", "hang"]), steps)
callers = st.builds(
    Caller,
    start=steps,
    deadlines=st.lists(st.sampled_from([0.0, 0.5, 1.0, 4.0, 20.0]), min_size=1, max_size=3),
    cancelled_after=st.none() | steps,
)


@examples(150)
@given(
    programs=st.lists(callers, min_size=2, max_size=5),
    creates=st.lists(fates, max_size=8),
    looks=st.lists(fates, max_size=8),
    closed_after=st.none() | steps,
)
async def test_each_call_ends_by_its_deadline_and_one_is_under_way(
    programs: list[Caller], creates: list[Fate], looks: list[Fate], closed_after: float | None
) -> None:
    """Refused, lost or hanging, repeated at once, cancelled, and with the client closed meanwhile."""

    late: list[str] = []
    service = Fated(creates, looks, on_in_doubt=lambda *_: None)
    tasks = [asyncio.create_task(program.run(service, late)) for program in programs]
    for task, program in zip(tasks, programs, strict=True):
        if program.cancelled_after is not None:
            service.time.call_later(program.cancelled_after, lambda task=task: task.cancel() and None)
    if closed_after is not None:
        await service.time.pass_by(closed_after)
        tasks.append(asyncio.create_task(service.transport.aclose(0.0)))
    await service.time.finish(*tasks)
    await asyncio.gather(*tasks, return_exceptions=True)
    assert late == []
    assert service.most <= 1
    assert service.under_way == 0


@each_of("turns", range(4))
async def test_turns_are_given_in_order_and_a_cancelled_one_passes_its_turn_on(turns: int) -> None:
    """The second is cancelled in the very turn in which the first ends, or in those around it."""
    service = Fated([("refused", 1.0)] * 5, [])
    order: list[str] = []

    async def call(name: str) -> None:
        with pytest.raises(BusinessRuleError):
            await service.company().run(create("k"), marker=MARKER)
        order.append(name)

    tasks = [asyncio.create_task(call(name)) for name in "abcd"]
    await settle()

    def cancel(left: int) -> None:
        if left:
            asyncio.get_running_loop().call_soon(cancel, left - 1)
        else:
            tasks[1].cancel()

    service.time.call_later(1.0, lambda: cancel(turns))
    await service.time.finish(*tasks)
    assert tasks[1].cancelled()
    assert order == ["a", "c", "d"]
    assert service.most == 1


@pytest.mark.parametrize(
    ("deadline", "says"),
    [(10.0, True), (100.0, False)],  # of 100 s, enough is left until the attempts are used up
)
async def test_an_error_of_an_earlier_end_says_what_the_look_ups_reserve(deadline: float, says: bool) -> None:
    """A quarter of the deadline, which the attempts do not get."""
    service = Fated([("busy", 0.0)] * 9, [])
    task = asyncio.create_task(service.company(deadline=deadline).run(create("k"), marker=MARKER))
    await service.time.finish(task)
    raised = task.exception()
    assert isinstance(raised, ThrottledError)
    assert (f"2.5 s of the {deadline:g} s deadline" in raised.message) == says


# --- look-ups that get no response --------------------------------------------------------------

HANG: Fate = ("hang", 0.0)


@each_of("deadline", [2.0, 8.0, 20.0, 120.0, 600.0])
@each_of("hanging", [1, 2])
async def test_a_look_that_hangs_is_followed_by_another(deadline: float, hanging: int) -> None:
    """The create was committed and its response lost: the record is found, and nothing is sent again."""
    service = Fated([("unheard", 0.0)], [HANG] * hanging)
    company = service.company(deadline=deadline, settle=1.0)
    task = asyncio.create_task(company.run(create("k"), marker=MARKER))
    await service.time.finish(task)
    assert task.result().wo.id == 1
    assert (len(service.orders), len(service.request_ids)) == (1, 1)


@pytest.mark.parametrize("way", ["look first", "after a refusal", "after a doubt"])
async def test_a_look_before_the_first_attempt_that_hangs_is_followed_by_another(way: str) -> None:
    """Whether the caller wants it, or a call before with the key had no effect, or is in doubt."""
    fate = {"look first": [], "after a refusal": [("refused", 1.0)], "after a doubt": [("hang", 0.0)]}[way]
    looks = [("answer", 0.0)] * (way == "after a doubt") + [HANG] * 2
    service = Fated(fate, looks)
    tasks = []
    if way != "look first":
        first = service.company(deadline=1.0 if way == "after a doubt" else 60.0, settle=2.0)
        tasks.append(asyncio.create_task(first.run(create("k"), marker=MARKER)))
        await settle()
    second = service.company(deadline=20.0, settle=2.0)
    look_first = way == "look first"
    call = asyncio.create_task(second.run(create("k"), marker=MARKER, look_first=look_first))
    await service.time.finish(call, *tasks)
    await asyncio.gather(*tasks, return_exceptions=True)
    assert call.result().wo.id == 1
    assert len(service.orders) == 1


@each_of("deadline", [0.9, 1.0, 2.0])
async def test_a_short_deadline_is_enough_for_a_slow_service(deadline: float) -> None:
    """The look before the first attempt is not repeated while a slow response may arrive."""
    service = Fated([("answer", 0.3)], [("answer", 0.3)] * 9)
    company = service.company(deadline=deadline)
    task = asyncio.create_task(company.run(create("k"), marker=MARKER, look_first=True))
    await service.time.finish(task)
    assert task.result().wo.id == 1
    assert service.begun == {"create": 1, "look": 1}


async def test_a_short_deadline_is_enough_to_repeat_a_call_that_a_slow_service_carried_out() -> None:
    """The look for a call in doubt is not repeated early, either."""
    service = Fated([("unheard", 0.0)], [("hang", 0.0)] * 3 + [("answer", 0.6)] * 9)
    first = asyncio.create_task(service.company(deadline=2.0).run(create("k"), marker=MARKER))
    await service.time.finish(first)
    assert isinstance(first.exception(), InDoubtError)
    again = asyncio.create_task(service.company(deadline=1.0).run(create("k"), marker=MARKER))
    await service.time.finish(again)
    assert again.result().wo.id == 1
    assert service.begun == {"create": 1, "look": 4}


@each_of("deadline", [2.0, 20.0, 120.0])
async def test_looks_that_all_hang_are_no_absence(deadline: float) -> None:
    """Three fit at least, the call ends by its deadline in doubt, and the create is not sent again."""
    service = Fated([HANG] * 9, [HANG] * 99)
    begun = service.time.seconds
    company = service.company(deadline=deadline, settle=0.0)
    task = asyncio.create_task(company.run(create("k"), marker=MARKER))
    await service.time.finish(task)
    assert isinstance(task.exception(), InDoubtError)
    assert service.time.seconds - begun <= deadline + TICK
    assert service.begun["look"] >= 3
    assert service.begun["create"] == 1


@pytest.mark.parametrize("deadline", [5.0, 40.0])
async def test_a_look_up_asked_to_wait_longer_than_the_deadline_ends_by_it(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock, deadline: float
) -> None:
    """A 429 with a Retry-After of 55 seconds for each query: the create is not sent."""
    await wosdk_company.connect()
    wosdk_faults.add("status", status=429, retry_after=55, operation="query")
    begun, company = wosdk_clock.now, wosdk_company.with_options(deadline=deadline)
    with pytest.raises(DeadlineError) as caught:
        await company.run(create("k"), marker=MARKER, look_first=True)
    assert (wosdk_clock.now - begun).total_seconds() <= deadline + 0.1
    assert not caught.value.key_in_doubt
    assert set(wosdk_faults.injected) == {"status"}


# --- without a marker ---------------------------------------------------------------------------


@pytest.mark.parametrize("fate", ["lost", "hang"])
async def test_a_doubt_says_how_long_to_wait_before_a_look(fate: str) -> None:
    """The service may still carry the call out: a look at once finds nothing, and a repeat makes a double."""
    service = Fated([(fate, 0.0)], [])
    task = asyncio.create_task(service.company(settle=7, deadline=2.0).run(create("k")))
    await service.time.finish(task)
    with pytest.raises(InDoubtError) as caught:
        task.result()
    assert (caught.value.settle, caught.value.remedies) == (7.0, (Remedy.LOOK,))
    assert "Wait 7 seconds" in problem_of(caught.value).body["detail"]
    assert "wait 7 s" in message_of(caught.value)  # on the command line
