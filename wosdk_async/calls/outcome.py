"""Inputs of ``run_many``, read on demand, and the outcome of each input.

In an outcome, ``reply`` is the call's last raw response. It is None if no response arrived, or if the run
does not keep responses.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from typing import Generic, TypeVar

import attrs

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import InDoubtError, InvalidCallError
from wosdk_async.protocol.wire import Response

I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R")


@attrs.define(unsafe_hash=True)  # not frozen: a frozen class takes three times as long to construct
class Done(Generic[I, R]):
    """Success: the call for ``input``, at ``index`` (from 0), returned ``result``.

    ``found`` means that the record existed before the first attempt, so nothing was sent. ``attempts``
    is the number of requests, and ``waits`` holds the seconds before each retry.
    """

    index: int
    input: I
    result: R
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)
    found: bool = attrs.field(default=False, kw_only=True)
    attempts: int = attrs.field(default=0, kw_only=True, eq=False, repr=False)
    waits: tuple[float, ...] = attrs.field(default=(), kw_only=True, eq=False, repr=False)


@attrs.frozen
class Failed(Generic[I]):
    """Failure: the call raised ``error``.

    An error from this library means that the call had no effect, except for NotUniqueError: several records
    have the key, and the call may have created one of them.
    """

    index: int
    input: I
    error: Exception
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)


@attrs.frozen
class InDoubt(Generic[I]):
    """Doubt: the call was sent and may have taken effect. Wait ``error.settle`` seconds, then check."""

    index: int
    input: I
    error: InDoubtError
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)


@attrs.frozen
class NotStarted(Generic[I]):
    """Not sent: the run stopped, or the client was closed, before the call's first attempt."""

    index: int
    input: I


Outcome = Done[I, R] | Failed[I] | InDoubt[I] | NotStarted[I]
"""Outcome of one input: ``match`` on the class, or use ``isinstance``."""


# --- inputs ---------------------------------------------------------------------------------

_Taken = tuple[int, I]
_TURNS = 16  # iterations of the event loop to wait for an input before it counts as not ready


class RunInputs(Generic[I]):
    """Source of a run's inputs: gives each input once, with its index, to a worker that asks for one.

    One task reads an async iterable for all workers. Inputs that are ready are handed out in one
    iteration of the event loop, so a burst of calls is sent together. An async iterable may have a method
    ``at_hand``, which returns a ready input or None. Workers then take ready inputs themselves, and the task
    waits only for inputs that are not ready.

    Attributes:
        taken: number of inputs read.
        exhausted: whether no inputs remain.
        cut_off: whether inputs were lost because a cancellation ended their generator.
        error: exception that the iterable raised.
    """

    def __init__(self, inputs: Iterable[I] | AsyncIterable[I]) -> None:
        self.taken = 0
        self.exhausted = False
        self.cut_off = False
        self.error: BaseException | None = None
        self._at_hand: Callable[[], I | None] = getattr(inputs, "at_hand", lambda: None)
        self._plain: Iterator[I] | None = None
        self._source: AsyncIterator[I] | None = None
        if isinstance(inputs, AsyncIterable):
            self._source = aiter(inputs)
        else:
            self._plain = iter(_checked(inputs))
        self._waiting: deque[asyncio.Future[_Taken[I] | None]] = deque()
        self._unclaimed: deque[_Taken[I]] = deque()  # inputs read for workers that were then cancelled
        self._reader: asyncio.Task[None] | None = None

    async def take(self) -> _Taken[I] | None:
        """Return the next input with its index; None when exhausted."""
        if self._unclaimed:
            return self._unclaimed.popleft()
        if self.exhausted:
            return None
        if self._plain is not None:
            return self._next(self._plain)
        if (item := self._at_hand()) is not None:
            return self._numbered(item)
        # Before Python 3.12, get_running_loop() makes a system call (getpid), so the reader's loop is used.
        loop = asyncio.get_running_loop() if self._reader is None else self._reader.get_loop()
        future: asyncio.Future[_Taken[I] | None] = loop.create_future()
        self._waiting.append(future)
        if self._reader is None or self._reader.done():
            self._reader = loop.create_task(self._read())
            self._reader.add_done_callback(self._read_ended)
        try:
            return await future
        except asyncio.CancelledError:
            if future.done() and not future.cancelled() and (taken := future.result()) is not None:
                self._unclaimed.append(taken)  # the input arrived in the loop iteration of the cancellation
            raise

    async def take_ready(self) -> _Taken[I] | None:
        """Return the next input with its index. If none is ready, stop reading and return None."""
        if self._unclaimed or self.exhausted or self._source is None:
            return await self.take()
        taking = asyncio.ensure_future(self.take())
        try:
            for _ in range(_TURNS):
                await asyncio.sleep(0)
                if taking.done():
                    break
            else:
                await self.close()
            return await taking
        except asyncio.CancelledError:
            if not taking.cancel() and (taken := taking.result()) is not None:
                self._unclaimed.appendleft(taken)
            raise

    async def close(self) -> None:
        """Cancel the task that reads the iterable; this also ends a generator that is being read."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    def _next(self, inputs: Iterator[I]) -> _Taken[I] | None:
        try:
            item = next(inputs)
        except StopIteration:
            self.exhausted = True
        except BaseException as error:
            self.exhausted = True
            self.error = error
        else:
            return self._numbered(item)
        return None

    async def _read(self) -> None:
        assert self._source is not None  # noqa: S101 - only async iterables are read here
        while self._waiting and not self.exhausted:
            try:
                if (item := self._at_hand()) is None:
                    item = await anext(self._source)
            except StopAsyncIteration:
                self.exhausted = True
            except BaseException as error:
                if isinstance(error, asyncio.CancelledError) and _task_is_cancelled():
                    # The cancellation also reached the iterable, and ends it if it is a generator.
                    self.exhausted = self.cut_off = isinstance(self._source, AsyncGenerator)
                    raise
                self.exhausted = True
                self.error = error
            else:
                self._give(self._numbered(item))

    def _read_ended(self, reader: asyncio.Task[None]) -> None:
        """Release the waiting workers, even if the task was cancelled before it began."""
        if self._reader is reader:  # if a new reader has started, it serves the waiting workers
            while self._waiting:
                if not (waiter := self._waiting.popleft()).done():
                    waiter.set_result(None)

    def _give(self, taken: _Taken[I]) -> None:
        while self._waiting:
            if not (waiter := self._waiting.popleft()).done():  # if done, the worker was cancelled
                waiter.set_result(taken)
                return
        self._unclaimed.append(taken)

    def _numbered(self, item: I) -> _Taken[I]:
        self.taken += 1
        return self.taken - 1, item


def _task_is_cancelled() -> bool:
    """Return whether this task was cancelled; if not, a CancelledError came from the inputs."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _checked(inputs: Iterable[I]) -> Iterable[I]:
    is_iterable = isinstance(inputs, Iterable) or hasattr(inputs, "__getitem__")
    # A str or a mapping is iterable, but its characters or keys are never meant as inputs.
    if not is_iterable or isinstance(inputs, str | bytes | Mapping):
        raise InvalidCallError(
            f"the inputs are {kind_of(inputs)}; pass a list, another iterable or an async iterable"
        )
    return inputs
