"""Sender of the calls of one Company, and what it does with a call that carries a marker."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Coroutine
from typing import Any, TypeVar

import attrs

from wosdk_async.calls.key_turns import KeyTurns
from wosdk_async.calls.marked_records import MarkedRecords
from wosdk_async.calls.markers import Marker
from wosdk_async.errors import DeadlineError, InDoubtError, NoAnswerError, NotUniqueError, WosdkError
from wosdk_async.options import CallOptions
from wosdk_async.options.hooks import report_in_doubt
from wosdk_async.protocol.verdicts import ending_of
from wosdk_async.protocol.wire import Call
from wosdk_async.protocol.writes import BETWEEN, LookUps, State
from wosdk_async.text.safe_text import Secrets
from wosdk_async.transport.loop_state import Hold
from wosdk_async.transport.retry import backoff
from wosdk_async.transport.session.credentials import Credentials, Tenant
from wosdk_async.transport.session.manager import Place, SessionManager, TokenGrant
from wosdk_async.transport.telemetry.statistics import Trace
from wosdk_async.transport.transport import Transport

__all__ = ["CallSender"]

T = TypeVar("T")

_RECORDS = Place(lambda _: MarkedRecords())
_TURNS = Place(KeyTurns)
_LOOKUP_SECONDS = 60.0  # of one query at most; it ends earlier when no call waits for it


@attrs.frozen(kw_only=True, eq=False)
class CallSender:
    """Everything that the calls of one :class:`~wosdk_async.company.Company` have in common."""

    transport: Transport
    tenant: Tenant
    own_options: CallOptions = attrs.field(alias="options")
    until: float | None = None
    """Time of the transport's clock at which all calls have to end; None for no such time."""
    trace: Trace | None = None
    """The program's own trace, which gets a copy of the trace of each call."""
    sessions: SessionManager = attrs.field(init=False)

    @sessions.default
    def _shared_manager(self) -> SessionManager:
        return self.transport.sessions(self.tenant)

    @property
    def options(self) -> CallOptions:
        """Options of a call that begins now."""
        if self.until is None:
            return self.own_options
        left = max(self.until - self.transport.clock.now(), 0.0)
        deadline = self.own_options.deadline
        return self.own_options.within(left if deadline is None else min(left, deadline))

    @property
    def company(self) -> str:
        """Name of the Company."""
        return self.tenant.company

    @property
    def grant(self) -> TokenGrant | None:
        """Token and Company data of the current session; None before the first call."""
        session = self.sessions.session
        return session.grant if session else None

    @property
    def secrets(self) -> Secrets:
        """Secrets of the last sessions; before the first one the client secret."""
        pair = self.tenant.credentials
        secret = pair.client_secret if isinstance(pair, Credentials) else ""
        return self.sessions.secrets or Secrets(secret)

    @property
    def scope(self) -> tuple[object, ...]:
        """Key of the options and the trace: callers share a call only if their keys are equal."""
        return self.own_options, self.until, id(self.trace)

    async def connect(self) -> None:
        """Open the session now."""
        await self.transport.connect(self.sessions, self.options)

    async def pause(self, failed: int) -> None:
        """Wait a random time, which by the retry policy depends on how many attempts ``failed``."""
        seconds = backoff(self.options.retry, failed, random.random())  # noqa: S311 - not a secret
        await self.transport.clock.sleep(seconds)

    def send(self, call: Call[T], trace: Trace | None = None) -> Coroutine[Any, Any, T]:
        """Send ``call`` and return its result. ``trace``, if given, belongs to this call only."""
        if trace is None and self.trace is not None:
            return self._send_traced(call, self.trace)
        return self.transport.send(call, self.sessions, self.options, trace)

    async def _send_traced(self, call: Call[T], shared: Trace) -> T:
        """Send ``call`` with a new trace and copy that to ``shared``.

        Whether the call is in doubt is read from its trace, so calls that overlap cannot use one trace.
        """
        own = self._new_trace(call)
        try:
            return await self.transport.send(call, self.sessions, self.options, own)
        finally:
            own.effect = own.sent and not call.repeat_safe
            shared.copy_from(own)

    async def send_marked(
        self, call: Call[Any], marker: Marker, trace: Trace | None = None, *, look_first: bool = False
    ) -> Any:
        """Send a call that carries a marker. If it is in doubt, or first if asked to, look it up."""
        call_trace = trace or self._new_trace(call)
        with self.transport.hold() as hold:
            try:
                return await Reconciler(self, call, marker, hold, call_trace, look_first=look_first).run()
            finally:
                if trace is None and self.trace is not None:
                    call_trace.effect = call_trace.sent
                    self.trace.copy_from(call_trace)

    def _new_trace(self, call: Call[Any]) -> Trace:
        return Trace(call.request_id, company=self.company, operation=call.operation)


