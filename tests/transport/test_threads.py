"""State that event loops in several threads share. Threads switch as often as they can here."""

from __future__ import annotations

import asyncio
import json
import sys
import threading
from collections.abc import Callable, Coroutine, Iterator
from typing import Any

import pytest

from tests.support.virtual import World, reply, settle
from wosdk_async.model import Customer
from wosdk_async.protocol.wire import Response
from wosdk_async.shared_tasks import SharedTask, SingleFlight
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.retry import RetryQuota
from wosdk_async.transport.session.manager import SessionManager, TokenGrant

THREADS = 4


@pytest.fixture(autouse=True)
def preempted() -> Iterator[None]:
    """Let threads take turns after as good as every step."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


def in_threads(*jobs: Callable[[], object]) -> None:
    """Run each job in a thread of its own, all at once; raise what the first of them raised."""
    begin, errors = threading.Barrier(len(jobs)), list[BaseException]()

    def run(job: Callable[[], object]) -> None:
        try:
            begin.wait()
            job()
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(job,)) for job in jobs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def in_loops(job: Callable[[], Coroutine[Any, Any, object]]) -> None:
    """Run the job in several event loops at once, each in a thread of its own."""
    in_threads(*[lambda: asyncio.run(job())] * THREADS)


def test_the_retry_quota_loses_no_change() -> None:
    """What retries take and successes give back adds up, whichever threads they are in."""
    quota, times = RetryQuota(1e9), 20_000
    quota.left = before = 5e8

    def take() -> None:
        for _ in range(times):
            assert quota.take()

    def give() -> None:
        for _ in range(times):
            quota.succeeded(True)

    in_threads(take, give, take, give)
    assert quota.left == before


def test_a_session_that_another_loop_opens_meanwhile() -> None:
    """Each session has a number of its own, and the one that comes last stays."""
    opened, meanwhile = list[TokenGrant](), [lambda: asyncio.run(renew())]

    async def log_in(*_: Any) -> TokenGrant:
        opened.append(TokenGrant(token="t", expires_in=1200, base_url="https://a", locator_url="https://l"))
        return opened[-1]

    def now() -> float:
        if (
            opened and meanwhile
        ):  # the first loop has its grant, and looks at the time when the session starts
            in_threads(meanwhile.pop())
        return 1000.0

    manager = SessionManager("Acme", log_in, TransportClock(now))

    async def renew() -> None:
        await manager.renew(after=0)

    asyncio.run(renew())
    session = manager.session
    assert session is not None
    assert session.generation == len(opened) == 2
    assert session.grant is opened[0], "the one whose session starts last"


async def test_a_call_joins_the_renewal_of_its_own_loop() -> None:
    """Although another loop renews too: each loop logs in once, however many of its calls wait."""
    began, ends = threading.Semaphore(0), list[tuple[asyncio.AbstractEventLoop, asyncio.Event]]()

    async def log_in(*_: Any) -> TokenGrant:
        ends.append((asyncio.get_running_loop(), end := asyncio.Event()))
        began.release()
        await end.wait()
        return TokenGrant(token="t", expires_in=1200, base_url="https://a", locator_url="https://l")

    manager = SessionManager("Acme", log_in, TransportClock())
    first = asyncio.create_task(manager.renew(after=0))
    await asyncio.to_thread(began.acquire)
    other = threading.Thread(target=lambda: asyncio.run(manager.renew(after=0)))
    other.start()
    await asyncio.to_thread(began.acquire)
    second = asyncio.create_task(manager.renew(after=0))
    await settle()
    assert len(ends) == 2
    for loop, end in ends:
        loop.call_soon_threadsafe(end.set)
    await asyncio.gather(first, second)
    await asyncio.to_thread(other.join)
    assert manager.session is not None
    assert manager.session.generation == 2


async def found_customers(_: str, __: str, ___: dict[str, str], body: bytes | None) -> Response:
    """Answer a query for names: the customer ``Shop 7`` has the id 7."""
    names = json.loads(body or b"")["QueryExpression"]["Criteria"]["Conditions"][0]["Values"]
    found = [{"Id": int(name.split()[1]), "Name": name} for name in names]
    return reply({"Entities": [{"Data": each} for each in found]})


def test_names_are_found_while_other_loops_forget_them() -> None:
    """The loops share the names that a Company remembers, and push out each other's; each asks by itself."""
    company, failures = World(found_customers).company(), list[Any]()
    names = {f"Shop {id}": Customer.ref(id) for id in range(40)}

    async def resolve() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
        for _ in range(60):
            assert await company.resolve(Customer, names=names, by="name", remember=20) == names

    in_loops(resolve)
    assert failures == []


class Key:
    """Key of a dict, which runs ``meanwhile`` in another thread when it is hashed the ``when``-th time."""

    def __init__(self, when: int, meanwhile: Callable[[Key], object]) -> None:
        self.left, self.meanwhile = when, meanwhile

    def __hash__(self) -> int:
        self.left -= 1
        if self.left == 0:
            in_threads(lambda: self.meanwhile(self))
        return 1


@pytest.mark.parametrize("when", [2, 3], ids=["before it looks", "before it removes"])
async def test_a_shared_task_that_another_loop_takes_away_while_it_ends(when: int) -> None:
    """The task finds that there is nothing to remove any more."""
    failures = list[Any]()
    asyncio.get_running_loop().set_exception_handler(lambda _, context: failures.append(context))
    tasks = SingleFlight()
    key = Key(when, tasks.hide)
    task = SharedTask(lambda: asyncio.sleep(0, 7), lambda: 0.0)
    tasks.add(key, task)
    assert await task.result() == 7
    await settle()
    assert key.left < 0, "it was taken away"
    assert failures == []
    assert tasks.find(key, 0.0) is None
