"""Proxies and certificates: those of the client, or those that the system and its environment name."""

from __future__ import annotations

import asyncio
import copy
import os
import ssl
from collections.abc import Mapping
from functools import lru_cache
from importlib.util import find_spec
from typing import Protocol
from urllib.parse import unquote, urlsplit

from wosdk_async.errors import ConfigurationError
from wosdk_async.httpx_family import MISSING, is_installed
from wosdk_async.safe_text import Secrets
from wosdk_async.shared_tasks import mark_retrieved
from wosdk_async.transport.session.hosts import is_loopback

__all__ = [
    "ProxyRules",
    "TLSContextProvider",
    "certificate_remedy",
    "checked_proxy",
    "proxy_rules",
    "secrets_of_proxy",
    "system_context",
]

_SCHEMES = ("http", "https", "socks5", "socks5h")


class ProxyRules(Protocol):
    """Rule that names the proxy for an address."""

    def proxy_for(self, url: str) -> str | None:
        """Return the proxy for ``url``, None to connect directly. Raises ConfigurationError."""


def proxy_rules(proxy: str | None, trust_env: bool) -> ProxyRules | None:
    """Return the rules of a client, None if it uses no proxy. It reads the environment now and not again."""
    if proxy is not None:
        return OneProxy(proxy)
    named = _environment() if trust_env else {}
    return EnvironmentProxies(named) if named.keys() & {"http", "https", "all"} else None


class OneProxy:
    """The client's own proxy, for all its requests."""

    def __init__(self, proxy: str) -> None:
        self._proxy = checked_proxy(proxy, "proxy")

    def proxy_for(self, _: str) -> str:
        return self._proxy


class EnvironmentProxies:
    """Proxies by scheme, as the standard library reads them.

    Args:
        named: ``{"https": "proxy.example:81", "no": "a.example"}``.
    """

    def __init__(self, named: Mapping[str, str]) -> None:
        self._named = dict(named)

    def proxy_for(self, url: str) -> str | None:
        """Return the proxy for ``url``, None to connect directly. Raises ConfigurationError.

        This machine is reached directly: a proxy would look for it at its own place.
        """
        from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # typeshed

        parts = urlsplit(url)
        name = parts.scheme if self._named.get(parts.scheme) else "all"
        proxy = self._named.get(name)
        host = parts.hostname or ""
        if not proxy or host.endswith(".localhost") or is_loopback(host):
            return None
        if proxy_bypass_environment(parts.netloc, self._named):
            return None
        return checked_proxy(proxy, f"{name}_proxy".upper())


def _environment() -> dict[str, str]:
    if not any(name.lower().endswith("_proxy") for name in os.environ):
        return {}
    from urllib.request import getproxies_environment  # 20 ms to import, and seldom needed

    return getproxies_environment()


def checked_proxy(proxy: str, name: str) -> str:
    """Return the address of a proxy with its scheme.

    Raises:
        ConfigurationError: it cannot be used. The error does not show the address, which may have a password.
    """
    url = proxy if "://" in proxy else f"http://{proxy}"
    try:
        url.encode()  # what the environment could not decode cannot be sent
        parts = urlsplit(url)
        usable = parts.scheme in _SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise ConfigurationError(
            f"{name} is not the address of a proxy; it takes http://host:port, or https, socks5 or socks5h"
        )
    if parts.scheme.startswith("socks") and find_spec("socksio") is None:
        raise ConfigurationError(
            f"{name} names a SOCKS proxy; install 'httpx[socks]', or 'httpx2[socks]', for it"
        )
    if not is_installed():
        raise ConfigurationError(f"{name} cannot be used: {MISSING}")
    return url


def secrets_of_proxy(proxy: str | None) -> Secrets:
    """Return name and password of the proxy, as given and as they are sent: a proxy may repeat them."""
    given = urlsplit(proxy or "").netloc.rpartition("@")[0]
    password = given.partition(":")[2]
    return Secrets(*dict.fromkeys((given, unquote(given), password, unquote(password))))


# --- certificates ----------------------------------------------------------------------------


