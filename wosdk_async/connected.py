"""What a Company of a client is: its name, its session, its options, and how its calls are sent."""

from __future__ import annotations

import random
from collections.abc import Coroutine
from typing import Any, Self, TypeVar

import attrs

from wosdk_async.errors import InvalidCallError
from wosdk_async.protocol.validation.arguments import described
from wosdk_async.protocol.wire import Call
from wosdk_async.transport.dispatcher import CallOptions
from wosdk_async.transport.options import check_names
from wosdk_async.transport.retry import backoff
from wosdk_async.transport.session.credentials import Tenant
from wosdk_async.transport.session.manager import TokenGrant
from wosdk_async.transport.telemetry.trace import Trace
from wosdk_async.transport.transport import Transport

__all__ = ["Connected"]

T = TypeVar("T")


class Connected:
    """The ground of :class:`~wosdk_async.verbs.Verbs`, which adds what can be sent."""

    def __init__(
        self, transport: Transport, tenant: Tenant, options: CallOptions, trace: Trace | None = None
    ) -> None:
        self._transport = transport
        self._tenant = tenant
        self._options = options
        self._trace = trace
        self._sessions = transport.sessions(tenant)

    def __repr__(self) -> str:
        return f"<Company {self.name!r} region={self._tenant.region.name} {self._sessions!r}>"

    @property
    def name(self) -> str:
        """The Company's name, as every request carries it."""
        return self._tenant.company

    @property
    def version(self) -> str | None:
        """The release of the Company's installation; None before its first call."""
        # spec 9
        grant = self._grant
        return grant.company_version if grant else None

    @property
    def id(self) -> int | None:
        """The Company's number; None before its first call."""
        # spec 4.1
        grant = self._grant
        return grant.company_id if grant else None

    @property
    def host(self) -> str | None:
        """The origin that served the last session; None before the first call."""
        grant = self._grant
        return grant.base_url if grant else None

    @property
    def _grant(self) -> TokenGrant | None:
        session = self._sessions.session
        return session.grant if session else None

    def with_options(self, **changes: Any) -> Self:
        """Return the same Company with other :class:`CallOptions`: ``with_options(deadline=5)``.

        Raises ConfigurationError for an option that does not exist, and for a value that it does not take.
        """
        check_names(changes, (field.name for field in attrs.fields(CallOptions)), "with_options")
        return type(self)(self._transport, self._tenant, attrs.evolve(self._options, **changes), self._trace)

    def traced(self, trace: Trace) -> Self:
        """Return the same Company, which notes the course of each call in ``trace`` when it ends.

        Calls may overlap: each is judged by a trace of its own, and ``trace`` becomes that of the last one
        that ended. Calls of ``run_many`` are not noted: its ``keep_replies=True`` keeps their responses.

        ::

            trace = Trace()
            order = await acme.traced(trace).get(WorkOrder, 1)
            trace.attempts, trace.reply.status, trace.reply.headers, trace.reply.body

        Raises InvalidCallError for what is not a Trace.
        """
        if not isinstance(trace, Trace):
            raise InvalidCallError(
                f"traced() takes a Trace, not {described(trace)}; pass one: trace = Trace();"
                " company.traced(trace)"
            )
        return type(self)(self._transport, self._tenant, self._options, trace)

    async def connect(self) -> None:
        """Open the session now instead of with the first call: tells whether the credentials are good."""
        await self._transport.connect(self._sessions, self._options)

    # --- sending ---------------------------------------------------------------------------

    async def _pause(self, failed: int) -> None:
        """Wait before trying again after ``failed`` attempts, at random as the retry policy says."""
        seconds = backoff(self._options.retry, failed, random.random())  # noqa: S311 - not a secret
        await self._transport.clock.sleep(seconds)

    def _send(self, call: Call[T], trace: Trace | None = None) -> Coroutine[Any, Any, T]:
        """Send ``call``; ``trace`` is one that no other call has."""
        if trace is None and self._trace is not None:
            return self._traced(call, self._trace)
        return self._transport.send(call, self._sessions, self._options, trace)

    async def _traced(self, call: Call[T], shown: Trace) -> T:
        """Send ``call`` with a trace of its own, which decides its verdict; copy that to the program's."""
        own = self._trace_of(call)
        try:
            return await self._transport.send(call, self._sessions, self._options, own)
        finally:
            own.effect = own.sent and not call.repeat_safe
            shown.become(own)

    def _trace_of(self, call: Call[Any]) -> Trace:
        return Trace(call.request_id, company=self.name, operation=call.operation)
