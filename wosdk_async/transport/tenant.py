"""Whose calls are sent: a Company with its region and credentials."""

from __future__ import annotations

import inspect

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.transport.credentials import CredentialProvider, Credentials
from wosdk_async.transport.region import Region

__all__ = ["Tenant"]


@attrs.frozen
class Tenant:
    """Whom to log in as, and where: credentials and region belong to a Company."""

    company: str
    region: Region
    credentials: Credentials | CredentialProvider

    async def pair(self) -> Credentials:
        """The credentials as they are now. Raises ConfigurationError when the provider gives none."""
        if isinstance(self.credentials, Credentials):
            return self.credentials
        given: object = self.credentials(self.company)
        if not inspect.isawaitable(given):
            raise ConfigurationError(
                f"the credentials of {self.company!r} must come from an async function; define it with async"
                " def"
            )
        pair: object = await given
        if not isinstance(pair, Credentials):
            raise ConfigurationError(
                f"the credentials of {self.company!r} are a {type(pair).__name__}, not Credentials"
            )
        return pair
