"""Sender of the calls of one Company: its transport, session, options and trace."""

from __future__ import annotations

import random
from collections.abc import Coroutine
from typing import Any, TypeVar

import attrs

from wosdk_async.options import CallOptions
from wosdk_async.protocol.wire import Call
from wosdk_async.query.builder import Send
from wosdk_async.reconcile import Marker, Reconciler
from wosdk_async.transport.retry import backoff
from wosdk_async.transport.session.credentials import Tenant
from wosdk_async.transport.session.manager import SessionManager, TokenGrant
from wosdk_async.transport.telemetry.statistics import Trace
from wosdk_async.transport.transport import Transport

__all__ = ["CallSender"]

T = TypeVar("T")

_LOOKUP_SECONDS = 60.0  # longest time of one lookup: the default deadline of a call that is safe to repeat


@attrs.frozen(kw_only=True, eq=False)
class CallSender:
    """Everything that the calls of one :class:`~wosdk_async.company.Company` have in common."""

    transport: Transport
    tenant: Tenant
    options: CallOptions
    trace: Trace | None = None
    """The program's own trace, which gets a copy of the trace of each call."""
    sessions: SessionManager = attrs.field(init=False)

    @sessions.default
    def _shared_session(self) -> SessionManager:
        return self.transport.sessions(self.tenant)

    @property
    def company(self) -> str:
        """Name of the Company."""
        return self.tenant.company

    @property
    def grant(self) -> TokenGrant | None:
        """Token and Company data of the current session; None before the first call."""
        session = self.sessions.session
        return session.grant if session else None

    @property
    def scope(self) -> tuple[object, ...]:
        """Key of how calls are sent: only callers with the same options and trace may share a call."""
        return self.options, id(self.trace)

    async def connect(self) -> None:
        """Open the session now."""
        await self.transport.connect(self.sessions, self.options)

    async def pause(self, failed: int) -> None:
        """Wait a random time after ``failed`` attempts, as the retry policy says."""
        seconds = backoff(self.options.retry, failed, random.random())  # noqa: S311 - not a secret
        await self.transport.clock.sleep(seconds)

    def send(self, call: Call[T], trace: Trace | None = None) -> Coroutine[Any, Any, T]:
        """Send ``call`` and return its result. A given ``trace`` must not be used by another call."""
        if trace is None and self.trace is not None:
            return self._send_traced(call, self.trace)
        return self.transport.send(call, self.sessions, self.options, trace)

    async def _send_traced(self, call: Call[T], shown: Trace) -> T:
        """Send ``call`` with a trace of its own, which decides its verdict, and copy that to ``shown``."""
        own = self._new_trace(call)
        try:
            return await self.transport.send(call, self.sessions, self.options, own)
        finally:
            own.effect = own.sent and not call.repeat_safe
            shown.become(own)

    async def send_marked(self, call: Call[Any], marker: Marker[Any], trace: Trace | None = None) -> Any:
        """Send a command that carries a marker. If it is in doubt, look up its record."""
        transport, sessions, options = self.transport, self.sessions, self.options
        whole = trace or self._new_trace(call)
        with transport.hold() as hold:

            def within(seconds: float) -> CallOptions:
                return attrs.evolve(options, deadline=max(seconds, 0.0))

            def look(seconds: float) -> Send:
                limit = within(min(seconds, _LOOKUP_SECONDS))
                return lambda query: transport.send(query, sessions, limit, hold=hold)

            try:
                return await Reconciler(
                    send=lambda seconds, own: transport.send(call, sessions, within(seconds), own, hold),
                    find=lambda seconds: marker.find(look(seconds)),
                    report=lambda: transport.report_in_doubt(call, sessions),
                    hold=hold,
                    seconds=options.seconds(call),
                    commit_window=options.settle,
                    attempts=options.retry.attempts,
                    trace=whole,
                ).run()
            finally:
                if trace is None and self.trace is not None:
                    whole.effect = whole.sent
                    self.trace.become(whole)

    def _new_trace(self, call: Call[Any]) -> Trace:
        return Trace(call.request_id, company=self.company, operation=call.operation)
