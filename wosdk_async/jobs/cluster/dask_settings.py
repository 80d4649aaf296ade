"""Settings of a Dask cluster that a job depends on: what would repeat work, or show a token, is refused."""

from __future__ import annotations

import ipaddress
from collections.abc import Mapping
from typing import Any

from wosdk_async.errors import ConfigurationError

__all__ = ["require_no_repeats", "require_private", "require_version"]

_ALLOWED_FAILURES = "distributed.scheduler.allowed-failures"
_STEALING = "distributed.scheduler.work-stealing"

SETTINGS: Mapping[str, Any] = {_ALLOWED_FAILURES: 0, _STEALING: False}
"""Settings that the scheduler must have, by their names in Dask's configuration."""

_REASONS = {
    _ALLOWED_FAILURES: "Dask would run a worker's work again on another one when it dies",
    _STEALING: "Dask would move work from one worker to another",
}


def require_no_repeats(found: Mapping[str, Any]) -> None:
    """Raise ConfigurationError when the scheduler's settings would repeat work."""
    for name, wanted in SETTINGS.items():
        if found[name] != wanted:
            variable = "DASK_" + name.upper().replace(".", "__").replace("-", "_")
            raise ConfigurationError(
                f"the scheduler has {name}: {found[name]}; {_REASONS[name]}. Start it with "
                f"{variable}={wanted} in its environment"
            )


def require_private(address: str) -> None:
    """Raise ConfigurationError when the Company's token would go to an address for all to read."""
    scheme, _, place = address.rpartition("://")
    if scheme in ("tls", "wss", "inproc") or (scheme in ("", "tcp", "ws") and _is_loopback(place)):
        return
    raise ConfigurationError(
        f"{address}: the Company's token would go there without encryption; use tls:// with certificates "
        "(distributed.comm.tls in Dask's configuration), or addresses of this machine such as 127.0.0.1"
    )


def _is_loopback(place: str) -> bool:
    host = place.partition("/")[0].rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


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
