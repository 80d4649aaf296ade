"""``wosdk sandbox serve``: its variables, its console and the files that it writes."""

from __future__ import annotations

import os
import re
import signal
import socket
import ssl
import stat
import subprocess
import tomllib
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.cli.conftest import ROOT, Wosdk, serving, spawn
from tests.support.certificates import PAST, VALID, certificate_file
from tests.support.waiting import until
from wosdk_async import Client
from wosdk_async.sandbox import open_store
from wosdk_async.sandbox.server import console_of


def test_files_with_credentials_are_for_their_owner_only(wosdk: Wosdk, tmp_path: Path) -> None:
    """The store, the files beside it, and a snapshot, whatever the umask allows."""
    before = os.umask(0)
    try:
        opened = open_store(tmp_path / "s.db")
        assert (
            wosdk("sandbox", "snapshot", "--store", tmp_path / "s.db", "--to", tmp_path / "kept").exit_code
            == 0
        )
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
        opened.close()
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("s.db", "s.db-wal", "s.db-shm", "kept"), 0o600)


FUTURE = ("20980101000000Z", "20990101000000Z")
HOSTILE = 'X$(touch ran)y `touch ran` it\'s "1"'


def test_the_variables_of_any_company_can_be_sourced(tmp_path: Path) -> None:
    """A shell that reads what is printed runs nothing of it and gets the name as it is."""
    store, file = tmp_path / "n.db", tmp_path / "company.env"
    served = ("sandbox", "serve", "--port", "0", "--store", store, "--company", HOSTILE)
    printed = spawn(*served)
    assert printed.stdout is not None
    text = "".join(printed.stdout.readline() for _ in range(5))
    printed.terminate()
    printed.communicate(timeout=20)
    written = spawn(*served, "--env-file", file)
    assert written.stderr is not None
    message = [written.stderr.readline() for _ in range(3)]
    assert message[0] == f"wosdk: the variables are in {file}\n"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    (tmp_path / "printed.env").write_text(text)
    for name in ("printed.env", "company.env"):
        script = f"set -eu; set -a; . ./{name}; set +a; printenv WOSDK_COMPANY; printenv WOSDK_CLIENT_SECRET"
        done = subprocess.run(["sh", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=True)
        company, secret = done.stdout.splitlines()
        assert (company, len(secret) > 20, done.stderr) == (HOSTILE, True, "")
    written.terminate()
    stdout, _ = written.communicate(timeout=20)
    assert stdout == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["n.db", "printed.env"]


def test_serve_names_its_console_and_the_root_leads_there(tmp_path: Path) -> None:
    with serving("--store", tmp_path / "s.db") as (process, variables):
        root = variables["WOSDK_LOCATOR_URL"]
        assert process.stderr is not None
        assert process.stderr.readline() == f"wosdk: the console is at {root}/console\n"
        page = httpx.get(root, headers={"Accept": "text/html,*/*"}, follow_redirects=True)
        assert (str(page.url), page.status_code) == (f"{root}/console", 200)
        assert httpx.get(root).json() == {"Console": "/console", "Description": "/docs"}


EVERYWHERE = ["0.0.0.0", *(["::"] if socket.has_dualstack_ipv6() else [])]  # noqa: S104 - on purpose


@pytest.mark.parametrize("host", EVERYWHERE)
async def test_what_listens_everywhere_names_an_address_to_connect_to(tmp_path: Path, host: str) -> None:
    """Here by loopback, as the variables say; elsewhere by what a line says."""
    with serving("--host", host, "--store", tmp_path / "s.db") as (served, variables):
        async with Client.from_env(variables) as client:
            await client.company().connect()
            assert client.company().host == variables["WOSDK_LOCATOR_URL"]
        root = f"http://HOST:{urlsplit(variables['WOSDK_LOCATOR_URL']).port}"
        assert served.stderr is not None
        said = served.stderr.readline() + served.stderr.readline()
    assert f"set WOSDK_LOCATOR_URL={root}, WOSDK_TOKEN_URL={root}/OAuth/token and WOSDK_TRUSTED_HOSTS" in said
    there = variables | {
        name: variables[name].replace(urlsplit(variables[name]).netloc, "192.0.2.7:8900")
        for name in ("WOSDK_LOCATOR_URL", "WOSDK_TOKEN_URL")
    }
    async with Client.from_env(there | {"WOSDK_TRUSTED_HOSTS": "192.0.2.7"}) as client:
        client.company()


def test_an_address_without_https_is_trusted_by_the_variables(wosdk: Wosdk, tmp_path: Path) -> None:
    """A client sends no token there otherwise."""
    open_store(tmp_path / "s.db").close()
    shown = wosdk(
        "sandbox", "companies", "--store", tmp_path / "s.db", "--url", "http://192.0.2.7:8900"
    ).stdout
    assert tomllib.loads(shown)["profiles"]["AcmeFacilities"]["trusted_hosts"] == ["192.0.2.7"]
    (tmp_path / "settings.toml").write_text(shown)
    (tmp_path / "settings.toml").chmod(0o600)
    settings = {"WOSDK_CONFIG": str(tmp_path / "settings.toml"), "WOSDK_PROFILE": "AcmeFacilities"}
    assert Client.from_env(settings).company().name == "AcmeFacilities"


@pytest.mark.parametrize(
    ("names", "dates", "root", "hosts", "warning"),
    [
        ("DNS:*.a.example,DNS:wosdk.a.example", VALID, "https://wosdk.a.example:", "wosdk.a.example", None),
        ("DNS:localhost", PAST, "https://localhost:", None, "expired on 2020-01-02, so clients refuse it"),
        ("DNS:localhost", FUTURE, "https://localhost:", None, "is not valid before 2098-01-01, so clients"),
        ("IP:127.0.0.2", VALID, "https://127.0.0.1:", None, "names 127.0.0.2, not 127.0.0.1, so clients"),
    ],
)
def test_the_variables_name_a_host_of_the_certificate(
    tmp_path: Path, names: str, dates: tuple[str, str], root: str, hosts: str | None, warning: str | None
) -> None:
    """A client refuses the certificate at any other, and an old one everywhere, which serve says."""
    certificate, file = certificate_file(tmp_path / "local.pem", names, dates), tmp_path / "company.env"
    served = ("--store", tmp_path / "s.db", "--certificate", certificate, "--env-file", file)
    process = spawn("sandbox", "serve", "--port", "0", *served)
    assert process.stderr is not None
    said = ""
    while "Ctrl-C" not in said:
        said += process.stderr.readline()
    variables = dict(line.split("=", 1) for line in file.read_text().splitlines()[:-1])
    port = urlsplit(variables["WOSDK_LOCATOR_URL"]).port or 0
    assert ssl.get_server_certificate(("127.0.0.1", port), timeout=20) in certificate.read_text()
    process.terminate()
    process.communicate(timeout=20)
    assert variables["WOSDK_LOCATOR_URL"].startswith(root)
    assert variables["WOSDK_TOKEN_URL"].startswith(root)
    assert variables.get("WOSDK_TRUSTED_HOSTS") == hosts
    assert said.count("warning") == (warning is not None)
    assert (warning or "") in said


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "(No such file or directory)"),
        ("no certificate", ""),
    ],
)
def test_a_certificate_that_cannot_be_used(
    wosdk: Wosdk, tmp_path: Path, content: str | None, why: str
) -> None:
    """Refused before a store is made, with what the option takes."""
    path = tmp_path / "given.pem"
    if content is not None:
        path.write_text(content)
    result = wosdk("sandbox", "serve", "--store", tmp_path / "s.db", "--port", "0", "--certificate", path)
    assert result.exit_code == 2
    assert f"{path} cannot be used for https {why}" in result.stderr
    assert "it must contain an unencrypted key and its certificate in PEM" in result.stderr
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize(
    ("root", "console"),
    [
        ("http://[::1]:8900", "http://[::1]:8900/console"),
        ("https://127.0.0.1:8900", "https://127.0.0.1:8900/console"),
        ("http://192.0.2.7:8900", None),
    ],
)
def test_the_console_is_named_where_it_answers(root: str, console: str | None) -> None:
    """It answers this machine only, under a loopback name."""
    assert console_of(root) == console


