"""Who may use the console: this machine, and no page but its own."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator

import httpx
import pytest
from starlette.types import ASGIApp

from tests.support.laws import case
from wosdk_async.sandbox.console.routes import FILES, console_routes
from wosdk_async.sandbox.http.app import MAX_BODY, admin_routes

CHANGES = [
    ("PUT", "/console/api/log", {"on": False}),
    ("DELETE", "/console/api/log", None),
    ("PUT", "/console/api/companies/46", {"verification": False}),
    ("PUT", "/console/api/faults", {"seed": 0, "rules": []}),
    ("POST", "/console/api/clock", {"days": 1}),
]
READS = [
    "/console",
    "/console/api/companies",
    "/console/api/log",
    "/console/api/faults",
    "/console/api/clock",
]
STEERING_CHANGES = [
    ("POST", "/_sandbox/companies", {"Name": "Other"}),
    ("PUT", "/_sandbox/companies", {"Name": "AcmeFacilities", "Verification": False}),
    ("POST", "/_sandbox/snapshot", {}),
    ("POST", "/_sandbox/reset", {}),
    ("PUT", "/_sandbox/faults", {"rule": []}),
    ("DELETE", "/_sandbox/faults", None),
    ("POST", "/_sandbox/clock", {"days": 1}),
]
OF_BROWSERS = [
    {"Origin": "http://127.0.0.1:8900"},
    {"Sec-Fetch-Site": "cross-site"},
    {"Sec-Fetch-Site": "same-origin", "Content-Type": "text/plain"},
]
STEERING = ["/_sandbox/companies", "/_sandbox/faults", "/_sandbox/clock"]
FOREIGN_HOSTS = [
    "evil.test",
    "127.0.0.1.evil.test",
    "localhost.evil.test:8900",
    "",
    "[::1",
    "a{b.evil.test:8900",
    "a}b.evil.test:8900",
    "a`b.evil.test:8900",
    "evil.test@localhost",
    "localhost/evil.test",
    "localhost:x",
]
FOREIGN_ORIGINS = ["http://evil.test", "null", "http://127.0.0.1:9999", "https://localhost", "http://[::1"]


@pytest.mark.parametrize(("method", "path", "body"), CHANGES)
def test_a_change_needs_the_header(http: httpx.Client, method: str, path: str, body: object) -> None:
    """Without the header that a foreign page cannot send, nothing is changed."""
    assert http.request(method, path, json=body).status_code == 200
    del http.headers["X-Sandbox-Console"]
    response = http.request(method, path, json=body)
    assert (response.status_code, "x-sandbox-console" in response.json()["ErrorMessage"]) == (403, True)


@pytest.mark.parametrize(("method", "path", "body"), STEERING_CHANGES)
def test_a_change_by_a_browser_needs_the_header(
    http: httpx.Client, method: str, path: str, body: object
) -> None:
    """Also below /_sandbox/, where curl needs none: a form of a page cannot send it."""
    for headers in OF_BROWSERS:
        with case(headers):
            without = {**headers, "X-Sandbox-Console": "0"}
            response = http.request(method, path, json=body, headers=without)
            assert (response.status_code, "x-sandbox-console" in response.text) == (403, True)
    assert http.request(method, path, json=body, headers=OF_BROWSERS[0]).status_code == 200
    http.post("/_sandbox/reset")
    del http.headers["X-Sandbox-Console"]
    name = {"Name": "Third"} if (method, path) == ("POST", "/_sandbox/companies") else body
    assert http.request(method, path, json=name).status_code == 200


@pytest.mark.parametrize(("method", "path"), sorted({each[:2] for each in (*CHANGES, *STEERING_CHANGES)}))
def test_a_body_is_bounded(app: ASGIApp, method: str, path: str) -> None:
    """No more is read than the limit, however much would come."""
    taken = 0

    async def endless() -> AsyncIterator[bytes]:
        nonlocal taken
        while taken < 4 * MAX_BODY:
            taken += 2**20
            yield bytes(2**20)

    async def send() -> int:
        transport, header = httpx.ASGITransport(app), {"X-Sandbox-Console": "1"}
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1:8900") as client:
            return (await client.request(method, path, content=endless(), headers=header)).status_code

    assert asyncio.run(send()) == (200 if method == "DELETE" else 413)
    assert taken <= MAX_BODY + 2**20


def test_other_origins_are_refused(http: httpx.Client) -> None:
    """A page of another origin gets nothing, and no response allows it to ask."""
    for path in [*READS, *STEERING]:
        for origin in FOREIGN_ORIGINS:
            with case(path, origin):
                response = http.get(path, headers={"Origin": origin})
                assert response.status_code == 403
                asked = http.options(path, headers={"Origin": origin, "Access-Control-Request-Method": "PUT"})
                assert not [
                    name for name in (*response.headers, *asked.headers) if name.startswith("access-control")
                ]


def test_a_host_name_that_was_made_to_lead_here_is_refused(http: httpx.Client) -> None:
    """DNS rebinding: the browser names the foreign host, also when its address is this machine's."""
    for path in [*READS, *STEERING]:
        for host in FOREIGN_HOSTS:
            with case(path, host):
                assert http.get(path, headers={"Host": host}).status_code == 403


