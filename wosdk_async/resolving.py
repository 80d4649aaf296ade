"""A call in doubt is looked up by its marker, and sent again if it is not there: all within one deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import attrs

from wosdk_async.errors import (
    DeadlineError,
    InDoubtError,
    NoAnswerError,
    NotSentError,
    NotUniqueError,
    SessionError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.transport.running import Hold
from wosdk_async.transport.trace import Trace

__all__ = ["Resolver"]

R = TypeVar("R")

_FIRST_WAIT, _LONGEST_WAIT = 0.25, 5.0  # seconds between two looks
_MAY_PASS = (NoAnswerError, NotSentError, DeadlineError, ThrottledError, SessionError)
_TIMES = 2  # that it was not there, before it is sent again
_FOR_LOOKS, _SHARE = 5.0, 0.25  # seconds, or of a short deadline this share, that an attempt leaves for looks


@attrs.define(kw_only=True)
class Resolver(Generic[R]):
    """Sends a call within ``seconds``, and resolves each doubt about it by looking.

    ``settle`` is for how many seconds after an attempt was given up its effect may still appear. An attempt
    ends early enough to leave time for looks. ``trace`` gets the course of the whole.
    """

    send: Callable[[float, Trace], Awaitable[R]]
    """Makes one attempt of at most that many seconds."""
    find: Callable[[float], Awaitable[R | None]]
    """Looks once, for at most that many seconds."""
    tell: Callable[[], None]
    """Called when the caller is cancelled while nobody knows, unless ``send`` has told of it."""
    hold: Hold
    seconds: float
    settle: float
    attempts: int
    trace: Trace
    _doubt: InDoubtError | None = attrs.field(default=None, init=False)
    _told: bool = attrs.field(default=False, init=False)
    _end: float = attrs.field(init=False)

    @_end.default
    def _ends(self) -> float:
        return self.hold.clock.now() + self.seconds

    @property
    def _for_looks(self) -> float:
        return min(_FOR_LOOKS, self.seconds * _SHARE)

    async def run(self) -> R:
        """Return the result, from the response or from what was found.

        Raises NoAnswerError when it was not there each time its time to settle had passed, NotUniqueError
        when several records have the key, and InDoubtError when the deadline ended before it was known.
        """
        try:
            return await self._sent_until_known()
        except asyncio.CancelledError:
            if self._doubt is not None and not self._told:
                self.tell()
            raise
        except WosdkError as error:
            trace = self.trace
            error.attempts, error.waits, error.times = trace.attempts, trace.waits, trace.times
            error.add(company=trace.company, operation=trace.operation, request_id=trace.request_id)
            raise

    async def _sent_until_known(self) -> R:
        now, doubt = self.hold.clock.now, None
        for _ in range(self.attempts):
            left = self._end - self._for_looks - now()
            if doubt is not None and left <= 0:
                break
            try:
                return await self._attempt(left)
            except InDoubtError as error:
                self._doubt = doubt = error
                found = await self._look(doubt, now() + self.settle)
            except Exception:
                if doubt is None:
                    raise
                # It says nothing of the attempts before: one of them may have taken effect meanwhile.
                found = await self._look(doubt, now())
                if found is None:
                    raise
            if found is not None:
                return found
        assert doubt is not None  # noqa: S101 - the first attempt was made
        raise NoAnswerError(
            f"not carried out: tried {self.trace.attempts} times, and not there {self.settle:g} s after any "
            f"of them ({doubt.message})",
            status=doubt.status,
        ) from doubt

    async def _attempt(self, seconds: float) -> R:
        attempt = Trace(self.trace.request_id)
        try:
            return await self.send(seconds, attempt)
        except asyncio.CancelledError:
            self._told = attempt.sent
            raise
        finally:
            self.trace.go_on(attempt)

    async def _look(self, doubt: InDoubtError, settled: float) -> R | None:
        """Look until the effect is there, or until two looks that began after ``settled`` did not find it.

        One look alone may have read the response of another: a query comes back without a RequestId.
        Raises ``doubt`` when the time is up before.
        """
        absent = 0
        now, begun = self.hold.clock.now, self.hold.clock.now()
        last = self._end - min(_FIRST_WAIT, self._for_looks / 4)  # when to begin the last look at the latest
        wait, why = _FIRST_WAIT, "there was no time to look it up"
        while not self.hold.ended and (at := now()) < self._end:
            try:
                found = await self.find(self._end - at)
            except NotUniqueError:
                raise
            except Exception as error:
                text = error.message if isinstance(error, WosdkError) else type(error).__name__
                why = f"it could not be looked up ({text})"
                if not isinstance(error, _MAY_PASS):
                    raise _unresolved(doubt, why) from error
            else:
                absent += at >= settled
                if found is not None or absent == _TIMES:
                    return found
                why = (
                    f"it was not there {at - begun:.3g} s later, and was not sent again because the deadline "
                    f"of {self.seconds:g} s left no time to settle (settle={self.settle:g})"
                )
            if now() >= last:
                break
            try:
                await self.hold.sleep(min(wait, max(settled - now(), _FIRST_WAIT), last - now()))
            except TimeoutError:
                break
            wait = min(2 * wait, _LONGEST_WAIT)
        raise _unresolved(doubt, "the client was closed before it was found" if self.hold.ended else why)


def _unresolved(doubt: InDoubtError, why: str) -> InDoubtError:
    doubt.args = (f"{doubt.message}; {why}",)
    return doubt
