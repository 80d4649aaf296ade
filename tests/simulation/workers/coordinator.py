"""Coordinator of a simulated job, with its journal and its links to the workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import attrs

from tests.simulation.workers.world import Process, SimulatedWorker, World
from wosdk_async.jobs.cluster.allocator import HELLO, Allocator, Changes, ConnectedWorker
from wosdk_async.jobs.cluster.leases import MAX_LOSSES, Lease
from wosdk_async.jobs.cluster.messages import GrantedRow, PushedSession, Report

_SESSION = PushedSession(number=1, token="token", base_url="https://company.example", expires_in=1200.0)
_EXCHANGE = 2.0  # seconds after which an exchange is repeated
_STOP, _ABORT = 2.0, 0.5  # seconds for calls under way after a stop, and after an abort
PLANNED, SENDING, DONE, REFUSED, IN_DOUBT = range(5)


class Journal:
    """State on disk; leases and rows have the keys of the real tables."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.states = dict.fromkeys(range(1, world.plan.rows + 1), PLANNED)
        self.leases: dict[int, Lease] = {}
        """Open leases by epoch."""
        self.losses: Counter[int] = Counter()

    def grant(self, lease: Lease) -> None:
        self.leases[lease.epoch] = lease
        for row in lease.rows:
            self.states[row] = SENDING
            self.world.granted[row] = lease.epoch

    def end_grant(self, epoch: int, lost: list[int]) -> None:
        """Write the end of a grant; a repetition changes nothing."""
        if self.leases.pop(epoch, None) is not None:
            self.losses.update(lost)


@attrs.define(eq=False)
class _Link:
    """Connection to a worker, which another worker may replace."""

    worker: SimulatedWorker
    reached: ConnectedWorker | None = None
    exchange: int = 0
    cut_until: float = 0.0


