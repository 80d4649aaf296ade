"""Log-ins of a Company: one that runs for everybody who waits, and reasons to send none now."""

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

__all__ = ["HasTime", "HoldOff", "Renewal"]

T = TypeVar("T")

HasTime = Callable[[float], bool]
"""Function that says whether it is of use to send a request in so many seconds: somebody still waits then."""

_UNATTENDED = 10.0  # seconds: callers with short deadlines find the session when they call again
_REFUSED = 5.0  # seconds in which refused credentials are not retried
_LONGEST = 300.0  # seconds that a Company is held off: whoever asks for a day has erred
_SPREAD = 1.0  # seconds: many Companies may be asked to wait for as long


class Renewal(Generic[T]):
    """Log-in under way, which is retried as long as a caller that waits for it has time.

    If no caller waits, it is retried up to 10 s after it began. It is cancelled then if its callers gave up.
    """

    # Used by the thread of its loop alone, so none of it relies on the GIL.

    def __init__(
        self, log_in: Callable[[HasTime], Coroutine[Any, Any, T]], company: str, clock: TransportClock
    ) -> None:
        self._company = company
        self._clock = clock
        self._alone_until = clock.now() + _UNATTENDED
        self._waiting: dict[object, float] = {}
        """Callers that wait, each with its deadline."""
        self.task = asyncio.create_task(log_in(self._has_time), name=f"renew session of {company}")
        self.task.add_done_callback(mark_retrieved)

    @property
    def usable(self) -> bool:
        """Whether a caller of the running loop can wait for it; the one of another loop may never end."""
        task = self.task
        return not (task.done() or task.cancelling()) and task.get_loop() is asyncio.get_running_loop()

    async def result(self, until: float | None) -> T:
        """Return the session for a caller with the deadline ``until``.

        Raises a copy of the log-in's error, to add details to, or SessionError if the client was closed.
        """
        self._waiting[caller := object()] = self._alone_until if until is None else until
        try:
            return await asyncio.shield(self.task)  # a cancelled caller must not stop it for the others
        except WosdkError as error:
            raise copy.copy(error) from error
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self.task.cancelled() and not (task is not None and task.cancelling()):
                raise SessionError(
                    f"the client was closed while it renewed the session of {self._company!r}"
                ) from None
            raise
        finally:
            del self._waiting[caller]
            if not self._waiting and not self.task.done():
                self._clock.call_later(max(0.0, self._alone_until - self._clock.now()), self._end_unattended)

    def _has_time(self, seconds: float) -> bool:
        return self._clock.now() + seconds <= max(self._waiting.values(), default=self._alone_until)

    def _end_unattended(self) -> None:
        if not self._waiting:
            self.task.cancel()


class HoldOff:
    """Reasons of one Company not to send a log-in now. They hold for its callers in all event loops."""

    def __init__(self, clock: TransportClock) -> None:
        # GIL: loops in several threads read and set these, each in one step.
        self._now, self._sleep = clock.now, clock.sleep
        self._busy: tuple[float, float, WosdkError] | None = None
        """When the time is over, the deadline that a caller needs to wait for it, and the error."""
        self._refused: tuple[float, WosdkError, object] | None = None

    @property
    def active(self) -> bool:
        """Whether the service asked to wait, and the time is not over."""
        return self._busy is not None and self._now() < self._busy[0]

    async def wait(self, until: float | None) -> None:
        """Wait as the service asked. Raise its error for a caller whose deadline ``until`` is too early."""
        if self._busy is not None:
            ends, needed, error = self._busy
            if until is not None and until < needed:
                raise copy.copy(error) from error
            await self._sleep(ends - self._now())

    def require_new(self, credentials: object) -> None:
        """Raise the error of the last log-in if it was just refused with the same ``credentials``."""
        if self._refused is not None:
            ends, error, refused = self._refused
            if credentials == refused and self._now() < ends:
                raise copy.copy(error) from error

    def forget_refusal(self) -> None:
        """Let the next log-in be sent with whatever credentials."""
        self._refused = None

    def note(self, error: WosdkError, credentials: object) -> None:
        """Note the error of a log-in with ``credentials``; None if none were sent."""
        busy = error.__cause__
        if isinstance(error, CredentialsError) and credentials is not None:
            self._refused = self._now() + _REFUSED, error, credentials
        elif isinstance(busy, ThrottledError) and busy.retry_after:
            spread = _SPREAD * random.random()  # noqa: S311 - not a secret
            ends = self._now() + min(busy.retry_after, _LONGEST) + spread
            self._busy = ends, ends if busy.retry_after <= _LONGEST else math.inf, error
