"""Program hooks, called before a call, after each request, and for a call in doubt."""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs

from wosdk_async.codec.checks import kind_of
from wosdk_async.errors import ConfigurationError
from wosdk_async.protocol.wire import NOTHING_SENT, Call, Response
from wosdk_async.text.safe_text import one_line

__all__ = [
    "Attempt",
    "AttemptHook",
    "BeforeSend",
    "DryRun",
    "OnInDoubt",
]

_log = logging.getLogger("wosdk_async")

BeforeSend = Callable[[Call[Any], str], Awaitable[Response | None]]
"""Called with each call and the Company's name before anything is sent. For a marked call, the hook runs
before each attempt and each look-up; one look-up may serve several calls.

An exception stops the call. A returned Response replaces the service's; if the hook returns None, the call is
sent. If the hook returns anything else, or raises CancelledError although the call was not cancelled, the
client raises ConfigurationError and sends nothing. The deadline includes the hook's time, but does not
interrupt the hook.
"""

OnInDoubt = Callable[[Call[Any], str], None]
"""Called with a call and the Company's name when the caller was cancelled and the call may have taken effect.
Must return immediately; its errors are logged.
"""


@attrs.frozen(kw_only=True)
class Attempt:
    """One request of a call, and its outcome.

    ``status`` is None without a response; ``error`` then gives the reason: ``NotSent``, ``NoAnswer`` or
    ``Cancelled``. ``number`` counts the attempts of a call; each look-up of a marker starts at 1. ``seconds``
    starts when the call has a slot and a session, so it includes connecting.
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


AttemptHook = Callable[[Attempt], None]
"""Function called after each attempt. Must return immediately; its errors are logged."""


# --- results and errors of hooks ---------------------------------------------------------------


async def ask_before_send(hook: BeforeSend, call: Call[Any], company: str) -> Response | None:
    """Return the response of ``before_send`` for ``call``; None to send the call.

    Raises ConfigurationError for any other result.
    """
    try:
        given: Any = hook(call, company)
        if not inspect.isawaitable(given):
            raise _unusable(call, company, f"returned {kind_of(given)}, which cannot be awaited")
        given = await given
    except asyncio.CancelledError as error:
        if is_cancelled():
            raise
        raise _unusable(call, company, "raised CancelledError, but the call was not cancelled") from error
    if given is None:
        return None
    if not isinstance(given, Response):
        raise _unusable(call, company, f"returned {kind_of(given)}")
    for name, kind in (("status", int), ("headers", Mapping), ("body", bytes)):
        if not isinstance(value := getattr(given, name), kind):
            raise _unusable(call, company, f"returned a Response whose {name} is {kind_of(value)}")
    return given


def _unusable(call: Call[Any], company: str, what: str) -> ConfigurationError:
    takes = f"an async function that returns None or a {Response.__module__}.Response whose body is bytes"
    return ConfigurationError(
        f"before_send {what}; it must be {takes}. Nothing was sent",
        company=company,
        operation=call.operation,
        request_id=call.request_id,
    )


def call_hook(name: str, hook: Callable[..., object], *values: object) -> None:
    """Call a hook that must return immediately. Raises ConfigurationError if it returns a coroutine."""
    returned = hook(*values)
    if inspect.iscoroutine(returned):
        returned.close()
        raise ConfigurationError(
            f"{name} returned a coroutine, but hooks are not awaited; pass a plain function"
        )


def warn_of(what: str, call: Call[Any], company: str, id: int | None = None) -> None:
    """Log that ``call`` may have taken effect, or did, although its caller got no response.

    ``id`` is that of the record, if known.
    """
    facts = {"request_id": call.request_id, "key": call.key and one_line(call.key), "id": id}
    known = "".join(f" {name}={value}" for name, value in facts.items() if value is not None)
    _log.warning("%s: operation=%s company=%s%s", what, call.operation, company, known)


def report_in_doubt(hook: OnInDoubt | None, call: Call[Any], company: str) -> None:
    """Log that ``call`` was cancelled and may have taken effect, and call the client's hook."""
    warn_of("a cancelled call may have been carried out", call, company)
    if hook is not None:
        try:
            call_hook("on_in_doubt", hook, call, company)
        except (Exception, asyncio.CancelledError):
            _log.exception("on_in_doubt failed: operation=%s request_id=%s", call.operation, call.request_id)


def is_cancelled() -> bool:
    """Return whether the running task was cancelled. If not, a hook raised the CancelledError itself."""
    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


# --- dry run -----------------------------------------------------------------------------------

# Response that can be read as the result of any call that changes something: command, create, update, delete.
_NOTHING_DONE = Response(200, {}, NOTHING_SENT)


class DryRun:
    """``before_send`` hook that lets reads pass and records all other calls.

    ::

        dry = DryRun()
        async with Client.from_env(before_send=dry) as client:
            await sync_everything(client)
        for company, call in dry.calls:
            print(company, call.operation, call.body)

    The program gets empty results: ids and numbers that the service would assign are None. ``await
    company.send(call)`` sends a recorded call.
    """

    def __init__(self) -> None:
        self.calls: list[tuple[str, Call[Any]]] = []
        """Recorded calls in order, each with its Company's name."""

    def __repr__(self) -> str:
        return f"<DryRun {len(self.calls)} calls recorded>"

    async def __call__(self, call: Call[Any], company: str) -> Response | None:
        """Let a read pass; record any other call and return an empty response."""
        if call.reads:
            return None
        self.calls.append((company, call))
        return _NOTHING_DONE
