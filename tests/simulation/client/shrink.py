"""Search for a smaller plan that fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import attrs

from tests.simulation.client.plan import Plan

_KEPT = {"seed", "kind", "number", "marker", "look_first", "same_keys", "settle", "beyond_settle"}
"""Fields that are kept, because the plan would mean something else without them."""


def shrink_plan(plan: Plan, fails: Callable[[Plan], bool], most: int = 2000) -> Plan:
    """Return ``plan`` without the parts that it does not need to fail, after at most ``most`` tries."""
    tries = 0
    progress = True
    while progress:
        progress = False
        for smaller in _smaller(plan):
            tries += 1
            if tries > most:
                return plan
            if smaller != plan and fails(smaller):
                plan, progress = smaller, True
                break
    return plan


def _smaller(part: Any) -> Iterator[Any]:
    """Yield variants of a plan, or of a part, that lack a little; the largest omissions come first."""
    fields = [field for field in attrs.fields(type(part)) if field.name not in _KEPT]
    for field in fields:
        value = getattr(part, field.name)
        if value != field.default:
            yield attrs.evolve(part, **{field.name: field.default})
    for field in fields:
        value = getattr(part, field.name)
        if isinstance(value, tuple):
            least = 1 if field.name == "scripts" else 0
            for changed in _shorter(value, least):
                yield attrs.evolve(part, **{field.name: changed})
        elif attrs.has(type(value)):
            for changed in _smaller(value):
                yield attrs.evolve(part, **{field.name: changed})
        elif isinstance(value, float) and value != round(value, 1):
            yield attrs.evolve(part, **{field.name: round(value, 1)})


def _shorter(parts: tuple[Any, ...], least: int) -> Iterator[tuple[Any, ...]]:
    half = len(parts) // 2
    if half > 1 and half >= least:
        yield parts[:half]
        yield parts[half:]
    if len(parts) > least:
        for index in range(len(parts)):
            yield parts[:index] + parts[index + 1 :]
    for index, part in enumerate(parts):
        for changed in _smaller(part):
            yield (*parts[:index], changed, *parts[index + 1 :])
