"""Simulation of the limit algorithms: ``python -m benchmarks.limiter_simulation`` prints a table.

A service with a number of workers serves requests in order. It refuses a request with 503 when its queue is
full, and its caller gives up a request that waits for too long. Calls always wait, so the limit alone decides
how many are sent. Time is simulated: the figures are the same on every machine.
"""

from __future__ import annotations

import heapq
import itertools
import random
import statistics
from collections import deque
from collections.abc import Callable
from functools import partial

import attrs

from benchmarks import arguments
from wosdk_async.transport.limiter.adaptive import AIMDLimit, GradientLimit, LimitAlgorithm

SECONDS = 120.0
CEILING = 128


class Fixed:
    """Fixed limit, for comparison."""

    def __init__(self, limit: int) -> None:
        self.limit: float = limit

    def responded(self, *_: object) -> None:
        """Ignore it."""

    def failed(self, *_: object) -> None:
        """Ignore it."""

    def throttled(self, *_: object) -> None:
        """Ignore it."""


@attrs.frozen
class Service:
    """Service with ``workers(t)`` requests at once, of ``work`` seconds each on average.

    It refuses requests above ``queue`` waiting ones. A caller gives up after ``patience`` seconds, and the
    service does that work for nothing.
    """

    name: str
    workers: Callable[[float], int]
    work: float = 0.1
    queue: int = 10_000
    patience: float = 10.0


@attrs.define
class Result:
    """Outcome of one simulation: requests by what became of them, seconds, and slots in use."""

    completed: int = 0
    refused: int = 0
    given_up: int = 0
    times: list[float] = attrs.field(factory=list)
    held: list[int] = attrs.field(factory=list)


def simulate(service: Service, algorithm: LimitAlgorithm, seconds: float = SECONDS) -> Result:
    """Send as many requests as ``algorithm`` allows for ``seconds``."""
    rng, result = random.Random(1), Result()
    number = itertools.count(1)
    events: list[tuple[float, int, Callable[[float], None]]] = []
    waiting: deque[tuple[int, float]] = deque()
    held = busy = sent = 0

    def at(when: float, what: Callable[[float], None]) -> None:
        heapq.heappush(events, (when, next(number), what))

    def serve(now: float) -> None:
        nonlocal busy
        while waiting and busy < service.workers(now):
            call, since = waiting.popleft()
            busy += 1
            took = rng.expovariate(1 / service.work) * 0.5 + service.work * 0.5
            at(now + took, partial(done, call, since))

    def done(call: int, since: float, now: float) -> None:
        nonlocal busy, held
        busy -= 1
        held -= 1
        if now - since > service.patience:
            result.given_up += 1
            algorithm.failed(service.patience)
        else:
            result.completed += 1
            result.times.append(now - since)
            algorithm.responded(call, now - since, held + 1)
        serve(now)
        send(now)

    def refuse(call: int, now: float) -> None:
        nonlocal held
        held -= 1
        result.refused += 1
        algorithm.throttled(call, sent)
        at(now + rng.random() * 0.5, send)

    def send(now: float) -> None:
        nonlocal held, sent
        while held < int(algorithm.limit):
            held += 1
            sent += 1
            if len(waiting) >= service.queue:
                at(now + 0.005, partial(refuse, sent))
            else:
                waiting.append((sent, now))
        result.held.append(held)
        serve(now)

    at(0.0, send)
    while events and events[0][0] < seconds:
        now, _, what = heapq.heappop(events)
        what(now)
    return result


SERVICES = [
    Service("large: 200 workers", lambda _: 200),
    Service("small: 12 workers", lambda _: 12),
    Service("small, refuses above 20 waiting", lambda _: 12, queue=20),
    Service("sick from 40 s to 80 s: 2 workers of 32", lambda now: 2 if 40 <= now < 80 else 32, patience=2.0),
]
ALGORITHMS: dict[str, Callable[[], LimitAlgorithm]] = {
    f"fixed {CEILING}": lambda: Fixed(CEILING),
    "fixed 32": lambda: Fixed(32),
    "halving, 32 (default)": lambda: AIMDLimit(32),
    f"halving, {CEILING}": lambda: AIMDLimit(CEILING),
    f"adaptive, {CEILING}": lambda: GradientLimit(CEILING),
}


def rows() -> list[str]:
    """Return the table in Markdown."""
    made = [
        "| service | control | responses/s | p50 ms | p99 ms | in flight | 503 | given up |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for service in SERVICES:
        for name, algorithm in ALGORITHMS.items():
            result = simulate(service, algorithm())
            cuts = statistics.quantiles(result.times, n=100)
            made.append(
                f"| {service.name} | {name} | {result.completed / SECONDS:.0f} | {cuts[49] * 1e3:.0f} | "
                f"{cuts[98] * 1e3:.0f} | {statistics.mean(result.held):.0f} | {result.refused} | "
                f"{result.given_up} |"
            )
    return made


def main() -> None:
    """Print the table."""
    arguments.parser("benchmarks.limiter_simulation", __doc__).parse_args()
    print("\n".join(rows()))


if __name__ == "__main__":
    main()
