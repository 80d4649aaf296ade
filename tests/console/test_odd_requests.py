"""Odd methods, paths, headers and bodies get a status below 500, never a traceback."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.laws import examples

PATHS = st.sampled_from(
    [
        "OAuth/token",
        "api/v1",
        "api/v1/base/Contact",
        "api/v1/base/Contact/1",
        "api/v1/query/WorkOrder",
        "api/v1/cmd/WoCreateCommand",
        "api/v1/CorrigoService/GetCompanyWsdkUrl/Acme",
        "files/1/2/3",
        "api/v2",
        "",
    ]
)
METHODS = st.sampled_from(
    ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "PROPFIND", "x"]
)
PLAIN = st.text(st.characters(min_codepoint=33, max_codepoint=126), max_size=30)
HEADERS = st.dictionaries(
    st.sampled_from(["Authorization", "CompanyName", "IgnoreMissingEntityOnDelete", "Content-Type", "Host"]),
    PLAIN
    | PLAIN.map("Bearer {}".format)
    | PLAIN.map("Basic {}".format)
    | st.binary(max_size=20).map(lambda raw: raw.replace(b"\r", b"").replace(b"\n", b"").replace(b"\0", b"")),
)
STEPS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12).map(lambda text: quote(text, safe=""))
CONSOLE = st.sampled_from(["companies", "companies/46/orders", "log", "log/1", "faults", "clock"])
many = examples(40)


@many
@given(method=METHODS, path=PATHS, step=STEPS, query=STEPS, headers=HEADERS, body=st.binary(max_size=60))
def test_the_service_responds_to_any_request(
    http: httpx.Client, method: str, path: str, step: str, query: str, headers: dict[str, Any], body: bytes
) -> None:
    """A 4xx has the service's error body, or that of the token endpoint."""
    response = http.request(method, f"/{path}/{step}?{query}", headers=headers, content=body)
    assert response.status_code < 500
    if method == "HEAD" or path.startswith("files"):
        return
    if response.status_code >= 400:
        error = response.json()
        assert "error" in error or {"ErrorMessage", "ErrorCode", "TimeStamp"} <= error.keys()


@many
@given(method=METHODS, path=CONSOLE, query=STEPS, body=st.binary(max_size=60) | st.just(b'{"rules": [{}]}'))
def test_the_console_responds_to_any_request(
    http: httpx.Client, method: str, path: str, query: str, body: bytes
) -> None:
    """Its JSON refuses too, with its own message."""
    response = http.request(
        method, f"/console/api/{path}?page={query}&text={query}&after={query}", content=body
    )
    assert response.status_code < 500


@pytest.mark.parametrize("digits", [19, 400, 5000])
@pytest.mark.parametrize(
    "path", ["files/{}/1/a", "files/46/{}/a", "console/api/log/{}", "console/api/companies/46/orders/{}"]
)
def test_a_number_beyond_all_ids_is_not_there(http: httpx.Client, path: str, digits: int) -> None:
    """More digits than any id has: there is nothing, and nothing breaks."""
    assert http.get("/" + path.format("9" * digits)).status_code == 404
