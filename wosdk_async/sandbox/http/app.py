"""ASGI application of a sandbox: faults, the service, and the sandbox's own routes.

The admin routes below ``/_sandbox/`` show credentials and delete records, so by default only clients on the
same machine may use them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from email.utils import formatdate
from functools import partial
from pathlib import Path
from typing import Any

import attrs
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wosdk_async.sandbox.access import ID, JsonEndpoint, guarded, is_internal, json_object
from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.console.request_log import RequestLog, RequestLogMiddleware
from wosdk_async.sandbox.console.routes import clock_endpoint, console_routes
from wosdk_async.sandbox.env import env_of
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.exchange import BufferedResponse
from wosdk_async.sandbox.faults.script import FaultScript
from wosdk_async.sandbox.faults.state import FaultMiddleware, Faults
from wosdk_async.sandbox.http.openapi import openapi_routes
from wosdk_async.sandbox.http.router import Router, ServiceRequest
from wosdk_async.sandbox.schema.bodies import dump, parse_query
from wosdk_async.sandbox.schema.dialect import SPEC, dialect_of
from wosdk_async.sandbox.seed.initial import create_company, reset, set_verification
from wosdk_async.sandbox.service.documents import find_file
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import GroupCommit, Store

MAX_BODY = 32 * 1024 * 1024  # bytes; assumed, because facts 7 shows no limit

# facts 3.8: every recorded response has these headers. _dated() adds Date.
_HEADERS = [
    (b"cache-control", b"no-cache"),
    (b"pragma", b"no-cache"),
    (b"content-type", b"application/json; charset=utf-8"),
    (b"expires", b"-1"),
    (b"strict-transport-security", b"max-age=31536000; includeSubDomains"),
]
# Keep a stored HTML file from using the console, which has the same origin. Not shown; assumed
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
    """Create the ASGI application of a sandbox.

    Args:
        store: open store with the Companies.
        clock: clock for all times and token lifetimes (default: system time).
        dialect: ``spec`` to respond as specified, or ``recorded`` to respond like a release of the service
            whose responses were recorded.
        faults: fault script (default: no faults).
        ports: ports that the server listens on; Companies may move between them.
        open_admin: whether other machines may use the routes below ``/_sandbox/``.
        log: request log for the console (default: off).

    Raises:
        ValueError: the dialect is unknown.
    """
    clock, faults, log = clock or Clock(), faults or Faults(), log or RequestLog()
    faults.moved_hosts.ports = ports
    service = _Service(Router(store, clock, dialect_of(dialect)), GroupCommit(store))
    admin = admin_routes(store, clock, faults, open_to_all=open_admin)
    internal = Starlette(
        routes=[_files(store), *admin, *console_routes(store, clock, faults, log), *openapi_routes()]
    )

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_own = scope["type"] != "http" or is_internal(path, scope["method"]) or path.startswith("/files/")
        await (internal if is_own else service)(scope, _limit_body(receive), send)

    faulty = FaultMiddleware(app, faults, store, clock, service.router.tokens.expire, service.refusal)
    return _dated(RequestLogMiddleware(faulty, log, clock), clock)


def _dated(app: ASGIApp, clock: Clock) -> ASGIApp:
    """Add a ``Date`` header with the sandbox clock's time to each response (facts 3.8)."""

    async def dated(scope: Scope, receive: Receive, send: Send) -> None:
        async def send_dated(message: Message) -> None:
            if message["type"] == "http.response.start":
                date = (b"date", formatdate(clock() / 10**9, usegmt=True).encode())
                message = {**message, "headers": [*message.get("headers", ()), date]}
            await send(message)

        await app(scope, receive, send_dated)

    return dated


@attrs.frozen
class _Service:
    """The service as a bare ASGI application for every path and method."""

    router: Router
    commits: GroupCommit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            body = await _body(receive)
            if body is None:  # the client closed the connection mid-request
                return
            status, content = self._respond(scope, body)
            await self.commits.wait()
        except Refusal as refusal:  # of the body
            status, content = refusal.status, self._error(refusal, None)
        except Exception:
            # A bug of the sandbox. facts 6 has the status. Not shown; assumed: the body.
            await _send(send, 500, b"{}")
            raise
        await _send(send, status, content)

    def _respond(self, scope: Scope, body: bytes) -> tuple[int, bytes]:
        request = _request(scope, body)
        request_id = self.router.request_id(request)
        try:
            status, found = self.router.respond(request)
        except Refusal as refusal:
            return refusal.status, self._error(refusal, request_id)
        return status, _body_with(found, request_id)

    def refusal(self, refused: Refusal, request_id: str | None) -> BufferedResponse:
        return BufferedResponse(refused.status, _HEADERS, self._error(refused, request_id))

    def _error(self, refusal: Refusal, request_id: str | None) -> bytes:
        dialect = self.router.dialect
        error = {
            "ErrorMessage": refusal.message + (refusal.hint if dialect.explains else ""),
            "ErrorCode": refusal.code,
            "TimeStamp": _stamp(self.router.clock()),
        }
        return _body_with(error, request_id if dialect.errors_show_request_id else None)


def _body_with(members: Mapping[str, object], request_id: str | None) -> bytes:
    """Encode a body. RequestId is the last key of every successful response (spec 4.2, facts 5)."""
    return dump(members if request_id is None else {**members, "RequestId": request_id})


