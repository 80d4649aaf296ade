"""Faults of responses that belong to another call, or do not come from the service."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from tests.simulation.reverts import Reverts, replace
from wosdk_async.protocol import calls, envelopes, matching, responses, wire
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.tls import TLSTransport

REVERTS = Reverts()

REVERTS.replace(
    matching.RequestIds,
    "check",
    "request-id-not-compared",
    "a command's response with another RequestId is believed",
    "foreign-record done-but-lost",
)(lambda *_: None)

REVERTS.replace(
    Connection,
    "finish",
    "connection-kept",
    "a connection is kept after a response that is not the service's",
    "connection-kept",
)(lambda original, self, *_, **__: original(self, True))

REVERTS.replace(
    TLSTransport,
    "_note_records",
    "half-record-kept",
    "a part of a record of TLS is not noticed",
    "foreign-record done-but-lost",
)(lambda *_: None)


@REVERTS.add(
    "type-and-id-not-compared",
    "a base call believes a response that names another type or id",
    "foreign-record",
)
def _type_and_id_not_compared() -> Iterator[None]:
    with (
        replace(matching, "specifier_for", lambda decode, *_: decode),
        replace(matching, "record_with", lambda decode, *_: decode),
    ):
        yield


@REVERTS.add("null-result-done", "a CommandResult of null counts as success", "done-without-record")
def _null_result_done() -> Iterator[None]:
    original = envelopes.RESULT.plain

    def faulty(found: Any, one: Any) -> Any:
        return original(found | {"CommandResult": found["CommandResult"] or {}}, one)

    changed = attrs.evolve(envelopes.RESULT, plain=faulty)
    with (
        replace(envelopes, "RESULT", changed),
        replace(matching, "result_for", lambda decode, *_: (decode, None)),
    ):
        calls._kinds.clear()
        try:
            yield
        finally:
            calls._kinds.clear()


@REVERTS.replace(
    responses,
    "_failure",
    "gateway-503-repeated",
    "a 503 without the service's error body is followed by another attempt",
    "doubled failed-but-done",
)
def _fail(original: Any, response: wire.Response, *more: Any) -> Any:
    if response.status == 503:
        response = wire.Response(503, {"retry-after": "0"} | dict(response.headers), response.body)
    return original(response, *more)
