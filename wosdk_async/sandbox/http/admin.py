"""Admin routes below ``/_sandbox/``. They are local, because they show credentials and delete records."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import attrs
from starlette.requests import Request
from starlette.routing import Route

from wosdk_async.sandbox.access import JsonEndpoint, guarded, json_object
from wosdk_async.sandbox.clock import Clock
from wosdk_async.sandbox.console.routes import clock_endpoint
from wosdk_async.sandbox.env import env_of
from wosdk_async.sandbox.faults.script import FaultScript
from wosdk_async.sandbox.faults.state import Faults
from wosdk_async.sandbox.seed.initial import create_company, reset, set_verification
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store

_FLAGS = ("Live", "Seeded", "Verification")  # of a new Company


def admin_routes(store: Store, clock: Clock, faults: Faults, *, open_to_all: bool) -> list[Route]:
    """Return a sandbox's admin routes; ``open_to_all`` lets other machines use them."""
    companies = _Companies(store)

    async def script(request: Request) -> Mapping[str, object]:
        if request.method == "PUT":
            faults.load(FaultScript.of(await json_object(request)))
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

    remedy = "serve with --open-admin to let other machines use it"
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
            raise ValueError("Name must be a Company name, and Verification true or false.")
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
        """Return a snapshot's file, always beside the store, so that requests cannot reach other files."""
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
