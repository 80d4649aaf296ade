"""Faults on a real socket: only errors of this library come out, and nothing behind them holds a token.

``tests/transport/test_verdicts.py`` lets calls meet those of ``FAULTS``.
"""

from __future__ import annotations

import asyncio
import gzip
import pickle

import attrs
import pytest

from tests.support.frames import chained
from tests.support.service import RESET, SECRET, Answer, Service
from tests.transport.script import QUICK
from wosdk_async import DeadlineError, NotSentError, WosdkError

GOOD = b'{"CommandResult": {}, "Data": {"Id": 1}}'


@attrs.frozen
class Raw(Answer):
    """Exactly these bytes; ``ends`` closes the connection behind them."""

    sent: bytes = b""

    def raw(self) -> bytes:
        return self.sent


def raw(sent: bytes, *, ends: bool = True) -> Raw:
    return Raw(sent=sent, cut=len(sent) if ends else None)


def head(*lines: str, status: str = "200 OK") -> bytes:
    return "\r\n".join([f"HTTP/1.1 {status}", *lines, "", ""]).encode()


def sized(body: bytes, *lines: str) -> Raw:
    return raw(head(f"Content-Length: {len(body)}", *lines) + body)


CHUNKED = head("Transfer-Encoding: chunked")
FAULTS: dict[str, Answer] = {
    "reset": RESET,
    "half a status line": raw(b"HTTP/1.1 20"),
    "half a head": raw(b"HTTP/1.1 200 OK\r\nContent-Le"),
    "no body": raw(head("Content-Length: 40")),
    "half a body": raw(head("Content-Length: 40") + GOOD[:20]),
    "garbage": raw(b"\x00\xff\xfe garbage \r\n\r\n\r\n"),
    "another protocol": raw(b"220 mail.example ESMTP\r\n"),
    "version 9": raw(b"HTTP/9.9 200 OK\r\n\r\n"),
    "a chunk that is no number": raw(CHUNKED + b"ZZ\r\n{}\r\n0\r\n\r\n"),
    "half a chunk": raw(CHUNKED + b"28\r\n{}"),
    "no last chunk": raw(CHUNKED + b"2\r\n{}\r\n"),
    "no number as length": raw(head("Content-Length: many") + GOOD),
    "negative length": raw(head("Content-Length: -1") + GOOD),
    "two lengths": raw(head("Content-Length: 2", "Content-Length: 40") + GOOD),
    "a length that is too short": raw(head("Content-Length: 7") + GOOD),
    "a header that never ends": raw(head(f"X-Long: {'x' * 200_000}")),
    "headers that never end": raw(head(*(f"X-{i}: {i}" for i in range(20_000)))),
    "notices and no answer": raw(head(status="100 Continue") * 1000),
    "no gzip": sized(b"not gzip", "Content-Encoding: gzip"),
    "half a gzip": sized(gzip.compress(GOOD)[:15], "Content-Encoding: gzip"),
    "another coding": sized(gzip.compress(GOOD), "Content-Encoding: zip"),
    "too long when unpacked": sized(gzip.compress(b" " * (65 << 20), 1), "Content-Encoding: gzip"),
    "empty": sized(b""),
    "a page": sized(b"<html>service moved</html>"),
    "another charset": sized('{"Data": {"Name": "Kälte"}}'.encode("latin-1")),
    "null": sized(b"null"),
    "a list": sized(b"[1]"),
    "a number": sized(b"5"),
    "another shape": sized(b'{"CommandResult": [1], "Data": 5}'),
    "too deep": sized(b"[" * 100_000),
    "a page of a gateway": raw(head("Content-Length: 6", status="502 Bad Gateway") + b"<html>"),
    "moved": raw(head("Location: http://127.0.0.1:1/", "Content-Length: 0", status="302 Found")),
}


def check(error: WosdkError, *secrets: str) -> None:
    """Nothing behind ``error`` is of another library or holds a secret, and it can be sent elsewhere."""
    for each in chained(error):
        assert type(each).__module__.split(".")[0] in ("wosdk_async", "builtins", "asyncio"), each
        shown = repr((str(each), each.args, vars(each) if hasattr(each, "__dict__") else ""))
        assert not any(secret in shown for secret in secrets), shown
    assert str(pickle.loads(pickle.dumps(error))) == str(error)  # noqa: S301


async def plainly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """What a server without TLS says to a handshake."""
    await reader.read(1)
    writer.write(head("Content-Length: 0", status="400 Bad Request"))
    writer.close()


async def test_where_nobody_listens_nothing_was_sent() -> None:
    """A refused connection, and TLS to a port without it: the call never left."""
    async with Service() as gone:
        closed = gone.url
    async with Service() as service, await asyncio.start_server(plainly, "127.0.0.1", 0) as plain:
        without_tls = f"https://127.0.0.1:{plain.sockets[0].getsockname()[1]}"
        for url, retried in (
            (closed, True),
            (without_tls, False),
        ):  # the second is a wrong address, which lasts
            service.company_url = url
            async with service.client(options=QUICK) as client:
                with pytest.raises(NotSentError) as caught:
                    await client.company().with_options(deadline=2.0).run("WoStartCommand", {})
            check(caught.value, "token-", SECRET)
            assert (caught.value.attempts > 1) is retried
        assert service.calls == []


TOKEN = b'{"access_token": "a-token-that-is-cut", "expires_in"'


@pytest.mark.parametrize("answer", [sized(TOKEN), sized(b"\xff" + TOKEN)])
async def test_half_a_token_answer_is_not_shown(answer: Answer) -> None:
    """The text that could not be read held a token: no error keeps it."""
    async with Service() as service, service.client(options=QUICK) as client:
        service.on_token = lambda _: answer
        with pytest.raises((NotSentError, DeadlineError)) as caught:  # log-ins are retried
            await client.company().with_options(deadline=1.0).get("Thing", 1)
    check(caught.value, "a-token-that-is-cut", SECRET)
