"""What can be seen of calls from outside, attempt by attempt.

An :class:`Observer` is told when a call, and each of its attempts, begins and ends. It is never told of
tokens, bodies or headers: :class:`Attempt` and :class:`CallResult` list all that may be known, and so logged.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any, Protocol

import attrs

from wosdk_async.protocol.wire import Call
from wosdk_async.safe_text import one_line
from wosdk_async.transport.http.engine import RequestHeaders

__all__ = ["LOG", "Attempt", "AttemptHook", "CallResult", "Hook", "Observer"]

_log = logging.getLogger("wosdk_async")


@attrs.frozen(kw_only=True)
class Attempt:
    """One request that was tried, and what came of it.

    ``status`` is None when no answer came, and ``error`` then says why in one word: ``NotSent``, ``NoAnswer``
    or ``Cancelled``. ``seconds`` are those from the moment it had a slot and a session, connecting included.
    """

    company: str
    operation: str
    request_id: str | None
    number: int
    method: str
    host: str
    port: int | None
    seconds: float
    status: int | None = None
    error: str = ""


@attrs.frozen(kw_only=True)
class CallResult:
    """How a call ended: ``error`` is the class of what it raised, ``code`` the service's ErrorCode."""

    company: str
    operation: str
    request_id: str | None
    attempts: int
    seconds: float
    error: str = ""
    code: str = ""


class Observer(Protocol):
    """Is told of calls. Whatever ``call_begins`` gives comes back as ``state``. What it raises is logged."""

    def call_begins(self, call: Call[Any], company: str) -> Any:
        """A call was made; nothing of it was sent yet."""

    def attempt_begins(self, state: Any, call: Call[Any], number: int) -> tuple[Any, RequestHeaders]:
        """A request goes out: what comes back as its ``state``, and headers that it shall carry besides."""

    def attempt_ends(self, state: Any, attempt: Attempt) -> None:
        """An answer came, or none will."""

    def call_ends(self, state: Any, ended: CallResult) -> None:
        """The call gave its value or raised."""


class NoopObserver:
    """An observer that does nothing: what others need not write."""

    def call_begins(self, call: Call[Any], company: str) -> Any:  # noqa: ARG002
        return None

    def attempt_begins(self, state: Any, call: Call[Any], number: int) -> tuple[Any, RequestHeaders]:  # noqa: ARG002
        return None, ()

    def attempt_ends(self, state: Any, attempt: Attempt) -> None:
        """Not interested."""

    def call_ends(self, state: Any, ended: CallResult) -> None:
        """Not interested."""


AttemptHook = Callable[[Attempt], None]
"""Told of each attempt when it has ended; it must return at once. What it raises is logged."""


@attrs.frozen
class Hook(NoopObserver):
    """The observer that hands each attempt to a function of the program."""

    on_attempt: AttemptHook

    def attempt_ends(self, state: Any, attempt: Attempt) -> None:  # noqa: ARG002
        self.on_attempt(attempt)


class _Log(NoopObserver):
    """Writes attempts and calls to the log ``wosdk_async`` at DEBUG."""

    def attempt_ends(self, state: Any, attempt: Attempt) -> None:  # noqa: ARG002
        _log.debug("attempt: %s", _fields(attempt))

    def call_ends(self, state: Any, ended: CallResult) -> None:  # noqa: ARG002
        _log.debug("call: %s", _fields(ended))


LOG = _Log()


def _fields(record: Attempt | CallResult) -> str:
    shown = attrs.asdict(record, filter=lambda _, value: value not in (None, ""))
    shown["seconds"] = f"{record.seconds:.3f}"
    return one_line(" ".join(f"{name}={value}" for name, value in shown.items()))
