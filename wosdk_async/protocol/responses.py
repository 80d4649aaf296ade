"""Reader of responses: the result of the call, a refusal of the service, or a doubt. It does no I/O.

``verdicts.py`` says what each status and code means. Before a response is accepted, its RequestId is compared
with the one that was sent.
"""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from typing import Any, TypeVar

from wosdk_async import codec
from wosdk_async.errors import BusinessRuleError, RefusedError, ThrottledError
from wosdk_async.protocol.order_rules import remedy_of
from wosdk_async.protocol.verdicts import (
    IN_DOUBT,
    NO_OWN_CODES,
    WAIT,
    OwnCodes,
    is_early,
    verdict_of,
    verdict_on,
)
from wosdk_async.protocol.wire import COMMANDS, Call, InconclusiveResponse, Response
from wosdk_async.text.safe_text import Secrets

__all__ = ["RequestIds", "read", "refused"]

T = TypeVar("T")

_MAX_REASON = 300  # characters that are shown of a reader's error, and of an error of the service in doubt
_MAX_TYPE = 60  # characters that are shown of a content type
_MAX_ID = 80  # characters that are shown of another call's RequestId
_TAIL = 1024  # bytes at the end of a body, in which its last key is looked for
_LONG = 1024 * 1024  # bytes; longer bodies are not parsed here, an error of the service has some hundreds
_RESULTS = ("CommandResult", "EntitySpecifier", "Data", "Entities")  # one is in every success
_NO_SECRETS = Secrets()


def read(
    call: Call[T],
    response: Response,
    secrets: Secrets = _NO_SECRETS,
    request_ids: RequestIds | None = None,
    host: str = "",
    own: OwnCodes = NO_OWN_CODES,
) -> T:
    """Return the result of ``call``.

    Args:
        call: The call that was sent.
        response: Its response.
        secrets: Texts that no error may show.
        request_ids: Compares the RequestId of the response with the one that was sent, if there is one.
        host: The origin of the response.
        own: Verdicts that the program has set for error codes.

    Raises:
        RefusedError: The service says that it did nothing.
        InconclusiveResponse: The response shows neither success nor refusal, or is that of another call.
    """
    refusal: RefusedError | None
    try:
        done = 200 <= response.status < 300 and not _has_error_body(response.body)
        failure = None if done else _failure(response, secrets, own)
        id_matches = False
        if request_ids is not None and not isinstance(failure, InconclusiveResponse):
            if call.request_id is not None:
                id_matches = request_ids.check(call, call.request_id, response, host, secrets, failure)
            elif failure is not None and is_early(failure):
                pass  # a gateway that asks to wait may number its own responses: not shown; assumed
            elif failure is not None or not call.repeat_safe:
                _require_none(call, response)
        if response.followed and not id_matches:
            raise InconclusiveResponse(response.status, "other bytes came with it, after its end")
        if failure is not None:
            raise failure
        return call.decode(response.body)
    except RefusedError as found:
        refusal = _throttled(found, response) if verdict_of(found, own) is WAIT else found
    except InconclusiveResponse:
        raise
    except Exception as cause:
        # The status says that the call was done, so any error of the reader leaves the call in doubt.
        why = secrets.hide(f"{type(cause).__name__}: {cause}", _MAX_REASON)
        refusal = None
    if refusal is not None:
        refusal.hide(secrets)
        if isinstance(refusal, BusinessRuleError):
            refusal.add(**remedy_of(refusal, call.remedy))
        refusal.__context__ = None  # an error that was raised while reading may quote the body
        raise refusal
    # Not from the cause: it may hold the body, and with it secrets that the body repeats.
    raise InconclusiveResponse(response.status, f"the body cannot be read ({why})")


def _throttled(refusal: RefusedError, response: Response) -> ThrottledError:
    """Return ``refusal`` as a ThrottledError; a refusal in a success (``ErrorInfo``) has another class."""
    if isinstance(refusal, ThrottledError):
        return refusal
    made = ThrottledError(
        refusal.message,
        code=refusal.code,
        status=refusal.status,
        time_stamp=refusal.time_stamp,
        request_id=refusal.request_id,
    )
    made.retry_after = _retry_after(response.headers.get("retry-after"))
    return made


def _failure(response: Response, secrets: Secrets, own: OwnCodes) -> RefusedError | InconclusiveResponse:
    """Return the error for a response that is not a success by its status or its body."""
    body = _members(response.body) if len(response.body) <= _LONG else {}
    code, message = body.get("ErrorCode"), body.get("ErrorMessage")
    has_error_body = any(isinstance(text, str) and text for text in (code, message))
    wait = response.headers.get("retry-after")
    verdict, kind = verdict_on(
        response.status,
        code if isinstance(code, str) else "",
        has_error_body=has_error_body,
        has_retry_after=bool(wait),
        own=own,
    )
    if verdict is IN_DOUBT:
        if has_error_body:
            shown_texts = (secrets.hide(_text(each) or "", _MAX_REASON) for each in (code, message))
            why = "the error {!r} of the service, {!r}".format(*shown_texts)
        else:
            shown = secrets.hide(response.headers.get("content-type", "no content type"), _MAX_TYPE)
            why = f"no error body of the service ({len(response.body)} bytes, {shown})"
        return InconclusiveResponse(response.status, why, plain=not has_error_body)
    # facts 6: RequestId is the last key when the request carried one
    error = refused(code, message, response.status, body.get("TimeStamp"), body.get("RequestId"), kind)
    if isinstance(error, ThrottledError):
        error.retry_after = _retry_after(wait)
    return error


