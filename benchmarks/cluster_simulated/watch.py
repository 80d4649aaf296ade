"""Promises that are checked while a simulated job runs."""

from __future__ import annotations

import asyncio
import hashlib
import re
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import attrs

from benchmarks.cluster_simulated.machines import Machine
from benchmarks.cluster_simulated.plan import Plan
from wosdk_async.jobs.cluster.messages import Grant, Order
from wosdk_async.jobs.cluster.pool import UndeliveredReport
from wosdk_async.jobs.journal import State

__all__ = ["Call", "Watch"]

_KEY = re.compile(rb"\bK(\d+)\b")
_LOG_INS = ("/OAuth/token", "/GetCompanyWsdkUrlCommand")
_CREATES = ("/cmd/WoCreateCommand", "/base/Customer")
_LATE = 0.25  # seconds by which a call may end after its deadline: the loop is busy now and then
_WINDOW = 10.0  # seconds in which the rate is checked


@attrs.define(eq=False)
class Call:
    """A request that has left a machine; it is under way until the machine or the service is done with it."""

    machine: Machine
    row: int | None
    creates: bool
    ends: float = float("inf")
    """When its lease ends, by the clock of the machine."""
    stops: int = 0
    """How often the machine had stood still when it got the lease."""
    is_over: bool = False

    def over(self) -> None:
        """Note that the service does nothing more for it."""
        self.is_over = True

    @property
    def under_way(self) -> bool:
        """Whether it counts as one of the calls at a time."""
        return not self.is_over and self.machine.alive


