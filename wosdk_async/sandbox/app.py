"""The HTTP face: reads a request, hands it to the office, writes the reply as the service does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from .body import dump
from .clock import Clock
from .errors import Refusal
from .faults import Faults
from .faults_admin import fault_routes
from .faults_app import FaultyApp
from .faults_exchange import Reply
from .files import PATH
from .office import Office, Question
from .store import Store

__all__ = ["MAX_BODY", "create_app"]

MAX_BODY = 32 * 1024 * 1024  # bytes; facts 7 knows no limit of the service, assumed

# facts 3.8: the same on every recorded reply. Date and Content-Length come from the server.
_HEADERS = {
    "Cache-Control": "no-cache",
    "Pragma": "no-cache",
    "Content-Type": "application/json; charset=utf-8",
    "Expires": "-1",
    "Strict-Transport-Security": "max-age=31536000; includeSubDomains",
}
_METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]


def create_app(
    store: Store, clock: Clock | None = None, *, faults: Faults | None = None, ports: Sequence[int] = ()
) -> Starlette:
    """The local service over an open store.

    Args:
        clock: for all times and for the life of tokens; the system's when left out.
        faults: what goes wrong; nothing until they are told otherwise.
        ports: those the server listens at, between which a Company may move.
    """
    clock, faults = clock or Clock(), faults or Faults()
    faults.homes.ports = ports
    office = Office(store, clock)

    async def endpoint(request: Request) -> Response:
        request_id: list[object] = []
        try:
            status, reply = office.answer(await _question(request), request_id)
        except Refusal as refusal:
            status, reply = refusal.status, _error(refusal, clock())
        if request_id:  # the last key of success and error (facts 5)
            reply = {**reply, "RequestId": request_id[0]}
        return Response(dump(reply), status, _HEADERS)

    async def file(request: Request) -> Response:
        found = office.file(**request.path_params)
        if found is None:  # facts 3.10: the storage is another service; how it refuses is assumed
            return Response(b"There is no such file.", 404, media_type="text/plain")
        return Response(found.content, media_type=found.mime_type)

    def refusal(refused: Refusal) -> Reply:
        headers = [(name.lower().encode(), value.encode()) for name, value in _HEADERS.items()]
        return Reply(refused.status, headers, dump(_error(refused, clock())))

    faulty = Middleware(
        FaultyApp, faults=faults, store=store, tokens=office.tokens, clock=clock, refusal=refusal
    )
    routes = [
        *fault_routes(faults, clock),
        Route(PATH, file, methods=["GET"]),
        Route("/{path:path}", endpoint, methods=_METHODS),
    ]
    return Starlette(routes=routes, middleware=[faulty], exception_handlers={Exception: _unhandled})


async def _unhandled(_request: Request, _error: Exception) -> Response:
    """A mistake of this program: facts 6 has the status, the body is not documented."""
    return Response(b"{}", 500, _HEADERS)


def _error(refusal: Refusal, now: int) -> dict[str, object]:
    return {"ErrorMessage": refusal.message, "ErrorCode": refusal.code, "TimeStamp": _stamp(now)}


def _stamp(now: int) -> str:
    """UTC with seven fraction digits, zeros at the end cut (facts 3.5)."""
    whole = datetime.fromtimestamp(now // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f"{now % 10**9 // 100:07d}".rstrip("0")
    return f"{whole}.{fraction}Z" if fraction else f"{whole}Z"


async def _question(request: Request) -> Question:
    return Question(
        method=request.method,
        segments=tuple(part for part in request.url.path.split("/") if part),
        query=_lowered(request.query_params),
        headers=request.headers,
        body=await _body(request),
        root=f"{request.url.scheme}://{request.url.netloc}/",
    )


def _lowered(values: Mapping[str, str]) -> dict[str, str]:
    return {name.lower(): value for name, value in values.items()}


async def _body(request: Request) -> bytes:
    """The body, read no further than the limit.

    Raises:
        Refusal: 413 (not shown; assumed).
    """
    parts, size = [], 0
    try:
        async for part in request.stream():
            size += len(part)
            if size > MAX_BODY:
                raise Refusal(413, "INCORRECT_MODEL", f"The body is larger than {MAX_BODY} bytes.")
            parts.append(part)
    except ClientDisconnect:
        return b""
    return b"".join(parts)
