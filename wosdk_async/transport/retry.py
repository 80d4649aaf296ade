"""Retries: send a call again after a failed attempt, as its verdict and the policy allow.

``protocol/verdicts.py`` says which verdicts are retried.
"""

from __future__ import annotations

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
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.telemetry.statistics import Trace

__all__ = ["FAILURES", "Retries", "RetryQuota", "backoff", "give_up"]

T = TypeVar("T")

FAILURES = (SendError, InconclusiveResponse, RefusedError)
"""Failures of an attempt that have a verdict; after some of them another attempt may follow."""
Failure = SendError | InconclusiveResponse | RefusedError


class RetryQuota:
    """Budget of a client for retries: each retry takes from it, each success gives back.

    When the service is down, the budget runs out and each call is sent once. Without it the service would get
    several times as many requests as usual. A retry costs ``COST``. A success gives back 1, or ``COST`` if
    the call was retried. Loops in several threads share it.
    """

    COST = 5

    def __init__(self, capacity: float) -> None:
        self._capacity = capacity
        self._lock = threading.Lock()
        self.left = capacity

    def __repr__(self) -> str:
        return f"<RetryQuota {self.left:g} of {self._capacity:g}>"

    def take(self) -> bool:
        """Pay for one retry. Return False if too little is left."""
        with self._lock:
            if self.left < self.COST:
                return False
            self.left -= self.COST
            return True

    def succeeded(self, retried: bool) -> None:
        """Give back what a success earns."""
        if self.left < self._capacity:  # nearly always it is full, and needs no lock
            with self._lock:
                self.left = min(self._capacity, self.left + (self.COST if retried else 1))

    def forked(self) -> None:
        """Make a new lock in a forked child: a thread of the parent may have held the old one."""
        self._lock = threading.Lock()


def backoff(policy: RetryPolicy, failed: int, draw: float) -> float:
    """Return the seconds to wait after ``failed`` attempts, for a ``draw`` in [0, 1): full jitter."""
    return draw * min(policy.wait_max, policy.wait_initial * 2.0 ** min(failed - 1, 32))


def _verdict(failure: Exception, own: OwnCodes = NO_OWN_CODES) -> Verdict:
    """Return what a failed attempt means."""
    if isinstance(failure, RefusedError):
        return verdict_of(failure, own)
    return NEVER_SENT if isinstance(failure, SendError) and not failure.sent else IN_DOUBT


def _may_retry(failure: Exception, repeat_safe: bool, policy: RetryPolicy) -> bool:
    if isinstance(failure, ThrottledError) and (failure.retry_after or 0.0) > policy.max_retry_after:
        return False
    if isinstance(failure, SendError) and (failure.too_long or failure.remedy):
        return False
    retried = _verdict(failure, policy).retried
    return retried == "always" or (retried == "if safe" and repeat_safe)


def give_up(failure: Exception, repeat_safe: bool) -> WosdkError:
    """Return the error to raise for ``failure`` when the call is not sent again."""
    if isinstance(failure, WosdkError):
        return failure
    remedy = failure.remedy if isinstance(failure, SendError) else ""
    then = f"; {remedy}" if remedy else ""
    if _verdict(failure) is NEVER_SENT:
        return NotSentError(f"the service was not reached ({failure}); nothing was sent{then}", remedy=remedy)
    status = failure.status if isinstance(failure, InconclusiveResponse) else 0
    if repeat_safe:
        return NoAnswerError(
            f"no response that could be read ({failure}){then}", status=status, remedy=remedy
        )
    doubt = f"it may have been carried out: no response that tells ({failure}){then}"
    return InDoubtError(doubt, status=status, remedy=remedy)


@attrs.define
class Retries:
    """Retries of one call, within its policy, the quota of the client and its deadline ``until``."""

    policy: RetryPolicy
    clock: TransportClock
    quota: RetryQuota | None = None
    until: float = math.inf
    on_wait: Callable[[Failure, float], None] | None = None
    """Called with a failure, and the seconds until the next attempt."""

    async def run(
        self,
        call: Call[Any],
        once: Callable[[], Awaitable[T]],
        trace: Trace,
        failure: Failure | None = None,
    ) -> T:
        """Return the first result of ``once()``; ``failure`` is that of an attempt before."""
        retried = False
        while True:
            if failure is not None:
                wait = self._wait(call, failure, trace)
                retried = True
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
                    self.quota.succeeded(retried)
                return result

    def _wait(self, call: Call[Any], failure: Failure, trace: Trace) -> float:
        """Return the seconds until ``call`` is sent again, or raise the error of the call if it is not."""
        repeat_safe = call.repeat_safe
        if trace.attempts >= self.policy.attempts or not _may_retry(failure, repeat_safe, self.policy):
            _raise(failure, repeat_safe)
        asked = (failure.retry_after or 0.0) if isinstance(failure, ThrottledError) else 0.0
        jitter = backoff(self.policy, trace.attempts, random.random())  # noqa: S311 - not a secret
        wait, left = asked + jitter, self.until - self.clock.now()
        if asked > left:
            _raise(failure, repeat_safe, f"; it asks for {asked:g} s and the call has {left:.3g} s left")
        if wait > left:
            raise DeadlineError(
                f"not sent again, as the wait of {wait:.3g} s would pass the deadline ({failure})",
                phase="sleep",
            ) from failure
        if self.quota is not None and not self.quota.take():
            _raise(failure, repeat_safe, "; not sent again: too many calls of this client fail (retry_quota)")
        return wait


def _raise(failure: Exception, repeat_safe: bool, why: str = "") -> NoReturn:
    error = give_up(failure, repeat_safe)
    error.args = (error.message + why,)
    if error is failure:
        raise error
    raise error from failure
