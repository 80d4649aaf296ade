"""How observers are told: around the chain, not in it.

:func:`observed` stands around a whole call, :class:`ObservedEngine` around each request. Which call a request
belongs to is a context variable. Without observers neither is there.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Awaitable, Callable, Iterable
from contextvars import ContextVar
from typing import Any, TypeVar
from urllib.parse import urlsplit

import attrs

from wosdk_async.protocol.wire import Call, Response
from wosdk_async.transport.http.engine import (
    Engine,
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    SendError,
    whole_response,
)
from wosdk_async.transport.telemetry.hooks import Attempt, CallResult, Observer
from wosdk_async.transport.telemetry.trace import Trace

__all__ = ["ObservedEngine", "observed"]

_log = logging.getLogger("wosdk_async")

T = TypeVar("T")


@attrs.define
class _Watch:
    """A call that is observed: each observer with its state."""

    call: Call[Any]
    company: str
    states: list[tuple[Observer, Any]]
    attempts: int = 0


_watched: ContextVar[_Watch | None] = ContextVar("wosdk_async_watched", default=None)


async def observed(
    call: Call[T],
    company: str,
    observers: Iterable[Observer],
    send: Callable[[Trace], Awaitable[T]],
    trace: Trace,
) -> T:
    """``await send(trace)``, with the observers told of it."""
    begun = time.monotonic()
    states = [(each, _safely(each.call_begins, call, company)) for each in observers]
    token = _watched.set(_Watch(call, company, states))
    error: BaseException | None = None
    try:
        return await send(trace)
    except BaseException as raised:
        error = raised
        raise
    finally:
        _watched.reset(token)
        ended = CallResult(
            company=company,
            operation=call.operation,
            request_id=call.request_id,
            attempts=trace.attempts,
            seconds=time.monotonic() - begun,
            error=type(error).__name__ if error is not None else "",
            code=getattr(error, "code", ""),
        )
        for each, state in states:
            _safely(each.call_ends, state, ended)


# --- around a request -----------------------------------------------------------------------


class ObservedEngine:
    """An engine that tells the observers of the call that each request belongs to."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self.capacity = engine.capacity

    def __repr__(self) -> str:
        return repr(self._engine)

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,
        read: Read = whole_response,
    ) -> Any:
        watch = _watched.get()
        if watch is None:
            return await self._engine.send(method, url, headers, body, on_sending, repeat_safe, read)
        watch.attempts += 1
        begun, number = time.monotonic(), watch.attempts
        states = []
        for each, state in watch.states:
            mine, more = _safely(each.attempt_begins, state, watch.call, number) or (None, ())
            states.append((each, mine))
            headers = headers + more
        status: int | None = None
        error = ""

        def noted(reply: Response) -> Any:
            nonlocal status
            status = reply.status
            return read(reply)

        try:
            return await self._engine.send(method, url, headers, body, on_sending, repeat_safe, noted)
        except SendError as failed:
            error = "NoAnswer" if failed.sent else "NotSent"
            raise
        except BaseException:
            if status is None:
                error = "Cancelled"
            raise
        finally:
            place = urlsplit(url)
            attempt = Attempt(
                company=watch.company,
                operation=watch.call.operation,
                request_id=watch.call.request_id,
                number=number,
                method=method,
                host=place.hostname or "",
                port=place.port,
                seconds=time.monotonic() - begun,
                status=status,
                error=error,
            )
            for each, state in states:
                _safely(each.attempt_ends, state, attempt)

    def statistics(self) -> PoolStatistics:
        return self._engine.statistics()

    async def aclose(self) -> None:
        await self._engine.aclose()


def _safely(tell: Callable[..., T], *what: Any) -> T | None:
    """An observer must not change what becomes of a call."""
    try:
        return tell(*what)
    except Exception:
        _log.exception("an observer failed")
        return None