class TLSContextProvider:
    """TLS context of all connections: the caller's own, or the system's, made when it is first needed.

    ``SSL_CERT_FILE`` and ``SSL_CERT_DIR`` name other certificates than the system's, as for all of OpenSSL.
    A system that has none (a slim container) gets those of certifi. Connections share a context if they offer
    the same ``protocols``, because the offer is a property of the context.
    """

    def __init__(self, own: ssl.SSLContext | None = None, protocols: tuple[str, ...] = ("http/1.1",)) -> None:
        self.is_own = own is not None
        """Whether the context is that of the program."""
        self._context = own
        self._protocols = protocols
        self._making: asyncio.Task[ssl.SSLContext] | None = None

    async def context(self) -> ssl.SSLContext:
        """Return the context. Loading the system's takes 30 ms: once for all callers, in a thread.

        Raises:
            ConfigurationError: ``SSL_CERT_FILE`` or ``SSL_CERT_DIR`` names what cannot be used.
        """
        if self._context is None:
            if self._making is None or self._making.done():
                self._making = asyncio.create_task(asyncio.to_thread(system_context, self._protocols))
                self._making.add_done_callback(mark_retrieved)
            try:
                self._context = await asyncio.shield(self._making)
            except ConfigurationError as error:
                raise copy.copy(error) from None  # a copy: each call adds its own details to its error
        return self._context


def system_context(protocols: tuple[str, ...]) -> ssl.SSLContext:
    """Return the system's context: one per process for each value of the two variables and the protocols.

    Raises:
        ConfigurationError: a variable names what cannot be used.
    """
    return _system_context((os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")), protocols)


@lru_cache(maxsize=8)  # two threads that ask first may each load one: that takes time, and no more
def _system_context(named: tuple[str | None, str | None], protocols: tuple[str, ...]) -> ssl.SSLContext:
    context = ssl.create_default_context()
    file, folders = named
    if file:
        _load_file(context, file)
    if folders:
        _require_folder(folders)
    if not any(named) and not _has_certificates(context):
        import certifi

        context.load_verify_locations(certifi.where())
    context.set_alpn_protocols(list(protocols))
    return context


def _load_file(context: ssl.SSLContext, path: str) -> None:
    """Load the certificates of a file. OpenSSL has done that already, but ignores what it cannot read."""
    try:
        context.load_verify_locations(path)
    except (OSError, ValueError) as error:  # ssl.SSLError too: no certificate in it
        why = getattr(error, "strerror", None) or error
        raise ConfigurationError(
            f"SSL_CERT_FILE is {path!r}, which cannot be used ({why}); name a file of certificates in PEM, "
            "or unset it"
        ) from None


def _require_folder(folders: str) -> None:
    """Require that one of the folders can be read; OpenSSL ignores the others."""
    if not any(
        os.path.isdir(each) and os.access(each, os.R_OK | os.X_OK) for each in folders.split(os.pathsep)
    ):
        raise ConfigurationError(
            f"SSL_CERT_DIR is {folders!r}, which is not a folder that can be read; name one whose "
            "certificates were prepared by 'openssl rehash', or unset it"
        )


def _has_certificates(context: ssl.SSLContext) -> bool:
    """Return whether the system has certificates: loaded, or in a folder that OpenSSL looks into later."""
    if context.cert_store_stats()["x509_ca"]:
        return True
    folder = ssl.get_default_verify_paths().capath
    if folder is None:
        return False
    with os.scandir(folder) as entries:
        return any(entries)


_TIMES = (9, 10)  # X509_V_ERR_CERT_NOT_YET_VALID, X509_V_ERR_CERT_HAS_EXPIRED
_NAMES = (62, 64)  # X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH


def certificate_remedy(error: BaseException) -> str:
    """Return what to do if ``error``, or what caused it, refuses a certificate; else an empty text."""
    cause: BaseException | None = error
    while cause is not None and not isinstance(cause, ssl.SSLCertVerificationError):
        cause = cause.__cause__ or cause.__context__
    if cause is None:
        return ""
    code = getattr(cause, "verify_code", 0)
    if code in _TIMES:
        return "check the clock of this machine, then have the certificate renewed"
    if code in _NAMES:
        return "write the address with a host name that the certificate has, or have one made for this name"
    return (
        "if you trust the authority that signed it (your own, or that of a proxy which opens TLS), name its "
        "certificate in SSL_CERT_FILE or pass ssl_context= (an httpx client of your own takes verify=)"
    )
