"""Concurrent calls: bounded, streaming, with exactly one outcome per input.

A run knows nothing of Companies: it passes each input and a
:class:`~wosdk_async.transport.telemetry.statistics.Trace` to a coroutine function.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import AsyncIterable, AsyncIterator, Awaitable, Callable, Iterable
from types import TracebackType
from typing import Generic, Self, TypeVar

import anyio

from wosdk_async.calls.outcome import Done, Failed, InDoubt, NotStarted, Outcome, RunInputs
from wosdk_async.errors import DeadlineError, InDoubtError, InvalidCallError, WosdkError
from wosdk_async.fork_safety import Uncopied
from wosdk_async.options.checks import check_number
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.telemetry.statistics import PHASES, Trace

I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R")

_TURN = 256  # outcomes in a row after which other tasks get a turn


class Run(Uncopied, Generic[I, R]):
    """Concurrent calls, one per input. No call outlives the ``async with`` block.

    ::

        async with company.run_many(commands, limit=64) as run:
            async for outcome in run:
                ...

    At most ``limit`` calls are in progress, and no further call starts while ``limit`` outcomes are unread: a
    slow reader slows the run. A failed call does not stop the others.

    If the block ends without iterating over the run, the run makes all calls and keeps all outcomes. If the
    block ends early, the run starts no more calls. After ``break``, it waits for the calls in flight.
    After an exception or a cancellation, calls in flight get ``grace`` seconds and are then cancelled; calls
    already sent are in doubt. After the block, unread outcomes can still be read, followed by a
    ``NotStarted`` for each remaining input that is available without waiting.

    If the inputs raise an exception, including ``CancelledError``, the run raises it once all earlier
    outcomes have been read. If the block has raised another exception, the run adds a note to that exception
    instead.
    """

    _instead = "pass its inputs or outcomes instead, and call run_many() in the other process"

    def __init__(
        self,
        inputs: Iterable[I] | AsyncIterable[I],
        call: Callable[[I, Trace], Awaitable[R]],
        *,
        limit: int = 32,
        grace: float = 30.0,
        keep_replies: bool = False,
        settle: float = InDoubtError.settle,
    ) -> None:
        # The repr's attributes come first: if a check fails, a traceback may show this object.
        self._limit = limit
        self._calls_in_progress = 0
        self._unread: deque[Outcome[I, R]] = deque()
        check_number(
            "limit", limit, "a number of calls, 1 or more", low=1, whole=True, error=InvalidCallError
        )
        check_number("grace", grace, "seconds, 0 or more", error=InvalidCallError)
        self._inputs = RunInputs(inputs)
        self._call = call
        self._grace = grace
        self._keep_replies = keep_replies
        self._settle = settle
        self._stopped = False
        self._entered = False
        self._reading = False
        self._is_open = True
        """Whether the block is still running: if so, calls wait while too many outcomes are unread."""
        self._has_failed = False
        """Whether the block has raised an exception, which a later read must not replace."""
        self._changed = asyncio.Event()
        self._workers: set[asyncio.Task[None]] = set()

    def __repr__(self) -> str:
        unread = len(self._unread)
        return f"<Run {self._calls_in_progress} of {self._limit} in progress, {unread} outcomes unread>"

    def stop(self) -> None:
        """Start no more calls; calls in flight continue.

        ``async for`` then yields the remaining inputs as ``NotStarted``. Inside the block, it waits for
        inputs that are not available yet; after the block, it skips them.
        """
        self._stopped = True
        self._changed.set()

    async def __aenter__(self) -> Self:
        if self._entered:
            raise InvalidCallError(
                "this run was opened before, and its inputs are used up; call run_many() again"
            )
        self._entered = True
        self._add_worker()
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None
    ) -> None:
        if error is not None or (self._reading and not self._all_read()):
            self.stop()
        self._is_open = False
        self._has_failed = error is not None
        self._changed.set()
        # A cancelled scope around the block must not cut the grace period short.
        with anyio.CancelScope(shield=True):
            try:
                await self._await_workers(self._grace if error is not None else None)
            finally:
                await self._cancel_workers()
        if error is None:
            self._raise_source_error()
        elif (other := self._inputs.error or self._lost_inputs_error()) is not None:
            error.add_note(f"run_many: the inputs ended early: {type(other).__name__}: {other}")

    # --- reading ----------------------------------------------------------------------------

    def __aiter__(self) -> AsyncIterator[Outcome[I, R]]:
        if not self._entered:
            raise InvalidCallError(
                "nothing was started; write 'async with company.run_many(...) as run:' around "
                "'async for outcome in run:'"
            )
        self._reading = True
        return self._outcomes()

    async def _outcomes(self) -> AsyncIterator[Outcome[I, R]]:
        while self._unread or self._workers:
            if self._unread:
                outcome = self._unread.popleft()
                self._changed.set()
                yield outcome
            else:
                await self._next_change()
        # If the run was stopped, the remaining inputs also get an outcome. After the block, inputs that never
        # arrive must not block the program.
        take = self._inputs.take if self._is_open else self._inputs.take_ready
        while taken := await take():
            yield NotStarted(*taken)
            if taken[0] % _TURN == 0:
                await asyncio.sleep(0)  # inputs without end must not block the event loop
        self._raise_source_error()
        if not self._has_failed and (lost := self._lost_inputs_error()) is not None:
            raise lost

    def ready(self) -> list[Outcome[I, R]]:
        """Return the outcomes that can be read now, without waiting for others."""
        outcomes = list(self._unread)
        self._unread.clear()
        self._changed.set()
        return outcomes

    def _all_read(self) -> bool:
        return self._inputs.exhausted and not self._workers and not self._unread

    def _raise_source_error(self) -> None:
        error, self._inputs.error = self._inputs.error, None
        if error is not None and not self._has_failed:
            raise error

    def _lost_inputs_error(self) -> InvalidCallError | None:
        if not self._inputs.cut_off:
            return None
        return InvalidCallError(
            f"inputs from index {self._inputs.taken} on are lost: a cancellation during the read"
            f" ended their generator; run again with those inputs"
        )

    # --- working ----------------------------------------------------------------------------

    def _add_worker(self) -> None:
        task = asyncio.get_running_loop().create_task(self._work())
        self._workers.add(task)
        task.add_done_callback(self._worker_ended)

    def _worker_ended(self, task: asyncio.Task[None]) -> None:
        self._workers.discard(task)
        self._changed.set()

    async def _work(self) -> None:
        while not self._stopped:
            if self._is_open and len(self._unread) >= self._limit:
                await self._next_change()
                continue
            taken = await self._inputs.take()
            if taken is None:
                return
            if self._stopped:
                self._keep(NotStarted(*taken))
                return
            if len(self._workers) < self._limit:
                self._add_worker()  # one more for each input, so that few inputs start few workers
            # The rest is not a separate function, because its coroutine would make a call 1 % slower.
            (index, item), trace = taken, Trace()
            self._calls_in_progress += 1
            try:
                result = await self._call(item, trace)
                self._keep(
                    Done(
                        index,
                        item,
                        result,
                        reply=trace.reply if self._keep_replies else None,
                        found=trace.found,
                        attempts=trace.attempts,
                        waits=trace.waits,
                    )
                )
            except Exception as error:
                reply = trace.reply if self._keep_replies else None
                self._keep(failed_outcome(index, item, error, trace, reply))
            except asyncio.CancelledError:
                self._keep(cancelled_outcome(index, item, trace, "the run was cancelled"))
                raise
            finally:
                self._calls_in_progress -= 1

    def _keep(self, outcome: Outcome[I, R]) -> None:
        if isinstance(outcome, InDoubt):
            outcome.error.add(settle=self._settle)
        self._unread.append(outcome)
        self._changed.set()

    # --- ending -----------------------------------------------------------------------------

    async def _next_change(self) -> None:
        self._changed.clear()
        await self._changed.wait()

    async def _await_workers(self, seconds: float | None) -> None:
        """Wait up to ``seconds`` for the workers to end; in a stopped run, only for calls in progress."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while self._workers and (self._calls_in_progress or not self._stopped):
                    await self._next_change()

    async def _cancel_workers(self) -> None:
        workers = list(self._workers)
        for task in workers:
            task.cancel()
        await self._inputs.close()
        await asyncio.gather(*workers, return_exceptions=True)


