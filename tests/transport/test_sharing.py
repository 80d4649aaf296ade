"""A client that is closed twice at once, and one that event loops in many threads share."""

from __future__ import annotations

import asyncio
import sys
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tests.support.facts import having
from tests.support.service import Service
from tests.support.virtual import REGION, World, reply, settle
from tests.transport.script import FOUND, hang
from tests.transport.test_lifetime import Server
from wosdk_async import Client, ConfigurationError, Credentials
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.session.credentials import Tenant


async def test_closing_twice_at_once() -> None:
    """The second task waits until it is done; a third close does nothing."""
    async with Service() as service:
        client = service.client()
        await client.company().get("Thing", 1)
        await asyncio.gather(client.aclose(), client.aclose(), client.aclose(0.0))
        assert client.stats().connections_idle == 0
        await client.aclose()


async def test_the_shorter_grace_of_two_holds() -> None:
    """The second one does not wait for the grace of the first."""

    world = World(hang)
    call = asyncio.create_task(world.company().get("Thing", 1))
    await settle()
    patient = asyncio.create_task(world.transport.aclose(60.0))
    await settle()
    await world.transport.aclose(0.0)
    await patient
    assert call.exception() is not None
    assert all(engine.closed for engine in world.engines)


async def test_closing_again_after_the_first_was_cancelled() -> None:
    """The connections are closed in any case."""
    world = World(lambda *_: asyncio.sleep(3600, reply({})))
    call = asyncio.create_task(world.company().get("Thing", 1))
    await settle()
    first = asyncio.create_task(world.transport.aclose(60.0))
    await settle()
    first.cancel()
    await asyncio.wait([first])
    await world.transport.aclose(0.0)
    call.cancel()
    await asyncio.wait([call])
    assert all(engine.closed for engine in world.engines)


class Asked(asyncio.SelectorEventLoop):
    """An event loop that runs ``meanwhile`` once, when somebody asks whether it is closed."""

    meanwhile: Any = None

    def is_closed(self) -> bool:
        meanwhile, self.meanwhile = self.meanwhile, None
        if meanwhile is not None:
            thread = threading.Thread(target=meanwhile)
            thread.start()
            thread.join()
        return super().is_closed()


def test_a_loop_that_comes_while_another_one_is_let_in() -> None:
    """Neither is forgotten: each goes on over the connection that it opened, and needs no other."""

    async def call(client: Client) -> Any:
        return await client.company().get("Thing", 1)

    with Server() as service:
        client, first, second = service.client(), Asked(), asyncio.new_event_loop()
        third, values = asyncio.new_event_loop(), list[Any]()
        values.append(first.run_until_complete(call(client)))
        first.meanwhile = lambda: values.append(second.run_until_complete(call(client)))
        values.append(third.run_until_complete(call(client)))
        assert service.connections == 3 + 2, "one for each loop, and two of the log-in"
        values += [loop.run_until_complete(call(client)) for loop in (first, second, third)]
        assert values == [{"Id": 1}] * 6
        assert service.connections == 3 + 2
        for loop in (first, second, third):
            loop.run_until_complete(client.aclose())
            loop.close()


@pytest.fixture
def preempted() -> Iterator[None]:
    """Threads take turns after as good as every step."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


async def never(*_: Any) -> Response:
    raise AssertionError("nothing is sent")


@pytest.mark.usefixtures("preempted")
def test_companies_that_are_added_while_others_are_counted() -> None:
    """One loop can read statistics while others open Companies, and one Company has one session."""
    transport = World(never).transport
    credentials = Credentials("id", "secret")
    errors, managers, begin, done = (
        list[BaseException](),
        dict[int, Any](),
        threading.Barrier(5),
        threading.Event(),
    )

    async def add(number: int) -> None:
        found = [transport.sessions(Tenant(f"C{each}", REGION, credentials)) for each in range(1500)]
        managers[number] = found

    async def count() -> None:
        while not done.is_set():
            transport.stats()
            repr(transport)

    def run(job: Any) -> None:
        try:
            begin.wait()
            asyncio.run(job)
        except BaseException as error:
            errors.append(error)

    counting = threading.Thread(target=run, args=(count(),))
    adding = [threading.Thread(target=run, args=(add(number),)) for number in range(4)]
    for thread in (counting, *adding):
        thread.start()
    for thread in adding:
        thread.join()
    done.set()
    counting.join()
    assert errors == []
    assert all(len(set(same)) == 1 for same in zip(*managers.values(), strict=True))


@pytest.mark.usefixtures("preempted")
def test_many_loops_in_many_threads_share_a_client() -> None:
    """Each call gives its value, and closing in one loop refuses the others with our own error."""
    with Server() as service:
        client, errors, values = service.client(), list[BaseException](), list[Any]()

        async def job() -> None:
            for _ in range(3):
                values.append(await client.company().get("Thing", 1))

        def run() -> None:
            try:
                for _ in range(5):
                    asyncio.run(job())
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=run) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert values == [FOUND.body["Data"]] * 8 * 5 * 3
        asyncio.run(client.aclose())
        with pytest.raises(ConfigurationError, check=having(client_closed=True)):
            asyncio.run(job())


def test_a_query_is_sent_by_the_loop_that_awaits_it() -> None:
    """Not by the one in which it was made; it may be made where no loop runs."""
    expression = {"Count": 1}

    async def handler(*_: Any) -> Response:
        return reply({"Entities": [{"Data": {"Id": 1}}]})

    world = World(handler)
    acme = world.company()
    assert asyncio.run(acme.query("Thing", expression)) == [{"Id": 1}]  # type: ignore[arg-type]

    async def made() -> Any:
        await acme.query("Thing", expression)
        return acme.query("Thing", expression)

    query = asyncio.run(made())

    async def awaited() -> Any:
        found = await query
        return found, world.transport.stats().outcomes

    assert asyncio.run(awaited()) == ([{"Id": 1}], {"done": 1})
