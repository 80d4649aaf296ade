"""``wosdk check``: each step with its tick, and what is wrong in words."""

# ruff: noqa: E501 - a table of faults and the messages about them

from __future__ import annotations

import asyncio
import json
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Wosdk
from tests.engine.proxy import Proxy
from tests.support.certificates import FUTURE, PAST, VALID, certificate_file
from tests.support.deaf import deaf_port
from tests.support.service import SECRET, Answer, Handler, Service, error
from wosdk_async.cli import diagnostics
from wosdk_async.cli.diagnostics import remedy_for
from wosdk_async.errors import DeadlineError, NoAnswerError, NotSentError
from wosdk_async.sandbox import LocalCompany

STEPS = ["settings", "credentials", "token", "discovery", "read"]
FOUND = Answer(body={"Entities": [{"Data": {"Id": 1}}]})


@pytest.mark.usefixtures("seeded")
def test_all_is_well(wosdk: Wosdk) -> None:
    """Five ticks for people, one object for programs."""
    result = wosdk("check")
    assert result.exit_code == 0
    assert [line.split()[:2] for line in result.stdout.splitlines()] == [["✓", step] for step in STEPS]
    found = json.loads(wosdk("check", "--json").stdout)
    assert found["ok"] is True
    assert [(step["step"], step["ok"]) for step in found["steps"]] == [(step, True) for step in STEPS]
    assert all(step["seconds"] >= 0 for step in found["steps"])


def failing(wosdk: Wosdk, *options: str) -> tuple[int, str, str]:
    """Status, the step that failed, and what is said of it."""
    result = wosdk(*options, "check")
    assert SECRET not in result.output
    lines = result.stdout.splitlines()
    failed = next(i for i, line in enumerate(lines) if line.startswith("✗"))
    assert [line[0] for line in lines[:failed]] == ["✓"] * failed
    found = json.loads(wosdk(*options, "check", "--json").stdout)
    assert found["ok"] is False
    assert found["steps"][-1]["step"] == lines[failed].split()[1]
    return result.exit_code, lines[failed].split()[1], " ".join(lines[failed:])


@pytest.mark.parametrize(
    ("variable", "value", "status", "step", "message"),
    [
        ("COMPANY", "", 2, "settings", "`wosdk login`"),
        ("CLIENT_ID", "", 2, "settings", "WOSDK_CLIENT_ID is not set"),
        ("TOKEN_URL", f"https://svc:{SECRET}@example.com/", 2, "settings", "'https://***@example.com/'"),
        ("TRUSTED_HOSTS", f"https://svc:{SECRET}@example.com", 2, "settings", "'https://***@example.com'"),
        ("TOKEN_URL", "http://example.com/", 2, "settings", "TOKEN_URL: http://example.com"),
        ("LOCATOR_URL", "", 2, "settings", "https://am-apilocator.corrigo.com would"),
        ("TOKEN_URL", "", 2, "settings", "https://oauth-pro-v2.corrigo.com/OAuth/token"),
        (
            "TOKEN_URL",
            "http://127.0.0.1:1/",
            6,
            "token",
            "check that a server listens on 127.0.0.1:1, and WOSDK_",
        ),
        ("LOCATOR_URL", "http://127.0.0.1:1", 6, "discovery", "listens on 127.0.0.1:1, and WOSDK_LOCATOR"),
    ],
)
def test_a_wrong_setting(
    wosdk: Wosdk,
    scripted: Service,
    monkeypatch: pytest.MonkeyPatch,
    variable: str,
    value: str,
    status: int,
    step: str,
    message: str,
) -> None:
    """The step that fails, its kind as the exit status, and the remedy."""
    monkeypatch.setenv(f"WOSDK_{variable}", value)
    found, failed, text = failing(wosdk)
    assert (found, failed) == (status, step)
    assert message in text


