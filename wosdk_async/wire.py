"""From an operation to request bytes, and from an answer to a value or an error. No input, no output.

A :class:`Call` says everything the transport has to know of an operation: where it goes, what is
sent, how the answer is read, and whether repeating it is safe. :func:`read` turns an answer into
the call's value, or raises :class:`~wosdk_async.errors.RefusedError` when the service says that it
did nothing, or :class:`Unreadable` when the answer does not tell.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import attrs

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError, RefusedError, ThrottledError, refused
from wosdk_async.safe_text import Secrets

__all__ = ["Call", "Reply", "Unreadable", "body_of", "read"]

T = TypeVar("T")

_MAX_REASON = 300  # characters of what a reader says of a body
_MAX_TYPE = 60
_NO_SECRETS = Secrets()


@attrs.define
class Reply:
    """An answer as it came: the body is decompressed, header names are lower case. Nobody changes one."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@attrs.define
class Call(Generic[T]):
    """One operation, ready to be sent to whatever host the session names at that moment.

    Nobody changes one; it is not frozen because every call makes one, and that takes four times as long then.

    ``path`` is relative to the Company host, or to the locator for discovery. ``repeat_safe`` says that
    sending it twice does what sending it once does; everything else is sent again only when it cannot
    have arrived.
    """

    operation: str
    method: str
    path: str
    decode: Callable[[bytes], T] = attrs.field(repr=False)
    repeat_safe: bool
    body: bytes | None = attrs.field(default=None, repr=False)
    headers: tuple[tuple[str, str], ...] = ()
    request_id: str | None = None
    to_locator: bool = False
    other_paths: tuple[str, ...] = ()
    """What to try where ``path`` is not known."""

    @property
    def reads(self) -> bool:
        """Whether it changes nothing: what can be repeated, but for a delete of what may be gone."""
        return self.repeat_safe and self.method != "DELETE"


class Unreadable(Exception):
    """An answer came that tells neither success nor refusal: a gateway's page, a 500, broken JSON."""

    def __init__(self, status: int, why: str) -> None:
        super().__init__(f"HTTP {status}: {why}")
        self.status = status


# --- answers --------------------------------------------------------------------------------


def read(call: Call[T], reply: Reply, secrets: Secrets = _NO_SECRETS) -> T:
    """The value of ``call``. Raises RefusedError or Unreadable, of which none shows one of ``secrets``."""
    try:
        if not 200 <= reply.status < 300:
            raise _failure(reply, secrets)
        return call.decode(reply.body)
    except RefusedError as refusal:
        refusal.hide(secrets)
        refusal.__context__ = None  # what a first reader stumbled over may quote the body
        raise
    except Unreadable:
        raise
    except Exception as cause:
        # The service says that it did the work: whatever the reader stumbles over, the caller must
        # hear of a doubtful outcome and not of a bug.
        why = secrets.hide(f"{type(cause).__name__}: {cause}", _MAX_REASON)
    # Not from the cause: it may hold the body, and with it what the body repeats.
    raise Unreadable(reply.status, f"the body cannot be read ({why})")


def _failure(reply: Reply, secrets: Secrets) -> RefusedError | Unreadable:
    body = _error_body(reply.body)
    error = refused(
        body.get("ErrorCode"),
        body.get("ErrorMessage"),
        reply.status,
        body.get("TimeStamp"),
        body.get("RequestId"),  # facts 6: the last key when the request carried one
    )
    if isinstance(error, ThrottledError):
        error.retry_after = _retry_after(reply.headers.get("retry-after"))
        return error
    says = error.code or (isinstance(body.get("ErrorMessage"), str) and body["ErrorMessage"])
    if reply.status == 401 or (400 <= reply.status < 500 and says):
        return error
    kind = secrets.hide(reply.headers.get("content-type", "no content type"), _MAX_TYPE)
    return Unreadable(reply.status, f"no error body of the service ({len(reply.body)} bytes, {kind})")


def _error_body(body: bytes) -> dict[str, Any]:
    """The members of an error body (spec 7); none of what is no JSON object."""
    try:
        found = codec.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _retry_after(value: str | None) -> float | None:
    """Seconds to wait, from a number of seconds or an HTTP date; None when there is none to read."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value)
    return seconds if 0 <= seconds < float("inf") else None


def _until(date: str) -> float:
    from email.utils import parsedate_to_datetime  # 8 ms to import, and hardly ever needed

    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, OverflowError, OSError):
        return -1.0


def body_of(content: Mapping[str, Any]) -> bytes:
    """A request body. Raises InvalidCallError for what JSON cannot hold."""
    try:
        return codec.dumps(content)
    except ValueError as error:
        raise InvalidCallError(str(error)) from None
