"""Proxies: that of the client, or those that the environment names; addresses of this machine."""

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

__all__ = ["Proxy", "ProxyRules", "address_of", "is_loopback", "parse_proxy", "proxy_rules"]

_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}
"""Schemes of proxies and their default ports."""
_MAX_SOCKS_NAME = 255  # bytes of a user or a password, RFC 1929 2


def address_of(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return ``host`` as an address; None for a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def is_loopback(host: str) -> bool:
    """Return whether ``host`` is this machine, by address or as ``localhost``."""
    address = address_of(host)
    if address is None:
        return host == "localhost"
    # Releases of Python differ on IPv4 addresses written as IPv6: these do not count as loopback here.
    return address.is_loopback and getattr(address, "ipv4_mapped", None) is None


@attrs.frozen
class Proxy:
    """Address of a proxy, and the user and password for it; both may be empty."""

    scheme: str
    host: str
    port: int
    shown: str
    """The address without user and password."""
    user: Secret
    password: Secret
    secrets: Secrets = attrs.field(repr=False)
    """User and password, as given and as they are sent: a proxy may repeat them."""

    @property
    def tls(self) -> bool:
        """Whether the proxy itself is reached over TLS."""
        return self.scheme == "https"

    @property
    def is_socks(self) -> bool:
        """Whether it speaks SOCKS 5. Both schemes let the proxy look up the name of the service."""
        return self.scheme.startswith("socks")

    @property
    def login_remedy(self) -> Remedy:
        """What to do when the proxy refuses because a user or password is missing or wrong."""
        if self.user or self.password:
            return Remedy.PROXY_LOGIN
        return Remedy.PROXY_NO_LOGIN

    def authorization(self) -> Secret | None:
        """Return the value of the header ``Proxy-Authorization``; None without a user."""
        if not (self.user or self.password):
            return None
        return Secret(b"Basic " + b64encode(self.user.encode() + b":" + self.password.encode()))


@attrs.frozen
class ProxyRules:
    """The client's own proxy for all its requests, or else proxies by scheme."""

    _own: Proxy | None
    _named: dict[str, Secret]
    """Proxies by scheme, as the standard library returns them: ``{"https": "http://user:password@proxy.example"}``."""
    _direct: str = ""
    """Hosts that are reached directly, as ``NO_PROXY`` names them."""

    def route(self, url: str) -> tuple[Proxy | None, str]:
        """Return the proxy for ``url``, None to connect directly, and what decides; empty if nothing is set.

        Connections to this machine bypass the proxies of the environment, whose loopback is another one.
        Raises ConfigurationError.
        """
        if self._own is not None:
            return self._own, "proxy="
        from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # typeshed

        parts = urlsplit(url)
        name = parts.scheme if self._named.get(parts.scheme) else "all"
        proxy = self._named.get(name)
        host = parts.hostname or ""
        if not proxy:
            return None, ""
        if host.endswith(".localhost") or is_loopback(host):
            return None, "this machine"
        if proxy_bypass_environment(parts.netloc, {"no": self._direct}):
            return None, "NO_PROXY"
        variable = f"{name}_proxy"  # the one in lower case comes first
        variable = variable if os.environ.get(variable) else variable.upper()
        return parse_proxy(proxy, variable), variable


def proxy_rules(proxy: Secret | None, trust_env: bool) -> ProxyRules | None:
    """Return the rules of a client, None if it uses no proxy. The environment is read now and not again."""
    if proxy is not None:
        return ProxyRules(parse_proxy(proxy, "proxy"), {})
    if not (trust_env and any(name.lower().endswith("_proxy") for name in os.environ)):
        return None
    from urllib.request import getproxies_environment  # 20 ms to import, and seldom needed

    named = {name: Secret(value) for name, value in getproxies_environment().items()}
    direct = named.pop("no", Secret("")).reveal()
    return ProxyRules(None, named, direct) if named.keys() & {"http", "https", "all"} else None


def parse_proxy(address: Secret, name: str) -> Proxy:
    """Return the proxy at ``address``, which is http unless it has a scheme.

    Raises ConfigurationError, which says where the address was set (``name``) and does not show it, as it may
    have a password.
    """
    proxy = _parsed(address.reveal())
    if proxy is None:
        raise ConfigurationError(
            f"{name} is not the address of a proxy; it takes http://host:port, or https, socks5 or socks5h, "
            "and before the host user:password@, percent-encoded"
        )
    if proxy.is_socks and max(len(proxy.user.encode()), len(proxy.password.encode())) > _MAX_SOCKS_NAME:
        raise ConfigurationError(f"{name}: SOCKS takes a user and a password of at most 255 bytes each")
    return proxy


def _parsed(address: str) -> Proxy | None:
    """Return the proxy at ``address``; None for any other text. Never raises, to hide the password."""
    url = address if "://" in address else f"http://{address}"
    try:
        url.encode()  # what the environment could not decode cannot be sent
        parts = urlsplit(url)
        if parts.scheme not in _PORTS or not parts.hostname or parts.port == 0:
            return None
    except ValueError:
        return None
    if "@" in f"{parts.path}{parts.query}{parts.fragment}":  # a / ? # in a password
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
