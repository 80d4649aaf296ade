"""``-v`` and ``-vv``: what is sent and received, on stderr, and never a secret."""

from __future__ import annotations

import base64
import html
import json
import re
import socketserver
import threading
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote, quote_plus, unquote

import pytest

from tests.cli.conftest import EXAMPLES, Wosdk
from tests.support.laws import each_of, some
from tests.support.service import RESET, SECRET, Answer, Request, Service
from wosdk_async import NotUniqueError
from wosdk_async.cli.options import Target
from wosdk_async.cli.runner import Runner
from wosdk_async.text.safe_text import is_secret_name

TOKEN = "tk-7Qd1m0/pZ+x84'Lw=bb\"c-19fe"
LINE = re.compile(
    r"wosdk: POST http://127\.0\.0\.1:\d+/(?P<path>\S+): (?P<status>\d+) in \d\.\d{3} s"
    r"(, attempt (?P<attempt>\d+))?(, RequestId (?P<id>\S+))?, \d+ bytes? sent, \d+ bytes? received"
)


def forms(secret: str) -> list[str]:
    """A secret in all the ways in which a response may write it."""
    raw = secret.encode()
    coded = [base64.b64encode(bytes(more) + raw).decode() for more in range(3)]
    escaped = [json.dumps(secret)[1:-1], quote(secret, safe=""), quote_plus(secret), html.escape(secret)]
    twice = [quote(quote(secret, safe=""), safe=""), json.dumps(json.dumps(secret))[1:-1]]
    units = "".join(f"\\u{ord(char):04x}" for char in secret)
    return [secret, *escaped, *twice, units, raw.hex(), coded[0], coded[1][4:-4], coded[2][4:-4]]


def decoded(text: str) -> str:
    """The text, and what is left of it when its escapes are read, once, twice and so on."""
    found = [text]
    for _ in range(4):
        plain = re.sub(r"\\u([0-9a-f]{4})", lambda code: chr(int(code[1], 16)), found[-1])
        found.append(html.unescape(unquote(re.sub(r"\\(.)", r"\1", plain))))
    return "\n".join(found)


def lines_of(stderr: str) -> list[dict[str, str | None]]:
    found = [LINE.fullmatch(line) for line in stderr.splitlines()]
    return [each.groupdict() for each in found if each is not None]


@pytest.mark.usefixtures("seeded")
def test_each_request_is_a_line_on_stderr_and_stdout_stays(wosdk: Wosdk) -> None:
    """Log-in, discovery and the call; before the command or behind it."""
    plain = wosdk("query", "Location", "--limit", "2", "--json")
    for arguments in (
        ("-v", "query", "Location", "--limit", "2", "--json"),
        ("query", "Location", "--limit", "2", "--json", "-v"),
    ):
        result = wosdk(*arguments)
        assert result.stdout == plain.stdout
        login, discovery, call = lines_of(result.stderr)
        assert (login["path"], login["attempt"]) == ("OAuth/token", None)
        assert (discovery["path"], discovery["attempt"]) == ("api/v1/cmd/GetCompanyWsdkUrlCommand", None)
        assert (call["path"], call["status"], call["attempt"]) == ("api/v1/query/Location", "200", "1")
        assert "\n  " not in result.stderr


def test_attempts_and_the_request_id_are_shown(wosdk: Wosdk, scripted: Service) -> None:
    """Two attempts of a command have one RequestId, which the service got."""
    answers = iter([Answer(503, b"busy", {"Retry-After": "0"}), Answer(body={"CommandResult": {}})])
    scripted.handler = lambda _: next(answers)
    result = wosdk("-v", "run", "WoLastModificationCommand", "WorkOrderId=1")
    first, second = lines_of(result.stderr)[-2:]
    assert (first["status"], first["attempt"], second["status"], second["attempt"]) == (
        "503",
        "1",
        "200",
        "2",
    )
    assert first["id"] == second["id"] == scripted.calls[0].json["RequestId"]


def test_a_request_without_response_says_why(wosdk: Wosdk, scripted: Service) -> None:
    """The reason stands in the line; the log-in before it has its own."""
    scripted.handler = lambda _: RESET
    result = wosdk("-v", "query", "Location", "--limit", "1", "--deadline", "0.5")
    assert re.search(r"/api/v1/query/Location: no response \(.+\) in .+, attempt 1", result.stderr)


