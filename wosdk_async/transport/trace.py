"""What happened to one call so far: kept for errors, for outcomes and for whoever wants to look."""

from __future__ import annotations

import attrs

from wosdk_async.wire import Reply

__all__ = ["Trace"]


@attrs.define
class Trace:
    """The course of one call, of the last one where several were traced.

    ``reply`` is the last answer as it came, of whatever attempt. ``doing`` names what the call is busy
    with, so that a deadline can say what used the time up. ``sent`` turns true when the first byte of an
    attempt leaves, and false again when the service answers that it did nothing: while it is true the call
    may have been carried out.
    """

    request_id: str | None = None
    attempts: int = 0
    sent: bool = False
    doing: str = "starting"
    reply: Reply | None = attrs.field(default=None, repr=False)

    def begin(self, request_id: str | None) -> None:
        """Forget the call before."""
        self.request_id, self.attempts, self.sent = request_id, 0, False
        self.doing, self.reply = "starting", None
