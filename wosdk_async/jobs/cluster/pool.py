"""Where the workers of a job run: what a coordinator needs of processes on this machine, or of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import attrs

from wosdk_async.jobs.cluster.messages import Order, Report, RowReport, Setup

__all__ = ["LeftReport", "WorkerLink", "WorkerPool"]


class WorkerLink(Protocol):
    """One worker, as the coordinator reaches it."""

    @property
    def name(self) -> str:
        """Text for people, such as ``process 4711`` or ``tls://10.0.0.3:4122``."""

    async def exchange(self, order: Order) -> Report:
        """Deliver an order and return the report.

        An exchange that is cancelled or fails may have been delivered; the caller repeats it.

        Raises:
            WorkerLostError: the worker can no longer be reached; ``ended`` says that its process has surely
                ended. Every other exception is taken for a passing trouble.
        """

    async def aclose(self) -> None:
        """Give up the worker."""


@attrs.frozen
class LeftReport:
    """A result that a worker of an earlier run could not deliver."""

    run: int
    """Number of that run."""
    worker: str
    """The nonce of the worker."""
    report: RowReport


class WorkerPool(Protocol):
    """Where workers run. It starts them; nothing of the guarantees rests on it."""

    @property
    def name(self) -> str:
        """Text for people, such as ``3 processes``."""

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Start workers for a job, and call ``joined`` with each one, now and later.

        ``broken`` is called at most once, when no worker is left and no further one will come; its text says
        why, and what to do.

        Raises:
            ConfigurationError: workers cannot be started, or would repeat work; the message says what to do.
        """

    async def leftovers(self) -> Sequence[LeftReport]:
        """Return the results that workers of earlier runs could not deliver.

        Asked after ``open``, and once more when their leases have ended: a result may come twice.
        They are forgotten when the pool is closed: by then the journal is to have them.
        """

    async def aclose(self) -> None:
        """End all workers."""
