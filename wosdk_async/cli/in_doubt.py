"""What to do about a call that was sent and may have been carried out."""

from __future__ import annotations

from wosdk_async.cli.exit_codes import say

__all__ = ["advice", "say_sent"]


def advice(look: str | None) -> str:
    """Return the sentence that follows a doubt.

    Args:
        look: the ``wosdk`` command that shows the effect, if there was one; None if none is known.
    """
    if look is None:
        return "Look at what it would have changed before you run it again"
    return f"Look before you run it again: {look}"


def say_sent(what: str, request_id: str | None, look: str | None) -> None:
    """Print that Ctrl-C came after the request was sent, and before its response."""
    known = f" (RequestId {request_id})" if request_id else ""
    say(f"{what} was sent{known} and may have been carried out. {advice(look)}")
