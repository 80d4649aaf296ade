"""What to do after a failure: the table of verdicts.

=============  ====================================================  =============================
never sent     no connection                                         sent again, creates too
refused        an error body of the service                          by its code, see ``dispatch``
please wait    429; 503 of the service or with Retry-After           sent again after the wait
in doubt       sent and no response, or one that does not tell,      sent again only if that is safe
               or that of another call
=============  ====================================================  =============================
"""

from __future__ import annotations

import math
import random
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn, TypeVar

import attrs

from wosdk_async.errors import (
    DeadlineError,
    InDoubtError,
    NoAnswerError,
    NotSentError,
    ThrottledError,
    WosdkError,
)
from wosdk_async.protocol.wire import Call, Unreadable
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.http.engine import SendFailed
from wosdk_async.transport.options import names_checked, option
from wosdk_async.transport.telemetry.trace import Trace

__all__ = ["FAILURES", "Retries", "RetryPolicy", "RetryQuota", "backoff", "give_up"]

T = TypeVar("T")

FAILURES = (SendFailed, Unreadable, ThrottledError)
"""How an attempt fails that may be followed by another."""
Failure = SendFailed | Unreadable | ThrottledError


@names_checked
@attrs.frozen(kw_only=True)
class RetryPolicy:
    """How often, and how patiently, a call is sent again.

    ``attempts`` counts the first one. Waits are drawn at random below ``first_wait`` doubled for each
    attempt, at most ``longest_wait`` seconds. A service that asks for more than ``patience`` seconds
    is not waited for. Raises ConfigurationError for anything else than numbers.
    """

    attempts: int = option(4, "a number, 1 or more", low=1, whole=True)
    first_wait: float = option(0.25, "seconds, 0 or more")
    longest_wait: float = option(8.0, "seconds, 0 or more")
    patience: float = option(60.0, "seconds, 0 or more")


class RetryQuota:
    """What all calls of a client may spend on sending again: retries cost, successes bring back.

    Against a service that is down a client then sends each call once, instead of several times as many
    requests as usual. A retry costs ``COST``; a success brings 1, and after a retry that retry's cost.
    """

    COST = 5

    def __init__(self, capacity: float) -> None:
        self._capacity = capacity
        self.left = capacity

    def __repr__(self) -> str:
        return f"<RetryQuota {self.left:g} of {self._capacity:g}>"

    def take(self) -> bool:
        """Pay for one retry; False when there is not enough left."""
        if self.left < self.COST:
            return False
        self.left -= self.COST
        return True

    def succeeded(self, retried: bool) -> None:
        """Note a success."""
        if self.left < self._capacity:
            self.left = min(self._capacity, self.left + (self.COST if retried else 1))


def backoff(policy: RetryPolicy, failed: int, draw: float) -> float:
    """Seconds to wait after ``failed`` attempts, for a ``draw`` in [0, 1): full jitter."""
    return draw * min(policy.longest_wait, policy.first_wait * 2.0 ** min(failed - 1, 32))


def _may_repeat(failure: Exception, repeat_safe: bool, policy: RetryPolicy) -> bool:
    if isinstance(failure, ThrottledError):
        return (failure.retry_after or 0.0) <= policy.patience
    return repeat_safe or (isinstance(failure, SendFailed) and not failure.sent)


def give_up(failure: Exception, repeat_safe: bool) -> WosdkError:
    """The error that tells the caller what ``failure`` means for a call that is not sent again."""
    if isinstance(failure, WosdkError):
        return failure
    if isinstance(failure, SendFailed) and not failure.sent:
        return NotSentError(f"the service was not reached ({failure}); nothing was sent")
    status = failure.status if isinstance(failure, Unreadable) else 0
    if repeat_safe:
        return NoAnswerError(f"no answer that could be read ({failure})", status=status)
    return InDoubtError(f"it may have been carried out: no answer that tells ({failure})", status=status)


@attrs.define
class Retries:
    """Sends calls again as a policy and a client's quota allow; ``until`` is the end of the call's time."""

    policy: RetryPolicy
    clock: Clock
    quota: RetryQuota | None = None
    until: float = math.inf

    async def run(
        self,
        call: Call[Any],
        once: Callable[[], Awaitable[T]],
        trace: Trace,
        failure: Failure | None = None,
    ) -> T:
        """``await once()`` until it gives a value or the table says to give up; ``failure`` was the first."""
        retried = False
        while True:
            if failure is not None:
                wait = self._wait(call, failure, trace)
                retried = True
                trace.waits += (wait,)
                trace.enter("sleep", self.clock.now())
                await self.clock.sleep(wait)
            try:
                value = await once()
            except FAILURES as cause:
                failure = cause
            else:
                if self.quota is not None:
                    self.quota.succeeded(retried)
                return value

    def _wait(self, call: Call[Any], failure: Failure, trace: Trace) -> float:
        """Seconds until ``call`` is sent again. Raises what the caller is told instead if it is not."""
        repeat_safe = call.repeat_safe
        if trace.attempts >= self.policy.attempts or not _may_repeat(failure, repeat_safe, self.policy):
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
