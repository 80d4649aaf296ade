"""The stop of a run: whether it has to stop, and why. It ends all but calls that may change something."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs

from wosdk_async.calls.run_many import Run
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import RunStoppedError
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.text.remedies import Remedy

__all__ = [
    "ABORT_GRACE",
    "MESSAGE_INTERVAL",
    "Stop",
    "StopRules",
    "StoppedError",
    "cause_of",
    "client_closed",
    "say_and_sleep",
]

ABORT_GRACE = 0.5  # seconds that calls in progress still get when a run is aborted

MESSAGE_INTERVAL = 5.0  # seconds between two texts
_SOON = 1.0  # seconds of a wait whose end is not worth a text


class StoppedError(Exception):
    """The block ended because the run was asked to stop."""


@attrs.define(eq=False)
class _Block:
    """A block that ends with the stop; while it is ``held``, only with an abort."""

    task: asyncio.Task[object] | None
    timeout: asyncio.Timeout
    held: int = 0


@attrs.define(eq=False)
class Stop:
    """Whether a run has to stop, and why.

    A rule or an error calls :meth:`start_no_more`: rows in doubt are still looked up. A person, a signal or a
    program calls :meth:`ask`, which also ends all that changes nothing, such as waits and look-ups; a second
    :meth:`ask` aborts the calls in progress.

    Code within :meth:`ends` needs no check of its own: it is cancelled. Only calls that may change something
    are exempt, by :meth:`lets_end`. Both count for one task; other tasks need a block of their own.
    """

    cause: WosdkError | None = None
    """Rule or error for which no further row is started; None when there is none."""
    asked: int = 0
    _blocks: list[_Block] = attrs.field(factory=list)
    _stops: list[Callable[[], None]] = attrs.field(factory=list)

    @property
    def reason(self) -> WosdkError | None:
        """Why no further row is started; None while the run continues."""
        return self.cause or (RunStoppedError("it was asked to stop", kind="asked") if self.asked else None)

    def start_no_more(self, cause: WosdkError) -> None:
        """Start no further row. The first cause counts."""
        self.cause = self.cause or cause
        for stop in list(self._stops):
            stop()

    def ask(self) -> None:
        """End waits and look-ups, and start nothing further. Called again, abort the calls in progress."""
        self.asked += 1
        for stop in list(self._stops):
            stop()
        for block in list(self._blocks):
            self._end(block)

    def _end(self, block: _Block) -> None:
        if (self.asked > block.held) and block in self._blocks:
            self._blocks.remove(block)
            block.timeout.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def ends(self) -> AsyncIterator[None]:
        """Cancel the block when a stop is asked for, and raise StoppedError."""
        if self.asked:
            raise StoppedError
        block = _Block(asyncio.current_task(), asyncio.timeout(None))
        try:
            async with block.timeout:
                self._blocks.append(block)
                try:
                    yield
                finally:
                    if block in self._blocks:
                        self._blocks.remove(block)
        except TimeoutError:
            if not block.timeout.expired():
                raise
            raise StoppedError from None

    @contextmanager
    def lets_end(self, stop: Callable[[], None]) -> Iterator[None]:
        """Exempt the block from the stop, which calls ``stop`` instead; an abort still ends it."""
        held = [each for each in self._blocks if each.task is asyncio.current_task()]
        for each in held:
            each.held = 1
        self._stops.append(stop)
        try:
            if self.reason is not None:
                stop()
            yield
        finally:
            self._stops.remove(stop)
            for each in held:
                each.held = 0
                self._end(each)

    async def consume(
        self, run: Run[Any, Any], report: Callable[[Any], None], stop: Callable[[], None] | None = None
    ) -> None:
        """Carry out calls that may change something; report one outcome for each input, also of an abort.

        ``stop`` starts no further call; by default it is that of ``run``.
        """
        stop = stop or run.stop
        with self.lets_end(stop):
            try:
                async with run:
                    async for outcome in run:
                        report(outcome)
            except asyncio.CancelledError:
                stop()
                async for outcome in run:  # those that ended in the meantime, and those not started
                    report(outcome)
                raise


async def say_and_sleep(seconds: float, say: Callable[[float], None]) -> None:
    """Sleep, and call ``say`` with the seconds that remain, at the start and every five seconds."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + seconds
    say(seconds)
    while (left := ends - loop.time()) > 0:
        await asyncio.sleep(min(left, MESSAGE_INTERVAL))
        if (left := ends - loop.time()) >= _SOON:
            say(left)


def client_closed() -> RunStoppedError:
    """Return why a run stopped whose client was closed."""
    return RunStoppedError("the client was closed", kind="client-closed")


ALIKE = 20
"""First rows that are refused for one reason, and rows in a row that could not be sent, before it stops."""

_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def cause_of(reason: str) -> str:
    """Return a reason without its values, which is the same for rows that are refused for one cause."""
    return _VARIABLE.sub("*", reason)


@attrs.define
class StopRules:
    """Counts the outcomes of rows, and stops the import at a limit."""

    options: ImportOptions
    rows: int
    stop: Stop = attrs.field(factory=Stop)
    failed: int = 0
    doubted: int = 0
    _ended: int = 0
    _unsent: int = 0
    _shared: frozenset[str] = frozenset()
    """Faults that all rows had until now; a row can have several."""

    def done(self) -> None:
        """Count a row that was carried out."""
        self._ended += 1
        self._shared = frozenset()
        self._unsent = 0

    def refused(self, reason: str) -> None:
        """Count a row that was refused, here or by the service."""
        self._fail()
        faults = frozenset(cause_of(reason).split("; "))
        self._shared = faults if self._ended == 1 else self._shared & faults
        if self._ended == ALIKE <= self.rows and self._shared:
            text = f"the first {ALIKE} rows were all refused for one reason: {reason}"
            self.stop.start_no_more(RunStoppedError(text, kind="all-refused"))
        self._unsent = 0

    def unsent(self, reason: str) -> None:
        """Count a row that could not be sent."""
        self._fail()
        self._shared = frozenset()
        self._unsent += 1
        if self._unsent == ALIKE:
            text = f"{ALIKE} rows in a row could not be sent: {reason}"
            self.stop.start_no_more(RunStoppedError(text, kind="none-sent"))

    def in_doubt(self) -> None:
        """Count a row that may have been carried out."""
        self._ended += 1
        self._shared = frozenset()
        self._unsent = 0
        self.doubted += 1
        limit = self.options.stop_after_doubt
        if limit is not None and self.doubted >= limit:
            text = f"{self.doubted} rows are in doubt, the limit is {limit}"
            remedies = (Remedy.STOP_AFTER_DOUBT,)
            self.stop.start_no_more(RunStoppedError(text, kind="too-many-in-doubt", remedies=remedies))

    def _fail(self) -> None:
        self._ended += 1
        self.failed += 1
        limit = self.options.stop_after
        if limit is not None and self.failed >= limit.rows(self.rows):
            rows = "1 row has" if self.failed == 1 else f"{self.failed} rows have"
            text, remedies = f"{rows} failed, the limit is {limit}", (Remedy.STOP_AFTER,)
            self.stop.start_no_more(RunStoppedError(text, kind="too-many-failed", remedies=remedies))
