"""HTTPS certificate of a sandbox: host names and validity."""

from __future__ import annotations

import contextlib
import ipaddress
import re
import ssl
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import attrs

from wosdk_async.sandbox.access import WILDCARDS, is_loopback

_NO_CHECK_TIME = 0x200000  # X509_V_FLAG_NO_CHECK_TIME; Python has no name for it
_HANDSHAKE_ROUNDS = 4  # more than a handshake takes
_HOST = re.compile(r"(\*\.)?[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*")


@attrs.frozen
class Certificate:
    """A private key and certificate in one file."""

    path: Path
    names: tuple[str, ...] = ()  # host names and addresses in the certificate
    begins: float = 0.0
    ends: float = float("inf")

    def host(self, address: str) -> str:
        """Return the host name that clients use for a server listening on ``address``."""
        if address in self.names:
            return address
        usable = [
            name for name in self.names if "*" not in name and (address in WILDCARDS or not _is_ip(name))
        ]
        # Prefer a loopback name if the server listens on loopback or on all addresses, else another name
        local = is_loopback(address) or address in WILDCARDS
        return min(usable, key=lambda name: is_loopback(name) is not local, default=address)

    def warnings(self, host: str) -> Iterator[str]:
        """Yield reasons why clients would refuse the certificate at ``host``."""
        now = time.time()
        if now > self.ends:
            yield f"the certificate in {self.path} expired on {_day(self.ends)}, so clients refuse it"
        if now < self.begins:
            day = _day(self.begins)
            yield f"the certificate in {self.path} is not valid before {day}, so clients refuse it"
        if host not in self.names:
            names = ", ".join(self.names) or "nothing"
            yield f"the certificate in {self.path} names {names}, not {host}, so clients refuse it"


def read_certificate(path: Path) -> Certificate:
    """Read a certificate. Raises ValueError if a server cannot use it."""
    if path.exists() and not path.is_file():  # reading a pipe would wait for a writer
        raise ValueError(f"{path} cannot be used for https: it is not a file")
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(path, password="")
        presented = _presented_certificate(context, path)
    except OSError as error:  # ssl.SSLError is also an OSError
        why = _missing_half(path) or error.strerror or str(error)
        raise ValueError(
            f"{path} cannot be used for https ({why}); it must contain an unencrypted key and its certificate"
            " in PEM"
        ) from None
    return Certificate(
        path,
        tuple(_names(presented.get("subjectAltName", ()))),
        ssl.cert_time_to_seconds(presented["notBefore"]),
        ssl.cert_time_to_seconds(presented["notAfter"]),
    )


def _missing_half(path: Path) -> str:
    try:
        content = path.read_bytes()
    except OSError:
        return ""
    has_key, has_certificate = (title in content for title in (b"PRIVATE KEY-----", b"CERTIFICATE-----"))
    if has_key == has_certificate:
        return ""
    return "it has no certificate" if has_key else "it has no private key"


def _presented_certificate(serving: ssl.SSLContext, path: Path) -> dict[str, Any]:
    """Parse the certificate with a TLS handshake, because Python parses only verified peers' certificates."""
    trusting = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    trusting.check_hostname = False
    trusting.load_verify_locations(path)
    trusting.verify_flags |= ssl.VerifyFlags(ssl.VERIFY_X509_PARTIAL_CHAIN | _NO_CHECK_TIME)
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    client = trusting.wrap_bio(to_client, to_server)
    server = serving.wrap_bio(to_server, to_client, server_side=True)
    for _ in range(_HANDSHAKE_ROUNDS):
        for side in (client, server):
            with contextlib.suppress(ssl.SSLWantReadError):
                side.do_handshake()
    return client.getpeercert() or {}


def _names(found: Iterable[tuple[str, str]]) -> Iterator[str]:
    for kind, value in found:
        if kind == "IP Address":
            with contextlib.suppress(ValueError):
                yield str(ipaddress.ip_address(value))
        elif kind == "DNS" and _HOST.fullmatch(value):
            yield value.lower()


def _is_ip(name: str) -> bool:
    return ":" in name or name.replace(".", "").isdigit()


def _day(moment: float) -> str:
    return time.strftime("%Y-%m-%d", time.gmtime(moment))