def _has_error_body(body: bytes) -> bool:
    """Return whether the body of a success is an error body (spec 7 shows no statuses) and has no result."""
    if b'"ErrorCode"' not in body or len(body) > _LONG:  # the usual success is not parsed twice
        return False
    found = _members(body)
    return bool(_text(found.get("ErrorCode"))) and all(found.get(name) is None for name in _RESULTS)


def refused(
    code: object,
    message: object,
    status: int,
    time_stamp: object = None,
    request_id: object = None,
    kind: type[RefusedError] | None = None,
) -> RefusedError:
    """Return the error for a failed response, of the class that the verdict table names.

    A value that is not text counts as not sent. Texts are kept whole: :func:`read` hides secrets and
    cuts them afterwards.
    """
    known = _text(code) or ""
    return (kind or verdict_on(status, known)[1])(
        _text(message) or known or f"HTTP {status} without a text",
        code=known,
        status=status,
        time_stamp=_text(time_stamp),
        request_id=_text(request_id),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _members(body: bytes) -> dict[str, Any]:
    """Return the members of a JSON object; an empty dict for anything else."""
    try:
        found = codec.loads(body)
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def _retry_after(value: str | None) -> float | None:
    """Return the seconds to wait, from a number of seconds or an HTTP date; None when it is neither."""
    if value is None:
        return None
    try:
        seconds = float(value)
    except ValueError:
        seconds = _until(value)
    return seconds if 0 <= seconds < float("inf") else None


def _until(date: str) -> float:
    """Return the seconds until an HTTP date; -1 when it is not one."""
    from email.utils import parsedate_to_datetime  # 8 ms to import, and hardly ever needed

    try:
        return parsedate_to_datetime(date).timestamp() - time.time()
    except (ValueError, OverflowError, OSError):
        return -1.0


# --- RequestIds -----------------------------------------------------------------------------


class RequestIds:
    """Comparison of the RequestId of each response with the one that was sent.

    A response with another RequestId belongs to another call: after one surplus response on a connection,
    every later request gets the response to the one before it.

    The response to a command repeats its RequestId as the last key, in every success (spec 4.2) and, as
    recorded, in every error (facts 5 and 12 row 9; the error body of spec 7 has none). The response to a
    query repeats it if the query sent one (facts 4). A response without a RequestId is accepted until its
    host has sent one in a response of that kind.
    """

    def __init__(self) -> None:
        self._echoing: set[tuple[str, bool, bool]] = set()
        """Kinds of response that have carried a RequestId: host, for a command or not, success or not."""
        # GIL: the loops of a client share the set; threads add to it and look into it atomically.

    def check(
        self,
        call: Call[Any],
        sent: str,
        response: Response,
        host: str,
        secrets: Secrets,
        failure: RefusedError | None = None,
    ) -> bool:
        """Return whether the response carries the RequestId that was sent.

        Args:
            call: A command or a query.
            sent: Its RequestId.
            response: The response of ``host``.
            host: The origin that the request was sent to.
            secrets: Texts that the error must not show.
            failure: The refusal in the response, if it is one.

        Raises:
            InconclusiveResponse: The response cannot be the one of ``call``.
        """
        kind = (host, call.path.startswith(COMMANDS), failure is None)
        # A cheap test first: compact JSON ends with these bytes when the RequestId is its last key.
        if response.body.endswith(b'"RequestId":"%b"}' % sent.encode()):
            self._echoing.add(kind)
            return True
        found = _echoed(response.body)
        if found is None:
            if kind in self._echoing and not (failure is not None and is_early(failure)):
                why = f"it carries no RequestId, but this host has sent one before{_HOW_TO_SKIP}"
                raise InconclusiveResponse(response.status, why)
            return False
        if failure is None or failure.code:  # a gateway may number its own refusals: not shown; assumed
            self._echoing.add(kind)
        if found.strip().lower() != sent.lower():
            shown = secrets.hide(found, _MAX_ID)
            why = f"it carries the RequestId {shown!a} of another call{_HOW_TO_SKIP}"
            raise InconclusiveResponse(response.status, why)
        return True


_HOW_TO_SKIP = "; Client(check_request_ids=False) turns this check off"
_LAST = re.compile(rb'"requestid"\s*:\s*"([^"\\]*)"\s*\}\s*$', re.IGNORECASE)


def _echoed(body: bytes) -> str | None:
    """Return the RequestId in a body, by its case-insensitive key; None when there is none."""
    # A body may have 64 MB, so it is parsed only if it is short and the key is not at its end. A key in
    # a key in other than the documented case is found only near the end.
    tail = body[-_TAIL:]
    if last := _LAST.search(tail):
        return last[1].decode("utf-8", "replace")
    if len(body) > _LONG or (body.find(b'"RequestId"') < 0 and tail.lower().find(b'"requestid"') < 0):
        return None
    found: Mapping[str, Any] = _members(body)
    value = found.get("RequestId")
    if value is None:  # facts 3.3: names are case-insensitive
        value = next((each for key, each in found.items() if key.lower() == "requestid"), None)
    return None if value is None else str(value)


def _require_none(call: Call[Any], response: Response) -> None:
    """Raise InconclusiveResponse when the response carries a RequestId and the request did not.

    The service repeats only a RequestId that was sent, and calls of records send none (facts 5).
    """
    if _echoed(response.body) is not None and b"requestid" not in (call.body or b"").lower():
        why = f"it carries a RequestId, but none was sent, so it is that of another call{_HOW_TO_SKIP}"
        raise InconclusiveResponse(response.status, why)
