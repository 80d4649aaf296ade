"""Faults on command: the script in force, and what was done by it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from random import Random
from typing import Any

import attrs

from wosdk_async.sandbox.faults.exchange import FaultExchange
from wosdk_async.sandbox.faults.moved_hosts import MovedHosts
from wosdk_async.sandbox.faults.script import FaultScript, Rule
from wosdk_async.sandbox.faults.target import RequestMatch

__all__ = ["Faults"]


class Faults:
    """The faults of a local Company: the script in force, and what was done by it.

    It may be changed while the server runs, also from another thread; counting then begins anew.

    Args:
        script: a TOML file, plain data of the same shape, or a script that was read.

    Raises:
        FaultScriptError: the script is wrong; the text tells where.
    """

    def __init__(self, script: FaultScript | Mapping[str, Any] | str | Path | None = None) -> None:
        self.late: set[asyncio.Future[None]] = set()
        self.homes = MovedHosts()
        self._answered: list[str] = []
        self.load(script)

    def load(self, script: FaultScript | Mapping[str, Any] | str | Path | None) -> None:
        """Put another script in force; None is the empty one. Companies that moved are back home."""
        if isinstance(script, str | Path):
            script = FaultScript.read(script)
        elif not isinstance(script, FaultScript):
            script = FaultScript.of({} if script is None else script)
        self.homes.clear()
        self._answered.clear()
        self._state = _State(script)

    def clear(self) -> None:
        """No more faults."""
        self.load(None)

    @property
    def script(self) -> FaultScript:
        return self._state.script

    @property
    def injected(self) -> dict[str, int]:
        """How often each kind of fault was injected since the script came into force."""
        return dict(self._state.injected)

    def report(self) -> dict[str, Any]:
        """The script and its counters: requests seen and struck for each rule, faults by kind."""
        state = self._state
        return {
            **state.script.written(),
            "seen": list(state.seen),
            "struck": list(state.struck),
            "injected": dict(state.injected),
            "late": len(self.late),
        }

    @property
    def idle(self) -> bool:
        """Whether there is nothing to do to any request."""
        return not self._state.script.rules

    def note_answered(self, request_id: str | None) -> None:
        """Keep the RequestId of a response that was given: the last two that differ."""
        if request_id is not None and request_id not in self._answered[-1:]:
            self._answered = [*self._answered[-1:], request_id]

    def earlier_id(self, request_id: str | None) -> str | None:
        """Return the RequestId of the last response to another call: attempts of one call share theirs."""
        return next((known for known in reversed(self._answered) if known != request_id), None)

    def strike(self, target: RequestMatch) -> list[_Strike]:
        """Count a request; what it is struck by, in the order of the rules."""
        state = self._state
        return [strike for place in range(len(state.seen)) if (strike := state.strike(place, target))]


@attrs.define
class _State:
    """A script with its counters: replaced together."""

    script: FaultScript
    seen: list[int] = attrs.field(init=False)
    struck: list[int] = attrs.field(init=False)
    injected: Counter[str] = attrs.field(factory=Counter, init=False)

    def __attrs_post_init__(self) -> None:
        self.seen = [0] * len(self.script.rules)
        self.struck = list(self.seen)

    def strike(self, place: int, target: RequestMatch) -> _Strike | None:
        rule = self.script.rules[place]
        if not rule.applies(target):
            return None
        self.seen[place] += 1
        draw = self.script.draw(place, self.seen[place])
        return _Strike(self, place, rule, draw) if rule.strikes(self.seen[place], draw) else None


@attrs.frozen
class _Strike:
    """A rule that strikes a request, with the chance drawn for it."""

    state: _State
    place: int
    rule: Rule
    draw: Random

    async def play(self, exchange: FaultExchange) -> bool:
        self.state.struck[self.place] += 1
        self.state.injected[self.rule.kind] += 1
        return await self.rule.fault.play(exchange, self.draw)