def test_names_of_this_machine_are_served(http: httpx.Client) -> None:
    """Each name that can only mean this machine is taken."""
    for path in ["/console/api/clock", *STEERING]:
        for host in ["localhost:8900", "127.0.0.1", "[::1]:8900", "acme.localhost"]:
            with case(path, host):
                assert http.get(path, headers={"Host": host}).status_code == 200


def test_other_machines_are_refused(app: ASGIApp) -> None:
    """A caller from elsewhere gets nothing, whatever host it names."""
    other = httpx.ASGITransport(app, client=("192.0.2.7", 4000))

    async def ask() -> int:
        async with httpx.AsyncClient(transport=other, base_url="http://127.0.0.1:8900") as client:
            return (await client.get("/console/api/companies")).status_code

    assert asyncio.run(ask()) == 403


def test_every_route_is_known_here() -> None:
    """A new address of the console has to be put into the lists above, or to hold no data."""
    known = {path for _, path, _ in CHANGES} | set(READS)
    routes = {route.path for route in console_routes(None, None, None, None)}  # type: ignore[arg-type]
    plain = {re.sub(r"/\{.*", "", path) for path in routes}
    assert plain <= known | {"/console/api/companies", "/console", "/"}
    steering = admin_routes(None, None, None, open_to_all=False)  # type: ignore[arg-type]
    changes = {
        (method, route.path)
        for route in steering
        for method in (route.methods or ())
        if method not in ("GET", "HEAD")
    }
    assert changes == {each[:2] for each in STEERING_CHANGES}


def test_pages_let_nothing_else_in(http: httpx.Client) -> None:
    """Each page and part of it forbids scripts and connections of any other place, and inline ones."""
    for path in ["/console", "/docs", *(f"/console/{name}" for name in sorted(FILES))]:
        with case(path):
            response = http.get(path)
            policy = response.headers["content-security-policy"]
            for part in ("default-src", "frame-ancestors", "base-uri", "form-action"):
                assert f"{part} 'none'" in policy
            assert "unsafe" not in policy
            assert "require-trusted-types-for 'script'" in policy
            assert response.headers["x-content-type-options"] == "nosniff"
            assert not re.search(
                r"(src|href)=\"(?!/|#)|<script(?! type=\"module\" src=)|innerHTML|https?://(?!www.w3.org)",
                response.text,
            )


@pytest.mark.parametrize(
    "path", ["none.js", "../store.py", "%2e%2e/store.py", "static/console.js", "pages.py"]
)
def test_no_other_file_is_served(http: httpx.Client, path: str) -> None:
    """Only the known parts are files to ask for."""
    assert http.get(f"/console/{path}").status_code == 404
