"""Routes of the console: pages, and the JSON API below ``/console/api/``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import resources
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from wosdk_async.sandbox.access import ID, JsonEndpoint, error_response, guarded, json_object
from wosdk_async.sandbox.clock import Clock, span_of
from wosdk_async.sandbox.console.examples import example_of
from wosdk_async.sandbox.console.orders import choices, one_order, orders
from wosdk_async.sandbox.console.records import count_records, list_records, one_record, record_types
from wosdk_async.sandbox.console.request_log import MAX_BODY, MAX_REQUESTS, RequestLog
from wosdk_async.sandbox.errors import Refusal
from wosdk_async.sandbox.faults.script import FaultScript
from wosdk_async.sandbox.faults.state import Faults
from wosdk_async.sandbox.schema.bodies import Record, dump
from wosdk_async.sandbox.schema.values import Moment
from wosdk_async.sandbox.seed.initial import set_verification
from wosdk_async.sandbox.service.context import RequestContext
from wosdk_async.sandbox.storage.store import Store

_MAX_DIGITS = 7
_TYPES = {"html": "text/html", "css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_PAGE_HEADERS = {
    # Scripts and styles only come from this origin's files, and text cannot become markup
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}

_COUNTED = ("WorkOrder", "Customer", "Contact", "Location", "Employee", "Document")

_VIEWS: dict[str, Callable[..., Record]] = {
    "orders": orders,
    f"orders/{{key:{ID}}}": one_order,
    "choices": choices,
    "types": record_types,
    "types/{entity}": list_records,
    f"types/{{entity}}/{{key:{ID}}}": one_record,
    "examples/{command}": example_of,
}
_LISTS: dict[Callable[..., Record], tuple[str, ...]] = {
    orders: ("page", "state", "text"),
    list_records: ("page", "field", "operator", "value", "by", "to", "sort", "direction"),
}
"""Query parameters of each list view."""

FILES = frozenset(
    file.name for file in resources.files(__package__).joinpath("static").iterdir() if "." in file.name
)
"""File names in ``static/``: plain HTML, CSS and ES modules, without a build step."""


def console_routes(store: Store, clock: Clock, faults: Faults, log: RequestLog) -> list[Route]:
    """Return a sandbox's console routes."""
    console = _Console(store, clock, _RulesView(faults), log)
    endpoints: list[tuple[str, list[str], JsonEndpoint]] = [
        ("companies", ["GET"], console.companies),
        (f"companies/{{company:{ID}}}", ["PUT"], console.company),
        *(
            (f"companies/{{company:{ID}}}/{path}", ["GET"], console.view(view))
            for path, view in _VIEWS.items()
        ),
        ("log", ["GET", "PUT", "DELETE"], console.requests),
        (f"log/{{number:{ID}}}", ["GET"], console.request),
        ("faults", ["GET", "PUT"], console.faults),
        ("clock", ["GET", "POST"], clock_endpoint(clock)),
    ]

    return [
        Route("/", _site_root),
        Route("/console", guarded(_front_page)),
        *(
            Route(f"/console/api/{path}", guarded(endpoint), methods=methods)
            for path, methods, endpoint in endpoints
        ),
        Route("/console/{file:path}", _file),
    ]


def page(name: str) -> Response:
    """Return one of ``FILES``, with a content security policy that only allows this origin."""
    content = resources.files(__package__).joinpath("static", name).read_bytes()
    return Response(content, headers=_PAGE_HEADERS, media_type=_TYPES[name.rpartition(".")[2]])


