"""Hooks that return or raise what they must not: a clear error or log record, and the right verdict."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Callable
from typing import Any

import httpx
import pytest

from tests.support.laws import each_of
from tests.support.service import Service
from tests.support.virtual import World, settle
from tests.transport.script import DONE
from tests.transport.test_marker import MARKER, ScriptedCompany, create
from wosdk_async import (
    Client,
    ConfigurationError,
    Customer,
    InDoubtError,
)
from wosdk_async.protocol.wire import Response

Hook = Callable[..., Any]


def returning(value: Any) -> Hook:
    async def hook(*_: Any) -> Any:
        return value

    return hook


def plain(value: Any) -> Hook:
    return lambda *_: value


async def generating(*_: Any) -> AsyncIterator[None]:
    yield


async def cancelling(*_: Any) -> None:
    raise asyncio.CancelledError


async def awaiting_what_was_cancelled(*_: Any) -> None:
    task = asyncio.ensure_future(asyncio.sleep(60))
    task.cancel()
    await task


AT_FAULT = {
    "text": (returning("stop"), "a str"),
    "response of httpx": (returning(httpx.Response(200)), "a Response"),
    "False": (returning(False), "a bool"),
    "text as body": (returning(Response(200, {}, "{}")), "body is a str"),  # type: ignore[arg-type]
    "no headers": (returning(Response(200, None, b"{}")), "headers is a None"),  # type: ignore[arg-type]
    "text as status": (returning(Response("200", {}, b"{}")), "status is a str"),  # type: ignore[arg-type]
    "not awaitable": (plain(None), "None, which cannot be awaited"),
    "response, not awaitable": (plain(Response(200, {}, b"{}")), "a Response, which cannot be awaited"),
    "async generator": (generating, "an async_generator, which cannot be awaited"),
    "raises CancelledError": (cancelling, "CancelledError"),
    "awaits what was cancelled": (awaiting_what_was_cancelled, "CancelledError"),
}


@each_of("case", AT_FAULT)
async def test_a_before_send_at_fault_sends_nothing(case: str) -> None:
    """The error names the hook, what it gave and what it takes, and has the details of the call."""
    hook, gave = AT_FAULT[case]
    async with Service() as service, service.client(before_send=hook) as client:
        with pytest.raises(ConfigurationError) as caught:
            await client.company().run("WoCreateCommand", {})
    error = caught.value
    assert error.message.startswith("before_send ")
    assert gave in error.message
    assert (error.company, error.operation) == ("Acme Facilities", "WoCreateCommand")
    assert service.calls == service.tokens == []


async def test_a_caller_that_is_cancelled_while_before_send_waits_is_cancelled() -> None:
    """Its own cancellation is no fault of the hook."""

    async def hook(*_: Any) -> None:
        await asyncio.Event().wait()

    async with Service() as service, service.client(before_send=hook) as client:
        task = asyncio.create_task(client.company().get(Customer, 7))
        await settle()
        task.cancel()
        await settle()
        assert task.cancelled()


async def test_a_before_send_at_fault_in_a_look_leaves_the_doubt() -> None:
    """The create was sent and is in doubt; the error of the look-up does not hide that."""

    async def hook(call: Any, _: str) -> Any:
        if call.operation.startswith("query"):
            raise asyncio.CancelledError
        return None

    service = ScriptedCompany(0.0, before_send=hook)
    task = asyncio.create_task(service.company().run(create("k"), marker=MARKER))
    await service.time.finish(task)
    assert isinstance(task.exception(), InDoubtError)
    assert isinstance(task.exception().__cause__, ConfigurationError)


async def asynchronous(*_: Any) -> None:
    pass


@each_of("name", ["on_attempt", "on_in_doubt"])
@each_of("hook", [asynchronous, functools.partial(asynchronous, 1)], ids=["def", "partial"])
def test_an_async_function_where_nothing_is_awaited(name: str, hook: Hook) -> None:
    """It would never run; said when the client is made."""
    options: dict[str, Any] = {name: hook}
    with pytest.raises(ConfigurationError, match=f"{name} is an async function.*plain function"):
        Client(**options)


def own_cancellation(*_: Any) -> None:
    raise asyncio.CancelledError


LOGGED = {
    "coroutine": (lambda *_: asynchronous(), "returned a coroutine"),
    "CancelledError": (own_cancellation, "CancelledError"),
    "wrong signature": (lambda: None, "TypeError"),
}


@pytest.mark.parametrize("case", LOGGED)
async def test_an_on_attempt_at_fault_changes_no_outcome(case: str, caplog: pytest.LogCaptureFixture) -> None:
    """The create was carried out, and that is what its caller gets."""
    hook, text = LOGGED[case]
    async with Service(lambda _: DONE) as service, service.client(on_attempt=hook) as client:
        assert await client.company().run("WoCreateCommand", {}) == {"Wo": {"Id": 7}}
    assert text in caplog.text


@pytest.mark.parametrize("case", LOGGED)
async def test_an_on_in_doubt_at_fault_is_logged(case: str, caplog: pytest.LogCaptureFixture) -> None:
    """The cancellation reaches its caller."""
    hook, text = LOGGED[case]
    world = World(lambda *_: asyncio.Event().wait(), on_in_doubt=hook)  # type: ignore[arg-type, return-value]
    task = asyncio.create_task(world.company().run("WoCreateCommand", {}))
    await settle()
    task.cancel()
    await settle()
    assert task.cancelled()
    assert "on_in_doubt failed: operation=WoCreateCommand" in caplog.text
    assert text in caplog.text
