"""What to do after a failure: the table of verdicts.

=============  ====================================================  =============================
never sent     no connection                                         sent again, creates too
refused        an error body of the service                          by its code, see ``dispatch``
please wait    429, 503                                              sent again after the wait
in doubt       sent and no answer, or one that does not tell         sent again only if that is safe
=============  ====================================================  =============================
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import attrs

from wosdk_async.errors import InDoubtError, NoAnswerError, NotSentError, ThrottledError, WosdkError
from wosdk_async.transport.clock import Clock
from wosdk_async.transport.engine import SendFailed
from wosdk_async.transport.trace import Trace
from wosdk_async.wire import Call, Unreadable

__all__ = ["RetryPolicy", "backoff", "give_up", "repeated"]

T = TypeVar("T")


@attrs.frozen(kw_only=True)
class RetryPolicy:
    """How often, and how patiently, a call is sent again.

    ``attempts`` counts the first one. Waits are drawn at random below ``first_wait`` doubled for each
    attempt, at most ``longest_wait`` seconds. A service that asks for more than ``patience`` seconds
    is not waited for.
    """

    attempts: int = attrs.field(default=4, validator=attrs.validators.ge(1))
    first_wait: float = 0.25
    longest_wait: float = 8.0
    patience: float = 60.0


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


async def repeated(
    call: Call[Any], once: Callable[[], Awaitable[T]], policy: RetryPolicy, clock: Clock, trace: Trace
) -> T:
    """``await once()`` until it gives a value or the table says to give up."""
    while True:
        try:
            return await once()
        except (SendFailed, Unreadable, ThrottledError) as failure:
            again = trace.attempts < policy.attempts and _may_repeat(failure, call.repeat_safe, policy)
            if not again:
                error = give_up(failure, call.repeat_safe)
                if error is failure:
                    raise
                raise error from failure
            asked = getattr(failure, "retry_after", None) or 0.0
        jitter = backoff(policy, trace.attempts, random.random())  # noqa: S311 - not a secret
        trace.doing = "waiting to send again"
        await clock.sleep(asked + jitter)
