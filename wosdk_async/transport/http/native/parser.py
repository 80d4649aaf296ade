"""From bytes to one response at a time. No input, no output; the grammar is llhttp's, in its strict mode.

What could be read in two ways is refused: two lengths, a length beside chunks, another transfer coding,
folded header lines, bare line feeds. What is received is bounded before it is kept.
"""

from __future__ import annotations

from typing import NoReturn

from httptools import HttpResponseParser

from wosdk_async.options import Limits
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.bodies import Body
from wosdk_async.transport.http.engine import ResponseHeaders

__all__ = ["BadResponse", "CodedResponse", "HeaderLines", "ResponseParser"]


class HeaderLines(ResponseHeaders):
    """The headers of a head whose grammar llhttp has accepted."""

    __slots__ = ("_lines",)

    def __init__(self, lines: bytes) -> None:
        self._lines = lines
        """The status line and what follows it, without the line break at the end."""
        self._decoded = None

    @property
    def raw(self) -> list[tuple[bytes, bytes]]:
        """Names and values as they were sent, in their order."""
        pairs = (line.partition(b":") for line in self._lines.split(b"\r\n")[1:])
        return [(name, value.strip(b" \t")) for name, _, value in pairs]

    def every(self, name: bytes) -> list[bytes]:
        """The values of all headers of a name, which is given in lower case."""
        return [value for sent, value in self.raw if sent.lower() == name]


_HEAD, _BODY, _DONE, _MORE = range(4)
_H = ord("H")  # as a status line begins
_PLAIN = (b"content-length", b"transfer-encoding")  # the headers that say where a body ends


class BadResponse(Exception):
    """What came is no answer, or none that can be trusted."""


class CodedResponse(Response):
    """A reply whose body is as it was sent: a header says how it was compressed."""

    __slots__ = ()


