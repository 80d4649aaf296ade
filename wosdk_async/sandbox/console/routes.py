"""The addresses of the console: its pages, and the JSON below ``/console/api/`` that they read."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from decimal import Decimal
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.console.exchanges import detail, summary
from wosdk_async.sandbox.console.guard import guarded, refused
from wosdk_async.sandbox.console.orders import companies, one_order, orders
from wosdk_async.sandbox.console.pages import PARTS, page
from wosdk_async.sandbox.console.request_log import MAX_BODY, MAX_REQUESTS, RequestLog
from wosdk_async.sandbox.console.switches import Switches
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.rules import Faults
from wosdk_async.sandbox.http.internal_paths import ID
from wosdk_async.sandbox.schema.bodies import Record, dump, peek_json, require_body
from wosdk_async.sandbox.schema.values import Moment
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.storage.store import Store

__all__ = ["console_routes"]

_MAX_DIGITS = 7
_SPANS = ("seconds", "minutes", "hours", "days")

Answer = Callable[[Request], Awaitable[Record]]


def console_routes(store: Store, clock: Clock, faults: Faults, log: RequestLog) -> list[Route]:
    """The routes of the console of one sandbox."""
    console = _Console(store, clock, Switches(faults), log)
    answers: list[tuple[str, list[str], Answer]] = [
        ("companies", ["GET"], console.companies),
        (f"companies/{{company:{ID}}}/orders", ["GET"], console.orders),
        (f"companies/{{company:{ID}}}/orders/{{key:{ID}}}", ["GET"], console.order),
        ("log", ["GET", "PUT", "DELETE"], console.requests),
        (f"log/{{number:{ID}}}", ["GET"], console.request),
        ("faults", ["GET", "PUT"], console.faults),
        ("clock", ["GET", "POST"], console.time),
    ]
    return [
        Route("/", _root),
        Route("/console", guarded(_front)),
        *(Route(f"/console/api/{path}", guarded(_json(answer)), methods=ms) for path, ms, answer in answers),
        Route("/console/{part:path}", _part),
    ]


@attrs.frozen
class _Console:
    """What the page asks for."""

    store: Store
    clock: Clock
    switches: Switches
    log: RequestLog

    async def companies(self, _request: Request) -> Record:
        return {"Companies": companies(self.store)}

    async def orders(self, request: Request) -> Record:
        asked = request.query_params
        number = _whole(asked.get("page", "0"), "page")
        return orders(self._desk(request), asked.get("state", ""), asked.get("text", ""), number)

    async def order(self, request: Request) -> Record:
        return one_order(self._desk(request), request.path_params["key"])

    async def requests(self, request: Request) -> Record:
        after = _whole(request.query_params.get("after", "0"), "after")
        if request.method == "PUT":
            self.log.on = await _flag(request, "on")
        if request.method == "DELETE":
            self.log.clear()
        return {
            "on": self.log.on,
            "last": self.log.last,
            "limits": {"requests": MAX_REQUESTS, "body": MAX_BODY},
            "requests": [summary(exchange) for exchange in self.log.newest() if exchange.number > after],
        }

    async def request(self, request: Request) -> Record:
        found = self.log.find(request.path_params["number"])
        if found is None:
            raise Refusal(404, "", "The log has forgotten this request.")
        return detail(found)

    async def faults(self, request: Request) -> Record:
        if request.method == "PUT":
            body = require_body(peek_json(await request.body()))
            self.switches.put(body.get("seed", 0), body.get("rules"))
        return self.switches.report()

    async def time(self, request: Request) -> Record:
        if request.method == "POST":
            self.clock.advance(**_span(require_body(peek_json(await request.body()))))
        return {"now": self.clock.now.isoformat().replace("+00:00", "Z")}

    def _desk(self, request: Request) -> RequestContext:
        wanted = request.path_params["company"]
        company = next((each for each in self.store.companies() if each.id == wanted), None)
        if company is None:
            raise Refusal(404, "", f"There is no Company with id {wanted}.")
        return RequestContext(self.store, company, Moment(self.clock() // 100), str(request.base_url))


async def _root(request: Request) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse("/console")
    return Response(dump({"Console": "/console", "Description": "/docs"}), media_type="application/json")


async def _front(_request: Request) -> Response:
    return page("console.html")


async def _part(request: Request) -> Response:
    part = request.path_params["part"]
    if not part:
        return RedirectResponse("/console")
    return page(part) if part in PARTS else refused(404, "There is nothing at this path.")


def _json(answer: Answer) -> Callable[[Request], Awaitable[Response]]:
    async def endpoint(request: Request) -> Response:
        try:
            body = dump(await answer(request))
        except Refusal as refusal:
            return refused(refusal.status, refusal.message)
        except (ValueError, OverflowError) as error:
            return refused(400, str(error))
        return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})

    return endpoint


async def _flag(request: Request, name: str) -> bool:
    value = require_body(peek_json(await request.body())).get(name)
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false.")
    return value


def _whole(written: str, name: str) -> int:
    if not (written.isascii() and written.isdigit() and len(written) <= _MAX_DIGITS):
        raise ValueError(f"{name} must be a whole number of at most {_MAX_DIGITS} digits.")
    return int(written)


def _span(body: dict[str, Any]) -> dict[str, float]:
    """A span of time; the clock itself refuses one that it cannot go."""
    if not body.keys() <= set(_SPANS) or not all(map(_is_number, body.values())):
        raise ValueError(f"Name how far the clock goes on, by numbers called {', '.join(_SPANS)}.")
    return {name: float(value) for name, value in body.items()}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool) and math.isfinite(value)
