"""The plan of a seed, drawn at random: how often what happens, and within which bounds."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import TypeVar

import attrs

from benchmarks.simulate.plan import Fate, Plan, Reaction, Step, Surplus, World

__all__ = ["drawn"]

T = TypeVar("T")

_KINDS = {  # what is answered, and how often
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
_LIKELY = {"base": ["408", "again", "specifier", "other_specifier"], "get": ["again", "record"]}
_VERBS = {"wo": 8, "base": 3, "many": 4, "get": 2, "update": 2, "query": 1, "connect": 1}
_EVENTS = ["move", "kill_tokens", "reset", "down", "deaf", "overload"]


class _Draw:
    """Random choices, and how bad the world of this seed is."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(f"plan {seed}")
        self.often = self.pick([0.0, 0.1, 0.3, 0.6])
        self.surplus = self.pick([0.0, 0.0, 0.1, 0.4])
        self.span = self.pick([0.01, 0.2, 2.0, 15.0])

    def chance(self, probability: float) -> bool:
        return self._random.random() < probability

    def pick(self, choices: Sequence[T]) -> T:
        return choices[self._random.randrange(len(choices))]

    def weighted(self, choices: dict[str, int]) -> str:
        return self._random.choices(list(choices), list(choices.values()))[0]

    def seconds(self, *most: float) -> float:
        """Below one of these, rounded so that it reads well."""
        return round(self._random.random() * self.pick(most), 4)

    def count(self, least: int, most: int) -> int:
        return self._random.randint(least, most)


def drawn(seed: int, *, sandbox: bool | None = None) -> Plan:
    """The plan of ``seed``; every tenth is for the sandbox, with only what its store can be asked about."""
    sandbox = seed % 10 == 9 if sandbox is None else sandbox
    draw = _Draw(seed)
    world = attrs.evolve(_world(draw), sandbox=sandbox)
    steps = [_step(draw, number, sandbox) for number in range(1, draw.count(2, 9))]
    number = len(steps) + 1
    if draw.chance(0.3):
        steps += [_event(draw, number + n, sandbox) for n in range(draw.count(1, 2))]
    if draw.chance(0.3):
        for n in range(draw.pick([1, 1, 2, 3])):
            at, grace = draw.seconds(draw.span, 2 * draw.span, 6.0), draw.pick([0.0, 0.5, 5.0, 30.0])
            steps.append(Step(kind="close", number=number + 10 + n, at=at, grace=grace))
    logins = tuple(_reaction(draw, login=True) for _ in range(4)) if draw.chance(0.2) else ()
    return Plan(seed=seed, world=world, logins=logins, steps=tuple(steps))


def _world(draw: _Draw) -> World:
    return World(
        shuffled=draw.chance(0.8),
        pace=draw.pick([0.2, 1.0, 1.0, 5.0]),
        connections=draw.pick([1, 1, 2, 4, 100]),
        in_flight=draw.pick([1, 2, 8, 32]),
        rate=draw.pick([None, None, None, 20.0]),
        max_queued=draw.pick([None, None, None, 2]),
        adaptive=draw.chance(0.1),
        retry_quota=draw.pick([500.0, 500.0, 7.0]),
        token_life=draw.pick([1200.0, 1200.0, 70.0, 4.0]),
        read_timeout=draw.pick([120.0, 120.0, 3.0]),
        keepalive=draw.pick([15.0, 1.0]),
        two_addresses=draw.pick(["", "", "down", "deaf"]),
        old_host=draw.pick(["mismatch", "down", "good"]),
    )


def _step(draw: _Draw, number: int, sandbox: bool) -> Step:
    verbs = {verb: _VERBS[verb] for verb in ("wo", "base", "many", "connect")} if sandbox else _VERBS
    kind = draw.weighted(verbs)
    marker = kind in ("wo", "many") and draw.chance(0.4)
    settle = draw.pick([1.5, 4.0, 10.0])
    beyond = marker and not sandbox and draw.chance(0.2)
    count = 1 if kind == "connect" else draw.pick([1, 3, 8] if kind == "many" else [1, 1, 1, 4])
    step = Step(
        kind=kind,
        number=number,
        at=draw.seconds(draw.span),
        company=int(draw.chance(0.2)),
        fates=tuple(
            _beyond(draw, settle) if beyond else _fate(draw, marker, settle, kind) for _ in range(count)
        ),
        marker=marker,
        beyond=beyond,
        settle=settle,
        deadline=_deadline(draw),
        attempts=draw.pick([4, 4, 2, 1]),
        trace=draw.pick([None, None, None, 1, 1, 2]) if kind != "many" else None,
        cancel=draw.seconds(0.01, 0.1, 1.0, 10.0) if draw.chance(0.2) else None,
        cancel_at=draw.count(1, 120) if draw.chance(0.15) else None,
        turns=draw.count(0, 4),
    )
    return _many(draw, step) if kind == "many" else step


