"""The workers of one run of an import: what they need to know, and their share of the rate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from wosdk_async.company import Company, sender_of
from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.clocks import boottime
from wosdk_async.jobs.cluster.cluster_run import ClaimSource, ClusterRun
from wosdk_async.jobs.cluster.coordinator import Coordinator
from wosdk_async.jobs.cluster.messages import Setup
from wosdk_async.jobs.cluster.options import ClusterOptions
from wosdk_async.jobs.cluster.pool import LeftReport, WorkerPool
from wosdk_async.jobs.cluster.row_bodies import body_of
from wosdk_async.jobs.cluster.sessions import ManagedSessions
from wosdk_async.jobs.journal import Journal
from wosdk_async.jobs.options import ImportOptions
from wosdk_async.version import VERSION

__all__ = ["JobWorkers", "cluster_options"]

_OWN_SHARE = 0.1  # of the rate, which the coordinator's own client keeps for look-ups
_LEAST_OWN = 0.5  # calls in a second that it keeps at least, unless that is more than half of all
_DEADLINE = 2 / 3  # of the lease, for a row when the Company has no deadline
_LEAST_AHEAD, _AHEAD = 1000, 8  # rows that are claimed ahead: at least, and for each call at a time


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

    From the first run on the Company's own calls, such as look-ups, keep a tenth of its rate; the workers
    have the rest.

    Args:
        pool: where they run.
        company: the Company of the records.
        journal: the journal of the job.
        operation: the name of what is done with each row.
        options: how the import is carried out.
    """

    def __init__(
        self, pool: WorkerPool, company: Company, journal: Journal, operation: str, options: ImportOptions
    ) -> None:
        self.options = cluster_options(options, company)
        self.ahead = max(_LEAST_AHEAD, _AHEAD * options.limit)
        """Rows that may be claimed ahead of the workers."""
        self._pool, self._company, self._journal, self._operation = pool, company, journal, operation
        self._rate: float | None = None
        self._coordinator: Coordinator | None = None
        self.statistics: dict[str, Any] = {}
        """What the workers did, as plain data; empty until they have ended."""

    async def open(self, marker: str | None) -> None:
        """Start the workers; ``marker`` is the field by which they look up calls in doubt.

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
            boottime=boottime,
        )
        try:
            await coordinator.__aenter__()
            self._coordinator = coordinator
        except BaseException:
            await self.aclose()
            raise

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

    async def left(self) -> Sequence[LeftReport]:
        """Return the results that workers of earlier runs could not deliver."""
        return await self._pool.leftovers()

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
        finally:
            if self._rate is not None:
                self._company.set_rate(self._rate)
                self._rate = None
