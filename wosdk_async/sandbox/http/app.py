"""The HTTP face: reads a request, hands it to the office, writes the reply as the service does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

import attrs
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.console import Recorder, RequestLog, console_routes
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.admin import fault_routes
from wosdk_async.sandbox.faults.exchange import FaultyResponse
from wosdk_async.sandbox.faults.middleware import FaultMiddleware
from wosdk_async.sandbox.faults.rules import Faults
from wosdk_async.sandbox.http.admin import admin_routes, guarded
from wosdk_async.sandbox.http.internal_paths import ID, is_aside
from wosdk_async.sandbox.http.openapi.document import openapi_routes
from wosdk_async.sandbox.http.router import Router, ServiceRequest
from wosdk_async.sandbox.schema.bodies import dump, parse_query
from wosdk_async.sandbox.schema.dialect import SPEC, dialect_of
from wosdk_async.sandbox.storage.store import GroupCommit, Store

__all__ = ["MAX_BODY", "create_app"]

MAX_BODY = 32 * 1024 * 1024  # bytes; facts 7 knows no limit of the service, assumed

# facts 3.8: the same on every recorded reply. Date comes from the server.
_HEADERS = [
    (b"cache-control", b"no-cache"),
    (b"pragma", b"no-cache"),
    (b"content-type", b"application/json; charset=utf-8"),
    (b"expires", b"-1"),
    (b"strict-transport-security", b"max-age=31536000; includeSubDomains"),
]
# not shown; assumed. A stored page must not act as the console, which has the same origin here
_FILE_HEADERS = {"Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff"}


def create_app(
    store: Store,
    clock: Clock | None = None,
    *,
    dialect: str = SPEC.name,
    faults: Faults | None = None,
    ports: Sequence[int] = (),
    open_admin: bool = False,
    log: RequestLog | None = None,
) -> ASGIApp:
    """The local service over an open store.

    Args:
        clock: for all times and for the life of tokens; the system's when left out.
        dialect: ``spec``, or ``recorded`` to answer as the recorded release does where it differs.
        faults: what goes wrong; nothing until they are told otherwise.
        ports: those the server listens at, between which a Company may move.
        open_admin: whether the addresses below ``/_sandbox/`` answer other machines than this one.
        log: of the requests, for the console; one that is off when left out.

    Raises:
        ValueError: there is no such dialect.
    """
    clock, faults, log = clock or Clock(), faults or Faults(), log or RequestLog()
    faults.homes.ports = ports
    service = _Service(Router(store, clock, dialect_of(dialect)), GroupCommit(store), clock)
    shown = [*console_routes(store, clock, faults, log), *openapi_routes()]
    steering = guarded([*fault_routes(faults, clock), *admin_routes(store)], open_to_all=open_admin)
    pages = Starlette(routes=[_files(service.office), *steering, *shown])

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        aside = scope["type"] != "http" or is_aside(path, scope["method"]) or path.startswith("/files/")
        await (pages if aside else service)(scope, receive, send)

    faulty = FaultMiddleware(app, faults, store, service.office.tokens, clock, service.refusal)
    return Recorder(faulty, log, clock)


@attrs.frozen
class _Service:
    """The service itself, as a bare ASGI application: it answers every path and method by its own rules."""

    office: Router
    commits: GroupCommit
    clock: Clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await _body(receive)
            if body is None:  # who asked hung up in the middle of the request
                return
            status, reply = self._answer(scope, body)
            await self.commits.wait()
        except Exception:
            # A mistake of this program: facts 6 has the status, the body is not documented
            await _send(send, 500, b"{}")
            raise
        await _send(send, status, reply)

    def _answer(self, scope: Scope, body: bytes | Refusal) -> tuple[int, bytes]:
        request_id: list[str] = []
        try:
            if isinstance(body, Refusal):
                raise body
            status, reply = self.office.answer(_question(scope, body), request_id)
        except Refusal as refusal:
            return refusal.status, self._error(refusal, request_id[0] if request_id else None)
        return status, _body_with(reply, request_id[0] if request_id else None)

    def refusal(self, refused: Refusal, request_id: str | None) -> FaultyResponse:
        """The whole answer that a refusal gets, for what goes wrong on command."""
        return FaultyResponse(refused.status, _HEADERS, self._error(refused, request_id))

    def _error(self, refusal: Refusal, request_id: str | None) -> bytes:
        dialect = self.office.dialect
        error = {
            "ErrorMessage": refusal.message + (refusal.hint if dialect.explains else ""),
            "ErrorCode": refusal.code,
            "TimeStamp": _stamp(self.clock()),
        }
        return _body_with(error, request_id if dialect.errors_show_request_id else None)


def _body_with(reply: Mapping[str, object], request_id: str | None) -> bytes:
    """Return the bytes of a reply. A RequestId is the last key of every success (spec 4.2, facts 5)."""
    return dump(reply if request_id is None else {**reply, "RequestId": request_id})


async def _send(send: Send, status: int, body: bytes) -> None:
    headers = [*_HEADERS, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _stamp(now: int) -> str:
    """UTC with up to seven fraction digits, zeros at the end cut (facts 3.5) but one (spec 7)."""
    whole = datetime.fromtimestamp(now // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f"{now % 10**9 // 100:07d}".rstrip("0") or "0"
    return f"{whole}.{fraction}Z"


def _question(scope: Scope, body: bytes) -> ServiceRequest:
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in reversed(scope["headers"])}
    host, port = scope.get("server") or ("localhost", None)
    authority = headers.get("host") or (f"{host}:{port}" if port else host)
    return ServiceRequest(
        method=scope["method"],
        segments=tuple(part for part in scope["path"].split("/") if part),
        query=parse_query(scope["query_string"]),
        headers=headers,
        body=body,
        root=f"{scope['scheme']}://{authority}/",
    )


async def _body(receive: Receive) -> bytes | Refusal | None:
    """The body, read no further than the limit: then 413 (not shown; assumed)."""
    parts, size, more = [], 0, True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > MAX_BODY:
            return Refusal(413, "INCORRECT_MODEL", f"The body is larger than {MAX_BODY} bytes.")
        parts.append(part)
        more = message.get("more_body", False)
    return b"".join(parts)


def _files(office: Router) -> Route:
    async def file(request: Request) -> Response:
        found = office.file(**request.path_params)
        if found is None:  # facts 3.10: the storage is another service; how it refuses is assumed
            return Response(b"There is no such file.", 404, media_type="text/plain")
        return Response(found.content, headers=_FILE_HEADERS, media_type=found.mime_type)

    return Route(f"/files/{{company:{ID}}}/{{document:{ID}}}/{{key}}", file, methods=["GET"])
