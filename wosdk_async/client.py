"""Client: the connections and sessions of all Companies that a program talks to."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Never, Self

import attrs

from wosdk_async.codec.checks import kind_of
from wosdk_async.company import Company
from wosdk_async.errors import ConfigurationError
from wosdk_async.option_checks import check_kind, check_names, check_number, instance, takes_options
from wosdk_async.options import CallOptions, ClientOptions
from wosdk_async.protocol.arguments import described
from wosdk_async.sender import CallSender
from wosdk_async.settings import Settings
from wosdk_async.transport.loop_state import TransportSettings
from wosdk_async.transport.session.credentials import CredentialProvider, Credentials, Region, Tenant
from wosdk_async.transport.telemetry.statistics import Stats
from wosdk_async.transport.transport import Transport

__all__ = ["Client", "ClientArguments", "EnvArguments"]


def _check_credentials(given: object) -> None:
    """Raise ConfigurationError for what is neither a pair nor a function that returns one."""
    is_class = isinstance(given, type)  # callable, but not a function from a Company's name
    if is_class or not (given is None or isinstance(given, Credentials) or callable(given)):
        shown = described(given) if is_class else kind_of(given)
        raise ConfigurationError(  # without the value: it may be the pair
            f"credentials is {shown}; pass Credentials(client_id, client_secret), or an "
            "async function from a Company's name to them"
        )


@attrs.frozen(kw_only=True, eq=False)
class ClientArguments(ClientOptions):
    """Arguments of :class:`Client`: whom to log in as, and all options of a client."""

    region: Region | None = instance(Region, "a Region, such as Region.EMEA")
    """Where the Companies are looked up; None for the Americas. A Company may have its own."""
    credentials: Credentials | CredentialProvider | None = attrs.field(
        default=None, validator=lambda _, __, value: _check_credentials(value), repr=False
    )
    """The pair of the Company, or an async function from a Company's name to its pair."""
    company: str | None = instance(str, "the name of a Company")
    """Name that :meth:`Client.company` takes when it is called without one."""


@attrs.frozen(eq=False)
class EnvArguments(ClientArguments):
    """Arguments of :meth:`Client.from_env`; they come before what the environment says."""

    environ: Mapping[str, str] | None = None
    """Variables to read instead of the process's own."""
    profile: str | None = attrs.field(default=None, kw_only=True)
    """Profile of the settings file to use."""


class Client:
    """Owner of the connections of many Companies. Open it once and share it between tasks.

    ::

        async with wosdk.Client(credentials=Credentials(client_id, secret)) as client:
            acme = client.company("Acme Facilities")
            order = await acme.get(WorkOrder, 90417)

    Its keyword arguments are ``region``, ``credentials``, ``company`` and the fields of
    :class:`~wosdk_async.options.ClientOptions`, where each one is described.

    Raises:
        ConfigurationError: an argument does not exist, or does not take the value.
    """

    @takes_options(ClientArguments, "Client")
    def __init__(self, arguments: ClientArguments) -> None:
        self._region = arguments.region or Region.AMERICAS
        self._credentials = arguments.credentials
        self._company = arguments.company
        self._options = arguments.options or CallOptions()
        self._transport = Transport(TransportSettings(options=arguments))

    @classmethod
    @takes_options(EnvArguments, "Client.from_env()")
    def from_env(cls, arguments: EnvArguments) -> Self:
        """Return a client as the ``WOSDK_*`` variables and a profile of the settings file say.

        :class:`~wosdk_async.settings.Settings` lists the variables. Arguments are those of the class, and
        ``environ`` (variables to read instead of ``os.environ``) and ``profile``. An argument comes before
        its variable.

        Raises:
            ConfigurationError: a setting is missing or wrong; the message names the variable and the remedy.
        """
        found = Settings.from_env(
            arguments.environ,
            profile=arguments.profile,
            company=arguments.company,
            credentials=arguments.credentials,
            region=arguments.region,
            trusted_hosts=arguments.trusted_hosts,
        )
        given: dict[str, Any] = {
            field.name: getattr(arguments, field.name) for field in attrs.fields(ClientArguments)
        }
        return cls(**given | attrs.asdict(found, recurse=False))

    def __repr__(self) -> str:
        return f"<Client region={self._region.name} {self._transport!r}>"

    def company(
        self,
        name: str | None = None,
        *,
        credentials: Credentials | CredentialProvider | None = None,
        region: Region | None = None,
        **_unknown: Never,
    ) -> Company:
        """Return one Company. Nothing is sent yet, and Companies of the same name share their session.

        Args:
            name: the Company's name; the client's ``company`` if left out.
            credentials: the Company's own, instead of the client's.
            region: the Company's own, instead of the client's.

        Raises:
            ConfigurationError: the name cannot be sent in a header, or there are no credentials.
        """
        check_names(_unknown, ("name", "credentials", "region"), "company()")
        _check_credentials(credentials)
        if region is not None:
            check_kind("region", region, Region, "a Region, such as Region.EMEA")
        if name is not None:
            check_kind("the Company's name", name, str, "text")
        name = name or self._company
        if not name:
            raise ConfigurationError("no Company is named; pass its name, or set WOSDK_COMPANY")
        if not name.isprintable() or name != name.strip():
            raise ConfigurationError(
                f"{name!r} cannot be sent as a Company name: it has a line break or outer blanks"
            )
        pair = credentials or self._credentials
        if pair is None:
            raise ConfigurationError(
                f"no credentials for {name!r}; set WOSDK_CLIENT_ID and WOSDK_CLIENT_SECRET, "
                "or pass credentials="
            )
        tenant = Tenant(name, region or self._region, pair)
        return Company(CallSender(transport=self._transport, tenant=tenant, options=self._options))

    def stats(self) -> Stats:
        """Return the state and the totals in figures; call it within the event loop."""
        return self._transport.stats()

    async def aclose(self, grace: float = 5.0, **_unknown: Never) -> None:
        """Close the client and every Company of it; new calls are refused. It may be called again.

        Calls under way get ``grace`` seconds to end. Those that are left then raise InDoubtError if a request
        was sent that is not safe to repeat, else DeadlineError.
        """
        check_names(_unknown, ("grace",), "aclose()")
        check_number("grace", grace, "seconds, 0 or more")
        await self._transport.aclose(grace)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
