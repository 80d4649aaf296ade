"""One deadline for several calls, and when a Company last responded."""

from __future__ import annotations

import pytest

from tests.support.facts import having
from wosdk_async import Company, Customer, DeadlineError, InvalidCallError
from wosdk_async.sandbox import Faults
from wosdk_async.testing import Sandbox, SkippingClock


async def test_calls_share_one_deadline(
    wosdk_company: Company, wosdk_faults: Faults, wosdk_clock: SkippingClock, wosdk_sandbox: Sandbox
) -> None:
    await wosdk_company.connect()
    wosdk_faults.add("latency", fixed=2)
    before, acme = wosdk_clock.now, wosdk_company.within(3)
    await acme.get(Customer, 512)
    with pytest.raises(DeadlineError):
        await acme.with_options(deadline=50).get(Customer, 512)
    assert (wosdk_clock.now - before).total_seconds() == pytest.approx(3, abs=0.1)
    count = len(wosdk_sandbox.requests)
    with pytest.raises(DeadlineError, check=having(phase="queue")):
        await acme.within(60).get(Customer, 512)
    assert len(wosdk_sandbox.requests) == count
    with pytest.raises(DeadlineError):
        await wosdk_company.within(60).with_options(deadline=1).get(Customer, 512)
    with pytest.raises(InvalidCallError, match="seconds, 0 or more"):
        wosdk_company.within(-1)


async def test_the_time_of_the_last_response(
    wosdk_sandbox: Sandbox, wosdk_faults: Faults, wosdk_clock: SkippingClock
) -> None:
    """A call that got no response does not count."""
    async with wosdk_sandbox.client() as client:
        acme = client.company()
        await acme.connect()
        assert client.stats().companies[0].response_age is None
        await acme.get(Customer, 512)
        wosdk_faults.add("latency", fixed=600)
        with pytest.raises(DeadlineError):
            await acme.within(7).get(Customer, 512)
        assert client.stats().companies[0].response_age == pytest.approx(7, abs=0.2)
