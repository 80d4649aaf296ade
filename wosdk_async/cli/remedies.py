"""Why a step towards the Company failed, and what to do about it, in words for whoever runs the command."""

from __future__ import annotations

from wosdk_async.errors import (
    CredentialsError,
    DeadlineError,
    DiscoveryError,
    NoAnswerError,
    NotSentError,
    RefusedError,
    SessionError,
    UnknownCompanyError,
    WosdkError,
)

__all__ = ["remedy"]

_ROUTE = "check the network, a firewall, and WOSDK_LOCATOR_URL and WOSDK_TOKEN_URL if you set them"

# What the system and OpenSSL say of a connection that failed, in lower case; the first that fits. The errors
# themselves are not kept: they would hold the request, and with it the token.
_BY_TEXT = (
    (
        ("certificate has expired", "certificate is not yet valid"),
        "the certificate is out of its time: check the clock of this machine first",
    ),
    (
        ("certificate_verify_failed", "certificate verify failed"),
        "the certificate is not trusted here: a proxy that opens TLS, or a private authority; "
        "set SSL_CERT_FILE to its certificates",
    ),
    (("[ssl",), "the other side does not speak TLS: the address has the wrong port, or a proxy answers"),
    (
        ("name or service", "nodename nor", "name resolution", "no address associated", "getaddrinfo"),
        f"the name server does not know the host: {_ROUTE}",
    ),
    (("refused", "connect call failed"), f"nothing listens there: {_ROUTE}"),
    (("timeout", "timed out"), f"nobody answers there: {_ROUTE}"),
)


def remedy(error: WosdkError) -> str:
    """What to do about ``error``; empty where its own text says so."""
    if isinstance(error, NotSentError | NoAnswerError):
        text = error.message.lower()
        if found := next((say for signs, say in _BY_TEXT if any(sign in text for sign in signs)), ""):
            return found
    return next((text for kind, text in _BY_KIND if isinstance(error, kind)), "")


_BY_KIND: tuple[tuple[type[WosdkError], str], ...] = (
    (
        CredentialsError,
        "the pair belongs to one Company and its secret is shown once: "  # facts 10 row 25
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
