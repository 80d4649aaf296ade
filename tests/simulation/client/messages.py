"""Requests and responses as the simulated service sees them, their effects, and the log of a connection."""

from __future__ import annotations

import json
import re
from typing import Any

import attrs

KEY = re.compile(r"K\d+(?:-\d+)?")
"""Key of a call, in the PoNumber or name that the call sends."""


@attrs.define(eq=False)
class Request:
    """Complete request. ``key`` is the key of its call."""

    host: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    kind: str = ""
    key: str = ""
    keys: tuple[str, ...] = ()
    """Keys of all calls that the request is for; a look-up may have several."""
    request_id: str | None = None
    content: Any = None

    def __attrs_post_init__(self) -> None:
        path = self.path
        if self.body[:1] == b"{":
            self.content = json.loads(self.body)
            self.request_id = self.content.get("RequestId")
        if path == "/OAuth/token":
            self.kind = self.key = "token"
        elif path.endswith("/GetCompanyWsdkUrlCommand"):
            self.kind = self.key = "discovery"
        else:
            found = KEY.findall(self.body.decode() or path)
            self.keys = tuple(dict.fromkeys(found)) or (path,)
            self.key = self.keys[0]
            self.kind = self._verb()

    @classmethod
    def parse(cls, host: str, data: bytes) -> tuple[Request, bytes] | None:
        """Return the request at the start of ``data`` and the other bytes; None for an incomplete request."""
        head, end, rest = data.partition(b"\r\n\r\n")
        if not end:
            return None
        first, *lines = head.decode("latin-1").split("\r\n")
        headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        length = int(headers.get("content-length", 0))
        if len(rest) < length:
            return None
        method, path, _ = first.split(" ")
        return cls(host, method, path, headers, rest[:length]), rest[length:]

    def _verb(self) -> str:
        if "/cmd/" in self.path:
            return "command"
        if "/query/" in self.path:
            return "lookup"
        return {"POST": "create", "PUT": "update", "GET": "get", "DELETE": "delete"}[self.method]


@attrs.define(eq=False)
class Response:
    """Status, headers, and body: the members of a JSON object, or bytes."""

    status: int
    body: dict[str, Any] | bytes
    headers: tuple[str, ...] = ()

    @classmethod
    def from_json(cls, status: int, body: bytes) -> Response:
        return cls(status, json.loads(body))

    @property
    def content(self) -> bytes:
        return self.body if isinstance(self.body, bytes) else json.dumps(self.body).encode()


@attrs.frozen
class Effect:
    """Effect of one request: key of its call, id of the record, and the time from which queries show it."""

    kind: str
    key: str
    id: int
    at: float
    visible_from: float


@attrs.define(eq=False)
class ResponseUnit:
    """One response on its way to the client, for the checks after the run.

    ``strange`` marks a response that the service never sends: a gateway's page, a 408, broken JSON.
    """

    key: str
    form: str
    names_request: bool
    strange: bool = False
    surplus: bool = False
    arrived: int = 0
    """Number of the event in which the first byte arrived."""
    since: float = 0.0
    until: float = 0.0
    """Times when the first and the last byte arrived."""


@attrs.define(eq=False)
class Exchange:
    """Log of one connection. Event numbers increase with time over all connections."""

    written: list[tuple[int, bytes]] = attrs.field(factory=list)
    """Event number and bytes of each write of the client."""
    units: list[ResponseUnit] = attrs.field(factory=list)
