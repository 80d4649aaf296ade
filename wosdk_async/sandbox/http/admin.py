"""Addresses below ``/_sandbox/``: they control the sandbox itself and are not part of the service.

They show credentials and delete records, so requests of other machines and of web pages of another origin
are refused. Changes by a browser need the header of the console, too; those by curl do not.
"""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import attrs
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wosdk_async.sandbox.access import Endpoint, guarded
from wosdk_async.sandbox.clock import Clock, span_of
from wosdk_async.sandbox.env import env_of
from wosdk_async.sandbox.errors import Refusal, StoreError
from wosdk_async.sandbox.faults.script import FaultScript
from wosdk_async.sandbox.faults.state import Faults
from wosdk_async.sandbox.schema.bodies import dump, peek_json, require_body
from wosdk_async.sandbox.seed.initial import create_company, reset, set_verification
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store

__all__ = ["admin_routes"]

_SNAPSHOT_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}", re.ASCII)

JsonEndpoint = Callable[[Request], Awaitable[Mapping[str, object]]]


def admin_routes(store: Store, clock: Clock, faults: Faults, *, open_to_all: bool) -> list[Route]:
    """Return the routes that control one sandbox.

    Args:
        store: store whose Companies, snapshots and resets they control.
        clock: clock that they read and move forward.
        faults: faults whose script they read, replace and remove.
        open_to_all: whether other machines may use the routes.
    """
    companies, controls = _Companies(store), _Controls(clock, faults)
    endpoints: list[tuple[str, list[str], JsonEndpoint]] = [
        ("companies", ["GET", "POST", "PUT"], companies.companies),
        ("snapshot", ["POST"], companies.snapshot),
        ("reset", ["POST"], companies.reset),
        ("faults", ["GET", "PUT", "DELETE"], controls.faults),
        ("clock", ["GET", "POST"], controls.time),
    ]

    def route(name: str, methods: list[str], endpoint: JsonEndpoint) -> Route:
        remedy = "serve with --open-admin to let other machines use it"
        safe = guarded(_json(endpoint), remedy=remedy, open_to_all=open_to_all, for_programs=True)
        return Route(f"/_sandbox/{name}", safe, methods=methods)

    return [route(*each) for each in endpoints]


@attrs.frozen
class _Companies:
    """Endpoints for the Companies of a store, its snapshots and resets."""

    store: Store

    async def companies(self, request: Request) -> Mapping[str, object]:
        if request.method == "POST":
            body = await _optional_object(request)
            create_company(
                self.store,
                str(body.get("Name", "")),
                host=str(body.get("Host", "")),
                live=body.get("Live") is True,
                seeded=body.get("Seeded", True) is not False,
                verification=body.get("Verification", True) is not False,
            )
        if request.method == "PUT":
            self._change(await _optional_object(request))
        self.store.refresh()
        root = str(request.base_url)
        return {"Companies": [_company_json(company, root) for company in self.store.companies()]}

    def _change(self, body: dict[str, Any]) -> None:
        """Switch the verification step of the Company that a body names."""
        name, verification = str(body.get("Name", "")).lower(), body.get("Verification")
        found = [company for company in self.store.companies() if company.name.lower() == name]
        if not found or not isinstance(verification, bool):
            raise ValueError("Name must be that of a Company, and Verification true or false.")
        set_verification(self.store, found, verification)

    async def snapshot(self, request: Request) -> Mapping[str, object]:
        name = (await _optional_object(request)).get("Name", "snapshot")
        self.store.take_snapshot(self._file(name))
        return {"Name": name}

    async def reset(self, request: Request) -> Mapping[str, object]:
        name = (await _optional_object(request)).get("Name")
        reset(self.store, None if name is None else self._file(name))
        return {"Name": name}

    def _file(self, name: object) -> Path:
        """Return the file of a named snapshot: beside the store, so that no request can name another file."""
        if not isinstance(name, str) or not _SNAPSHOT_NAME.fullmatch(name):
            raise ValueError("Name must be 1 to 64 letters, digits, hyphens or underscores.")
        return self.store.path.with_name(f"{self.store.path.name}.{name}.snapshot")


@attrs.frozen
class _Controls:
    """Endpoints for the faults and the clock. JSON has the keys that a fault script has in TOML."""

    clock: Clock
    active_faults: Faults

    async def faults(self, request: Request) -> Mapping[str, object]:
        if request.method == "PUT":
            self.active_faults.load(FaultScript.of(await _json_with_floats(request)))
        if request.method == "DELETE":
            self.active_faults.clear()
        return self.active_faults.report()

    async def time(self, request: Request) -> Mapping[str, object]:
        if request.method == "POST":
            self.clock.advance(**span_of(await _json_with_floats(request)))
        return {"now": self.clock.now.isoformat().replace("+00:00", "Z")}


def _json(endpoint: JsonEndpoint) -> Endpoint:
    """Return an endpoint that responds with the JSON of another, or with its error."""

    @functools.wraps(endpoint)
    async def respond(request: Request) -> Response:
        try:
            return Response(dump(await endpoint(request)), media_type="application/json")
        except (StoreError, ValueError, OverflowError, Refusal) as error:
            status = error.status if isinstance(error, Refusal) else 400
            body = {"ErrorCode": "INCORRECT_MODEL", "ErrorMessage": str(error)}
            return Response(dump(body), status, media_type="application/json")

    return respond


def _company_json(company: StoredCompany, root: str) -> dict[str, object]:
    return {
        "Id": company.id,
        "Name": company.name,
        "Url": company.address(root),
        "Live": company.live,
        "Verification": company.verification,
        "Variables": env_of(company, root.rstrip("/")),
    }


async def _optional_object(request: Request) -> dict[str, Any]:
    """Return the JSON object of a request; an empty one if there is no body."""
    raw = await request.body()
    return require_body(peek_json(raw)) if raw.strip() not in (b"", b"{}") else {}


async def _json_with_floats(request: Request) -> Any:
    """Return the JSON of a request with fractions as float, as a fault script in TOML has them."""
    try:
        return json.loads(await request.body())
    except RecursionError:
        raise ValueError("The body is nested too deeply.") from None
    except ValueError as error:
        raise ValueError(f"The body is not JSON: {error}.") from None
