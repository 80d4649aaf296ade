"""Providers of credentials and sessions that return or raise what they should not: the error names them."""

from __future__ import annotations

import asyncio
import copy
import dataclasses
import math
import os
import pickle
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.laws import each_of
from tests.support.service import COMPANY, Service
from tests.support.virtual import World
from tests.transport.script import found
from wosdk_async import Client, ConfigurationError, Credentials, DeadlineError, SessionError
from wosdk_async.settings.environment import from_command
from wosdk_async.transport.session.manager import TokenGrant

PAIR = Credentials("id-1", "secret")


class GivesGrants:
    """Gives ``given`` each time, and counts."""

    def __init__(self, given: Any) -> None:
        self.given, self.asked = given, 0

    async def grant(self, *_: object) -> Any:
        self.asked += 1
        return self.given


def lasting(seconds: Any, url: str = "https://a.example", token: str = "t" * 20) -> TokenGrant:
    return TokenGrant(token=token, expires_in=seconds, base_url=url, locator_url=url)


async def failure(credentials: Any, kind: type[Exception]) -> str:
    """The error of three calls that wait for one log-in with ``credentials``."""
    async with Client(credentials=credentials) as client:
        company = client.company(COMPANY)
        found = await asyncio.gather(*(company.get("Thing", 1) for _ in range(3)), return_exceptions=True)
    assert [type(each) for each in found] == [kind] * 3
    return str(found[0])


class OwnError(SessionError):
    """Error of a program with arguments of its own."""

    def __init__(self, vault: str, code: int) -> None:
        super().__init__(f"{vault} says {code}")
        self.vault = vault


async def test_an_error_of_the_program_with_other_arguments() -> None:
    """Every call gets a copy."""

    async def provider(_: str) -> Credentials:
        raise OwnError("vault", 5)

    assert "vault says 5" in await failure(provider, OwnError)


@pytest.mark.parametrize(
    "duplicate",
    [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))],  # noqa: S301 - our own
)
def test_such_an_error_can_be_copied(duplicate: Any) -> None:
    error = OwnError("vault", 5)
    error.add(company=COMPANY)
    again = duplicate(error)
    assert (type(again), again.args, vars(again)) == (OwnError, error.args, vars(error))


@dataclasses.dataclass
class Unhashable:
    """Provider as a dataclass writes it: equal to another one, and without a hash."""

    pair: Credentials

    async def __call__(self, _: str) -> Credentials:
        return self.pair


async def test_a_provider_without_a_hash_is_known_by_its_identity() -> None:
    """One session for each provider."""
    one, other = Unhashable(PAIR), Unhashable(PAIR)
    async with Service() as service, service.client() as client:
        for provider in (one, other, one):
            await client.company(COMPANY, credentials=provider).connect()
    assert len(service.tokens) == 2


@pytest.mark.parametrize("given", [None, {"token": "t"}, PAIR])
async def test_a_provider_that_gives_no_grant(given: object) -> None:
    assert "GivesGrants" in await failure(GivesGrants(given), ConfigurationError)


async def test_a_provider_of_grants_that_is_not_async() -> None:
    class Plain:
        def grant(self, *_: object) -> TokenGrant:
            return lasting(600.0)

    assert "Plain" in await failure(Plain(), ConfigurationError)


@each_of("seconds", ["600", None, math.nan, math.inf, 0.0, -5.0])
async def test_a_session_that_lasts_for_no_time(seconds: object) -> None:
    """It is asked for once, not without end."""
    provider = GivesGrants(lasting(seconds))
    assert "GivesGrants" in await failure(provider, SessionError)
    assert provider.asked == 1


async def test_a_session_that_lasts_for_a_moment_is_used() -> None:
    """As one of a token endpoint is: the service says when it has ended."""
    async with Service() as service:
        provider = GivesGrants(lasting(1e-9, service.url))
        async with Client(credentials=provider) as client:
            await client.company(COMPANY).with_options(deadline=2.0).get("Thing", 1)
    assert provider.asked == 1


