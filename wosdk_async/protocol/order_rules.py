"""Work order rules for warnings and remedies: state transitions, and fields that the service replaces.

Each Company configures its own transitions, so these rules never refuse a transition. Only English service
messages are recognized.
"""
# facts 5.1

from __future__ import annotations

import re
from collections.abc import Container, Mapping
from typing import Any

import attrs

from wosdk_async.errors import BusinessRuleError
from wosdk_async.text.remedies import Remedy, in_python

OWN_MOVES = "each Company configures its state transitions"
_REFUSED = re.compile(r"in state '(\w+)' cannot be placed in the state '(\w+)'")


@attrs.frozen
class NextStep:
    """Methods of ``company.work_orders`` to call in this order, and the state they lead to."""

    actions: tuple[str, ...]
    target: str | None = None
    """The resulting state; None if no source shows it."""


NEXT_STEPS: Mapping[str, NextStep] = {
    "New": NextStep(("pick_up", "start"), "InProgress"),
    "Open": NextStep(("start",), "InProgress"),
    "Paused": NextStep(("resume",), "InProgress"),
    "OnHold": NextStep(("resume",), "InProgress"),
    "Completed": NextStep(("reopen",)),
    "Cancelled": NextStep(("reopen",)),
}


@attrs.frozen
class Move:
    """Target state of a command, and the source states known or assumed to allow it."""

    target: str
    sources: frozenset[str]


def _move(target: str, *sources: str) -> Move:
    return Move(target, frozenset(sources))


# facts 5.1. Not shown; assumed: any active order can be put on hold or cancelled, a Paused order can be
# started, and an OnHold or Completed order can be reopened.
MOVES: Mapping[str, Move] = {
    "WoPickUpCommand": _move("Open", "New"),
    "WoStartCommand": _move("InProgress", "Open", "Paused"),
    "WoPauseCommand": _move("Paused", "InProgress"),
    "WoOnHoldCommand": _move("OnHold", "New", "Open", "InProgress", "Paused"),
    "WoCancelCommand": _move("Cancelled", "New", "Open", "InProgress", "Paused", "OnHold"),
    "WoCompleteCommand": _move("Completed", "InProgress"),
    "WoReopenCommand": _move("New", "Cancelled", "Completed", "Paused", "OnHold"),
}
"""Moves by command name."""

_STATES = frozenset(state for move in MOVES.values() for state in (move.target, *move.sources))
_WORDS = {
    "pick_up": "pick it up",
    "start": "start it",
    "resume": "resume and start it",
}


def remedy_of(error: BusinessRuleError, otherwise: Remedy | None) -> dict[str, Any]:
    """Return facts to add to the error: the order's next step if known, else the remedy ``otherwise``."""
    found = _REFUSED.search(error.message)
    known = next_step(found[1], found[2]) if found is not None else {}
    return known or ({} if otherwise is None else {"remedies": (otherwise,)})


def warning_of_move(command: str, state: object) -> str:
    """Return a warning if the service may refuse a command on an order in ``state``, else an empty string.

    Commands that do not change the state, and unknown states, yield no warning.
    """
    move = MOVES.get(command)
    if move is None or not isinstance(state, str) or state not in _STATES or state in move.sources:
        return ""
    if state == move.target:
        said = f"The order is already in state '{state}'"
    else:
        said = f"{command} is not known to move an order from state '{state}' to '{move.target}'"
    facts = next_step(state, move.target)
    remedy = in_python(facts["remedies"][0], facts) if facts else OWN_MOVES
    return f"{said}: the service may refuse the command; {remedy}"


def next_step(state: str, target: str) -> dict[str, Any]:
    """Return the facts about the next step from ``state``; empty if ``state`` is the target or unknown."""
    if state == target or state not in NEXT_STEPS:
        return {}
    step = NEXT_STEPS[state]
    if step.target is None:
        return {"remedies": (Remedy.REOPEN,)}
    steps = " and then ".join(_WORDS[action] for action in step.actions)
    return {"remedies": (Remedy.MOVE_ON,), "state": state, "target": step.target, "steps": steps}


# --- new work orders: fields that the service replaces when it computes the schedule -------------------

DUE_TIMES = ("DtDue", "DueDateUtc")

_SCHEDULE = (  # facts 5, Creation traps: with ComputeSchedule, the service sets all of these
    *DUE_TIMES,
    "DtAcknowledgeBy",
    "AcknowledgeByUtc",
    "DtOnSiteBy",
    "DtUtcOnSiteBy",
    "Priority",
)


def replaced_fields(given: Container[str]) -> list[str]:
    """Return the given wire names whose values ``ComputeSchedule`` would replace."""
    return [name for name in _SCHEDULE if name in given]
