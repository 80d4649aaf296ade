"""Each call of the program counts once, with its final outcome, however many requests it makes."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from typing import Any

import pytest

from tests.support.payload import create_command
from wosdk_async import Attempt, CallOptions, Client, Customer, InvalidCallError, RetryPolicy, WorkOrder
from wosdk_async.protocol.wire import Call, Response
from wosdk_async.sandbox import LocalCompany

CREATE = "WoCreateCommand"
LOST = {"fault": "reset", "operation": CREATE, "carried_out": True}
BROKEN = {"fault": "status", "status": 500, "operation": "query"}
LATE = {"deadline": 1e-9}
CASES: dict[str, tuple[list[dict[str, Any]], dict[str, Any], dict[str, Any], str]] = {
    "found": ([LOST], {}, {}, "done"),
    "absent": ([], {"look_first": True}, {}, "done"),
    "look-up failed": ([BROKEN], {"look_first": True}, {}, "NoAnswerError"),
    "in doubt": ([LOST, BROKEN], {}, {"deadline": 1.0}, "InDoubtError"),
    "late": ([], {}, LATE, "DeadlineError"),
    "late before the look-up": ([], {"look_first": True}, LATE, "DeadlineError"),
}


def outcomes(client: Client) -> dict[str, int]:
    return {name: count for name, count in client.stats().outcomes.items() if count}


@pytest.mark.parametrize("level", [logging.INFO, logging.DEBUG], ids=logging.getLevelName)
@pytest.mark.parametrize("case", CASES)
async def test_a_call_with_a_marker(case: str, level: int, caplog: pytest.LogCaptureFixture) -> None:
    """The statistics and the log agree with what the program gets, with and without observers."""
    caplog.set_level(level, logger="wosdk_async")
    faults, how, bounds, outcome = CASES[case]
    options = CallOptions(retry=RetryPolicy(attempts=2, wait_initial=0.0))
    with LocalCompany() as local:
        local.faults.load({"rule": faults})
        async with Client.from_env(local.variables, options=options) as client:
            acme = client.company()
            await acme.connect()
            acme = acme.with_options(**bounds)
            calls = (
                acme.run(create_command(key), marker="work_order.po_number", **how) for key in ("A", "A", "B")
            )
            results = await asyncio.gather(*calls, return_exceptions=True)
            counted = outcomes(client)
            (company,) = client.stats().companies
        assert outcomes(client) == counted, "also once the client is closed"
    got = Counter(type(each).__name__ if isinstance(each, Exception) else "done" for each in results)
    assert counted == dict(got)
    assert got[outcome] >= 2
    assert (company.last_error == "") == (outcome == "done")
    lines = [record.getMessage() for record in caplog.records if record.getMessage().startswith("call: ")]
    assert len(lines) == (3 if level == logging.DEBUG else 0)
    assert all(CREATE in line and ("error=" in line) == (outcome != "done") for line in lines)


async def test_attempts_of_a_call_with_a_marker_are_numbered_through() -> None:
    """A look-up has numbers of its own; the second attempt is the second, though a look-up came before it."""
    found: list[Attempt] = []
    with LocalCompany() as local:
        local.faults.load({"rule": [{**LOST, "carried_out": False, "first": 1}]})
        options = CallOptions(settle=0.0)
        async with Client.from_env(local.variables, options=options, on_attempt=found.append) as client:
            await client.company().run(create_command("A"), marker="work_order.po_number")
    assert [each.number for each in found if each.operation == CREATE] == [1, 2]
    assert {each.number for each in found if each.operation == "query WorkOrder"} == {1}


async def test_a_cancelled_call_with_a_marker() -> None:
    """While it waits for another call with its key; that call ends as it would have."""
    with LocalCompany() as local:
        started = asyncio.Event()

        async def note(*_: object) -> None:
            started.set()

        async with Client.from_env(local.variables, before_send=note) as client:
            acme = client.company()
            first, second = (
                asyncio.ensure_future(acme.run(create_command("A"), marker="work_order.po_number"))
                for _ in range(2)
            )
            await started.wait()
            second.cancel()
            await asyncio.wait([first, second])
            assert outcomes(client) == {"done": 1, "cancelled": 1}


async def test_calls_that_a_hook_answers_or_stops() -> None:
    """With a marker or without one, they count as any other."""
    with LocalCompany() as local:
        answers: list[Response | Exception] = []

        async def hook(_: Call[Any], __: str) -> Response | None:
            answer = answers.pop()
            if isinstance(answer, Exception):
                raise answer
            return answer

        async with Client.from_env(local.variables, before_send=hook) as client:
            acme = client.company()
            answers += [KeyError(), InvalidCallError("no"), Response(200, {}, b'{"Data": {"Id": 1}}')]
            assert (await acme.get(WorkOrder, 1)).id == 1
            with pytest.raises(InvalidCallError):
                await acme.get(WorkOrder, 1)
            with pytest.raises(KeyError):
                await acme.run(create_command("A"), marker="work_order.po_number")
            assert outcomes(client) == {"done": 1, "InvalidCallError": 1, "KeyError": 1}


async def test_closing_waits_for_a_hook_and_sends_its_call() -> None:
    """The call began before the client closed, so it ends as any other."""
    asked, go = asyncio.Event(), asyncio.Event()

    async def hook(*_: object) -> None:
        asked.set()
        await go.wait()

    with LocalCompany() as local:
        client = Client.from_env(local.variables, before_send=hook)
        call = asyncio.ensure_future(client.company().get(Customer, 512))
        await asked.wait()
        closing = asyncio.ensure_future(client.aclose())
        await asyncio.sleep(0)
        go.set()
        assert (await call).id == 512
        await closing
