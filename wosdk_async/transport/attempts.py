"""Attempts of a call: slot, session, request, response."""

from __future__ import annotations

from functools import partial
from typing import Any

import attrs

from wosdk_async.errors import RefusedError
from wosdk_async.protocol.responses import RequestIds, read
from wosdk_async.protocol.verdicts import BUSY, OTHER_PATH, SESSION_REFUSED, OwnCodes, verdict_of
from wosdk_async.protocol.wire import Call, InconclusiveResponse, Response
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import Engine, SendError
from wosdk_async.transport.limiter.limiter import ConcurrencyLimiter, TenantQueue
from wosdk_async.transport.session.manager import Session, SessionManager
from wosdk_async.transport.telemetry.hooks import ObservedCall
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Attempts", "Channel"]

_MAX_RENEWALS = 2  # of the session in one attempt: the token may expire and the Company move at the same time


@attrs.frozen(eq=False)
class Channel:
    """Parts of a dispatcher that the attempts of all its calls share."""

    engine: Engine
    limiter: ConcurrencyLimiter
    clock: TransportClock
    request_ids: RequestIds | None


class Attempts:
    """Attempts of one call. It is made when the call has left the queue for the first time."""

    __slots__ = (
        "_call",
        "_channel",
        "_host",
        "_number",
        "_observed",
        "_own_codes",
        "_queue",
        "_sessions",
        "_started",
        "_trace",
    )

    def __init__(
        self,
        channel: Channel,
        call: Call[Any],
        sessions: SessionManager,
        queue: TenantQueue,
        trace: Trace,
        own_codes: OwnCodes,
        observed: ObservedCall | None,
    ) -> None:
        self._channel = channel
        self._call = call
        self._sessions = sessions
        self._queue = queue
        self._trace = trace
        self._own_codes = own_codes
        self._observed = observed

    async def once(self, holding: bool = False) -> Any:
        """Make one attempt and return the result. ``holding`` says that the call has a slot already.

        When the session is refused or the path is not known, another request follows in the same attempt.
        """
        call, sessions, trace, channel = self._call, self._sessions, self._trace, self._channel
        clock, limiter = channel.clock, channel.limiter
        send = channel.engine.send if self._observed is None else partial(self._observed.send, channel.engine)
        path = sessions.paths.get(call.operation, call.path) if sessions.paths else call.path
        tried, renewals_left = 1, _MAX_RENEWALS
        while True:
            started = clock.now()
            session = sessions.current(started) if holding else None
            if session is None:
                session = await self._admitted(holding)
                started = clock.now()
            holding = False
            grant = session.grant
            host = grant.locator_url if call.to_locator else grant.base_url
            self._host, self._started, self._number = host, started, limiter.sent
            trace.attempts += 1
            trace.start_phase("connect", started)
            try:
                result = await send(
                    call.method,
                    f"{host}/{path}",
                    grant.headers + call.headers if call.headers else grant.headers,
                    call.body,
                    trace.mark_sent,
                    call.repeat_safe,
                    self._read,
                )
            except RefusedError as refusal:
                limiter.release(self._queue)
                trace.sent = False
                if renewals_left and verdict_of(refusal) is SESSION_REFUSED:
                    renewals_left -= 1
                    trace.start_phase("session", clock.now())
                    await sessions.renew(after=session.generation)
                else:
                    path = _another(call, refusal, tried, path)
                    tried += 1
            except BaseException as failure:
                limiter.release(self._queue)
                self._note_failure(failure)
                raise
            else:
                limiter.release(self._queue)
                if tried > 1:
                    sessions.paths[call.operation] = path
                return result

    def _read(self, response: Response) -> Any:
        """Read a response and return the result.

        The engine calls this while no other request can get the connection.
        """
        channel, trace, queue = self._channel, self._trace, self._queue
        now = channel.clock.now()
        trace.reply = response
        trace.start_phase("request", now)
        if response.status in BUSY:
            queue.algorithm.throttled(self._number, channel.limiter.sent)
        else:
            queue.algorithm.responded(self._number, now - self._started, queue.held)
        secrets, own_codes = self._sessions.secrets, self._own_codes
        return read(self._call, response, secrets, channel.request_ids, self._host, own_codes)

    def _note_failure(self, failure: BaseException) -> None:
        """Note that an attempt ended without a response of the service."""
        if isinstance(failure, SendError):
            failure.hide(self._sessions.secrets)
            if not failure.sent:
                self._trace.sent = False  # it was handed to a library, which reports that nothing left
        if not isinstance(failure, InconclusiveResponse):
            self._queue.algorithm.failed(self._channel.clock.now() - self._started)

    async def _admitted(self, holding: bool) -> Session:
        """Wait for a slot and then for a session, and return the session with the slot held.

        The slot comes first: a call that waited for it must not carry a token or a host that expired
        meanwhile. Without a session the slot is given back until there is one.
        """
        limiter, now = self._channel.limiter, self._channel.clock.now
        queue, sessions, trace = self._queue, self._sessions, self._trace
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
