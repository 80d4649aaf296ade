"""From an operation to request bytes, and from an answer to a value or an error. No input, no output.

A :class:`Call` says everything the transport has to know of an operation: where it goes, what is
sent, how the answer is read, and whether repeating it is safe. :func:`read` turns an answer into
the call's value, or raises :class:`~wosdk_async.errors.RefusedError` when the service says that it
did nothing, or :class:`Unreadable` when the answer does not tell.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import attrs

from wosdk_async import codec
from wosdk_async.errors import InvalidCallError, RefusedError, SessionRefusedError, ThrottledError, refused
from wosdk_async.safe_text import Secrets

__all__ = ["Call", "RequestIds", "Response", "Unreadable", "body_of", "read"]

T = TypeVar("T")

_MAX_REASON = 300  # characters of what a reader says of a body
_MAX_TYPE = 60
_NO_SECRETS = Secrets()


@attrs.define
class Response:
    """An answer as it came: the body is decompressed, header names are lower case. Nobody changes one."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    followed: bool = attrs.field(default=False, eq=False, repr=False)
    """Whether other bytes came with it, behind its end: one of them may be the response of another call."""


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


# --- responses ------------------------------------------------------------------------------


class RequestIds:
    """Compares the RequestId of each response with the one that was sent.

    A response with another one belongs to another call: a connection on which a surplus response came gives
    every request the response of the one before. A command comes back with its RequestId as the last key of
    every success (spec 4.2) and, as recorded, of every error (facts 5 and 12 row 9; the error body of spec 7
    has none); a query with that of a query that sent one (facts 4). So a response without one is believed
    until its host has sent one in a response of that kind.
    """

    def __init__(self) -> None:
        self._echoing: set[tuple[str, bool, bool]] = set()
        """Host, whether for commands, whether in successes."""

    def check(
        self,
        call: Call[Any],
        sent: str,
        reply: Response,
        host: str,
        secrets: Secrets,
        failure: RefusedError | None = None,
    ) -> bool:
        """Return whether ``reply`` carries the RequestId ``sent``. Raises Unreadable when it cannot be its
        response.

        Args:
            call: a command or a query.
            sent: its RequestId.
            reply: the response of ``host``.
            host: the origin that was asked.
            secrets: what the error must not show.
            failure: what the response says, if it is an error.
        """
        kind = (host, call.path.startswith(_COMMANDS), failure is None)
        # As bytes first, which is how a compact body with the RequestId as its last key ends.
        if reply.body.endswith(b'"RequestId":"%b"}' % sent.encode()):
            self._echoing.add(kind)
            return True
        found = _echoed(reply.body)
        if found is None:
            # A token may be refused, and a wait asked for, before the body is read: not shown; assumed.
            if kind in self._echoing and not isinstance(failure, SessionRefusedError | ThrottledError):
                raise Unreadable(
                    reply.status, f"it carries no RequestId, which this host has sent before{_OFF}"
                )
            return False
        if failure is None or failure.code:  # a gateway may number its own refusals: not shown; assumed
            self._echoing.add(kind)
        if found.strip().lower() != sent.lower():
            shown = secrets.hide(found, _MAX_ID)
            raise Unreadable(reply.status, f"it carries the RequestId {shown!a} of another call{_OFF}")
        return True


_COMMANDS = "api/v1/cmd/"
_OFF = "; Client(check_request_ids=False) turns this check off"
_TAIL = 1024  # bytes of a body
_LONG = 1024 * 1024  # bytes; an error of the service has some hundreds
_LAST = re.compile(rb'"requestid"\s*:\s*"([^"\\]*)"\s*\}\s*$', re.IGNORECASE)
_MAX_ID = 80  # characters that are shown of a RequestId which is not ours


def _echoed(body: bytes) -> str | None:
    """Return the RequestId in a body, in whatever letter case its key is; None when there is none."""
    # The body may have 64 MB: it is read for this only if it is short, and the key is not its last one. In
    # another letter case than documented it is looked for at the end alone.
    tail = body[-_TAIL:]
    if last := _LAST.search(tail):
        return last[1].decode("utf-8", "replace")
    if len(body) > _LONG or (body.find(b'"RequestId"') < 0 and tail.lower().find(b'"requestid"') < 0):
        return None
    found = _members(body)
    value = found.get("RequestId")
    if value is None:  # facts 3.3: names ignore letter case
        value = next((each for key, each in found.items() if key.lower() == "requestid"), None)
    return None if value is None else str(value)


def _require_none(call: Call[Any], reply: Response) -> None:
    """Raise Unreadable when ``reply`` carries a RequestId and ``call`` has sent none.

    Only what was sent comes back, and no base call sends one (facts 5).
    """
    if _echoed(reply.body) is not None and b"requestid" not in (call.body or b"").lower():
        raise Unreadable(reply.status, f"it carries a RequestId, and none was sent: of another call{_OFF}")


def read(
    call: Call[T],
    reply: Response,
    secrets: Secrets = _NO_SECRETS,
    request_ids: RequestIds | None = None,
    host: str = "",
) -> T:
    """Return the value of ``call``. Raises RefusedError or Unreadable, which show none of ``secrets``.

    ``request_ids`` compares the RequestId of a response of ``host`` with the one that was sent, if any.
    """
    try:
        failure = None if 200 <= reply.status < 300 else _failure(reply, secrets)
        known = False
        if request_ids is not None and not isinstance(failure, Unreadable):
            if call.request_id is not None:
                known = request_ids.check(call, call.request_id, reply, host, secrets, failure)
            elif isinstance(failure, SessionRefusedError | ThrottledError):
                pass  # a gateway that asks to wait may number its own responses: not shown; assumed
            elif failure is not None or not call.repeat_safe:
                _require_none(call, reply)
        if reply.followed and not known:
            raise Unreadable(reply.status, "other bytes came with it, behind its end")
        if failure is not None:
            raise failure
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


def _failure(reply: Response, secrets: Secrets) -> RefusedError | Unreadable:
    body = _members(reply.body) if len(reply.body) <= _LONG else {}
    error = refused(
        body.get("ErrorCode"),
        body.get("ErrorMessage"),
        reply.status,
        body.get("TimeStamp"),
        body.get("RequestId"),  # facts 6: the last key when the request carried one
    )
    says = bool(error.code) or (isinstance(body.get("ErrorMessage"), str) and bool(body["ErrorMessage"]))
    wait = reply.headers.get("retry-after")
    # not shown; assumed: a gateway sends a 503 of its own after it has passed a request on, too
    if isinstance(error, ThrottledError) and (reply.status == 429 or says or wait):
        error.retry_after = _retry_after(wait)
        return error
    if reply.status == 401 or (400 <= reply.status < 500 and says):
        return error
    kind = secrets.hide(reply.headers.get("content-type", "no content type"), _MAX_TYPE)
    return Unreadable(reply.status, f"no error body of the service ({len(reply.body)} bytes, {kind})")


def _members(body: bytes) -> dict[str, Any]:
    """Return the members of a JSON object; none of anything else."""
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
