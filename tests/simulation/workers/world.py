"""Virtual time, processes that stall and die, the service, and the workers."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import attrs

from wosdk_async.jobs.cluster.leases import NOT_SENT, ClusterOptions, LeasedRow, LeasedRows, LeaseEndedError
from wosdk_async.jobs.cluster.messages import Order, Report

_WINDOW = 10.0  # seconds in which the rate is counted


@attrs.frozen(kw_only=True)
class Plan:
    seed: int
    options: ClusterOptions
    rows: int
    workers: int
    settle: float
    poison: int | None
    """Row that kills each worker that tries it, before or after its first byte."""
    faults: list[tuple[float, str]]

    @classmethod
    def of(cls, seed: int) -> Plan:
        rng = random.Random(f"plan {seed}")
        lease = rng.uniform(2, 8)
        options = ClusterOptions(
            lease=lease,
            deadline=lease * rng.uniform(0.2, 0.8),
            skew=0.3,
            rows_per_grant=rng.choice([2, 5, 50]),
            rate=rng.choice([None, 5.0, 20.0, 50.0]),
            in_flight=rng.choice([1, 3, 8, 16]),
            no_progress=600.0,
        )
        rows = rng.choice([10, 25, 60])
        kinds = ["kill", "kill", *4 * ["stall"], "cut", "replace", "coordinator", "all", "stop"]
        number = rng.choice([1, 2, 4, 8])
        faults = [(rng.uniform(0.0, rng.choice([3.0, 30.0])), rng.choice(kinds)) for _ in range(number)]
        return cls(  # in the order of the draws
            seed=seed,
            options=options,
            rows=rows,
            faults=faults,
            poison=rng.randint(1, rows) if rng.random() < 0.2 else None,
            settle=rng.uniform(0.3, 2.0),
            workers=rng.randint(1, 4),
        )


class World:
    """Virtual time, the service with its records, and the broken promises."""

    def __init__(self, plan: Plan) -> None:
        self.plan, self.rng = plan, random.Random(f"run {plan.seed}")
        self.now = 0.0
        self.found: list[str] = []
        """Names of broken promises."""
        self.events: list[str] = []
        self.records: Counter[int] = Counter()
        """Number of records by row."""
        self.granted: dict[int, int] = {}
        """Epoch of the newest grant on disk, by row."""
        self.ids = itertools.count(1)
        self._queue: list[tuple[float, int, Callable[..., None], tuple[Any, ...]]] = []
        self._numbers = itertools.count()
        self._sent: list[tuple[float, int]] = []
        self._under_way: dict[tuple[int, int], float] = {}
        """Latest time at which a call has ended for the service, by process and row."""
        self._slow: dict[tuple[int, int], float] = {}
        """Time at which a slow call takes effect, by process and row."""

    def at(self, delay: float, call: Callable[..., None], *args: Any) -> None:
        """Call a function after ``delay`` seconds."""
        heapq.heappush(self._queue, (self.now + max(delay, 0.0), next(self._numbers), call, args))

    def run(self, until: Callable[[], bool], most: float) -> None:
        """Advance time until ``until`` returns true. If that takes ``most`` seconds, a promise is broken."""
        while self._queue and not until():
            self.now, _, call, args = heapq.heappop(self._queue)
            if self.now > most:
                self.broken("not-finished", f"after {most:.0f} s")
                return
            call(*args)

    def note(self, text: str) -> None:
        self.events.append(f"{self.now:8.3f} {text}")

    def broken(self, promise: str, text: str) -> None:
        self.note(f"BROKEN {promise}: {text}")
        self.found.append(promise)

    def request(self, worker: SimulatedWorker, row: LeasedRow) -> str:
        """Receive the first byte of a request; return the kind of its outcome."""
        number, rng = row.granted.row, self.rng
        self.note(f"{worker.name} sends row {number} (grant {row.epoch})")
        if not worker.clock() < row.ends:
            self.broken("sent-after-lease", f"row {number} by {worker.name}")
        if self.granted.get(number) != row.epoch:
            self.broken("sent-without-lease", f"row {number} by {worker.name} with grant {row.epoch}")
        self._count(worker, number)
        kind = rng.choices(["done", "slow", "reset", "lost", "busy", "refused"], [80, 5, 4, 4, 3, 4])[0]
        if kind in ("done", "reset"):
            self.at(rng.uniform(0, 0.05), self._commit, number)
        elif kind == "slow":
            seconds = rng.uniform(0, self.plan.options.deadline + self.plan.settle * 0.9)
            self._slow[worker.id, number] = self.now + seconds
            self.at(seconds, self._commit_slowly, worker.id, number, self.now + seconds)
        return kind

    def _commit_slowly(self, sender: int, number: int, at: float) -> None:
        if self._slow.get((sender, number)) == at:
            del self._slow[sender, number]
            self._commit(number)

    def _commit(self, number: int) -> None:
        self.records[number] += 1
        if self.records[number] > 1:
            self.broken("doubled", f"row {number}")

    def _count(self, worker: SimulatedWorker, number: int) -> None:
        """Compare the calls of all workers with the limits."""
        options = self.plan.options
        self._under_way = {call: ends for call, ends in self._under_way.items() if ends > self.now}
        self._under_way[worker.id, number] = self.now + options.deadline
        if len(self._under_way) > options.in_flight:
            self.broken("over-limit", f"{len(self._under_way)} calls at a time")
        if options.rate is not None:
            self._sent = [each for each in self._sent if each[0] > self.now - _WINDOW]
            self._sent.append((self.now, worker.id))
            allowed = _WINDOW * options.rate + len({sender for _, sender in self._sent})
            if len(self._sent) > allowed + 1e-6:
                self.broken("over-rate", f"{len(self._sent)} requests in 10 s")

    def call_ended(self, worker: SimulatedWorker, number: int) -> None:
        """Record the end of a call, which takes effect within the settle time or never."""
        self._under_way.pop((worker.id, number), None)
        settled = self.now + self.plan.settle * 0.9
        if self._slow.get((worker.id, number), 0.0) > settled:
            self._slow[worker.id, number] = settled
            self.at(settled - self.now, self._commit_slowly, worker.id, number, settled)


class Process:
    """Process with its own clock. It may stall, and dies once."""

    def __init__(self, world: World, name: str) -> None:
        self.id = next(world.ids)
        self.world, self.name, self.alive = world, f"{name}#{self.id}", True
        self._offset, self._pace = world.rng.uniform(0, 1e5), 1 + world.rng.uniform(-0.004, 0.004)
        self._stalled_until = 0.0

    def clock(self) -> float:
        return self._offset + self.world.now * self._pace

    def stall(self, seconds: float) -> None:
        self.world.note(f"{self.name} stands still for {seconds:.2f} s")
        self._stalled_until = max(self._stalled_until, self.world.now + seconds)

    def kill(self) -> None:
        self.world.note(f"{self.name} is killed")
        self.alive = False

    def at(self, delay: float, call: Callable[..., None], *args: Any) -> None:
        """Call a function later, unless the process has died; a stalled process calls it when it wakes."""
        self.world.at(delay, self._call, call, args)

    def _call(self, call: Callable[..., None], args: tuple[Any, ...]) -> None:
        if not self.alive:
            return
        if self.world.now < self._stalled_until:  # calls that are due when it wakes come in any order
            seconds = self._stalled_until - self.world.now
            self.world.at(seconds + self.world.rng.uniform(0, 0.01), self._call, call, args)
            return
        call(*args)


class SimulatedWorker(Process):
    """Worker with its leased rows, and its calls to the simulated service."""

    def __init__(self, world: World, place: int) -> None:
        super().__init__(world, f"worker{place}")
        self.place = place
        self._rows = LeasedRows(f"{self.id:x}", world.plan.options.deadline, self.clock)
        self._session = 0
        self._next_call = 0.0
        self._heard = self.clock()
        self.at(0.1, self._look)

    def deliver(self, order: Order, respond: Callable[[Report], None]) -> None:
        """Obey an order, and report within the order's patience."""
        held = self._rows
        if held.obey(order):
            self._heard = self.clock()
            self._session = max(self._session, order.session.number if order.session else 0)
            if order.stop:
                self._cancel(lambda row: order.abort or not row.begun)
            self._start()
        self.at(self.world.rng.uniform(0, order.patience), self._respond, respond)

    def _respond(self, respond: Callable[[Report], None]) -> None:
        respond(self._rows.report(session=self._session, session_refused=0))

    def _look(self) -> None:
        """Cancel calls whose leases have ended; once the coordinator is gone, cancel all calls."""
        for row in self._rows.overdue():
            self._end(row, NOT_SENT)
        if self.clock() - self._heard > self.world.plan.options.lease:
            self._cancel(lambda _: True)
            self._rows.return_unstarted()
        self.at(0.1, self._look)

    def _cancel(self, which: Callable[[LeasedRow], bool]) -> None:
        for row in list(self._rows.started.values()):
            if which(row):
                self._end(row, NOT_SENT)

    def _start(self) -> None:
        while (row := self._rows.next_row()) is not None:
            if row.granted.row == self.world.plan.poison and self.world.rng.random() < 0.5:
                self.kill()
                return
            self.at(self.world.plan.options.deadline, self._time_out, row)
            self._call_later(row)

    def _call_later(self, row: LeasedRow) -> None:
        world, rate = self.world, self._rows.share.rate
        begins = max(world.now, self._next_call)
        self._next_call = begins + (1 / rate if rate else 0.0)
        self.at(begins - world.now, self._first_byte, row)

    def _time_out(self, row: LeasedRow) -> None:
        self._end(row, {"result": "in_doubt"} if row.begun else NOT_SENT)

    def _first_byte(self, row: LeasedRow) -> None:
        if self._rows.started.get(row.granted.row) is not row:
            return  # it was cancelled
        try:
            row.begin()
        except LeaseEndedError:
            self._end(row, NOT_SENT)
            return
        kind = self.world.request(self, row)
        if row.granted.row == self.world.plan.poison:
            self.kill()
            return
        delay = self.world.rng.uniform(0.02, 0.3)
        if kind == "busy":
            self.world.call_ended(self, row.granted.row)
            self.at(delay, self._call_later, row)
        elif kind != "slow":
            result = {"done": "done", "refused": "failed"}.get(kind, "in_doubt")
            self.at(delay, self._end, row, {"result": result})

    def _end(self, row: LeasedRow, fields: Any) -> None:
        if self._rows.started.get(row.granted.row) is row:
            self.world.call_ended(self, row.granted.row)
            self._rows.end(row, fields)
            self._start()
