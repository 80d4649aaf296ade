"""What a program opens once: the connections, and the sessions of every Company it talks to."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Self

from wosdk_async.company import Company
from wosdk_async.errors import ConfigurationError
from wosdk_async.settings import Settings
from wosdk_async.transport.credentials import CredentialProvider, Credentials
from wosdk_async.transport.dispatch import CallOptions
from wosdk_async.transport.hosts import HostRules
from wosdk_async.transport.region import Region
from wosdk_async.transport.transport import BeforeSend, Tenant, Transport, TransportSettings

__all__ = ["Client"]

_CONNECTIONS = 100  # of all Companies; the native engine does not care how many
_IN_FLIGHT = 32  # of one Company; the service publishes no limit (facts 7)


class Client:
    """Owns the connections and serves many Companies; open it once and share it between tasks.

    ::

        async with wosdk.Client(credentials=Credentials(client_id, secret)) as client:
            acme = client.company("Acme Facilities")
            order = await acme.get(WorkOrder, 90417)

    Args:
        region: where the Companies are looked up; a Company may have its own.
        credentials: the pair of the Company, or an async function from a Company's name to its pair.
        company: the name that :meth:`company` takes when it is called without one.
        trusted_hosts: your own hosts, which a locator may name and which may be reached without https.
        host_suffixes: the domains below which a locator may name hosts.
        connections: connections of the whole client at the most.
        in_flight: calls of one Company under way at the most.
        options: deadline and retries for every call that does not bring its own.
        read_only: refuse every call that could change something, before it is sent.
        before_send: sees every call first, and may stop or answer it (:data:`BeforeSend`, :class:`DryRun`).
    """

    def __init__(
        self,
        *,
        region: Region = Region.AMERICAS,
        credentials: Credentials | CredentialProvider | None = None,
        company: str | None = None,
        trusted_hosts: Iterable[str] = (),
        host_suffixes: Iterable[str] = ("corrigo.com",),
        connections: int = _CONNECTIONS,
        in_flight: int = _IN_FLIGHT,
        options: CallOptions | None = None,
        read_only: bool = False,
        before_send: BeforeSend | None = None,
    ) -> None:
        self._region = region
        self._credentials = credentials
        self._company = company
        self._options = options or CallOptions()
        hosts = HostRules(host_suffixes, trusted_hosts)
        self._transport = Transport(
            TransportSettings(
                hosts=hosts,
                connections=connections,
                in_flight=in_flight,
                read_only=read_only,
                before_send=before_send,
            )
        )

    @classmethod
    def from_env(
        cls,
        environ: Mapping[str, str] | None = None,
        *,
        profile: str | None = None,
        connections: int = _CONNECTIONS,
        in_flight: int = _IN_FLIGHT,
        options: CallOptions | None = None,
        read_only: bool = False,
        before_send: BeforeSend | None = None,
    ) -> Self:
        """A client as the ``WOSDK_*`` variables and a profile of the settings file say
        (:class:`~wosdk_async.settings.Settings`).

        ``environ`` is read instead of the process's own variables; the others are those of the class.
        Raises ConfigurationError that names the variable and the remedy.
        """
        found = Settings.from_env(environ, profile=profile)
        return cls(
            region=found.region,
            credentials=found.credentials,
            company=found.company,
            trusted_hosts=found.trusted_hosts,
            connections=connections,
            in_flight=in_flight,
            options=options,
            read_only=read_only,
            before_send=before_send,
        )

    def __repr__(self) -> str:
        return f"<Client region={self._region.name} {self._transport!r}>"

    def company(
        self,
        name: str | None = None,
        *,
        credentials: Credentials | CredentialProvider | None = None,
        region: Region | None = None,
    ) -> Company:
        """The verbs of one Company; nothing is sent yet, and asking twice shares the session.

        Raises ConfigurationError when the name cannot be a header, or no credentials are known.
        """
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
                f"no credentials for {name!r}; pass credentials=, "
                "or set WOSDK_CLIENT_ID and WOSDK_CLIENT_SECRET"
            )
        return Company(self._transport, Tenant(name, region or self._region, pair), self._options)

    async def aclose(self) -> None:
        """Close the connections; every Company of this client is closed with it."""
        await self._transport.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
