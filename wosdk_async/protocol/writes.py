"""Write states, and the one rule that confirms a write in doubt as absent.

The service has no idempotency key (facts 5). A write without a response is therefore looked up, and repeated
only if confirmed absent. Marked calls, imports and agent plans share this rule.
"""

from __future__ import annotations

from enum import IntEnum

import attrs

__all__ = ["BETWEEN", "UNDECIDED", "LookUps", "State"]

BETWEEN = 0.25
"""Seconds between the two look-ups that must find nothing."""

_EMPTY = 2  # look-ups that must find nothing: a single one may have read another call's response


class State(IntEnum):
    """State of a write. Import journals store the numbers, agent plans the words."""

    PLANNED = 0
    """Never sent, or confirmed absent. With a reason, the job ended first."""
    SENDING = 1
    """Possibly sent, with no recorded outcome yet."""
    DONE = 2
    """Created, updated, deleted or carried out."""
    REFUSED = 3
    """Had no effect: refused by the service, or before it was sent."""
    IN_DOUBT = 4
    """Sent, without knowing whether it was carried out."""
    FOUND = 5
    """Not sent, because a record with its key already existed before the first attempt."""

    @property
    def word(self) -> str:
        """Name in files and results, such as ``in_doubt``."""
        return self.name.lower()


UNDECIDED = (State.SENDING, State.IN_DOUBT)
"""States of a write that may have taken effect. A write left in SENDING by an ended process is in doubt."""


@attrs.frozen
class LookUps:
    """Look-up results for one write in doubt, or for several that are looked up together.

    A found record decides at once. Finding nothing counts only in look-ups that began after the settle time,
    and only twice, :data:`BETWEEN` apart. Failed look-ups prove nothing and are not added.
    """

    since: float
    """Monotonic time of this process at which no request of the write was in flight any more. For a write of
    an earlier process, the time of the takeover, because no other clock can be trusted.
    """
    settle: float
    """Seconds after ``since`` in which the effect may still appear."""
    state: State = State.IN_DOUBT
    """IN_DOUBT; DONE once a record was found; or PLANNED while the write is confirmed absent."""
    counts_from: float = attrs.field()
    """Time from which an empty look-up counts."""
    empty: int = 0
    """Number of empty look-ups that count."""

    @counts_from.default
    def _settled(self) -> float:
        return self.since + self.settle

    def after(self, began: float, ended: float, *, found: bool) -> LookUps:
        """Return the state after another look-up, which lasted from ``began`` to ``ended``."""
        if found:
            return attrs.evolve(self, state=State.DONE)
        if self.state is State.DONE or began < self.counts_from:
            return self
        empty = self.empty + 1
        state = State.PLANNED if empty >= _EMPTY else State.IN_DOUBT
        return attrs.evolve(self, state=state, empty=empty, counts_from=max(began, ended) + BETWEEN)
