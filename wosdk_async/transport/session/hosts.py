"""Hosts that may receive the bearer token, and hosts of file downloads.

The token is sent over https to the configured locator and to the Company host that the locator names.
Loopback and hosts listed by the user do not require https. A locator on another machine may name this
machine only if the user has listed it.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from urllib.parse import SplitResult, urlsplit

import attrs

from wosdk_async.errors import (
    ConfigurationError,
    DiscoveryError,
    DownloadError,
    InvalidCallError,
    WosdkError,
)
from wosdk_async.text.secret import without_login
from wosdk_async.transport.http.environment import address_of, is_loopback

_HOST = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?|[0-9a-f:.]+")
_NUMBER = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""Host that resolvers read as an IPv4 address, including forms such as ``127.1`` and ``0x7f000001``."""
_HERE = [*map(ipaddress.ip_network, ("0.0.0.0/8", "127.0.0.0/8", "::/96", "::ffff:0:0/96", "64:ff9b::/96"))]
"""Networks that may lead to this machine: unspecified, loopback, and IPv6 forms of IPv4 addresses."""
_MAX_URL = 2048  # maximum characters: a locator's response may be arbitrarily long
_MAX_SIGNED_URL = 8192  # maximum characters of a storage address, which may hold a signature and a session


def _trusted(given: object) -> tuple[str, ...]:
    return host_names("trusted_hosts", given)


def _suffixes(given: object) -> tuple[str, ...]:
    return host_names("host_suffixes", given)


