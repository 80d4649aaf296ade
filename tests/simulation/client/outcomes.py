"""Calls of a plan: keys, inputs, and the outcomes that the program observes."""

from __future__ import annotations

from typing import Any

import attrs

from tests.simulation.client.plan import CallScript, Plan, Step

MARKER = "work_order.po_number"


class ProgramError(Exception):
    """Error raised by a source or by the body of a block."""


@attrs.define(eq=False, kw_only=True)
class CallOutcome:
    key: str
    step: Step
    kind: str
    """One of "done", "failed", "in doubt", "cancelled", "not started"."""
    started: float
    ended: float
    error: BaseException | None = None
    result: Any = None
    index: int = 0


@attrs.define(eq=False, kw_only=True)
class StepResult:
    """Result of a ``run_many`` step, or of closing the client."""

    step: Step
    started: float
    ended: float
    error: BaseException | None = None
    source_raised: bool = False


def scripts_by_key(plan: Plan) -> dict[str, CallScript]:
    own = (step for step in plan.steps if step.same_keys is None)
    return {key_of(step, index): script for step in own for index, script in enumerate(step.scripts)}


def key_of(step: Step, index: int) -> str:
    """Return a call's key. A read has no key field, so its path is the key."""
    if step.kind == "get":
        return f"/api/v1/base/Contact/{contact_id(step, index)}"
    return f"K{step.number if step.same_keys is None else step.same_keys}-{index}"


def contact_id(step: Step, index: int) -> int:
    return 5000 + 10 * step.number + index