class ResponseParser:
    """Reads the answers of one connection, each after :meth:`expect`."""

    __slots__ = (
        "_answer",
        "_bare",
        "_body",
        "_chunks",
        "_coded",
        "_end",
        "_head",
        "_headers",
        "_limits",
        "_parser",
        "_silent",
        "_stage",
        "_status",
        "on_body",
        "reusable",
    )

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._chunks: list[bytes] = []
        self.on_body = self._chunks.append
        self._parser = HttpResponseParser(self)
        self._body: Body | None = None
        self._answer: Response | None = None
        self.expect()

    def expect(self, bare: bool = False) -> None:
        """Forget the answer before. ``bare``: the next has no body whatever its headers say (HEAD)."""
        self._bare = bare
        self._stage = _HEAD
        self._head: bytes | bytearray = b""
        self._end = 0  # of the last head in it that was read: of this answer, or of an 1xx before it
        self._silent = 0
        self.reusable = False
        """Whether the connection may be used again: nothing came behind the answer, and it may stay."""
        self._coded = False

    def close(self) -> None:
        """Let go of what was received, as the traceback of an error may hold on to this object; and of the C
        parser, which holds this object and is held by it.
        """
        self._body, self._head = None, b""
        self._chunks.clear()
        del self._parser

    @property
    def untouched(self) -> bool:
        """Whether not a byte of the answer has come."""
        return self._stage == _HEAD and not (self._silent or self._head)

    def feed(self, data: bytes) -> Response | None:
        """The answer, once ``data`` completes it. Raises BadResponse."""
        if self._stage == _HEAD:  # kept: llhttp would make two texts and a call of each header
            if not self._head:
                self._head = data
            else:
                self._head = head = bytearray(self._head) if isinstance(self._head, bytes) else self._head
                head += data
        try:
            self._parser.feed_data(data)
        except Exception as cause:  # whatever llhttp or a callback stumbles over
            self._silent += len(data)
            if self._answer is None:
                raise BadResponse(str(cause.__context__ or cause) or type(cause).__name__) from cause
            self._stage, self.reusable = _MORE, False
        if self._answer is None:
            self._keep_count(len(data))
            return None
        answer, self._answer = self._answer, None  # not kept while the connection rests
        if self._stage == _MORE:
            answer.followed = True
        return answer

    def end(self) -> Response:
        """The answer, when the other side has closed in good order. Raises BadResponse.

        A body without a length ends there (RFC 9112 6.3 rule 8). That one was cut can be told only by what
        is in it; JSON and gzip tell.
        """
        if self._stage == _BODY and not any(map(self._headers.every, _PLAIN)):
            return self._reply()
        what = "before it answered" if self.untouched else "in the middle of its answer"
        raise BadResponse(f"the service closed the connection {what}")

    def _keep_count(self, received: int) -> None:
        """Bound what is kept, and what comes without bringing anything: headers, chunk marks, 1xx."""
        if not self._chunks:
            self._silent += received
            if self._silent > self._limits.head:
                self._refuse_head()
            return
        self._silent = 0
        if self._body is None:
            self._body = Body()
        self._body.add(b"".join(self._chunks))
        self._chunks.clear()
        if self._body.size > self._limits.body:
            self._refuse_long()

    def _refuse_head(self) -> NoReturn:
        raise BadResponse(f"more than {self._limits.head} bytes of headers")

    def _refuse_long(self) -> NoReturn:
        raise BadResponse(f"the answer is longer than {self._limits.body} bytes")

    def _reply(self) -> Response:
        """The answer, whose body is not kept here any longer."""
        chunks = self._chunks
        body = chunks.pop() if self._body is None and len(chunks) == 1 else self._joined()
        if len(body) > self._limits.body:
            self._refuse_long()
        return (CodedResponse if self._coded else Response)(self._status, self._headers, body)

    def _joined(self) -> bytes:
        """The body, of none or several pieces."""
        last, body = b"".join(self._chunks), self._body
        self._chunks.clear()
        if body is None:
            return last
        body.add(last)
        self._body = None
        return body.take()

    # --- called by llhttp; a body's pieces go straight into a list ------------------------------

    def on_message_begin(self) -> None:
        if self._stage == _DONE:
            self._stage, self.reusable = _MORE, False  # bytes that nobody asked for, after the answer

    def on_headers_complete(self) -> None:
        if self._stage != _HEAD:
            return
        self._stage = _BODY
        self._status = status = self._parser.get_status_code()
        if status < 100 or status == 101:
            raise BadResponse(f"status {status}")
        head, start = self._head, self._end
        if head[start] != _H:  # llhttp lets empty lines pass before the status line
            start = len(head) - len(head[start:].lstrip(b"\r\n"))
        end = head.find(b"\r\n\r\n", start)
        if end < 0:
            raise BadResponse("header lines that do not end as they should")
        lines = bytes(head[start:end])
        self._end = end + 4
        if self._end > self._limits.head:
            self._refuse_head()
        most = self._limits.headers
        if len(lines) > 4 * most and lines.count(b"\r\n") > most:  # a header has four bytes at least
            raise BadResponse(f"more than {most} headers")
        headers = self._headers = HeaderLines(lines)
        if (lower := lines.lower()).find(b"-encoding") >= 0:  # not "in", ten times as slow for bytes
            self._read_codings(headers, lower)
        if status >= 200:
            self._head = b""  # the rest of what came is the body, which comes as such
            self._silent -= self._end  # which has its own bound; what follows begins anew
        if self._bare and status >= 200:
            self._answer = Response(status, headers, b"")

    def _read_codings(self, headers: HeaderLines, lower: bytes) -> None:
        self._coded = b"content-encoding" in lower and bool(headers.every(b"content-encoding"))
        codings = headers.every(b"transfer-encoding") if b"transfer-encoding" in lower else ()
        if any(coding.lower() != b"chunked" for coding in codings):
            raise BadResponse("a transfer coding other than chunked")

    def on_message_complete(self) -> None:
        if self._stage != _BODY:
            return
        if self._status < 200:  # 1xx: the answer is still to come
            self._stage, self._coded = _HEAD, False
            return
        self._stage = _DONE
        self.reusable = self._parser.should_keep_alive()
        if self._answer is None:
            self._answer = self._reply()
