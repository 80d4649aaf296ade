"""One attempt of a call: a slot, a session, the request, the answer."""

from __future__ import annotations

from typing import Any

import attrs

from wosdk_async.errors import THROTTLED, RefusedError, SessionRefusedError
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.engine import Engine, SendFailed
from wosdk_async.transport.gate import Gate, Lane
from wosdk_async.transport.session import Session, SessionKeeper
from wosdk_async.transport.trace import Trace
from wosdk_async.wire import Call, Reply, read

__all__ = ["Attempts"]


@attrs.define
class Attempts:
    """The attempts of one call; the first one begins with a slot in hand."""

    engine: Engine
    gate: Gate
    clock: Clock
    call: Call[Any]
    sessions: SessionKeeper
    lane: Lane
    trace: Trace
    _holding: bool = True

    async def once(self) -> Any:
        """One attempt; a refusal that a new session may cure is followed by another under a new one.

        Twice at the most: a token may die and the Company move in the same moment.
        """
        call, trace, clock = self.call, self.trace, self.clock
        cures = 2
        while True:
            session = self.sessions.current() if self._holding else None
            if session is None:
                session = await self._admitted()
            self._holding = False
            grant = session.grant
            base = grant.locator_url if call.to_locator else grant.base_url
            headers = grant.headers + call.headers if call.headers else grant.headers
            number, begun = self.gate.sent, clock.now()
            trace.attempts += 1
            trace.enter("connect", begun)
            try:
                reply = await self.engine.send(
                    call.method,
                    f"{base}/{call.path}",
                    headers,
                    call.body,
                    self._sending,
                    repeat_safe=call.repeat_safe,
                )
                self._answered(reply, number, begun)
            except BaseException as failure:
                if isinstance(failure, SendFailed) and not failure.sent:
                    trace.sent = False  # it had been handed over to what does not tell, and came back
                self.lane.control.gave_up(clock.now() - begun)
                raise
            finally:
                self.gate.release(self.lane)
            try:
                return read(call, reply)
            except RefusedError as error:
                trace.sent = False
                error.hide(grant.token)
                if not cures or not isinstance(error, SessionRefusedError):
                    raise
            cures -= 1
            trace.enter("session", clock.now())
            await self.sessions.newer_than(session.generation)

    def _sending(self) -> None:
        self.trace.sent = True
        self.trace.enter("request", self.clock.now())

    def _answered(self, reply: Reply, number: int, begun: float) -> None:
        """Note the answer, and let the gate learn from it."""
        now, control = self.clock.now(), self.lane.control
        self.trace.reply = reply
        self.trace.enter("request", now)
        if reply.status in THROTTLED:
            control.throttled(number, self.gate.sent)
        else:
            control.answered(number, now - begun, self.lane.held)

    async def _admitted(self) -> Session:
        """Hold a slot and a live session. The slot comes first, so that a call that waited for it
        does not carry a token or a host that died in the meantime; without a session it is given back.
        """
        gate, now = self.gate, self.clock.now
        while True:
            if not self._holding:
                self.trace.enter("queue", now())
                if not gate.take(self.lane):
                    await gate.acquire(self.lane)
            self._holding = False
            session = self.sessions.current()
            if session is not None:
                return session
            gate.release(self.lane)
            self.trace.enter("session", now())
            await self.sessions.newer_than(0)
