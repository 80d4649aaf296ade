"""Client: connections and sessions for all Companies of a program."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

import attrs

from wosdk_async.calls.sender import CallSender
from wosdk_async.codec.checks import kind_of
from wosdk_async.company import Company
from wosdk_async.errors import ConfigurationError, InvalidCallError, WosdkError
from wosdk_async.fork_safety import Uncopied
from wosdk_async.options import CallOptions, ClientOptions, Limits
from wosdk_async.options.checks import (
    HIDDEN_FIRST,
    check_kind,
    check_number,
    hook,
    instance,
    takes_options,
)
from wosdk_async.protocol.arguments import described
from wosdk_async.settings.environment import Settings
from wosdk_async.settings.profiles import hidden_variables
from wosdk_async.text.remedies import Remedy
from wosdk_async.text.secret import withheld
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import Engine
from wosdk_async.transport.loop_state import TransportSettings
from wosdk_async.transport.session.credentials import (
    CredentialProvider,
    Credentials,
    GrantProvider,
    Region,
    Tenant,
)
from wosdk_async.transport.telemetry.statistics import Stats
from wosdk_async.transport.transport import Transport


def _shielded(given: Any) -> Any:
    """Return valid credentials unchanged; hide any other value, which may contain the secret."""
    is_valid = given is None or isinstance(given, Credentials | GrantProvider) or callable(given)
    return given if is_valid else withheld(given)


def _check_credentials(given: object) -> None:
    """Raise ConfigurationError unless ``given`` is None, Credentials or a credentials provider."""
    is_class = isinstance(given, type)  # a class is callable, but does not take a Company's name
    if is_class or _shielded(given) is not given:
        shown = described(given) if is_class else kind_of(given)
        raise ConfigurationError(
            f"credentials is {shown}; pass Credentials(client_id, client_secret), or an "
            "async function that takes a Company's name and returns Credentials or an AccessToken"
        )


def _check_company(what: str, given: object, error: type[WosdkError]) -> None:
    """Raise ``error`` for a name that cannot be sent; an empty one must not select the default Company."""
    if isinstance(given, str) and given:
        if given.isprintable() and given == given.strip():
            return
        raise error(f"{what} is {given!r:.200}; it must not have invisible characters or surrounding spaces")
    if given is not None:
        shown = "empty" if given == "" else kind_of(given)
        raise error(f"{what} is {shown}; it must be the name of a Company, or None for the default")


@attrs.frozen(kw_only=True, eq=False)
class ClientArguments(ClientOptions):
    """Arguments of :class:`Client`: region, credentials, Company, and all client options."""

    region: Region | None = instance(Region, "a Region, such as Region.EMEA")
    """Region of the Companies (default: the Americas); :meth:`Client.company` can override it."""
    credentials: Credentials | CredentialProvider | GrantProvider | None = attrs.field(
        default=None,
        converter=_shielded,
        validator=lambda _, __, value: _check_credentials(value),
        repr=False,
        metadata=HIDDEN_FIRST,
    )
    """Credentials, or an async function that returns Credentials or an AccessToken for a Company's name."""
    company: str | None = attrs.field(
        default=None, validator=lambda _, __, value: _check_company("company", value, ConfigurationError)
    )
    """Default Company of :meth:`Client.company`."""

    # --- for tests and simulations ---
    engine: Callable[[Limits], Engine] | None = hook(
        takes="a function that takes Limits and returns an engine"
    )
    """Engine factory for calls, log-ins and downloads (``docs/transport.md``)."""
    clock: TransportClock | None = instance(TransportClock, "a TransportClock(...)")
    """Clock for all waits and deadlines; None for real time."""

    def __attrs_post_init__(self) -> None:
        """Refuse options that a custom engine would ignore."""
        super().__attrs_post_init__()
        ignored = ("transport", "http_client", "ssl_context", "proxy")
        if self.engine is not None and (given := [name for name in ignored if getattr(self, name)]):
            raise ConfigurationError(f"{given[0]}= has no effect with engine=; pass only one")


@attrs.frozen(eq=False)
class EnvArguments(ClientArguments):
    """Arguments of :meth:`Client.from_env`; an argument overrides its environment variable."""

    environ: Mapping[str, str] | None = attrs.field(
        default=None, converter=hidden_variables, repr=False, metadata=HIDDEN_FIRST
    )
    """Variables to read instead of ``os.environ``."""
    profile: str | None = attrs.field(default=None, kw_only=True)
    """Profile of the settings file to use."""