class SimulatedCoordinator(Process):
    """One run of the command: waits for earlier leases, looks rows up, sends, settles."""

    def __init__(self, world: World, journal: Journal, ended: Callable[[], None]) -> None:
        super().__init__(world, "coordinator")
        plan = world.plan
        self.journal, self._ended = journal, ended
        epoch = max(world.granted.values(), default=0)
        self.allocator = Allocator(plan.options, epoch=epoch, now=self.clock())
        self._links: list[_Link] = []
        self._unwritten: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._sending: set[int] = set()
        """Rows of this run without an outcome."""
        self._doubts: set[int] = set()
        self._settling = False
        leases = list(journal.leases.values())
        world.note(f"{self.name} begins with {len(leases)} open leases, epoch {epoch}")
        self.at(plan.options.expires_after if leases else 0.0, self._leases_over, leases)
        self.at(0.25, self._tick)

    def kill(self) -> None:
        super().kill()
        self._ended()

    def _write(self, call: Callable[..., None], *args: Any) -> None:
        """Write soon; a kill before then loses the write."""
        if not self._unwritten:
            self.at(self.world.rng.uniform(0, 0.05), self._flush)
        self._unwritten.append((call, args))

    def _set(self, row: int, state: int) -> None:
        self._write(self.journal.states.__setitem__, row, state)

    def _flush(self) -> None:
        unwritten, self._unwritten = self._unwritten, []
        for call, args in unwritten:
            call(*args)

    def _leases_over(self, leases: list[Lease]) -> None:
        for lease in leases:
            self._write(self.journal.end_grant, lease.epoch, [])
        self._doubts = {row for row, state in self.journal.states.items() if state in (SENDING, IN_DOUBT)}
        self._settle()

    def _settle(self) -> None:
        self._settling = True
        if not self.allocator.stopped:
            self.at(self.world.plan.settle if self._doubts else 0.0, self._look_up, 1)

    def _look_up(self, time: int) -> None:
        for row in [row for row in self._doubts if self.world.records[row]]:
            self._doubts.discard(row)
            self._set(row, DONE)
        if time == 1 and self._doubts:
            self.at(0.25, self._look_up, 2)
            return
        for row in self._doubts:
            self._set(row, PLANNED)
        self._doubts = set()
        self._flush()
        self._send()

    def _send(self) -> None:
        if self.allocator.stopped:
            return
        for row, state in self.journal.states.items():
            losses = self.journal.losses[row]
            if state == PLANNED and losses >= MAX_LOSSES:
                self._set(row, REFUSED)
            elif state == PLANNED:
                self._sending.add(row)
                self.allocator.put(GrantedRow(row, "{}", losses), self.clock())
        self._flush()
        self._settling = False
        if not self._sending:
            self.kill()  # all is done

    def _tick(self) -> None:
        self._apply(self.allocator.expire(self.clock()))
        self.at(0.25, self._tick)

    def stop(self) -> None:
        self.world.note(f"{self.name} is stopped")
        for row in self.allocator.stop():
            self._end(row.row, PLANNED)
        self.at(_STOP, self._abort)

    def _abort(self) -> None:
        self.allocator.aborted = True
        self.at(_ABORT, self._give_up)

    def _give_up(self) -> None:
        for row in list(self._sending):
            lease = self.allocator.leases.rows.get(row)
            self._end(row, IN_DOUBT if lease is not None and lease.may_have_arrived else PLANNED)
        for lease in self.allocator.leases.unsent():
            self._write(self.journal.end_grant, lease.epoch, [])
        self._flush()
        self.kill()

    def _apply(self, changes: Changes) -> None:
        for report in changes.ended:
            self._end(report.row, {"done": DONE, "in_doubt": IN_DOUBT}.get(report.result, REFUSED))
        for row, _ in changes.lost:
            self._end(row.row, IN_DOUBT)
        for row in changes.not_started:
            self._end(row.row, PLANNED)
        for lease in changes.closed:
            self._write(self.journal.end_grant, lease.epoch, list(lease.rows))
        if changes.ended or changes.lost:
            self.at(0.0, self._look_whether_ended)

    def _end(self, row: int, state: int) -> None:
        if row not in self._sending:
            self.world.broken("outcomes", f"row {row} has a second outcome")
        self._sending.discard(row)
        if state == IN_DOUBT:
            self._doubts.add(row)
        self._set(row, state)

    def _look_whether_ended(self) -> None:
        if not self._sending and not self._settling:
            self._settle()

    def connect(self, worker: SimulatedWorker) -> None:
        """Start to exchange messages with a new worker."""
        link = _Link(worker)
        self._links.append(link)
        self.at(self.world.rng.uniform(0, 0.2), self._exchange, link, 0)

    def replace(self, link_of: SimulatedWorker, worker: SimulatedWorker) -> None:
        for link in self._links:
            if link.worker is link_of:
                link.worker = worker

    def cut(self, seconds: float) -> None:
        if self._links:
            self.world.rng.choice(self._links).cut_until = self.world.now + seconds

    def lose(self, worker: SimulatedWorker) -> None:
        """Handle the loss of a worker, as reported by the engine."""
        for link in [link for link in self._links if link.worker is worker]:
            self._links.remove(link)
            link.exchange = -1
            if link.reached is not None:
                self.allocator.lose(link.reached)

    def _exchange(self, link: _Link, after: int) -> None:
        if link.exchange != after:
            return
        link.exchange = number = after + 1
        world, order = self.world, HELLO
        if link.reached is not None:
            session = None if link.reached.report.session else _SESSION
            order = self.allocator.order_for(link.reached, session)
        self.at(_EXCHANGE, self._exchange, link, number)
        if world.now < link.cut_until or world.rng.random() < 0.03:
            return  # the message is lost
        late = world.rng.uniform(0.5, 5.0) if world.rng.random() < 0.03 else world.rng.uniform(0.001, 0.02)

        def respond(report: Report) -> None:
            if world.now >= link.cut_until and world.rng.random() >= 0.03:
                self.at(world.rng.uniform(0.001, 0.02), self._receive, link, number, report)

        # The message reaches the worker that is behind the link at that time.
        world.at(late, lambda: link.worker.at(0.0, link.worker.deliver, order, respond))

    def _receive(self, link: _Link, number: int, report: Report) -> None:
        if link.exchange != number:
            return
        allocator = self.allocator
        if link.reached is None or link.reached.nonce != report.worker:
            if link.reached is not None:
                allocator.lose(link.reached)
            link.reached = allocator.enter(report, link.worker.name, self.clock())
        self._apply(allocator.receive(link.reached, report, self.clock()))
        if (lease := allocator.open_grant(link.reached)) is not None:
            self._write(self.journal.grant, lease)
            self._write(self._granted, lease, link.reached)
        self.at(self.world.rng.uniform(0.02, 0.06), self._exchange, link, number)

    def _granted(self, lease: Lease, worker: ConnectedWorker) -> None:
        if self.allocator.stopped:
            self._apply(self.allocator.withdraw(lease))
        else:
            self.allocator.deliver(lease, worker)
