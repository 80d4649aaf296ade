"""A recorded exchange as the console shows it: a line of the log, and all of it."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from urllib.parse import parse_qsl

import msgspec

from wosdk_async.sandbox.console.masking import shown_body, shown_headers, shown_path
from wosdk_async.sandbox.console.request_log import Body, Headers, LoggedExchange
from wosdk_async.sandbox.schema.bodies import Record, load

__all__ = ["detail", "summary"]

_REQUEST_ID = re.compile(rb'"RequestId"\s*:\s*"((?:[^"\\]|\\.){0,100})', re.IGNORECASE)


def summary(exchange: LoggedExchange) -> Record:
    """The line of an exchange."""
    return {
        "number": exchange.number,
        "time": datetime.fromtimestamp(exchange.began / 1e9, UTC).strftime("%H:%M:%S.%f")[:-3],
        "method": exchange.method,
        "path": shown_path(exchange.path),
        "status": exchange.status,
        "broken": exchange.seconds is not None and exchange.broken,
        "milliseconds": None if exchange.seconds is None else round(exchange.seconds * 1000, 2),
        "company": _company(exchange),
        "requestId": _request_id(exchange),
    }


def detail(exchange: LoggedExchange) -> Record:
    """The line, with headers and bodies; secrets are masked."""
    return {
        **summary(exchange),
        "request": _side(exchange.headers, exchange.request),
        "reply": _side(exchange.reply_headers, exchange.reply),
    }


def _side(headers: Headers, body: Body) -> Record:
    return {
        "headers": shown_headers(headers),
        "body": shown_body(body),
        "size": body.size,
        "cut": body.cut,
    }


def _company(exchange: LoggedExchange) -> str:
    return next((value.decode("latin-1") for name, value in exchange.headers if name == b"companyname"), "")


def _request_id(exchange: LoggedExchange) -> str:
    """The caller's own id of the request: in the body, or in the query (facts 3.1)."""
    found = _REQUEST_ID.search(exchange.request.kept)
    if found:
        return _read(found[1])
    asked = parse_qsl(exchange.path.partition("?")[2])
    return next((value for name, value in asked if name.lower() == "requestid"), "")


def _read(quoted: bytes) -> str:
    """The text that stands between two quotes in JSON; as it stands when it was cut in an escape."""
    try:
        return str(load(b'"%s"' % quoted))
    except (msgspec.DecodeError, UnicodeDecodeError):
        return quoted.decode("utf-8", "replace")
