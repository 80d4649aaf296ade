"""Response parser without I/O; llhttp parses the grammar in strict mode.

Ambiguous responses are refused: two lengths, a length with chunks, a transfer coding other than chunked,
folded header lines, bare line feeds. Sizes are checked before anything is stored.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NoReturn

from httptools import HttpResponseParser

from wosdk_async.options import Limits
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.decompression import TOO_LONG, BodyBuffer

HEAD, _BODY, _DONE, _SURPLUS = range(4)
"""Stages: before the end of the head, in the body, complete, and complete with surplus bytes."""
_H = ord("H")  # first character of a status line
_FRAMING = (b"content-length", b"transfer-encoding")  # headers that determine where a body ends


class BadResponse(Exception):
    """Received bytes that are not a valid, unambiguous response."""


class CompressedResponse(Response):
    """Response whose body is still compressed, according to its headers."""

    __slots__ = ()


class ResponseParser:
    """Parser for a connection's successive responses; call :meth:`reset` before each."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._chunks: list[bytes] = []
        self.on_body = self._chunks.append
        self._parser = HttpResponseParser(self)
        self._body: BodyBuffer | None = None
        self._response: Response | None = None
        self.reset()

    def reset(self) -> None:
        """Discard the last response and expect the next."""
        self._stage = HEAD
        self._head: bytes | bytearray = b""
        self._end = 0  # end of the last parsed head: this response's, or a preceding 1xx's
        self._overhead = 0  # number of received bytes outside head and body
        self.reusable = False
        """Whether the connection may be reused: it stays open, and no surplus bytes have arrived."""
        self._compressed = False

    def close(self) -> None:
        """Free the received bytes and the C parser.

        Otherwise, both could stay in memory: an error's traceback may refer to this object, and this
        object and the C parser refer to each other.
        """
        self._body, self._head = None, b""
        self._chunks.clear()
        del self._parser

    @property
    def untouched(self) -> bool:
        """Whether no byte of the response has arrived."""
        return self._stage == HEAD and not (self._overhead or self._head)

    @property
    def begun(self) -> bool:
        """Whether bytes of the final response have arrived: a 1xx does not count."""
        return self._stage != HEAD or len(self._head) > self._end

    def feed(self, data: bytes) -> Response | None:
        """Parse ``data`` and return the response once complete. Raises BadResponse."""
        if self._stage == HEAD:  # keep the raw head: llhttp would create two strings and a call per header
            if not self._head:
                self._head = data
            else:
                self._head = head = bytearray(self._head) if isinstance(self._head, bytes) else self._head
                head += data
        try:
            self._parser.feed_data(data)
        except Exception as cause:  # raised by llhttp, or by one of the callbacks below
            if self._response is None:
                raise BadResponse(str(cause.__context__ or cause) or type(cause).__name__) from cause
            self._stage, self.reusable = _SURPLUS, False
        if self._response is None:
            self._keep_chunks(len(data))
            return None
        response, self._response = self._response, None  # an idle connection must not keep it in memory
        if self._stage == _SURPLUS:
            response.followed = True
        return response

    def end(self) -> Response:
        """Return the response after the peer has closed cleanly. Raises BadResponse.

        A body without a length ends when the connection closes (RFC 9112 6.3 rule 8). Only the format
        of the content, such as JSON or gzip, can then reveal a truncation.
        """
        if self._stage == _BODY and not any(map(self._headers.all_of, _FRAMING)):
            return self._make_response()
        when = "before it responded" if self.untouched else "in the middle of its response"
        raise BadResponse(f"the service closed the connection {when}")

    def _keep_chunks(self, received: int) -> None:
        """Move chunks to the body, and limit the bytes outside the body: headers, chunk framing, 1xx."""
        if not self._chunks:
            self._overhead += received
            if self._overhead > self._limits.head:
                self._refuse_head()
            return
        self._overhead = 0
        if self._body is None:
            self._body = BodyBuffer()
        self._body.add(b"".join(self._chunks))
        self._chunks.clear()
        if self._body.size > self._limits.body:
            self._refuse_body()

    def _refuse_head(self) -> NoReturn:
        raise BadResponse(f"more than {self._limits.head} bytes of headers")

    def _refuse_body(self) -> NoReturn:
        raise BadResponse(f"{TOO_LONG} {self._limits.body} bytes")

    def _make_response(self) -> Response:
        chunks = self._chunks
        body = chunks.pop() if self._body is None and len(chunks) == 1 else self._joined()
        if len(body) > self._limits.body:
            self._refuse_body()
        return (CompressedResponse if self._compressed else Response)(self._status, self._headers, body)

    def _joined(self) -> bytes:
        last, body = b"".join(self._chunks), self._body
        self._chunks.clear()
        if body is None:
            return last
        body.add(last)
        self._body = None
        return body.take()

    # --- called by llhttp; body pieces are appended to a list --------------------------------------

    def on_message_begin(self) -> None:
        """Record a second response, for which there is no request."""
        if self._stage == _DONE:
            self._stage, self.reusable = _SURPLUS, False

    def on_headers_complete(self) -> None:
        """Check the status and the size of the head."""
        if self._stage != HEAD:
            return
        self._stage = _BODY
        self._status = status = self._parser.get_status_code()
        if status < 100 or status == 101:
            raise BadResponse(f"status {status}")
        head, start = self._head, self._end
        if head[start] != _H:  # llhttp accepts empty lines before the status line
            start = len(head) - len(head[start:].lstrip(b"\r\n"))
        end = head.find(b"\r\n\r\n", start)
        if end < 0:
            raise BadResponse("malformed line endings in the header")
        lines = head[start:end] if isinstance(head, bytes) else bytes(head[start:end])
        self._end = end + 4
        if self._end > self._limits.head:
            self._refuse_head()
        most = self._limits.headers
        # A header has at least four bytes, so a block of 4 * most bytes or less has few enough headers.
        if len(lines) > 4 * most and lines.count(b"\r\n") > most:
            raise BadResponse(f"more than {most} headers")
        headers = self._headers = ResponseHeaders(lines)
        if (lower := lines.lower()).find(b"-encoding") >= 0:  # for bytes, ten times as fast as ``in``
            self._note_codings(headers, lower)
        if status >= 200:
            self._head = b""  # the remaining bytes are the body, which llhttp passes on
            self._overhead -= self._end  # the head does not count: it has its own limit

    def _note_codings(self, headers: ResponseHeaders, lower: bytes) -> None:
        self._compressed = b"content-encoding" in lower and bool(headers.all_of(b"content-encoding"))
        codings = headers.all_of(b"transfer-encoding") if b"transfer-encoding" in lower else ()
        if any(coding.lower() != b"chunked" for coding in codings):
            raise BadResponse("a transfer coding other than chunked")

    def on_message_complete(self) -> None:
        """Build the response, unless this is an interim 1xx response."""
        if self._stage != _BODY:
            return
        if self._status < 200:
            self._stage, self._compressed = HEAD, False
            return
        self._stage = _DONE
        self.reusable = self._parser.should_keep_alive()
        self._response = self._make_response()


