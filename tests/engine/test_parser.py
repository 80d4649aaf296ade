"""The parser, fuzzed: however a response is cut into pieces and whatever is wrong with it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from itertools import pairwise
from typing import cast

import httpcore
import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.engine.raw import RawServer, engine, get, responding
from tests.engine.test_responses import REFUSED, WHOLE
from tests.support.laws import each_of, examples
from wosdk_async.options import Limits
from wosdk_async.protocol.wire import Response
from wosdk_async.transport.http.decompression import BadContent, decompress
from wosdk_async.transport.http.engine import SendError
from wosdk_async.transport.http.native.parser import BadResponse, ResponseHeaders, ResponseParser

RECORDED = {name: raw for name, (raw, _, _) in WHOLE.items()} | REFUSED
SMALL = {name: raw for name, raw in RECORDED.items() if len(raw) < 400}
LIMITS = Limits()


def response_in(*pieces: bytes) -> Response:
    """What comes of a response in these pieces, with the end of the connection after them."""
    parser = ResponseParser(LIMITS)
    try:
        response = None
        for piece in pieces:
            response = response or parser.feed(piece)
        return response or parser.end()
    finally:
        parser.close()


def read(*pieces: bytes) -> tuple[int, tuple[tuple[bytes, bytes], ...], bytes] | None:
    """Like response_in, decompressed; None if refused. Only BadResponse and BadContent are raised."""
    try:
        response = response_in(*pieces)
        assert isinstance(response.headers, ResponseHeaders)
        return response.status, tuple(response.headers.raw), decompressed(response)
    except (BadResponse, BadContent):
        return None


def decompressed(response: Response) -> bytes:
    """The body, which is small: to decompress it takes no turn of an event loop."""
    steps = decompress(response.body, response.headers, LIMITS.body)
    try:
        steps.send(None)
    except StopIteration as end:
        return cast(bytes, end.value)
    raise AssertionError("a small body was not decompressed at once")


@each_of("raw", SMALL.values(), ids=SMALL)
def test_every_cut_in_two_and_byte_by_byte(raw: bytes) -> None:
    """The same response, or an error again, at every place where a segment could end."""
    whole = read(raw)
    assert {read(raw[:cut], raw[cut:]) for cut in range(len(raw) + 1)} == {whole}
    assert read(*(raw[i : i + 1] for i in range(len(raw)))) == whole


@pytest.mark.parametrize("empty", [b"\r\n", b"\r\n\r\n", b"\n"])
def test_empty_lines_before_a_response_are_passed_over(empty: bytes) -> None:
    """They are no headers, and no end of them, wherever they are cut."""
    whole, after = read(SMALL["gzip"]), empty + SMALL["gzip"]
    assert whole is not None
    assert {read(after[:cut], after[cut:]) for cut in range(len(empty) + 20)} == {whole}


@given(raw=st.sampled_from(sorted(RECORDED.values())), cuts=st.lists(st.integers(0, 700), max_size=9))
def test_any_pieces(raw: bytes, cuts: list[int]) -> None:
    """The same for any number of pieces."""
    places = [0, *sorted(min(cut, len(raw)) for cut in cuts), len(raw)]
    assert read(*(raw[a:b] for a, b in pairwise(places))) == read(raw)


def head(size: int, status: int = 200) -> bytes:
    """A head of so many bytes."""
    start, end = b"HTTP/1.1 %d OK\r\nContent-Length: 2\r\nX: " % status, b"\r\n\r\n"
    return start + b"a" * (size - len(start) - len(end)) + end


HEADS = {
    "one": lambda size: head(size),
    "after early hints": lambda size: head(100, 103) + head(size - 100),
    "behind hints that are long": lambda size: head(size - 100, 103) + head(100),
}


@pytest.mark.parametrize("made", HEADS.values(), ids=HEADS)
@pytest.mark.parametrize("over", [0, 1, 5000])
def test_the_limit_of_a_head_is_exact(made: Callable[[int], bytes], over: int) -> None:
    """To the byte, wherever the segments end, whether the body comes along or not."""
    limit = LIMITS.head
    whole = made(limit + over)
    for cut in (1, 50, 100, 150, 30_000, limit - 1, limit, limit + 1):
        for pieces in ((whole[:cut], whole[cut:] + b"hi"), (whole[:cut], whole[cut:], b"hi")):
            if over:
                with pytest.raises(BadResponse, match=f"more than {limit} bytes of headers"):
                    response_in(*pieces)
            else:
                assert response_in(*filter(None, pieces)).body == b"hi"


def test_chunk_marks_have_a_limit_of_their_own() -> None:
    """A head as long as it may be leaves them as much as a short one."""
    start = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    long = start[:-2] + b"X: " + b"a" * (LIMITS.head - len(start) - 5) + b"\r\n\r\n"
    assert len(long) == LIMITS.head
    marks = [b"2;" + b"a" * 30_000, b"a" * 30_000, b"\r\nhi\r\n0\r\n\r\n"]
    assert (
        response_in(long[:-9], long[-9:], *marks).body
        == response_in(start + marks[0], *marks[1:]).body
        == b"hi"
    )
    for first in (start, long):
        with pytest.raises(BadResponse, match="bytes of headers"):
            response_in(first, marks[0], b"a" * 40_000)


def test_the_limit_of_chunk_marks_is_exact() -> None:
    """As many bytes as a head may have, without a byte of the body between them; one more is refused."""
    parser = ResponseParser(LIMITS)
    parser.feed(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    assert parser.feed(b"2;" + b"a" * (LIMITS.head - 2)) is None
    assert parser.feed(b"\r\nhi\r\n") is None
    assert parser.feed(b"2;" + b"a" * (LIMITS.head - 2)) is None
    with pytest.raises(BadResponse, match="bytes of headers"):
        parser.feed(b"a")


@pytest.mark.parametrize("over", [0, 1])
def test_the_limit_of_headers_is_exact(over: int) -> None:
    """As many as it says; one more is refused."""
    lines = b"A: b\r\n" * (LIMITS.headers - 1 + over)
    raw = b"HTTP/1.1 200 OK\r\n" + lines + b"Content-Length: 2\r\n\r\nhi"
    if over:
        with pytest.raises(BadResponse, match=f"more than {LIMITS.headers} headers"):
            response_in(raw)
    else:
        assert response_in(raw).body == b"hi"


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("end", ["with the last piece", "apart"])
def test_the_limit_of_a_body_is_exact(over: int, end: str) -> None:
    """To the byte, whether the end of the body comes with its last piece or later."""
    pieces = [b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", b"64\r\n" + b"a" * 100 + b"\r\n"]
    pieces += [b"%x\r\n" % (900 + over), b"b" * (900 + over)]
    pieces += [b"\r\n", b"0\r\n\r\n"]
    if end != "apart":
        pieces[-3:] = [b"".join(pieces[-3:])]
    parser = ResponseParser(Limits(body=1000))
    if over:
        with pytest.raises(BadResponse, match="longer than 1000 bytes"):
            [parser.feed(piece) for piece in pieces]
    else:
        responses = [parser.feed(piece) for piece in pieces]
        assert responses[:-1] == [None] * (len(pieces) - 1)
        assert responses[-1] is not None
        assert responses[-1].body == b"a" * 100 + b"b" * 900


def test_a_header_keeps_all_but_the_blanks_around_it() -> None:
    """What is looked up and compared, as a Retry-After or a coding, is the value that was sent."""
    values = (b"XxX", b" X y\tX", b"\t \xe4X \t", b"X:X", b"")
    raw = b"".join(b"X:" + value + b"\r\n" for value in values)
    headers = response_in(b"HTTP/1.1 200 OK\r\n" + raw + b"Content-Length: 0\r\n\r\n").headers
    assert isinstance(headers, ResponseHeaders)
    assert headers.all_of(b"x") == [value.strip() for value in values]


@pytest.mark.parametrize(
    ("behind", "followed"),
    [(b"", False), (b"x", True), (b"HTTP/1.1 2", True), (SMALL["gzip"], True)],
    ids=["nothing", "a byte", "half a response", "a response"],
)
def test_a_response_says_that_other_bytes_followed_it(behind: bytes, followed: bool) -> None:
    """It may be that of another request, so it is accepted only with the RequestId that was sent."""
    response = response_in(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi" + behind)
    assert (response.body, response.followed) == (b"hi", followed)


def test_a_body_in_pieces_is_not_part_of_the_next_response() -> None:
    """Two responses of one connection, each in three pieces."""
    parser = ResponseParser(LIMITS)
    for letter in (b"a", b"b"):
        parser.reset()
        pieces = (b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", letter, letter)
        response = [parser.feed(piece) for piece in pieces][-1]
        assert response is not None
        assert response.body == letter * 2


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """A recorded response with bytes changed, left out, doubled, or with lines of another one in it."""
    raw = bytearray(draw(st.sampled_from(sorted(RECORDED.values()))))
    for _ in range(draw(st.integers(1, 4))):
        place = draw(st.integers(0, len(raw)))
        stretch = slice(place, place + draw(st.integers(0, 6)))
        kind = draw(st.sampled_from(["bytes", "double", "line"]))
        if kind == "bytes":
            raw[stretch] = draw(st.binary(max_size=4))
        elif kind == "double":
            raw[place:place] = raw[stretch]
        else:
            raw[place:place] = draw(st.sampled_from(sorted(RECORDED.values()))).partition(b"\r\n")[2][:40]
    return bytes(raw)


@examples(150)
@given(raw=mutated(), cut=st.integers(0, 200))
def test_what_is_broken_is_a_response_or_an_error(raw: bytes, cut: int) -> None:
    """Nothing but BadResponse is ever raised, and where a segment ends does not change what is read."""
    assert read(raw) == read(raw[:cut], raw[cut:])


@examples(15)
@given(raws=st.lists(mutated(), min_size=10, max_size=10))
async def test_what_is_broken_never_hangs_a_call(raws: list[bytes]) -> None:
    """The same through sockets: each call ends, and leaves nothing behind."""

    async def each(raw: bytes) -> None:
        async with RawServer(responding(raw)) as server, engine() as made:
            with contextlib.suppress(SendError):
                await asyncio.wait_for(get(made, server.url), 5)

    await asyncio.gather(*map(each, raws))


# --- beside httpx -----------------------------------------------------------------------------------


class Said(httpcore.AsyncNetworkBackend):
    """A network on which the service says ``raw``, whatever it is asked."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    async def connect_tcp(self, *_: object, **__: object) -> httpcore.AsyncNetworkStream:
        return httpcore.AsyncMockStream([self._raw])


