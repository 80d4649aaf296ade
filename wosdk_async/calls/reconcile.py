"""Look up a call in doubt by its marker, and send it again if it is not there: all within one deadline.

Before its first attempt a call waits for others with the same key (``key_turns.py``), and looks first if the
caller wants that or one of those may have taken effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

import attrs

from wosdk_async.calls.key_turns import KeyTurn
from wosdk_async.errors import DeadlineError, InDoubtError, NoAnswerError, NotUniqueError, WosdkError
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.protocol.writes import BETWEEN, LookUps, State
from wosdk_async.transport.loop_state import Hold
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["Reconciler"]

R = TypeVar("R")

_MAX_WAIT = 5.0  # seconds between two lookups
_FOR_LOOKUPS = 5.0  # seconds before the deadline that an attempt leaves for lookups
_SHARE = 0.25  # of the deadline that lookups get at most
_PATIENCE = 1 / 7  # of the time for lookups; as it doubles, one query hangs for 1/7, the next for 2/7 and 4/7


@attrs.define(kw_only=True)
class Reconciler(Generic[R]):
    """Sender of one call within ``seconds`` that looks the call up after each doubt about it."""

    send: Callable[[float, Trace], Awaitable[R]]
    """Function that makes one attempt of at most that many seconds."""
    find: Callable[[float, float], Awaitable[R | None]]
    """Function that makes one lookup of at most that many seconds, and asks again after the second number."""
    report: Callable[[], None]
    """Function to call when the caller is cancelled during a doubt, unless ``send`` has reported it."""
    hold: Hold
    seconds: float
    commit_window: float
    """Seconds after an attempt was given up in which its effect may still appear."""
    attempts: int
    turn: KeyTurn
    look_first: bool
    trace: Trace
    """Trace of the whole: all attempts and waits."""
    _doubt: InDoubtError | None = attrs.field(default=None, init=False)
    _reported: bool = attrs.field(default=False, init=False)
    _end: float = attrs.field(init=False)

    @_end.default
    def _default_end(self) -> float:
        return self.hold.clock.now() + self.seconds

    @property
    def _for_lookups(self) -> float:
        """Seconds that an attempt leaves for lookups before the deadline."""
        return min(_FOR_LOOKUPS, self.seconds * _SHARE)

    async def run(self) -> R:
        """Return the result, from the response or from the record that was found.

        Raises:
            NoAnswerError: After each attempt the record was not there when its commit window had passed.
            NotUniqueError: Several records have the key.
            InDoubtError: The deadline ended before the outcome was known.
            DeadlineError: The deadline ended before anything was sent.
        """
        try:
            with self.turn:
                return await self._in_turn()
        except asyncio.CancelledError:
            if self._doubt is not None and not self._reported:
                self.report()
            raise
        except WosdkError as error:
            trace = self.trace
            error.attempts, error.waits, error.times = trace.attempts, trace.waits, trace.times
            error.add(company=trace.company, operation=trace.operation, request_id=trace.request_id)
            raise

    # --- before the first attempt -------------------------------------------------------------

    async def _in_turn(self) -> R:
        """Wait for other calls with the key; return their result, the existing record, or our result."""
        turn, trace = self.turn, self.trace
        if turn.is_free:
            await turn.begin()
        else:
            await self._wait_for_turn()
        try:
            result: R | None = turn.result
            if result is None:
                result = await self._look_before()
            trace.found = result is not None
            if result is None:
                result = await self._send_until_known()
        except BaseException as error:
            if isinstance(error, InDoubtError) or (trace.sent and not isinstance(error, WosdkError)):
                turn.doubt(self.commit_window)
            raise
        turn.done(result)
        return result

    async def _wait_for_turn(self) -> None:
        try:
            with self.hold.within(self._end - self.hold.clock.now()):
                await self.turn.begin()
        except TimeoutError:
            why = f"another call with the same key was under way for {self.seconds:g} s"
            if self.hold.ended:
                why = "the client was closed first"
            raise DeadlineError(f"not sent: {why}", phase="queue") from None

    async def _look_before(self) -> R | None:
        """Look for the record before the first attempt, if wanted or a call before may have made it."""
        if (look_ups := self.turn.look_ups) is not None:
            unsettled = DeadlineError(
                "not sent: an earlier call with the same key may still take effect", phase="sleep"
            )
            return await self._look_up(unsettled, look_ups)
        if not (self.look_first or self.turn.used):
            return None
        left = self._end - self.hold.clock.now()
        try:
            return await self.find(left, left * _PATIENCE)
        except NotUniqueError:
            raise
        except WosdkError as error:
            error.args = (f"not sent: its key could not be looked up first ({error.message})",)
            error.operation = error.request_id = None  # those of the call, not of the query
            raise

    # --- attempts and look-ups ----------------------------------------------------------------

    async def _send_until_known(self) -> R:
        now, doubt = self.hold.clock.now, None
        for _ in range(self.attempts):
            left = self._end - self._for_lookups - now()
            if doubt is not None and left <= 0:
                break
            try:
                return await self._attempt(left)
            except InDoubtError as error:
                self._doubt = doubt = error
                found = await self._look_up(doubt, LookUps(now(), self.commit_window))
            except Exception:
                if doubt is None:
                    raise
                # It says nothing of the attempts before, which have settled: one may have taken effect.
                found = await self._look_up(doubt, LookUps(now(), 0.0))
                if found is None:
                    raise
            if found is not None:
                return found
        assert doubt is not None  # noqa: S101 - the first attempt was made
        raise NoAnswerError(
            f"not carried out: tried {self.trace.attempts} times, and not there {self.commit_window:g} s "
            f"after any of them ({doubt.message})",
            status=doubt.status,
        ) from doubt

    async def _attempt(self, seconds: float) -> R:
        attempt = Trace(self.trace.request_id)
        try:
            return await self.send(seconds, attempt)
        except asyncio.CancelledError:
            self._reported = attempt.sent
            raise
        finally:
            self.trace.append(attempt)

    async def _look_up(self, doubt: WosdkError, look_ups: LookUps) -> R | None:
        """Look until the effect is found, or absent for certain. Raise ``doubt`` when time is up before."""
        now, begun = self.hold.clock.now, self.hold.clock.now()
        last = self._end - min(BETWEEN, self._for_lookups / 4)  # the last lookup begins by then
        patience = (self._end - begun) * _PATIENCE
        wait, why = BETWEEN, "there was no time to look it up"
        while not self.hold.ended and (at := now()) < self._end:
            try:
                found = await self.find(self._end - at, patience)
            except NotUniqueError:
                raise
            except Exception as error:
                text = error.explained() if isinstance(error, WosdkError) else type(error).__name__
                why = f"it could not be looked up ({text})"
                if not ending_of(error).passes:
                    raise _unresolved(doubt, why) from error
            else:
                look_ups = look_ups.after(at, now(), found=found is not None)
                if look_ups.state is not State.IN_DOUBT:
                    return found
                why = (
                    f"it was not there {at - begun:.3g} s later, and was not sent again because the deadline "
                    f"of {self.seconds:g} s left no time to settle (settle={self.commit_window:g})"
                )
            if now() >= last:
                break
            try:
                await self.hold.sleep(min(wait, max(look_ups.counts_from - now(), BETWEEN), last - now()))
            except TimeoutError:
                break
            wait = min(2 * wait, _MAX_WAIT)
        raise _unresolved(doubt, "the client was closed before it was found" if self.hold.ended else why)


def _unresolved(doubt: WosdkError, why: str) -> WosdkError:
    doubt.args = (f"{doubt.message}; {why}",)
    return doubt