_MAX_WAIT = 5.0  # seconds between two lookups
_FOR_LOOKUPS = 5.0  # seconds before the deadline that an attempt leaves for lookups
_SHARE = 0.25  # of the deadline that lookups get at most
_PATIENCE = 1 / 7  # of the time for lookups; as it doubles, one query hangs for 1/7, the next for 2/7 and 4/7


class Reconciler:
    """Sender of one call with a marker: it looks it up after each doubt, and retries it if it is not there.

    All that is within the deadline of the call. Before its first attempt a call waits for others with the
    same key (``key_turns.py``), and looks first if the caller wants that or one of those may have taken
    effect.

    ``trace`` is that of the whole: all attempts and waits.
    """

    def __init__(
        self,
        sender: CallSender,
        call: Call[Any],
        marker: Marker,
        hold: Hold,
        trace: Trace,
        *,
        look_first: bool,
    ) -> None:
        places = hold.state.places(sender.sessions)
        self._records, self.turn = places[_RECORDS], places[_TURNS].turn((marker.field, marker.text))
        self._sender, self._call, self._marker = sender, call, marker
        self.hold, self.trace, self._look_first = hold, trace, look_first
        self._options = options = sender.options
        self._seconds, self.commit_window = options.seconds(call), options.settle
        self._end = hold.clock.now() + self._seconds
        self._doubt: InDoubtError | None = None
        self._reported = False

    @property
    def _for_lookups(self) -> float:
        """Seconds that an attempt leaves for lookups before the deadline."""
        return min(_FOR_LOOKUPS, self._seconds * _SHARE)

    async def run(self) -> Any:
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

    async def _in_turn(self) -> Any:
        """Wait for other calls with the key; return their result, the existing record, or our result."""
        turn, trace = self.turn, self.trace
        if turn.is_free:
            await turn.begin()
        else:
            await self._wait_for_turn()
        try:
            result: Any = turn.result
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
            why = f"another call with the same key was under way for {self._seconds:g} s"
            if self.hold.ended:
                why = "the client was closed first"
            raise DeadlineError(f"not sent: {why}", phase="queue") from None

    async def _look_before(self) -> Any:
        """Look for the record before the first attempt, if wanted or a call before may have made it."""
        if (look_ups := self.turn.look_ups) is not None:
            unsettled = DeadlineError(
                "not sent: an earlier call with the same key may still take effect", phase="sleep"
            )
            return await self._look_up(unsettled, look_ups)
        if not (self._look_first or self.turn.used):
            return None
        left = self._end - self.hold.clock.now()
        try:
            return await self._find(left, left * _PATIENCE)
        except NotUniqueError:
            raise
        except WosdkError as error:
            error.args = (f"not sent: its key could not be looked up first ({error.message})",)
            error.operation = error.request_id = None  # those of the call, not of the query
            raise

    # --- attempts and look-ups ----------------------------------------------------------------

    async def _send_until_known(self) -> Any:
        now, doubt = self.hold.clock.now, None
        for _ in range(self._options.retry.attempts):
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

    async def _attempt(self, seconds: float) -> Any:
        attempt = Trace(self.trace.request_id)
        try:
            options = self._options.within(max(seconds, 0.0))
            return await self._sender.transport.send(
                self._call, self._sender.sessions, options, attempt, self.hold
            )
        except asyncio.CancelledError:
            self._reported = attempt.sent
            raise
        finally:
            self.trace.append(attempt)

    async def _find(self, seconds: float, patience: float) -> Any:
        """Make one lookup of at most ``seconds``, asked again after ``patience``; None if it is not there."""
        if seconds <= 0:
            raise DeadlineError(f"its deadline is {seconds:g} s", phase="queue")
        retry = self._options.retry
        found = await self._records.find(self._marker, self._send_lookup, self.hold, seconds, patience, retry)
        return self._marker.result_of(found)

    def _send_lookup(self, query: Call[list[Any]]) -> Coroutine[Any, Any, list[Any]]:
        options = self._options.within(_LOOKUP_SECONDS)
        return self._sender.transport.send(query, self._sender.sessions, options, hold=self.hold)

    def report(self) -> None:
        """Report that the caller is cancelled during a doubt, unless the attempt has reported it."""
        hook = self._sender.transport.options.on_in_doubt
        report_in_doubt(hook, self._call, self._sender.company)

    async def _look_up(self, doubt: WosdkError, look_ups: LookUps) -> Any:
        """Look until the effect is found, or absent for certain. Raise ``doubt`` when time is up before."""
        now, begun = self.hold.clock.now, self.hold.clock.now()
        last = self._end - min(BETWEEN, self._for_lookups / 4)  # the last lookup begins by then
        patience = (self._end - begun) * _PATIENCE
        wait, why = BETWEEN, "there was no time to look it up"
        while not self.hold.ended and (at := now()) < self._end:
            try:
                found = await self._find(self._end - at, patience)
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
                    f"of {self._seconds:g} s left no time to settle (settle={self.commit_window:g})"
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