@attrs.frozen
class _Console:
    store: Store
    clock: Clock
    rules: _RulesView
    log: RequestLog

    async def companies(self, _request: Request) -> Record:
        self.store.refresh()
        return {
            "Companies": [
                {
                    "Id": company.id,
                    "Name": company.name,
                    "Live": company.live,
                    "Verification": company.verification,
                    "ClientId": company.client_id,
                    "Counts": {name: count_records(self.store, company.id, name) for name in _COUNTED},
                }
                for company in self.store.companies()
            ]
        }

    async def company(self, request: Request) -> Record:
        verification = await _flag(request, "verification")
        set_verification(self.store, [self._context(request).company], verification)
        return await self.companies(request)

    def view(self, view: Callable[..., Record]) -> JsonEndpoint:
        """Return an endpoint that calls a view with the path's keys and, for a list, the query and page."""

        async def endpoint(request: Request) -> Record:
            form, (_, *keys) = _form(request, *_LISTS.get(view, ())), request.path_params.values()
            page = [form, _whole_number(form.get("page", "0"), "page")] if view in _LISTS else []
            context = self._context(request)
            return {"Company": context.company.name} | view(context, *keys, *page)

        return endpoint

    async def requests(self, request: Request) -> Record:
        after = _whole_number(_form(request, "after").get("after", "0"), "after")
        if request.method == "PUT":
            self.log.on = await _flag(request, "on")
        if request.method == "DELETE":
            self.log.clear()
        return {
            "on": self.log.on,
            "last": self.log.last,
            "limits": {"requests": MAX_REQUESTS, "body": MAX_BODY},
            "requests": [exchange.summary() for exchange in self.log.newest() if exchange.number > after],
        }

    async def request(self, request: Request) -> Record:
        found = self.log.find(request.path_params["number"])
        if found is None:
            raise Refusal(404, "", "This request is no longer in the log.")
        return found.detail()

    async def faults(self, request: Request) -> Record:
        if request.method == "PUT":
            body = await json_object(request, ("seed", "rules"))
            self.rules.put(body.get("seed", 0), body.get("rules"))
        return self.rules.report()

    def _context(self, request: Request) -> RequestContext:
        wanted = request.path_params["company"]
        company = next((each for each in self.store.companies() if each.id == wanted), None)
        if company is None:
            raise Refusal(404, "", f"There is no Company with id {wanted}.")
        return RequestContext(self.store, company, Moment(self.clock() // 100), str(request.base_url))


def clock_endpoint(clock: Clock) -> JsonEndpoint:
    """Return the endpoint that reads a clock and moves it forward."""

    async def endpoint(request: Request) -> Record:
        if request.method == "POST":
            clock.advance(**span_of(await json_object(request)))
        return {"now": clock.now.isoformat().replace("+00:00", "Z")}

    return endpoint


async def _site_root(request: Request) -> Response:
    if "text/html" in request.headers.get("accept", ""):
        return RedirectResponse("/console")
    return Response(dump({"Console": "/console", "Description": "/docs"}), media_type="application/json")


async def _front_page(_request: Request) -> Response:
    return page("console.html")


async def _file(request: Request) -> Response:
    name = request.path_params["file"]
    if not name:
        return RedirectResponse("/console")
    return page(name) if name in FILES else error_response(404, "There is nothing at this path.")


async def _flag(request: Request, name: str) -> bool:
    value = (await json_object(request)).get(name)
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false.")
    return value


def _form(request: Request, *known: str) -> Mapping[str, str]:
    """Return the query parameters. Raises ValueError for a parameter that would have no effect."""
    if unknown := request.query_params.keys() - known:
        takes = ", ".join(known) or "none"
        raise ValueError(f"{min(unknown)!r:.40} is not a query parameter here; known: {takes}.")
    return request.query_params


def _whole_number(written: str, name: str) -> int:
    if not (written.isascii() and written.isdigit() and len(written) <= _MAX_DIGITS):
        raise ValueError(f"{name} must be a whole number of at most {_MAX_DIGITS} digits.")
    return int(written)


@attrs.define
class _RulesView:
    """Fault rules in the console, including inactive ones. A script loaded elsewhere replaces all rules."""

    faults: Faults
    _rules: list[tuple[dict[str, Any], bool]] = attrs.field(factory=list, init=False)
    _loaded: FaultScript | None = attrs.field(default=None, init=False)

    def report(self) -> dict[str, Any]:
        found = self.faults.report()
        if self.faults.script is not self._loaded:
            self._rules = [(rule, True) for rule in found["rule"]]
        counts = iter(zip(found["matched"], found["applied"], strict=True))
        rules = []
        for rule, on in self._rules:
            matched, applied = next(counts) if on else (0, 0)
            rules.append({"rule": rule, "on": on, "matched": matched, "applied": applied})
        return {"rules": rules} | {name: found[name] for name in ("seed", "injected", "late")}

    def put(self, seed: object, rules: object) -> None:
        """Replace the rules, and activate those marked as on. Raises ValueError if any rule is invalid."""
        if not isinstance(rules, list) or not all(_is_rule_entry(each) for each in rules):
            raise ValueError(
                "rules must be a list of objects with the keys rule (an object) and on (true or false)."
            )
        FaultScript.of({"seed": seed, "rule": [each["rule"] for each in rules]})
        script = FaultScript.of({"seed": seed, "rule": [each["rule"] for each in rules if each["on"]]})
        self.faults.load(script)
        self._loaded, self._rules = script, [(each["rule"], each["on"]) for each in rules]


def _is_rule_entry(value: object) -> bool:
    return isinstance(value, dict) and value.keys() == {"rule", "on"} and isinstance(value["on"], bool)
