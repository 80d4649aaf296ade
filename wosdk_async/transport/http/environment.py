"""Proxies from the client's options or the environment, and addresses of this machine."""

from __future__ import annotations

import ipaddress
import os
from base64 import b64encode
from urllib.parse import unquote, urlsplit

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets
from wosdk_async.text.secret import Secret

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
"""Proxy schemes and their default ports."""
_MAX_SOCKS_NAME = 255  # maximum bytes of a user or password, RFC 1929 2


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return ``host`` as an IP address; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Return whether ``host`` is ``localhost`` or a loopback address."""
    address = address_of(host)
    if address is None:
        return host == "localhost"
    # Python releases differ on whether IPv4-mapped IPv6 addresses are loopback. Here they are not.
    return address.is_loopback and getattr(address, "ipv4_mapped", None) is None


@attrs.frozen
class Proxy:
    """Proxy address, with user name and password, which may be empty."""

    scheme: str
    host: str
    port: int
    shown: str
    """Address without user name and password."""
    user: Secret
    password: Secret
    secrets: Secrets = attrs.field(repr=False)
    """User name and password, both raw and as sent, to be hidden in errors: a proxy may repeat them."""
    from_env: bool = True
    """Whether the address comes from the environment, where ``NO_PROXY`` applies."""

    @property
    def tls(self) -> bool:
        """Whether the proxy itself is reached over TLS."""
        return self.scheme == "https"

    @property
    def is_socks(self) -> bool:
        """Whether the proxy speaks SOCKS 5. The proxy looks up the service's name, even with ``socks5``."""
        return self.scheme.startswith("socks")

    @property
    def login_remedy(self) -> Remedy:
        """Remedy for a missing or wrong user name or password."""
        if self.user or self.password:
            return Remedy.PROXY_LOGIN
        return Remedy.PROXY_NO_LOGIN

    @property
    def rules_remedy(self) -> Remedy:
        """Remedy for a proxy that does not allow the host."""
        return Remedy.PROXY_RULES if self.from_env else Remedy.PROXY_ALLOW

    def authorization(self) -> Secret | None:
        """Return the ``Proxy-Authorization`` header value; None if user name and password are empty."""
        if not (self.user or self.password):
            return None
        return Secret(b"Basic " + b64encode(self.user.encode() + b":" + self.password.encode()))


@attrs.frozen
class ProxyRules:
    """The client's own proxy for all requests, or proxies by scheme."""

    _own: Proxy | None
    _by_scheme: dict[str, Secret]
    """Proxies by scheme, as the standard library returns them: ``{"https":
    "http://user:password@proxy.example"}``.
    """
    _direct: str = ""
    """Hosts to reach directly, in the syntax of ``NO_PROXY``."""

    def route(self, url: str) -> tuple[Proxy | None, str]:
        """Return the proxy for ``url`` (None: connect directly), and the setting that determined it, if any.

        Connections to this machine bypass environment proxies, because a proxy on another machine would
        connect to itself instead. Raises ConfigurationError.
        """
        if self._own is not None:
            return self._own, "proxy="
        from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # typeshed

        parts = urlsplit(url)
        name = parts.scheme if self._by_scheme.get(parts.scheme) else "all"
        proxy = self._by_scheme.get(name)
        host = parts.hostname or ""
        if not proxy:
            return None, ""
        if host.endswith(".localhost") or is_loopback(host):
            return None, "this machine"
        if proxy_bypass_environment(parts.netloc, {"no": self._direct}):
            return None, "NO_PROXY"
        variable = f"{name}_proxy"  # the lower-case variable takes precedence
        variable = variable if os.environ.get(variable) else variable.upper()
        return parse_proxy(proxy, variable), variable


def proxy_rules(proxy: Secret | None, trust_env: bool) -> ProxyRules | None:
    """Return the proxy rules of a client; None if it uses no proxy.

    Only this function reads proxies from the environment.
    """
    if proxy is not None:
        return ProxyRules(attrs.evolve(parse_proxy(proxy, "proxy"), from_env=False), {})
    if not (trust_env and any(name.lower().endswith("_proxy") for name in os.environ)):
        return None
    from urllib.request import getproxies_environment  # imported here: takes 20 ms, and is seldom needed

    proxies = {name: Secret(value) for name, value in getproxies_environment().items()}
    direct = proxies.pop("no", Secret("")).reveal()
    return ProxyRules(None, proxies, direct) if proxies.keys() & {"http", "https", "all"} else None


def parse_proxy(address: Secret, name: str) -> Proxy:
    """Parse a proxy ``address``; the default scheme is http.

    Raises ConfigurationError, which names the setting (``name``) but omits the address, because it may
    contain a password.
    """
    proxy = _proxy_at(address.reveal())
    if proxy is None:
        raise ConfigurationError(
            f"{name} is not the address of a proxy; use http://host:port or http://user:password@host:port, "
            "with user name and password percent-encoded; the scheme may also be https, socks5 or socks5h"
        )
    if proxy.is_socks and max(len(proxy.user.encode()), len(proxy.password.encode())) > _MAX_SOCKS_NAME:
        raise ConfigurationError(f"{name}: SOCKS takes a user name and password of at most 255 bytes each")
    return proxy


def _proxy_at(address: str) -> Proxy | None:
    """Return the proxy at ``address``; None if invalid. Do not raise: an error would show the password."""
    url = address if "://" in address else f"http://{address}"
    try:
        url.encode()  # raises for bytes of the environment that are not UTF-8, which cannot be sent
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname or parts.port == 0:
            return None
    except ValueError:
        return None
    if "@" in f"{parts.path}{parts.query}{parts.fragment}":  # the password contains an unquoted / ? or #
        return None
    given, _, netloc = parts.netloc.rpartition("@")
    user, _, password = given.partition(":")
    return Proxy(
        parts.scheme,
        parts.hostname,
        parts.port or _PORTS[parts.scheme],
        f"{parts.scheme}://{netloc}",
        Secret(unquote(user)),
        Secret(unquote(password)),
        Secrets(given, unquote(given), password, unquote(password)),
    )
