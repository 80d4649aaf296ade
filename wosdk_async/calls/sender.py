"""Sender of one Company's calls: transport, session, options and trace."""

from __future__ import annotations

import random
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

import attrs

from wosdk_async.calls.key_turns import KeyTurns
from wosdk_async.calls.markers import Marker
from wosdk_async.calls.reconcile import Reconciler
from wosdk_async.options import CallOptions
from wosdk_async.protocol.redaction import Redaction
from wosdk_async.protocol.wire import Call
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.retry import backoff
from wosdk_async.transport.session.credentials import Credentials, Tenant
from wosdk_async.transport.session.manager import Place, SessionManager, TokenGrant
from wosdk_async.transport.telemetry.statistics import Trace
from wosdk_async.transport.transport import Transport

T = TypeVar("T")

_TURNS = Place(KeyTurns)


@attrs.frozen(kw_only=True, eq=False)
class CallSender:
    """State shared by all calls of one :class:`~wosdk_async.company.Company`."""

    transport: Transport
    tenant: Tenant
    own_options: CallOptions = attrs.field(alias="options")
    until: float | None = None
    """Time by which all calls must end, on the transport's clock; None without a limit."""
    trace: Trace | None = None
    """The program's own trace, which receives a copy of each call's trace."""
    sessions: SessionManager = attrs.field(init=False)

    @sessions.default
    def _shared_manager(self) -> SessionManager:
        return self.transport.sessions(self.tenant)

    @property
    def options(self) -> CallOptions:
        """Options for a call that starts now."""
        if self.until is None:
            return self.own_options
        left = max(self.until - self.transport.clock.now(), 0.0)
        deadline = self.own_options.deadline
        return self.own_options.within(left if deadline is None else min(left, deadline))

    @property
    def company(self) -> str:
        """Name of the Company."""
        return self.tenant.company

    @property
    def origin(self) -> str:
        """Company and region: the ``origin`` of each record read from the Company."""
        return self.tenant.origin

    @property
    def grant(self) -> TokenGrant | None:
        """Token and Company data of the current session; None before the first call."""
        session = self.sessions.session
        return session.grant if session else None

    @property
    def secrets(self) -> Secrets:
        """Secrets of the latest sessions; before the first session, the client secret."""
        pair = self.tenant.credentials
        secret = pair.client_secret if isinstance(pair, Credentials) else ""
        return self.sessions.secrets or Secrets(secret)

    @property
    def redaction(self) -> Redaction:
        """Context that redacts errors about the Company's records."""
        return Redaction(lambda: self.secrets)

    @property
    def scope(self) -> tuple[object, ...]:
        """Options, deadline and trace; concurrent look-ups share one query only if their scopes are equal."""
        return self.own_options, self.until, id(self.trace)

    async def connect(self) -> None:
        """Open the session now."""
        await self.transport.connect(self.sessions, self.options)

    async def pause(self, failed: int) -> None:
        """Sleep for the retry policy's random backoff after ``failed`` attempts."""
        seconds = backoff(self.options.retry, failed, random.random())  # noqa: S311 - not a secret
        await self.transport.clock.sleep(seconds)

    def send(self, call: Call[T], trace: Trace | None = None) -> Coroutine[Any, Any, T]:
        """Send ``call`` and return its result. A ``trace`` must not be shared with other calls."""
        if trace is None and self.trace is not None:
            own = self._new_trace(call)
            return _copied(partial(self.send, call, own), own, self.trace, not call.repeat_safe)
        return self.transport.send(call, self.sessions, self.options, trace)

    def send_marked(
        self, call: Call[Any], marker: Marker, trace: Trace | None = None, *, look_first: bool = False
    ) -> Coroutine[Any, Any, Any]:
        """Send a call; if it is in doubt, look up its record by ``marker``.

        With ``look_first``, also look the record up before sending.
        """
        if trace is None and self.trace is not None:
            own = self._new_trace(call)
            send = partial(self.send_marked, call, marker, own, look_first=look_first)
            return _copied(send, own, self.trace, True)
        hold, field = self.transport.hold(call, self.sessions), marker.field
        # Case-folded, so that all spellings of the Company's name share the turns.
        key = self.origin.casefold(), field.entity, field.path, marker.text
        return Reconciler(
            transport=self.transport,
            sessions=self.sessions,
            call=call,
            marker=marker,
            options=self.options,
            hold=hold,
            turn=hold.state.shared[_TURNS].turn(key, self.sessions),
            look_first=look_first,
            trace=trace or self._new_trace(call),
        ).run()

    def _new_trace(self, call: Call[Any]) -> Trace:
        return Trace(call.request_id, company=self.company, operation=call.operation)


async def _copied(send: Callable[[], Coroutine[Any, Any, T]], own: Trace, shared: Trace, writes: bool) -> T:
    """Send a call with its ``own`` trace, and copy that trace to ``shared``.

    A call's trace shows whether the call is in doubt, so overlapping calls cannot share a trace.
    """
    try:
        return await send()
    finally:
        own.effect = own.sent and writes
        shared.copy_from(own)
