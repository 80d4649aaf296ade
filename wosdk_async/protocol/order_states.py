"""Ways on from the states of a work order, to explain why the service refused to move one.

Each Company sets up which state may follow which, so nothing is refused by this table. Texts of the service
may be in another language; then nothing is said.
"""
# facts 5.1

from __future__ import annotations

import re
from collections.abc import Mapping

import attrs

from wosdk_async.errors import BusinessRuleError, WosdkError

__all__ = ["MOVED_BY_COMMANDS", "OWN_MOVES", "WAYS_ON", "WayOn", "remedy_of"]

OWN_MOVES = "each Company sets up which state may follow which"
MOVED_BY_COMMANDS = (  # facts 10 row 4: an update that changes StatusId fails
    "commands move a work order from state to state, updates do not: company.work_orders has pick_up(), "
    "start(), hold(), resume(), complete() and cancel()"
)
_REFUSED = re.compile(r"in state '(\w+)' cannot be placed in the state '(\w+)'")


@attrs.frozen
class WayOn:
    """Actions that lead on from a state, by the names of ``company.work_orders``, and where they lead."""

    actions: tuple[str, ...]
    target: str | None = None
    """The state; None where no source shows it."""


WAYS_ON: Mapping[str, WayOn] = {
    "New": WayOn(("pick_up", "start"), "InProgress"),
    "Open": WayOn(("start",), "InProgress"),
    "Paused": WayOn(("resume",), "InProgress"),
    "OnHold": WayOn(("resume",), "InProgress"),
    "Completed": WayOn(("reopen",)),
    "Cancelled": WayOn(("reopen",)),
}
_WORDS = {
    "pick_up": "pick it up",
    "start": "start it",
    "resume": "resume and start it",
    "reopen": "WoReopenCommand reopens it",
}


def remedy_of(error: WosdkError) -> str:
    """Return how the order of a refused move goes on from its state; empty if the error is another one."""
    found = _REFUSED.search(error.message) if isinstance(error, BusinessRuleError) else None
    if found is None or found[1] == found[2] or found[1] not in WAYS_ON:
        return ""
    way = WAYS_ON[found[1]]
    steps = " and then ".join(_WORDS[action] for action in way.actions)
    leads = f"to get it from {found[1]} to {way.target}, {steps}" if way.target else steps
    return f"{leads}; {OWN_MOVES}"
