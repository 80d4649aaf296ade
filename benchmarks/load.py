"""Creates over a socket: our client and others take turns on one server.

The figures are the CPU time of this process for each call, the calls per second, and their latency. The
server runs on the other core. Its own CPU time for a call is shown too, to prove that it is not the limit.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import random
import statistics
import subprocess
import sys
import time
import urllib.request
from collections.abc import AsyncIterator, Iterable, Iterator

import attrs

from benchmarks.stacks import STACKS, Call, Target
from tests.support.certificate import certificate

AT_ONCE = 100
_FEW = 5  # up to this many rounds, httpx takes part in each round
CORES = sorted(os.sched_getaffinity(0))
"""Cores of this process: the server runs on the last one, the client on the first."""
OURS, FLOOR = "wosdk_async, typed", "hand-written floor, dict"
OURS_LOOKED_AT = "wosdk_async, all looked at"
FLOOR_TYPED = "hand-written floor, typed"
PYREQWEST = "pyreqwest + orjson, dict"
AIOHTTP, HTTPX = "aiohttp + orjson, dict", "httpx + json, dict"


@attrs.frozen
class Figures:
    """Medians of one stack's rounds: CPU time in microseconds, latency in milliseconds."""

    cpu_us: float
    per_second: float
    p50_ms: float
    p99_ms: float
    server_us: float


class Server:
    """Process of ``benchmarks.server``, on the last core if there are several."""

    def __init__(self, delay: float = 0.0, *, tls: bool = False) -> None:
        core = ["--core", str(CORES[-1])] if len(CORES) > 1 else []
        trusted = certificate() if tls else None
        shown = [] if trusted is None else ["--certificate", str(trusted)]
        self._process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.server", "--delay", str(delay), *core, *shown],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.target = Target(int(self._process.stdout.readline()), trusted)
        self._context = self.target.context()

    def busy(self) -> float:
        """Return the CPU seconds that the server has used so far."""
        return self._state()["busy"]

    def tokens(self) -> float:
        """Return how many tokens the server has given so far: one for each log-in."""
        return self._state()["tokens"]

    def _state(self) -> dict[str, float]:
        with urllib.request.urlopen(f"{self.target.url}/busy", context=self._context) as response:
            found: dict[str, float] = json.load(response)
        return found

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()


@contextlib.contextmanager
def own_core() -> Iterator[None]:
    """Keep this process off the server's core."""
    os.sched_setaffinity(0, CORES[:1])
    try:
        yield
    finally:
        os.sched_setaffinity(0, CORES)


async def drive(call: Call, calls: int, at_once: int) -> list[float]:
    """Make ``calls`` calls from ``at_once`` tasks; return the seconds of each."""
    took: list[float] = []
    left = iter(range(calls))

    async def work() -> None:
        for _ in left:
            start = time.perf_counter()
            await call()
            took.append(time.perf_counter() - start)

    await asyncio.gather(*(work() for _ in range(at_once)))
    return took


async def measure(call: Call, calls: int, at_once: int, server: Server) -> Figures:
    """Make ``calls`` calls and return their figures."""
    await drive(call, at_once, at_once)  # warm up: our client sends no create over an idle connection
    gc.collect()  # garbage of the previous stack must not count
    busy, cpu, wall = server.busy(), time.process_time(), time.perf_counter()
    took = await drive(call, calls, at_once)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    cuts = statistics.quantiles(took, n=100)
    served = (server.busy() - busy) / calls
    return Figures(cpu / calls * 1e6, calls / wall, cuts[49] * 1e3, cuts[98] * 1e3, served * 1e6)


def median(rounds: Iterable[Figures]) -> Figures:
    """Return the median of each figure."""
    return Figures(*(statistics.median(column) for column in zip(*map(attrs.astuple, rounds), strict=True)))


class Rounds:
    """Figures of each stack in each of its rounds."""

    def __init__(self, names: list[str]) -> None:
        self._found: dict[str, dict[int, Figures]] = {name: {} for name in names}

    def add(self, name: str, number: int, figures: Figures) -> None:
        """Add the figures of one round."""
        self._found[name][number] = figures

    def medians(self) -> dict[str, Figures]:
        """Return the median figures of each stack."""
        return {name: median(rounds.values()) for name, rounds in self._found.items()}

    def ratio(self, one: str, other: str, figure: str = "cpu_us") -> float:
        """Return the median of the ratios of ``one`` to ``other`` within a round.

        A machine that is slow for some rounds does not affect this ratio.
        """
        mine, theirs = self._found[one], self._found[other]
        both = mine.keys() & theirs.keys()
        ratios: list[float] = [getattr(mine[n], figure) / getattr(theirs[n], figure) for n in both]
        return statistics.median(ratios)


@contextlib.asynccontextmanager
async def open_stacks(target: Target, at_once: int, names: list[str]) -> AsyncIterator[dict[str, Call]]:
    """Open the stacks and warm them up: connections open, caches filled."""
    async with contextlib.AsyncExitStack() as stack:
        calls = {name: await stack.enter_async_context(STACKS[name](target, at_once)) for name in names}
        for call in calls.values():
            await drive(call, 3 * at_once, at_once)
        yield calls


async def compare(
    rounds: int,
    calls: int,
    *,
    delay: float = 0.0,
    at_once: int = AT_ONCE,
    names: list[str],
    tls: bool = False,
) -> Rounds:
    """Measure all stacks in turns, ``rounds`` times.

    httpx is slow, so it makes a tenth of the calls and, in more than five rounds, takes part in every second
    round. It makes at least three calls for each task, because its first calls cost less than later ones.
    """
    found, mixed = Rounds(names), random.Random(1)  # the same order in every run
    slow_in = 1 if rounds <= _FEW else 2
    with Server(delay, tls=tls) as server:
        async with open_stacks(server.target, at_once, names) as stacks:
            for number in range(rounds):
                for name in mixed.sample(names, len(names)):  # so that no stack always follows the same one
                    slow = name == HTTPX
                    if not slow or number % slow_in == 0:
                        many = max(3 * at_once, calls // 10) if slow else calls
                        found.add(name, number, await measure(stacks[name], many, at_once, server))
    return found


async def latency(rounds: int, calls: int, names: list[str]) -> dict[str, float]:
    """Return calls per second over 1,000 connections at 50 ms, divided by those of the floor."""
    found = await compare(rounds, calls, delay=0.05, at_once=1000, names=[*names, FLOOR])
    return {name: found.ratio(name, FLOOR, "per_second") for name in names}