def failed_outcome(
    index: int, item: I, error: Exception, trace: Trace, reply: Response | None = None
) -> InDoubt[I] | Failed[I] | NotStarted[I]:
    """Return the outcome of a call that raised ``error``."""
    if getattr(error, "client_closed", False) and not (trace.sent or trace.effect):
        return NotStarted(index, item)
    if isinstance(error, InDoubtError):
        return InDoubt(index, item, error, reply=reply)
    if isinstance(error, WosdkError) or trace.repeat_safe or not (trace.sent or trace.effect):
        return Failed(index, item, error, reply=reply)
    # Another library's error: a custom transport or a mock failed after it received the request, and may have
    # sent it.
    return InDoubt(index, item, _in_doubt_error(error, trace), reply=reply)


def cancelled_outcome(index: int, item: I, trace: Trace, why: str) -> InDoubt[I] | Failed[I] | NotStarted[I]:
    """Return a cancelled call's outcome from its trace; ``why`` is text such as "the run was cancelled"."""
    details = _details(trace)
    if (trace.sent and not trace.repeat_safe) or trace.effect:
        text = f"the call may have been carried out: {why} before the outcome was known"
        return InDoubt(index, item, InDoubtError(text, **details))
    if trace.reply is not None or trace.sent:
        text = f"no result: {why} ({PHASES[trace.phase]}); the call had no effect"
        return Failed(index, item, DeadlineError(text, phase=trace.phase, **details))
    return NotStarted(index, item)


def _in_doubt_error(error: Exception, trace: Trace) -> InDoubtError:
    why = f"{type(error).__name__} was raised after the request was sent ({error})"
    text = f"the call may have been carried out: {why}"
    doubt = InDoubtError(text, **_details(trace))
    doubt.__cause__ = error
    return doubt


def _details(trace: Trace) -> dict[str, object]:
    names = ("company", "operation", "request_id", "attempts", "waits", "times")
    return {name: getattr(trace, name) for name in names}
