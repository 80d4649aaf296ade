"""What a program opens once: the connections, and the sessions of every Company it talks to."""

from __future__ import annotations

import ssl
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import TYPE_CHECKING, Never, Self, TypedDict, Unpack

from wosdk_async.client_options import check_credentials, check_settings
from wosdk_async.company import Company
from wosdk_async.errors import ConfigurationError
from wosdk_async.option_checks import check_kind, check_names, check_number, names_checked
from wosdk_async.options import CallOptions, Limits, OnInDoubt, Timeouts, as_limits, as_timeouts
from wosdk_async.sender import CallSender
from wosdk_async.settings import Settings
from wosdk_async.transport.network import Network
from wosdk_async.transport.session.credentials import CredentialProvider, Credentials, Region, Tenant
from wosdk_async.transport.session.hosts import HostRules
from wosdk_async.transport.settings import BeforeSend, TransportSettings
from wosdk_async.transport.telemetry.hooks import AttemptHook
from wosdk_async.transport.telemetry.statistics import Stats
from wosdk_async.transport.transport import Transport

if TYPE_CHECKING:
    import httpx

__all__ = ["Client"]

_LIMITS = Limits()
_IN_FLIGHT = 32  # of one Company; the service publishes no limit (facts 7)


class Bounds(TypedDict, total=False):
    """What :class:`Client` takes beside whom to log in as."""

    host_suffixes: Iterable[str]
    limits: Limits | httpx.Limits
    timeouts: Timeouts | httpx.Timeout | None
    ssl_context: ssl.SSLContext | None
    proxy: str | None
    trust_env: bool
    http2: bool
    transport: httpx.AsyncBaseTransport | None
    http_client: httpx.AsyncClient | None
    in_flight: int
    rate: float | None
    max_queued: int | None
    adaptive: bool
    retry_quota: float
    options: CallOptions | None
    check_request_ids: bool
    read_only: bool
    before_send: BeforeSend | None
    on_in_doubt: OnInDoubt | None
    on_attempt: AttemptHook | None
    telemetry: bool
    traceparent: bool