class ResponseHeaders(Mapping[str, str]):
    """Response headers, split and decoded on first access.

    Names are lower case; repeated values are joined by commas. ``lines`` are a parsed status line and header
    lines, without the final line break.
    """

    __slots__ = ("_decoded", "_lines")

    def __init__(self, lines: bytes) -> None:
        self._lines = lines
        self._decoded: dict[str, str] | None = None

    @property
    def raw(self) -> list[tuple[bytes, bytes]]:
        """Names and values as received, in order."""
        pairs = (line.partition(b":") for line in self._lines.split(b"\r\n")[1:])
        return [(name, value.strip(b" \t")) for name, _, value in pairs]

    def all_of(self, name: bytes) -> list[bytes]:
        """Return all values of the header ``name``, given in lower case."""
        return [value for sent, value in self.raw if sent.lower() == name]

    def _all(self) -> dict[str, str]:
        if self._decoded is None:
            headers: dict[str, str] = {}
            for raw_name, raw_value in self.raw:
                name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
                headers[name] = f"{headers[name]}, {value}" if name in headers else value
            self._decoded = headers
        return self._decoded

    def __getitem__(self, name: str) -> str:
        return self._all()[name.lower()]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __repr__(self) -> str:
        return f"ResponseHeaders({self._all()!r})"