async def _send(send: Send, status: int, body: bytes) -> None:
    headers = [*_HEADERS, (b"content-length", b"%d" % len(body))]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _stamp(now: int) -> str:
    """Format a UTC time with one (spec 7) to seven (facts 3.5) fraction digits."""
    whole = datetime.fromtimestamp(now // 10**9, UTC).strftime("%Y-%m-%dT%H:%M:%S")
    fraction = f"{now % 10**9 // 100:07d}".rstrip("0") or "0"
    return f"{whole}.{fraction}Z"


def _request(scope: Scope, body: bytes) -> ServiceRequest:
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


def _limit_body(receive: Receive) -> Receive:
    """Wrap ``receive`` to raise a Refusal for bodies over the limit. Not shown; assumed: the status."""
    size = 0

    async def receive_limited() -> Message:
        nonlocal size
        message = await receive()
        size += len(message.get("body", b""))
        if size > MAX_BODY:
            raise Refusal(413, "INCORRECT_MODEL", f"The body is larger than {MAX_BODY} bytes.")
        return message

    return receive_limited


async def _body(receive: Receive) -> bytes | None:
    parts, more = [], True
    while more:
        message = await receive()
        if message["type"] == "http.disconnect":
            return None
        parts.append(message.get("body", b""))
        more = message.get("more_body", False)
    return b"".join(parts)


def _files(store: Store) -> Route:
    async def file(request: Request) -> Response:
        found = find_file(store, **request.path_params)
        if found is None:  # facts 3.10: another service stores files. Not shown; assumed: its response
            return Response(b"There is no such file.", 404, media_type="text/plain")
        content, mime_type = found
        return Response(content, headers=_FILE_HEADERS, media_type=mime_type)

    return Route(f"/files/{{company:{ID}}}/{{document:{ID}}}/{{key}}", file, methods=["GET"])


# --- admin routes ------------------------------------------------------------------------------

_FLAGS = ("Live", "Seeded", "Verification")  # of a new Company


def admin_routes(store: Store, clock: Clock, faults: Faults, *, open_to_all: bool) -> list[Route]:
    """Return a sandbox's admin routes; ``open_to_all`` lets other machines use them."""
    companies = _Companies(store)

    async def script(request: Request) -> Mapping[str, object]:
        if request.method == "PUT":
            loaded = FaultScript.of(await json_object(request))
            loaded.require_companies(company.name for company in store.companies())
            faults.load(loaded)
        if request.method == "DELETE":
            faults.clear()
        return faults.report()

    endpoints: list[tuple[str, list[str], JsonEndpoint]] = [
        ("companies", ["GET", "POST", "PUT"], companies.companies),
        ("snapshot", ["POST"], companies.snapshot),
        ("reset", ["POST"], companies.reset),
        ("faults", ["GET", "PUT", "DELETE"], script),
        ("clock", ["GET", "POST"], clock_endpoint(clock)),
    ]

    remedy = "; serve with --open-admin to let other machines use it"
    protect = partial(guarded, remedy=remedy, open_to_all=open_to_all, for_programs=True)
    return [Route(f"/_sandbox/{name}", protect(each), methods=methods) for name, methods, each in endpoints]


@attrs.frozen
class _Companies:
    store: Store

    async def companies(self, request: Request) -> Mapping[str, object]:
        if request.method == "POST":
            body = await json_object(request, ("Name", "Host", *_FLAGS), optional=True)
            flags = {name.lower(): body[name] for name in _FLAGS if name in body}
            if not all(isinstance(flag, bool) for flag in flags.values()):
                raise ValueError(f"{', '.join(_FLAGS)} must be true or false.")
            create_company(self.store, str(body.get("Name", "")), host=str(body.get("Host", "")), **flags)
        if request.method == "PUT":
            self._change(await json_object(request, ("Name", "Verification")))
        self.store.refresh()
        root = str(request.base_url)
        return {"Companies": [_company_json(company, root) for company in self.store.companies()]}

    def _change(self, body: dict[str, Any]) -> None:
        name, verification = str(body.get("Name", "")).lower(), body.get("Verification")
        found = [company for company in self.store.companies() if company.name.lower() == name]
        if not found or not isinstance(verification, bool):
            raise ValueError(
                "Name must be the name of an existing Company; Verification must be true or false."
            )
        set_verification(self.store, found, verification)

    async def snapshot(self, request: Request) -> Mapping[str, object]:
        name = (await json_object(request, ("Name",), optional=True)).get("Name", "snapshot")
        self.store.take_snapshot(self._file(name))
        return {"Name": name}

    async def reset(self, request: Request) -> Mapping[str, object]:
        name = (await json_object(request, ("Name",), optional=True)).get("Name")
        reset(self.store, None if name is None else self._file(name))
        return {"Name": name}

    def _file(self, name: object) -> Path:
        """Return a snapshot's file, always in the store's folder, so no request can reach other files."""
        if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", name, re.ASCII):
            raise ValueError("Name must be 1 to 64 letters, digits, hyphens or underscores.")
        return self.store.path.with_name(f"{self.store.path.name}.{name}.snapshot")


def _company_json(company: StoredCompany, root: str) -> dict[str, object]:
    return {
        "Id": company.id,
        "Name": company.name,
        "Url": company.address(root),
        "Live": company.live,
        "Verification": company.verification,
        "Variables": env_of(company, root.rstrip("/")),
    }
