"""What a run says of calls that it cut short: not started only if no request ever left."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.support.virtual import World, reply, settle
from tests.transport.script import hang
from wosdk_async import (
    AssetMatchByTaskCodeCommand,
    DeadlineError,
    Failed,
    InDoubt,
    NotStarted,
    Run,
    Trace,
    WoCreateCommand,
    WorkOrder,
)
from wosdk_async.protocol.wire import Response


async def cut(world: World, run: Run[Any, Any]) -> Any:
    """The one outcome of a run whose block is left by an exception as soon as nothing moves."""

    async def block() -> None:
        async with run:
            await settle()
            raise ZeroDivisionError

    task = asyncio.create_task(block())
    await world.time.finish(task)
    assert isinstance(task.exception(), ZeroDivisionError)
    (outcome,) = [outcome async for outcome in run]
    return outcome


def create(number: int) -> WoCreateCommand:
    return WoCreateCommand(work_order=WorkOrder(po_number=f"PO-{number}"))


async def busy(*_: Any) -> Response:
    return reply({}, 503, {"retry-after": "30"})


async def test_refused_and_cut_before_it_was_sent_again() -> None:
    """It had no effect, and it was sent: Failed says both, NotStarted would not be true."""
    world = World(busy)
    outcome = await cut(world, world.company().run_many([1], command=create, grace=0.0))
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, DeadlineError)
    assert (outcome.error.phase, outcome.error.attempts) == ("sleep", 1)


async def test_cut_in_doubt_says_how_long_to_wait() -> None:
    """The service may still carry it out within the settle time of the Company."""
    world = World(hang)
    run = world.company(settle=70.0).run_many([1], command=create, grace=0.0)
    outcome = await cut(world, run)
    assert isinstance(outcome, InDoubt)
    assert outcome.error.settle == 70.0
    assert "wait 70 s" in str(outcome.error)


async def test_cut_in_the_queue() -> None:
    """Nothing of it left."""
    world = World(hang, in_flight=1)
    other = asyncio.create_task(world.company().get("Thing", 1))
    await settle()
    outcome = await cut(world, world.company().run_many([1], command=create, grace=0.0))
    assert isinstance(outcome, NotStarted)
    other.cancel()
    await asyncio.wait([other])


@pytest.mark.parametrize("marker", [None, "work_order.po_number"])
async def test_inputs_of_a_closed_client_are_not_started(marker: str | None) -> None:
    """Nothing of them left."""
    world = World(hang)
    company = world.company()
    await world.transport.aclose(0.0)
    async with company.run_many([1, 2], command=create, marker=marker) as run:
        assert [type(outcome) async for outcome in run] == [NotStarted, NotStarted]


async def test_an_input_whose_client_was_closed_after_a_change_failed() -> None:
    """Work of several calls: something of it was carried out."""

    async def handler(*_: Any) -> Response:
        return reply({"CommandResult": {}, "Data": {"Id": 1}})

    world = World(handler)

    async def work(_: int, trace: Trace) -> None:
        acme = world.company().traced(trace)
        await acme.run("First", {})
        await world.transport.aclose(0.0)
        await acme.run("Second", {})

    async with Run([1], work) as run:
        assert [type(outcome) async for outcome in run] == [Failed]


@pytest.mark.parametrize("first", ["read", "change"])
async def test_cut_between_two_calls_of_one_input(first: str) -> None:
    """Work of several calls: once one that changes something was sent, it is in doubt."""

    async def handler(_: str, url: str, *__: Any) -> Response:
        if "/Second/" in url:
            return await hang()
        return reply({"CommandResult": {}, "Data": {"Id": 1}})

    world = World(handler, in_flight=1)

    async def work(_: int, trace: Trace) -> None:
        acme = world.company().traced(trace)
        await (acme.get("Thing", 1) if first == "read" else acme.run("First", {}))
        other = asyncio.create_task(world.company().get("Second", 1))
        await asyncio.sleep(0)
        try:
            await acme.run("Third", {})
        finally:
            other.cancel()

    outcome = await cut(world, Run([1], work, grace=0.0))
    assert isinstance(outcome, InDoubt if first == "change" else NotStarted)


async def test_a_command_that_only_reads_is_never_in_doubt() -> None:
    """It was sent, and may be sent again."""
    world = World(hang)
    command = AssetMatchByTaskCodeCommand(task_code="x")
    outcome = await cut(world, world.company().run_many([command], grace=0.0))
    assert isinstance(outcome, Failed)
    assert isinstance(outcome.error, DeadlineError)
    assert outcome.error.phase == "request"


async def test_what_a_transport_raises_after_it_was_given_a_create_is_a_doubt() -> None:
    """Whatever it is: nobody knows what it did with the request. Of a read it is a failure."""

    async def breaking(*_: Any) -> Response:
        raise AssertionError("not what was expected")

    world = World(breaking)
    async with world.company().run_many([create(1), AssetMatchByTaskCodeCommand(task_code="x")]) as run:
        outcomes = {outcome.index: outcome async for outcome in run}
    assert isinstance(outcomes[0], InDoubt)
    text = "AssertionError was raised after the request was sent (not what was expected)"
    assert text in str(outcomes[0].error)
    assert outcomes[0].error.operation == "WoCreateCommand"
    assert isinstance(outcomes[0].error.__cause__, AssertionError)
    assert isinstance(outcomes[1], Failed)
