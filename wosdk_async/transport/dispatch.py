"""The chain a call goes down: deadline, retry, slot, session, engine."""

from __future__ import annotations

import asyncio
from typing import Any, TypeVar

import attrs

from wosdk_async.errors import DeadlineError, InDoubtError, RefusedError, SessionRefusedError, WosdkError
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.engine import Engine
from wosdk_async.transport.gate import Gate
from wosdk_async.transport.login import session_headers
from wosdk_async.transport.retry import RetryPolicy, repeated
from wosdk_async.transport.session import Session, SessionKeeper
from wosdk_async.transport.trace import Trace
from wosdk_async.wire import Call, read

__all__ = ["CallOptions", "Dispatcher"]

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class CallOptions:
    """What a call may take: seconds for the whole of it (queue, session, attempts, waits) and its retries.

    ``deadline`` None means 60 s, and 120 s for what is not safe to repeat: a short deadline makes doubt.
    """

    deadline: float | None = None
    retry: RetryPolicy = RetryPolicy()

    def seconds(self, call: Call[Any]) -> float:
        """The deadline that holds for ``call``."""
        if self.deadline is not None:
            return self.deadline
        return 60.0 if call.repeat_safe else 120.0


@attrs.frozen
class Dispatcher:
    """Sends calls for the Companies of one client."""

    engine: Engine
    gate: Gate
    clock: Clock

    async def send(
        self, call: Call[T], sessions: SessionKeeper, options: CallOptions, trace: Trace | None = None
    ) -> T:
        """The value of ``call``. Raises a WosdkError that names Company, operation and RequestId."""
        trace = trace if trace is not None else Trace()
        trace.begin(call.request_id)
        seconds = options.seconds(call)
        try:
            async with asyncio.timeout(seconds):
                return await repeated(
                    call, lambda: self._renewing_once(call, sessions, trace), options.retry, self.clock, trace
                )
        except WosdkError as error:
            error.add(**_details(call, sessions, trace))
            raise
        except TimeoutError:
            raise _too_late(call, seconds, trace, _details(call, sessions, trace)) from None

    async def _renewing_once(self, call: Call[T], sessions: SessionKeeper, trace: Trace) -> T:
        """One attempt; a refusal that a new session may cure is cured once."""
        session = await self._admitted(sessions, trace)
        try:
            return await self._attempt(call, session, sessions.company, trace)
        except SessionRefusedError:
            trace.doing = "renewing the session"
        await sessions.newer_than(session.generation)
        session = await self._admitted(sessions, trace)
        return await self._attempt(call, session, sessions.company, trace)

    async def _admitted(self, sessions: SessionKeeper, trace: Trace) -> Session:
        """Hold a slot and a live session. The slot comes first, so that a call that waited for it
        does not carry a token or a host that died in the meantime; without a session it is given back.
        """
        while True:
            trace.doing = "waiting in the queue"
            await self.gate.acquire(sessions.company)
            session = sessions.current()
            if session is not None:
                return session
            self.gate.release(sessions.company)
            trace.doing = "opening the session"
            await sessions.newer_than(0)

    async def _attempt(self, call: Call[T], session: Session, company: str, trace: Trace) -> T:
        """Send once in the slot that is held, and give it back."""

        def sending() -> None:
            trace.sent = True

        trace.attempts += 1
        trace.doing = "waiting for the answer"
        try:
            reply = await self.engine.send(
                call.method,
                f"{session.grant.locator_url if call.to_locator else session.base_url}/{call.path}",
                [*session_headers(company, session.grant.token), *call.headers],
                call.body,
                sending,
                repeat_safe=call.repeat_safe,
            )
        finally:
            self.gate.release(company)
        trace.reply = reply
        try:
            return read(call, reply)
        except RefusedError as error:
            trace.sent = False
            error.hide(session.grant.token)
            raise


def _details(call: Call[T], sessions: SessionKeeper, trace: Trace) -> dict[str, object]:
    return {
        "company": sessions.company,
        "operation": call.operation,
        "request_id": call.request_id,
        "attempts": trace.attempts,
    }


def _too_late(call: Call[T], seconds: float, trace: Trace, details: dict[str, object]) -> WosdkError:
    if trace.sent and not call.repeat_safe:
        return InDoubtError(
            f"it may have been carried out: no answer within {seconds:g} s ({trace.doing})", **details
        )
    return DeadlineError(f"not done within {seconds:g} s ({trace.doing})", phase=trace.doing, **details)
