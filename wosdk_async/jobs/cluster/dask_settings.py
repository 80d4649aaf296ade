"""Addresses, settings and versions of a Dask cluster: one that repeats work, or shows a token, is refused.

The promise of an import does not rest on the settings: it gives Dask no task that could be repeated or moved.
They are a second fence, and spare the workers of an import from tasks of others that kill them one by one.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlsplit

from wosdk_async.errors import ConfigurationError

__all__ = [
    "ENVIRONMENT",
    "SETTINGS",
    "require_no_repeats",
    "require_private",
    "require_version",
    "scheduler_address",
]

_ALLOWED_FAILURES = "distributed.scheduler.allowed-failures"
_STEALING = "distributed.scheduler.work-stealing"

SETTINGS: Mapping[str, Any] = {_ALLOWED_FAILURES: 0, _STEALING: False}
"""Settings that the scheduler must have, by their names in Dask's configuration."""

ENVIRONMENT = " ".join(
    f"DASK_{name.upper().replace('.', '__').replace('-', '_')}={value}" for name, value in SETTINGS.items()
)
"""The same as variables, for the environment of the scheduler."""

_REASONS = {
    _ALLOWED_FAILURES: "a task that killed its worker would run again on others, which then lose their rows",
    _STEALING: "tasks would be moved to workers that send rows",
}

_SCHEMES = {"": "tcp", "tcp": "tcp", "dask": "tcp", "dask+tcp": "tcp", "tls": "tls", "dask+tls": "tls"}
_PORT_BEHIND = re.compile(r":([0-9]{1,12})/?\Z")


# --- addresses ------------------------------------------------------------------------------


def scheduler_address(text: object) -> str:
    """Return the address of a scheduler as Dask writes it, ``tls://HOST:PORT`` or ``tcp://127.0.0.1:PORT``.

    Args:
        text: ``dask+tls://`` and ``dask://`` or ``tls://`` and ``tcp://``, with host and port.

    Raises:
        ConfigurationError: it is not an address, or others could read the Company's token on the way there.
    """
    scheme, separator, place = text.rpartition("://") if isinstance(text, str) else ("?", "", "")
    host, port = _place(place)
    if scheme not in _SCHEMES or host is None or (separator and not scheme):
        wrong = _PORT_BEHIND.search(place) if host is None else None
        why = f": there is no port {wrong[1]}" if wrong and not 0 < int(wrong[1]) < 1 << 16 else ""
        raise ConfigurationError(
            f"{text!r} is not the address of a scheduler{why}; write {_example(host, port)}"
        )
    if port is None:
        right = f"{scheme or 'dask'}://{host}:8786"
        raise ConfigurationError(f"{text!r} has no port; write {right}, as 8786 is the port that Dask takes")
    address = f"{_SCHEMES[scheme]}://{host}:{port}"
    if _SCHEMES[scheme] == "tcp" and not _is_loopback(host):
        raise ConfigurationError(
            f"{text}: the workers get the token of the Company, which does not leave this machine "
            f"unencrypted; write dask+tls://{host}:{port}, and start scheduler and workers with certificates"
        )
    return address


def _place(text: str) -> tuple[str | None, int | None]:
    """Return host and port of an address without its scheme; None for what it has not."""
    try:
        found = urlsplit(f"//{text}")
        host, port = found.hostname, found.port
    except ValueError:
        return None, None
    more = found.query or found.fragment or found.username is not None or found.path not in ("", "/")
    if not host or more or " " in host:
        return None, None
    if port == 0:
        return None, None
    return f"[{host}]" if ":" in host else host, port


def _example(host: str | None, port: int | None) -> str:
    if host is None:
        return "dask+tls://HOST:8786, or dask://127.0.0.1:8786 for a scheduler on this machine"
    return f"{'dask' if _is_loopback(host) else 'dask+tls'}://{host}:{port or 8786}"


def require_private(address: str) -> None:
    """Raise ConfigurationError when the Company's token would go to an address for all to read."""
    scheme, _, place = address.rpartition("://")
    if scheme == "tls" or (scheme in ("", "tcp") and _is_loopback(_place(place)[0] or "")):
        return
    raise ConfigurationError(
        f"{address}: the Company's token would go there without encryption; use tls:// with certificates "
        "(distributed.comm.tls in Dask's configuration), or addresses of this machine such as 127.0.0.1"
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"


# --- settings and versions ------------------------------------------------------------------


def require_no_repeats(found: Mapping[str, Any]) -> None:
    """Raise ConfigurationError when the scheduler's settings would repeat work."""
    wrong = [name for name, wanted in SETTINGS.items() if found[name] != wanted]
    if wrong:
        what = "; ".join(f"{name}: {found[name]}: {_REASONS[name]}" for name in wrong)
        raise ConfigurationError(f"the scheduler has {what}. Start it with {ENVIRONMENT} in its environment")


def require_version(worker: str, found: object, wanted: str) -> None:
    """Raise ConfigurationError for a worker without this version of the package.

    The version of Python may differ: only names and JSON are exchanged.
    """
    if found == wanted:
        return
    what = f"wosdk_async {found}" if isinstance(found, str) else f"no wosdk_async that can be used ({found})"
    raise ConfigurationError(
        f"worker {worker} has {what}, this process {wanted}; install wosdk_async[dask]=={wanted} there"
    )
