"""Requests received by a test's Company, without secrets, and warnings about unmatched faults."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

import attrs
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wosdk_async.sandbox.faults.script import Rule
from wosdk_async.sandbox.faults.state import Faults

_MAX_REQUESTS = 10_000  # maximum requests stored


@attrs.frozen
class RecordedRequest:
    """A request, and the response status.

    Attributes:
        method: HTTP method, such as ``POST``.
        path: path without query.
        query: query string.
        headers: headers by lower-case name, without ``authorization``.
        body: request body; empty if it contains credentials.
        status: response status; None without a response.
    """

    method: str
    path: str
    query: str
    headers: dict[str, str] = attrs.field(repr=False)
    body: bytes = attrs.field(repr=False)
    status: int | None

    @property
    def company(self) -> str | None:
        """The Company that the request is for; None for a log-in."""
        return self.headers.get("companyname")

    @property
    def json(self) -> Any:
        """The decoded body; None if empty. Raises ValueError if not JSON."""
        return json.loads(self.body) if self.body else None


@attrs.define(eq=False)
class RequestRecorder:
    """ASGI middleware that records the requests to ``app``."""

    app: ASGIApp
    requests: deque[RecordedRequest] = attrs.field(factory=lambda: deque(maxlen=_MAX_REQUESTS))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Record a request and response status while passing the request to ``app``."""
        parts: list[bytes] = []
        status: list[int] = []

        async def record_and_receive() -> Message:
            message = await receive()
            parts.append(message.get("body", b""))
            return message

        async def record_and_send(message: Message) -> None:
            if message["type"] == "http.response.start":
                status.append(message["status"])
            await send(message)

        try:
            await self.app(scope, record_and_receive, record_and_send)
        except ConnectionError:
            status.clear()
            raise
        finally:
            if scope["type"] == "http":
                self.requests.append(_recorded(scope, b"".join(parts), status))


def _recorded(scope: Scope, body: bytes, status: list[int]) -> RecordedRequest:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    headers.pop("authorization", None)
    has_secret = scope["path"].lower().startswith("/oauth/")
    return RecordedRequest(
        scope["method"],
        scope["path"],
        scope["query_string"].decode("latin-1"),
        headers,
        b"" if has_secret else body,
        status[0] if status else None,
    )


_COMMANDS = "/api/v1/cmd/"
_DISCOVERY = "GetCompanyWsdkUrlCommand"  # sent by a client's log-in, not by the test
_BASE = frozenset({"create", "update", "delete"})
"""Operations of fault rules that only match records, although users expect them to match commands, too."""


class UnmatchedFaultWarning(UserWarning):
    """Rule of ``wosdk_faults`` that had no effect, because no request of the test matched."""


def warnings_of(faults: Faults, requests: Sequence[RecordedRequest]) -> Iterator[UnmatchedFaultWarning]:
    """Yield a warning for each rule that no request has matched."""
    unmatched = faults.unmatched()
    paths = [request.path for request in requests] if unmatched else []
    commands = [path.removeprefix(_COMMANDS) for path in paths if path.startswith(_COMMANDS)]
    commands = [name for name in commands if name != _DISCOVERY]
    for rule in unmatched:
        shown = ", ".join([repr(rule.kind), *(f"{k}={v!r}" for k, v in rule.written.items() if k != "fault")])
        yield UnmatchedFaultWarning(
            f"the fault add({shown}) matched none of the {len(paths)} requests of this test and had"
            f" no effect{_remedy(rule, commands)}. If intended, end the test with wosdk_faults.clear()"
        )


def _remedy(rule: Rule, commands: list[str]) -> str:
    """Return a suggestion, if the test ran commands and the rule is for records."""
    if not rule.operation & _BASE or not commands:
        return ""
    if "create" in rule.operation and "WoCreateCommand" in commands:
        return "; a command creates work orders: use operation='WoCreateCommand'"
    return f"; commands are separate operations: use operation={commands[0]!r}"