@each_of("url", ["http://far.example.com", "ftp://127.0.0.1", "https://user:pw@a.example", ""])
async def test_a_host_that_may_not_get_the_token(url: str) -> None:
    """https is needed, but for this machine and trusted hosts."""
    assert "pw" not in await failure(GivesGrants(lasting(600.0, url)), ConfigurationError)


async def test_a_trusted_host_may_be_reached_without_https() -> None:
    provider = GivesGrants(lasting(600.0, "http://far.example.com"))
    async with Client(credentials=provider, trusted_hosts=["example.com"]) as client:
        company = client.company(COMPANY)
        await company.connect()
        assert company.host == "http://far.example.com"


@each_of("token", ["", "a b", "a\r\nX: y", "t\u00f6ken", "x" * 20_000])
async def test_a_token_that_no_header_can_carry(token: str) -> None:
    """The error does not show it."""
    said = await failure(GivesGrants(lasting(600.0, token=token)), SessionError)
    assert len(token) < 3 or token not in said


async def test_closing_does_not_wait_for_a_provider_that_ignores_it() -> None:
    """It is cancelled, and gets a second to end."""
    released = asyncio.Event()
    ended = asyncio.Event()

    async def provider(_: str) -> Credentials:
        while not released.is_set():
            try:
                await released.wait()
            except asyncio.CancelledError:
                continue
        ended.set()
        return PAIR

    client = Client(credentials=provider)
    call = asyncio.create_task(client.company(COMPANY).get("Thing", 1))
    await asyncio.sleep(0)
    try:
        async with asyncio.timeout(10):
            await client.aclose(grace=0.0)
    finally:
        released.set()
        await ended.wait()
        await asyncio.gather(call, return_exceptions=True)


async def test_a_function_that_hangs_once_is_ended_after_30_s() -> None:
    """Calls keep coming, so so the log-in is never without one."""
    asked = 0

    async def vault(_: str) -> Credentials:
        nonlocal asked
        asked += 1
        if asked == 1:
            await asyncio.Event().wait()
        return PAIR

    world = World(found)
    name = f"the credentials function {vault.__qualname__} of 'Acme'"
    calls = []
    for second in range(32):
        calls.append(asyncio.create_task(world.company(credentials=vault, deadline=5.0).get("Thing", 1)))
        await world.time.pass_by(1.0)
        if second < 30:
            (company,) = world.transport.stats().companies
            assert company.login_waits_for == f"{name} has not returned"
    await world.time.finish(*calls)
    failures = [call.exception() for call in calls]
    late, ended = failures[0], failures[29]
    assert isinstance(late, DeadlineError)
    assert f"opening the session: {name} has not returned" in str(late)
    assert isinstance(ended, SessionError)
    assert f"{name} did not return within 30 s" in str(ended)
    assert (failures[31], asked) == (None, 2)


async def test_a_command_that_hangs_is_ended_after_30_s(tmp_path: Path) -> None:
    """Also if a child of the command has its output open."""
    started = tmp_path / "child"
    code = f"""if True:
        import subprocess, sys
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        open({str(started)!r}, "w").write(str(child.pid))
        child.wait()
    """
    world = World(found)
    company = world.company(credentials=from_command([sys.executable, "-c", code]), deadline=60.0)
    call = asyncio.create_task(company.get("Thing", 1))
    while not started.exists() or not started.read_text():
        await asyncio.sleep(0)
    (stats,) = world.transport.stats().companies
    assert stats.login_waits_for == f"the credentials command {sys.executable!r} has not returned"
    await world.time.pass_by(31.0)
    try:
        with pytest.raises(SessionError, match=r"the credentials command .* did not return within 30 s"):
            async with asyncio.timeout(10):
                await call
    finally:
        os.kill(int(started.read_text()), signal.SIGKILL)
