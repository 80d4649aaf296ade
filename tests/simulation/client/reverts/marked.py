"""Faults with markers, deadlines and closing."""

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


@REVERTS.add(
    "marked-run-without-deadline",
    "the deadline bounds each attempt of a marked call, not the whole",
    "deadline-missed-of-a-marked-run",
)
def _marked_run_without_deadline() -> Iterator[None]:
    original = Reconciler.__init__

    def faulty(self: Any, **named: Any) -> None:
        original(self, **named)
        self._end += 1e6

    with replace(Reconciler, "__init__", faulty):
        yield


@REVERTS.add(
    "refusal-without-last-look",
    "a later attempt of a marked call is refused, and nobody looks",
    "failed-but-done",
)
def _refusal_without_last_look() -> Iterator[None]:
    original = Reconciler._look_up

    async def faulty(self: Any, doubt: Any, look_ups: LookUps) -> Any:
        last = look_ups.counts_from == self.hold.clock.now()
        return None if last and self.commit_window else await original(self, doubt, look_ups)

    with replace(Reconciler, "_look_up", faulty):
        yield


@REVERTS.add(
    "doubt-not-reported",
    "a marked call that is cancelled in a later attempt does not report it",
    "cancelled-unreported",
)
def _doubt_not_reported() -> Iterator[None]:
    original = Reconciler._attempt

    async def faulty(self: Any, seconds: float) -> Any:
        try:
            return await original(self, seconds)
        finally:
            self._reported = True

    with replace(Reconciler, "_attempt", faulty):
        yield


@REVERTS.add(
    "error-without-details", "errors of a marked call do not say which call it was", "error-without-details"
)
def _error_without_details() -> Iterator[None]:
    async def faulty(self: Any) -> Any:
        try:
            with self.hold, self.turn:
                return await self._in_turn()
        except asyncio.CancelledError:
            if self._doubt is not None and not self._reported:
                report_in_doubt(self.transport.options.on_in_doubt, self.call, self.sessions.company)
            raise

    with replace(Reconciler, "run", faulty):
        yield


@REVERTS.add("equal-keys-at-once", "calls with equal keys do not wait for each other", "doubled")
def _equal_keys_at_once() -> Iterator[None]:
    with replace(KeyTurn, "take", lambda _: True):
        yield


@REVERTS.add("doubt-of-another-forgotten", "a call forgets the doubt of the one before it", "doubled")
def _doubt_of_another_forgotten() -> Iterator[None]:
    with replace(KeyTurn, "doubt", lambda *_: None):
        yield


@REVERTS.add("past-deadline-sent", "a call whose deadline has passed is sent", "sent-after-deadline")
def _past_deadline_sent() -> Iterator[None]:
    class Unchecked(float):
        def __le__(self, _: object) -> bool:
            return False

    original = CallOptions.seconds
    with replace(CallOptions, "seconds", lambda self, call: Unchecked(original(self, call))):
        yield


@REVERTS.add("connect-without-deadline", "connect takes a deadline of 0 for none", "deadline-missed")
def _connect_without_deadline() -> Iterator[None]:
    original = Transport.connect

    def faulty(self: Any, sessions: Any, options: Any) -> Any:
        return original(self, sessions, attrs.evolve(options, deadline=options.deadline or None))

    with replace(Transport, "connect", faulty):
        yield


@REVERTS.add("closed-twice", "closing twice at once raises", "close-raised")
def _closed_twice() -> Iterator[None]:
    @contextlib.asynccontextmanager
    async def nothing() -> AsyncIterator[None]:
        yield

    original = LoopState.aclose

    async def faulty(self: Any, grace: float) -> None:
        self._closing = nothing()
        await original(self, grace)

    with replace(LoopState, "aclose", faulty):
        yield


@REVERTS.add(
    "look-without-grace", "closing does not wait for a call that is being looked up", "closed-without-grace"
)
def _look_without_grace() -> Iterator[None]:
    with (
        replace(Hold, "__enter__", lambda self: self),
        replace(Hold, "__exit__", lambda *_: None),
    ):
        yield
