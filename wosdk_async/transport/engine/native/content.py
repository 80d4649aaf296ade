"""Bodies as they were before they were compressed."""

from __future__ import annotations

import zlib

import attrs

from wosdk_async.transport.engine.native.parser import Garbage
from wosdk_async.wire import Reply

__all__ = ["inflated"]

_GZIP, _ZLIB, _RAW = 31, 15, -15  # zlib's names for its formats
_FORMATS = {"gzip": _GZIP, "x-gzip": _GZIP, "deflate": _ZLIB}


def inflated(answer: Reply, limit: int) -> Reply:
    """``answer`` with its body decompressed to at most ``limit`` bytes. Raises Garbage."""
    values = answer.headers.get("content-encoding", "")
    codings = [
        coding for each in values.lower().split(",") if (coding := each.strip()) not in ("", "identity")
    ]
    if len(codings) > 1 or (codings and codings[0] not in _FORMATS):
        raise Garbage(f"the content coding {values} was not asked for")
    if not codings or not answer.body:
        return answer
    return attrs.evolve(answer, body=_content(answer.body, _FORMATS[codings[0]], limit))


def _content(body: bytes, kind: int, limit: int) -> bytes:
    try:
        return _inflated(body, kind, limit)
    except zlib.error as cause:
        if kind == _ZLIB:  # some servers send deflate without the zlib frame around it
            return _inflated_raw(body, limit)
        raise Garbage(f"the body is no gzip ({cause})") from cause


def _inflated_raw(body: bytes, limit: int) -> bytes:
    try:
        return _inflated(body, _RAW, limit)
    except zlib.error as cause:
        raise Garbage(f"the body is not deflated ({cause})") from cause


def _inflated(body: bytes, kind: int, limit: int) -> bytes:
    """All members of ``body``, one after the other (RFC 1952 2.2)."""
    whole = bytearray()
    while body:
        member = zlib.decompressobj(kind)
        whole += member.decompress(body, limit + 1 - len(whole))
        if len(whole) > limit:
            raise Garbage(f"the answer is longer than {limit} bytes when it is decompressed")
        if not member.eof:
            raise Garbage("the compressed body is cut")
        body = member.unused_data
    return bytes(whole)
