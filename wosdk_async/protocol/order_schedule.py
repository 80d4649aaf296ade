"""Fields of a new work order that the service replaces when it computes the schedule."""

from __future__ import annotations

from collections.abc import Container

__all__ = ["DUE_TIMES", "SCHEDULE", "replaced_fields"]

DUE_TIMES = ("DtDue", "DueDateUtc")

SCHEDULE = (  # facts 5, Creation traps: with ComputeSchedule all of them are set
    *DUE_TIMES,
    "DtAcknowledgeBy",
    "AcknowledgeByUtc",
    "DtOnSiteBy",
    "DtUtcOnSiteBy",
    "Priority",
)


def replaced_fields(given: Container[str]) -> list[str]:
    """Return those of the given fields, by their names of the service, that ComputeSchedule would replace."""
    return [name for name in SCHEDULE if name in given]
