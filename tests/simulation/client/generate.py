"""Random plans: the kinds, frequencies and bounds of their events."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any, TypeVar

import attrs

from tests.simulation.client.plan import CallScript, Plan, Reaction, Step, Surplus, World

T = TypeVar("T")

_RESPONSES = {  # kinds of response and their weights
    "good": 6,
    "refuse": 3,
    "busy": 3,
    "gateway": 3,
    "cut": 4,
    "silent": 1,
    "null": 2,
    "unreadable": 1,
    "other_id": 2,
    "no_id": 1,
    "upper_id": 1,
}
_SURPLUS = ["408", "again", "foreign", "anonymous", "refusal", "specifier", "other_specifier", "rows"]
_LIKELY_SURPLUS = {"base": ["408", "again", "specifier", "other_specifier"], "get": ["again", "record"]}
_VERBS = {"wo": 8, "base": 3, "many": 4, "get": 2, "update": 2, "query": 1, "connect": 1}
_EVENTS = ["move", "kill_tokens", "reset", "down", "blackhole", "overload"]


class _Choices:
    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"plan {seed}")
        self.fault_rate = self.choice([0.0, 0.1, 0.3, 0.6])
        self.surplus_rate = self.choice([0.0, 0.0, 0.1, 0.4])
        self.span = self.choice([0.01, 0.2, 2.0, 15.0])

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def choice(self, choices: Sequence[T]) -> T:
        return choices[self._random.randrange(len(choices))]

    def weighted(self, choices: dict[str, int]) -> str:
        """Return a choice, weighted by the values."""
        return self._random.choices(list(choices), list(choices.values()))[0]

    def seconds(self, *most: float) -> float:
        """Return a random number of seconds below one of ``most``, rounded for readability."""
        return round(self._random.random() * self.choice(most), 4)

    def count(self, least: int, most: int) -> int:
        return self._random.randint(least, most)


def generate_plan(seed: int, *, sandbox: bool | None = None) -> Plan:
    """Return the plan of ``seed``.

    Every tenth plan is for the sandbox, and has only calls whose effects the sandbox's store can show.
    """
    sandbox = seed % 10 == 9 if sandbox is None else sandbox
    rng = _Choices(seed)
    world = attrs.evolve(_world(rng), sandbox=sandbox, **_undrawn(seed))
    steps = [_step(rng, number, sandbox) for number in range(1, rng.count(2, 9))]
    number = len(steps) + 1
    if rng.chance(0.3):
        steps += [_event(rng, number + n, sandbox) for n in range(rng.count(1, 2))]
    if rng.chance(0.3):
        for n in range(rng.choice([1, 1, 2, 3])):
            at, grace = rng.seconds(rng.span, 2 * rng.span, 6.0), rng.choice([0.0, 0.5, 5.0, 30.0])
            steps.append(Step(kind="close", number=number + 10 + n, at=at, grace=grace))
    logins = tuple(_reaction(rng, login=True) for _ in range(4)) if rng.chance(0.2) else ()
    return Plan(seed=seed, world=world, logins=logins, steps=tuple(_looking_first(rng, steps)))


def _looking_first(rng: _Choices, steps: list[Step]) -> list[Step]:
    """Return the steps, some of them with look_first, and further steps with the same keys."""
    changed, number = [], max(step.number for step in steps)
    for step in steps:
        if not step.marker or not rng.chance(0.5):
            changed.append(step)
            continue
        changed.append(attrs.evolve(step, look_first=True))
        if step.kind == "wo" and not step.beyond_settle:
            number += 1
            again = attrs.evolve(
                changed[-1],
                number=number,
                same_keys=step.number,
                at=max(0.0, step.at + rng.seconds(0.01, 0.5, 10.0) - rng.choice([0.0, 0.2])),
                deadline=_deadline(rng),
                cancel=rng.seconds(0.01, 0.1, 1.0, 10.0) if rng.chance(0.3) else None,
                cancel_at=rng.count(1, 120) if rng.chance(0.2) else None,
            )
            changed.append(again)
    return changed


def _world(rng: _Choices) -> World:
    return World(
        shuffled=rng.chance(0.8),
        pace=rng.choice([0.2, 1.0, 1.0, 5.0]),
        connections=rng.choice([1, 1, 2, 4, 100]),
        in_flight=rng.choice([1, 2, 8, 32]),
        rate=rng.choice([None, None, None, 20.0]),
        max_queued=rng.choice([None, None, None, 2]),
        adaptive=rng.chance(0.1),
        retry_quota=rng.choice([500.0, 500.0, 7.0]),
        token_life=rng.choice([1200.0, 1200.0, 70.0, 4.0]),
        read_timeout=rng.choice([120.0, 120.0, 3.0]),
        keepalive=rng.choice([15.0, 1.0]),
        two_addresses=rng.choice(["", "", "down", "blackhole"]),
        old_host=rng.choice(["mismatch", "down", "good"]),
    )


def _undrawn(seed: int) -> dict[str, Any]:
    """Return settings that depend on the seed alone, so that its random choices stay the same."""
    world: dict[str, Any] = {}
    if seed % 3 == 1:
        broken = 0.2 if seed % 5 == 0 else 0.0
        world["tls"] = "polite" if seed % 2 else "cut"
        world |= {"broken_handshakes": broken, "silent_handshakes": bool(broken) and seed % 7 < 3}
    if seed % 11 == 5:
        world |= {"broken_look_ups": 0.3, "silent_look_ups": seed % 2 == 0}
    if seed % 4 == 2:
        world["greetings"] = 0.2
    if seed % 6 == 1:
        world["halved"] = 0.003
    return world


def _step(rng: _Choices, number: int, sandbox: bool) -> Step:
    verbs = {verb: _VERBS[verb] for verb in ("wo", "base", "many", "connect")} if sandbox else _VERBS
    kind = rng.weighted(verbs)
    marker = kind in ("wo", "many") and rng.chance(0.4)
    settle = rng.choice([1.5, 4.0, 10.0])
    beyond_settle = marker and not sandbox and rng.chance(0.2)
    count = 1 if kind == "connect" else rng.choice([1, 3, 8] if kind == "many" else [1, 1, 1, 4])
    step = Step(
        kind=kind,
        number=number,
        at=rng.seconds(rng.span),
        company=int(rng.chance(0.2)),
        scripts=tuple(
            _beyond_settle(rng, settle) if beyond_settle else _call_script(rng, marker, settle, kind)
            for _ in range(count)
        ),
        marker=marker,
        beyond_settle=beyond_settle,
        settle=settle,
        deadline=_deadline(rng),
        attempts=rng.choice([4, 4, 2, 1]),
        trace=rng.choice([None, None, None, 1, 1, 2]) if kind != "many" else None,
        cancel=rng.seconds(0.01, 0.1, 1.0, 10.0) if rng.chance(0.2) else None,
        cancel_at=rng.count(1, 120) if rng.chance(0.15) else None,
        cancel_turns=rng.count(0, 4),
    )
    return _run_many(rng, step) if kind == "many" else step


def _deadline(rng: _Choices) -> float | None:
    if rng.chance(0.5):
        return None
    return rng.choice([rng.seconds(0.05), rng.seconds(2.0), 5.0, 8.0, 30.0, 0.0, -1.0])


def _run_many(rng: _Choices, step: Step) -> Step:
    count = len(step.scripts)
    return attrs.evolve(
        step,
        limit=rng.choice([1, 2, 8]),
        source=rng.choice(["list", "generator", "async", "async"]),
        raise_before=rng.count(0, count) if rng.chance(0.15) else None,
        error=rng.choice(["ValueError", "CancelledError", "awaited", "GeneratorExit"]),
        leave=rng.choice(["read", "read", "unread", "break", "raise", "stop", "bare"]),
        leave_at=rng.count(0, count),
        grace=rng.choice([0.0, 0.5, 5.0]),
    )


def _call_script(rng: _Choices, marker: bool, settle: float, kind: str) -> CallScript:
    # A client may miss a later commit: see docs/failures.md.
    late = settle * 0.5 if marker else 20.0
    reactions = [_reaction(rng, late=late, marker=marker, verb=kind) for _ in range(rng.choice([1, 1, 2, 4]))]
    lookups = [_reaction(rng, late=1.0, lookup=True) for _ in range(rng.count(1, 3))]
    if not marker and kind != "query":
        lookups = []
    plain = Reaction()
    return CallScript(
        reactions=() if all(each == plain for each in reactions) else tuple(reactions),
        lookups=() if all(each == plain for each in lookups) else tuple(lookups),
    )


def _beyond_settle(rng: _Choices, settle: float) -> CallScript:
    """Return a script whose first attempt takes effect after the client's look-up and second attempt."""
    lost = Reaction(
        kind=rng.choice(["cut", "gateway"]), early=True, before=round(settle * rng.choice([1.5, 2.0, 3.0]), 2)
    )
    kind = rng.choice(["refuse", "refuse", "busy", "good", "gateway"])
    second = Reaction(kind=kind, carried_out=False, before=rng.seconds(settle, 3 * settle))
    return CallScript(reactions=(lost, second))


