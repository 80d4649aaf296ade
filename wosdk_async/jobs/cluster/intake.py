"""Intake of a run: claims become rows that wait for a worker, as many as are needed."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable, Collection, Mapping
from typing import Any, Protocol

from wosdk_async.jobs.cluster.leases import RowToSend
from wosdk_async.jobs.cluster.ledger import Loss
from wosdk_async.jobs.cluster.outcomes import RowEnd, killed_its_workers, not_started, too_long
from wosdk_async.jobs.cluster.waiting import WaitingRows
from wosdk_async.outcome import Failed, NotStarted

__all__ = ["ClaimSource", "Intake"]

_TURN = 25  # claims that are fetched before the event loop gets a turn
_LONGEST_BODY = 8_000_000  # characters of a row, which are at most 32 MB of a message


class ClaimSource(Protocol):
    """Claims, such as those of :class:`~wosdk_async.jobs.claims.Claims`.

    A claim has ``row.number``, ``record``, and ``started``, the event loop's time at which its call began.
    """

    async def __anext__(self) -> Any:
        """Return the next claim; a call that is cancelled loses none."""

    def at_hand(self) -> Any | None:
        """Return the next claim, or None when it has to be waited for."""


class Intake:
    """Fetches claims, and lets each row wait as the leases demand in which it was lost before.

    A claim that no worker gets has its outcome from here: one that cannot be encoded, one that was lost
    alone, and all after :meth:`stop`.

    Args:
        claims: the rows.
        encode: returns the JSON of the record of a claim.
        losses: returns the leases in which each row was lost before.
        waiting: where the rows wait.
        ended: called with each outcome.
    """

    def __init__(
        self,
        claims: ClaimSource,
        encode: Callable[[Any], str],
        losses: Callable[[Collection[int]], Awaitable[Mapping[int, Loss]]],
        waiting: WaitingRows,
        ended: Callable[[RowEnd], None],
    ) -> None:
        self._claims, self._encode, self._losses = claims, encode, losses
        self._waiting, self._ended = waiting, ended
        self._fetched: deque[RowToSend] = deque()
        """Rows of which is not known yet how often they were lost."""
        self._count = 0
        self._stopped = False

    def __len__(self) -> int:
        return len(self._fetched)

    def stop(self) -> None:
        """Let no row wait any more: claims that are still fetched were not started."""
        self._stopped = True

    async def fetch_some(self) -> None:
        """Fetch a claim, with those that are at hand.

        Raises:
            StopAsyncIteration: there is none left.
        """
        self._enter(await anext(self._claims))
        while len(self._fetched) < _TURN and (claim := self._claims.at_hand()) is not None:
            self._enter(claim)
        losses = await self._losses([row.number for row in self._fetched])
        while self._fetched:
            self._queue(self._fetched.popleft(), losses)

    def end_fetched(self) -> None:
        """End the rows that were fetched and do not wait yet: they were not started."""
        while self._fetched:
            self._ended(not_started(self._fetched.popleft()))

    def _enter(self, claim: Any) -> None:
        index, self._count = self._count, self._count + 1
        if self._stopped:
            self._ended(NotStarted(index, claim))
            return
        try:
            body = self._encode(claim.record)
        except Exception as error:  # of one row: the others can be sent
            self._ended(Failed(index, claim, error))
            return
        if len(body) > _LONGEST_BODY:
            self._ended(too_long(index, claim, len(body), _LONGEST_BODY))
        else:
            self._fetched.append(RowToSend(index, claim.row.number, claim, body))

    def _queue(self, row: RowToSend, losses: Mapping[int, Loss]) -> None:
        row.loss = losses.get(row.number, row.loss)
        if row.loss.alone:
            self._ended(killed_its_workers(row))
        elif self._stopped:  # meanwhile
            self._ended(not_started(row))
        else:
            self._waiting.put(row)
