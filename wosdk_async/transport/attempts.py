"""One attempt of a call: a slot, a session, the request, the answer."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs

from wosdk_async.errors import THROTTLED, RefusedError, SessionRefusedError
from wosdk_async.protocol.wire import Call, RequestIds, Response, Unreadable, read
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.http.engine import Engine, SendFailed
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter, TenantQueue
from wosdk_async.transport.session.manager import Session, SessionManager
from wosdk_async.transport.telemetry.trace import Trace

__all__ = ["Attempts"]

_CURES = 2  # new sessions within an attempt: a token may die and the Company move in the same moment


@attrs.frozen(eq=False)
class Attempts:
    """Makes the attempts of the calls of one dispatcher."""

    engine: Engine
    gate: ConcurrencyLimiter
    clock: Clock
    request_ids: RequestIds | None

    async def once(
        self,
        call: Call[Any],
        sessions: SessionManager,
        lane: TenantQueue,
        trace: Trace,
        holding: bool = False,
    ) -> Any:
        """One attempt of ``call``, which begins with a slot of ``lane`` in hand if it is ``holding`` one.

        A refusal that a new session may cure, or another path, is followed by another request.
        """
        clock, gate = self.clock, self.gate
        path = sessions.paths.get(call.operation, call.path) if sessions.paths else call.path
        tried, cures = 1, _CURES
        while True:
            begun = clock.now()
            session = sessions.current(begun) if holding else None
            if session is None:
                session = await self._admitted(sessions, lane, trace, holding)
                begun = clock.now()
            holding = False
            grant = session.grant
            base = grant.locator_url if call.to_locator else grant.base_url
            trace.attempts += 1
            trace.enter("connect", begun)
            try:
                value = await self.engine.send(
                    call.method,
                    f"{base}/{path}",
                    grant.headers + call.headers if call.headers else grant.headers,
                    call.body,
                    trace.leave,
                    call.repeat_safe,
                    partial(self._received, call, base, sessions, lane, trace, begun, gate.sent),
                )
            except RefusedError as refusal:
                gate.release(lane)
                trace.sent = False
                if isinstance(refusal, SessionRefusedError) and cures:
                    cures -= 1
                    trace.enter("session", clock.now())
                    await sessions.newer_than(session.generation)
                else:
                    path = _another(call, refusal, tried, path)
                    tried += 1
            except BaseException as failure:
                gate.release(lane)
                if isinstance(failure, SendFailed):
                    failure.hide(sessions.secrets)
                    if not failure.sent:
                        trace.sent = False  # it had been handed over to what does not tell, and came back
                if not isinstance(failure, Unreadable):
                    lane.control.gave_up(clock.now() - begun)
                raise
            else:
                gate.release(lane)
                if tried > 1:
                    sessions.paths[call.operation] = path
                return value

    def _received(
        self,
        call: Call[Any],
        host: str,
        sessions: SessionManager,
        lane: TenantQueue,
        trace: Trace,
        begun: float,
        number: int,
        reply: Response,
    ) -> Any:
        """Read the response of ``host`` to the request that was the ``number``-th of all.

        The engine calls it while no other request can get the connection.
        """
        now = self.clock.now()
        trace.reply = reply
        trace.enter("request", now)
        if reply.status in THROTTLED:
            lane.control.throttled(number, self.gate.sent)
        else:
            lane.control.answered(number, now - begun, lane.held)
        return read(call, reply, sessions.secrets, self.request_ids, host)

    async def _admitted(
        self, sessions: SessionManager, lane: TenantQueue, trace: Trace, holding: bool
    ) -> Session:
        """Hold a slot and a live session. The slot comes first, so that a call that waited for it
        does not carry a token or a host that died in the meantime; without a session it is given back.
        """
        gate, now = self.gate, self.clock.now
        while True:
            if not holding:
                trace.enter("queue", now())
                if not gate.take(lane):
                    await gate.acquire(lane)
            holding = False
            session = sessions.current()
            if session is not None:
                return session
            gate.release(lane)
            trace.enter("session", now())
            await sessions.newer_than(0)


def _another(call: Call[Any], refusal: RefusedError, tried: int, last: str) -> str:
    """The path to try next where sources show several of a command (facts 12 row 4). Raises ``refusal``."""
    paths = (call.path, *call.other_paths)
    if refusal.code != "COMMAND_NOT_FOUND" or tried >= len(paths):
        raise refusal
    return paths[(paths.index(last) + 1) % len(paths)]
