"""Faults that were fixed, put back one by one: the simulation has to find each of them.

A revert is a block in which one function of the client does what it did before the fix. Names are of the
fault, and the text says what goes wrong.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import attrs

from wosdk_async import bulk, sender
from wosdk_async.options import CallOptions
from wosdk_async.outcome import NotStarted
from wosdk_async.protocol import calls, envelopes, responses, wire
from wosdk_async.reconcile import Reconciler
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.loop_state import Hold, LoopState
from wosdk_async.transport.telemetry.statistics import Trace
from wosdk_async.transport.transport import Transport

__all__ = ["REVERTS", "Revert"]


@attrs.frozen
class Revert:
    """A fault that can be put back; ``shows`` names the violations that are due to it."""

    text: str
    shows: frozenset[str]
    put_back: Callable[[], AbstractContextManager[None]]


REVERTS: dict[str, Revert] = {}


def _revert(name: str, text: str, shows: str) -> Callable[[Callable[[], Iterator[None]]], None]:
    def keep(function: Callable[[], Iterator[None]]) -> None:
        REVERTS[name] = Revert(text, frozenset(shows.split()), contextmanager(function))

    return keep


@contextmanager
def _replaced(owner: Any, name: str, value: Any) -> Iterator[None]:
    before = owner.__dict__[name]
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


# --- responses of another call -----------------------------------------------------------------


@_revert(
    "request-id-not-compared",
    "a command's response with another RequestId is believed",
    "foreign-record done-but-lost",
)
def _request_id_not_compared() -> Iterator[None]:
    with _replaced(responses.RequestIds, "check", lambda *_: None):
        yield


@_revert(
    "connection-kept", "a connection is kept after a response that is not the service's", "connection-kept"
)
def _connection_kept() -> Iterator[None]:
    finish = Connection.finish
    with _replaced(Connection, "finish", lambda self, *_, **__: finish(self, True)):
        yield


@_revert(
    "type-and-id-not-compared",
    "a base call believes a response that names another type or id",
    "foreign-record",
)
def _type_and_id_not_compared() -> Iterator[None]:
    with (
        _replaced(envelopes, "specifier_for", lambda decode, *_: decode),
        _replaced(envelopes, "record_with", lambda decode, *_: decode),
    ):
        yield


@_revert("null-result-done", "a CommandResult of null counts as success", "done-without-record")
def _null_result_done() -> Iterator[None]:
    now = envelopes.RESULT.plain

    def before(found: Any, one: Any) -> Any:
        return now(found | {"CommandResult": found["CommandResult"] or {}}, one)

    changed = attrs.evolve(envelopes.RESULT, plain=before)
    with _replaced(envelopes, "RESULT", changed):
        calls._kind.cache_clear()
        try:
            yield
        finally:
            calls._kind.cache_clear()


@_revert(
    "gateway-503-repeated",
    "a 503 without the service's error body is followed by another attempt",
    "doubled failed-but-done",
)
def _gateway_503_repeated() -> Iterator[None]:
    now = responses._failure

    def before(reply: wire.Response, *more: Any) -> Any:
        if reply.status == 503:
            reply = wire.Response(503, {"retry-after": "0"} | dict(reply.headers), reply.body)
        return now(reply, *more)

    with _replaced(responses, "_failure", before):
        yield


# --- verdicts of overlapping calls and of runs ---------------------------------------------------


@_revert(
    "shared-trace",
    "the verdict of a call is read from a trace that it shares with others",
    "failed-but-done cancelled-untold",
)
def _shared_trace() -> Iterator[None]:
    def before(self: Any, call: Any, trace: Any = None) -> Any:
        return self.transport.send(call, self.sessions, self.options, trace or self.trace)

    with _replaced(sender.CallSender, "send", before):
        yield


@_revert(
    "source-error-lost",
    "a CancelledError of the source ends a run as if the source was empty",
    "source-error-lost",
)
def _source_error_lost() -> Iterator[None]:
    async def before(self: Any) -> Any:
        async with self._pull_lock:
            if not self._exhausted:
                try:
                    item = await anext(self._source)
                except StopAsyncIteration:
                    self._exhausted = True
                except Exception as error:
                    self._exhausted = True
                    self._source_error = error
                else:
                    self._pulled += 1
                    return self._pulled - 1, item
        return None

    with _replaced(bulk.Run, "_pull", before):
        yield


@_revert(
    "inputs-cut-off",
    "a run that is cut while it waits for an input loses the rest and says nothing",
    "input-without-outcome",
)
def _inputs_cut_off() -> Iterator[None]:
    now = bulk.Run._pull

    async def before(self: Any) -> Any:
        try:
            return await now(self)
        finally:
            self._cut_off = False

    with _replaced(bulk.Run, "_pull", before):
        yield


@_revert(
    "not-started-though-sent",
    "a call that was sent before and is queued again counts as not started",
    "not-started-but-sent not-started-but-sent-and-done",
)
def _not_started_though_sent() -> Iterator[None]:
    now = bulk._cancelled_outcome

    def before(index: int, item: Any, trace: Any) -> Any:
        return now(index, item, trace) if trace.sent else NotStarted(index, item)

    go_on = Trace.go_on

    def only_the_last(self: Trace, attempt: Trace) -> None:
        go_on(self, attempt)
        self.sent = attempt.sent

    with _replaced(bulk, "_cancelled_outcome", before), _replaced(Trace, "go_on", only_the_last):
        yield


@_revert(
    "bare-run-not-started",
    "a run that is iterated without its block gives NotStarted for every input",
    "bare-run-not-started",
)
def _bare_run_not_started() -> Iterator[None]:
    def before(self: Any) -> Any:
        self._reading = True
        return self._outcomes()

    with _replaced(bulk.Run, "__aiter__", before):
        yield


# --- markers, deadlines, closing -----------------------------------------------------------------


@_revert(
    "marked-run-without-deadline",
    "the deadline bounds each attempt of a marked call, not the whole",
    "deadline-missed-of-a-marked-run",
)
def _marked_run_without_deadline() -> Iterator[None]:
    now = Reconciler.__init__

    def before(self: Any, **named: Any) -> None:
        now(self, **named)
        self._end += 1e6

    with _replaced(Reconciler, "__init__", before):
        yield


@_revert(
    "refusal-without-last-look",
    "a later attempt of a marked call is refused, and nobody looks",
    "failed-but-done",
)
def _refusal_without_last_look() -> Iterator[None]:
    look = Reconciler._look_up

    async def before(self: Any, doubt: Any, settled: float) -> Any:
        last = settled == self.hold.clock.now()
        return None if last and self.commit_window else await look(self, doubt, settled)

    with _replaced(Reconciler, "_look_up", before):
        yield


@_revert(
    "doubt-not-told",
    "a marked call that is cancelled in a later attempt does not tell of its doubt",
    "cancelled-untold",
)
def _doubt_not_told() -> Iterator[None]:
    attempt = Reconciler._attempt

    async def before(self: Any, seconds: float) -> Any:
        try:
            return await attempt(self, seconds)
        finally:
            self._reported = True

    with _replaced(Reconciler, "_attempt", before):
        yield


@_revert(
    "error-without-details", "errors of a marked call do not say which call it was", "error-without-details"
)
def _error_without_details() -> Iterator[None]:
    async def before(self: Any) -> Any:
        try:
            return await self._send_until_known()
        except asyncio.CancelledError:
            if self._doubt is not None and not self._reported:
                self.report()
            raise

    with _replaced(Reconciler, "run", before):
        yield


@_revert("past-deadline-sent", "a call whose deadline has passed is sent", "sent-after-deadline")
def _past_deadline_sent() -> Iterator[None]:
    class Unchecked(float):
        def __le__(self, _: object) -> bool:
            return False

    seconds = CallOptions.seconds
    with _replaced(CallOptions, "seconds", lambda self, call: Unchecked(seconds(self, call))):
        yield


@_revert("connect-without-deadline", "connect takes a deadline of 0 for none", "deadline-missed")
def _connect_without_deadline() -> Iterator[None]:
    connect = Transport.connect

    def before(self: Any, sessions: Any, options: Any) -> Any:
        return connect(self, sessions, attrs.evolve(options, deadline=options.deadline or None))

    with _replaced(Transport, "connect", before):
        yield


@_revert("closed-twice", "closing twice at once raises", "close-raised")
def _closed_twice() -> Iterator[None]:
    @contextlib.asynccontextmanager
    async def nothing() -> AsyncIterator[None]:
        yield

    now = LoopState.aclose

    async def before(self: Any, grace: float) -> None:
        self._closing = nothing()
        await now(self, grace)

    with _replaced(LoopState, "aclose", before):
        yield


@_revert(
    "look-without-grace", "closing does not wait for a call that is being looked up", "closed-without-grace"
)
def _look_without_grace() -> Iterator[None]:
    with (
        _replaced(Hold, "__enter__", lambda self: self),
        _replaced(Hold, "__exit__", lambda *_: None),
    ):
        yield
