"""TLS of the servers of tests: with ``WOSDK_TEST_TLS=1`` all speak it but those of tests marked ``plain``."""

from __future__ import annotations

import os
import ssl

from tests.support.certificate import certificate

__all__ = ["serving_context", "trust_certificate", "trusted", "use_tls"]

_now: list[ssl.SSLContext] = []
"""The context of the servers of the test that runs, if they speak TLS."""


def trust_certificate() -> None:
    """Make the certificate of the servers one that the system trusts, for the processes of tests too."""
    if os.environ.get("WOSDK_TEST_TLS"):
        os.environ["SSL_CERT_FILE"] = str(certificate())


def use_tls(plain: bool) -> None:
    """Let the servers of the next test speak TLS, if that is set and the test is not ``plain``."""
    _now.clear()
    if os.environ.get("WOSDK_TEST_TLS") and not plain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate())
        _now.append(context)


def serving_context() -> ssl.SSLContext | None:
    """Return the context of a server that has none of its own."""
    return _now[0] if _now else None


def trusted() -> ssl.SSLContext:
    """Return what clients that read no environment variables take as ``verify``.

    Where the servers speak no TLS it trusts nobody: reading the authorities of the system takes 20 ms.
    """
    if _now:
        return ssl.create_default_context(cafile=certificate())
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
