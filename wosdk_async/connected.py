"""What a Company of a client is: its name, its session, its options, and how its calls are sent."""

from __future__ import annotations

import random
from collections.abc import Coroutine, Mapping
from typing import Any, Self, TypeVar

import attrs

from wosdk_async import calls
from wosdk_async.errors import UnknownNameError
from wosdk_async.marker import Marker, Resolver
from wosdk_async.model import Command
from wosdk_async.transport.dispatch import CallOptions
from wosdk_async.transport.retry import backoff
from wosdk_async.transport.session import Grant
from wosdk_async.transport.tenant import Tenant
from wosdk_async.transport.trace import Trace
from wosdk_async.transport.transport import Transport
from wosdk_async.wire import Call

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
        """The release of the Company's installation (spec 9); None before its first call."""
        grant = self._grant
        return grant.company_version if grant else None

    @property
    def id(self) -> int | None:
        """The Company's number (spec 4.1); None before its first call."""
        grant = self._grant
        return grant.company_id if grant else None

    @property
    def host(self) -> str | None:
        """The origin that served the last session; None before the first call."""
        grant = self._grant
        return grant.base_url if grant else None

    @property
    def _grant(self) -> Grant | None:
        session = self._sessions.session
        return session.grant if session else None

    def with_options(self, **changes: Any) -> Self:
        """The same Company with other :class:`CallOptions`: ``with_options(deadline=5)``."""
        return type(self)(self._transport, self._tenant, attrs.evolve(self._options, **changes), self._trace)

    def traced(self, trace: Trace) -> Self:
        """The same Company, which notes the course of each call in ``trace``: attempts and the raw answer.

        ::

            trace = Trace()
            order = await acme.traced(trace).get(WorkOrder, 1)
            trace.attempts, trace.reply.status, trace.reply.headers, trace.reply.body
        """
        return type(self)(self._transport, self._tenant, self._options, trace)

    async def connect(self) -> None:
        """Open the session now instead of with the first call: tells whether the credentials are good."""
        await self._transport.connect(self._sessions, self._options)

    # --- sending ---------------------------------------------------------------------------

    async def _run(
        self,
        command: Command[Any] | str,
        fields: Mapping[str, Any] | None,
        trace: Trace | None = None,
        *,
        check: bool = True,
    ) -> Any:
        """Run a command by the path that the Company was seen to know, and by the others after it."""
        return await self._run_any(self._ways(command, fields, check=check), trace)

    def _ways(
        self, command: Command[Any] | str, fields: Mapping[str, Any] | None, *, check: bool = True
    ) -> list[Call[Any]]:
        call = calls.command(command, fields, check=check)
        others = calls.by_other_paths(call, command)
        known = self._sessions.paths.get(call.operation) if others else None
        return sorted([call, *others], key=lambda way: way.path != known) if others else [call]

    async def _run_marked(
        self, command: Command[Any] | str, marker: str, trace: Trace | None = None, *, check: bool = True
    ) -> Any:
        """Run a command that carries a key of the caller's own, and look it up when it is in doubt."""
        mark = Marker.of(command, marker)
        ways = self._ways(command, None, check=check)
        return await Resolver(
            once=lambda: self._run_any(ways, trace),
            find=lambda: mark.find(lambda call: self._send(call, Trace())),
            cancelled=lambda: self._transport.tell_in_doubt(ways[0], self._sessions),
            clock=self._transport.clock,
            settle=self._options.settle,
            attempts=self._options.retry.attempts,
        ).run()

    def _run_any(self, ways: list[Call[T]], trace: Trace | None) -> Coroutine[Any, Any, T]:
        return self._send(ways[0], trace) if len(ways) == 1 else self._run_by(ways, trace)

    async def _run_by(self, ways: list[Call[T]], trace: Trace | None) -> T:
        way, *others = ways
        try:
            result = await self._send(way, trace)
        except UnknownNameError as error:
            if error.code != "COMMAND_NOT_FOUND" or not others:
                raise
            return await self._run_by(others, trace)
        self._sessions.paths[way.operation] = way.path
        return result

    async def _pause(self, failed: int) -> None:
        """Wait before trying again after ``failed`` attempts, at random as the retry policy says."""
        seconds = backoff(self._options.retry, failed, random.random())  # noqa: S311 - not a secret
        await self._transport.clock.sleep(seconds)

    def _send(self, call: Call[T], trace: Trace | None = None) -> Coroutine[Any, Any, T]:
        return self._transport.send(call, self._sessions, self._options, trace or self._trace)
