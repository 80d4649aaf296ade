"""What a coordinator writes down of its grants. The journal implements it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Protocol

import attrs

from wosdk_async.jobs.cluster.messages import RowReport

__all__ = ["NEVER_LOST", "GrantLedger", "GrantRecord", "Loss"]


@attrs.frozen(kw_only=True)
class GrantRecord:
    """A grant, as it is written before it may be sent.

    Args:
        epoch: its number; they rise over all runs of a job.
        run: number of the run that granted it.
        worker: the nonce of the worker.
        rows: numbers of the rows.
        rate: the worker's share of the rate then; None for no limit.
        in_flight: the worker's share of the calls at a time then.
        granted_at: Unix time, for people; it decides nothing.
        seconds: time from now after which surely nothing is sent under it (``ClusterOptions.surely_over``).
    """

    epoch: int
    run: int
    worker: str
    rows: tuple[int, ...]
    rate: float | None
    in_flight: int
    granted_at: float
    seconds: float


@attrs.frozen
class Loss:
    """Leases in which a row was lost with its worker, in all runs; ``alone``: it was granted alone in one."""

    leases: int = 0
    alone: bool = False


NEVER_LOST = Loss()


class GrantLedger(Protocol):
    """Grants, lost leases and late reports of a job, kept over all its runs.

    What is not awaited never raises: when it cannot be written, the next grant raises.
    """

    async def last_epoch(self) -> int:
        """Return the highest epoch of all runs, 0 when nothing was granted."""

    async def grant(self, record: GrantRecord) -> None:
        """Write a grant; it is on the disk when this returns.

        Raises:
            JournalError: it could not be written, so it must not be sent.
        """

    def end_grant(self, epoch: int, *, lost: Sequence[int] = (), alone: bool = False) -> None:
        """Note that a grant has ended, and the rows that were lost with it; written soon after.

        ``alone`` says that its row was granted alone, because it had been lost before.
        """

    async def losses(self, rows: Collection[int]) -> Mapping[int, Loss]:
        """Return what was lost before of these rows; a row that never was may be left out.

        What :meth:`end_grant` was given counts at once. It is asked for every batch of rows, so it has to be
        quick while nothing was lost.
        """

    def keep_late_report(self, epoch: int, worker: str, report: RowReport) -> None:
        """Keep a report that came too late to count; written soon after."""
