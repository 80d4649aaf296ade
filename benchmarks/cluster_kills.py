"""Imports on many workers, of which everything is killed or stopped at random moments (Linux)."""

from __future__ import annotations

import asyncio
import contextlib
import os
import random
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from benchmarks.cluster_hooks import sent
from benchmarks.cluster_import import BrokenImport, Faults, Found
from benchmarks.cluster_rates import fullest, highest_excess
from benchmarks.fault_server import FaultServer
from benchmarks.jobs_checks import broken_promises, missing_in_files, stored_rows
from benchmarks.jobs_files import write_rows
from wosdk_async.jobs.journal import State

__all__ = ["break_workers"]

_LONGEST = 560.0  # seconds of one job
_WAITS = 4  # responses that ask to wait, about so many in a job


async def break_workers(
    faults: Faults, *, dask: bool, marked: bool, seed: int, folder: Path, rows: int, workers: int, rate: float
) -> Found:
    """Import so many rows through all faults, and compare the journal with the store."""
    started = time.monotonic()
    with FaultServer(folder / "sandbox.db") as server, contextlib.ExitStack() as stack:
        server.load(_service(seed, rows))
        job = BrokenImport(
            rng=random.Random(f"{seed} {dask} {marked}"),
            server=server,
            folder=folder,
            rate=rate,
            marked=marked,
            workers=workers,
            source=write_rows(folder / "rows.csv", rows, prefix="J", customers=5),
            stack=stack,
            dask=dask,
        )
        async with asyncio.timeout(_LONGEST):
            await job.carry_out(faults.shuffled(job.rng, dask=dask))
        server.load({})
        server.wait_for_late(30)
        await _compare(job, rows)
    found = job.found
    found.injected = server.injected
    requests = sent(folder)
    found.requests, found.fullest = len(requests), fullest(requests)
    found.excess = highest_excess(requests, rate)
    found.seconds = time.monotonic() - started
    return found


def _service(seed: int, rows: int) -> dict[str, Any]:
    """Return faults of a service whose commits take less than half a second.

    It asks to wait a few times only, however many rows there are: each time halves the rate for a while.
    """
    create = {"operation": "WoCreateCommand"}
    return {
        "seed": seed,
        "rule": [
            {"fault": "latency", "operation": "command", "lognormal": {"p50": 0.01, "p99": 0.1}},
            {"fault": "reset", **create, "rate": 0.005, "carried_out": True},
            {"fault": "reset", **create, "rate": 0.005},
            {"fault": "late_commit", **create, "rate": 0.002, "after": 0.4, "hold": 0.05},
            {"fault": "status", **create, "rate": min(_WAITS / rows, 1.0), "status": 429, "retry_after": 1},
        ],
    }


async def _compare(job: BrokenImport, rows: int) -> None:
    """Compare the journal with the store."""
    there = defaultdict(list)
    for order in job.server.orders():
        there[order["PoNumber"]].append(order["Id"])
    folder = Path(f"{job.source}.job")
    stored = await stored_rows(folder)
    keys = {row: f"J{row}" for row in range(1, rows + 1)}
    found = job.found
    found.broken += broken_promises(stored, keys, there, marked=job.marked)
    found.broken += missing_in_files(folder, stored)
    found.broken += [f"{name} is left" for name in os.listdir(folder) if name.startswith("undelivered-")]
    found.states.update(row.state for row in stored)
    found.there = sum(row.state == State.IN_DOUBT and bool(there[keys[row.row]]) for row in stored)
