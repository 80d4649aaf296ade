"""Stopping a run: by a rule, an error or a request, without cutting off calls that change something."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from typing import Any

import attrs

from wosdk_async.calls.run_many import Run
from wosdk_async.errors import InvalidCallError, WosdkError
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

ABORT_GRACE = 0.5  # seconds for calls in flight when a run is aborted
MESSAGE_INTERVAL = 5.0  # seconds between two progress texts
_SOON = 1.0  # remaining seconds for which there is no text


class StoppedError(Exception):
    """The block ended because a stop of the run was requested."""


@attrs.define(eq=False)
class _Block:
    """Block that ends with the stop; while it is ``exempt``, only with an abort."""

    task: asyncio.Task[object] | None
    timeout: asyncio.Timeout
    exempt: bool = False


@attrs.define(eq=False)
class Stop:
    """Whether a run has to stop, and why.

    A rule or an error calls :meth:`start_no_more`: rows in doubt are still looked up. A person, a signal or a
    program calls :meth:`ask`, which also ends what changes nothing, such as waits and look-ups; a second
    :meth:`ask` aborts the calls in flight.

    Code within :meth:`ends` needs no check of its own: it is cancelled, except for calls that may change
    something, within :meth:`lets_end`. Both are for one task; other tasks need their own block.
    """

    cause: WosdkError | None = None
    """Rule or error that keeps further rows from starting."""
    requests: int = 0
    """Number of stops that were requested."""
    _blocks: list[_Block] = attrs.field(factory=list)
    _stops: list[Callable[[], None]] = attrs.field(factory=list)

    @property
    def reason(self) -> WosdkError | None:
        """Why no further row is started; None while the run continues."""
        return self.cause or (
            RunStoppedError("a stop was requested", kind="asked") if self.requests else None
        )

    def start_no_more(self, cause: WosdkError) -> None:
        """Start no further row. The first cause counts."""
        self.cause = self.cause or cause
        for stop in list(self._stops):
            stop()

    def ask(self) -> None:
        """End waits and look-ups, and start nothing further; when called again, abort the calls in flight."""
        self.requests += 1
        for stop in list(self._stops):
            stop()
        for block in list(self._blocks):
            self._end(block)

    def _end(self, block: _Block) -> None:
        if self.requests > block.exempt and block in self._blocks:
            self._blocks.remove(block)
            block.timeout.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def ends(self) -> AsyncIterator[None]:
        """Cancel the block when a stop is requested, and raise StoppedError."""
        if self.requests:
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
        exempt = [each for each in self._blocks if each.task is asyncio.current_task()]
        for each in exempt:
            each.exempt = True
        self._stops.append(stop)
        try:
            if self.reason is not None:
                stop()
            yield
        finally:
            self._stops.remove(stop)
            for each in exempt:
                each.exempt = False
                self._end(each)

    async def consume(
        self,
        run: Run[Any, Any],
        report: Callable[[Any], Awaitable[None] | None],
        stop: Callable[[], None] | None = None,
    ) -> None:
        """Carry out calls that may change something; report one outcome for each input, even after an abort.

        ``stop`` keeps further calls from starting (default: ``run.stop``).
        """
        stop = stop or run.stop

        async def read() -> None:
            async for outcome in run:
                if (reported := report(outcome)) is not None:
                    await reported

        with self.lets_end(stop):
            try:
                async with run:
                    await read()
            except asyncio.CancelledError:
                stop()
                with suppress(InvalidCallError):  # it ended the generator of the inputs
                    await read()  # outcomes that ended in the meantime, and inputs not started
                raise


async def say_and_sleep(seconds: float, say: Callable[[float], None]) -> None:
    """Sleep; call ``say`` with the remaining seconds at the start and every five seconds."""
    loop = asyncio.get_running_loop()
    ends = loop.time() + seconds
    say(seconds)
    while (remaining := ends - loop.time()) > 0:
        await asyncio.sleep(min(remaining, MESSAGE_INTERVAL))
        if (remaining := ends - loop.time()) >= _SOON:
            say(remaining)


def client_closed() -> RunStoppedError:
    """Return the reason of a run whose client was closed."""
    return RunStoppedError("the client was closed", kind="client-closed")


ALIKE = 20
"""Rows refused at the start for one reason, or consecutive rows that could not be sent, before a stop."""

_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def cause_of(reason: str) -> str:
    """Return a reason without its values, so that rows refused for one cause have the same."""
    return _VARIABLE.sub("*", reason)


@attrs.define
class StopRules:
    """Counts of the outcomes of rows, which stop the import at a limit."""

    options: ImportOptions
    rows: int
    stop: Stop = attrs.field(factory=Stop)
    failed: int = 0
    doubted: int = 0
    _ended: int = 0
    _unsent: int = 0
    _shared: frozenset[str] = frozenset()
    """Faults that all rows had so far; a row may have several."""

    def done(self) -> None:
        """Count a row that was carried out."""
        self._count()

    def refused(self, reason: str) -> None:
        """Count a row that was refused, by the client or the service."""
        faults = frozenset(cause_of(reason).split("; "))
        self._count(self._shared & faults if self._ended else faults)
        self._fail()
        if self._ended == ALIKE <= self.rows and self._shared:
            self._stop("all-refused", f"the first {ALIKE} rows were all refused for one reason: {reason}")

    def unsent(self, reason: str) -> None:
        """Count a row that could not be sent."""
        self._count(unsent=self._unsent + 1)
        self._fail()
        if self._unsent == ALIKE:
            self._stop("none-sent", f"{ALIKE} consecutive rows could not be sent: {reason}")

    def in_doubt(self) -> None:
        """Count a row that may have been carried out."""
        self._count()
        self.doubted += 1
        limit = self.options.stop_after_doubt
        if limit is not None and self.doubted >= limit:
            text = f"{self.doubted} rows are in doubt, the limit is {limit}"
            self._stop("too-many-in-doubt", text, Remedy.STOP_AFTER_DOUBT)

    def _count(self, shared: frozenset[str] = frozenset(), unsent: int = 0) -> None:
        self._ended += 1
        self._shared, self._unsent = shared, unsent

    def _fail(self) -> None:
        self.failed += 1
        limit = self.options.stop_after
        if limit is not None and self.failed >= limit.rows(self.rows):
            rows = "1 row has" if self.failed == 1 else f"{self.failed} rows have"
            self._stop("too-many-failed", f"{rows} failed, the limit is {limit}", Remedy.STOP_AFTER)

    def _stop(self, kind: str, text: str, *remedies: Remedy) -> None:
        self.stop.start_no_more(RunStoppedError(text, kind=kind, remedies=remedies))
