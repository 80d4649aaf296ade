"""Calls of a plan: their keys, their inputs, and the outcomes that the program observes."""

from __future__ import annotations

from typing import Any

import attrs

from tests.simulation.client.plan import CallScript, Plan, Step

MARKER = "work_order.po_number"


class ProgramError(Exception):
    """Error that a source or the body of a block raises."""


@attrs.define(eq=False, kw_only=True)
class CallOutcome:
    """Outcome of one call as the program sees it, with its times."""

    key: str
    step: Step
    kind: str
    """done, failed, in doubt, cancelled, not started"""
    started: float
    ended: float
    error: BaseException | None = None
    result: Any = None
    index: int = 0


@attrs.define(eq=False, kw_only=True)
class StepResult:
    """Result of a step that is a run of many calls, or a close of the client."""

    step: Step
    started: float
    ended: float
    error: BaseException | None = None
    source_raised: bool = False


def scripts_by_key(plan: Plan) -> dict[str, CallScript]:
    """Return the script of every call of a plan, by its key."""
    own = (step for step in plan.steps if step.same_keys is None)
    return {key_of(step, index): script for step in own for index, script in enumerate(step.scripts)}


def key_of(step: Step, index: int) -> str:
    """Return the key of a call; a read carries none and is recognized by its path."""
    if step.kind == "get":
        return f"/api/v1/base/Contact/{contact_id(step, index)}"
    return f"K{step.number if step.same_keys is None else step.same_keys}-{index}"


def contact_id(step: Step, index: int) -> int:
    """Return the Id of the contact that a call updates or reads."""
    return 5000 + 10 * step.number + index
