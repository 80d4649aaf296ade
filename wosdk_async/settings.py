"""Where the Company, its credentials and the addresses come from when nobody passes them: ``WOSDK_*``."""

from __future__ import annotations

import os
from collections.abc import Mapping

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.transport.credentials import Credentials
from wosdk_async.transport.region import Region

__all__ = ["Settings"]

_REGIONS = ("americas", "apac", "emea")


@attrs.frozen(kw_only=True)
class Settings:
    """What the environment says; ``None`` where it says nothing.

    ========================  ==================================================================
    ``WOSDK_COMPANY``         the Company's name
    ``WOSDK_CLIENT_ID``       the pair that its administrator generated
    ``WOSDK_CLIENT_SECRET``
    ``WOSDK_REGION``          americas (default), apac or emea
    ``WOSDK_TOKEN_URL``       another token address than the region's
    ``WOSDK_LOCATOR_URL``     another locator than the region's
    ``WOSDK_TRUSTED_HOSTS``   your own hosts, separated by commas, that may be reached without https
    ========================  ==================================================================
    """

    region: Region
    company: str | None = None
    credentials: Credentials | None = None
    trusted_hosts: tuple[str, ...] = ()

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the variables above. Raises ConfigurationError that names the variable and the remedy."""
        env = os.environ if environ is None else environ
        hosts = env.get("WOSDK_TRUSTED_HOSTS", "").split(",")
        return cls(
            region=_region(env),
            company=env.get("WOSDK_COMPANY") or None,
            credentials=_credentials(env),
            trusted_hosts=tuple(host.strip() for host in hosts if host.strip()),
        )


def _region(env: Mapping[str, str]) -> Region:
    name = env.get("WOSDK_REGION") or "americas"
    try:
        region = Region.named(name)
    except KeyError:
        raise ConfigurationError(f"WOSDK_REGION is {name!r}; it is one of {', '.join(_REGIONS)}") from None
    return attrs.evolve(
        region,
        token_url=env.get("WOSDK_TOKEN_URL") or region.token_url,
        locator_url=env.get("WOSDK_LOCATOR_URL") or region.locator_url,
    )


def _credentials(env: Mapping[str, str]) -> Credentials | None:
    client_id, secret = env.get("WOSDK_CLIENT_ID"), env.get("WOSDK_CLIENT_SECRET")
    if not client_id and not secret:
        return None
    if not client_id or not secret:
        missing = "WOSDK_CLIENT_SECRET" if client_id else "WOSDK_CLIENT_ID"
        raise ConfigurationError(f"{missing} is not set, but its other half is; set both or neither")
    return Credentials(client_id, secret)
