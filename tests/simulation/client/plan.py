"""Plan of a seed, as data: the steps of the program, and the reactions of service and network.

Every field has a default that means "nothing special", so a plan that fails can be made smaller field by
field. Reactions belong to the attempts of one key and not to the n-th request, so that taking one out of a
plan does not move the others.
"""

from __future__ import annotations

from typing import Any

import attrs


@attrs.frozen(kw_only=True)
class Surplus:
    """Surplus response: in the segment of the good one, or ``after`` so many seconds."""

    kind: str = "408"
    after: float = 0.0


@attrs.frozen(kw_only=True)
class Reaction:
    """Reaction of the service to one attempt.

    ``kind`` is the kind of response. ``carried_out`` says whether the request takes effect, where the
    response does not show it. The effect happens after ``before`` seconds, and the response leaves ``after``
    seconds later, or before the effect if ``early``. ``cut`` is the share of the response that leaves before
    the connection ends by ``end``.
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
    """Seconds for which queries do not show the effect."""
    surplus: tuple[Surplus, ...] = ()


@attrs.frozen(kw_only=True)
class CallScript:
    """Reactions to the attempts of one call and to the look-ups of its marker."""

    reactions: tuple[Reaction, ...] = ()
    lookups: tuple[Reaction, ...] = ()


@attrs.frozen(kw_only=True)
class Step:
    """Step of the program, concurrent with the others, or an event that happens to the service."""

    kind: str
    number: int
    at: float = 0.0
    company: int = 0
    scripts: tuple[CallScript, ...] = (CallScript(),)
    """One for each call of the step; the calls follow each other, except those of ``many``."""
    marker: bool = False
    look_first: bool = False
    same_keys: int | None = None
    """Number of another step whose keys its calls have, and whose reactions they get."""
    deadline: float | None = None
    settle: float = 4.0
    beyond_settle: bool = False
    """Whether effects may become visible after the marker's ``settle`` time: the documented window."""
    attempts: int = 4
    trace: int | None = None
    """Number of the trace that it shares with all steps that name the same one."""
    cancel: float | None = None
    """Seconds after its start at which it is cancelled."""
    cancel_at: int | None = None
    """Number of the network event after which it is cancelled."""
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
    """Settings of the client, and speed of the network."""

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
    """Whether the service speaks TLS, and how it ends a connection: "polite" with a goodbye, or "cut"."""
    broken_handshakes: float = 0.0
    """Share of connections that end instead of a handshake."""
    silent_handshakes: bool = False
    """Whether nothing comes over these connections, instead of their end."""
    broken_look_ups: float = 0.0
    """Share of name look-ups that fail."""
    silent_look_ups: bool = False
    """Whether they fail after a long time, instead of at once."""
    greetings: float = 0.0
    """Share of connections on which the service sends a response before any request."""
    halved: float = 0.0
    """Seconds between the two halves of a surplus response, over TLS of its record; 0 sends it whole."""
    sandbox: bool = False
    """Whether the project's own sandbox is the backend, instead of the model."""


@attrs.frozen(kw_only=True)
class Plan:
    """Everything that a run depends on; ``seed`` also decides delays and the order of callbacks."""

    seed: int
    world: World = World()
    logins: tuple[Reaction, ...] = ()
    steps: tuple[Step, ...] = ()


def as_text(plan: Any) -> str:
    """Return a plan, or a part of one, as Python source without the fields that have their default."""
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
