"""I/O-free response reader: returns a result, or raises a refusal or InconclusiveResponse.

``verdicts.py`` defines what statuses and codes mean, and ``matching.py`` matches responses to calls.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from datetime import UTC
from itertools import zip_longest
from typing import TypeVar

from wosdk_async import codec
from wosdk_async.errors import BusinessRuleError, RefusedError, ThrottledError
from wosdk_async.protocol.matching import LONG, RequestIds, members, require_no_request_id
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
from wosdk_async.protocol.wire import Call, InconclusiveResponse, Response
from wosdk_async.text.safe_text import Secrets

T = TypeVar("T")

_MAX_REASON = 300  # maximum characters shown of a reader's error, and of a service error in doubt
_MAX_WAITS = 8  # parts of Retry-After headers that are read
_MAX_TYPE = 60  # maximum characters shown of a content type
_RESULTS = ("CommandResult", "EntitySpecifier", "Data", "Entities")  # every success has one of these keys
_STARTS = tuple(f'{{"{key}":{start}"'.encode() for key in _RESULTS for start in ("{", "[{"))
_TAIL = 512  # if a success begins with a result, only this many bytes at its end are searched for an error
_NO_SECRETS = Secrets()


def read(
    call: Call[T],
    response: Response,
    secrets: Secrets = _NO_SECRETS,
    request_ids: RequestIds | None = None,
    host: str = "",
    own: OwnCodes = NO_OWN_CODES,
    origin: str | None = None,
) -> T:
    """Return the result of ``call``.

    Args:
        call: the call that was sent.
        response: its response.
        secrets: strings that no error may show.
        request_ids: if given, compares the response's RequestId with the one sent.
        host: origin of the response.
        own: the program's verdicts for error codes.
        origin: Company that responded, stored as ``origin`` in the result's records.

    Raises:
        RefusedError: the service reports that it did nothing.
        InconclusiveResponse: the response shows neither success nor refusal, or belongs to another call.
    """
    refusal: RefusedError | None
    try:
        is_success = 200 <= response.status < 300 and not _has_error_body(response.body)
        failure = None if is_success else _failure(response, call.creates, secrets, own)
        id_matches = False
        if request_ids is not None and not isinstance(failure, InconclusiveResponse):
            if call.request_id is not None:
                id_matches = request_ids.check(call, call.request_id, response, host, secrets, failure)
            elif failure is not None and is_early(failure):
                pass  # not shown; assumed: a gateway that asks to wait may send a RequestId of its own
            elif failure is not None or not call.repeat_safe:
                require_no_request_id(call, response)
        if response.followed and not id_matches:
            raise InconclusiveResponse(response.status, "surplus bytes followed the response")
        if failure is not None:
            raise failure
        codec.READING.origin = origin
        try:
            return call.decode(response.body)
        finally:
            codec.READING.origin = None
    except RefusedError as found:
        refusal = _final_refusal(found, call, response, secrets, own)
    except InconclusiveResponse as page:
        page.hide(secrets)
        raise
    except Exception as cause:
        # The status reports success, so any reader error leaves the call in doubt.
        why = secrets.hide(f"{type(cause).__name__}: {cause}", _MAX_REASON)
        refusal = None
    if refusal is not None:
        refusal.__context__ = None  # an error raised while reading may quote the body
        raise refusal
    # Raised outside the handler, because the cause may hold the body, which may repeat secrets.
    raise InconclusiveResponse(response.status, f"the body cannot be read ({why})")


def _final_refusal(
    found: RefusedError, call: Call[T], response: Response, secrets: Secrets, own: OwnCodes
) -> RefusedError:
    """Return the refusal to raise: its class follows the verdict, secrets are hidden, a remedy is added."""
    refusal = _as_throttled(found, response) if verdict_of(found, own) is WAIT else found
    refusal.hide(secrets)
    if isinstance(refusal, BusinessRuleError):
        refusal.add(**remedy_of(refusal, call.remedy))
    return refusal


def _as_throttled(refusal: RefusedError, response: Response) -> ThrottledError:
    """Return ``refusal`` as a ThrottledError; convert it if its ``ErrorInfo`` was read as another class."""
    if isinstance(refusal, ThrottledError):
        return refusal
    throttled = ThrottledError(
        refusal.message,
        code=refusal.code,
        status=refusal.status,
        time_stamp=refusal.time_stamp,
        request_id=refusal.request_id,
    )
    throttled.retry_after = retry_after_in(response.headers)
    return throttled


def _failure(
    response: Response, creates: bool, secrets: Secrets, own: OwnCodes
) -> RefusedError | InconclusiveResponse:
    """Return the error for a response whose status or body does not report success."""
    body = members(response.body) if len(response.body) <= LONG else {}
    code, message = body.get("ErrorCode"), body.get("ErrorMessage")
    has_error_body = any(isinstance(text, str) and text for text in (code, message))
    wait = retry_after_in(response.headers)
    verdict, kind = verdict_on(
        response.status,
        code if isinstance(code, str) else "",
        has_error_body=has_error_body,
        has_retry_after=wait is not None,
        creates=creates,
        own=own,
    )
    if verdict is IN_DOUBT:
        if has_error_body:
            shown_texts = (secrets.hide(_text(each) or "", _MAX_REASON) for each in (code, message))
            why = "the service error {!r}, {!r}".format(*shown_texts)
        else:
            shown = secrets.hide(response.headers.get("content-type", "no content type"), _MAX_TYPE)
            why = f"not a service error body ({len(response.body)} bytes, {shown})"
        return InconclusiveResponse(response.status, why, plain=not has_error_body)
    # facts 6: RequestId is the last key when the request carried one
    error = refusal_error(code, message, response.status, body.get("TimeStamp"), body.get("RequestId"), kind)
    if isinstance(error, ThrottledError):
        error.retry_after = wait
    return error


def _has_error_body(body: bytes) -> bool:
    """Return whether the body of a response with a success status is an error body without a result.

    spec 7 shows error bodies without a status. Raises InconclusiveResponse if the body contains both.
    """
    searched_from = -_TAIL if body.startswith(_STARTS) else 0
    if body.find(b'"ErrorCode"', searched_from) < 0 or len(body) > LONG:  # faster than ``in`` for bytes
        return False  # the usual success: it is not parsed here
    found = members(body)
    code = _text(found.get("ErrorCode"))
    if code and any(found.get(name) for name in _RESULTS):
        raise InconclusiveResponse(200, f"the body has both a result and an error: {code[:_MAX_REASON]}")
    return bool(code)


def refusal_error(
    code: object,
    message: object,
    status: int,
    time_stamp: object = None,
    request_id: object = None,
    kind: type[RefusedError] | None = None,
) -> RefusedError:
    """Return the error for a failed response, with the class from the verdict table.

    Non-string values are ignored. Strings are kept whole, because :func:`read` hides secrets before it
    truncates them.
    """
    known = _text(code) or ""
    return (kind or verdict_on(status, known)[1])(
        _text(message) or known or f"HTTP {status} without a message",
        code=known,
        status=status,
        time_stamp=_text(time_stamp),
        request_id=_text(request_id),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def retry_after_in(headers: Mapping[str, str]) -> float | None:
    """Return the seconds to wait, from the first valid Retry-After (a number or HTTP date), or None.

    For a date, the wait is counted from the response's Date, because the clocks may differ.
    """
    if (value := headers.get("retry-after")) is None:
        return None
    parts = value.split(",")[:_MAX_WAITS]  # several headers are joined by commas, and a date contains one
    for part, following in zip_longest(parts, parts[1:], fillvalue=""):
        try:
            seconds = float(part)
        except ValueError:
            until = _timestamp(part) or _timestamp(f"{part},{following}")
            if until is None:
                continue
            seconds = max(until - (_timestamp(headers.get("date", "")) or time.time()), 0.0)
        if 0 <= seconds < float("inf"):
            return seconds
    return None


def _timestamp(date: str) -> float | None:
    """Return the seconds since 1970 of an HTTP date; None if invalid."""
    from email.utils import parsedate_to_datetime  # imported here: takes 8 ms, and is hardly ever needed

    try:
        found = parsedate_to_datetime(date)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError, OSError):
        return None