class Client(Uncopied):
    """Connections to many Companies. Open it once and share it between tasks.

    ::

        async with wosdk.Client(credentials=Credentials(client_id, secret)) as client:
            acme = client.company("Acme Facilities")
            order = await acme.get(WorkOrder, 90417)

    Takes ``region``, ``credentials``, ``company`` and the fields of
    :class:`~wosdk_async.options.ClientOptions` as keyword arguments.

    Raises:
        ConfigurationError: an argument is invalid.
    """

    _instead = "create one per process and share it within the process"

    @takes_options(ClientArguments)
    def __init__(self, arguments: ClientArguments) -> None:
        self._region = arguments.region or Region.AMERICAS
        self._credentials = arguments.credentials
        self._company = arguments.company
        self._pair_of: str | None = None  # Company of a client id and secret from the settings
        self._profile: str | None = None  # profile that replaced the variables
        self._options = arguments.options or CallOptions()
        clock = arguments.clock or TransportClock()
        self._transport = Transport(
            TransportSettings(options=arguments, engine=arguments.engine, clock=clock)
        )
        if arguments.region is not None:
            self._transport.require_usable(arguments.region)

    @classmethod
    @takes_options(EnvArguments)
    def from_env(cls, arguments: EnvArguments) -> Self:
        """Return a client configured from the ``WOSDK_*`` variables and a profile of the settings file.

        ``docs/settings.md`` lists the variables. Takes the same arguments as the class, plus ``environ``
        (variables to read instead of ``os.environ``) and ``profile``. An argument overrides its variable, and
        ``profile`` replaces all variables.

        Raises:
            ConfigurationError: a setting is missing or invalid; the message names the variable and the
                remedy.
        """
        settings = Settings.from_env(
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
        values = attrs.asdict(settings, recurse=False)
        pair_of, profile = values.pop("pair_of"), values.pop("profile")
        client = cls(**given | values)
        client._pair_of, client._profile = pair_of, profile
        return client

    def __repr__(self) -> str:
        if not hasattr(self, "_transport"):  # the constructor failed: a traceback may show it
            return "<Client>"
        return f"<Client region={self._region.name} {self._transport!r}>"

    def company(
        self,
        name: str | None = None,
        *,
        credentials: Credentials | CredentialProvider | GrantProvider | None = None,
        region: Region | None = None,
    ) -> Company:
        """Return a Company without sending anything.

        Companies with the same name, region and credentials share their session.

        Args:
            name: the Company's name (default: the client's ``company``).
            credentials: the Company's credentials (default: the client's). A client id and secret from the
                settings are used only for the Company in the settings. A credentials command is used for any
                Company.
            region: the Company's region (default: the client's).

        Raises:
            InvalidCallError: the name cannot be sent in a header.
            ConfigurationError: credentials are missing, or the region's address or ``SSL_CERT_FILE`` is
                unusable.
        """
        credentials = _shielded(credentials)
        _check_credentials(credentials)
        if region is not None:
            check_kind("region", region, Region, "a Region, such as Region.EMEA")
        _check_company("the Company's name", name, InvalidCallError)  # a web caller may have chosen it
        name = self._company if name is None else name
        if name is None:
            raise self._missing("no Company name given", Remedy.COMPANY_NAME)
        tenant = Tenant(name, region or self._region, credentials or self._credentials_for(name))
        self._transport.require_usable(tenant.region)
        return Company(CallSender(transport=self._transport, tenant=tenant, options=self._options))

    def _credentials_for(self, company: str) -> Credentials | CredentialProvider | GrantProvider:
        """Return the client's credentials. Raises ConfigurationError if none are usable for this Company."""
        if self._credentials is None:
            raise self._missing(f"no credentials for {company!r}", Remedy.CREDENTIALS)
        # facts 1: names are case-insensitive. One Company's credentials must not be used for another.
        if self._pair_of is not None and company.lower() != self._pair_of.lower():
            raise ConfigurationError(
                f"the settings contain the credentials of {self._pair_of!r}, not of {company!r}; pass"
                f" credentials= for {company!r}"
            )
        return self._credentials

    def _missing(self, text: str, remedy: Remedy) -> ConfigurationError:
        """Return the error for a missing setting; it names the profile if one replaces the variables."""
        if self._profile is None:
            return ConfigurationError(text, remedies=(remedy,))
        text += f" in the {self._profile}, which replaces the environment variables"
        return ConfigurationError(text, remedies=(Remedy.COMPLETE_PROFILE,))

    def stats(self) -> Stats:
        """Return counters and the client's current state. Must be called inside the event loop."""
        return self._transport.stats()

    async def aclose(self, grace: float = 5.0) -> None:
        """Close the client and all its Companies; new calls are refused. Idempotent.

        Calls in flight get ``grace`` seconds to finish. A call that takes longer raises InDoubtError if its
        request was sent and is not safe to repeat, otherwise DeadlineError.
        """
        check_number("grace", grace, "seconds, 0 or more")
        await self._transport.aclose(grace)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
