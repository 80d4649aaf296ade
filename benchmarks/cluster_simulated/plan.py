"""Plan of a run: everything that the seed decides before it begins."""

from __future__ import annotations

from typing import Literal

import attrs

__all__ = ["Event", "Plan", "What"]

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
        at_work: whether events and kills wait for grants: the times of events count from the first grant on,
            and the points of a coordinator from its first one, or from when it asks for undelivered results.
        kills: at which of its points each coordinator is killed; a further one runs to its end.
        poison: a row whose worker dies each time it is about to send it.
        trouble: seconds from the start after which messages and the service are faultless.
        order_lost, report_lost, late, repeated: how often a message meets that.
        undelivered_lost: how often the undelivered results of a worker are lost.
        pause: seconds from a kill of the coordinator to its next begin, at most.
        orphans_stop: how often a worker stands still for a part of its lease when its coordinator is killed.
        creates: how often a create of a row meets a fault of the service.
        service: the same for every other request.
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
    at_work: bool = False
    kills: tuple[int, ...] = ()
    poison: int | None = None
    trouble: float = 0.0
    order_lost: float = 0.0
    report_lost: float = 0.0
    late: float = 0.0
    repeated: float = 0.0
    undelivered_lost: float = 0.0
    pause: float = 60.0
    orphans_stop: float = 0.4
    creates: float = 0.0
    service: float = 0.0
    pace: float = 0.1
