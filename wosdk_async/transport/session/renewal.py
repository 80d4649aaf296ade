"""Log-in of a Company, shared by all waiting callers, and the reasons to hold off."""

from __future__ import annotations

import asyncio
import copy
import math
import random
from collections.abc import Callable, Coroutine
from typing import Any, Generic, TypeVar

from wosdk_async.errors import CredentialsError, SessionError, ThrottledError, WosdkError
from wosdk_async.shared_tasks import mark_retrieved
from wosdk_async.transport.clock import TransportClock

T = TypeVar("T")

TimeLeft = Callable[[], float]
"""Function that returns the seconds until the latest deadline of the waiting callers."""

_UNATTENDED = 10.0  # seconds that a log-in continues without callers, so that a later retry finds the session
_REFUSED = 5.0  # seconds during which refused credentials are not sent again
_MAX_HOLD_OFF = 300.0  # maximum seconds: a longer Retry-After is treated as a mistake
_JITTER = 1.0  # maximum random seconds added, because many Companies may get the same Retry-After


class Renewal(Generic[T]):
    """Current log-in, retried until the deadlines of all waiting callers have passed.

    Without waiting callers, it is retried until 10 s after its start, and then cancelled.
    """

    # Only the loop's own thread uses this object, so nothing here relies on the GIL.

    def __init__(
        self, log_in: Callable[[TimeLeft], Coroutine[Any, Any, T]], company: str, clock: TransportClock
    ) -> None:
        self._company = company
        self._clock = clock
        self._alone_until = clock.now() + _UNATTENDED
        self._waiting: dict[object, float] = {}
        """Waiting callers and their deadlines."""
        self.task = asyncio.create_task(log_in(self._time_left), name=f"renew session of {company}")
        self.task.add_done_callback(mark_retrieved)

    @property
    def usable(self) -> bool:
        """Whether a caller in the running loop can wait for the task. Another loop's task may never end."""
        task = self.task
        return not (task.done() or task.cancelling()) and task.get_loop() is asyncio.get_running_loop()

    async def result(self, until: float | None) -> T:
        """Return the session for a caller with the deadline ``until``.

        Raises a copy of the log-in's error for the caller to extend, or SessionError if the client was
        closed.
        """
        self._waiting[caller := object()] = self._alone_until if until is None else until
        try:
            return await asyncio.shield(self.task)  # a cancelled caller must not stop the log-in for others
        except WosdkError as error:
            # A copy has no traceback, so it gets the log-in's.
            raise copy.copy(error).with_traceback(error.__traceback__) from error.__cause__
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.task.cancelled() and not (task is not None and task.cancelling()):
                raise SessionError(
                    f"the client was closed during the session renewal of {self._company!r}"
                ) from None
            raise
        finally:
            del self._waiting[caller]
            if not self._waiting and not self.task.done():
                self._clock.call_later(max(0.0, self._alone_until - self._clock.now()), self._end_unattended)

    def _time_left(self) -> float:
        return max(self._waiting.values(), default=self._alone_until) - self._clock.now()

    def _end_unattended(self) -> None:
        if not self._waiting:
            self.task.cancel()


class HoldOff:
    """Pause in one Company's log-ins, across event loops, after a Retry-After or refused credentials."""

    def __init__(self, clock: TransportClock) -> None:
        # GIL: loops in several threads read and set ``_busy`` and ``_refused`` atomically.
        self._now, self._sleep = clock.now, clock.sleep
        self._busy: tuple[float, float, WosdkError] | None = None
        """End of the hold-off, earliest deadline of a caller that may wait for it, and error to raise."""
        self._refused: tuple[float, WosdkError, object] | None = None

    @property
    def active(self) -> bool:
        """Whether a wait that the service requested is in progress."""
        return self._busy is not None and self._now() < self._busy[0]

    async def wait(self, until: float | None) -> None:
        """Wait for the end of the hold-off. Raise its error at once if ``until`` is too early."""
        if self._busy is not None:
            ends, needed, error = self._busy
            if until is not None and until < needed:
                raise copy.copy(error) from error.__cause__
            await self._sleep(ends - self._now())

    def require_new(self, credentials: object) -> None:
        """Raise the error of the last log-in if the same ``credentials`` were just refused."""
        if self._refused is not None:
            ends, error, refused = self._refused
            if credentials == refused and self._now() < ends:
                raise copy.copy(error) from error.__cause__

    def forget_refusal(self) -> None:
        """Allow the next log-in with any credentials."""
        self._refused = None

    def note(self, error: WosdkError, credentials: object) -> None:
        """Record a log-in's error; ``credentials`` is None if none were sent."""
        busy = error.__cause__
        if isinstance(error, CredentialsError) and credentials is not None:
            self._refused = self._now() + _REFUSED, error, credentials
        elif isinstance(busy, ThrottledError) and busy.retry_after:
            jitter = _JITTER * random.random()  # noqa: S311 - not a secret
            ends = self._now() + min(busy.retry_after, _MAX_HOLD_OFF) + jitter
            self._busy = ends, ends if busy.retry_after <= _MAX_HOLD_OFF else math.inf, error
