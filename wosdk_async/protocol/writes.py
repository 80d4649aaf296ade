"""States of a write, and the one rule by which a write in doubt is confirmed absent.

The service has no idempotency key (facts 5), so a write without a response is looked up, and repeated only if
it is confirmed absent. Calls with a marker, imports and the plans of agents ask this module.
"""

from __future__ import annotations

from enum import IntEnum

import attrs

__all__ = ["BETWEEN", "UNDECIDED", "LookUps", "State"]

BETWEEN = 0.25
"""Seconds between the two look-ups that have to find nothing."""

_EMPTY = 2  # look-ups that have to find nothing: one alone may have read the response of another


class State(IntEnum):
    """What is known of a write. Journals of imports keep the numbers, plans of agents the words."""

    PLANNED = 0
    """Nothing of it was sent, or it is confirmed absent. With a reason: the job ended before it."""
    SENDING = 1
    """It may have been sent, and no outcome is written yet."""
    DONE = 2
    """Created, updated, deleted or carried out."""
    REFUSED = 3
    """It had no effect: refused by the service, or before it was sent."""
    IN_DOUBT = 4
    """It was sent; whether it was carried out is unknown."""
    FOUND = 5
    """Its key existed before its first attempt, so it was not sent."""

    @property
    def word(self) -> str:
        """The name in files and results, such as ``in_doubt``."""
        return self.name.lower()


UNDECIDED = (State.SENDING, State.IN_DOUBT)
"""States of a write that may have taken effect: one that was SENDING when its process ended is in doubt."""


@attrs.frozen
class LookUps:
    """What look-ups have shown of a write in doubt, or of several that are looked up together.

    A record that is found decides at once. Nothing found counts only in a look-up that began after the settle
    time, and twice, :data:`BETWEEN` apart. A look-up that fails shows nothing, and is not added.
    """

    since: float
    """Now, by a monotonic clock of this process, once no request of the write is in flight any more. For one
    of an earlier process it is when this process took over: no other clock is believed."""
    settle: float
    """Seconds after ``since`` in which the effect may still appear."""
    state: State = State.IN_DOUBT
    """IN_DOUBT, DONE once a record was found, or PLANNED while the write is confirmed absent."""
    counts_from: float = attrs.field()
    """Time from which a look-up that finds nothing counts."""
    empty: int = 0
    """Look-ups that found nothing, and count."""

    @counts_from.default
    def _settled(self) -> float:
        return self.since + self.settle

    def after(self, began: float, ended: float, *, found: bool) -> LookUps:
        """Return what is known after one more look-up, which lasted from ``began`` to ``ended``."""
        if found:
            return attrs.evolve(self, state=State.DONE)
        if self.state is State.DONE or began < self.counts_from:
            return self
        empty = self.empty + 1
        state = State.PLANNED if empty >= _EMPTY else State.IN_DOUBT
        return attrs.evolve(self, state=state, empty=empty, counts_from=max(began, ended) + BETWEEN)
