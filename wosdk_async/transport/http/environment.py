"""Proxies: that of the client, or those that the environment names."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec
from typing import Protocol
from urllib.parse import unquote, urlsplit

from wosdk_async.errors import ConfigurationError
from wosdk_async.httpx_family import MISSING, is_installed
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.session.hosts import is_loopback

__all__ = [
    "ProxyRules",
    "checked_proxy",
    "proxy_rules",
    "secrets_of_proxy",
    "shown_proxy",
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


def shown_proxy(proxy: str | None) -> str:
    """Return the address of the proxy without name, password and path; an empty text for None."""
    parts = urlsplit(proxy or "")
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}" if proxy else ""


def secrets_of_proxy(proxy: str | None) -> Secrets:
    """Return name and password of the proxy, as given and as they are sent: a proxy may repeat them."""
    given = urlsplit(proxy or "").netloc.rpartition("@")[0]
    password = given.partition(":")[2]
    return Secrets(*dict.fromkeys((given, unquote(given), password, unquote(password))))