def _reaction(
    rng: _Choices,
    *,
    late: float = 5.0,
    marker: bool = False,
    lookup: bool = False,
    login: bool = False,
    verb: str = "",
) -> Reaction:
    surplus = () if login else _surplus(rng, verb)
    if not rng.chance(rng.fault_rate):
        slow = rng.seconds(0.1, 0.1, late) if rng.chance(0.3) else 0.0
        return Reaction(surplus=surplus, before=slow, pieces=rng.choice([1, 1, 1, 3]))
    kind = rng.weighted(_RESPONSES)
    if lookup or login:
        kind = {"null": "gateway", "other_id": "good", "no_id": "good", "upper_id": "good"}.get(kind, kind)
        kind = "gateway" if kind == "refuse" else kind
    return Reaction(
        kind=kind,
        carried_out=rng.chance(0.6),
        before=rng.seconds(0.02, 0.5, late),
        after=rng.seconds(0.0, 0.02, 1.0),
        early=rng.chance(0.3),
        cut=rng.choice([0.0, 0.0, rng.seconds(1.0), 0.99]),
        end=rng.choice(["fin", "rst"]),
        pieces=rng.choice([1, 2, 9]),
        stall=rng.seconds(0.5) if rng.chance(0.1) else 0.0,
        retry_after=rng.choice([None, None, 0.0, 1.0, 90.0]) if kind == "busy" else None,
        chunked=rng.chance(0.2),
        hidden_for=rng.seconds(0.0, late * 0.3) if marker else 0.0,
        surplus=surplus,
    )


def _surplus(rng: _Choices, verb: str) -> tuple[Surplus, ...]:
    if not rng.chance(rng.surplus_rate):
        return ()
    kinds = _LIKELY_SURPLUS[verb] if verb in _LIKELY_SURPLUS and rng.chance(0.5) else _SURPLUS
    return tuple(
        Surplus(kind=rng.choice(kinds), after=rng.choice([0.0, 0.0, rng.seconds(0.02), rng.seconds(0.5)]))
        for _ in range(rng.choice([1, 1, 2]))
    )


def _event(rng: _Choices, number: int, sandbox: bool) -> Step:
    kind = rng.choice(["reset", "down", "overload"] if sandbox else _EVENTS)
    return Step(
        kind=kind,
        number=number,
        at=rng.seconds(rng.span, 3.0),
        company=int(rng.chance(0.2)),
        seconds=rng.seconds(0.5, 5.0),
    )
