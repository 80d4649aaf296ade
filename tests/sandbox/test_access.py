"""Tokens, headers and discovery (spec 4.1 and 5, facts 1, 2 and 3.8)."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.sandbox.company import Caller
from tests.support.laws import each_of


def token(acme: Caller, path: str = "/OAuth/token", **form: str) -> httpx.Response:
    return acme.http.post(acme.root + path, data={"grant_type": "client_credentials"} | form)


@pytest.mark.parametrize(
    ("form", "error"),
    [
        ({"client_id": "x", "client_secret": "y"}, "invalid_client"),
        ({"client_id": "sandbox-client"}, "invalid_client"),
        ({"client_id": "\udce9", "client_secret": "é"}, "invalid_client"),
        ({"grant_type": "password"}, "unsupported_grant_type"),
    ],
)
def test_wrong_credentials(acme: Caller, form: dict[str, str], error: str) -> None:
    safe = {key: value.encode("utf-8", "surrogateescape").decode("latin-1") for key, value in form.items()}
    response = token(acme, **safe)
    assert (response.status_code, response.json()) == (400, {"error": error})


@each_of(
    ("authorization", "status", "code"),
    [
        (None, 401, "MISSING_AUTHORIZATION_HEADER"),
        ("Basic abc", 403, "MISSING_AUTHORIZATION_SCHEME"),
        ("abc", 403, "MISSING_AUTHORIZATION_SCHEME"),
        ("Bearer ", 400, "INCORRECT_TOKEN"),
        ("Bearer a b", 400, "INCORRECT_TOKEN"),
        ("Bearer nonsense", 403, "INCORRECT_TOKEN"),
    ],
)
def test_token_failures(acme: Caller, authorization: str | None, status: int, code: str) -> None:
    headers = {"CompanyName": "AcmeFacilities"}
    if authorization is not None:
        headers["Authorization"] = authorization
    response = acme.http.get(f"{acme.root}/api/v1/base/Customer/512", headers=headers)
    assert (response.status_code, response.json()["ErrorCode"]) == (status, code)
    assert list(response.json()) == ["ErrorMessage", "ErrorCode", "TimeStamp"]


def test_token_lives_twenty_minutes(acme: Caller, clock: Any) -> None:
    clock.advance(1199)
    assert acme.get("Customer", 512)
    clock.advance(1)
    response = acme.send("GET", "base/Customer/512")
    assert response.status_code == 403
    assert response.json()["ErrorCode"] == "EXPIRED_TOKEN"
    assert response.json()["ErrorMessage"] == "Token has expired"
    clock.advance(86_400)  # it stays known: an expired token is not a wrong one
    assert acme.send("GET", "base/Customer/512").json()["ErrorCode"] == "EXPIRED_TOKEN"


def test_response_headers(acme: Caller) -> None:
    for path in ("base/Customer/512", "base/Nope/1"):
        headers = acme.send("GET", path, **{"Accept-Encoding": "gzip,deflate"}).headers
        assert headers["cache-control"] == headers["pragma"] == "no-cache"
        assert headers["content-type"] == "application/json; charset=utf-8"
        assert headers["expires"] == "-1"
        assert headers["strict-transport-security"] == "max-age=31536000; includeSubDomains"
        assert not {"content-encoding", "transfer-encoding"} & headers.keys()


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/api/v1/query/Contact", 405),
        ("GET", "/elsewhere", 404),
    ],
)
def test_paths_and_methods(acme: Caller, method: str, path: str, status: int) -> None:
    response = acme.http.request(method, acme.root + path, headers=acme.headers, content=b"{}")
    assert (response.status_code, bool(response.json()["ErrorCode"])) == (status, True)
