"""Faults of the outcomes of runs and of concurrent calls."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

from tests.simulation.reverts import Reverts, replace
from wosdk_async.calls import run_many as bulk
from wosdk_async.calls import sender
from wosdk_async.calls.outcome import NotStarted, RunInputs
from wosdk_async.transport.telemetry.statistics import Trace

REVERTS = Reverts()


@REVERTS.replace(
    sender.CallSender,
    "send",
    "shared-trace",
    "the outcome of a call is read from a trace that it shares with others",
    "failed-but-done cancelled-unreported",
)
def _send(_: Any, self: Any, call: Any, trace: Any = None) -> Any:
    return self.transport.send(call, self.sessions, self.options, trace or self.trace)


@REVERTS.replace(
    RunInputs,
    "_read",
    "source-error-lost",
    "a CancelledError of the source ends a run as if the source was empty",
    "source-error-lost",
)
async def _without_error(original: Any, self: Any) -> None:
    await original(self)
    if isinstance(self.error, asyncio.CancelledError):
        self.error = None


@REVERTS.replace(
    RunInputs,
    "_read",
    "inputs-cut-off",
    "a run that is cut while it waits for an input loses the rest and says nothing",
    "input-without-outcome",
)
async def _cut_off(original: Any, self: Any) -> None:
    try:
        await original(self)
    finally:
        self.cut_off = False


@REVERTS.add(
    "not-started-though-sent",
    "a call that was sent before and is queued again counts as not started",
    "not-started-but-sent not-started-but-sent-and-done",
)
def _not_started_though_sent() -> Iterator[None]:
    cancelled_outcome = bulk.cancelled_outcome

    def faulty(index: int, item: Any, trace: Any, why: str) -> Any:
        return cancelled_outcome(index, item, trace, why) if trace.sent else NotStarted(index, item)

    original = Trace.append

    def last_attempt_only(self: Trace, attempt: Trace) -> None:
        original(self, attempt)
        self.sent = attempt.sent

    with replace(bulk, "cancelled_outcome", faulty), replace(Trace, "append", last_attempt_only):
        yield


@REVERTS.replace(
    bulk.Run,
    "__aiter__",
    "bare-run-not-started",
    "a run that is iterated without its block gives NotStarted for every input",
    "bare-run-not-started",
)
def _iterate(_: Any, self: Any) -> Any:
    self._reading = True
    return self._outcomes()
