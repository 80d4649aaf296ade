"""Run of one plan, from the first start of the job until it is finished."""

from __future__ import annotations

import contextlib
import gc
import os
import random
import secrets
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import attrs

from benchmarks.cluster_simulated.machines import MachineLoop, boottime_here
from benchmarks.cluster_simulated.plan import Plan
from benchmarks.cluster_simulated.scenario import Scenario
from benchmarks.cluster_simulated.service import Service
from benchmarks.cluster_simulated.watch import Watch
from benchmarks.cluster_simulated.watched import watched
from benchmarks.cluster_simulated.workers import World
from benchmarks.jobs_process import Killed, running, without_threads
from benchmarks.simulate.loop import StuckError
from benchmarks.simulate.runs import replayable
from wosdk_async.jobs.cluster import job_workers
from wosdk_async.jobs.journal import State

__all__ = ["Result", "run"]

_MEMORY = "/dev/shm"  # what a killed process wrote is there, on any disk


@attrs.frozen
class Result:
    """Result of a run. ``digest`` is a hash of all events in their order."""

    violations: list[tuple[str, str]]
    states: Counter[State]
    events: list[str]
    digest: str
    seconds: float
    facts: Counter[str]
    """How often something happened that the run is for."""

    @property
    def names(self) -> list[str]:
        """Names of the violations, each once."""
        return sorted({name for name, _ in self.violations})


def run(plan: Plan) -> Result:
    """Run a plan in a folder of its own."""
    rng = random.Random(f"run {plan.seed}")
    loop = MachineLoop.of(rng)
    with (
        tempfile.TemporaryDirectory(dir=_MEMORY if Path(_MEMORY).is_dir() else None) as folder,
        _deterministic(plan.seed, rng),
        running(loop),
    ):
        watch = Watch(plan, Path(folder) / "rows.csv.job", loop.time)
        try:
            with watched(watch):
                return _run(plan, loop, rng, watch, Path(folder))
        finally:
            watch.close()
            loop.exorcise()


def _run(plan: Plan, loop: MachineLoop, rng: random.Random, watch: Watch, folder: Path) -> Result:
    service = Service(plan, loop, rng)
    world = World(plan, loop, rng, service, watch)
    scenario = Scenario(world, folder)
    with contextlib.closing(service.store):
        try:
            loop.run_until_complete(scenario.run())
        except StuckError as error:
            watch.broken("hang", str(error))
        for failure in loop.failures:
            if not isinstance(failure.get("exception"), Killed):
                watch.broken("loop-error", f"{failure}")
    seconds = loop.time() - 1000.0
    return Result(watch.violations, scenario.states, watch.events, watch.digest, seconds, scenario.facts)


@contextlib.contextmanager
def _deterministic(seed: int, rng: random.Random) -> Iterator[None]:
    def token(size: int | None = None) -> str:
        return rng.randbytes(size or 8).hex()

    with (
        replayable(seed),
        without_threads(),
        mock.patch.object(secrets, "token_hex", token),
        mock.patch.object(job_workers, "boottime", boottime_here),
        mock.patch.object(os, "fsync", return_value=None),
    ):
        yield
    if not seed % 10:
        gc.collect()
