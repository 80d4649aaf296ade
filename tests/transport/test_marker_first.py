"""A key is looked for before the first attempt: what is there is not sent, and equal keys take turns."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.transport.test_marker import MARKER, SETTLE, ScriptedCompany, create
from wosdk_async import Customer, InDoubtError, InvalidCallError, Trace, problem_of


async def done(service: ScriptedCompany, *calls: Any) -> list[Any]:
    """The results of all calls, which run at the same time."""
    tasks = [asyncio.ensure_future(call) for call in calls]
    await service.time.finish(*tasks)
    return [task.result() for task in tasks]


async def test_what_is_there_is_not_sent() -> None:
    """The result holds the record, as after a doubt, and the trace says that it was found."""
    service, trace = ScriptedCompany(), Trace()
    service.orders = [{"Id": 7, "PoNumber": "k", "Number": "WO-7"}]
    company = service.company().traced(trace)
    (made,) = await done(service, company.run(create("k"), marker=MARKER, look_first=True))
    assert (made.wo.id, made.wo.number) == (7, "WO-7")
    assert (trace.found, trace.attempts, trace.sent) == (True, 0, False)
    assert service.request_ids == []


@pytest.mark.parametrize("look_first", [True, False])
async def test_a_doubt_says_whether_the_key_was_looked_for(look_first: bool) -> None:
    """Then the same call with the same key can safely be made again."""
    service = ScriptedCompany("lost")
    company = service.company(deadline=5.0, settle=SETTLE)
    task = asyncio.create_task(company.run(create("k"), marker=MARKER, look_first=look_first))
    await service.time.finish(task)
    error = task.exception()
    assert isinstance(error, InDoubtError)
    assert error.look_first is look_first
    assert problem_of(error).body["detail"].endswith("with the same key.") is look_first


async def test_look_first_without_a_marker_is_refused() -> None:
    """There is no key to look for."""
    company = ScriptedCompany().company()
    for call in (
        company.run(create("k"), look_first=True),
        company.create(Customer(name="A"), look_first=True),
    ):
        with pytest.raises(InvalidCallError, match="look_first needs a marker"):
            await call
    with pytest.raises(InvalidCallError, match="look_first needs a marker"):
        company.run_many([create("k")], look_first=True)
