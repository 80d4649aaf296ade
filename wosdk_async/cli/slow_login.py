"""One line on stderr when a command waits long for its session."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from wosdk_async.cli.exit_codes import say

if TYPE_CHECKING:
    from wosdk_async import Client

__all__ = ["LoginWait", "login_wait_of", "saying_slow_login"]

LoginWait = tuple[float, str]
"""Seconds since a log-in began, and what it waits for; empty if that is not known."""

_PATIENCE = 3.0  # seconds: a log-in takes less than one, also with a new attempt
_BETWEEN_LOOKS = 0.5  # seconds


def login_wait_of(client: Client) -> LoginWait | None:
    """Return how long calls have waited for the log-in that runs; None when no call needs it."""
    for company in client.stats().companies:
        # A session that is still good is renewed in the background, and nobody waits for that.
        if company.login_age is not None and not company.session_left:
            return company.login_age, company.login_waits_for
    return None


@asynccontextmanager
async def saying_slow_login(
    look: Callable[[], LoginWait | None],
    *,
    patience: float = _PATIENCE,
    between_looks: float = _BETWEEN_LOOKS,
    show: Callable[[str], None] = say,
) -> AsyncIterator[None]:
    """Say once for each log-in within the block that it takes long, and what it waits for.

    Args:
        look: returns how long the log-in that runs has taken, and what it waits for; None without one.
        patience: seconds of a log-in that are not worth a line.
        between_looks: seconds between two looks.
        show: called with the line.
    """

    async def watch() -> None:
        said = False
        while True:
            await asyncio.sleep(between_looks)
            wait = look()
            if wait is None:
                said = False
            elif not said and wait[0] >= patience:
                said = True
                show(_text(*wait))

    watching = asyncio.create_task(watch())
    try:
        yield
    finally:
        watching.cancel()


def _text(seconds: float, waits_for: str) -> str:
    cause = f": {waits_for}" if waits_for else ""
    return f"no session yet after {seconds:.0f} s, still waiting{cause}"
