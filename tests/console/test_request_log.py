"""The log of requests: off until it is asked for, bounded, and without secrets."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.sandbox.company import Caller, Direct
from tests.support.laws import each_of
from wosdk_async.sandbox import create_app, open_store
from wosdk_async.sandbox.console.request_log import (
    MASK,
    MAX_BODY,
    MAX_REQUESTS,
    RequestLog,
    shown_body,
    shown_headers,
    shown_path,
)


def logged(http: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = http.get("/console/api/log").json()["requests"]
    return found


def opened(http: httpx.Client, place: int = 0) -> dict[str, Any]:
    number = logged(http)[place]["number"]
    found: dict[str, Any] = http.get(f"/console/api/log/{number}").json()
    return found


def test_it_is_off_in_process(tmp_path: Path) -> None:
    """Nothing is recorded until somebody asks for it; the switch is reached over HTTP."""
    store = open_store(str(tmp_path / "s.db"))
    with httpx.Client(transport=Direct(create_app(store)), base_url="http://127.0.0.1") as http:
        http.headers["X-Sandbox-Console"] = "1"
        http.get("/api/v1/base/Contact/1")
        assert logged(http) == []
        assert http.put("/console/api/log", json={"on": True}).json()["on"] is True
        http.get("/api/v1/base/Contact/1")
        assert [line["path"] for line in logged(http)] == ["/api/v1/base/Contact/1"]
    store.close()


def test_a_line_shows_request_and_response(http: httpx.Client) -> None:
    """Method, path, status, time and RequestId; the newest first; the console's own calls are left out."""
    http.get("/api/v1/base/Contact/1?RequestId=first")
    http.post("/api/v1/query/Contact", json={"RequestId": 'a"b'}, headers={"CompanyName": "AcmeFacilities"})
    second, first = logged(http)
    assert (first["method"], first["path"]) == ("GET", "/api/v1/base/Contact/1?RequestId=first")
    assert (first["status"], first["requestId"], first["broken"]) == (401, "first", False)
    assert (second["requestId"], second["company"]) == ('a"b', "AcmeFacilities")
    assert second["milliseconds"] >= 0
    newer = http.get("/console/api/log", params={"after": first["number"]}).json()["requests"]
    assert newer == [second]


def test_a_broken_connection_is_marked(http: httpx.Client) -> None:
    """A request whose response never ended is marked."""
    rule = {"fault": "reset", "carried_out": True}
    http.put("/console/api/faults", json={"seed": 1, "rules": [{"rule": rule, "on": True}]})
    with pytest.raises(ConnectionResetError):
        http.get("/api/v1/base/Contact/1")
    assert [(line["status"], line["broken"]) for line in logged(http)] == [(None, True)]


def test_memory_is_bounded(http: httpx.Client, log: RequestLog) -> None:
    """The number of requests is bounded, and the bytes of each body; a cut is shown."""
    sent = json.dumps({"Entity": {"LastName": "x" * 2 * MAX_BODY}}).encode()
    for _ in range(MAX_REQUESTS + 5):
        http.post("/api/v1/base/Contact", content=sent)
    kept = log.newest()
    assert len(kept) == MAX_REQUESTS
    assert sum(len(one.request.kept) + len(one.response.kept) for one in kept) <= 2 * MAX_REQUESTS * MAX_BODY
    shown = opened(http)["request"]
    assert (shown["size"], shown["cut"], len(shown["body"])) == (len(sent), True, MAX_BODY)
    assert http.delete("/console/api/log").json()["requests"] == []


def test_secrets_of_a_session_are_masked(http: httpx.Client, tmp_path: Path) -> None:
    """Neither the client's secret nor its token is in anything that the console shows."""
    store = open_store(str(tmp_path / "sandbox.db"))
    company = store.companies()[0]
    acme = Caller(http, company)
    pair = f"{company.client_id}:{company.client_secret}".encode()
    basic = {"Authorization": f"Basic {base64.b64encode(pair).decode()}"}
    http.post("/OAuth/token", data={"grant_type": "client_credentials"}, headers=basic)
    http.get(f"/api/v1/base/Contact/1?access_token={company.client_secret}", headers=acme.headers)
    acme.send("POST", "base/Contact", {"Entity": {"Password": company.client_secret}})
    shown = json.dumps([opened(http, place) for place in range(4)], ensure_ascii=False)
    assert MASK in shown
    assert company.client_id in shown
    for secret in (company.client_secret, acme.headers["Authorization"][7:], basic["Authorization"][6:]):
        assert secret not in shown
    store.close()


