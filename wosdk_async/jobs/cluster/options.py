"""Options of a job on many workers: each one is written here once, with its unit and default."""

from __future__ import annotations

import attrs

from wosdk_async.errors import ConfigurationError
from wosdk_async.option_checks import names_checked, number

__all__ = ["ClusterOptions"]


@names_checked
@attrs.frozen(kw_only=True)
class ClusterOptions:
    """How rows are granted to workers. Raises ConfigurationError for a value that does not fit."""

    lease: float = number(30.0, "seconds above 0", above=True)
    """Seconds for which a worker may send the rows of one grant, from its last report before the grant."""
    deadline: float = number(20.0, "seconds above 0", above=True)
    """Seconds that one row may take, look-ups and further attempts included; less than ``lease``."""
    skew: float = number(1.0, "seconds, 0 or more")
    """Seconds that a lost lease is waited for beyond its end, as clocks do not run alike."""
    rows_per_grant: int = number(500, "a number of rows, 1 or more", low=1, whole=True)
    """Most rows of one grant; it decides how many rows are fetched ahead, too: see :attr:`fetched_ahead`."""
    rate: float | None = number(None, "calls in a second, above 0", above=True, none=True)
    """Most calls in a second, of all workers together; None for no limit."""
    in_flight: int = number(32, "a number of calls, 1 or more", low=1, whole=True)
    """Most calls at a time, of all workers together."""
    no_worker: float = number(60.0, "seconds, 0 or more")
    """Seconds without any worker after which the run ends with an error."""

    def __attrs_post_init__(self) -> None:
        """Refuse a lease in which no row could start."""
        if self.deadline >= self.lease:
            raise ConfigurationError(
                f"deadline is {self.deadline} s and lease {self.lease} s: no row could start, as a row may "
                "take as long as the deadline; make the lease longer"
            )

    @property
    def fetched_ahead(self) -> int:
        """Rows that a run fetches before a worker asks for them: those of two full grants."""
        return 2 * self.rows_per_grant

    @property
    def surely_over(self) -> float:
        """Seconds after which surely nothing is sent under a lease that begins now, wherever its worker is.

        A row is started only if it can end within the lease. But when its worker stands still meanwhile, its
        request may be sent at the very end of the lease; from then on it has until the deadline.
        """
        return self.lease + self.deadline + self.skew
