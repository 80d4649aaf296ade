"""Certificates for the servers of the tests, and the libraries whose parts a program may pass."""

from __future__ import annotations

import os
import ssl
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import httpx
import httpx2
import pytest


@pytest.fixture(autouse=True)
def nothing_stumbles(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Fail a test in which a callback raised: the loop only logs that."""
    yield
    said = [record.getMessage() for when in ("setup", "call") for record in caplog.get_records(when)]
    assert not [text for text in said if "Exception in callback" in text or "Fatal error" in text]


@pytest.fixture(params=[httpx, httpx2], ids=["httpx", "httpx2"])
def library(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """httpx; and httpx2, where httpx cannot be imported."""
    if request.param is httpx2:
        monkeypatch.setitem(sys.modules, "httpx", None)
    return request.param


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the machine that runs the tests is behind."""
    for name in list(os.environ):
        if name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Certificates, each its own authority: for this machine, and for another host."""
    folder = tmp_path_factory.mktemp("certificates")
    made = {}
    for name, alternative in {
        "here": "IP:127.0.0.1",
        "elsewhere": "DNS:elsewhere.example",
        "acme": "DNS:acme.example",
    }.items():
        path = made[name] = folder / f"{name}.pem"
        command = (
            "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -subj /CN=test"
        )
        files = [
            "-addext",
            f"subjectAltName={alternative}",
            "-keyout",
            folder / "key",
            "-out",
            folder / "cert",
        ]
        subprocess.run([*command.split(), *files], check=True, capture_output=True)
        path.write_bytes((folder / "key").read_bytes() + (folder / "cert").read_bytes())
    return made


def serving(path: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    return context
