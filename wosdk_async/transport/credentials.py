"""What a Company's token is asked for with."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import attrs

from wosdk_async.errors import ConfigurationError

__all__ = ["CredentialProvider", "Credentials"]


def _sendable(_: object, attribute: attrs.Attribute[str], value: str) -> None:
    if not isinstance(value, str):
        raise ConfigurationError(f"{attribute.name} is a {type(value).__name__}; it takes text")
    if not value.strip():
        raise ConfigurationError(f"{attribute.name} is empty; a Company's administrator generates the pair")
    # Not by encoding it: the error of that would hold the secret.
    if any("\ud800" <= char <= "\udfff" for char in value):
        raise ConfigurationError(
            f"{attribute.name} is not UTF-8 text; copy it again from where the administrator generated it"
        )


@attrs.frozen
class Credentials:
    """The client id and secret that an administrator generated for one Company."""

    # spec 5 rule 2

    client_id: str = attrs.field(validator=_sendable)
    client_secret: str = attrs.field(validator=_sendable, repr=lambda _: "'***'")


CredentialProvider = Callable[[str], Awaitable[Credentials]]
"""An async function from the name of a Company to its credentials; asked again at every renewal."""
