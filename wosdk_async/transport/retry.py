"""Retries after failed attempts, depending on the kind of failure and the retry policy."""

from __future__ import annotations

import logging
import math
import random
import threading
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeVar

import attrs

from wosdk_async.errors import (
    DeadlineError,
    InDoubtError,
    NoAnswerError,
    NotSentError,
    RefusedError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.options import RetryPolicy
from wosdk_async.protocol.verdicts import (
    IN_DOUBT,
    NEVER_SENT,
    NO_OWN_CODES,
    OwnCodes,
    Verdict,
    verdict_of,
)
from wosdk_async.protocol.wire import Call, InconclusiveResponse
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import SendError, origin_of
from wosdk_async.transport.telemetry.statistics import Trace

T = TypeVar("T")

_log = logging.getLogger("wosdk_async")

_WARN_INTERVAL = 60.0  # seconds between two warnings about one host
_GONE_WAIT = 1.0  # average seconds before an unreachable host is tried again
_LAST_ATTEMPT = 0.25  # seconds before the deadline at which an unreachable host is tried for the last time

FAILURES = (SendError, InconclusiveResponse, RefusedError)
"""Failures of attempts, some of which may be retried."""
Failure = SendError | InconclusiveResponse | RefusedError


class RetryQuota:
    """Retry budget of a client, which keeps retries from multiplying the load while the service is down.

    A retry costs ``COST``, except after an attempt at an unreachable host. A success earns 1, or ``COST`` if
    the call was retried. Loops in several threads share the budget.
    """

    COST = 5

    def __init__(self, capacity: float) -> None:
        self.capacity = capacity
        self._lock = threading.Lock()
        self.left = capacity

    def take(self) -> bool:
        """Pay for one retry. Return False if the budget is too low."""
        with self._lock:
            if self.left < self.COST:
                return False
            self.left -= self.COST
            return True

    def succeeded(self, retried: bool) -> None:
        """Refill the budget after a success. Callers may skip this while ``left`` equals ``capacity``."""
        with self._lock:
            self.left = min(self.capacity, self.left + (self.COST if retried else 1))


@attrs.frozen
class UnreachableHosts:
    """Unreachable hosts, each with the time of its next warning. Other retries log no warning."""

    clock: TransportClock
    _next: dict[str, float] = attrs.field(factory=dict, init=False)

    def warn_unreachable(self, failure: Exception, url: str, left: float) -> None:
        """Warn about an unreachable host at most once a minute; ignore other failures.

        ``left`` is the time left for retries, in seconds.
        """
        host, now = origin_of(url), self.clock.now()
        if not isinstance(failure, SendError) or not (failure.host_gone or failure.proxy_gone):
            return
        if now >= self._next.get(host, now):
            self._next[host] = now + _WARN_INTERVAL
            _log.warning("no connection; retrying for up to %.3g s: %s", left, failure)


def backoff(policy: RetryPolicy, failed: int, draw: float) -> float:
    """Return the backoff in seconds after ``failed`` attempts, for a ``draw`` in [0, 1): full jitter."""
    return draw * min(policy.wait_max, policy.wait_initial * 2.0 ** min(failed - 1, 32))


def _verdict(failure: Exception, own: OwnCodes = NO_OWN_CODES) -> Verdict:
    if isinstance(failure, RefusedError):
        return verdict_of(failure, own)
    return NEVER_SENT if isinstance(failure, SendError) and not failure.sent else IN_DOUBT


def _may_retry(failure: Exception, repeat_safe: bool, policy: RetryPolicy) -> bool:
    if isinstance(failure, ThrottledError) and (failure.retry_after or 0.0) > policy.max_retry_after:
        return False
    if isinstance(failure, SendError) and (failure.too_long or failure.remedy) and failure.timeout != "pool":
        return False
    retried = _verdict(failure, policy).retried
    return retried == "always" or (retried == "if safe" and repeat_safe)


def final_error(failure: Exception, repeat_safe: bool) -> WosdkError:
    """Return the error for a ``failure`` that is not retried."""
    if isinstance(failure, WosdkError):
        return failure
    facts: dict[str, Any] = {}
    if isinstance(failure, SendError) and failure.remedy is not None:
        facts = {"remedies": (failure.remedy,), **failure.facts}
    if _verdict(failure) is NEVER_SENT:
        return NotSentError(f"the service was not reached ({failure}); the call was not sent", **facts)
    status = failure.status if isinstance(failure, InconclusiveResponse) else 0
    if repeat_safe:
        return NoAnswerError(f"no readable response ({failure})", status=status, **facts)
    doubt = f"the call may have been carried out: no conclusive response ({failure})"
    facts["remedies"] = (*facts.get("remedies", ()), *InDoubtError.remedies)
    return InDoubtError(doubt, status=status, **facts)


@attrs.define
class Retries:
    """Retries of one call within its policy, the client's quota and the deadline ``until``."""

    policy: RetryPolicy
    clock: TransportClock
    quota: RetryQuota | None = None
    until: float = math.inf
    time_left: Callable[[], float] | None = None
    """Function that returns the seconds within which another attempt is worthwhile. Replaces
    ``policy.attempts``."""
    on_wait: Callable[[Failure, float], None] | None = None
    """Function called with a failure and the seconds until the next attempt."""
    _unreached: int = attrs.field(default=0, init=False)
    """Number of attempts at an unreachable host. With a deadline, ``policy.attempts`` does not count
    them: the locator may soon name another host."""

    async def run(
        self,
        call: Call[Any],
        once: Callable[[], Awaitable[T]],
        trace: Trace,
        failure: Failure | None = None,
    ) -> T:
        """Return the first result of ``once()``. ``failure``, if given, ended an earlier attempt."""
        while True:
            if failure is not None:
                wait = self._next_wait(call, failure, trace)
                trace.waits += (wait,)
                if self.on_wait is not None:
                    self.on_wait(failure, wait)
                trace.start_phase("sleep", self.clock.now())
                await self.clock.sleep(wait)
            try:
                result = await once()
            except FAILURES as cause:
                failure = cause
            else:
                if self.quota is not None:
                    self.quota.succeeded(failure is not None)
                return result

    def _next_wait(self, call: Call[Any], failure: Failure, trace: Trace) -> float:
        """Return the seconds until the next retry, or raise the error if the call is not retried."""
        repeat_safe = call.repeat_safe
        retry_after = (failure.retry_after or 0.0) if isinstance(failure, ThrottledError) else 0.0
        draw, left = random.random(), self.until - self.clock.now()  # noqa: S311 - not a secret
        gone = self.until < math.inf and isinstance(failure, SendError) and failure.host_gone
        self._unreached += gone
        failed = trace.attempts - self._unreached
        wait = _GONE_WAIT * (0.5 + draw) if gone else retry_after + backoff(self.policy, failed, draw)
        if gone or self.time_left is not None:  # retried until shortly before the end
            last = (left if self.time_left is None else self.time_left()) - _LAST_ATTEMPT
            wait, may_continue = min(wait, last), self.policy.attempts > 1 and last > 0
        else:
            may_continue = failed < self.policy.attempts
        if not may_continue or not _may_retry(failure, repeat_safe, self.policy):
            limit = self.policy.max_retry_after
            long = may_continue and retry_after > limit and self.time_left is None
            why = f"; not retried: Retry-After is {retry_after:g} s, but max_retry_after is {limit:g} s"
            _raise(failure, repeat_safe, why if long else "")
        if retry_after > left:
            _raise(
                failure,
                repeat_safe,
                f"; not retried: Retry-After is {retry_after:g} s, but the deadline is in {left:.3g} s",
            )
        if wait > left:
            late = f"not retried: the wait of {wait:.3g} s would exceed the deadline ({failure})"
            raise DeadlineError(late, phase="sleep") from failure
        if not gone and self.quota is not None and not self.quota.take():
            _raise(failure, repeat_safe, "; not retried: the retry quota is used up (retry_quota)")
        return wait


def _raise(failure: Exception, repeat_safe: bool, why: str = "") -> NoReturn:
    error = final_error(failure, repeat_safe)
    error.args = (f"{error.message.removesuffix('.')}{why}" if why else error.message,)
    if error is failure:
        raise error
    raise error from failure
