"""Why a step towards the Company failed, and what to do about it, in words for whoever runs the command."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator

from wosdk_async.errors import (
    CredentialsError,
    DeadlineError,
    DiscoveryError,
    NoAnswerError,
    RefusedError,
    SessionError,
    UnknownCompanyError,
    WosdkError,
)

__all__ = ["remedy"]

_NOT_YET_VALID, _EXPIRED = 9, 10  # verify codes of OpenSSL
_ROUTE = "check the network, a firewall, and WOSDK_LOCATOR_URL and WOSDK_TOKEN_URL if you set them"


def remedy(error: WosdkError) -> str:
    """What to do about ``error``; empty where its own text says so."""
    for cause in _causes(error):
        if found := _of_network(cause):
            return found
    return next((text for kind, text in _BY_KIND if isinstance(error, kind)), "")


def _causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        if isinstance(error, BaseExceptionGroup):
            for inner in error.exceptions:
                yield from _causes(inner)
        error = error.__cause__ or error.__context__


def _of_network(cause: BaseException) -> str:
    if isinstance(cause, ssl.SSLCertVerificationError):
        if cause.verify_code in (_NOT_YET_VALID, _EXPIRED):
            return "the certificate is out of its time: check the clock of this machine first"
        return (
            "the certificate is not trusted here: a proxy that opens TLS, or a private authority; "
            "set SSL_CERT_FILE to its certificates"
        )
    if isinstance(cause, ssl.SSLError):
        return "the other side does not speak TLS: the address has the wrong port, or a proxy answers"
    if isinstance(cause, socket.gaierror):
        return f"the name server does not know the host: {_ROUTE}"
    if isinstance(cause, ConnectionRefusedError):
        return f"nothing listens there: {_ROUTE}"
    if isinstance(cause, TimeoutError) and not isinstance(cause, WosdkError):
        return f"nobody answers there: {_ROUTE}"
    return ""


_BY_KIND: tuple[tuple[type[WosdkError], str], ...] = (
    (
        CredentialsError,
        "the pair belongs to one Company and its secret is shown once: "  # facts 12 row 25
        "have an administrator generate a new one if in doubt",
    ),
    (UnknownCompanyError, "it may be at home in another region: WOSDK_REGION is americas, apac or emea"),
    (DiscoveryError, "name the host in WOSDK_TRUSTED_HOSTS only if it is yours"),
    (SessionError, "the token was given and then refused: try again, then ask the administrator"),
    (
        RefusedError,  # facts 1 names the right; how its lack is refused is not shown; assumed
        "the login is good: its role may lack rights; it needs 'Permissions - Web Services Access'",
    ),
    (NoAnswerError, "something else than the service may answer there: a proxy, or a page of maintenance"),
    (DeadlineError, f"it took too long; --deadline gives it more time, or {_ROUTE}"),
)
