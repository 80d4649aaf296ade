"""What happened to one call so far: kept for errors, for outcomes and for whoever wants to look."""

from __future__ import annotations

import attrs

__all__ = ["Trace"]


@attrs.define
class Trace:
    """The course of one call.

    ``doing`` names what it is busy with, so that a deadline can say what used the time up. ``sent``
    turns true when the first byte of an attempt leaves, and false again when the service answers
    that it did nothing: while it is true the call may have been carried out.
    """

    request_id: str | None = None
    attempts: int = 0
    sent: bool = False
    doing: str = "starting"