def test_the_key_of_a_file_is_masked(http: httpx.Client) -> None:
    """The address of a file opens it, so its key is not shown."""
    http.get("/files/46/7/0123456789abcdef")
    assert opened(http)["path"] == f"/files/46/7/{MASK}"
    for path in ("/%66iles/46/7/", "/files/4%36/7/", "/files%2f46%2F7/", "//files//46/7/"):
        assert shown_path(f"{path}%301234567") == f"{path}{MASK}"
    shown = shown_body(b'{"DocUrl": "http://127.0.0.1/files/46/7/0123456789abcdef"}')
    assert "0123456789abcdef" not in shown


@given(
    secret=st.text(st.characters(min_codepoint=48, max_codepoint=122), min_size=12, max_size=40),
    name=st.sampled_from(["client_secret", "Access_Token", "PASSWORD", "refresh_token"]),
    cut=st.integers(0, 60),
)
def test_no_part_of_a_secret_is_shown_wherever_the_body_ends(secret: str, name: str, cut: int) -> None:
    """JSON that was cut, also in the middle of the secret, shows no more than complete JSON does."""
    whole = json.dumps({"a": 1, name: secret, "z": "end"}).encode()
    shown = shown_body(whole[: len(whole) - cut])
    start = len(json.dumps({"a": 1, name: ""})) - 2
    kept = secret[: max(0, len(whole) - cut - start)]
    assert len(kept) < 8 or kept[:8] not in shown.replace(name, "")


SECRET = "s3cretS3cret"


@each_of(
    "body",
    [
        f"a[]=1&client_secret={SECRET}&z=end",
        f"=&[]&client_secret={SECRET}",
        f"a=1;client_secret={SECRET}",
        f"client_secret=ab;{SECRET}",
        f" client_secret={SECRET}",
        f"client%5Fsecret={SECRET}",
        f"CLIENT%5fSECRET[]={SECRET}",
        f"user[password]={SECRET}",
        f'x\r\n{{"password": "{SECRET}"}}',
        f'{{"password": ["{SECRET}", "more',
        f'{{"password": {{"value": "{SECRET}", "b": ',
        f'{{"client\\u005fsecret": "{SECRET}',
        f'{{"client_secret" : "a\\"{SECRET}\\',
        '{"password": 12345678901234567890, "b": [',
        '{"password": -1234567890.123, "b": [',
        f'{{"password": "{SECRET}"}} surplus',
        f'--b\r\nContent-Disposition: form-data; name="client_secret"\r\n\r\n{SECRET}\r\n--b--\r\n',
        f"--b\nContent-Disposition: form-data; name=password\nContent-Type: text/plain\n\n{SECRET}",
        f"<a><client_secret>{SECRET}</client_secret></a>",
        f'<x:Password type="y">\n<![CDATA[{SECRET}]]></x:Password>',
        f"<a><password>{SECRET}",
        f"{{'client_secret': '{SECRET}', 'a': 1}}",
        f"{{'client_secret': 'a\\'b {SECRET}', 'a': 1}}",
        f"{{client_secret: 'a {SECRET}'}}",
        f"Authorization: Bearer {SECRET}",
        f"Authorization: Bearer\r\n {SECRET}\r\n\r\n",
        f"password: |\n  a\n\n  {SECRET}\n",
        f"a: 1\npassword:\n  - {SECRET}\nb: 2\n",
        f"%22password%22%3A%22{SECRET}%22",
        f"a%3D1%26client%5fsecret%3D{SECRET}",
        f"client%255fsecret={SECRET}",
        f"%2522password%2522%20%253A%20%2522{SECRET}%2522",
        json.dumps({"Message": json.dumps({"client_secret": SECRET})}),
        json.dumps({"Message": json.dumps({"Inner": json.dumps({"client_secret": f'"{SECRET}'})})}),
        json.dumps({"Message": json.dumps({"Inner": json.dumps({"client_secret": f'"{SECRET}'})})})[:-4],
        json.dumps({"Message": json.dumps({"client_secret": SECRET})})[:-2],
        json.dumps([f"client_secret={SECRET}"]),
    ],
)
def test_secrets_in_odd_bodies_are_masked(body: str) -> None:
    """Forms that begin oddly or are separated by semicolons, and JSON that is cut or holds no texts."""
    shown = shown_body(body.encode())
    assert MASK in shown
    assert not any(part in shown for part in (SECRET, "1234567890"))


