"""Event loops in several threads: one client that they share, or a client for each.

    python -m benchmarks.threads [--threads 1 2 4] [--loop asyncio|uvloop] [--rounds 9] [--json OUT.json]

Each thread has an event loop and makes its share of 8,000 typed creates, 100 at once over all threads. The
threads run on one core and the server on another, so the figures show what it costs to share a client. The
benchmark also checks the results: every result is the server's order, the client compares every RequestId, no
call fails, and a shared client logs in once, before the threads begin. (Loops that need a session at the same
time may each log in.) The figures do not show whether threads use several cores; with Python's global lock
they do not.

The figures are the calls per second of all threads together, and the CPU time of the process per call:
medians of rounds in which the cases take turns.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import json
import os
import platform
import statistics
import threading
import time
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import attrs

import wosdk_async as wosdk
from benchmarks import load
from benchmarks.stacks import Call, Target, client, command
from tests.support import arguments
from tests.support.payload import work_order
from wosdk_async import codec

_CALLS = 8000
LoopFactory = Callable[[], asyncio.AbstractEventLoop]


@attrs.frozen
class Case:
    """Threads, and whether they share one client."""

    threads: int
    shared: bool

    def __str__(self) -> str:
        return f"{self.threads}, {'one client' if self.shared else 'a client each'}"


@attrs.frozen
class Figures:
    """Calls a second of all threads together, and CPU microseconds of a call."""

    per_second: float
    cpu_us: float


class Race:
    """One round of a case. The threads wait for each other before and after their calls."""

    def __init__(self, case: Case, target: Target, make_loop: LoopFactory, calls: int) -> None:
        self._case = case
        self._target = target
        self._make_loop = make_loop
        self._calls = calls // case.threads
        self._at_once = load.AT_ONCE // case.threads
        self._gate = threading.Barrier(case.threads, self._take_time)
        self._times: list[tuple[float, float]] = []

    def run(self) -> Figures:
        """Run all threads and return the figures. If threads fail, raise the error of one."""
        with contextlib.ExitStack() as closing:
            one = closing.enter_context(self._open()) if self._case.shared else None
            with ThreadPoolExecutor(self._case.threads) as threads:
                running = [threads.submit(self._work, one) for _ in range(self._case.threads)]
            errors = [error for each in running if (error := each.exception()) is not None]
            for error in sorted(errors, key=lambda each: isinstance(each, threading.BrokenBarrierError)):
                raise error
        (cpu, wall), (cpu_end, wall_end) = self._times
        calls = self._calls * self._case.threads
        return Figures(calls / (wall_end - wall), (cpu_end - cpu) / calls * 1e6)

    def _take_time(self) -> None:
        """Record the time. The last thread to arrive does this, while the others wait."""
        if not self._times:
            gc.collect()  # garbage of the previous round must not count
        self._times.append((time.process_time(), time.perf_counter()))

    @contextlib.contextmanager
    def _open(self) -> Iterator[wosdk.Client]:
        made = client(self._target, load.AT_ONCE)
        self._in_loop(made.company("Bench").connect)
        yield made
        self._in_loop(made.aclose)

    def _in_loop(self, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
        with asyncio.Runner(loop_factory=self._make_loop) as runner:
            runner.run(main())

    def _work(self, one: wosdk.Client | None) -> None:
        try:
            with contextlib.nullcontext(one) if one else self._open() as used:
                self._in_loop(lambda: self._create(_checked_create(used)))
        except BaseException:
            self._gate.abort()
            raise

    async def _create(self, call: Call) -> None:
        await load.drive(call, 3 * self._at_once, self._at_once)
        self._gate.wait()  # blocks the loop, which has nothing to run now
        await load.drive(call, self._calls, self._at_once)
        self._gate.wait()


def _checked_create(used: wosdk.Client) -> Call:
    """Return a function that creates an order, and checks that the result is the server's order."""
    bench, order = used.company("Bench"), command()
    expected = codec.structure(codec.loads(work_order(unknown=False)), wosdk.WorkOrder)
    seen = False

    async def call() -> object:
        nonlocal seen
        made = (await bench.run(order)).wo
        assert made is not None
        if made.id != expected.id or not (seen or made == expected):
            raise AssertionError(f"another order came: {made!r:.200}")
        seen = True
        return made

    return call


def measure(cases: list[Case], make_loop: LoopFactory, rounds: int, calls: int) -> dict[Case, Figures]:
    """Return the medians of each case. Raises AssertionError for a wrong result."""
    found: dict[Case, list[Figures]] = {case: [] for case in cases}
    with load.Server() as server:
        for number in range(rounds + 1):
            for case in cases:
                before = server.tokens()
                figures = Race(case, server.target, make_loop, calls).run()
                log_ins, right = server.tokens() - before, 1 if case.shared else case.threads
                if log_ins != right:
                    raise AssertionError(f"{case}: {log_ins:g} log-ins, not {right}")
                if number:  # not in the first round, which compiles code
                    found[case].append(figures)
    return {case: _median(rows) for case, rows in found.items()}


def _median(rows: list[Figures]) -> Figures:
    return Figures(*(statistics.median(column) for column in zip(*map(attrs.astuple, rows), strict=True)))


def _uvloop() -> LoopFactory:
    import uvloop

    factory: LoopFactory = uvloop.new_event_loop
    return factory


def main() -> None:
    """Read the arguments, measure, and print."""
    parser = arguments.parser("benchmarks.threads", __doc__)
    parser.add_argument(
        "--threads", type=arguments.count, nargs="+", default=[1, 2, 4], metavar="N", help="how many threads"
    )
    parser.add_argument("--loop", choices=["asyncio", "uvloop"], default="asyncio", help="event loop")
    parser.add_argument(
        "--rounds", type=arguments.count, default=9, metavar="N", help="rounds to take the median of"
    )
    arguments.add_json(parser)
    args = parser.parse_args()
    if max(args.threads) > load.AT_ONCE:
        parser.error(f"argument --threads: {max(args.threads)} is more than the {load.AT_ONCE} calls at once")
    if args.loop == "uvloop":
        arguments.require(parser, "uvloop")
    cases = [Case(threads, shared) for threads in args.threads for shared in (True, False)]
    before = os.getloadavg()[0]
    with load.own_core():
        make_loop = _uvloop() if args.loop == "uvloop" else asyncio.new_event_loop
        found = measure(cases, make_loop, args.rounds, _CALLS)
    print(f"Python {platform.python_version()}, {args.loop}, load before: {before:.1f}")
    print(f"{'threads':24} {'calls/s':>9} {'CPU us':>9}")
    for case, row in found.items():
        print(f"{case!s:24} {row.per_second:9.0f} {row.cpu_us:9.1f}")
    if args.json:
        rows = [attrs.asdict(case) | attrs.asdict(row) for case, row in found.items()]
        said = {"python": platform.python_version(), "loop": args.loop, "load": before, "cases": rows}
        args.json.write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
