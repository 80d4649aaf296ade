"""Simulation of the limit algorithms: ``python -m tests.simulation.limiter`` prints a table.

A service with a number of workers serves requests in order, in 100 ms on average. Callers always have more to
send, except in bursts, so the limit alone decides how many are sent. Every capacity is combined with every
behaviour. Time is simulated: the figures are the same on every machine.
"""

from __future__ import annotations

import heapq
import math
import random
import statistics
from collections import deque
from collections.abc import Callable, Iterable
from functools import partial

import attrs

from tests.support import arguments
from wosdk_async.transport.limiter import AIMDLimit, ThroughputLimit

SECONDS = {1: 60, 8: 60, 200: 30}
"""Simulated seconds by capacity (the number of workers)."""
MAXIMUM = 256
DEFAULT = 32
FIXED = tuple(2**power for power in range(9))
_REFUSAL = 0.1  # seconds until a refusal arrives
_PATIENCE = 2.0  # seconds, where callers give up
_PAUSE = 0.5  # seconds between two bursts


class Fixed(AIMDLimit):
    """Fixed limit for comparison, which is never halved."""

    def throttled(self, *_: object) -> None:
        """Do nothing."""


def _steady(_: float) -> float:
    return 0.1


@attrs.frozen
class Behaviour:
    """Behaviour of the service and its callers.

    Attributes:
        work: average seconds of work, given the elapsed share of the simulation.
        phases: shares at which phases end; each phase is judged separately.
        late: share of the responses that arrive 2 s after the work.
        noise: whether work varies widely, and on average by a factor of up to 2 from second to second.
        bursts: whether callers send 10 to 400 calls, wait for all and pause.
        queue: maximum number of waiting requests; more are refused with 503.
        rate: share of the capacity that a rate limit allows; more is refused with 429.
        give_up: whether callers give up after 2 s.
    """

    name: str
    work: Callable[[float], float] = _steady
    phases: tuple[float, ...] = ()
    late: float = 0.0
    noise: bool = False
    bursts: bool = False
    queue: float = math.inf
    rate: float = 0.0
    give_up: bool = False

    @property
    def throttles(self) -> bool:
        return self.queue < math.inf or self.rate > 0


BEHAVIOURS = (
    Behaviour("steady"),
    Behaviour("5 % of responses 2 s late", late=0.05),
    Behaviour("10 ms, 500 ms, 10 ms", lambda share: 0.5 if 0.1 <= share < 0.9 else 0.01, phases=(0.1, 0.9)),
    Behaviour("noise", noise=True),
    Behaviour("bursts", bursts=True),
    Behaviour("503 above 20 waiting", queue=20),
    Behaviour("429 above half its capacity", rate=0.5),
)
SICK = Behaviour(
    "slow a third of the time, 2 s timeouts", lambda x: 1.6 if 1 / 3 <= x < 2 / 3 else 0.1, give_up=True
)
"""Behaviour that a lower limit survives better; not part of the grid."""


@attrs.define
class Result:
    """Result of one simulation: completed calls by phase, other calls, response times, and slots in use."""

    completed: list[int]
    refused: int = 0
    given_up: int = 0
    times: list[float] = attrs.field(factory=list)
    held: list[int] = attrs.field(factory=list)

    def ratio(self, *others: Result) -> float:
        """Return the completed calls, divided by those of the best of ``others``, in the worst phase."""
        return min(
            count / max(other.completed[phase] for other in others)
            for phase, count in enumerate(self.completed)
        )

    def quantile(self, percent: int) -> float:
        """Return the response time in ms that ``percent`` of the calls do not exceed."""
        return statistics.quantiles(self.times, n=100)[percent - 1] * 1e3


