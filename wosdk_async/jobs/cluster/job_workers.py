"""Workers of one import run, with their setup, share of the rate, and sessions."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import attrs

from wosdk_async.company import Company, sender_of
from wosdk_async.errors import ConfigurationError, SessionError, WosdkError
from wosdk_async.jobs.cluster.coordinator import ClusterRun, Coordinator
from wosdk_async.jobs.cluster.leases import ClusterOptions
from wosdk_async.jobs.cluster.messages import PushedSession, Setup, WorkerPool
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.journal.claims import Claims
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.transport.session.manager import SessionManager

_RESERVED_PART = 0.1  # share of the rate reserved for the coordinator's own look-ups
_MIN_RESERVED = 0.5  # minimum calls per second reserved, up to half of the rate
_DEADLINE_PART = 2 / 3  # deadline as a fraction of the lease, if the Company sets no deadline
_MAX_WARNINGS = 20  # lost workers to warn about; the journal counts all lost grants
_RENEWAL_TIMEOUT = 30.0  # seconds
_MAX_RENEWALS = 5  # the run ends after so many renewals in a row, each less than _SOON after the previous one
_SOON = 2.0  # seconds


class JobWorkers(Coordinator):
    """Workers of one import run; :meth:`open` starts them, :meth:`aclose` shuts them down.

    From the first :meth:`run` on, a tenth of the rate is reserved for this process's own calls, such as
    look-ups. Below 5 calls per second, 0.5 is reserved, or half of the rate if that is less.
    ``on_event`` gets a message for each of the first 20 lost workers.
    """

    def __init__(
        self,
        pool: WorkerPool,
        company: Company,
        journal: Journal,
        operation: str,
        options: ImportOptions,
        on_event: Callable[[str], None] = lambda _: None,
    ) -> None:
        rate, deadline = company.rate, company.options.deadline
        reserved = 0.0 if rate is None else min(max(rate * _RESERVED_PART, _MIN_RESERVED), rate / 2)
        cluster = ClusterOptions(
            lease=options.lease,
            deadline=options.lease * _DEADLINE_PART if deadline is None else deadline,
            skew=options.skew,
            rate=None if rate is None else rate - reserved,
            in_flight=options.concurrency,
        )
        self._sessions = SessionPusher(sender_of(company).sessions, self.fail)
        super().__init__(
            pool, journal, options=cluster, session=self._sessions.session_for, on_event=self._event
        )
        self.warnings: list[str] = []
        self._company, self._operation, self._on_warning = company, operation, on_event
        self._rate, self._reserved_rate = rate, reserved

    async def open(self, marker: str | None) -> None:
        """Start the workers, which look up calls in doubt by the field ``marker``."""
        setup = self._setup(marker)
        await self._company.connect()
        await self.start(setup)

    def _event(self, text: str) -> None:
        if len(self.warnings) < _MAX_WARNINGS:
            self.warnings.append(text)
            try:
                self._on_warning(text)
            except Exception as error:  # end the run, because an error in this task alone would go unnoticed
                self.fail(error)

    def _setup(self, marker: str | None) -> Setup:
        """Raise ConfigurationError for client options that workers do not support."""
        call, client = self._company.options, sender_of(self._company).transport.options
        defaults = {each.name: each.default for each in attrs.fields(type(client))}
        for name in ("ssl_context", "proxy", "transport", "http_client", "host_suffixes"):
            if getattr(client, name) != defaults[name]:
                raise ConfigurationError(
                    f"workers do not support the client's {name}; remove it and set proxies and certificates "
                    "in the workers' environment"
                )
        return Setup(
            operation=self._operation,
            company=self._company.name,
            marker=marker,
            lease=self.options.lease,
            deadline=self.options.deadline,
            settle=call.settle,
            attempts=call.retry.attempts,
            max_in_flight=self.options.in_flight,
            trusted_hosts=tuple(client.trusted_hosts or ()),
            check_request_ids=client.check_request_ids,
        )

    def run(self, claims: Claims) -> ClusterRun:
        """Return a run that sends the claims."""
        if self._rate is not None:
            # Not earlier, because this process first looks up and creates references, at the full rate.
            self._company.set_rate(self._reserved_rate)
        return super().run(claims)

    async def aclose(self) -> None:
        """Shut down the workers."""
        try:
            await super().aclose()
        finally:
            await self._sessions.aclose()
            if self._rate is not None:
                self._company.set_rate(self._rate)


class SessionPusher:
    """Source of sessions for all workers, which renews each refused session only once."""

    def __init__(self, manager: SessionManager, failed: Callable[[WosdkError], None]) -> None:
        self._manager, self._failed = manager, failed
        self._renewal: asyncio.Task[None] | None = None
        self._renewals, self._renewed_at = 0, 0.0

    def session_for(self, used: int, refused: int) -> PushedSession | None:
        """Return the session to push to a worker; None if the worker has it, or none is usable yet."""
        session = self._manager.current()  # also starts a renewal if one is due
        if session is None or session.generation == refused:
            self._renew(0 if session is None else refused)
            return None
        if session.generation == used:
            return None
        return PushedSession(
            number=session.generation,
            token=session.grant.token,
            base_url=session.grant.base_url,
            expires_in=session.expires_at - self._manager.clock.now(),
        )

    async def aclose(self) -> None:
        """Cancel a renewal."""
        if self._renewal is not None:
            self._renewal.cancel()
            await asyncio.gather(self._renewal, return_exceptions=True)

    def _renew(self, after: int) -> None:
        if self._renewal is not None and not self._renewal.done():
            return
        now = self._manager.clock.now()
        self._renewals = self._renewals + 1 if now - self._renewed_at < _SOON else 1
        self._renewed_at = now
        if self._renewals > _MAX_RENEWALS:  # log-ins work, but the service refuses the sessions
            self._failed(SessionError(f"the service refused {_MAX_RENEWALS} consecutive sessions"))
        else:
            self._renewal = asyncio.create_task(self._run_renewal(after))

    async def _run_renewal(self, after: int) -> None:
        try:
            await self._manager.renew(after, self._manager.clock.now() + _RENEWAL_TIMEOUT)
        except WosdkError as error:
            self._failed(error)
