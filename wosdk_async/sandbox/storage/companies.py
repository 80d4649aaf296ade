"""The Companies of a store: a name, one pair of credentials, and the host that serves each."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable, Sequence
from urllib.parse import urlsplit

import attrs

__all__ = ["Company", "another"]

_FIRST_ID = 46  # as in seed.json
_HOST = re.compile(r"[A-Za-z0-9.-]{0,253}", re.ASCII)


@attrs.frozen
class Company:
    """A tenant.

    Args:
        client_id: its credentials belong to it alone (facts 1, CompanyName tied to credentials).
        host: the only host name that serves it; empty for any that leads here.
        live: a Company in use, or a stage or preview one (spec 1).
        seeded: whether it starts with the rows of ``seed.json``.
    """

    id: int
    name: str
    client_id: str
    client_secret: str = attrs.field(repr=False)
    host: str = ""
    live: bool = False
    seeded: bool = True

    def served_at(self, root: str) -> bool:
        """Whether requests to this address reach the Company."""
        return not self.host or urlsplit(root).hostname == self.host

    def address(self, root: str) -> str:
        """Where the Company is served, for who asked at ``root``: an origin with its last slash."""
        if not self.host:
            return root
        parts = urlsplit(root)
        _, colon, port = parts.netloc.rpartition("]")[2].partition(":")
        return f"{parts.scheme}://{self.host}{colon}{port}/"


def another(
    known: Sequence[Company], name: str, *, host: str = "", live: bool = False, seeded: bool = True
) -> Company:
    """A new Company beside those that are known, with credentials of its own.

    Raises:
        ValueError: the name is empty, taken, or has characters that a header cannot carry; or the
            host is no host name.
    """
    name = name.strip()
    if not name or not name.isascii() or not name.isprintable():
        raise ValueError(f"{name!r} is no name of a Company: give printable ASCII text.")
    if name.lower() in _names(known):
        raise ValueError(f"There is a Company '{name}' already. Give another name.")
    if not _HOST.fullmatch(host):
        raise ValueError(f"{host!r} is no host name. Give a name such as acme.localhost, without a port.")
    key = max((company.id for company in known), default=_FIRST_ID - 1) + 1
    return Company(
        id=key,
        name=name,
        client_id=f"sandbox-client-{key}" if known else "sandbox-client",
        client_secret=f"sandbox-{secrets.token_urlsafe(24)}",
        host=host.lower(),
        live=live,
        seeded=seeded,
    )


def _names(companies: Iterable[Company]) -> set[str]:
    return {company.name.lower() for company in companies}
