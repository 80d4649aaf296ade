"""Shares of the job's rate and concurrency: those of all workers never sum to more. No I/O.

A worker may use every share that it was sent since the one that it confirmed, as the message with the newest
may be lost. So each worker holds the largest of them, and a share grows only by what nobody holds.
"""

from __future__ import annotations

import attrs

from wosdk_async.jobs.cluster.messages import NO_SHARE, Share

__all__ = ["Budget"]

_NO_RATE = 1e-9  # calls in a second that are none, as floats do not sum up exactly


@attrs.define(eq=False)
class _Holder:
    """A worker with the shares that it may be using; the last one is the newest."""

    shares: list[Share]
    lost: bool = False
    """Whether it is lost: it keeps what it holds and gets no more."""

    @property
    def newest(self) -> Share:
        return self.shares[-1]

    @property
    def in_flight(self) -> int:
        return max(share.in_flight for share in self.shares)

    @property
    def rate(self) -> float:
        return max(share.rate or 0.0 for share in self.shares)


class Budget:
    """The rate and the calls at a time of a job, shared among its workers."""

    def __init__(self, rate: float | None, in_flight: int) -> None:
        self._rate, self._in_flight = rate, in_flight
        self._number = 0
        self._holders: dict[str, _Holder] = {}

    def workers(self) -> list[str]:
        """Return the workers that hold a share."""
        return list(self._holders)

    def share(self, worker: str) -> Share:
        """Return the share that holds for a worker now; one that changes nothing if it holds none."""
        holder = self._holders.get(worker)
        return holder.newest if holder is not None else NO_SHARE

    def add(self, worker: str) -> None:
        """Give a share to a worker that has none; it begins with nothing, and grows by what is free."""
        if worker not in self._holders:
            self._holders[worker] = _Holder([self._new_share(0.0, 0)])
            self._balance()

    def confirm(self, worker: str, number: int) -> None:
        """Note that a worker keeps to the share with this number, so that earlier ones hold no longer."""
        holder = self._holders[worker]
        if holder.shares[0].number < number <= holder.newest.number:
            holder.shares = [share for share in holder.shares if share.number >= number]
            self._balance()

    def lose(self, worker: str) -> None:
        """Note that a worker is lost: it may still send, so it keeps what it holds until :meth:`remove`."""
        if (holder := self._holders.get(worker)) is not None:
            holder.lost = True
            self._balance()

    def remove(self, worker: str) -> None:
        """Give the share of a worker that surely sends nothing any more to the others."""
        self._holders.pop(worker, None)
        self._balance()

    def _balance(self) -> None:
        """Bring all shares as near to equal ones as what the others hold allows."""
        free_calls, free_rate = self._unheld()
        for holder, calls, rate in self._targets():
            calls = min(calls, holder.in_flight + free_calls)
            rate = min(rate, holder.rate + free_rate)
            if not calls or (self._rate is not None and rate < _NO_RATE):
                calls, rate = 0, 0.0  # calls are of use only with a rate, a rate only with calls
            free_calls -= max(calls - holder.in_flight, 0)
            free_rate -= max(rate - holder.rate, 0.0)
            if calls != holder.newest.in_flight or abs(rate - (holder.newest.rate or 0.0)) > _NO_RATE:
                holder.shares.append(self._new_share(rate, calls))

    def _unheld(self) -> tuple[int, float]:
        """Return the calls and the rate that nobody holds."""
        holders = self._holders.values()
        calls = self._in_flight - sum(holder.in_flight for holder in holders)
        return max(calls, 0), max((self._rate or 0.0) - sum(holder.rate for holder in holders), 0.0)

    def _targets(self) -> list[tuple[_Holder, int, float]]:
        """Return the workers that stay, each with its equal part of what those that are lost do not hold."""
        lost = [holder for holder in self._holders.values() if holder.lost]
        stay = [holder for holder in self._holders.values() if not holder.lost]
        if not stay:
            return []
        each, more = divmod(max(self._in_flight - sum(holder.in_flight for holder in lost), 0), len(stay))
        calls = [each + (place < more) for place in range(len(stay))]
        rate = max((self._rate or 0.0) - sum(holder.rate for holder in lost), 0.0) / max(sum(calls), 1)
        return [(holder, number, number * rate) for holder, number in zip(stay, calls, strict=True)]

    def _new_share(self, rate: float, in_flight: int) -> Share:
        self._number += 1
        return Share(number=self._number, rate=None if self._rate is None else rate, in_flight=in_flight)