class Simulation:
    """One service with its callers. The same seed gives the same work to every algorithm."""

    def __init__(self, capacity: int, behaviour: Behaviour, algorithm: AIMDLimit, seed: int) -> None:
        self.behaviour, self.algorithm = behaviour, algorithm
        self.seconds = SECONDS[capacity]
        self.result = Result([0] * (len(behaviour.phases) + 1))
        self._rng, self._demand = random.Random(seed), random.Random(f"demand {seed}")
        speeds = random.Random(f"speed {seed}")
        self._speeds = [2 ** speeds.uniform(-1, 1) for _ in range(self.seconds)]
        self._free_at = [0.0] * capacity  # a heap: when each worker is free
        self._begins = deque[float]()  # start times of the waiting requests
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._rate = behaviour.rate * capacity / _steady(0)
        self._tokens, self._refilled = max(1.0, self._rate / 4), 0.0
        self._held = self._sent = 0
        self._unsent = 0.0 if behaviour.bursts else math.inf

    def run(self) -> Result:
        now = 0.0
        self._offer(now)
        while now < self.seconds:
            self._send(now)
            now, _, event = heapq.heappop(self._events)
            event(now)
        return self.result

    def _at(self, when: float, event: Callable[[float], None]) -> None:
        heapq.heappush(self._events, (when, self._sent, event))

    def _offer(self, _: float) -> None:
        if self.behaviour.bursts:
            self._unsent = self._demand.randint(10, 400)

    def _send(self, now: float) -> None:
        while self._unsent and self._held + 1 <= self.algorithm.limit:
            self._held += 1
            self._sent += 1
            self._unsent -= 1
            if self._accepts(now):
                self._at(self._serve(now), partial(self._respond, self._sent, now))
            else:
                self._at(now + _REFUSAL, partial(self._refuse, self._sent))

    def _accepts(self, now: float) -> bool:
        if self._rate:
            self._tokens = min(max(1.0, self._rate / 4), self._tokens + (now - self._refilled) * self._rate)
            self._refilled = now
            if self._tokens < 1:
                return False
            self._tokens -= 1
        while self._begins and self._begins[0] <= now:
            self._begins.popleft()
        return len(self._begins) < self.behaviour.queue

    def _serve(self, now: float) -> float:
        """Let the next free worker do the work, and return the arrival time of the response."""
        behaviour, rng = self.behaviour, self._rng
        begin = max(now, self._free_at[0])
        if begin > now:
            self._begins.append(begin)
        work = behaviour.work(begin / self.seconds)
        if behaviour.noise:
            work *= self._speeds[int(begin) % self.seconds] * rng.lognormvariate(-0.32, 0.8)
        else:
            work *= 0.5 + 0.5 * rng.expovariate(1)
        heapq.heapreplace(self._free_at, begin + work)
        return begin + work + (2.0 if rng.random() < behaviour.late else 0.0)

    def _respond(self, call: int, since: float, now: float) -> None:
        result, took = self.result, now - since
        if self.behaviour.give_up and took > _PATIENCE:  # the work was done for nothing
            result.given_up += 1
            self.algorithm.failed(_PATIENCE)
        else:
            result.completed[sum(now >= share * self.seconds for share in self.behaviour.phases)] += 1
            result.times.append(took)
            result.held.append(self._held)
            self.algorithm.responded(call, took, self._held)
        self._end(now)

    def _refuse(self, call: int, now: float) -> None:
        self.result.refused += 1
        self.algorithm.throttled(call, self._sent)
        self._end(now)

    def _end(self, now: float) -> None:
        self._held -= 1
        if not self._held and not self._unsent:
            self._at(now + _PAUSE, self._offer)


def simulate(capacity: int, behaviour: Behaviour, algorithm: AIMDLimit, seed: int = 1) -> Result:
    return Simulation(capacity, behaviour, algorithm, seed).run()


def simulate_fixed(
    capacity: int, behaviour: Behaviour, seed: int = 1, limits: Iterable[int] = FIXED
) -> dict[int, Result]:
    return {limit: simulate(capacity, behaviour, Fixed(limit), seed) for limit in limits}


def rows() -> list[str]:
    """Return the table in Markdown."""
    made = [
        "| workers | behaviour | calls/s: adaptive | best fixed | fixed 32 | / best | / 32 "
        "| p50 ms: adaptive | fixed 32 | p99 ms: adaptive | fixed 32 | in flight | refused | given up |",
        "|--:|---|" + "--:|" * 12,
    ]
    for capacity, seconds in SECONDS.items():
        for behaviour in (*BEHAVIOURS, SICK):
            fixed = simulate_fixed(capacity, behaviour)
            best = max(fixed, key=lambda limit: sum(fixed[limit].completed))
            found, default = simulate(capacity, behaviour, ThroughputLimit(MAXIMUM)), fixed[DEFAULT]
            mine, highest, usual = (sum(each.completed) / seconds for each in (found, fixed[best], default))
            made.append(
                f"| {capacity} | {behaviour.name} | {mine:,.0f} | {highest:,.0f} ({best}) | {usual:,.0f} "
                f"| {found.ratio(*fixed.values()):.2f} | {found.ratio(default):.2f} "
                f"| {found.quantile(50):,.0f} | {default.quantile(50):,.0f} "
                f"| {found.quantile(99):,.0f} | {default.quantile(99):,.0f} "
                f"| {statistics.mean(found.held):.0f} | {found.refused:,} | {found.given_up:,} |"
            )
    return made


def main() -> None:
    arguments.parser("tests.simulation.limiter", __doc__).parse_args()
    print("\n".join(rows()))


if __name__ == "__main__":
    main()
