"""A logged request as a command line: curl sends the same again, without the token in it."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.console.served import Served, served
from tests.support.laws import examples
from wosdk_async.sandbox.console.request_log import curl

LINE = [(b"host", b"h:1"), (b"authorization", b"Bearer t0ken"), (b"x", b"y")]


@pytest.fixture(scope="module")
def shared() -> Iterator[Served]:
    with served() as running:
        yield running


def logged(sandbox: Served) -> dict[str, Any]:
    """Return the newest request of the log."""
    api = f"{sandbox.root}/console/api/log"
    number = httpx.get(api).json()["requests"][0]["number"]
    found: dict[str, Any] = httpx.get(f"{api}/{number}").json()
    return found


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "base/Contact/1?properties=*&RequestId=a[1]{b}", None),
        ("POST", "base/Contact", {"Entity": {"LastName": 'O\'Neil "$(id)" \\ `id` \u202e\u001b[31m\r\n!'}}),
        ("POST", "query/Contact", {"QueryExpression": {"Count": 1}, "Name": "@/etc/passwd"}),
        ("DELETE", "base/Contact/999999", None),
    ],
)
def test_curl_sends_the_same_request(shared: Served, method: str, path: str, body: object) -> None:
    """A shell and curl: the second request in the log is like the first one, headers and body."""
    shared.acme.send(method, path, body)
    first = logged(shared)
    token = shared.acme.headers["Authorization"].removeprefix("Bearer ")
    assert token not in json.dumps(first)
    env = {**os.environ, "WOSDK_TOKEN": token, "NO_PROXY": "*"}
    subprocess.run(["bash", "-c", f"{first['curl']} --silent --show-error"], env=env, check=True)
    again = logged(shared)
    assert again["number"] == first["number"] + 1
    assert (again["method"], again["path"], again["status"]) == (method, first["path"], first["status"])
    assert again["request"]["body"] == first["request"]["body"]
    once, twice = (dict(one["request"]["headers"]) for one in (first, again))
    for name in ("companyname", "user-agent", "authorization"):
        assert once[name] == twice[name]


def test_secrets_are_left_out() -> None:
    """The shell fills in the token, or client id and secret; another secret is masked."""
    assert '"Authorization: Bearer $WOSDK_TOKEN"' in curl("GET", "http", "/a", LINE, b"")
    basic = curl(
        "POST", "http", "/OAuth/token", [(b"authorization", b"Basic c2VjcmV0")], b"client_secret=s3cret"
    )
    assert '--user "$WOSDK_CLIENT_ID:$WOSDK_CLIENT_SECRET"' in basic
    for secret in ("t0ken", "c2VjcmV0", "s3cret"):
        assert secret not in basic + curl("GET", "http", f"/a?access_token={secret}", LINE, b"")


@examples(40)
@given(st.text(min_size=1, max_size=30), st.binary(max_size=60))
def test_a_command_line_is_words_and_nothing_else(text: str, raw: bytes) -> None:
    """Whatever a request holds, a shell reads each part as one word, and nothing steers a terminal."""
    value = text.encode("utf-8", "replace").replace(b"\r", b"").replace(b"\n", b"").replace(b"\0", b"")
    line = curl(text.replace("\0", ""), "http", "/p?" + text.replace("\0", ""), [(b"x", value)], raw)
    assert all(char.isprintable() or char == "\n" for char in line)
    script = f"curl() {{ printf '%s\\0' \"$@\"; }}; {line}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, env={"LC_ALL": "C.UTF-8"}, check=True)
    words = done.stdout.decode("utf-8", "replace").split("\0")[:-1]
    assert words[:4] == ["--globoff", "--path-as-is", "--request", text.replace("\0", "")]
    assert len(words) == (9 if raw.replace(b"\0", b"") else 7)
