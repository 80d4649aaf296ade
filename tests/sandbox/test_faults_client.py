"""Each fault as our client sees it, over a socket and in the process: the verdict, and what it leaves."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs
import pytest

from tests.sandbox.faulty import DOUBTFUL, creates
from tests.support.laws import each_of
from tests.testing.orders import count, create_command
from wosdk_async import CallOptions, Client, Company, InDoubtError, RetryPolicy, WosdkError
from wosdk_async.errors import ThrottledError
from wosdk_async.sandbox import Faults, LocalCompany
from wosdk_async.sandbox.faults.kinds import KINDS
from wosdk_async.testing import Sandbox

names = (f"client-{number}" for number in itertools.count())
QUICK = CallOptions(retry=RetryPolicy(attempts=3, wait_initial=0.001), deadline=20)


@pytest.fixture(scope="module")
def shared() -> Iterator[LocalCompany]:
    with LocalCompany() as local:
        yield local


@attrs.frozen
class Pair:
    acme: Company
    faults: Faults

    async def create(self, script: dict[str, Any]) -> tuple[WosdkError | None, int]:
        """Return the error of a create under this script, and the number of orders it left."""
        name, found = next(names), None
        self.faults.load(script)
        try:
            await self.acme.run(create_command(name))
        except WosdkError as error:
            found = error
        self.faults.clear()
        return found, await count(self.acme, name)


@pytest.fixture(params=["socket", "process"])
async def pair(request: pytest.FixtureRequest, shared: LocalCompany) -> AsyncIterator[Pair]:
    if request.param == "process":
        sandbox = Sandbox()
        yield Pair(sandbox.client(options=QUICK).company(), sandbox.faults)
        return
    async with Client.from_env(shared.variables, options=QUICK) as client:
        yield Pair(client.company(), shared.faults)


@each_of(("script", "left"), DOUBTFUL)
async def test_in_doubt(pair: Pair, script: dict[str, Any], left: int) -> None:
    """The client cannot know, says so, and does not send a create twice."""
    error, found = await pair.create(script)
    assert isinstance(error, InDoubtError)
    assert (error.attempts, found) == (1, left)


@each_of("status", [429, 503])
@each_of("wait", [{}, {"retry_after": 0}, {"retry_after_date": 0}])
async def test_please_wait(pair: Pair, status: int, wait: dict[str, int]) -> None:
    """It is sent again and carried out once; if that goes on, the call fails."""
    assert await pair.create(creates("status", status=status, first=2, **wait)) == (None, 1)
    error, left = await pair.create(creates("status", status=status, **wait))
    assert isinstance(error, ThrottledError)
    assert (error.attempts, left) == (3, 0)


CARRIED_OUT_ONCE = [
    creates("latency", uniform=[0.001, 0.002]),
    creates("slow_drip", piece=500, pause=0.001),
    creates("expired_token", first=1),
    creates("moved_host", first=1),
    {"rule": [{"fault": "reset", "operation": ["token", "discovery"], "first": 2}]},
]


@each_of("script", CARRIED_OUT_ONCE, ids=lambda script: script["rule"][0]["fault"])
async def test_carried_out_once(pair: Pair, script: dict[str, Any]) -> None:
    """The caller does not see faults that cost only time or a new session."""
    assert await pair.create(script) == (None, 1)


def test_each_kind_leaves_doubt_or_not() -> None:
    """A new kind needs a case, in ``DOUBTFUL`` if a create through it is in doubt."""
    scripts = [*CARRIED_OUT_ONCE, *(script for script, _ in DOUBTFUL)]
    assert {script["rule"][0]["fault"] for script in scripts} == KINDS.keys()