def _deadline(draw: _Draw) -> float | None:
    if draw.chance(0.5):
        return None
    return draw.pick([draw.seconds(0.05), draw.seconds(2.0), 5.0, 8.0, 30.0, 0.0, -1.0])


def _many(draw: _Draw, step: Step) -> Step:
    count = len(step.fates)
    return attrs.evolve(
        step,
        limit=draw.pick([1, 2, 8]),
        source=draw.pick(["list", "generator", "async", "async"]),
        raising=draw.count(0, count) if draw.chance(0.15) else None,
        error=draw.pick(["ValueError", "CancelledError", "awaited", "GeneratorExit"]),
        leave=draw.pick(["read", "read", "unread", "break", "raise", "stop", "bare"]),
        leave_at=draw.count(0, count),
        grace=draw.pick([0.0, 0.5, 5.0]),
    )


def _fate(draw: _Draw, marker: bool, settle: float, kind: str) -> Fate:
    # How long a commit may come late so that the client still promises to find it.
    late = settle * 0.5 if marker else 20.0
    reactions = [_reaction(draw, late=late, marker=marker, of=kind) for _ in range(draw.pick([1, 1, 2, 4]))]
    looks = [_reaction(draw, late=1.0, look=True) for _ in range(draw.count(1, 3))]
    if not marker and kind != "query":
        looks = []
    plain = Reaction()
    return Fate(
        reactions=() if all(each == plain for each in reactions) else tuple(reactions),
        looks=() if all(each == plain for each in looks) else tuple(looks),
    )


def _beyond(draw: _Draw, settle: float) -> Fate:
    """The work of a first attempt is done when the client has looked for it and sends a second."""
    lost = Reaction(
        kind=draw.pick(["cut", "gateway"]), early=True, before=round(settle * draw.pick([1.5, 2.0, 3.0]), 2)
    )
    kind = draw.pick(["refuse", "refuse", "busy", "good", "gateway"])
    second = Reaction(kind=kind, carried=False, before=draw.seconds(settle, 3 * settle))
    return Fate(reactions=(lost, second))


def _reaction(
    draw: _Draw,
    *,
    late: float = 5.0,
    marker: bool = False,
    look: bool = False,
    login: bool = False,
    of: str = "",
) -> Reaction:
    surplus = () if login else _surplus(draw, of)
    if not draw.chance(draw.often):
        slow = draw.seconds(0.1, 0.1, late) if draw.chance(0.3) else 0.0
        return Reaction(surplus=surplus, before=slow, pieces=draw.pick([1, 1, 1, 3]))
    kind = draw.weighted(_KINDS)
    if look or login:
        kind = {"null": "gateway", "other_id": "good", "no_id": "good", "upper_id": "good"}.get(kind, kind)
        kind = "gateway" if kind == "refuse" else kind
    return Reaction(
        kind=kind,
        carried=draw.chance(0.6),
        before=draw.seconds(0.02, 0.5, late),
        after=draw.seconds(0.0, 0.02, 1.0),
        early=draw.chance(0.3),
        cut=draw.pick([0.0, 0.0, draw.seconds(1.0), 0.99]),
        how=draw.pick(["fin", "rst"]),
        pieces=draw.pick([1, 2, 9]),
        stall=draw.seconds(0.5) if draw.chance(0.1) else 0.0,
        retry_after=draw.pick([None, None, 0.0, 1.0, 90.0]) if kind == "busy" else None,
        chunked=draw.chance(0.2),
        unseen=draw.seconds(0.0, late * 0.3) if marker else 0.0,
        surplus=surplus,
    )


def _surplus(draw: _Draw, of: str) -> tuple[Surplus, ...]:
    if not draw.chance(draw.surplus):
        return ()
    whats = _LIKELY[of] if of in _LIKELY and draw.chance(0.5) else _SURPLUS
    return tuple(
        Surplus(what=draw.pick(whats), after=draw.pick([0.0, 0.0, draw.seconds(0.02), draw.seconds(0.5)]))
        for _ in range(draw.pick([1, 1, 2]))
    )


def _event(draw: _Draw, number: int, sandbox: bool) -> Step:
    kind = draw.pick(["reset", "down", "overload"] if sandbox else _EVENTS)
    return Step(
        kind=kind,
        number=number,
        at=draw.seconds(draw.span, 3.0),
        company=int(draw.chance(0.2)),
        seconds=draw.seconds(0.5, 5.0),
    )