def test_a_port_of_this_machine_without_a_server(
    wosdk: Wosdk, scripted: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The stand-in may not run."""
    monkeypatch.setenv("WOSDK_TOKEN_URL", "http://127.0.0.1:1/")
    result = wosdk("get", "WorkOrder", "1", "--deadline", "0.1")
    assert result.exit_code == 6
    assert "nothing is listening on 127.0.0.1:1; is `wosdk sandbox serve` running?" in result.stderr


@pytest.mark.parametrize(
    ("place", "answer", "status", "step", "message"),
    [
        ("on_token", Answer(400, {"error": "invalid_client"}), 5, "token", "an administrator can generate a new one"),
        ("on_token", Answer(404, b"<html>"), 5, "token", "/OAuth/token responded with HTTP 404; check WOSDK_TOKEN_URL"),
        ("on_token", error(404, "NOT_FOUND", "Nothing here."), 5, "token", "HTTP 404 (Nothing here.); check WOSDK_TOKEN_URL"),
        ("on_discovery", error(404, "NOT_FOUND", "Nothing here."), 5, "discovery", "HTTP 404 (Nothing here.); check WOSDK_LOCATOR_URL"),
        ("on_token", Answer(500, b"<html>"), 6, "token", "a proxy or a maintenance page"),
        ("on_discovery", error(403, "DATABASE_VERSION_MISMATCH"), 5, "discovery", "check the region"),
        ("on_discovery", Answer(body={"CommandResult": {"Url": "https://evil.example/"}}), 5, "discovery", "WOSDK_TRUSTED_HOSTS only if you own it"),
        ("on_discovery", Answer(body={"CommandResult": {}}), 5, "discovery", "has no Url"),
        ("handler", error(400, "BUSINESS_LOGIC_ERROR", "no rights"), 3, "read", "Permissions - Web Services Access"),
        ("handler", error(401, "INCORRECT_TOKEN"), 5, "read", "a new token was refused"),
    ],
)  # fmt: skip
def test_what_the_service_may_say(
    wosdk: Wosdk, scripted: Service, place: str, answer: Answer, status: int, step: str, message: str
) -> None:
    """Refusals of each step, and pages of something else."""
    handler: Handler = lambda _: answer  # noqa: E731
    setattr(scripted, place, handler)
    found, failed, text = failing(wosdk, "--deadline", "20")
    assert (found, failed) == (status, step)
    assert message in text


def test_tls_where_there_is_none(
    wosdk: Wosdk, seeded: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """An address with the wrong scheme."""
    monkeypatch.setenv("WOSDK_LOCATOR_URL", seeded["WOSDK_LOCATOR_URL"].replace("http:", "https:"))
    status, step, text = failing(wosdk)
    assert (status, step) == (6, "discovery")
    assert text.count("the server does not speak TLS: use http://") == 1


def test_tls_that_ends_with_an_alert(
    wosdk: Wosdk, seeded: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As by a proxy, or another service on that port."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def refuse() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:  # the test is over
                    return
                with connection:
                    connection.recv(4096)
                    connection.sendall(b"\x15\x03\x03\x00\x02\x02\x50")

        thread = threading.Thread(target=refuse)
        thread.start()
        monkeypatch.setenv("WOSDK_TOKEN_URL", f"https://127.0.0.1:{server.getsockname()[1]}/OAuth/token")
        status, step, text = failing(wosdk, "--deadline", "1")
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert (status, step) == (6, "token")
    assert "check the port in the address, or the proxy" in text


@pytest.fixture
def over_https(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[..., dict[str, str]]]:
    """A function that leads the environment to a local Company with a certificate for ``names``."""
    with ExitStack() as exits:

        def start(names: str, dates: tuple[str, str] = VALID, *, trusted: bool = True) -> dict[str, str]:
            path = certificate_file(tmp_path / "local.pem", names, dates)
            local = exits.enter_context(LocalCompany(certificate=path))
            monkeypatch.delenv("SSL_CERT_FILE", raising=False)
            if trusted:
                monkeypatch.setenv("SSL_CERT_FILE", str(path))
            for name, value in local.variables.items():
                monkeypatch.setenv(name, value)
            return local.variables

        yield start


@pytest.mark.parametrize(
    ("names", "dates", "trusted", "message"),
    [
        ("IP:127.0.0.1", VALID, False, "set SSL_CERT_FILE to the path of its certificate"),
        ("IP:127.0.0.2", VALID, True, "use a host name that the certificate covers"),
        ("IP:127.0.0.1", PAST, True, "check this machine's clock, then renew the certificate"),
        ("IP:127.0.0.1", FUTURE, True, "this machine's clock and the certificate's start date"),
    ],
)
def test_a_certificate_that_is_refused(
    wosdk: Wosdk, over_https: Any, names: str, dates: tuple[str, str], trusted: bool, message: str
) -> None:
    """What is wrong with it, and what to do about that and about nothing else, once."""
    over_https(names, dates, trusted=trusted)
    status, step, text = failing(wosdk)
    assert (status, step) == (6, "token")
    assert text.count(message) == 1
    assert text.count("certificate verify failed") == 1


def test_a_certificate_that_is_trusted(wosdk: Wosdk, over_https: Any) -> None:
    """The variables of a local Company name the host that its certificate names."""
    variables = over_https("DNS:localhost")
    assert variables["WOSDK_LOCATOR_URL"].startswith("https://localhost:")
    assert wosdk("check").exit_code == 0


@pytest.mark.parametrize(("variable", "step"), [("TOKEN_URL", "token"), ("LOCATOR_URL", "discovery")])
def test_http_where_https_is_spoken(
    wosdk: Wosdk, over_https: Any, monkeypatch: pytest.MonkeyPatch, variable: str, step: str
) -> None:
    """The host closes the connection without a word."""
    variables = over_https("IP:127.0.0.1")
    name = f"WOSDK_{variable}"
    monkeypatch.setenv(name, variables[name].replace("https:", "http:"))
    status, failed, text = failing(wosdk)
    assert (status, failed) == (6, step)
    assert "if this host speaks https, write https:// in its address" in text


@pytest.mark.parametrize("variable", ["SSL_CERT_FILE", "SSL_CERT_DIR"])
def test_a_variable_without_certificates(
    wosdk: Wosdk, over_https: Any, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """A setting, with its own exit status."""
    over_https("IP:127.0.0.1", trusted=False)
    monkeypatch.setenv(variable, "/nowhere/certificates")
    status, step, text = failing(wosdk)
    assert (status, step) == (2, "settings")
    assert f"{variable} is '/nowhere/certificates'" in text


# --- proxies -----------------------------------------------------------------------------------

NAME = "acme.example"
PASSWORD = "pr0xy-pa55"
PLAIN = pytest.mark.plain("its host has another name than the certificate of the tests")


@pytest.fixture
def named(scripted: Service, monkeypatch: pytest.MonkeyPatch) -> Service:
    """The scripted service under a name, which is looked up here, too."""
    url = scripted.url.replace("127.0.0.1", NAME)
    scripted.company_url, scripted.handler = url, lambda _: FOUND
    for variable, value in (
        ("TOKEN_URL", f"{url}/OAuth/token"),
        ("LOCATOR_URL", url),
        ("TRUSTED_HOSTS", NAME),
    ):
        monkeypatch.setenv(f"WOSDK_{variable}", value)
    resolve = socket.getaddrinfo

    def getaddrinfo(host: Any, *args: Any, **named: Any) -> Any:
        return resolve("127.0.0.1" if host == NAME else host, *args, **named)

    monkeypatch.setattr(socket, "getaddrinfo", getaddrinfo)
    return scripted


@pytest.fixture
def proxy() -> Iterator[Proxy]:
    """A proxy in a thread of its own."""
    made, loop = Proxy(), asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    asyncio.run_coroutine_threadsafe(made.__aenter__(), loop).result(10)
    yield made
    asyncio.run_coroutine_threadsafe(made.__aexit__(), loop).result(10)
    loop.call_soon_threadsafe(loop.stop)
    thread.join(10)
    loop.close()


@PLAIN
@pytest.mark.usefixtures("named")
@pytest.mark.parametrize("variable", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_the_proxy_of_each_host_is_named(
    wosdk: Wosdk, proxy: Proxy, monkeypatch: pytest.MonkeyPatch, variable: str
) -> None:
    """Its address without user and password, and the variable that names it."""
    monkeypatch.setenv(variable, f"http://user:{PASSWORD}@{proxy.address}")
    result = wosdk("check", "--json")
    assert result.exit_code == 0
    assert PASSWORD not in result.output + wosdk("check").output
    assert proxy.connections > 0
    contacted = [step for step in json.loads(result.stdout)["steps"] if "host" in step]
    assert [step["step"] for step in contacted] == STEPS[2:]
    for step in contacted:
        assert step["host"].startswith(f"{NAME}:")
        assert (step["proxy"], step["proxy_setting"]) == (f"http://{proxy.address}", variable)


@PLAIN
@pytest.mark.parametrize(
    ("service", "variables", "setting"),
    [
        ("named", {}, ""),
        ("named", {"HTTP_PROXY": "http://127.0.0.1:1", "NO_PROXY": "example"}, "NO_PROXY"),
        ("seeded", {"ALL_PROXY": "http://127.0.0.1:1"}, "this machine"),
    ],
)
def test_a_direct_connection_is_named(
    wosdk: Wosdk,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    service: str,
    variables: dict[str, str],
    setting: str,
) -> None:
    """No proxy is set, NO_PROXY rules it out, or it is this machine."""
    request.getfixturevalue(service)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    steps = json.loads(wosdk("check", "--json").stdout)["steps"][2:]
    found = [(step["ok"], step["proxy"], step["proxy_setting"]) for step in steps]
    assert found == [(True, None, setting)] * 3


@PLAIN
@pytest.mark.usefixtures("named")
def test_a_proxy_that_is_down(wosdk: Wosdk, monkeypatch: pytest.MonkeyPatch) -> None:
    """The remedy names its variable, and none of an address that is not at fault."""
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    status, step, text = failing(wosdk)
    assert (status, step) == (6, "token")
    assert "HTTP_PROXY" in text
    assert "WOSDK_" not in text


# --- hosts that do not respond -----------------------------------------------------------------


@pytest.mark.parametrize("step", STEPS[2:])
def test_a_host_that_is_gone_is_not_waited_for(
    wosdk: Wosdk, scripted: Service, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Each part has a deadline of its own, far below that of a call; the host at fault is named."""
    assert diagnostics._SECONDS <= 10
    monkeypatch.setattr(diagnostics, "_SECONDS", 0.5)
    with deaf_port() as port:
        url = f"http://127.0.0.1:{port}"
        scripted.company_url = url
        if step != "read":
            monkeypatch.setenv(f"WOSDK_{'TOKEN' if step == 'token' else 'LOCATOR'}_URL", url)
        began = time.monotonic()
        result = wosdk("check", "--json")
    assert time.monotonic() - began < 20
    failed = json.loads(result.stdout)["steps"][-1]
    assert (result.exit_code, failed["step"], failed["host"]) == (6, step, f"127.0.0.1:{port}")
    variable = {"token": "WOSDK_TOKEN_URL", "discovery": "WOSDK_LOCATOR_URL"}.get(step)
    assert re.findall(r"WOSDK_\w+", failed["remedy"]) == ([variable] if variable else [])


@pytest.mark.parametrize("place", ["on_token", "on_discovery"])
def test_a_host_that_never_answers(wosdk: Wosdk, scripted: Service, place: str) -> None:
    """The deadline ends it at the step that waits."""

    async def silent(_: object) -> Answer:
        await asyncio.Event().wait()
        return FOUND

    setattr(scripted, place, silent)
    status, step, text = failing(wosdk, "--deadline", "0.5")
    assert (status, step) == (6, "token" if place == "on_token" else "discovery")
    assert "did not respond within 0.5 s" in text
    assert "set a longer --deadline" in text


def test_a_clock_that_is_off_is_reported(wosdk: Wosdk, scripted: Service) -> None:
    """By the Date header of the answers."""
    good = scripted.on_token

    def dated(request: object) -> Answer:
        made = good(request)  # type: ignore[arg-type]
        assert isinstance(made, Answer)
        return Answer(body=made.body, headers={"Date": "Mon, 01 Jan 2024 00:00:00 GMT"})

    def dated_too(request: object) -> Answer:
        return Answer(
            body={"CommandResult": {"Url": scripted.url}}, headers={"Date": "Mon, 01 Jan 2024 00:00:00 GMT"}
        )

    scripted.on_token, scripted.on_discovery, scripted.handler = dated, dated_too, lambda _: FOUND
    result = wosdk("check")
    assert result.exit_code == 0
    assert "this machine's clock is +" in result.stdout


@pytest.mark.parametrize(
    ("why", "message"),
    [
        ("[Errno -2] Name or service not known", "the host name cannot be resolved"),
        ("[Errno -3] Temporary failure in name resolution", "the host name cannot be resolved"),
        ("ConnectTimeout: TimeoutError", "nothing responds there"),
    ],
)  # fmt: skip
def test_causes_that_no_local_service_can_have(why: str, message: str) -> None:
    """What the system says of a failure is in the text of the error."""
    text = f"the service was not reached (https://a.example: {why}); the call was not sent"
    assert message in remedy_for(NotSentError(text))
    assert message not in remedy_for(NoAnswerError("HTTP 500")) + remedy_for(DeadlineError("x"))
