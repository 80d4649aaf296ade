"""The last requests and their answers. Kept as they came, and read only when somebody looks."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

import attrs

__all__ = ["MAX_BODY", "MAX_HEADERS", "MAX_REQUESTS", "Body", "Headers", "LoggedExchange", "RequestLog"]

MAX_REQUESTS = 300
MAX_BODY = 16 * 1024  # bytes kept of each body; with MAX_REQUESTS this bounds the memory
MAX_HEADERS = 64

Headers = Sequence[tuple[bytes, bytes]]


@attrs.define
class Body:
    """The beginning of a body, and how long all of it is, in bytes."""

    kept: bytearray = attrs.field(factory=bytearray, repr=False)
    size: int = 0

    def add(self, part: bytes) -> None:
        self.size += len(part)
        room = MAX_BODY - len(self.kept)
        if part and room > 0:
            self.kept += part[:room]

    @property
    def cut(self) -> bool:
        return self.size > len(self.kept)


@attrs.define
class LoggedExchange:
    """One request and what became of it.

    Args:
        number: counts the requests from 1.
        began: nanoseconds since 1970, by the clock of the sandbox.
        path: as it was sent, with its query, cut at some length.
        status: None while there is no answer, and when the connection broke before one.
        seconds: until the end of the answer; None until then.
    """

    number: int
    began: int
    method: str
    path: str
    headers: Headers = attrs.field(repr=False)
    request: Body = attrs.field(factory=Body)
    reply: Body = attrs.field(factory=Body)
    reply_headers: Headers = attrs.field(default=(), repr=False)
    status: int | None = None
    seconds: float | None = None
    broken: bool = False


@attrs.define
class RequestLog:
    """A ring of the last exchanges.

    Args:
        on: whether requests are recorded; may be changed at any time.
    """

    on: bool = False
    last: int = attrs.field(default=0, init=False)
    _kept: deque[LoggedExchange] = attrs.field(factory=lambda: deque(maxlen=MAX_REQUESTS), init=False)

    def begin(self, began: int, method: str, path: str, headers: Headers) -> LoggedExchange:
        """A new exchange, which the caller fills."""
        self.last += 1
        exchange = LoggedExchange(self.last, began, method, path, headers)
        self._kept.append(exchange)
        return exchange

    def newest(self) -> list[LoggedExchange]:
        """All that are kept, the newest first."""
        return list(reversed(self._kept))

    def find(self, number: int) -> LoggedExchange | None:
        return next((exchange for exchange in self._kept if exchange.number == number), None)

    def clear(self) -> None:
        """Forget all; the numbers go on."""
        self._kept.clear()
