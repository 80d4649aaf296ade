"""The addresses below ``/_sandbox/``: they steer the sandbox itself and are no part of the service.

They answer this machine only, and no web page of another origin: they show credentials and delete rows.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wosdk_async.sandbox.env import variables
from wosdk_async.sandbox.errors import Refusal, StoreError
from wosdk_async.sandbox.http.local_only import is_foreign_page, is_local
from wosdk_async.sandbox.schema.bodies import dump, peek_json, require_body
from wosdk_async.sandbox.seed.seed import found_company, reset
from wosdk_async.sandbox.storage.store import Store

__all__ = ["admin_routes", "guarded"]

Endpoint = Callable[[Request], Awaitable[Response]]
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)


def admin_routes(store: Store) -> list[Route]:
    """Companies, snapshots and resets of a store."""

    async def companies(request: Request) -> object:
        if request.method == "POST":
            body = await _object(request)
            found_company(
                store,
                str(body.get("Name", "")),
                host=str(body.get("Host", "")),
                live=body.get("Live") is True,
                seeded=body.get("Seeded", True) is not False,
            )
        store.refresh()
        root = str(request.base_url)
        return {"Companies": [_shown(company, root) for company in store.companies()]}

    async def snapshot(request: Request) -> object:
        name = (await _object(request)).get("Name", "snapshot")
        store.take_snapshot(_beside(store, name))
        return {"Name": name}

    async def back(request: Request) -> object:
        name = (await _object(request)).get("Name")
        reset(store, None if name is None else _beside(store, name))
        return {"Name": name}

    routes: list[tuple[str, list[str], Callable[[Request], Awaitable[object]]]] = [
        ("companies", ["GET", "POST"], companies),
        ("snapshot", ["POST"], snapshot),
        ("reset", ["POST"], back),
    ]
    return [Route(f"/_sandbox/{name}", _json(answer), methods=methods) for name, methods, answer in routes]


def guarded(routes: Iterable[Route], *, open_to_all: bool = False) -> list[Route]:
    """The same routes, answering callers of this machine only, unless they are open to all.

    A page of another origin is refused in any case, also one whose host name was made to lead here.
    """
    return [
        Route(
            route.path, _guarded(route.endpoint, open_to_all=open_to_all), methods=sorted(route.methods or ())
        )
        for route in routes
    ]


def _guarded(endpoint: Endpoint, *, open_to_all: bool) -> Endpoint:

    @functools.wraps(endpoint)
    async def answer(request: Request) -> Response:
        if not open_to_all and not is_local(request):
            return _refused(403, "This address answers its own machine only; serve with --open-admin.")
        if is_foreign_page(request):
            return _refused(403, "This address does not answer pages of another origin.")
        return await endpoint(request)

    return answer


def _json(answer: Callable[[Request], Awaitable[object]]) -> Endpoint:
    @functools.wraps(answer)
    async def endpoint(request: Request) -> Response:
        try:
            return Response(dump(await answer(request)), media_type="application/json")
        except (StoreError, ValueError, Refusal) as error:
            return _refused(400, str(error))

    return endpoint


def _shown(company: Any, root: str) -> dict[str, object]:
    return {
        "Id": company.id,
        "Name": company.name,
        "Url": company.address(root),
        "Live": company.live,
        "Variables": variables(company, root.rstrip("/")),
    }


def _beside(store: Store, name: object) -> Path:
    """The file of a named snapshot: beside the store, so that no request can name another file."""
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        raise ValueError("Name is 1 to 64 letters, digits, hyphens or underscores.")
    return store.path.with_name(f"{store.path.name}.{name}.snapshot")


async def _object(request: Request) -> dict[str, Any]:
    raw = await request.body()
    return require_body(peek_json(raw)) if raw.strip() not in (b"", b"{}") else {}


def _refused(status: int, text: str) -> Response:
    return Response(dump({"ErrorMessage": text}), status, media_type="application/json")
