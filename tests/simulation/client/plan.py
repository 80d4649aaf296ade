"""Plan of a seed, as data: the steps of the program, and the reactions of service and network.

Every field has a default that means "nothing special", so a failing plan can be shrunk field by field.
Reactions belong to the attempts of one key and not to the n-th request, so removing one does not move the
others.
"""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Surplus:
    """Surplus response, sent in the segment of the good one or ``after`` seconds later."""

    kind: str = "408"
    after: float = 0.0


@attrs.frozen(kw_only=True)
class Reaction:
    """Reaction of the service to one attempt.

    ``kind`` is the kind of response. ``carried_out`` is whether the request takes effect, if the response
    does not show it. The effect happens after ``before`` seconds. The response leaves ``after`` seconds later
    or, if ``early``, before the effect. ``cut`` is the share of the response that leaves before the
    connection ends with ``end``.
    """

    kind: str = "good"
    carried_out: bool = True
    before: float = 0.0
    after: float = 0.0
    early: bool = False
    cut: float = 0.0
    end: str = "fin"
    pieces: int = 1
    stall: float = 0.0
    retry_after: float | None = None
    chunked: bool = False
    hidden_for: float = 0.0
    """Seconds during which queries do not show the effect."""
    surplus: tuple[Surplus, ...] = ()


@attrs.frozen(kw_only=True)
class CallScript:
    """Reactions to the attempts of one call, and to the look-ups of its marker."""

    reactions: tuple[Reaction, ...] = ()
    lookups: tuple[Reaction, ...] = ()


@attrs.frozen(kw_only=True)
class Step:
    """Step of the program, concurrent with the other steps, or an event of the service."""

    kind: str
    number: int
    at: float = 0.0
    company: int = 0
    scripts: tuple[CallScript, ...] = (CallScript(),)
    """Scripts of the step's calls, which run one after another, except in ``many``."""
    marker: bool = False
    look_first: bool = False
    same_keys: int | None = None
    """Number of the step whose keys and reactions the calls of this step share."""
    deadline: float | None = None
    settle: float = 4.0
    beyond_settle: bool = False
    """Whether effects may become visible after ``settle`` seconds: the documented window."""
    attempts: int = 4
    trace: int | None = None
    """Number of a trace, shared by all steps with the same number."""
    cancel: float | None = None
    """Seconds from the start of the step to its cancellation."""
    cancel_at: int | None = None
    """Number of the network event that cancels the step."""
    cancel_turns: int = 0
    """Turns of the loop between that event and the cancellation."""
    limit: int = 8
    source: str = "list"
    raise_before: int | None = None
    """Index of the input before which the source raises ``error``."""
    error: str = "ValueError"
    leave: str = "read"
    leave_at: int = 0
    grace: float = 2.0
    seconds: float = 0.0


@attrs.frozen(kw_only=True)
class World:
    """Settings of the client and the service, and the speed and faults of the network."""

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
    tls: str = ""
    """How the service ends a TLS connection: "polite" with close_notify, "cut" without; empty: no TLS."""
    broken_handshakes: float = 0.0
    """Share of connections whose handshake fails."""
    silent_handshakes: bool = False
    """Whether failed handshakes are silent, instead of ending the connection."""
    broken_look_ups: float = 0.0
    """Share of name look-ups that fail."""
    silent_look_ups: bool = False
    """Whether failed look-ups take a long time, instead of failing at once."""
    greetings: float = 0.0
    """Share of connections on which the service sends a response before any request."""
    halved: float = 0.0
    """Seconds between the two halves of a surplus response, or of its TLS record; 0 for a whole response."""
    sandbox: bool = False
    """Whether the backend is the project's own sandbox instead of the model."""


@attrs.frozen(kw_only=True)
class Plan:
    """Everything that a run depends on. ``seed`` also determines delays and the order of callbacks."""

    seed: int
    world: World = World()
    logins: tuple[Reaction, ...] = ()
    steps: tuple[Step, ...] = ()


def as_text(plan: Any) -> str:
    """Return a plan, or part of a plan, as Python source without fields that have their default."""
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
