"""Rows that wait for a worker, and which of them are granted together. No I/O.

A row may kill its worker: its record is too large, or meets a fault of a library. So a row that was lost with
a worker is granted again in a small lease beside which the worker has nothing else, and after a second loss
alone. Not alone at once: when somebody kills workers, hundreds of innocent rows are lost at a time, and each
alone would take long. A row that was lost alone is not sent again.
"""

from __future__ import annotations

from collections import deque

from wosdk_async.jobs.cluster.leases import Batch, RowToSend

__all__ = ["WaitingRows"]

_FEW = 8  # rows of a lease that were lost once
_CHARACTERS = 4_000_000  # of the rows of a lease, so that its message can be sent in one piece


class WaitingRows:
    """Rows that wait, in the order in which they came; those that were lost before come first."""

    def __init__(self) -> None:
        self._new: deque[RowToSend] = deque()
        self._lost_once: deque[RowToSend] = deque()
        self._lost_again: deque[RowToSend] = deque()

    def __len__(self) -> int:
        return len(self._new) + len(self._lost_once) + len(self._lost_again)

    def put(self, row: RowToSend) -> None:
        """Let a row wait."""
        self._queue_of(row).append(row)

    def put_back(self, row: RowToSend) -> None:
        """Let a row wait again that was not sent: before the others."""
        self._queue_of(row).appendleft(row)

    def next_batch(self, most: int, *, idle: bool) -> Batch | None:
        """Return rows for one worker, or None when it gets none now.

        Args:
            most: most rows that were never lost.
            idle: whether it has no lease. While rows wait that were lost before, others get nothing, so that
                they are idle soon.
        """
        if self._lost_again or self._lost_once:
            if not idle:
                return None
            if self._lost_again:
                return Batch([self._lost_again.popleft()], careful=True, alone=True)
            return Batch(_first(self._lost_once, _FEW), careful=True)
        rows = _first(self._new, most)
        return Batch(rows) if rows else None

    def clear(self) -> list[RowToSend]:
        """Remove and return all rows."""
        rows = [*self._lost_again, *self._lost_once, *self._new]
        for queue in (self._lost_again, self._lost_once, self._new):
            queue.clear()
        return rows

    def _queue_of(self, row: RowToSend) -> deque[RowToSend]:
        if not row.loss.leases:
            return self._new
        return self._lost_once if row.loss.leases == 1 else self._lost_again


def _first(queue: deque[RowToSend], most: int) -> list[RowToSend]:
    rows: list[RowToSend] = []
    characters = 0
    while queue and len(rows) < most:
        characters += len(queue[0].body)
        if rows and characters > _CHARACTERS:
            break
        rows.append(queue.popleft())
    return rows
