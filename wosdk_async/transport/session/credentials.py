"""Tenant of the service: a Company, its credentials and its region."""

from __future__ import annotations

import asyncio
import base64
import inspect
import math
import unicodedata
from collections.abc import Awaitable, Callable
from typing import Any, ClassVar, Protocol, runtime_checkable
from urllib.parse import quote_plus, urlencode

import attrs

from wosdk_async.errors import ConfigurationError, SessionError
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.safe_text import Secrets
from wosdk_async.text.secret import Secret, as_secret, without_login
from wosdk_async.transport.clock import Deadlines
from wosdk_async.transport.session.manager import TokenGrant

_TIMEOUT = 30.0  # seconds that a credentials function or command may take
_COPY = "copy it again from the page where the administrator generated it"
_CONTROLS = {"\n": "LINE FEED", "\r": "CARRIAGE RETURN", "\t": "TAB"}  # Unicode has no names for these


def _require_sendable(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if not isinstance(value, str | Secret):
        raise ConfigurationError(f"{attribute.name} has the type {type(value).__name__}; it must be text")
    if why := _why_not_sendable(value):
        raise ConfigurationError(f"{attribute.name} is {why}")


def _why_not_sendable(value: str | Secret) -> str:
    text = value if isinstance(value, str) else value.reveal()
    if not text.strip():
        return "empty; a Company's administrator generates the pair"
    if any("\ud800" <= char <= "\udfff" for char in text):
        return f"not UTF-8 text; {_COPY}"
    at = next((at for at in range(len(text)) if _is_stray(text, at)), None)
    if at is None:
        return ""
    name = _CONTROLS.get(text[at]) or unicodedata.name(text[at], "CONTROL CHARACTER")
    return f"not as it was generated: character {at + 1} is a stray {name} (U+{ord(text[at]):04X}); {_COPY}"


def _is_stray(text: str, at: int) -> bool:
    """Return whether a character is left over from copying or quoting.

    Not shown; assumed: secrets contain no such characters.
    """
    kind, at_end = unicodedata.category(text[at]), at in (0, len(text) - 1)
    is_quoted = at_end and len(text) > 1 and text[0] + text[-1] in ('""', "''", "``", "“”", "‘’")
    return is_quoted or kind in ("Cc", "Cf", "Zl", "Zp") or (kind == "Zs" and (at_end or text[at] != " "))


@attrs.frozen(init=False)
class Credentials:
    """Client id and secret that an administrator generated for one Company."""

    # spec 5 rule 2

    client_id: str = attrs.field(validator=_require_sendable)
    client_secret: Secret = attrs.field(validator=_require_sendable)

    def __init__(self, client_id: str, client_secret: str | Secret) -> None:
        hidden = as_secret(client_secret)
        del client_secret  # tracebacks of the validators would show it
        self.__attrs_init__(client_id, hidden)

    def form(self) -> Secret:
        """Return the encoded form fields of a token request."""
        # facts 1
        pair = {"client_id": self.client_id, "client_secret": self.client_secret.reveal()}
        return Secret(urlencode({"grant_type": "client_credentials"} | pair))

    def secrets(self) -> Secrets:
        """Return the secret, raw and form-encoded, and the credentials in HTTP Basic encoding."""
        pair = f"{self.client_id}:{self.client_secret.reveal()}"
        in_form = quote_plus(self.client_secret.reveal())  # a separate entry, because its base64 form differs
        return Secrets(self.client_secret, in_form, base64.b64encode(pair.encode()).decode())


def _require_lifetime(_: object, attribute: attrs.Attribute[Any], value: object) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
        shown = value if isinstance(value, int | float) else f"a {type(value).__name__}"
        raise ConfigurationError(
            f"{attribute.name} is {shown}; it must be a number of seconds greater than 0"
        )


@attrs.frozen(init=False)
class AccessToken:
    """Token that the program already has, with its remaining lifetime in seconds.

    ``base_url`` is the Company's host. Without it, the client asks the locator.
    """

    # spec 5 rule 3: how tokens are issued is not shown

    token: Secret = attrs.field(validator=_require_sendable)
    expires_in: float = attrs.field(validator=_require_lifetime)
    base_url: str | None = attrs.field(default=None, converter=attrs.converters.optional(without_login))

    def __init__(self, token: str | Secret, expires_in: float, base_url: str | None = None) -> None:
        hidden = as_secret(token)
        del token  # tracebacks of the validators would show it
        self.__attrs_init__(hidden, expires_in, base_url)

    def secrets(self) -> Secrets:
        """Return the token, so that it can be hidden."""
        return Secrets(self.token)


CredentialProvider = Callable[[str], Awaitable[Credentials | AccessToken]]
"""Async function that returns credentials or a token for a Company's name; called for every renewal."""


@attrs.frozen(eq=False)
class CommandProvider:
    """Credentials function that runs a command; messages show the command's ``name``."""

    name: str
    run: CredentialProvider = attrs.field(repr=False)

    def __call__(self, company: str) -> Awaitable[Credentials | AccessToken]:
        """Run the command for a Company."""
        return self.run(company)


@runtime_checkable
class GrantProvider(Protocol):
    """Source of sessions opened by another process, such as a job's coordinator."""

    async def grant(self, company: str, replaced: Secrets) -> TokenGrant:
        """Return a live session: token, host and lifetime; the client adds the headers.

        The client calls this for the first session, after a refused session, and before a session expires.
        ``replaced`` contains the secrets of earlier sessions.
        """


_TOKEN_URL = "https://oauth-pro-v2.corrigo.com/OAuth/token"  # noqa: S105 - facts 1: one host for all regions


@attrs.frozen
class Region:
    """Addresses of one region, for token requests and for the look-up of a Company's host.

    ``attrs.evolve(Region.EMEA, token_url=...)`` changes one address. Custom regions may have any name.
    The discovery command is sent to ``locator_url``, an origin.
    """

    name: str
    locator_url: str = attrs.field(converter=without_login)
    token_url: str = attrs.field(default=_TOKEN_URL, converter=without_login)

    AMERICAS: ClassVar[Region]
    APAC: ClassVar[Region]
    EMEA: ClassVar[Region]

    @classmethod
    def named(cls, name: str) -> Region:
        """Return the region called americas, apac or emea, ignoring case. Raises KeyError for other names."""
        return {region.name: region for region in (cls.AMERICAS, cls.APAC, cls.EMEA)}[name.lower()]


# facts 2: the sources print these hosts with http, but two clients reach them with https, which is used here.
Region.AMERICAS = Region("americas", "https://am-apilocator.corrigo.com")
Region.APAC = Region("apac", "https://apac-apilocator.corrigo.com")
Region.EMEA = Region("emea", "https://emea-apilocator.corrigo.com")


@attrs.frozen
class Tenant:
    """Company with its credentials and region."""

    company: str
    region: Region
    credentials: Credentials | CredentialProvider | GrantProvider
    origin: str = attrs.field(init=False, eq=False)
    """Name and locator address, kept in records to tell apart Companies of the same name in two regions."""

    @origin.default
    def _name_and_place(self) -> str:
        url = self.region.locator_url.rstrip("/")
        return f"{self.company} at {url.removesuffix(':443' if url.startswith('https') else ':80')}"

    async def pair(
        self, deadlines: Deadlines, note: Callable[[str], None] = lambda _: None
    ) -> Credentials | AccessToken:
        """Return the current credentials; ``note`` is called with what the log-in waits for.

        Raises ConfigurationError if the provider returns none, and SessionError if it takes more than 30 s.
        """
        if isinstance(self.credentials, Credentials):
            return self.credentials
        assert not isinstance(self.credentials, GrantProvider)  # noqa: S101 - gives no credentials
        note(f"{self._provider} has not returned")
        scope = deadlines.within(_TIMEOUT)
        try:
            with scope:
                pair: Credentials | AccessToken
                pair = await self._ask((Credentials, AccessToken), self.credentials)
                return pair
        except TimeoutError:
            if not scope.expired:  # the provider raised this TimeoutError
                raise
        raise SessionError(f"{self._provider} did not return within {_TIMEOUT:g} s")

    async def grant(self, replaced: Secrets) -> TokenGrant:
        """Return the provider's session. Raises the provider's error, or SessionError for a bad lifetime."""
        assert isinstance(self.credentials, GrantProvider)  # noqa: S101 - others give credentials
        grant: TokenGrant = await self._ask((TokenGrant,), self.credentials.grant, replaced)
        seconds: object = grant.expires_in
        if not isinstance(seconds, int | float) or not 0 < seconds < math.inf:
            shown = seconds if isinstance(seconds, int | float) else f"a {type(seconds).__name__}"
            del grant, seconds  # they may contain a secret, and tracebacks show local variables
            raise SessionError(
                f"{self._provider} returned a session whose expires_in is {shown}; "
                "it must be a number of seconds greater than 0"
            )
        return grant

    @property
    def _provider(self) -> str:
        if isinstance(self.credentials, CommandProvider):
            return f"the credentials command {self.credentials.name!r}"
        name = getattr(self.credentials, "__qualname__", type(self.credentials).__qualname__)
        return f"the credentials function {name} of {self.company!r}"

    async def _ask(self, kinds: tuple[type, ...], ask: Callable[..., Awaitable[Any]], *more: object) -> Any:
        """Return a provider's result. A cancellation in the provider must not look like a cancelled call."""
        try:
            given: object = ask(self.company, *more)
            if not inspect.isawaitable(given):
                del given  # it may contain a secret, and tracebacks show local variables
                raise ConfigurationError(f"{self._provider} is not async; define it with async def")
            given = await given
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise  # the task itself was cancelled, because the client is closing
            raise SessionError(
                f"{self._provider} raised CancelledError",
                remedies=(Remedy.CANCELLED_PROVIDER,),
            ) from error
        if not isinstance(given, kinds):
            returned, wanted = type(given).__name__, " or ".join(kind.__name__ for kind in kinds)
            del given
            raise ConfigurationError(f"{self._provider} returned a {returned}, not {wanted}")
        return given