@names_checked
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
        limits: how much of everything there may be, as ours or ``httpx.Limits``: 100 connections of the whole
            client by default.
        timeouts: how long each step of an exchange may take, as ours or ``httpx.Timeout``.
        ssl_context: the certificates to trust instead of the system's.
        proxy: the proxy for all requests, instead of those that the environment names.
        trust_env: follow ``HTTPS_PROXY``, ``HTTP_PROXY``, ``ALL_PROXY`` and ``NO_PROXY``
            (``docs/transport.md``).
        http2: offer HTTP/2; requests then go through httpx.
        transport: your own transport of httpx, a mock or an ASGI application for instance.
        http_client: your own client of httpx, with its auth, proxies and hooks. Neither is closed.
        in_flight: calls of one Company under way at the most; fewer after a 429 or 503 (``docs/load.md``).
        rate: calls of one Company sent in a second at the most; None for as many as go.
        max_queued: calls of one Company that may wait; one more raises OverloadedError. None for no bound.
        adaptive: lower the calls in flight of a Company also when its answers get slower.
        retry_quota: what all calls may spend on sending again, 5 for each time; successes bring it back.
        options: deadline and retries for every call that does not bring its own.
        check_request_ids: believe the response to a command only if it carries the RequestId of that command
            (``docs/failures.md``).
        read_only: refuse every call that could change something, before it is sent.
        before_send: sees every call first, and may stop or answer it (:data:`BeforeSend`, :class:`DryRun`).
        on_in_doubt: told of a call (with its RequestId) whose caller was cancelled while it may have been
            carried out; it must return at once.
        on_attempt: told of each request when it has ended (:class:`Attempt`); it must return at once.
        telemetry: spans and metrics for OpenTelemetry, if it is installed and the program sets a provider.
        traceparent: send the trace's id along, as W3C's header says.
    """

    def __init__(
        self,
        *,
        region: Region = Region.AMERICAS,
        credentials: Credentials | CredentialProvider | None = None,
        company: str | None = None,
        trusted_hosts: Iterable[str] = (),
        host_suffixes: Iterable[str] = ("corrigo.com",),
        limits: Limits | httpx.Limits = _LIMITS,
        timeouts: Timeouts | httpx.Timeout | None = None,
        ssl_context: ssl.SSLContext | None = None,
        proxy: str | None = None,
        trust_env: bool = True,
        http2: bool = False,
        transport: httpx.AsyncBaseTransport | None = None,
        http_client: httpx.AsyncClient | None = None,
        in_flight: int = _IN_FLIGHT,
        rate: float | None = None,
        max_queued: int | None = None,
        adaptive: bool = False,
        retry_quota: float = 500,
        options: CallOptions | None = None,
        check_request_ids: bool = True,
        read_only: bool = False,
        before_send: BeforeSend | None = None,
        on_in_doubt: OnInDoubt | None = None,
        on_attempt: AttemptHook | None = None,
        telemetry: bool = True,
        traceparent: bool = False,
    ) -> None:
        check_settings(locals())
        self._region = region
        self._credentials = credentials
        self._company = company
        self._options = options or CallOptions()
        hosts = HostRules(host_suffixes, trusted_hosts)
        self._transport = Transport(
            TransportSettings(
                hosts=hosts,
                network=Network(
                    limits=as_limits(limits),
                    timeouts=None if timeouts is None else as_timeouts(timeouts),
                    ssl_context=ssl_context,
                    proxy=proxy,
                    trust_env=trust_env,
                    http2=http2,
                    transport=transport,
                    http_client=http_client,
                ),
                in_flight=in_flight,
                rate=rate,
                max_queued=max_queued,
                adaptive=adaptive,
                retry_quota=retry_quota,
                check_request_ids=check_request_ids,
                read_only=read_only,
                before_send=before_send,
                on_in_doubt=on_in_doubt,
                on_attempt=on_attempt,
                telemetry=telemetry,
                traceparent=traceparent,
            )
        )

    @classmethod
    def from_env(
        cls,
        environ: Mapping[str, str] | None = None,
        *,
        profile: str | None = None,
        company: str | None = None,
        credentials: Credentials | CredentialProvider | None = None,
        region: Region | None = None,
        trusted_hosts: Iterable[str] | None = None,
        **bounds: Unpack[Bounds],
    ) -> Self:
        """A client as the ``WOSDK_*`` variables and a profile of the settings file say
        (:class:`~wosdk_async.settings.Settings`).

        ``environ`` is read instead of the process's own variables; the others are those of the class, and
        what is passed comes before what the variables say.
        Raises ConfigurationError that names the variable and the remedy.
        """
        found = Settings.from_env(
            environ,
            profile=profile,
            company=company,
            credentials=credentials,
            region=region,
            trusted_hosts=trusted_hosts,
        )
        return cls(
            region=found.region,
            credentials=found.credentials,
            company=found.company,
            trusted_hosts=found.trusted_hosts,
            **bounds,
        )

    def __repr__(self) -> str:
        return f"<Client region={self._region.name} {self._transport!r}>"

    def company(
        self,
        name: str | None = None,
        *,
        credentials: Credentials | CredentialProvider | None = None,
        region: Region | None = None,
        **unknown: Never,
    ) -> Company:
        """The verbs of one Company; nothing is sent yet, and asking twice shares the session.

        Raises ConfigurationError when the name cannot be a header, or no credentials are known.
        """
        check_names(unknown, ("name", "credentials", "region"), "company()")
        check_credentials(credentials)
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
        """What is under way, waits and was done so far, in figures; asked from within the event loop."""
        return self._transport.stats()

    async def aclose(self, grace: float = 5.0, **unknown: Never) -> None:
        """Close the client and every Company of it; new calls are refused.

        Calls under way get ``grace`` seconds to end. Those that are left then raise: InDoubtError where
        a request was sent that is not safe to repeat, else DeadlineError. May be called again, and twice at
        once.
        """
        check_names(unknown, ("grace",), "aclose()")
        check_number("grace", grace, "seconds, 0 or more")
        await self._transport.aclose(grace)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
