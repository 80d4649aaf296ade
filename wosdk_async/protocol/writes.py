"""States of a write, and the rule for when a write in doubt is confirmed absent.

The service has no idempotency key (facts 5). After a write without a response, the client looks up its
record, and repeats the write only if the record is absent. Marked calls, imports and plans share this rule.
"""

from __future__ import annotations

from enum import IntEnum

import attrs
import msgspec

BETWEEN = 0.25
"""Seconds between the two look-ups that must find nothing."""

_EMPTY = 2  # look-ups that must find nothing: one could have received another call's response by mistake


class State(IntEnum):
    """State of a write. Import journals store the numbers; agent plans store the words."""

    PLANNED = 0
    """Never sent, or confirmed absent. A recorded reason tells why the job ended before it sent the write.
    """
    SENDING = 1
    """Possibly sent, with no recorded outcome yet."""
    DONE = 2
    """Created, updated, deleted or carried out."""
    REFUSED = 3
    """Had no effect: refused by the service, or failed before it was sent."""
    IN_DOUBT = 4
    """Sent, but it is unknown whether it was carried out."""
    FOUND = 5
    """Not sent, because a record with the write's key already existed before the first attempt."""

    @property
    def word(self) -> str:
        """Name in files and results, such as ``in_doubt``."""
        return self.name.lower()


UNDECIDED = (State.SENDING, State.IN_DOUBT)
"""States of a write that may have taken effect. A write that a terminated process left in SENDING is in
doubt."""


class Effect(msgspec.Struct):
    """Record that a write created or changed, according to the response."""

    entity: str = ""
    id: int | None = None
    number: str | None = None
    version: int | None = None


@attrs.frozen
class LookUps:
    """Look-up results for one write in doubt, or for several that are looked up together.

    A found record is conclusive. Confirming absence takes two empty look-ups, :data:`BETWEEN` seconds apart,
    that began after the settle time. Failed look-ups prove nothing and are not counted.
    """

    since: float
    """Time on this process's monotonic clock after which none of the write's requests was in flight. For a
    write by an earlier process, the time of the takeover, because no other clock can be trusted.
    """
    settle: float
    """Seconds after ``since`` during which the effect may still appear."""
    state: State = State.IN_DOUBT
    """IN_DOUBT; PLANNED once confirmed absent; DONE once a record has been found, even after PLANNED."""
    counts_from: float = attrs.field()
    """Time from which an empty look-up counts."""
    empty: int = 0
    """Number of empty look-ups counted so far."""

    @counts_from.default
    def _settled(self) -> float:
        return self.since + self.settle

    def after(self, began: float, ended: float, *, found: bool) -> LookUps:
        """Return the results after another look-up, which lasted from ``began`` to ``ended``."""
        if found:
            return attrs.evolve(self, state=State.DONE)
        if self.state is State.DONE or began < self.counts_from:
            return self
        empty = self.empty + 1
        state = State.PLANNED if empty >= _EMPTY else State.IN_DOUBT
        return attrs.evolve(self, state=state, empty=empty, counts_from=max(began, ended) + BETWEEN)
