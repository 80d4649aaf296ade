"""A small run of ``python -m tests.chaos.reliability``: creates through faults, judged by the store."""

from __future__ import annotations

import asyncio
from pathlib import Path

import attrs

from tests.chaos.reliability import Effort, Finding, run
from tests.sandbox.faulty import IN_DOUBT
from tests.support.laws import case

# By this seed, each kind of fault strikes
SMALL = Effort(creates=120, kills=0, rate=0.03, late=0.1, settle=0.6, deadline=12, seed=2)

WAYS = {
    "direct": SMALL,
    "proxy": attrs.evolve(SMALL, proxy=True),
    "tunnel": attrs.evolve(SMALL, proxy=True, tls=True),
}


async def test_every_create_has_the_outcome_that_the_store_shows(tmp_path: Path) -> None:
    """None is lost or doubled, and each doubt comes from a fault that leaves one: none more, none less.

    At once, each way on a loop of its own: a response that does not come takes the whole deadline.
    """

    def run_one(way: str) -> Finding:
        folder = tmp_path / way
        folder.mkdir()
        return asyncio.run(run(WAYS[way], marked=False, folder=folder))

    findings = await asyncio.gather(*(asyncio.to_thread(run_one, way) for way in WAYS))
    for way, finding in zip(WAYS, findings, strict=True):
        with case(way):
            assert finding.broken == []
            assert finding.ambiguous
            assert sum(finding.outcomes.values()) == 120
            assert finding.outcomes["InDoubt"] == finding.doubtful
            assert {*IN_DOUBT, "status", "slow_drip", "moved_host"} <= finding.injected.keys()


async def test_a_marker_leaves_no_doubt(tmp_path: Path) -> None:
    """Each is there once, or known not to be; the server is killed in the middle of it, too."""
    finding = await run(
        Effort(creates=120, kills=1, rate=0.03, late=0.1, settle=0.6, deadline=8),
        marked=True,
        folder=tmp_path,
    )
    assert finding.broken == []
    assert finding.outcomes["InDoubt"] == 0
    assert finding.outcomes["Done"] > 40  # on a busy machine a restart outlasts the deadline of some
    assert finding.kills == 1


async def test_equal_keys_and_a_look_first_leave_one_record_of_each(tmp_path: Path) -> None:
    """Both creates with a key end with the one record, or are known not to have made one."""
    finding = await run(
        Effort(creates=100, kills=0, rate=0.04, late=0.1, settle=0.6, deadline=2, twice=True),
        marked=True,
        folder=tmp_path,
    )
    assert finding.broken == []
    assert finding.outcomes["InDoubt"] == 0
    assert finding.outcomes["Done"] > 75
