"""What became of one input of a run: exactly one of these for each.

``reply`` is the last answer as it came, if the run keeps answers and there was one.
"""

from __future__ import annotations

from typing import Generic, TypeVar

import attrs

from wosdk_async.errors import InDoubtError
from wosdk_async.protocol.wire import Response

__all__ = ["Done", "Failed", "InDoubt", "NotStarted", "Outcome"]

I = TypeVar("I")  # noqa: E741 - an input
R = TypeVar("R")


@attrs.frozen
class Done(Generic[I, R]):
    """The call for ``input``, the ``index``-th of the run counted from 0, gave ``result``."""

    index: int
    input: I
    result: R
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)


@attrs.frozen
class Failed(Generic[I]):
    """The call raised ``error``. An error of this library other than InDoubtError means: no effect."""

    index: int
    input: I
    error: Exception
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)


@attrs.frozen
class InDoubt(Generic[I]):
    """The call was sent and may have been carried out: look before you repeat it."""

    index: int
    input: I
    error: InDoubtError
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)


@attrs.frozen
class NotStarted(Generic[I]):
    """The run was stopped before anything of the call was sent, in any attempt."""

    index: int
    input: I


Outcome = Done[I, R] | Failed[I] | InDoubt[I] | NotStarted[I]