@pytest.mark.parametrize("name", ["nowhere/company.env", "."])
def test_an_env_file_that_cannot_be_written_is_reported(tmp_path: Path, name: str) -> None:
    process = spawn(
        "sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db", "--env-file", tmp_path / name
    )
    _, stderr = process.communicate(timeout=20)
    assert (process.returncode, stderr.count("\n")) == (2, 1)
    assert f"{tmp_path / name}" in stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["notes.env", "fifo", "link.env"])
def test_an_env_file_that_serve_did_not_write_is_kept(wosdk: Wosdk, tmp_path: Path, name: str) -> None:
    """It may hold the credentials of another Company; a fifo would be replaced by a file."""
    real = "WOSDK_COMPANY=Acme\nWOSDK_CLIENT_ID=id\nWOSDK_CLIENT_SECRET=real\n"
    (tmp_path / "notes.env").write_text(real)
    (tmp_path / "link.env").symlink_to("notes.env")
    os.mkfifo(tmp_path / "fifo")
    made = wosdk(
        *("sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db", "--env-file", tmp_path / name)
    )
    message = (
        f"--env-file {tmp_path / name} is not a regular file; name another file"
        if name == "fifo"
        else f"{tmp_path / name} exists and was not written by `wosdk sandbox serve`; "
        "name another file or add --force"
    )
    assert (made.exit_code, made.stderr) == (2, f"wosdk: {message}\n")
    assert (tmp_path / "notes.env").read_text() == real
    assert (tmp_path / "fifo").is_fifo()
    assert not (tmp_path / "s.db").exists()


