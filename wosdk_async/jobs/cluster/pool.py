"""Where the workers of a job run: what a coordinator needs of processes on this machine, or of a cluster.

A worker that loses its coordinator keeps its undelivered results, which nobody has confirmed, for the next
run. There are two ways:

* Its pool keeps them, and returns them from :meth:`WorkerPool.undelivered`: workers of other machines.
* It writes them into an ``UndeliveredFile`` in the folder of the job, ``Setup.folder``: processes of this
  machine. ``UndeliveredReader`` reads that folder however the job goes on, so their pool returns nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

import attrs

from wosdk_async.errors import InvalidCallError
from wosdk_async.jobs.cluster.messages import Order, Report, RowReport, Setup

__all__ = ["UndeliveredReport", "UndeliveredSource", "WorkerLink", "WorkerPool", "require_pool"]


class WorkerLink(Protocol):
    """One worker, as the coordinator reaches it."""

    @property
    def name(self) -> str:
        """Text for people, such as ``process 4711`` or ``tls://10.0.0.3:4122``."""

    async def exchange(self, order: Order) -> Report:
        """Deliver an order and return the report.

        The next one begins when this one has returned, failed or been cancelled. After the latter two it
        may have been delivered, also later: the caller repeats it, and a worker may obey both at a time.

        Raises:
            WorkerLostError: the worker can no longer be reached. Set ``ended`` only if the system of the
                worker's own machine said that its process has ended, as ``wait`` does for a child: its rows
                are then looked up, and sent again, at once. A connection that broke, the end of ``ssh`` or
                silence say nothing of the process: without ``ended`` the lease is waited for. Every other
                exception is taken for a passing trouble.
        """

    async def aclose(self) -> None:
        """Give up the worker, without waiting for its end."""


@attrs.frozen
class UndeliveredReport:
    """A result that a worker of an earlier run could not deliver."""

    run: int
    """Number of that run."""
    worker: str
    """The nonce of the worker."""
    report: RowReport


class UndeliveredSource(Protocol):
    """Where results are that workers of earlier runs could not deliver."""

    async def undelivered(self) -> Sequence[UndeliveredReport]:
        """Return the results that are kept here, again and again until :meth:`forget_undelivered`."""

    async def forget_undelivered(self) -> None:
        """Forget what :meth:`undelivered` returned: the journal has it on the disk."""


@runtime_checkable
class WorkerPool(UndeliveredSource, Protocol):
    """Where workers run. It starts them; nothing of the guarantees rests on it.

    :meth:`undelivered` is asked after :meth:`open`, and once more when the leases of earlier runs have ended.
    Only :meth:`forget_undelivered` makes the pool forget them; :meth:`aclose` does not.
    """

    @property
    def name(self) -> str:
        """Text for people, such as ``3 processes``."""

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Start workers for a job, and call ``joined`` with each one, now and later.

        Workers of other machines get ``setup`` without its ``folder``, which is one of this machine.

        ``broken`` is called at most once, when there is no worker any more, and none will come; its text
        says why, and what to do.

        Raises:
            ConfigurationError: workers cannot be started, or would repeat work; the message says what to do.
        """

    async def aclose(self, grace: float) -> None:
        """End all workers: calls under way get ``grace`` seconds, then they are ended by force."""


def require_pool(workers: object) -> None:
    """Raise InvalidCallError unless ``workers`` is a pool, or None."""
    if workers is not None and (isinstance(workers, type) or not isinstance(workers, WorkerPool)):
        raise InvalidCallError(f"workers={workers!r} is not a pool of workers; write workers=Processes(4)")
