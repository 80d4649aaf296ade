"""When a session is renewed, by a clock that the test moves."""

from __future__ import annotations

import asyncio
import logging
import os
import threading
from typing import Any

import pytest

from tests.support.forking import status_of_child
from tests.support.laws import each_of
from wosdk_async import SessionError, ThrottledError
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.session.manager import ManagerCache, SessionManager, TokenGrant


class Time:
    """A clock that the test moves."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def clock(self) -> TransportClock:
        return TransportClock(lambda: self.seconds)


def manager(time: Time, *results: Any) -> tuple[SessionManager, list[float]]:
    """A manager whose renewals give ``results`` in turn, the last one for ever."""
    renewals: list[float] = []

    async def log_in(*_: object) -> TokenGrant:
        renewals.append(time.seconds)
        await asyncio.sleep(0)
        result = results[min(len(renewals), len(results)) - 1]
        if isinstance(result, Exception):
            raise result
        return TokenGrant(token="t", expires_in=result, base_url="https://a.corrigo.com", locator_url="")

    return SessionManager("Acme", log_in, time.clock()), renewals


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_renewed_early_by_one_while_the_others_go_on(caplog: pytest.LogCaptureFixture) -> None:
    """Late in its life the session is still handed out, and one renewal runs aside; that is not logged."""
    time = Time()
    sessions, renewals = manager(time, 1200)
    first = await sessions.renew(after=0)
    time.seconds += 1000
    assert [sessions.current() for _ in range(20)] == [first] * 20
    await settle()
    assert sessions.current() is not first
    assert len(renewals) == 2
    assert caplog.records == []


async def test_a_forked_child_does_not_wait_for_a_renewal_of_its_parent() -> None:
    """The task is there and never ends: the child starts a renewal of its own, early too."""
    time, cache = Time(), ManagerCache()
    sessions, renewals = manager(time, 1200)
    assert cache.get("Acme", lambda: sessions) is sessions
    first = await sessions.renew(after=0)
    time.seconds += 1000
    assert sessions.current() is first
    cache.forked()
    assert sessions.current() is first
    await settle()
    assert len(renewals) == 3, "the first one, the parent's, and the child's"


def test_a_forked_child_renews_though_a_thread_of_its_parent_was_at_it() -> None:
    """The thread is not in the child, and the lock under which it put secrets together is free there."""
    adding, go, parent = threading.Event(), threading.Event(), os.getpid()

    class SlowSecrets(Secrets):
        def __radd__(self, other: Secrets) -> Secrets:
            if os.getpid() == parent:
                adding.set()
                go.wait(30)
            return Secrets.__add__(other, self)

    async def log_in(*_: object) -> TokenGrant:
        grant = {"token": "t", "expires_in": 1200, "base_url": "https://a.corrigo.com", "locator_url": ""}
        return TokenGrant(**grant, secrets=SlowSecrets("secret-of-this-grant"))

    cache = ManagerCache()
    sessions = cache.get("Acme", lambda: SessionManager("Acme", log_in, Time().clock()))
    renewed: list[int] = []
    thread = threading.Thread(target=lambda: renewed.append(asyncio.run(sessions.renew(after=0)).generation))
    thread.start()
    assert adding.wait(30)

    def renews() -> bool:
        cache.forked()
        return asyncio.run(sessions.renew(after=0)).generation == 1

    status = status_of_child(renews)
    go.set()
    thread.join()
    assert status == 0
    assert renewed == [1], "the parent's renewal goes on"


async def test_a_failed_early_renewal_is_logged_and_held_off(caplog: pytest.LogCaptureFixture) -> None:
    """While the old session lives, a locator that is down stops nobody and is not hammered."""
    time = Time()
    sessions, renewals = manager(time, 1200, SessionError("down"))
    first = await sessions.renew(after=0)
    time.seconds += 1000
    with caplog.at_level(logging.WARNING, "wosdk_async"):
        for _ in range(50):
            assert sessions.current() is first
            await settle()
    assert len(renewals) == 2
    assert "company=Acme" in caplog.text
    time.seconds += 20
    sessions.current()
    await settle()
    assert len(renewals) == 3


async def test_a_log_in_has_begun_while_it_runs_or_waits_as_the_service_asked() -> None:
    time = Time()
    sessions, _ = manager(time, 1200)
    assert sessions.login_since is None
    renewal = asyncio.create_task(sessions.renew(after=0))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert sessions.login_since == time.seconds
    await renewal
    assert sessions.login_since is None
    busy = SessionError("busy")
    busy.__cause__ = asked = ThrottledError("busy", status=429)
    asked.retry_after = 30.0
    sessions.hold_off.note(busy, None)
    assert sessions.login_since == time.seconds


@each_of(("lifetime", "usable"), [(1200, 1170), (60, 30), (40, 20), (10, 5)])
async def test_a_token_is_used_for_all_its_life_but_the_end(lifetime: int, usable: int) -> None:
    """But for its last 30 s, and for half of it if it is shorter than a minute. Then it may be dropped."""
    for seconds, live in ((usable - 0.001, True), (usable, False)):
        time = Time()
        sessions, _ = manager(time, lifetime)
        await sessions.renew(after=0)
        time.seconds += seconds
        assert sessions.unused is not live
        assert (sessions.current() is not None) is live
        await settle()


async def test_companies_that_are_not_used_are_dropped_when_there_are_many() -> None:
    """All at once, so that most new Companies cost nothing; those whose session is live are kept."""
    cache, time = ManagerCache(), Time()

    def new() -> SessionManager:
        return manager(time, 1200)[0]

    for number in range(10):
        await cache.get(f"live {number}", new).renew(after=0)
    for number in range(10, cache.MIN_SIZE):
        cache.get(number, new)
        assert len(cache) == number + 1
    cache.get("one more", new)
    assert len(cache) == 10 + 1
    time.seconds += 1200
    for number in range(cache.MIN_SIZE - 11):
        cache.get(number, new)
    assert len(cache) == cache.MIN_SIZE
    cache.get("another", new)
    assert len(cache) == 1


async def test_an_error_of_another_library_reaches_the_waiters_as_it_is() -> None:
    """It may have no copy, and nothing is added to it."""

    class NoCopyError(Exception):
        def __init__(self, *, why: str) -> None:
            super().__init__(why)

    error = NoCopyError(why="broken")
    sessions, renewals = manager(Time(), error)
    found = await asyncio.gather(*(sessions.renew(after=0) for _ in range(2)), return_exceptions=True)
    assert found == [error, error]
    assert len(renewals) == 1


async def test_a_late_failure_of_an_old_generation_renews_nothing() -> None:
    """Who failed with a session that was replaced meanwhile gets the new one."""
    sessions, renewals = manager(Time(), 1200)
    await sessions.renew(after=0)
    second = await sessions.renew(after=1)
    assert await sessions.renew(after=1) is second
    assert len(renewals) == 2


async def test_who_is_cancelled_with_the_renewal_is_cancelled() -> None:
    """As at the end of asyncio.run, which cancels every task: no other error takes its place."""
    hanging = asyncio.Event()

    async def log_in(*_: object) -> TokenGrant:
        await hanging.wait()
        raise AssertionError

    sessions = SessionManager("Acme", log_in, Time().clock())
    waiting = asyncio.create_task(sessions.renew(after=0))
    await settle()
    for task in asyncio.all_tasks() - {asyncio.current_task()}:
        task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


@each_of("turns", range(4))
async def test_who_is_cancelled_while_the_client_closes_is_cancelled(turns: int) -> None:
    """Whichever of the two comes first: a SessionError would hide that the program stops the task."""
    hanging = asyncio.Event()

    async def log_in(*_: object) -> TokenGrant:
        await hanging.wait()
        raise AssertionError

    sessions = SessionManager("Acme", log_in, Time().clock())
    stopped, other = (asyncio.create_task(sessions.renew(after=0)) for _ in range(2))
    await settle()
    closing = asyncio.create_task(sessions.aclose())
    for _ in range(turns):
        await asyncio.sleep(0)
    assert stopped.cancel(), "it has not ended yet"
    await asyncio.wait([stopped, other])
    await closing
    assert stopped.cancelled()
    with pytest.raises(SessionError, match="the client was closed during the session renewal of 'Acme'"):
        await other


def test_companies_that_are_used_are_looked_through_seldom() -> None:
    """Each time their number has doubled, so that a new one has a constant cost."""
    looked = 0

    class Used(SessionManager):
        @property
        def unused(self) -> bool:
            nonlocal looked
            looked += 1
            return False

    cache, companies = ManagerCache(), 16 * ManagerCache.MIN_SIZE
    for number in range(companies):
        cache.get(number, lambda: Used("Acme", manager(Time(), 1)[0].renew, Time().clock()))  # type: ignore[arg-type]
    assert looked < 2 * companies
