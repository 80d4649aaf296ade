"""Plan of a run: everything that the seed decides before it begins."""

from __future__ import annotations

import random
from typing import Literal

import attrs

__all__ = ["Event", "Plan", "draw"]

_NEEDED = 12.0  # calls: the coordinator has a tenth of the rate, so its own calls wait, and must not time out
_BUSY = 10.0  # seconds that a job should take at least, so that events meet it at work

What = Literal["freeze", "suspend", "die", "cut", "remake", "freeze the coordinator", "stop", "revoke"]


@attrs.frozen
class Event:
    """Something that happens ``at`` some seconds after the start, to the worker at ``place``."""

    at: float
    what: What
    place: int = 0
    seconds: float = 0.0


@attrs.frozen(kw_only=True)
class Plan:
    """One job on some workers, and the faults that it meets.

    Args:
        seed: of the plan; it also seeds what happens during the run.
        kind: how workers live and die. Those of ``processes`` end with their coordinator and leave results
            in a file, and their deaths are seen; those of a ``cluster`` go on, and are asked later.
        kills: at which of its points each coordinator is killed; a further one runs to its end.
        poison: a row whose worker dies each time it is about to send it.
        trouble: seconds from the start after which messages and the service are faultless.
        order_lost, report_lost, late, repeated: how often a message meets that.
        left_lost: how often the results are lost that a worker without a coordinator leaves.
        service: how often the service meets a fault with a request.
        pace: seconds that a response takes at most, without faults.
    """

    seed: int
    kind: Literal["processes", "cluster"]
    workers: int
    rows: int
    lease: float
    deadline: float
    settle: float
    skew: float
    rate: float | None
    limit: int
    marked: bool
    events: tuple[Event, ...] = ()
    kills: tuple[int, ...] = ()
    poison: int | None = None
    trouble: float = 0.0
    order_lost: float = 0.0
    report_lost: float = 0.0
    late: float = 0.0
    repeated: float = 0.0
    left_lost: float = 0.0
    service: float = 0.0
    pace: float = 0.1


def draw(seed: int) -> Plan:
    """Return the plan of a seed."""
    rng = random.Random(f"cluster {seed}")
    rate = rng.uniform(4.0, 25.0) if rng.random() < 0.5 else None
    deadline = rng.uniform(0.5, 2.0) + (0.0 if rate is None else _NEEDED / rate)
    lease = deadline * rng.uniform(1.3, 5.0)
    kind: Literal["processes", "cluster"] = rng.choice(["processes", "cluster"])
    marked = rng.random() < 0.8
    rows = rng.randint(20, 80)
    limit = rng.choice([1, 2, 3, 4, 6, 8])
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
        events=_events(rng, kind, lease),
        kills=tuple(int(10 ** rng.uniform(1.0, 2.9)) for _ in range(rng.choice([0, 0, 1, 1, 2]))),
        poison=rng.randint(2, rows) if rng.random() < 0.15 else None,
        trouble=rng.uniform(3.0, 20.0),
        order_lost=_rarely(rng),
        report_lost=_rarely(rng),
        late=_rarely(rng),
        repeated=_rarely(rng),
        left_lost=rng.choice([0.0, 0.3, 1.0]),
        service=rng.choice([0.0, 0.1, 0.3]),
        pace=min(0.4 * deadline, _BUSY * limit / rows),
    )


def _rarely(rng: random.Random) -> float:
    return rng.choice([0.0, 0.02, 0.1])


def _events(rng: random.Random, kind: str, lease: float) -> tuple[Event, ...]:
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
