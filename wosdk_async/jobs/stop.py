"""Stopping a run by rule, error or request, without cutting off calls that may change something."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import attrs

from wosdk_async.calls.run_many import Run
from wosdk_async.errors import WosdkError
from wosdk_async.jobs.errors import RunStoppedError
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.clock import TransportClock

ABORT_GRACE = 0.5  # seconds for calls in flight to finish after an abort
MESSAGE_INTERVAL = 5.0  # seconds between progress messages
_SOON = 1.0  # no message for fewer remaining seconds


class StoppedError(Exception):
    """Exception raised in a block when a stop is requested."""


@attrs.define(eq=False)
class _Block:
    """Block that a stop cancels; while ``exempt``, only an abort cancels it."""

    task: asyncio.Task[object] | None
    timeout: asyncio.Timeout
    exempt: bool = False


@attrs.define(eq=False)
class Stop:
    """Stop state of a run, with the reason.

    Rules and errors call :meth:`start_no_more`. Users, signals and programs call :meth:`ask`.

    Waits and look-ups run within :meth:`cancellable`. Calls that may change something run within
    :meth:`shielded`. Both apply to the current task only.
    """

    cause: WosdkError | None = None
    """Rule or error that prevents further rows from starting."""
    requests: int = 0
    _blocks: list[_Block] = attrs.field(factory=list)
    _stops: list[Callable[[], None]] = attrs.field(factory=list)

    @property
    def reason(self) -> WosdkError | None:
        """Reason why no further rows start; None while the run continues."""
        return self.cause or (
            RunStoppedError("a stop was requested", kind="asked") if self.requests else None
        )

    def start_no_more(self, cause: WosdkError) -> None:
        """Start no further rows. Rows in doubt are still looked up. Only the first cause counts."""
        self.cause = self.cause or cause
        for stop in list(self._stops):
            stop()

    def ask(self) -> None:
        """Start no further rows, and cancel waits and look-ups; a second call aborts the calls in flight."""
        self.requests += 1
        for stop in list(self._stops):
            stop()
        for block in list(self._blocks):
            self._cancel(block)

    def _cancel(self, block: _Block) -> None:
        if self.requests > block.exempt and block in self._blocks:
            self._blocks.remove(block)
            block.timeout.reschedule(asyncio.get_running_loop().time())

    @asynccontextmanager
    async def cancellable(self) -> AsyncIterator[None]:
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
    def shielded(self, stop: Callable[[], None]) -> Iterator[None]:
        """On a stop, call ``stop`` instead of cancelling the block; an abort still cancels the block."""
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
                self._cancel(each)

    async def consume(
        self,
        run: Run[Any, Any],
        report: Callable[[Any], Awaitable[None] | None],
        stop: Callable[[], None] | None = None,
    ) -> None:
        """Carry out calls that may change something; report an outcome for each input, even after an abort.

        ``stop`` prevents further calls from starting (default: ``run.stop``).
        """
        stop = stop or run.stop

        async def read() -> None:
            async for outcome in run:
                if (reported := report(outcome)) is not None:
                    await reported

        with self.shielded(stop):
            try:
                async with run:
                    await read()
            except asyncio.CancelledError:
                stop()
                await read()  # report the remaining outcomes, including those of inputs not started
                raise


async def say_and_sleep(
    seconds: float, say: Callable[[float], None], clock: TransportClock | None = None
) -> None:
    """Sleep; call ``say`` with the remaining seconds at the start and then every five seconds."""
    clock = clock or TransportClock(now=asyncio.get_running_loop().time)
    ends = clock.now() + seconds
    say(seconds)
    while (remaining := ends - clock.now()) > 0:
        await clock.sleep(min(remaining, MESSAGE_INTERVAL))
        if (remaining := ends - clock.now()) >= _SOON:
            say(remaining)


def client_closed() -> RunStoppedError:
    """Return the stop reason for a closed client."""
    return RunStoppedError("the client was closed", kind="client-closed")


ALIKE = 20
"""Limit on rows refused at the start for the same reason, and on consecutive rows that cannot be sent."""

_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def cause_of(reason: str) -> str:
    """Remove the values from a reason, so that rows refused for the same cause compare equal."""
    return _VARIABLE.sub("*", reason)


@attrs.define
class StopRules:
    """Counts of row outcomes; the import stops when a count reaches its limit."""

    options: ImportOptions
    rows: int
    stop: Stop = attrs.field(factory=Stop)
    has_done: bool = attrs.field(default=False, kw_only=True)
    """Whether earlier runs sent rows of the file. If so, the file is not a copy of another job's file."""
    failed: int = 0
    doubted: int = 0
    _ended: int = 0
    _unsent: int = 0
    _shared: frozenset[str] = frozenset()
    """Faults that all rows so far have in common."""

    def done(self) -> None:
        """Count a row that was carried out."""
        self._ended += 1  # inlined _count(), because nearly every row ends here
        self._shared, self._unsent = frozenset(), 0

    def refused(
        self, reason: str, *, alike: bool = True, existing: Callable[[], Mapping[str, Any]] | None = None
    ) -> None:
        """Count a row that the client or the service refused.

        With ``alike``, the row counts towards the limit on rows refused at the start for the same reason.
        If the record already exists, pass ``existing``, a function that returns remedies and facts for the
        message. An existing record does not stop the import if a job in a nearby folder sent the same row,
        and earlier runs of this job sent rows of the file.
        """
        self._fail()
        if not alike:
            return
        faults = frozenset(cause_of(reason).split("; "))
        self._count(self._shared & faults if self._ended else faults)
        if self._ended == ALIKE <= self.rows and self._shared:
            text = f"{ALIKE} rows were refused for the same reason, and none succeeded: {reason}"
            if existing is None:
                self._stop("all-refused", text)
                return
            facts = existing()
            if not (self.has_done and Remedy.JOB_BESIDE in facts["remedies"]):
                self._stop("all-exist", text, **facts)

    def unsent(self, reason: str) -> None:
        """Count a row that could not be sent."""
        self._count(unsent=self._unsent + 1)
        self._fail()
        if self._unsent == ALIKE:
            self._stop("none-sent", f"{ALIKE} consecutive rows could not be sent: {reason}")

    def in_doubt(self) -> None:
        """Count a row in doubt."""
        self._count()
        self.doubted += 1
        limit = self.options.stop_after_doubt
        if limit is not None and self.doubted >= limit:
            text = f"{self.doubted} rows are in doubt, reaching the limit of {limit}"
            self._stop("too-many-in-doubt", text, remedies=(Remedy.STOP_AFTER_DOUBT,))

    def _count(self, shared: frozenset[str] = frozenset(), unsent: int = 0) -> None:
        self._ended += 1
        self._shared, self._unsent = shared, unsent

    def _fail(self) -> None:
        self.failed += 1
        limit = self.options.stop_after
        if limit is not None and self.failed >= limit.rows(self.rows):
            rows = "1 row has" if self.failed == 1 else f"{self.failed} rows have"
            text = f"{rows} failed, reaching the limit of {limit}"
            self._stop("too-many-failed", text, remedies=(Remedy.STOP_AFTER,))

    def _stop(self, kind: str, text: str, **facts: Any) -> None:
        self.stop.start_no_more(RunStoppedError(text, kind=kind, **facts))