def test_an_env_file_of_before_is_written_anew(tmp_path: Path) -> None:
    """An empty file, and with --force any other; behind a link, which stays."""
    (tmp_path / "link.env").symlink_to("company.env")
    for before, *more in (("",), ("mine", "--force")):
        (tmp_path / "company.env").write_text(before)
        served = spawn(
            *("sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db"),
            *("--env-file", tmp_path / "link.env", *more),
        )
        assert served.stderr is not None
        assert served.stderr.readline() == f"wosdk: the variables are in {tmp_path / 'link.env'}\n"
        assert (tmp_path / "company.env").read_text().startswith("WOSDK_TOKEN_URL=http://127.0.0.1:")
        served.terminate()
        served.communicate(timeout=20)
        assert not (tmp_path / "company.env").exists()
    assert (tmp_path / "link.env").is_symlink()


def test_in_the_background_serve_returns_once_it_answers(tmp_path: Path) -> None:
    """Its output ends too, although the server runs on; another at its port fails, and keeps the file."""
    file = tmp_path / "company.env"
    served = ("sandbox", "serve", "--background", "--store", tmp_path / "s.db", "--env-file", file)
    _, said = spawn(*served, "--port", "0").communicate(timeout=20)
    process = int(said.rpartition("`kill ")[2].partition("`")[0])
    try:
        before = file.read_text()
        *lines, last = before.splitlines()
        assert (last[0], last.endswith(f" kill {process}")) == ("#", True)
        root = dict(line.split("=", 1) for line in lines)["WOSDK_LOCATOR_URL"]
        assert httpx.get(root).json()["Console"] == "/console"
        for port in ("0", str(urlsplit(root).port)):
            second = spawn(*served, "--port", port)
            _, said = second.communicate(timeout=20)
            assert (second.returncode, said.count("\n"), file.read_text()) == (2, 1, before)
            assert f"{file} belongs to a running server" in said
            assert f"`kill {process}`" in said
        other = ("--env-file", tmp_path / "other.env", "--port", str(urlsplit(root).port))
        _, said = spawn(*served, *other).communicate(timeout=20)
        assert "Address already in use" in said
        assert f"{file}" not in said
        stop = re.search(r"^.*  # stop the server$", (ROOT / "docs/sandbox.md").read_text(), re.M)
        assert stop is not None
        subprocess.run(["sh", "-c", stop[0]], cwd=tmp_path, check=True)
        until(lambda: not file.exists())
    finally:
        with suppress(ProcessLookupError):
            os.kill(process, signal.SIGTERM)


