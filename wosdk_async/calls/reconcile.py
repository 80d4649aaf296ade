"""Marked calls: look up the record of a call in doubt; if the record is confirmed absent, retry the call.

Before its first attempt, a call waits for others with the same key (``key_turns.py``). It also looks up the
key if the caller asked for that, or if an earlier call may have taken effect.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

import attrs

from wosdk_async.calls.key_turns import KeyTurn
from wosdk_async.calls.marked_records import MarkedRecords
from wosdk_async.calls.markers import Marker
from wosdk_async.errors import (
    DeadlineError,
    InDoubtError,
    NoAnswerError,
    NotUniqueError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.options import CallOptions
from wosdk_async.options.hooks import report_in_doubt, warn_of
from wosdk_async.protocol.redaction import Redaction
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.protocol.wire import Call
from wosdk_async.protocol.writes import BETWEEN, Effect, LookUps, State
from wosdk_async.text.remedies import Remedy
from wosdk_async.transport.loop_state import Hold
from wosdk_async.transport.session.manager import Place, SessionManager
from wosdk_async.transport.telemetry.statistics import Trace
from wosdk_async.transport.transport import Transport

_MAX_WAIT = 5.0  # maximum seconds between two look-ups
_FOR_LOOKUPS = 5.0  # seconds before the deadline that are reserved for look-ups
_SHARE = 0.25  # at most this share of the deadline is reserved
# A query without a response is repeated after this share of the time for look-ups. Each repeat waits twice as
# long, so that three queries fit: 1/7, 2/7 and 4/7.
_PATIENCE = 1 / 7
_MIN_PATIENCE = 1.0  # minimum of these seconds in look-ups before the first attempt, for slow services
_LOOKUP_SECONDS = 60.0  # deadline of a look-up's query; it is cancelled earlier if no call waits for it
_RECORDS = Place(lambda _: MarkedRecords())


@attrs.define(kw_only=True, eq=False)
class Reconciler:
    """One marked call: its attempts, and a look-up after each attempt in doubt, within one deadline."""

    transport: Transport
    sessions: SessionManager
    call: Call[Any]
    marker: Marker
    options: CallOptions
    hold: Hold
    turn: KeyTurn
    look_first: bool
    trace: Trace
    """Trace of all attempts and waits together."""
    seconds: float = attrs.field(init=False)
    """Deadline of the call in seconds, covering all attempts and look-ups."""
    commit_window: float = attrs.field(init=False)
    """Seconds after an abandoned attempt during which its effect may still appear."""
    _doubt: InDoubtError | None = attrs.field(default=None, init=False)
    _attempt_ended: float | None = attrs.field(default=None, init=False)
    """Time at which the last attempt ended."""
    _reported: bool = attrs.field(default=False, init=False)
    _found_id: int | None = attrs.field(default=None, init=False)
    _end: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.seconds, self.commit_window = self.options.seconds(self.call), self.options.settle
        self._end = self.hold.clock.now() + self.seconds
        self.call.key = self.marker.text

    @property
    def _for_lookups(self) -> float:
        """Seconds before the deadline that are reserved for look-ups."""
        return min(_FOR_LOOKUPS, self.seconds * _SHARE)

    async def run(self) -> Any:
        """Return the result from the response or from the found record.

        Raises:
            NoAnswerError: the record was still missing after every attempt's commit window.
            NotUniqueError: several records have the key.
            InDoubtError: the deadline passed before the outcome was known.
            DeadlineError: the deadline passed before anything was sent.
        """
        try:
            with self.hold, self.turn, Redaction(lambda: self.sessions.secrets):
                return await self._in_turn()
        except asyncio.CancelledError:
            if self._doubt is not None and not self._reported:
                report_in_doubt(self.transport.options.on_in_doubt, self.call, self.sessions.company)
            raise
        except WosdkError as error:
            trace = self.trace
            error.attempts, error.waits, error.times = trace.attempts, trace.waits, trace.times
            if isinstance(error, InDoubtError) or getattr(error, "key_in_doubt", False):
                error.add(look_first=self.look_first, settle=self.commit_window)
                if self.look_first and error.remedies == InDoubtError.remedies:
                    error.remedies = (Remedy.SAME_KEY,)
            error.add(company=trace.company, operation=trace.operation, request_id=trace.request_id)
            raise

    # --- before the first attempt -------------------------------------------------------------

    async def _in_turn(self) -> Any:
        """Wait for other calls with the key.

        Then return their result, the record found, or the result of this call's attempts.
        """
        turn, trace = self.turn, self.trace
        trace.begin(self.call.request_id, self.hold.clock.now())
        try:
            if not turn.take():
                await self._wait_for_turn()
            result = turn.result
            if result is None:
                result = await self._look_before()
            trace.found = result is not None
            if result is None:
                result = await self._send_until_known()
        except BaseException as error:
            in_doubt = isinstance(error, InDoubtError) or (trace.sent and not isinstance(error, WosdkError))
            if in_doubt and self._attempt_ended is not None:
                turn.doubt(LookUps(self._attempt_ended, self.commit_window))
            raise
        finally:
            trace.start_phase(trace.phase, self.hold.clock.now())
        turn.done(None if isinstance(result, Effect) else result)  # a waiting call may need the whole record
        return result

    async def _wait_for_turn(self) -> None:
        try:
            with self.hold.within(self._end - self.hold.clock.now()):
                await self.turn.wait()
        except TimeoutError:
            why = f"another call with the same key was in progress for {self.seconds:.4g} s"
            if self.hold.ended:
                why = "the client was closed first"
            raise DeadlineError(f"not sent: {why}", phase="queue", key_in_doubt=True) from None

    async def _look_before(self) -> Any:
        """Look for the record before the first attempt, if requested or if a call with the same key has run.

        If an earlier call is in doubt, look until the record is found or confirmed absent.
        """
        now = self.hold.clock.now
        if (look_ups := self.turn.look_ups) is not None:
            self.trace.start_phase("lookup", now())
            unsettled = DeadlineError(
                "not sent: an earlier call with the same key may still take effect",
                phase="sleep",
                key_in_doubt=True,
            )
            found = await self._look_up(unsettled, look_ups, _MIN_PATIENCE)
            self.turn.settled()
            return found
        if not (self.look_first or self.turn.used):
            return None
        self.trace.start_phase("lookup", now())
        if self.sessions.session is None and (left := self._end - now()) > 0:
            # Connect first: the look-up's own error would not say why there is no session.
            options = attrs.evolve(self.options, deadline=left)
            await self.transport.connect(self.sessions, options, retry_refused=False)
        left = self._end - now()
        try:
            return await self._find(left, max(left * _PATIENCE, _MIN_PATIENCE))
        except NotUniqueError:
            raise
        except WosdkError as error:
            error.args = (f"not sent: the look-up of its key failed ({error.message})",)
            error.operation = error.request_id = None  # so that run() adds the call's facts, not the query's
            raise

    # --- attempts and look-ups ----------------------------------------------------------------

    async def _send_until_known(self) -> Any:
        now, doubt = self.hold.clock.now, None
        for _ in range(self.options.retry.attempts):
            left = self._end - self._for_lookups - now()
            if doubt is not None and left <= 0:
                break
            if left <= 0 < self.seconds and (self.turn.used or self.look_first):
                earlier = "an earlier call with the same key" if self.turn.used else "the look-up of its key"
                raise DeadlineError(
                    f"not sent: the wait for {earlier} took the deadline of {self.seconds:.4g} s, except"
                    f" {self._for_lookups:.3g} s that are reserved for look-ups; retry the call",
                    phase="queue",
                )
            try:
                return await self._attempt(left)
            except InDoubtError as error:
                self._doubt = doubt = error
                found = await self._look_up(doubt, LookUps(now(), self.commit_window))
            except Exception:
                if doubt is None:
                    raise
                # This error says nothing about earlier attempts, which may have taken effect.
                found = await self._look_up(doubt, LookUps(now(), 0.0))
                if found is None:
                    raise
            if found is not None:
                what = "the response was lost, but its record was found"
                warn_of(what, self.call, self.sessions.company, self._found_id)
                return found
        assert doubt is not None  # noqa: S101 - the first attempt was made
        raise NoAnswerError(
            f"not carried out: no record appeared within {self.commit_window:g} s of any attempt"
            f" (attempts: {self.trace.attempts}; {doubt.message})",
            status=doubt.status,
        ) from doubt

    async def _attempt(self, seconds: float) -> Any:
        """Make one attempt. It uses the call's trace if that is empty, or else a new trace."""
        is_later = self._doubt is not None or self.turn.used or self.look_first
        attempt = Trace(self.trace.request_id) if is_later else self.trace
        try:
            options = self.options.within(max(seconds, 0.0))
            return await self.transport.send_part(self.hold, self.call, options, attempt)
        except asyncio.CancelledError:
            self._reported = attempt.sent
            raise
        except (DeadlineError, ThrottledError) as error:
            reserved, left = self._for_lookups, self._end - self._for_lookups - self.hold.clock.now()
            longest = self.options.retry.max_retry_after
            is_late = isinstance(error, DeadlineError) or left < (error.retry_after or 0.0) <= longest
            if is_late and reserved and not self.hold.ended:
                kept = f"{reserved:.3g} s of the {self.seconds:.4g} s deadline are reserved for look-ups"
                error.args = (f"{error.message.removesuffix('.')}; {kept}",)
            raise
        finally:
            self._attempt_ended = self.hold.clock.now()
            if is_later:
                self.trace.append(attempt)

    async def _find(self, seconds: float, patience: float) -> Any:
        """Look up the record for up to ``seconds``; return None if it is missing.

        The query is repeated after ``patience`` seconds without a response.
        """
        if seconds <= 0:
            raise DeadlineError("no time remained for a look-up", phase="queue")
        records, scope = self.hold.state.places(self.sessions)[_RECORDS], self.options.retry
        found = await records.find(self.marker, self._send_lookup, self.hold, seconds, patience, scope)
        id = getattr(found[0], "id", None) if found else None
        self._found_id = id if isinstance(id, int) else None  # logged: another value may repeat a secret
        return self.marker.result_of(found)

    def _send_lookup(self, query: Call[list[Any]]) -> Coroutine[Any, Any, list[Any]]:
        options = self.options.within(_LOOKUP_SECONDS)
        return self.transport.send_part(self.hold, query, options)

    async def _look_up(self, doubt: WosdkError, look_ups: LookUps, min_patience: float = 0.0) -> Any:
        """Look up the record until it is found or confirmed absent. Raise ``doubt`` if no time remains."""
        now, begun, self.trace.phase = self.hold.clock.now, self.hold.clock.now(), "lookup"
        last = self._end - min(BETWEEN, self._for_lookups / 4)  # time of the last look-up
        patience = max((self._end - begun) * _PATIENCE, min_patience)
        wait, why, is_answered = BETWEEN, "no time remained for a look-up", False
        while not self.hold.ended and (at := now()) < self._end:
            try:
                found = await self._find(self._end - at, patience)
            except NotUniqueError:
                raise
            except Exception as error:
                # A look-up that the deadline cuts off says less than the last response.
                if not (isinstance(error, DeadlineError) and is_answered):
                    text = error.explained() if isinstance(error, WosdkError) else type(error).__name__
                    why = f"the look-up failed ({text})"
                is_answered = is_answered or not isinstance(error, DeadlineError)
                if not ending_of(error).passes:
                    raise _unresolved_error(doubt, why) from error
            else:
                is_answered = True
                look_ups = look_ups.after(at, now(), found=found is not None)
                if look_ups.state is not State.IN_DOUBT:
                    return found
                why = (
                    f"no record found after {at - begun:.3g} s; not retried, because attempts may need"
                    f" {self.commit_window:g} s to take effect (settle), beyond the deadline of"
                    f" {self.seconds:.4g} s"
                )
            if now() >= last:
                break
            try:
                await self.hold.sleep(min(wait, max(look_ups.counts_from - now(), BETWEEN), last - now()))
            except TimeoutError:
                break
            wait = min(2 * wait, _MAX_WAIT)
        raise _unresolved_error(
            doubt, "the client was closed before the look-up succeeded" if self.hold.ended else why
        )


def _unresolved_error(doubt: WosdkError, why: str) -> WosdkError:
    doubt.args = (f"{doubt.message}; {why}",)
    return doubt
