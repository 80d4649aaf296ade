"""Limits at which an import stops by itself: failures, doubts, a wrong map, a service out of reach."""

from __future__ import annotations

import re

import attrs

from wosdk_async.jobs.options import ImportOptions
from wosdk_async.jobs.stop import Stop

__all__ = ["StopRules", "cause_of"]

ALIKE = 20
"""First rows that are refused for one reason, and rows in a row that could not be sent, before it stops."""

_VARIABLE = re.compile(r"'[^']*'|\"[^\"]*\"|\d+")


def cause_of(reason: str) -> str:
    """Return a reason without its values, which is the same for rows that are refused for one cause."""
    return _VARIABLE.sub("*", reason)


@attrs.define
class StopRules:
    """Counts the outcomes of rows, and stops the import at a limit."""

    options: ImportOptions
    rows: int
    stop: Stop = attrs.field(factory=Stop)
    failed: int = 0
    doubted: int = 0
    _ended: int = 0
    _unsent: int = 0
    _shared: frozenset[str] = frozenset()
    """Faults that all rows had until now; a row can have several."""

    def done(self) -> None:
        """Count a row that was carried out."""
        self._ended += 1
        self._shared = frozenset()
        self._unsent = 0

    def refused(self, reason: str) -> None:
        """Count a row that was refused, here or by the service."""
        self._fail()
        faults = frozenset(cause_of(reason).split("; "))
        self._shared = faults if self._ended == 1 else self._shared & faults
        if self._ended == ALIKE <= self.rows and self._shared:
            self.stop.start_no_more(f"the first {ALIKE} rows were all refused for one reason: {reason}")
        self._unsent = 0

    def unsent(self, reason: str) -> None:
        """Count a row that could not be sent."""
        self._fail()
        self._shared = frozenset()
        self._unsent += 1
        if self._unsent == ALIKE:
            self.stop.start_no_more(f"{ALIKE} rows in a row could not be sent: {reason}")

    def in_doubt(self) -> None:
        """Count a row that may have been carried out."""
        self._ended += 1
        self._shared = frozenset()
        self._unsent = 0
        self.doubted += 1
        limit = self.options.stop_after_doubt
        if limit is not None and self.doubted >= limit:
            text = f"{self.doubted} rows are in doubt, the limit is {limit} (--stop-after-doubt)"
            self.stop.start_no_more(text)

    def _fail(self) -> None:
        self._ended += 1
        self.failed += 1
        limit = self.options.stop_after
        if limit is not None and self.failed >= limit.rows(self.rows):
            rows = "1 row has" if self.failed == 1 else f"{self.failed} rows have"
            self.stop.start_no_more(f"{rows} failed, the limit is {limit} (--stop-after)")
