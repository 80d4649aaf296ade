"""Faults of markers, deadlines and closing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import attrs

from tests.simulation.reverts import Reverts, replace
from wosdk_async.calls.key_turns import KeyTurn
from wosdk_async.calls.reconcile import Reconciler
from wosdk_async.options import CallOptions
from wosdk_async.options.hooks import report_in_doubt
from wosdk_async.protocol.writes import LookUps
from wosdk_async.transport.loop_state import Hold, LoopState
from wosdk_async.transport.transport import Transport

REVERTS = Reverts()


@REVERTS.replace(
    Reconciler,
    "__init__",
    "marked-run-without-deadline",
    "the deadline bounds each attempt of a marked call, not the whole",
    "deadline-missed-of-a-marked-run",
)
def _without_deadline(original: Any, self: Any, **named: Any) -> None:
    original(self, **named)
    self._end += 1e6


@REVERTS.replace(
    Reconciler,
    "_look_up",
    "refusal-without-last-look",
    "a later attempt of a marked call is refused, and nobody looks",
    "failed-but-done",
)
async def _without_last_look(original: Any, self: Any, doubt: Any, look_ups: LookUps) -> Any:
    last = look_ups.counts_from == self.hold.clock.now()
    return None if last and self.commit_window else await original(self, doubt, look_ups)


@REVERTS.replace(
    Reconciler,
    "_attempt",
    "doubt-not-reported",
    "a marked call that is cancelled in a later attempt does not report it",
    "cancelled-unreported",
)
async def _unreported(original: Any, self: Any, seconds: float) -> Any:
    try:
        return await original(self, seconds)
    finally:
        self._reported = True


@REVERTS.replace(
    Reconciler,
    "run",
    "error-without-details",
    "errors of a marked call do not say which call it was",
    "error-without-details",
)
async def _without_details(_: Any, self: Any) -> Any:
    try:
        with self.hold, self.turn:
            return await self._in_turn()
    except asyncio.CancelledError:
        if self._doubt is not None and not self._reported:
            report_in_doubt(self.transport.options.on_in_doubt, self.call, self.sessions.company)
        raise


REVERTS.replace(
    KeyTurn, "take", "equal-keys-at-once", "calls with equal keys do not wait for each other", "doubled"
)(lambda *_: True)

REVERTS.replace(
    KeyTurn,
    "doubt",
    "doubt-of-another-forgotten",
    "a call forgets the doubt of the one before it",
    "doubled",
)(lambda *_: None)


class _Unchecked(float):
    def __le__(self, _: object) -> bool:
        return False


REVERTS.replace(
    CallOptions,
    "seconds",
    "past-deadline-sent",
    "a call whose deadline has passed is sent",
    "sent-after-deadline",
)(lambda original, self, call: _Unchecked(original(self, call)))


@REVERTS.replace(
    Transport,
    "connect",
    "connect-without-deadline",
    "connect takes a deadline of 0 for none",
    "deadline-missed",
)
def _connect(original: Any, self: Any, sessions: Any, options: Any) -> Any:
    return original(self, sessions, attrs.evolve(options, deadline=options.deadline or None))


@contextlib.asynccontextmanager
async def _nothing() -> AsyncIterator[None]:
    yield


@REVERTS.replace(LoopState, "aclose", "closed-twice", "closing twice at once raises", "close-raised")
async def _close(original: Any, self: Any, grace: float) -> None:
    self._closing = _nothing()
    await original(self, grace)


@REVERTS.add(
    "look-without-grace", "closing does not wait for a call that is being looked up", "closed-without-grace"
)
def _look_without_grace() -> Iterator[None]:
    with (
        replace(Hold, "__enter__", lambda self: self),
        replace(Hold, "__exit__", lambda *_: None),
    ):
        yield