def test_headers_and_bodies_are_short_and_on_one_line(wosdk: Wosdk, scripted: Service) -> None:
    """Control characters are escaped, and a long body is cut with its size."""
    row = {"Data": {"Id": 7, "Name": "\x1b]0;owned\x07 \u202ex" + "y" * 90_000}}
    scripted.handler = lambda _: Answer(body=row, headers={"X-Odd": "a\x9bb"})
    result = wosdk("-vv", "get", "Customer", "7", "--csv")
    details = [line for line in result.stderr.splitlines() if not line.startswith("wosdk: ")]
    assert all(line.startswith(("  > ", "  < ")) for line in details)
    assert "  > Authorization: ***" in details
    assert any(line.startswith("  > CompanyName: ") for line in details)
    assert r"\u001b]0;owned\u0007 \u202ex" in result.stderr
    assert not {"\x1b", "\x9b", "\x07", "\u202e"} & set(result.stderr)
    assert re.search(r"y\.\.\. \(cut from 90,\d{3} bytes\)$", details[-1])
    assert len(details[-1]) < 4200
    assert "(log-in form and response are hidden)" in result.stderr
    assert "grant_type" not in result.stderr


@pytest.mark.parametrize(
    ("level", "status"), some([("-vv", 200), ("-v", 500), ("-vv", 302), ("-v", 400), ("-vv", 401)], 2)
)
def test_a_server_that_repeats_the_secrets_shows_none(
    wosdk: Wosdk, scripted: Service, level: str, status: int
) -> None:
    """In bodies, headers, addresses and messages, in any form, and also in the response to the log-in."""
    spelled = [form for secret in (TOKEN, SECRET, f"id-1:{SECRET}") for form in forms(secret)]
    headers = {
        "Location": f"https://evil.example/{quote(TOKEN, safe='')}",
        "Set-Cookie": "session=abcdefgh1234",
    }
    headers |= {f"X-Echo-{i}": form for i, form in enumerate(spelled)}
    body = {
        "ErrorMessage": " | ".join(spelled),
        "ErrorCode": "X",
        "Data": {"Id": 7, "Name": spelled, TOKEN: 1},
    }
    token = {"access_token": TOKEN, "token_type": "bearer", "expires_in": 1199, "echo": spelled}
    scripted.on_token = lambda _: Answer(body=token, headers=headers)
    scripted.handler = lambda _: Answer(status, body, headers)
    result = wosdk(level, "get", "Customer", "7", "-p", "Id", "--unchecked", "--deadline", "1")
    assert "/api/v1/base/Customer/7" in result.stderr
    assert not shows(result.stderr, TOKEN)
    assert not shows(result.stderr, SECRET)
    assert "abcdefgh1234" not in result.stderr


PASSWORD = "Sesame/open+4711 x"
USER = f"mira.proxy:{PASSWORD}"
PROXY_USER = f"mira.proxy:{quote(PASSWORD, safe='')}"  # as it stands in an address


@pytest.fixture
def refusing_proxy() -> Iterator[str]:
    """A proxy that asks for another password, and repeats the one it got in all places."""
    spelled = [form.encode() for form in (*forms(PASSWORD), *forms(USER)) if "\\" not in form]
    headers = b"".join(b"X-Echo-%d: %s\r\n" % (i, form) for i, form in enumerate(spelled))
    body = b" | ".join(spelled)
    head = b"HTTP/1.1 407 not %s\r\nContent-Length: %d\r\n%s\r\n" % (USER.encode(), len(body), headers)

    class Refusal(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            assert b"Proxy-Authorization: Basic " in self.request.recv(65536)
            self.request.sendall(head + body)

    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), Refusal) as server:
        thread = threading.Thread(target=server.serve_forever, args=[0.01])
        thread.start()
        yield f"http://{PROXY_USER}@127.0.0.1:{server.server_address[1]}"
        server.shutdown()
        thread.join()


@pytest.mark.parametrize(("level", "command"), [("-v", ("check",)), ("-vv", ("get", "Customer", "7"))])
def test_a_proxy_that_repeats_its_password_shows_none(
    wosdk: Wosdk,
    scripted: Service,
    monkeypatch: pytest.MonkeyPatch,
    refusing_proxy: str,
    level: str,
    command: tuple[str, ...],
) -> None:
    """The line about the request says that the proxy refused it."""
    monkeypatch.setenv("HTTPS_PROXY", refusing_proxy)
    monkeypatch.setenv("WOSDK_TOKEN_URL", "https://token.example/OAuth/token")
    result = wosdk(level, *command, "--deadline", "3")
    assert (result.exit_code, scripted.tokens) == (6, [])
    assert "wosdk: POST https://token.example/OAuth/token: no response (" in result.stderr
    assert "407" in result.stderr
    assert not shows(result.output, PASSWORD)
    assert not shows(result.output, USER)


