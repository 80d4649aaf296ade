"""Plans and rows for the tests of journals."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wosdk_async.jobs.journal import JobPlan, RowEntry


def a_plan(**changes: Any) -> JobPlan:
    known = {
        "job": "abcd2345",
        "file": "/data/requests.csv",
        "size": 100,
        "sha256": "ab",
        "company": "acme",
        "operation": "WoCreateCommand",
        "map_sha256": "cd",
        "created_at": "2026-11-22T12:00:00+00:00",
    }
    return JobPlan(**known | changes)


def rows(number: int) -> Iterator[RowEntry]:
    """Entries 1 to ``number``, each with a key of its own."""
    return (RowEntry(row, row + 1, row * 7919, f"K-{row}") for row in range(1, number + 1))
