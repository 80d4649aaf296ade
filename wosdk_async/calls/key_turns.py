"""Queue for calls with the same key: they run one at a time, so that only one creates the record."""

from __future__ import annotations

import asyncio
import copy
from collections import deque
from collections.abc import Hashable
from typing import Any, Self

import attrs

from wosdk_async.protocol.writes import LookUps
from wosdk_async.transport.clock import TransportClock

_REMEMBERED = 600.0
"""Seconds after its settle time for which a call in doubt is remembered: a call with its key looks first."""


@attrs.define(eq=False)
class _Key:
    taken: bool = False
    """Whether a call has the turn; also true while the turn passes between calls."""
    waiting: deque[asyncio.Future[None]] | None = None
    """Futures of the waiting calls, in order; None until a call has to wait.

    A future is done when its call gets the turn.
    """
    calls: int = 0
    """Number of calls that have the turn or are waiting for it."""
    used: bool = False
    look_ups: LookUps | None = None
    """Look-ups that will show whether an earlier call took effect; None if no call is in doubt."""
    result: Any = None
    owner: object = None
    """Sessions of the call that stored the result.

    Only calls with these sessions get the result: other credentials may lack access to the record.
    """

    def pass_on(self) -> None:
        """End a turn, and give the next one to the call that has waited longest."""
        while self.waiting:
            granted = self.waiting.popleft()
            if not granted.done():  # skip calls that were cancelled while they waited
                granted.set_result(None)
                return
        self.taken = False


class KeyTurn:
    """Context manager for one call's turn: enter it before the wait, exit it after the call."""

    __slots__ = ("_held", "_key", "_owner", "_state", "_turns")

    def __init__(self, turns: KeyTurns, key: Hashable, owner: object) -> None:
        self._turns = turns
        self._key = key
        self._owner = owner
        self._state = _Key()
        self._held = False

    def __enter__(self) -> Self:
        self._state = self._turns.keys.setdefault(self._key, self._state)
        self._state.calls += 1
        return self

    def __exit__(self, *_: object) -> None:
        state = self._state
        state.calls -= 1
        if self._held:
            state.used = True
            state.pass_on()
        self._turns.forget(self._key)

    def take(self) -> bool:
        """Take the turn if it is free, and return whether this call now has it."""
        if self._state.taken:
            return False
        self._state.taken = self._held = True
        return True

    async def wait(self) -> None:
        """Wait until earlier calls have ended. A cancelled caller passes its turn on."""
        state = self._state
        if state.waiting is None:
            state.waiting = deque()
        granted = asyncio.get_running_loop().create_future()
        state.waiting.append(granted)
        try:
            await granted
        except BaseException:
            if granted in state.waiting:
                state.waiting.remove(granted)
            elif not granted.cancelled():  # granted in the loop iteration in which the call was cancelled
                state.pass_on()
            raise
        self._held = True

    @property
    def used(self) -> bool:
        """Whether an earlier call with this key has ended."""
        return self._state.used

    @property
    def look_ups(self) -> LookUps | None:
        """Look-ups that an earlier call in doubt still needs; None if no call is in doubt."""
        return self._state.look_ups

    def settled(self) -> None:
        """Record that the outcome of the earlier call is known."""
        self._state.look_ups = None

    @property
    def result(self) -> Any:
        """Result that the previous call left for this call; None if there is none."""
        return self._state.result if self._state.owner is self._owner else None

    def doubt(self, look_ups: LookUps) -> None:
        """Record the call as in doubt, with the look-ups that will show whether it took effect."""
        self._state.look_ups = look_ups

    def done(self, result: Any) -> None:
        """Record the call's result for the waiting calls of the same owner."""
        # The waiting calls get a copy, because this call's caller may change the result.
        self._state.result = copy.deepcopy(result) if self._state.calls > 1 else None
        self._state.owner = self._owner


class KeyTurns:
    """Keys of the calls in one event loop that are in progress or in doubt."""

    def __init__(self, clock: TransportClock) -> None:
        self.clock = clock
        self.keys: dict[Hashable, _Key] = {}

    def __repr__(self) -> str:
        return f"<KeyTurns {len(self.keys)} keys>"

    def turn(self, key: Hashable, owner: object = None) -> KeyTurn:
        """Return a context manager for a turn with ``key``; only calls of one ``owner`` share results."""
        return KeyTurn(self, key, owner)

    def forget(self, key: Hashable) -> None:
        """Forget an unused key, or one that has been in doubt for a long time."""
        state = self.keys.get(key)
        if state is None or state.calls:
            return
        doubt, now = state.look_ups, self.clock.now()
        left = 0.0 if doubt is None else doubt.counts_from + _REMEMBERED - now
        if left > 0:
            self.clock.call_later(left, lambda: self.forget(key))
        else:
            del self.keys[key]
