"""When a client ends, and what it is in a second event loop or a forked child."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.facts import having
from tests.support.forking import status_of_child
from tests.support.service import Answer, Service
from tests.support.virtual import World, reply, settle
from tests.transport.script import FOUND, hang
from wosdk_async import (
    Client,
    ConfigurationError,
    DeadlineError,
    InDoubtError,
    RetryPolicy,
    ThrottledError,
)
from wosdk_async.protocol import calls
from wosdk_async.protocol.wire import Response


class Slow:
    """Answers after ``seconds`` of the world's time."""

    def __init__(self, seconds: float) -> None:
        self.world = World(self, in_flight=2)
        self.seconds = seconds

    async def __call__(self, *_: Any) -> Response:
        await self.world.time.sleep(self.seconds)
        return reply({"Data": {"Id": 1}, "CommandResult": {"Wo": {"Id": 7}}})


async def test_calls_under_way_end_within_the_grace_and_new_ones_are_refused() -> None:
    """Closing waits for those that are sent and those in the queue, and lets nobody else in."""
    slow = Slow(0.0)
    company = slow.world.company()
    go = asyncio.Event()

    async def gated(*_: Any) -> Response:
        await go.wait()
        return reply({"Data": {"Id": 1}})

    slow.world.handler = gated
    calls = [asyncio.create_task(company.get("Thing", 1)) for _ in range(5)]
    await settle()
    closing = asyncio.create_task(slow.world.transport.aclose(5.0))
    await settle()
    assert not closing.done()
    with pytest.raises(ConfigurationError, check=having(client_closed=True)):
        await company.get("Thing", 1)
    go.set()
    await closing
    assert [task.result() for task in calls] == [{"Id": 1}] * 5
    assert all(engine.closed for engine in slow.world.engines)


async def test_a_session_that_is_being_opened_gets_the_grace() -> None:
    """``connect`` is a call under way like any other."""
    world = World(Slow(0.0))
    go = asyncio.Event()
    token = world.on_token

    async def gated(*request: Any) -> Response:
        await go.wait()
        return await token(*request)

    world.on_token = gated
    connecting = asyncio.create_task(world.company().connect())
    await settle()
    closing = asyncio.create_task(world.transport.aclose(5.0))
    await settle()
    go.set()
    await closing
    await connecting
    assert world.tokens == 1


async def test_what_does_not_end_within_the_grace_raises_what_became_of_it() -> None:
    """A create that was sent is in doubt; a read, and what was still in the queue, is not."""
    slow = Slow(1e6)
    company = slow.world.company()
    read = asyncio.create_task(company.get("Thing", 1))
    sent, queued = (asyncio.create_task(company.run("WoCreateCommand", {})) for _ in range(2))
    await settle()
    await slow.world.transport.aclose(0.0)
    errors = [task.exception() for task in (read, sent, queued)]
    assert [type(error) for error in errors] == [DeadlineError, InDoubtError, DeadlineError]
    assert "before the client was closed" in str(errors[1])
    assert all(engine.under_way == 0 and engine.closed for engine in slow.world.engines)


class Server:
    """A scripted service in a thread of its own, as it would be another process."""

    def __enter__(self) -> Service:
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.service = Service(lambda _: FOUND)
        asyncio.run_coroutine_threadsafe(self.service.__aenter__(), self._loop).result(10)
        return self.service

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self.service.__aexit__(), self._loop).result(10)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(10)
        self._loop.close()


def test_a_renewal_of_another_loop_is_not_waited_for() -> None:
    """It may never end; whoever asks in a second loop renews there."""
    with Server() as service:
        client = service.client()

        async def begin() -> asyncio.Task[Any]:
            call = asyncio.create_task(client.company().get("Thing", 1))
            while not service.tokens:
                await asyncio.sleep(0)
            return call

        async def end(call: asyncio.Task[Any]) -> None:
            call.cancel()
            await client.aclose()

        async def job() -> Any:
            return await client.company().with_options(deadline=5).get("Thing", 1)

        normal, service.on_token = service.on_token, hang
        first = asyncio.new_event_loop()
        call = first.run_until_complete(begin())
        service.on_token = normal
        assert asyncio.run(job()) == {"Id": 1}
        first.run_until_complete(end(call))
        first.close()
    gc.collect()


def test_a_forked_child_has_request_ids_of_its_own() -> None:
    """No id is given to two requests."""

    def some() -> list[str]:
        return [str(calls.command("Any", {}).request_id) for _ in range(3)]

    some()
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writing, " ".join(some()).encode())
        os._exit(0)
    os.waitpid(child, 0)
    childs = os.read(reading, 1000).decode().split()
    os.close(reading)
    os.close(writing)
    given = childs + some()
    assert len(set(given)) == 6
    assert all(len(each) == 32 and int(each, 16) >= 0 for each in given)


def test_a_forked_child_opens_its_own_connections() -> None:
    """Even on the loop it inherited: neither sends over the other's sockets, and both go on."""
    with Server() as service:
        client, loop = service.client(), asyncio.new_event_loop()

        def call() -> Any:
            return loop.run_until_complete(client.company().get("Thing", 1))

        assert call() == {"Id": 1}
        opened = service.connections

        def calls_in_the_child() -> bool:
            loop.set_default_executor(ThreadPoolExecutor(1))  # threads are not inherited
            return bool(call() == {"Id": 1})

        assert status_of_child(calls_in_the_child) == 0
        assert service.connections == opened + 1, "the child has a connection of its own"
        assert call() == {"Id": 1}
        assert service.connections == opened + 1, "the parent still has its old one"
        assert len(service.tokens) == 1
        loop.run_until_complete(client.aclose())
        loop.close()
    gc.collect()


def test_what_one_loop_learned_is_kept_while_another_is_used() -> None:
    """Each loop has its own queue of a Company, and with it the limit that refusals taught."""

    async def get(client: Client) -> Any:
        return await client.company().with_options(retry=RetryPolicy(attempts=1)).get("Thing", 1)

    async def limit(client: Client) -> int:
        return client.stats().companies[0].limit

    with Server() as service, asyncio.Runner() as first, asyncio.Runner() as second:
        client = service.client()
        first.run(get(client))
        service.handler = lambda _: Answer(429, b"")
        with pytest.raises(ThrottledError):
            first.run(get(client))
        service.handler = lambda _: FOUND
        learned = first.run(limit(client))
        second.run(get(client))
        assert second.run(limit(client)) == 2 * learned
        assert first.run(limit(client)) == learned, "of the running loop, whichever sent last"
        first.run(get(client))
        assert first.run(limit(client)) in (learned, learned + 1)
        second.run(client.aclose())
        first.run(client.aclose())
    gc.collect()
