"""Outcomes of ``run_many``: each input of a run gets exactly one of these.

``reply`` is the last response as it came, if the run keeps responses and there was one.
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
    """Success: the call for ``input``, number ``index`` of the run counted from 0, returned ``result``.

    ``found`` says that its record existed before the first attempt, so that nothing was sent. ``attempts``
    are the requests that were made for it, and ``waits`` the seconds before each further one.
    """

    index: int
    input: I
    result: R
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)
    found: bool = attrs.field(default=False, kw_only=True)
    attempts: int = attrs.field(default=0, kw_only=True, eq=False, repr=False)
    waits: tuple[float, ...] = attrs.field(default=(), kw_only=True, eq=False, repr=False)


@attrs.frozen
class Failed(Generic[I]):
    """Failure: the call raised ``error``. Errors of this library other than InDoubtError mean no effect."""

    index: int
    input: I
    error: Exception
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)


@attrs.frozen
class InDoubt(Generic[I]):
    """Doubt: the call was sent and may have taken effect. Look it up before you repeat it."""

    index: int
    input: I
    error: InDoubtError
    reply: Response | None = attrs.field(default=None, kw_only=True, repr=False)


@attrs.frozen
class NotStarted(Generic[I]):
    """Not sent: the run was stopped before any attempt of the call."""

    index: int
    input: I


Outcome = Done[I, R] | Failed[I] | InDoubt[I] | NotStarted[I]
"""Outcome of one input: ``match`` on the class, or ask ``isinstance``."""
