"""What the gate's controls are worth, by simulation: ``python -m benchmarks.gate_simulation``.

A service with a number of workers serves what is sent to it in order; what waits longer than its patience
is answered with 503, or not answered in time. Callers keep a backlog, so that the gate alone decides how much
is sent. Time is simulated: the figures are the same on every machine.
"""

from __future__ import annotations

import heapq
import itertools
import random
import statistics
from collections import deque
from collections.abc import Callable

import attrs

from wosdk_async.transport.limiter.adaptive import AIMDLimit, GradientLimit, LimitAlgorithm

SECONDS = 120.0
CEILING = 128


class Fixed:
    """No algorithm at all: for comparison."""

    def __init__(self, most: int) -> None:
        self.limit: float = most

    def answered(self, *_: object) -> None:
        pass

    def gave_up(self, *_: object) -> None:
        pass

    def throttled(self, *_: object) -> None:
        pass


@attrs.frozen
class Service:
    """``workers(t)`` requests at once, ``work`` seconds each on average; more than ``queue`` waiting get 503.

    A request is given up by its caller after ``patience`` seconds: its work is done for nothing.
    """

    name: str
    workers: Callable[[float], int]
    work: float = 0.1
    queue: int = 10_000
    patience: float = 10.0


@attrs.define
class Result:
    answered: int = 0
    refused: int = 0
    given_up: int = 0
    times: list[float] = attrs.field(factory=list)
    held: list[int] = attrs.field(factory=list)


def simulate(service: Service, algorithm: LimitAlgorithm, seconds: float = SECONDS) -> Result:
    """Send as much as ``algorithm`` lets through for so many seconds."""
    draw, result = random.Random(1), Result()
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
            took = draw.expovariate(1 / service.work) * 0.5 + service.work * 0.5
            at(now + took, lambda end, call=call, since=since: done(end, call, since))

    def done(now: float, call: int, since: float) -> None:
        nonlocal busy, held
        busy -= 1
        held -= 1
        if now - since > service.patience:
            result.given_up += 1
            algorithm.gave_up(service.patience)
        else:
            result.answered += 1
            result.times.append(now - since)
            algorithm.answered(call, now - since, held + 1)
        serve(now)
        send(now)

    def refuse(now: float, call: int) -> None:
        nonlocal held
        held -= 1
        result.refused += 1
        algorithm.throttled(call, sent)
        at(now + draw.random() * 0.5, send)

    def send(now: float) -> None:
        nonlocal held, sent
        while held < int(algorithm.limit):
            held += 1
            sent += 1
            if len(waiting) >= service.queue:
                at(now + 0.005, lambda end, call=sent: refuse(end, call))
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
CONTROLS: dict[str, Callable[[], LimitAlgorithm]] = {
    f"fixed {CEILING}": lambda: Fixed(CEILING),
    "fixed 32": lambda: Fixed(32),
    "halving, 32 (default)": lambda: AIMDLimit(32),
    f"halving, {CEILING}": lambda: AIMDLimit(CEILING),
    f"adaptive, {CEILING}": lambda: GradientLimit(CEILING),
}


def rows() -> list[str]:
    """The table, as Markdown."""
    made = [
        "| service | algorithm | answered/s | p50 ms | p99 ms | in flight | 503 | given up |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for service in SERVICES:
        for name, algorithm in CONTROLS.items():
            result = simulate(service, algorithm())
            cuts = statistics.quantiles(result.times, n=100)
            made.append(
                f"| {service.name} | {name} | {result.answered / SECONDS:.0f} | {cuts[49] * 1e3:.0f} | "
                f"{cuts[98] * 1e3:.0f} | {statistics.mean(result.held):.0f} | {result.refused} | "
                f"{result.given_up} |"
            )
    return made


if __name__ == "__main__":
    print("\n".join(rows()))
