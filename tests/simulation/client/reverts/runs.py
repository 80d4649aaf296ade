"""Faults with the outcomes of runs, and of calls at the same time."""

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


@REVERTS.add(
    "shared-trace",
    "the outcome of a call is read from a trace that it shares with others",
    "failed-but-done cancelled-unreported",
)
def _shared_trace() -> Iterator[None]:
    def faulty(self: Any, call: Any, trace: Any = None) -> Any:
        return self.transport.send(call, self.sessions, self.options, trace or self.trace)

    with replace(sender.CallSender, "send", faulty):
        yield


@REVERTS.add(
    "source-error-lost",
    "a CancelledError of the source ends a run as if the source was empty",
    "source-error-lost",
)
def _source_error_lost() -> Iterator[None]:
    original = RunInputs._read

    async def faulty(self: Any) -> None:
        await original(self)
        if isinstance(self.error, asyncio.CancelledError):
            self.error = None

    with replace(RunInputs, "_read", faulty):
        yield


@REVERTS.add(
    "inputs-cut-off",
    "a run that is cut while it waits for an input loses the rest and says nothing",
    "input-without-outcome",
)
def _inputs_cut_off() -> Iterator[None]:
    original = RunInputs._read

    async def faulty(self: Any) -> None:
        try:
            await original(self)
        finally:
            self.cut_off = False

    with replace(RunInputs, "_read", faulty):
        yield


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


@REVERTS.add(
    "bare-run-not-started",
    "a run that is iterated without its block gives NotStarted for every input",
    "bare-run-not-started",
)
def _bare_run_not_started() -> Iterator[None]:
    def faulty(self: Any) -> Any:
        self._reading = True
        return self._outcomes()

    with replace(bulk.Run, "__aiter__", faulty):
        yield
