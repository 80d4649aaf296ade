"""A plain HTTP caller of the local service: nothing of the project's client is used here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import httpx
from starlette.types import ASGIApp

from wosdk_async.sandbox import Clock, create_app
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store

ORDER: dict[str, Any] = {
    "Items": [{"Asset": {"Id": 20440}, "Task": {"Id": 14211}}],
    "TypeCategory": 4,
    "SubType": {"Id": 259},
    "Customer": {"Id": 512},
}


class Caller:
    """Plain caller of one Company, with its token; it checks that no response is a 5xx."""

    def __init__(self, http: httpx.Client, company: StoredCompany, root: str = "") -> None:
        self.http, self.root, self.company = http, root, company
        self.renew()

    def renew(self) -> None:
        """Fetch another token."""
        form = {
            "grant_type": "client_credentials",
            "client_id": self.company.client_id,
            "client_secret": self.company.client_secret,
        }
        token = self.http.post(f"{self.root}/OAuth/token", data=form).json()["access_token"]
        self.headers = {"Authorization": f"Bearer {token}", "CompanyName": self.company.name}

    def send(self, method: str, path: str, body: object = None, **headers: str) -> httpx.Response:
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        if body is None:
            content = b""
        url = f"{self.root}/api/v1/{path}"
        response = self.http.request(method, url, content=content, headers=self.headers | headers)
        assert response.status_code < 500
        return response

    def ok(self, method: str, path: str, body: object = None, **headers: str) -> dict[str, Any]:
        response = self.send(method, path, body, **headers)
        assert response.status_code == 200, response.text
        found: dict[str, Any] = response.json()
        return found

    def refused(self, method: str, path: str, body: object = None, **headers: str) -> str:
        response = self.send(method, path, body, **headers)
        assert response.status_code == 400, response.text
        return str(response.json()["ErrorCode"])

    def run(self, name: str, **members: Any) -> dict[str, Any]:
        found: dict[str, Any] = self.ok("POST", f"cmd/{name}", {"Command": members})["CommandResult"]
        return found

    def order(self, arguments: dict[str, Any] | None = None, **members: Any) -> dict[str, Any]:
        made = self.run("WoCreateCommand", WorkOrder=ORDER | members, **(arguments or {}))
        found: dict[str, Any] = made["Wo"]
        return found

    def get(self, entity: str, key: object, properties: str = "*") -> dict[str, Any]:
        found: dict[str, Any] = self.ok("GET", f"base/{entity}/{key}?properties={properties}")["Data"]
        return found

    def query(self, entity: str, *conditions: tuple[Any, ...], **expression: Any) -> list[dict[str, Any]]:
        records = [{"PropertyName": n, "Operator": o, "Values": list(v)} for n, o, *v in conditions]
        whole = {"Criteria": {"Conditions": records}} | expression
        response = self.ok("POST", f"query/{entity}", {"QueryExpression": whole})
        return [record["Data"] for record in response["Entities"]]

    def ids(self, entity: str, *conditions: tuple[Any, ...], **expression: Any) -> list[int]:
        return [record["Id"] for record in self.query(entity, *conditions, **expression)]


class Direct(httpx.BaseTransport):
    """The application without a socket, for a caller that is not asynchronous."""

    def __init__(self, app: ASGIApp) -> None:
        self._runner = asyncio.Runner()
        self._app = httpx.ASGITransport(app)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return self._runner.run(self._exchange(request))

    async def _exchange(self, request: httpx.Request) -> httpx.Response:
        response = await self._app.handle_async_request(request)
        return httpx.Response(response.status_code, headers=response.headers, content=await response.aread())

    def close(self) -> None:
        self._runner.close()


@contextmanager
def calling(store: Store, clock: Clock | None = None, dialect: str = "spec") -> Iterator[Caller]:
    """Yield a caller of the store's first Company."""
    with httpx.Client(transport=Direct(create_app(store, clock, dialect=dialect))) as http:
        yield Caller(http, store.companies()[0], "http://acme.test")
