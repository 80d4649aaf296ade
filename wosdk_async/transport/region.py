"""The regions of the service, each with its public locator and token address."""

from __future__ import annotations

from typing import ClassVar

import attrs

__all__ = ["Region"]

_TOKEN_URL = "https://oauth-pro-v2.corrigo.com/OAuth/token"  # noqa: S105 - facts 1: one host for all regions


@attrs.frozen
class Region:
    """Where the Companies of one region are found and where their tokens come from.

    ``attrs.evolve(Region.EMEA, token_url=...)`` changes one address; any name may be given to a
    region of one's own. ``locator_url`` is the origin below which the discovery command lies.
    """

    name: str
    locator_url: str
    token_url: str = _TOKEN_URL

    AMERICAS: ClassVar[Region]
    APAC: ClassVar[Region]
    EMEA: ClassVar[Region]

    @classmethod
    def named(cls, name: str) -> Region:
        """The public region called ``name`` (americas, apac, emea), ignoring case; KeyError if none is."""
        return {region.name: region for region in (cls.AMERICAS, cls.APAC, cls.EMEA)}[name.lower()]


# facts 2 prints these hosts with http and two clients reach them with https, which we send
Region.AMERICAS = Region("americas", "https://am-apilocator.corrigo.com")
Region.APAC = Region("apac", "https://apac-apilocator.corrigo.com")
Region.EMEA = Region("emea", "https://emea-apilocator.corrigo.com")
