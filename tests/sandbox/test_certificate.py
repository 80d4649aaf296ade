"""Https of a local Company, and the host that its variables name."""

from __future__ import annotations

import os
import ssl
import subprocess
from pathlib import Path

import pytest

from tests.support.certificates import PAST, certificate_file
from wosdk_async import Client
from wosdk_async.sandbox import LocalCompany
from wosdk_async.sandbox.certificate import read_certificate


async def test_a_local_company_over_https(tmp_path: Path) -> None:
    """``certificate=`` and a context that trusts it: log-in, discovery and a read."""
    path = certificate_file(tmp_path / "local.pem", "DNS:localhost")
    with LocalCompany(certificate=path) as local:
        own = ssl.create_default_context(cafile=path)
        async with Client.from_env(local.variables, ssl_context=own) as client:
            await client.company().connect()
            assert str(client.company().host).startswith("https://localhost:")
            assert await client.company().query("Customer").limit(1).all()


def test_a_certificate_that_cannot_be_used(tmp_path: Path) -> None:
    """Refused before anything is served."""
    whole = certificate_file(tmp_path / "a.pem", "DNS:localhost").read_text()
    key, begin, certificate = whole.partition("-----BEGIN CERTIFICATE")
    (tmp_path / "key.pem").write_text(key)
    (tmp_path / "cert.pem").write_text(begin + certificate)
    for name, why in (("missing", "cannot"), ("key", "has no certificate"), ("cert", "has no private key")):
        with pytest.raises(ValueError, match=rf"cannot be used for https .*{why}|{why} be used for https"):
            LocalCompany(certificate=tmp_path / f"{name}.pem")


@pytest.mark.parametrize(
    ("names", "address", "host"),
    [
        ("DNS:localhost,IP:127.0.0.1", "127.0.0.1", "127.0.0.1"),
        ("DNS:localhost,DNS:a.example", "0.0.0.0", "localhost"),  # noqa: S104 - a name
        ("DNS:localhost,DNS:a.example", "192.0.2.1", "a.example"),
        ("DNS:a.example,IP:::1", "127.0.0.1", "a.example"),
        ("DNS:a.example,IP:::1", "::1", "::1"),
        ("DNS:a.example,IP:::1", "::", "::1"),
        ("DNS:*.localhost", "127.0.0.1", "127.0.0.1"),
    ],
)
def test_the_host_that_clients_are_led_to(tmp_path: Path, names: str, address: str, host: str) -> None:
    """The address itself if it is named, else a name that leads there; a wildcard is not one."""
    assert read_certificate(certificate_file(tmp_path / "a.pem", names, PAST)).host(address) == host


def test_a_certificate_of_an_authority(tmp_path: Path) -> None:
    """The names are read of one that an authority signed, without that authority."""
    authority = certificate_file(tmp_path / "authority.pem", "DNS:authority.example")
    new = "openssl req -new -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -subj /CN=a"
    (tmp_path / "names").write_text("subjectAltName=DNS:localhost\nbasicConstraints=CA:FALSE\n")
    sign = (
        f"openssl x509 -req -in request -CA {authority} -CAkey {authority} -out cert -extfile names -days 2"
    )
    for command in (f"{new} -keyout key -out request", f"{sign} -CAcreateserial"):
        subprocess.run(command.split(), cwd=tmp_path, check=True, capture_output=True)
    path = tmp_path / "signed.pem"
    path.write_bytes((tmp_path / "key").read_bytes() + (tmp_path / "cert").read_bytes())
    assert read_certificate(path).names == ("localhost",)


@pytest.mark.parametrize(
    "odd", ["DNS:evil.example/@localhost", "email:a@b.example", "DNS:a\x1b[31m", "DNS:a b"]
)
def test_a_name_that_cannot_stand_in_an_address_is_left_out(tmp_path: Path, odd: str) -> None:
    path = certificate_file(tmp_path / "a.pem", f"{odd},DNS:localhost")
    assert read_certificate(path).names == ("localhost",)


def test_a_pipe_is_no_certificate(tmp_path: Path) -> None:
    """OpenSSL would wait for somebody who writes into it."""
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(ValueError, match="not a file"):
        read_certificate(tmp_path / "fifo")
