"""All workers that respond: what each report of them changes, and what it means that one is lost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from wosdk_async.jobs.cluster.budget import Budget
from wosdk_async.jobs.cluster.granting import Granting
from wosdk_async.jobs.cluster.messages import Report, RowReport, WorkerLostError
from wosdk_async.jobs.cluster.reached_worker import ReachedWorker
from wosdk_async.jobs.cluster.sessions import SessionPusher

__all__ = ["WorkerGroup"]

_SILENT = 5.0  # seconds without a word after which a worker without leases gives up its share


class WorkerGroup:
    """Workers of a job, with their leases, shares and sessions.

    Args:
        granting: grants rows, and has the leases.
        budget: has the shares.
        sessions: has the session of the Company.
        looked_up: whether rows that were lost are looked up, so that they are not in doubt for good.
        now: the clock of leases.
        failed: called with an error that concerns all rows.
        on_event: called with a text for people when a worker is lost, or cannot be used.
    """

    def __init__(
        self,
        granting: Granting,
        budget: Budget,
        sessions: SessionPusher,
        *,
        looked_up: bool,
        now: Callable[[], float],
        failed: Callable[[Exception], None],
        on_event: Callable[[str], None],
    ) -> None:
        self.granting, self.budget, self.sessions = granting, budget, sessions
        self.now, self.failed = now, failed
        self._looked_up, self._on_event = looked_up, on_event
        self.closing = False
        """Whether conversations end as soon as all is said."""
        self.heard = now()
        """When a worker was last heard."""
        self._stuck_since: float | None = None
        """When a row was given back, and none ended since."""
        self.lost = 0
        """Workers that could no longer be reached."""
        self._workers: dict[str, ReachedWorker] = {}
        self._nonces: set[str] = set()
        """Of all workers there were: one that was lost does not come back."""

    def __len__(self) -> int:
        return len(self._workers)

    @property
    def stuck_for(self) -> float:
        """Seconds for which all rows were given back; 0 while some end, or a session is being opened."""
        return self.now() - self._stuck_since if self._stuck_since is not None else 0.0

    @property
    def joined(self) -> int:
        """How many workers have responded so far."""
        return len(self._nonces)

    # --- reports ------------------------------------------------------------------------------

    def enter(self, nonce: str, name: str) -> ReachedWorker:
        """Return a new worker, which responds for the first time.

        Raises:
            WorkerLostError: there was one with this nonce already.
        """
        if nonce in self._nonces:
            raise WorkerLostError("a worker that was lost, or that is reached in another way")
        self._nonces.add(nonce)
        worker = self._workers[nonce] = ReachedWorker(nonce, name, self.now())
        return worker

    def receive(self, worker: ReachedWorker, report: Report) -> None:
        """Receive a report of a worker that was made by it now, or not long ago."""
        now = self.now()
        results = worker.receive(report, now)
        if self.granting.receive_results(worker, results, now):
            self._on_event(
                f"worker {worker.name} gives back its rows as not sent, so it gets few from now on"
            )
        self.heard = now
        self._look_for_progress(results)
        if any(each.result == "done" for each in results):
            self.sessions.worked()
        if worker.nonce not in self.budget:  # a new one, or it was silent for long
            self.budget.add(worker.nonce)
        self.budget.confirm(worker.nonce, report.share)
        if worker.note_throttled(report):
            self.budget.throttled(now)
        self._say_changed()

    def _look_for_progress(self, results: list[RowReport]) -> None:
        if self.sessions.renews or any(each.result != "not_sent" for each in results):
            self._stuck_since = None
        elif results and self._stuck_since is None:
            self._stuck_since = self.now()

    def receive_late(self, worker: ReachedWorker, report: Report) -> None:
        """Receive a report of a worker that was replaced: its results count if its leases are not over.

        It was true when it was made. But the worker is lost: it gets nothing more, and its share goes on only
        until its leases are over.
        """
        now = self.now()
        self.granting.receive_results(worker, worker.receive(report, now), now)
        self._say_changed()

    def _say_changed(self) -> None:
        if (run := self.granting.run) is not None:
            run.changed()

    # --- the ends of workers ------------------------------------------------------------------

    def lose(self, worker: ReachedWorker | None, name: str, why: str, *, ended: bool) -> None:
        """Give up a worker; unless its process has ended, its leases and its share go on for a while.

        Args:
            worker: the worker; None if it never responded.
            name: of its link, for people.
            why: the reason, for people.
            ended: whether its process has surely ended.
        """
        if worker is None:
            self._say_lost(name, why, "it had no rows")
            return
        if self._workers.pop(worker.nonce, None) is None:
            return  # it was before
        self.lost += 1
        self._stuck_since = None
        if ended:
            leases = self.granting.book.pop_of(worker.nonce)
            rows = self.granting.lose(leases, f"its worker has ended: {why}")
            self.budget.remove(worker.nonce)
            self._say_lost(name, why, self._fate_of(rows), drained=worker.draining)
        else:
            rows = self.granting.book.outstanding(worker.nonce)
            self.budget.lose(worker.nonce)
            fate = self._fate_of(rows, " when their leases are over")
            self._say_lost(name, why, fate, drained=worker.draining)

    def _fate_of(self, rows: int, when: str = "") -> str:
        """Return what happens with rows that a worker had, for people."""
        if not rows:
            return "it had no rows"
        which = "its row is" if rows == 1 else f"its {rows} rows are"
        return f"{which} {'looked up' if self._looked_up else 'in doubt'}{when}"

    def _say_lost(self, name: str, why: str, fate: str, *, drained: bool = False) -> None:
        if self.closing:
            return
        if drained:
            self._on_event(f"worker {name} was told to end, and did; {fate}")
        else:
            why = f"it {why.removeprefix(name).lstrip()}" if why.startswith(name) else why
            self._on_event(f"worker {name} was lost: {why}; {fate}")

    def is_silent(self, since: float, patience: float) -> bool:
        """Return whether workers have rows, and none of them was heard for ``patience`` seconds.

        Those before ``since``, a reading of the clock, do not count. Nobody hears one that is lost.
        """
        now, book = self.now(), self.granting.book
        having = [self._workers.get(nonce) for nonce in self.budget.workers() if book.of(nonce)]
        last = max((since if each is None else max(each.heard, since) for each in having), default=now)
        return now - last >= patience

    # --- time ---------------------------------------------------------------------------------

    def look_at_the_clock(self) -> None:
        """End what is over by now; called now and then."""
        now = self.now()
        self._end_expired(now)
        self._free_shares(now)
        self.budget.calm(now)

    def _end_expired(self, now: float) -> None:
        """End the leases under which surely nothing is sent any more."""
        lost: Counter[str] = Counter()
        for lease in self.granting.book.pop_expired(now):
            why = "nothing was heard of its worker until its lease was over"
            lost[lease.worker] += self.granting.lose([lease], why)
        for nonce, rows in lost.items():
            if (worker := self._workers.get(nonce)) is not None and rows:  # else it was said before
                self._on_event(f"worker {worker.name} was silent for too long: {self._fate_of(rows)}")

    def _free_shares(self, now: float) -> None:
        """Free the shares of workers that have no lease and are lost or silent: they send nothing."""
        for nonce in self.budget.workers():
            worker = self._workers.get(nonce)
            if (worker is None or now - worker.heard > _SILENT) and not self.granting.book.of(nonce):
                self.budget.remove(nonce)