def test_a_server_in_the_foreground_keeps_its_file_until_it_ends(tmp_path: Path) -> None:
    """Even if another one is forced to start with it, and fails."""
    file = tmp_path / "company.env"
    served = ("sandbox", "serve", "--store", tmp_path / "s.db", "--env-file", file)
    first = spawn(*served, "--port", "0")
    assert first.stderr is not None
    while "Ctrl-C" not in first.stderr.readline():
        pass
    before = file.read_text()
    port = before.partition("127.0.0.1:")[2].partition("/")[0]
    try:
        for more, message in (
            ((), f"`kill {first.pid}`"),
            (("--force",), "Address already in use"),
        ):
            second = spawn(*served, "--port", port, *more)
            _, said = second.communicate(timeout=20)
            assert (second.returncode, file.read_text()) == (2, before)
            assert message in said
    finally:
        first.terminate()
        first.communicate(timeout=20)
    assert not file.exists()


@pytest.mark.parametrize("alive", [False, True])
def test_the_file_of_a_server_that_ended_is_not_left_for_a_shell(tmp_path: Path, alive: bool) -> None:
    """After a failed start it would be loaded; its port or process id may be another program's by now."""
    file = tmp_path / "company.env"
    with socket.create_server(("127.0.0.1", 0)) as taken:
        root, process = f"http://127.0.0.1:{taken.getsockname()[1]}", 2**22 + 1 if alive else os.getpid()
        if not alive:
            taken.close()
        file.write_text(
            f"WOSDK_TOKEN_URL={root}/OAuth/token\nWOSDK_LOCATOR_URL={root}\nWOSDK_COMPANY=AcmeFacilities\n"
            "WOSDK_CLIENT_ID=sandbox-client\nWOSDK_CLIENT_SECRET=sandbox-x\n"
            f"# stop the server: kill {process}\n"
        )
        wrong = ("--company", "\u00fc")
        failed = spawn(
            "sandbox", "serve", "--port", "0", "--store", tmp_path / "s.db", "--env-file", file, *wrong
        )
        failed.communicate(timeout=20)
    assert (failed.returncode, file.exists()) == (2, False)


PAGES = ("README.md", "docs/sandbox.md", "docs/without-account.md", "docs/curl.md", "docs/web.md", "help")


@pytest.mark.parametrize("page", PAGES)
def test_a_shell_notices_that_the_documented_start_failed(wosdk: Wosdk, tmp_path: Path, page: str) -> None:
    """Otherwise the next command reaches the Company whose variables the shell had before."""
    text = wosdk("sandbox", "serve", "--help").stdout if page == "help" else (ROOT / page).read_text()
    start = re.search(r"^ *wosdk sandbox serve .*--env-file(.|\n)*?set \+a", text, re.M)
    assert start is not None
    (tmp_path / "wosdk").write_text("#!/bin/sh\nexit 2\n")
    (tmp_path / "wosdk").chmod(0o755)
    shell = {"cwd": tmp_path, "env": {"PATH": f"{tmp_path}:{os.environ['PATH']}"}, "capture_output": True}
    for options in ([], ["-e"]):
        ended = subprocess.run(["bash", *options, "-c", start[0]], **shell)  # type: ignore[call-overload]
        assert ended.returncode != 0
    ended = subprocess.run(["bash", "-e", "-c", f"{start[0]}\necho next"], **shell)  # type: ignore[call-overload]
    assert ended.stdout == b""