def test_a_service_that_repeats_the_password_of_a_proxy_shows_none(
    wosdk: Wosdk, scripted: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A proxy may have put it into the request, and this machine is reached without one."""
    monkeypatch.setenv("ALL_PROXY", f"http://{PROXY_USER}@proxy.example:8080")
    spelled = [*forms(PASSWORD), *forms(USER)]
    headers = {f"X-Echo-{i}": form for i, form in enumerate(spelled)}
    row = {"Data": {"Id": 7, "Name": spelled}, "Via": f"http://{PROXY_USER}@proxy.example:8080"}
    scripted.handler = lambda _: Answer(body=row, headers=headers)
    result = wosdk("-vv", "get", "Customer", "7", "-p", "Id", "--unchecked", "--csv")
    assert "x-echo-1: ***" in result.stderr.lower()
    assert not shows(result.stderr, PASSWORD)
    assert not shows(result.stderr, USER)


def shows(stderr: str, secret: str) -> bool:
    """Whether 12 characters of a secret are shown, in any form."""
    shown = decoded(stderr).lower()
    pieces = {form[at : at + 12].lower() for form in forms(secret) for at in range(len(form) - 11)}
    return any(piece in shown for piece in pieces if "\\" not in piece and "%" not in piece)


def test_fields_that_are_secret_are_masked_in_both_directions(wosdk: Wosdk, scripted: Service) -> None:
    """A password that was sent is known again where the response repeats it."""

    def handler(request: Request) -> Answer:
        own = "of-the-service-1"
        sent = request.json["Command"]["Entity"]["Password"]
        link = "https://files.example/a.pdf?sig=VerySecretSignature"
        result = {"Password": sent, "Token": own, "Note": f"was {sent}", "Url": link}
        odd = {
            "Password2": ["hunter1pw"],
            "ApiToken": {"Value": "hunter2pw"},
            "Secret": 123456789,
            "Text": '{"Password": "hunter3pw"}',
            "Xml": "<Password>hunter4pw</Password>",
            "Form": "password=hunter5pw&x=1",
            "At": "https://user:hunter6pw@h.example/",
            "File": "/rel/f?sig=hunter7pw",
        }
        headers = {"X-Api-Key": "hunter8pw", "X-Amz-Signature": "hunter9pw"}
        made = {"EntitySpecifier": {"Id": 7}}
        return Answer(body={"CommandResult": result | odd | made}, headers=headers)

    scripted.handler = handler
    body = '{"Entity": {"Username": "mira", "Password": "correct-horse-9"}}'
    result = wosdk(
        "-vv", "run", "CreateCommand", "--json-body", "-", "--unchecked", "--yes", "--json", input=body
    )
    assert result.exit_code == 0
    assert "correct-horse-9" in result.stdout
    assert "correct-horse-9" not in result.stderr
    assert "of-the-service-1" not in result.stderr
    assert "VerySecretSignature" not in result.stderr
    assert re.findall(r"hunter\dpw|123456789", result.stderr) == []
    assert '"Username":"mira"' in result.stderr
    assert '"Password":"***"' in result.stderr
    assert "https://files.example/a.pdf?***" in result.stderr


def test_an_import_shows_a_line_for_each_request(wosdk: Wosdk, file: Path) -> None:
    """Fourteen rows, each created once; the summary stays on stdout."""
    result = wosdk("import", file, "--map", EXAMPLES / "sf311.toml", "--sandbox", "-v")
    assert result.exit_code == 0
    assert "14 rows: 14 created" in result.stdout
    creates = [each for each in lines_of(result.stderr) if "WoCreateCommand" in (each["path"] or "")]
    assert len({each["id"] for each in creates}) == len(creates) == 14


@pytest.mark.usefixtures("seeded")
def test_check_shows_its_log_in(wosdk: Wosdk) -> None:
    """The steps on stdout are those without -v."""
    result = wosdk("check", "-v")
    assert [line.split()[1] for line in result.stdout.splitlines()][-1] == "read"
    assert [each["path"] for each in lines_of(result.stderr)].count("OAuth/token") == 2


@each_of(
    "name", ["X-Api-Key", "X-Auth", "Authentication-Info", "X-Amz-Signature", "passwd", "DbPwd", "Set-Cookie"]
)
def test_names_of_secrets(name: str) -> None:
    """One list for headers, fields and recordings; a code of an authorization is a number of a vendor."""
    assert is_secret_name(name)
    assert not any(map(is_secret_name, ("AuthorizationCode", "DtPwdChange", "Author", "SignatureRequired")))


def test_an_error_of_a_command_shows_no_secret() -> None:
    """A command raises errors about records, too, which may repeat one."""
    names = {"COMPANY": "Acme", "CLIENT_ID": "b", "CLIENT_SECRET": "kq9/Zq+7w&Lm3=Xr8tPv2B"}

    async def command() -> None:
        raise NotUniqueError(f"two records are named {names['CLIENT_SECRET']}")

    with Runner(Target(), {f"WOSDK_{name}": value for name, value in names.items()}) as runner:
        with pytest.raises(NotUniqueError, match=r"are named \*\*\*$"):
            runner.run(command())