@attrs.define(eq=False)
class Watch:
    """Notes everything that leaves a machine, and what is wrong with it."""

    plan: Plan
    folder: Path
    now: Callable[[], float]
    violations: list[tuple[str, str]] = attrs.field(factory=list)
    events: list[str] = attrs.field(factory=list)
    creates: Counter[str] = attrs.field(factory=Counter)
    """Requests to create something, by the names of the machines."""
    leases: dict[str, dict[int, tuple[float, int]]] = attrs.field(factory=dict)
    """Machine of a worker -> row -> end of its last lease by the machine's clock, and its stops before."""
    before_sending: Callable[[Machine, int], None] = lambda *_: None
    """Called before a worker sends a row."""
    handed_over: dict[int, int] = attrs.field(factory=dict)
    """Row -> epoch of an undelivered result that it is done, which was returned to a coordinator."""
    at_work: asyncio.Event = attrs.field(factory=asyncio.Event)
    """Set by the first grant."""
    _calls: list[Call] = attrs.field(factory=list)
    _let_through: list[tuple[float, str]] = attrs.field(factory=list)
    _claims: dict[int, Any] = attrs.field(factory=dict)
    _outcomes: Counter[int] = attrs.field(factory=Counter)
    _results: set[tuple[str, int]] = attrs.field(factory=set)
    _granted: set[tuple[str, int]] = attrs.field(factory=set)
    _tokens: set[str] = attrs.field(factory=set)
    _journal: sqlite3.Connection | None = None

    def note(self, *what: object) -> None:
        """Note an event."""
        self.events.append(f"{self.now():9.3f} " + " ".join(map(str, what)))

    def broken(self, name: str, text: str) -> None:
        """Note that a promise was broken."""
        self.note("VIOLATION", name, text)
        self.violations.append((name, text))

    @property
    def digest(self) -> str:
        """A hash of all events."""
        return hashlib.blake2b("\n".join(self.events).encode(), digest_size=8).hexdigest()

    def close(self) -> None:
        """Close the journal."""
        if self._journal is not None:
            self._journal.close()

    # --- requests -----------------------------------------------------------------------------

    def let_through(self, machine: Machine, path: str) -> None:
        """Note a request that the limiter of a machine let through."""
        if not path.endswith(_LOG_INS):
            self._let_through.append((self.now(), machine.name))

    def about_to_send(self, machine: Machine, path: str, body: bytes) -> None:
        """Note that a request will leave if nothing forbids it now."""
        if machine.name in self.leases and path.endswith(_CREATES) and (row := _row(body)) is not None:
            self.before_sending(machine, row)

    def sent(self, machine: Machine, path: str, body: bytes) -> Call:
        """Note a request that leaves a machine now."""
        row, creates = _row(body), path.endswith(_CREATES)
        self.note(machine.name, "sends", path.rpartition("/")[2], row or "")
        self.creates[machine.name] += creates
        call = Call(machine, row, creates)
        if machine.name in self.leases:
            self._check_lease(call)
            self._calls = [each for each in self._calls if each.under_way]
            for other in self._calls:
                if creates and other.creates and other.row == row:
                    self.broken("sent-twice-at-once", f"row {row} by {other.machine.name}, {machine.name}")
            self._calls.append(call)
            if len(self._calls) > self.plan.limit:
                self.broken("over-limit", f"{len(self._calls)} calls at a time, not {self.plan.limit}")
        return call

    def _check_lease(self, call: Call) -> None:
        machine = call.machine
        lease = self.leases[machine.name].get(call.row or 0)
        if lease is None:
            self.broken("sent-without-lease", f"row {call.row} by {machine.name}")
            return
        call.ends, call.stops = lease
        if (late := machine.boottime() - call.ends) >= 0:
            self.broken("sent-after-lease", f"row {call.row} by {machine.name}, {late:.3f} s late")

    def ended(self, call: Call) -> None:
        """Note that a machine does not wait for a request any more."""
        call.over()
        machine = call.machine
        late = machine.boottime() - call.ends
        if machine.alive and late > _LATE and machine.stops == call.stops:
            self.broken("under-way-after-lease", f"row {call.row} by {machine.name}, {late:.3f} s late")

    def check_rate(self) -> None:
        """Check that no window of ten seconds has more requests than the rate allows."""
        rate, sent = self.plan.rate, self._let_through
        if rate is None:
            return
        last = 0
        for first, (begin, _) in enumerate(sent):
            while last < len(sent) and sent[last][0] < begin + _WINDOW:
                last += 1
            senders = {name for _, name in sent[first:last]}
            most = rate * (_WINDOW + 0.1) + len(senders)  # a burst of 0.1 s, and a call for each sender
            if last - first > most:
                text = f"{last - first} in 10 s from {begin:.1f} on, by {len(senders)}; at most {most:.1f}"
                self.broken("over-rate", text)
                return

    # --- messages -----------------------------------------------------------------------------

    def order_leaves(self, order: Order) -> None:
        """Check an order that leaves the coordinator: what it grants is on the disk."""
        for grant in order.grants:
            if (order.worker, grant.epoch) not in self._granted:
                self._granted.add((order.worker, grant.epoch))
                self.at_work.set()
                self.note("granted", grant.epoch, order.worker, [row.row for row in grant.rows])
                self._check_journal(grant, order.worker)
        if order.session is not None:
            self._tokens.add(order.session.token)
            self.check_repr(order, order.session)

    def order_arrives(self, machine: Machine, order: Order, nonce: str) -> None:
        """Note the leases of an order that reaches the worker that it is meant for."""
        if order.worker == nonce:
            leases = self.leases[machine.name]
            for grant in order.grants:
                for row in grant.rows:
                    if row.row not in leases or grant.ends > leases[row.row][0]:
                        leases[row.row] = (grant.ends, machine.stops)

    def check_repr(self, *shown: object) -> None:
        """Check that no text of these objects has a token."""
        for each in shown:
            text = repr(each)
            if any(token in text for token in self._tokens):
                self.broken("token-shown", type(each).__name__)

    def returned(self, reports: Iterable[UndeliveredReport]) -> None:
        """Note results that are handed to a coordinator: those of open leases must count."""
        for each in reports:
            if each.report.result == "done" and self._is_open(each.report.epoch, each.worker):
                self.handed_over[each.report.row] = each.report.epoch

    def _is_open(self, epoch: int, worker: str) -> bool:
        query = "SELECT 1 FROM lease WHERE epoch = ? AND worker = ? AND state = 0"
        try:
            return self._read(query, [epoch, worker]) != []
        except sqlite3.OperationalError:  # no table yet
            return False

    def _read(self, query: str, values: Sequence[object]) -> list[Any]:
        if self._journal is None:
            uri = f"file:{self.folder / 'journal.db'}?mode=ro"
            self._journal = sqlite3.connect(uri, uri=True, isolation_level=None)
        return self._journal.execute(query, values).fetchall()

    def _check_journal(self, grant: Grant, worker: str) -> None:
        if not self._is_open(grant.epoch, worker):
            self.broken("grant-not-written", f"{grant.epoch}")
        rows = [row.row for row in grant.rows]
        states = self._read(
            f"SELECT row FROM outcome WHERE state = ? AND row IN ({', '.join(map(str, rows))})",
            [State.SENDING],
        )
        if len(states) != len(rows):
            self.broken("row-not-claimed", f"{grant.epoch} {set(rows) - {row for (row,) in states}}")

    # --- claims and results -------------------------------------------------------------------

    def claimed(self, claim: Any) -> None:
        """Note a claim that a run over the workers took."""
        if claim is not None:
            self._claims[id(claim)] = claim

    def outcome(self, claim: Any) -> None:
        """Note the outcome of a claim."""
        if id(claim) in self._claims:
            self._outcomes[id(claim)] += 1

    def results(self, worker: str, results: Iterable[Any]) -> None:
        """Note results of a worker that are counted."""
        for result in results:
            key = (worker, result.number)
            if key in self._results:
                self.broken("result-twice", f"{result.number} of {worker}")
            self._results.add(key)

    def run_ended(self, *, killed: bool) -> None:
        """Check that each claim of a run has one outcome; at most one if it was killed."""
        for place, claim in self._claims.items():
            times = self._outcomes[place]
            if times > 1 or (not times and not killed):
                self.broken("outcomes", f"row {claim.row.number} has {times}")
        self._claims.clear()
        self._outcomes.clear()


def _row(body: bytes) -> int | None:
    """Return the row whose key is in a request."""
    found = _KEY.search(body)
    return int(found[1]) if found else None
