"""Tenant of the service: a Company, its credentials and its region."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable
from typing import ClassVar, Protocol, runtime_checkable

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.safe_text import Secrets
from wosdk_async.transport.session.manager import TokenGrant

__all__ = ["CredentialProvider", "Credentials", "GrantProvider", "Region", "Tenant"]


def _sendable(_: object, attribute: attrs.Attribute[str], value: str) -> None:
    """Check that a request can carry ``value``."""
    if not isinstance(value, str):
        raise ConfigurationError(f"{attribute.name} is a {type(value).__name__}; it takes text")
    if not value.strip():
        raise ConfigurationError(f"{attribute.name} is empty; a Company's administrator generates the pair")
    # Not by encoding it: that error would hold the secret.
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ConfigurationError(
            f"{attribute.name} is not UTF-8 text; copy it again from where the administrator generated it"
        )


@attrs.frozen
class Credentials:
    """Client id and secret that an administrator generated for one Company."""

    # spec 5 rule 2

    client_id: str = attrs.field(validator=_sendable)
    client_secret: str = attrs.field(validator=_sendable, repr=lambda _: "'***'")


CredentialProvider = Callable[[str], Awaitable[Credentials]]
"""Async function from the name of a Company to its credentials. It is called for every renewal."""


@runtime_checkable
class GrantProvider(Protocol):
    """Source of sessions that another process has opened, such as the coordinator of a job."""

    async def grant(self, company: str, replaced: Secrets) -> TokenGrant:
        """Return a session that may still be used: token, host and lifetime; the headers are ours.

        It is called for the first session, when a session was refused, and before one ends.

        Args:
            company: name of the Company.
            replaced: secrets of the sessions before.
        """


_TOKEN_URL = "https://oauth-pro-v2.corrigo.com/OAuth/token"  # noqa: S105 - facts 1: one host for all regions


@attrs.frozen
class Region:
    """Addresses of one region: where tokens are requested, and where the host of a Company is looked up.

    ``attrs.evolve(Region.EMEA, token_url=...)`` changes one address. A region of your own may have any name.
    ``locator_url`` is the origin of the discovery command.
    """

    name: str
    locator_url: str
    token_url: str = _TOKEN_URL

    AMERICAS: ClassVar[Region]
    APAC: ClassVar[Region]
    EMEA: ClassVar[Region]

    @classmethod
    def named(cls, name: str) -> Region:
        """Return the region americas, apac or emea, ignoring case. Raises KeyError for other names."""
        return {region.name: region for region in (cls.AMERICAS, cls.APAC, cls.EMEA)}[name.lower()]


# facts 2 prints these hosts with http and two clients reach them with https, which we send
Region.AMERICAS = Region("americas", "https://am-apilocator.corrigo.com")
Region.APAC = Region("apac", "https://apac-apilocator.corrigo.com")
Region.EMEA = Region("emea", "https://emea-apilocator.corrigo.com")


@attrs.frozen
class Tenant:
    """Company with the credentials and the region that belong to it."""

    company: str
    region: Region
    credentials: Credentials | CredentialProvider | GrantProvider

    async def pair(self) -> Credentials:
        """Return the credentials of this moment. Raises ConfigurationError if the provider gives none."""
        if isinstance(self.credentials, Credentials):
            return self.credentials
        assert not isinstance(self.credentials, GrantProvider)  # noqa: S101 - it gives no credentials
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
