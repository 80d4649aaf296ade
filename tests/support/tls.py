"""TLS for the test servers: with ``WOSDK_TEST_TLS=1``, all use it except in tests marked ``plain``."""

from __future__ import annotations

import os
import ssl

from tests.support.certificate import certificate

_now: list[ssl.SSLContext] = []
"""Context of the running test's servers, if they use TLS."""


def trust_certificate() -> None:
    """Make the system trust the servers' certificate, including in child processes."""
    if os.environ.get("WOSDK_TEST_TLS"):
        os.environ["SSL_CERT_FILE"] = str(certificate())


def use_tls(plain: bool) -> None:
    """Make the next test's servers use TLS, if configured and the test is not ``plain``."""
    _now.clear()
    if os.environ.get("WOSDK_TEST_TLS") and not plain:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate())
        _now.append(context)


def serving_context() -> ssl.SSLContext | None:
    """Return the context for a server without its own."""
    return _now[0] if _now else None


def trusted() -> ssl.SSLContext:
    """Return the ``verify`` argument for clients that read no environment variables.

    Without TLS, the context trusts nobody, because loading the system's authorities takes 20 ms.
    """
    if _now:
        return ssl.create_default_context(cafile=certificate())
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