async def by_httpx(raw: bytes) -> httpx.Response | None:
    """What httpx makes of the same bytes, before it decompresses; None for an error."""
    try:
        async with httpcore.AsyncConnectionPool(network_backend=Said(raw)) as pool:
            response = await pool.request("GET", "http://service/")
    except (httpcore.NetworkError, httpcore.ProtocolError):
        return None
    stream = httpx.ByteStream(response.content)
    return httpx.Response(response.status, headers=response.headers, stream=stream)


async def decoded_by_httpx(raw: bytes) -> tuple[int, bytes] | None:
    response = await by_httpx(raw)
    try:
        return response and (response.status_code, response.read())
    except httpx.DecodingError:
        return None


STRICTER = (  # what httpx reads and we refuse: it can be read in two ways, is cut, or was not asked for
    "two lengths",
    "length and chunks",
    "chunks and length",
    "a folded header",
    "bare line feeds",
    "an unknown coding",
    "cut gzip",
)


@each_of("name", sorted({*RECORDED} - {"two gzip members"}))  # httpx gives the first of them
async def test_httpx_reads_the_same(name: str) -> None:
    """The same status and body, or an error of both, but for what we refuse on purpose."""
    mine, theirs = read(RECORDED[name]), await decoded_by_httpx(RECORDED[name])
    if name in STRICTER:
        assert (mine, theirs is None) == (None, False)
    else:
        assert theirs == (mine and (mine[0], mine[2]))


@examples(300)
@given(raw=mutated())
def test_httpx_never_reads_another_response(raw: bytes) -> None:
    """Of broken bytes one may refuse what the other reads, but they never read two different responses."""
    theirs = asyncio.run(by_httpx(raw))
    try:
        mine = response_in(raw)
    except BadResponse:
        return
    if theirs is not None:
        assert (theirs.status_code, b"".join(theirs.iter_raw())) == (mine.status, mine.body)
