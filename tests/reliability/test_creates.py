"""A small run of ``python -m tests.chaos.reliability``: creates through faults, judged by the store."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

import attrs
import pytest

from tests.chaos.reliability import Effort, run

SMALL = Effort(creates=300, kills=0, rate=0.012, late=0.1, settle=0.6, deadline=12)
# each of these is answered in a way that tells nothing, and of none is the create sent again
DOUBTFUL = {"reset", "half_reply", "garbage", "late_commit"}


@pytest.mark.parametrize(
    "way", [{}, {"proxy": True}, {"proxy": True, "tls": True}], ids=["direct", "proxy", "tunnel"]
)
async def test_every_create_has_the_outcome_that_the_store_shows(way: dict[str, Any], tmp_path: Path) -> None:
    """None is lost or doubled, and each doubt comes from a fault that leaves one: none more, none less."""
    finding = await run(attrs.evolve(SMALL, **way), marked=False, folder=tmp_path)
    assert finding.broken == []
    assert finding.ambiguous
    assert sum(finding.outcomes.values()) == 300
    assert finding.outcomes["InDoubt"] == finding.doubtful
    assert {*DOUBTFUL, "status", "slow_drip", "moved_host"} <= finding.injected.keys()


async def test_a_marker_leaves_no_doubt(tmp_path: Path) -> None:
    """Each is there once, or known not to be; the server is killed in the middle of it, too."""
    finding = await run(
        Effort(creates=300, kills=1, rate=0.012, late=0.1, settle=0.6, deadline=8),
        marked=True,
        folder=tmp_path,
    )
    assert finding.broken == []
    assert finding.outcomes["InDoubt"] == 0
    assert finding.outcomes["Done"] > 100  # on a busy machine a restart outlasts the deadline of some
    assert finding.kills == 1


async def test_equal_keys_and_a_look_first_leave_one_record_of_each(tmp_path: Path) -> None:
    """Both creates with a key end with the one record, or are known not to have made one."""
    finding = await run(
        Effort(creates=200, kills=0, rate=0.02, late=0.1, settle=0.6, deadline=2, twice=True),
        marked=True,
        folder=tmp_path,
    )
    assert finding.broken == []
    assert finding.outcomes["InDoubt"] == 0
    assert finding.outcomes["Done"] > 150


async def test_servers_that_are_not_the_service() -> None:
    """Nothing is sent to an unknown one, and no response hangs the loop or swells in memory.

    Here over our own engine; ``.ci/run`` tries all of them.
    """
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tests.chaos.hostile", "--quick", stdout=asyncio.subprocess.PIPE
    )
    said = (await process.communicate())[0].decode()
    assert process.returncode == 0, said
    assert said.count("| yes |") > 20
