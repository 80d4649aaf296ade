"""What a seed stands for, as data: what the program does, and what the service and the network do to it.

Every part of a plan has a default that means "nothing special", so that a plan that fails can be made smaller
field by field. Reactions belong to the attempts of one key, not to the n-th request: what is taken out of a
plan does not move the rest.
"""

from __future__ import annotations

from typing import Any

import attrs

__all__ = ["Fate", "Plan", "Reaction", "Step", "Surplus", "World", "as_text"]


@attrs.frozen(kw_only=True)
class Surplus:
    """A response too many: in the segment of a good one, or ``after`` so many seconds."""

    what: str = "408"
    after: float = 0.0


@attrs.frozen(kw_only=True)
class Reaction:
    """What becomes of one attempt.

    ``kind`` is what is answered, ``carried`` whether the work is done where the answer does not tell. The
    work takes ``before`` seconds, and the answer leaves ``after`` seconds later, or with ``early`` at once,
    before the work is done. ``cut`` is the share of the answer that leaves.
    """

    kind: str = "good"
    carried: bool = True
    before: float = 0.0
    after: float = 0.0
    early: bool = False
    cut: float = 0.0
    how: str = "fin"
    pieces: int = 1
    stall: float = 0.0
    retry_after: float | None = None
    chunked: bool = False
    unseen: float = 0.0
    """Seconds for which queries do not show what was done."""
    surplus: tuple[Surplus, ...] = ()


@attrs.frozen(kw_only=True)
class Fate:
    """The reactions to the attempts of one call, to the look-ups of its marker, and its cancellation."""

    reactions: tuple[Reaction, ...] = ()
    looks: tuple[Reaction, ...] = ()


@attrs.frozen(kw_only=True)
class Step:
    """Something the program does at a time, beside its other steps; or that happens to the service."""

    kind: str
    number: int
    at: float = 0.0
    company: int = 0
    fates: tuple[Fate, ...] = (Fate(),)
    """One for each call of the step: one after the other, but for ``many``."""
    marker: bool = False
    deadline: float | None = None
    settle: float = 4.0
    beyond: bool = False
    """Whether what was done may show later than the marker's ``settle`` time: the documented window."""
    attempts: int = 4
    trace: int | None = None
    """The trace it shares with all steps that name the same one."""
    cancel: float | None = None
    """Seconds after its begin at which it is cancelled."""
    cancel_at: int | None = None
    """The event of the network after which it is cancelled."""
    turns: int = 0
    """Turns of the loop from that event to the cancellation."""
    limit: int = 8
    source: str = "list"
    raising: int | None = None
    """The input before which the source raises, and what."""
    error: str = "ValueError"
    leave: str = "read"
    leave_at: int = 0
    grace: float = 2.0
    seconds: float = 0.0


@attrs.frozen(kw_only=True)
class World:
    """How the client is set, and how fast everything is."""

    shuffled: bool = True
    pace: float = 1.0
    connections: int = 100
    in_flight: int = 32
    rate: float | None = None
    max_queued: int | None = None
    adaptive: bool = False
    retry_quota: float = 500.0
    token_life: float = 1200.0
    read_timeout: float = 120.0
    keepalive: float = 15.0
    two_addresses: str = ""
    old_host: str = "mismatch"
    sandbox: bool = False
    """Whether the project's own sandbox answers, instead of the model."""


@attrs.frozen(kw_only=True)
class Plan:
    """``seed`` is also that of the delays and of the order of callbacks."""

    seed: int
    world: World = World()
    logins: tuple[Reaction, ...] = ()
    steps: tuple[Step, ...] = ()


def as_text(plan: Any) -> str:
    """A plan, or a part of one, with nothing in it that is as by default."""
    if isinstance(plan, tuple):
        inner = ", ".join(as_text(each) for each in plan)
        return f"({inner}{',' if len(plan) == 1 else ''})"
    if not attrs.has(type(plan)):
        return repr(plan)
    shown = [
        f"{field.name}={as_text(value)}"
        for field in attrs.fields(type(plan))
        if (value := getattr(plan, field.name)) != field.default
    ]
    return f"{type(plan).__name__}({', '.join(shown)})"
