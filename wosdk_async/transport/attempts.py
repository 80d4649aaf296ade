"""One attempt of a call: slot, session, request, response."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs

from wosdk_async.errors import RefusedError
from wosdk_async.protocol.responses import RequestIds, read
from wosdk_async.protocol.verdicts import BUSY, OTHER_PATH, SESSION_REFUSED, verdict_of
from wosdk_async.protocol.wire import Call, Response, Unreadable
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.http.engine import Engine, SendError
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter, TenantQueue
from wosdk_async.transport.session.manager import Session, SessionManager
from wosdk_async.transport.telemetry.trace import Trace

__all__ = ["Attempts"]

_MAX_RENEWALS = 2  # of the session in one attempt: the token may expire and the Company move at the same time


@attrs.frozen(eq=False)
class Attempts:
    """Attempts of the calls of one dispatcher."""

    engine: Engine
    limiter: ConcurrencyLimiter
    clock: Clock
    request_ids: RequestIds | None

    async def once(
        self,
        call: Call[Any],
        sessions: SessionManager,
        queue: TenantQueue,
        trace: Trace,
        holding: bool = False,
    ) -> Any:
        """Make one attempt of ``call`` and return its result. ``holding`` says that it has a slot already.

        When the session is refused or the path is not known, another request follows in the same attempt.
        """
        clock, limiter = self.clock, self.limiter
        path = sessions.paths.get(call.operation, call.path) if sessions.paths else call.path
        tried, renewals_left = 1, _MAX_RENEWALS
        while True:
            begun = clock.now()
            session = sessions.current(begun) if holding else None
            if session is None:
                session = await self._admitted(sessions, queue, trace, holding)
                begun = clock.now()
            holding = False
            grant = session.grant
            base = grant.locator_url if call.to_locator else grant.base_url
            trace.attempts += 1
            trace.start_phase("connect", begun)
            try:
                result = await self.engine.send(
                    call.method,
                    f"{base}/{path}",
                    grant.headers + call.headers if call.headers else grant.headers,
                    call.body,
                    trace.mark_sent,
                    call.repeat_safe,
                    partial(self._received, call, base, sessions, queue, trace, begun, limiter.sent),
                )
            except RefusedError as refusal:
                limiter.release(queue)
                trace.sent = False
                if renewals_left and verdict_of(refusal) is SESSION_REFUSED:
                    renewals_left -= 1
                    trace.start_phase("session", clock.now())
                    await sessions.renew(after=session.generation)
                else:
                    path = _another(call, refusal, tried, path)
                    tried += 1
            except BaseException as failure:
                limiter.release(queue)
                if isinstance(failure, SendError):
                    failure.hide(sessions.secrets)
                    if not failure.sent:
                        trace.sent = (
                            False  # it was handed to a library, which then reported that nothing had left
                        )
                if not isinstance(failure, Unreadable):
                    queue.algorithm.gave_up(clock.now() - begun)
                raise
            else:
                limiter.release(queue)
                if tried > 1:
                    sessions.paths[call.operation] = path
                return result

    def _received(
        self,
        call: Call[Any],
        host: str,
        sessions: SessionManager,
        queue: TenantQueue,
        trace: Trace,
        begun: float,
        number: int,
        response: Response,
    ) -> Any:
        """Read the response of ``host`` to the request with this ``number`` and return the result.

        The engine calls this while no other request can get the connection.
        """
        now = self.clock.now()
        trace.reply = response
        trace.start_phase("request", now)
        if response.status in BUSY:
            queue.algorithm.throttled(number, self.limiter.sent)
        else:
            queue.algorithm.answered(number, now - begun, queue.held)
        return read(call, response, sessions.secrets, self.request_ids, host)

    async def _admitted(
        self, sessions: SessionManager, queue: TenantQueue, trace: Trace, holding: bool
    ) -> Session:
        """Wait for a slot and then for a session, and return the session with the slot held.

        The slot comes first: a call that waited for it must not carry a token or a host that expired
        meanwhile. Without a session the slot is given back until there is one.
        """
        limiter, now = self.limiter, self.clock.now
        while True:
            if not holding:
                trace.start_phase("queue", now())
                if not limiter.take(queue):
                    await limiter.acquire(queue)
            holding = False
            session = sessions.current()
            if session is not None:
                return session
            limiter.release(queue)
            trace.start_phase("session", now())
            await sessions.renew(after=0)


def _another(call: Call[Any], refusal: RefusedError, tried: int, last: str) -> str:
    """Return the next path of a command for which sources show several, or raise ``refusal``."""
    # facts 12 row 4
    paths = (call.path, *call.other_paths)
    if tried >= len(paths) or verdict_of(refusal) is not OTHER_PATH:
        raise refusal
    return paths[(paths.index(last) + 1) % len(paths)]