@each_of(
    ("body", "shown"),
    [
        ('{"a": 1, "password": "x", "c": ', f'{{"a": 1, "password"{MASK}'),
        ("<a><x:Password type='y'>z</x:Password></a>", f"<a><x:Password{MASK}"),
        ("--b\r\nname=password\r\n\r\nx\r\n--b", f"--b\r\nname=password{MASK}"),
        ("a=1&password=x;y&b=2", f"a=1&password={MASK}&b=2"),
        ('"The password is in the drawer."', '"The password is in the drawer."'),
    ],
)
def test_text_without_a_certain_end_of_the_value_is_masked_to_its_own_end(body: str, shown: str) -> None:
    """In a form a value ends at the next &; a word in a sentence is no name."""
    assert shown_body(body.encode()) == shown


@pytest.mark.parametrize("piece", ["name=password", "name=password\n", "<password", '"password"'])
def test_long_bodies_are_masked_in_no_long_time(piece: str) -> None:
    """The rest is not looked through again for each name in it: of eight times the text that is kept."""
    body = (piece * (128 * 1024 // len(piece))).encode()
    begun = time.process_time()
    assert shown_body(body)
    assert time.process_time() - begun < 1


@each_of(
    "query",
    ["a=1;access_token={}", "access%5Ftoken={}", "a[]=1&ACCESS_TOKEN={}&b=2", "token[access_token]={}"],
)
def test_secrets_in_odd_queries_are_masked(query: str) -> None:
    """The path is shown in every line of the log."""
    shown = shown_path(f"/api/v1/base/Contact/1?{query.format(SECRET)}")
    assert (MASK in shown, SECRET in shown) == (True, False)


@each_of("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_secrets_in_utf_16_are_masked(encoding: str) -> None:
    """Names are known again although every other byte is zero."""
    shown = shown_body(json.dumps({"client_secret": SECRET, "a": 1}).encode(encoding))
    assert MASK in shown
    assert SECRET not in shown.replace("\0", "")


@each_of(
    ("name", "value", "shown"),
    [
        ("Cookie", f"sid={SECRET}; theme=x{SECRET}", f"sid={MASK}; theme={MASK}"),
        ("Cookie", f"{SECRET}; sid={SECRET}==", f"{MASK}; sid={MASK}"),
        ("Set-Cookie", f"sid={SECRET}; Path=/{SECRET}; HttpOnly", f"sid={MASK}"),
        ("Authorization", f"{SECRET} x", MASK),
        ("Authorization", f"{SECRET}, Bearer y", MASK),
        ("Authorization", f"Bearer\t{SECRET}", MASK),
        ("AUTHORIZATION", f"bearer {SECRET}", f"bearer {MASK}"),
        ("Proxy-Authorization", f"Basic {SECRET}", f"Basic {MASK}"),
        ("X-Cookie", "a=b", "a=b"),
    ],
)
def test_secret_headers_are_masked(name: str, value: str, shown: str) -> None:
    """A scheme that everybody knows and the names of cookies are shown; nothing else is."""
    assert shown_headers([(name.encode(), value.encode())]) == [[name, shown]]


@given(st.binary(max_size=200))
def test_any_body_can_be_shown(raw: bytes) -> None:
    """Whatever was sent, the console shows a text for it."""
    shown = shown_body(raw)
    assert isinstance(shown, str)
    assert shown or not raw.replace(b"\0", b"").strip()


def test_numbers_are_shown_as_they_came() -> None:
    """Money keeps its digits: nothing is turned into a binary fraction."""
    assert '"Value": 0.10000000000000000001' in shown_body(b'{"Value": 0.10000000000000000001}')
