"""The workers of one run of an import: what they need to know, and their share of the rate."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from typing import Any

import attrs

from wosdk_async.company import Company, sender_of
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.cluster_run import ClusterRun
from wosdk_async.jobs.cluster.coordinator import Coordinator
from wosdk_async.jobs.cluster.intake import ClaimSource
from wosdk_async.jobs.cluster.messages import Setup
from wosdk_async.jobs.cluster.options import ClusterOptions
from wosdk_async.jobs.cluster.pool import UndeliveredReport, WorkerPool
from wosdk_async.jobs.cluster.row_bodies import body_of
from wosdk_async.jobs.cluster.sessions import ManagedSessions
from wosdk_async.jobs.cluster.undelivered_reader import UndeliveredReader
from wosdk_async.jobs.errors import JournalError
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.version import VERSION

__all__ = ["JobWorkers", "cluster_options"]

_OWN_SHARE = 0.1  # of the rate, which the coordinator's own client keeps for look-ups
_LEAST_OWN = 0.5  # calls in a second that it keeps at least, unless that is more than half of all
_DEADLINE = 2 / 3  # of the lease, for a row when the Company has no deadline
_MOST_EVENTS = 20  # of the workers that people are told; the others are counted
_LEAST_CLAIMED, _CLAIMED_PER_CALL = 1000, 8  # rows that may be claimed: at least, and for each call at a time


def cluster_options(options: ImportOptions, company: Company) -> ClusterOptions:
    """Return how the rows of an import are granted.

    Raises:
        ConfigurationError: the deadline of a row is longer than a lease.
    """
    rate, deadline = company.rate, company.options.deadline
    return ClusterOptions(
        lease=options.lease,
        deadline=options.lease * _DEADLINE if deadline is None else deadline,
        skew=options.skew,
        rate=None if rate is None else rate - _own_rate(rate),
        in_flight=options.limit,
    )


def _own_rate(rate: float) -> float:
    return min(max(rate * _OWN_SHARE, _LEAST_OWN), rate / 2)


class JobWorkers:
    """Workers of one run of an import; :meth:`open` starts them, :meth:`aclose` ends them.

    From the first :meth:`run` on the Company's own calls, such as look-ups, keep a tenth of its rate: at
    least 0.5 calls in a second, and never more than half. The workers have the rest.

    Args:
        pool: where they run.
        company: the Company of the records.
        journal: the journal of the job.
        operation: the name of what is done with each row.
        options: how the import is carried out.
        on_event: called with a text for people when a worker is lost or cannot be used: the first 20 times.
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
        self._on_event = on_event
        self._events: list[str] = []
        self._further_events = 0
        self.options = cluster_options(options, company)
        self.claimed_ahead = max(_LEAST_CLAIMED, _CLAIMED_PER_CALL * options.limit)
        """Rows that may be claimed before the run fetches them."""
        self._pool, self._company, self._journal, self._operation = pool, company, journal, operation
        self._rate: float | None = None
        self._coordinator: Coordinator | None = None
        self.statistics: dict[str, Any] = {}
        """What the workers did, as plain data; empty until they have ended."""

    @property
    def reached(self) -> int:
        """How many workers are reached now."""
        return 0 if self._coordinator is None else self._coordinator.statistics().workers

    async def opened(self, marker: str | None) -> bool:
        """Start the workers; ``marker`` is the field by which they look up calls in doubt. Return True.

        Raises:
            ConfigurationError: workers cannot be started; the message says what to do.
        """
        self._require_plain_client()
        await self._company.connect()
        coordinator = Coordinator(
            self._pool,
            self._setup(marker),
            self._journal,
            options=self.options,
            sessions=ManagedSessions(sender_of(self._company).sessions),
            on_event=self._event,
            boottime=boottime,
        )
        try:
            await coordinator.__aenter__()
            self._coordinator = coordinator
        except BaseException:
            await self.aclose()
            raise
        return True

    def hurry(self) -> None:
        """Wait for silent workers only for seconds after a stop; called again, hardly at all."""
        if self._coordinator is not None:
            self._coordinator.hurry()

    @property
    def warnings(self) -> list[str]:
        """What people should know of the workers; bounded, however many were lost."""
        further = f"{self._further_events} further warnings about workers"
        return [*self._events, further] if self._further_events else list(self._events)

    def _event(self, text: str) -> None:
        if len(self._events) < _MOST_EVENTS:
            self._events.append(text)
            self._on_event(text)
        else:
            self._further_events += 1

    def _require_plain_client(self) -> None:
        """Raise ConfigurationError for options of the client that cannot be taken to other processes."""
        options = sender_of(self._company).transport.options
        plain = {each.name: each.default for each in attrs.fields(type(options))}
        for name in ("ssl_context", "proxy", "transport", "http_client", "host_suffixes"):
            if getattr(options, name) != plain[name]:
                raise ConfigurationError(
                    f"workers cannot take {name} of the client; leave it out, and set proxies and "
                    "certificates in the environment of the workers"
                )

    def _setup(self, marker: str | None) -> Setup:
        call, client = self._company.options, sender_of(self._company).transport.options
        return Setup(
            job=self._journal.plan.job,
            run=self._journal.run,
            version=VERSION,
            operation=self._operation,
            company=self._company.name,
            marker=marker,
            deadline=self.options.deadline,
            settle=call.settle,
            attempts=call.retry.attempts,
            most_in_flight=self.options.in_flight,
            trusted_hosts=tuple(client.trusted_hosts or ()),
            check_request_ids=client.check_request_ids,
            folder=str(self._journal.folder.absolute()),
        )

    async def undelivered(self) -> Sequence[UndeliveredReport]:
        """Return the results that workers of earlier runs could not deliver."""
        return await self._pool.undelivered()

    async def forget_undelivered(self) -> None:
        """Let the pool forget them: the journal has them."""
        await self._pool.forget_undelivered()

    def run(self, claims: ClaimSource, *, grace: float) -> ClusterRun:
        """Return the run that sends the claims."""
        assert self._coordinator is not None  # noqa: S101 - after open
        if self._rate is None and self._company.rate is not None:
            # Not before: what the rows refer to is looked up and created while no worker sends anything.
            self._rate = self._company.rate
            self._company.set_rate(_own_rate(self._rate))
        return self._coordinator.run(claims, body_of, grace=grace)

    async def aclose(self) -> None:
        """End the workers."""
        coordinator, self._coordinator = self._coordinator, None
        try:
            if coordinator is not None:
                self.statistics = attrs.asdict(coordinator.statistics())
                await coordinator.__aexit__(None, None, None)
            with contextlib.suppress(JournalError):
                leases = await self._journal.open_leases()
                files = UndeliveredReader(self._journal.folder, self._journal.plan.job, self._journal.run)
                files.remove_unused([lease.worker for lease in leases])
        finally:
            if self._rate is not None:
                self._company.set_rate(self._rate)
                self._rate = None
