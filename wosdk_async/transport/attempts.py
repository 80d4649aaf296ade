"""One attempt of a call: a slot, a session, the request, the answer."""

from __future__ import annotations

from typing import Any

import attrs

from wosdk_async.errors import THROTTLED, RefusedError, SessionRefusedError
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.engine import Engine, SendFailed
from wosdk_async.transport.gate import Gate, Lane
from wosdk_async.transport.login import session_headers
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
        """One attempt; a refusal that a new session may cure is cured once."""
        session = await self._admitted()
        try:
            return await self._attempt(session)
        except SessionRefusedError:
            self.trace.enter("session", self.clock.now())
        await self.sessions.newer_than(session.generation)
        return await self._attempt(await self._admitted())

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

    async def _attempt(self, session: Session) -> Any:
        """Send once in the slot that is held, and give it back."""
        call, trace, company = self.call, self.trace, self.sessions.company
        grant = session.grant
        trace.attempts += 1
        trace.reply = reply = await self._exchange(
            f"{grant.locator_url if call.to_locator else grant.base_url}/{call.path}",
            [*session_headers(company, grant.token), *call.headers],
        )
        try:
            return read(call, reply)
        except RefusedError as error:
            trace.sent = False
            error.hide(grant.token)
            raise

    async def _exchange(self, url: str, headers: list[tuple[str, str]]) -> Reply:
        call, trace, clock = self.call, self.trace, self.clock
        gate, control, number = self.gate, self.lane.control, self.gate.sent
        begun = clock.now()

        def sending() -> None:
            trace.sent = True
            trace.enter("request", clock.now())

        trace.enter("connect", begun)
        try:
            reply = await self.engine.send(
                call.method, url, headers, call.body, sending, repeat_safe=call.repeat_safe
            )
            if reply.status in THROTTLED:
                control.throttled(number, gate.sent)
            else:
                control.answered(number, clock.now() - begun, self.lane.held)
        except BaseException as failure:
            if isinstance(failure, SendFailed) and not failure.sent:
                trace.sent = False
            control.gave_up(clock.now() - begun)
            raise
        finally:
            gate.release(self.lane)
        trace.enter("request", clock.now())
        return reply