def host_names(setting: str, given: object) -> tuple[str, ...]:
    """Normalize the host names in a setting. Raises ConfigurationError."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise ConfigurationError(f"{setting} is {shown_address(given)}; it must be a list of host names")
    return tuple(_name(setting, name) for name in given)


def _name(setting: str, given: object) -> str:
    """Normalize a host name or address. Raises ConfigurationError for a scheme or port."""
    name = str(given).strip().lower().removeprefix("*").strip(".")
    if name.startswith("[") and name.endswith("]"):
        name = name[1:-1]
    if not isinstance(given, str) or not _HOST.fullmatch(name) or (":" in name and not address_of(name)):
        raise ConfigurationError(
            f"{setting} has {shown_address(given)}; use names such as 'sandbox.example.com' "
            "or addresses, without scheme, port or path"
        )
    return name


def is_local(url: str) -> bool:
    """Return whether ``url`` leads to this machine."""
    return is_loopback(urlsplit(url).hostname or "")


def _may_be_here(host: str) -> bool:
    """Return whether ``host``, in any notation, may lead to this machine."""
    if host.rpartition(".")[2] in ("localhost", "localdomain") or host in ("ip6-localhost", "ip6-loopback"):
        return True
    if (address := address_of(host)) is None:  # names are not looked up: the resolver may hang
        # This machine's name may be followed by any domain.
        return host.partition(".")[0] == socket.gethostname().lower().partition(".")[0]
    with suppress(OSError), socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))  # succeeds only for an address of this machine
        return True
    return any(address in network for network in _HERE)


def _matches(host: str, names: tuple[str, ...]) -> bool:
    """Return whether ``host`` is one of ``names`` or a subdomain: a.corrigo.com, not evilcorrigo.com."""
    return any(host == name or host.endswith(f".{name}") for name in names)


@attrs.frozen(repr=False)  # a traceback may show an incomplete object
class HostRules:
    """Rules for the hosts that may receive a token.

    A locator may name hosts under ``suffixes``, and this machine if the locator runs here. The user's
    ``trusted`` hosts may be named by any locator, and do not require https. Both settings include subdomains.
    """

    suffixes: tuple[str, ...] = attrs.field(default=("corrigo.com",), converter=_suffixes)  # facts 2
    trusted: tuple[str, ...] = attrs.field(default=(), converter=_trusted)

    def company_url(self, named: str, *, local: bool) -> str:
        """Return a Company's origin from the ``Url`` of a discovery response.

        The path is dropped, because a locator may return the address of the older interface. The default
        scheme is https. ``local`` tells whether the locator is on this machine. Raises DiscoveryError for a
        forbidden host.
        """
        # facts 2
        text = named if "://" in named else f"https://{named.lstrip('/')}"
        parts, host = _parse(text, DiscoveryError, f"the locator named {shown_address(named)}")
        if not ((local and is_loopback(host)) or _matches(host, self.trusted + self.suffixes)):
            raise DiscoveryError(
                f"the locator named the host {host!r}, which is not under {', '.join(self.suffixes)}; "
                "if it is yours, list it in trusted_hosts"
            )
        self._require_https(parts, host, DiscoveryError)
        return _origin(parts, host)

    def endpoint(self, setting: str, url: str) -> str:
        """Return a configured address, such as the locator's, without its trailing slash.

        Raises ConfigurationError for an invalid address, or for http where https is required.
        """
        parts, host = _parse(url, ConfigurationError, f"{setting} is {shown_address(url)}")
        self._require_https(parts, host, ConfigurationError, f"{setting}: ")
        return _origin(parts, host) + parts.path.rstrip("/")

    def given_host(self, url: str) -> str:
        """Return the origin of a Company host that the program names. The default scheme is https.

        Raises ConfigurationError for an invalid address, or for http where https is required.
        """
        text = url if "://" in url else f"https://{url.lstrip('/')}"
        parts, host = _parse(text, ConfigurationError, f"base_url is {shown_address(url)}")
        self._require_https(parts, host, ConfigurationError, "base_url: ")
        return _origin(parts, host)

    def require_download(self, url: str, *, local: bool) -> None:
        """Check the address of a file, which requires https except on this machine and trusted hosts.

        An address on this machine is refused unless this machine is trusted or ``local`` allows it.
        Otherwise, anyone who can write a document could make this machine send requests to its own internal
        services. Raises DownloadError, whose message shows at most scheme and host, because addresses are
        often signed.
        """
        parts, host = _parse(
            url, DownloadError, "the file cannot be fetched from its location", _MAX_SIGNED_URL
        )
        if "#" in url or " " in url:
            raise DownloadError(
                f"the file's address at {parts.scheme}://{host} has a space or '#' that is not"
                " percent-encoded"
            )
        elsewhere = parts.scheme == "https" and (_matches(host, self.suffixes) or not _may_be_here(host))
        if elsewhere or (local and is_loopback(host)) or _matches(host, self.trusted):
            return
        raise DownloadError(
            f"the file is at {parts.scheme}://{host}, which is not trusted for downloads; "
            "use https, or list the host in trusted_hosts if it is yours"
        )

    def _require_https(self, parts: SplitResult, host: str, error: type[WosdkError], where: str = "") -> None:
        if parts.scheme != "https" and not (is_loopback(host) or _matches(host, self.trusted)):
            raise error(
                f"{where}{parts.scheme}://{host} would send the token unencrypted; use https, "
                "or list the host in trusted_hosts (WOSDK_TRUSTED_HOSTS) if it is yours"
            )


def require_link(url: str) -> None:
    """Raise InvalidCallError unless ``url`` is an http(s) address that is valid in a link."""
    if not isinstance(url, str):
        raise InvalidCallError(f"the link is {url!r:.80}; it must be a string with an http(s) address")
    if " " in url:
        raise InvalidCallError(f"the link is {url[:80]!r}; write a space as %20")
    _parse(url, InvalidCallError, f"the link is {shown_address(url)}")


def shown_address(given: object) -> str:
    """Return the start of an address, quoted and without user name and password."""
    return repr(without_login(str(given))[:80])


def _parse(url: str, error: type[WosdkError], what: str, longest: int = _MAX_URL) -> tuple[SplitResult, str]:
    """Return the parts and the host of an absolute http(s) address, or raise ``error``."""
    why = ""
    try:
        if len(url) > longest:
            raise ValueError(f"it has {len(url):,} characters; the maximum is {longest:,}")
        if not url.isascii() or not url.isprintable():
            raise ValueError("it has characters other than printable ASCII")
        parts = urlsplit(url)
        host, _ = (parts.hostname or "").rstrip("."), parts.port  # ``.port`` raises for an invalid port
        if _NUMBER.fullmatch(host):
            ipaddress.IPv4Address(host)  # raises unless it is four decimals, which all resolvers read alike
    except ValueError as cause:
        why = f"which is not an address: {cause}"
    # Raised outside the handler, without its cause. The reason is omitted if the address may contain a
    # password.
    if why:
        raise error(f"{what}, {'which is not an address' if '@' in url else why}")
    if parts.scheme not in ("http", "https") or not _HOST.fullmatch(host) or "@" in parts.netloc:
        raise error(f"{what}, which is not an http(s) address with a plain host name")
    return parts, host


def _origin(parts: SplitResult, host: str) -> str:
    name = f"[{host}]" if ":" in host else host
    return f"{parts.scheme}://{name}" + (f":{parts.port}" if parts.port else "")
