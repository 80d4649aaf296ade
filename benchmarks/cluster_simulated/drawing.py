"""Plans of seeds: every second one is a mixture of troubles, the others have one theme each.

In a mixture two faults seldom come as close to each other as it takes. In a theme one kind of trouble comes
again and again, and the job is shaped so that it hurts.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Literal

import attrs

from benchmarks.cluster_simulated.plan import Event, Plan, What

__all__ = ["THEMES", "draw"]

_NEEDED = 12.0  # calls: the coordinator has a tenth of the rate, so its own calls wait, and must not time out
_BUSY = 10.0  # seconds that a job should take at least, so that events meet it at work


def draw(seed: int) -> Plan:
    """Return the plan of a seed."""
    rng = random.Random(f"cluster {seed}")
    plan = _mixture(seed, rng)
    return THEMES[seed // 2 % len(THEMES)](rng, plan) if seed % 2 else plan


# --- mixtures -------------------------------------------------------------------------------------


def _mixture(seed: int, rng: random.Random) -> Plan:
    rate = rng.uniform(4.0, 25.0) if rng.random() < 0.5 else None
    deadline = rng.uniform(0.5, 2.0) + (0.0 if rate is None else _NEEDED / rate)
    lease = deadline * rng.uniform(1.3, 5.0)
    kind: Literal["processes", "cluster"] = rng.choice(["processes", "cluster"])
    marked = rng.random() < 0.8
    rows = rng.randint(20, 80)
    limit = rng.choice([1, 2, 3, 4, 6, 8])
    faults = rng.choice([0.0, 0.1, 0.3])
    return Plan(
        seed=seed,
        kind=kind,
        workers=rng.randint(1, 4),
        rows=rows,
        lease=lease,
        deadline=deadline,
        settle=rng.uniform(0.3, 1.5),
        skew=rng.uniform(0.1, 0.5),
        rate=rate,
        limit=limit,
        marked=marked,
        events=_mixed_events(rng, kind, lease),
        kills=tuple(int(10 ** rng.uniform(1.0, 2.9)) for _ in range(rng.choice([0, 0, 1, 1, 2]))),
        poison=rng.randint(2, rows) if rng.random() < 0.15 else None,
        trouble=rng.uniform(3.0, 20.0),
        order_lost=_rarely(rng),
        report_lost=_rarely(rng),
        late=_rarely(rng),
        repeated=_rarely(rng),
        undelivered_lost=rng.choice([0.0, 0.3, 1.0]),
        creates=faults,
        service=faults,
        pace=min(0.4 * deadline, _BUSY * limit / rows),
    )


def _rarely(rng: random.Random) -> float:
    return rng.choice([0.0, 0.02, 0.1])


def _mixed_events(rng: random.Random, kind: str, lease: float) -> tuple[Event, ...]:
    kinds: list[What] = ["freeze", "freeze", "suspend", "suspend", "suspend", "die", "revoke"]
    if kind == "cluster":
        kinds += ["cut", "cut", "cut", "remake", "remake"]
    if rng.random() < 0.3:
        kinds += ["freeze the coordinator"]
    if rng.random() < 0.1:
        kinds += ["stop"]
    most = 8
    if rng.random() < 0.5:  # only one kind, which meets itself again and again
        kinds, most = [rng.choice(kinds)], 5
    events = [
        Event(rng.uniform(0.3, 6.0), rng.choice(kinds), rng.randrange(12), lease * rng.uniform(0.2, 4.0))
        for _ in range(rng.randint(0, most))
    ]
    return tuple(sorted(events, key=lambda event: event.at))


# --- themes ---------------------------------------------------------------------------------------

Theme = Callable[[random.Random, Plan], Plan]


def made_again(rng: random.Random, plan: Plan) -> Plan:
    """Workers are made again in the same place, where orders to those before arrive once more."""
    deadline = rng.uniform(1.0, 1.5)
    return attrs.evolve(
        _busy(rng, plan),
        kind="cluster",
        rows=60,
        deadline=deadline,
        lease=deadline * rng.uniform(3.0, 5.0),
        rate=None,
        events=_events(rng, "remake", 8, 6.0),
        kills=(),
        poison=None,
        pace=0.6 * deadline,
        repeated=0.25,
        late=0.05,
        trouble=15.0,
    )


def cut_off(rng: random.Random, plan: Plan) -> Plan:
    """Workers cannot be reached any more, and go on until their leases end."""
    lease = plan.deadline * rng.uniform(3.0, 5.0)
    plan = attrs.evolve(_busy(rng, plan), kind="cluster", lease=lease, limit=rng.randint(2, 4))
    return attrs.evolve(plan, events=_events(rng, "cut", 5, 4.0), pace=0.4 * plan.deadline)


def asleep_in_doubt(rng: random.Random, plan: Plan) -> Plan:
    """Machines sleep while rows are in doubt, and wake when their leases have ended."""
    deadline = rng.uniform(2.0, 3.0)
    lease = deadline * rng.uniform(1.3, 1.8)
    events = tuple(
        attrs.evolve(event, seconds=lease * rng.uniform(0.7, 1.2))
        for event in _events(rng, "suspend", 8, 8.0)
    )
    return attrs.evolve(
        _busy(rng, plan),
        deadline=deadline,
        lease=lease,
        settle=0.4 * deadline,
        marked=True,
        rate=None,
        limit=8,
        events=events,
        kills=(),
        poison=None,
        creates=0.7,
        service=0.0,
        trouble=15.0,
    )


def stopped_twice(rng: random.Random, plan: Plan) -> Plan:
    """People stop the import, and stop it again, while rows are in doubt: workers cancel their calls."""
    deadline = rng.uniform(4.0, 6.0)
    stops = [number * 8.0 + rng.uniform(0.5, 2.0) for number in range(3)]
    return attrs.evolve(
        _busy(rng, plan),
        deadline=deadline,
        lease=deadline * rng.uniform(1.5, 3.0),
        settle=0.7 * deadline,
        marked=True,
        rate=None,
        limit=8,
        events=tuple(Event(at, "stop") for stop in stops for at in (stop, stop + 0.1)),
        kills=(),
        poison=None,
        order_lost=0.0,
        report_lost=0.0,
        creates=0.7,
        service=0.0,
        pace=0.5,
        trouble=30.0,
    )


def left_by_coordinators(rng: random.Random, plan: Plan) -> Plan:
    """Coordinators are killed while workers have leases, and others begin before those have ended."""
    deadline = rng.uniform(1.5, 2.5)
    return attrs.evolve(
        _busy(rng, plan),
        kind="cluster",
        rows=60,
        deadline=deadline,
        lease=deadline * rng.uniform(5.0, 8.0),
        settle=rng.uniform(0.2, 0.4),
        rate=None,
        limit=rng.randint(3, 6),
        kills=tuple(rng.randint(5, 60) for _ in range(2)),
        pause=0.5,
        events=(),
        pace=0.4 * deadline,
        orphans_stop=0.8,
        poison=None,
        creates=0.1,
        service=0.0,
        order_lost=0.0,
        report_lost=0.0,
    )


def undelivered_results(rng: random.Random, plan: Plan) -> Plan:
    """Coordinators are killed at work, and while they collect undelivered results. Nobody looks rows up."""
    return attrs.evolve(
        _busy(rng, plan),
        marked=False,
        rate=None,
        kills=(rng.randint(10, 60), rng.choice([2, 3, 3, 4]), rng.choice([2, 3, 3, 4])),
        pause=0.5,
        orphans_stop=0.2,
        undelivered_lost=0.0,
        events=(),
        poison=None,
        creates=0.1,
        service=0.0,
        order_lost=0.0,
        report_lost=0.0,
    )


def repeated_messages(rng: random.Random, plan: Plan) -> Plan:
    """Messages come late, and again."""
    return attrs.evolve(_busy(rng, plan), repeated=0.2, late=0.1, trouble=9.0, events=(), kills=())


THEMES: tuple[Theme, ...] = (
    made_again,
    cut_off,
    asleep_in_doubt,
    stopped_twice,
    left_by_coordinators,
    undelivered_results,
    repeated_messages,
)


def _busy(rng: random.Random, plan: Plan) -> Plan:
    """Return a plan with workers that have work for some seconds."""
    workers, rows, limit = rng.randint(2, 3), rng.randint(30, 60), rng.randint(3, 6)
    return attrs.evolve(plan, workers=workers, rows=rows, limit=limit, at_work=True)


def _events(rng: random.Random, what: What, number: int, within: float) -> tuple[Event, ...]:
    times = sorted(rng.uniform(0.1, within) for _ in range(number))
    return tuple(Event(at, what, rng.randrange(12)) for at in times)
