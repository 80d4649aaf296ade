"""Imports on virtual time, killed before and after a commit or a request.

The program is killed at chosen points, one kill for each number in ``kills``, and the same import is begun
again each time, until the job is finished. The service lives on: what it received is carried out.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import anyio.from_thread
import anyio.to_thread
import attrs
import orjson

from benchmarks.jobs_checks import broken_promises
from benchmarks.jobs_files import MARKER, write_map, write_rows
from benchmarks.simulate.loop import VirtualLoop
from benchmarks.simulate.network import Network
from benchmarks.simulate.runs import replayable
from benchmarks.simulate.sandbox import LoopClock
from wosdk_async import CallOptions, Client, Credentials, Region
from wosdk_async.jobs import CsvFile, Import, ImportMap
from wosdk_async.jobs.journal import Journal, State, StoredRow
from wosdk_async.protocol.wire import Response
from wosdk_async.sandbox.http.app import create_app
from wosdk_async.sandbox.seed.initial import open_store
from wosdk_async.sandbox.storage.store import Store
from wosdk_async.testing.engine import scope_of
from wosdk_async.transport.clock import TransportClock
from wosdk_async.transport.http.engine import (
    OnSending,
    PoolStatistics,
    Read,
    RequestHeaders,
    SendError,
    whole_response,
)

__all__ = ["CUSTOMER", "LIMIT", "KilledJob", "simulate"]

ROWS = 10
LIMIT = 4
CUSTOMER = "K customer 0"
_FAULTS = {"K3": "lost", "K6": "late", "K8": "cut", CUSTOMER: "cut"}
"""What becomes of the first create with each key: all are in doubt for the client.

"lost": the request is not carried out, "late": it is, after the connection has gone, "cut": it is, before.
"""
_LATE = 3.0  # seconds
_DEADLINE, _SETTLE = 8.0, 20.0  # so that a row whose request was lost is in doubt for the import, too
_MOST_RUNS = 8
_HOST = "sandbox.sim"
_ROOT = f"https://{_HOST}"
_CREATES = ("/cmd/WoCreateCommand", "/base/Customer")


class Killed(BaseException):
    """The process does not run any more."""


@attrs.define(eq=False)
class Process:
    """One run of the program; it is killed at its point number ``kill_at``."""

    kill_at: int | None
    points: list[str] = attrs.field(factory=list)
    creates: int = 0
    """Requests to create something that it sent."""
    dead: asyncio.Event = attrs.field(factory=asyncio.Event)
    journals: list[Journal] = attrs.field(factory=list)

    def pass_point(self, name: str) -> None:
        """Note a point; from the kill on nothing happens any more."""
        if self.dead.is_set():
            return
        self.points.append(name)
        if len(self.points) == self.kill_at:
            self.dead.set()
            for journal in self.journals:
                journal.abandon()

    def require_alive(self) -> None:
        """Raise Killed if the process was killed."""
        if self.dead.is_set():
            raise Killed

    def commit(self, write: Callable[[], None]) -> None:
        """Carry out one transaction of the journal, unless the process is killed before."""
        self.pass_point("before a commit")
        self.require_alive()
        write()
        self.pass_point("after a commit")
        self.require_alive()


class _Journal(Journal):
    """Journal of the process that runs now."""

    process: ClassVar[Process]

    @classmethod
    def create(cls, *args: Any, **options: Any) -> _Journal:
        return super().create(*args, commit=cls.process.commit, synchronous=True, **options)  # type: ignore

    @classmethod
    def open(cls, folder: Path, **options: Any) -> _Journal:
        process = cls.process
        process.require_alive()
        journal: Any = super().open(folder, **options | {"commit": process.commit, "synchronous": True})
        process.journals.append(journal)
        return journal


class _Loop(VirtualLoop):
    """Loop on virtual time that carries out what belongs into a thread at once."""

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:  # noqa: ARG002 - asyncio's name
        future = self.create_future()
        try:
            future.set_result(func(*args))
        except BaseException as error:
            future.set_exception(error)
        return future


@cache
def _first_store() -> Store:
    return open_store(":memory:")


class _Service:
    """The sandbox, which is never killed."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.store = Store(":memory:", like=_first_store())
        self._loop = loop
        self._app = create_app(self.store, LoopClock(loop.time))
        self._faults = dict(_FAULTS)
        self._running: set[asyncio.Task[Any]] = set()

    @property
    def credentials(self) -> Credentials:
        """The credentials of its Company."""
        (company,) = self.store.companies()
        return Credentials(company.client_id, company.client_secret)

    def send(self, process: Process, scope: Any, body: bytes) -> asyncio.Task[Response]:
        """Carry out a request, also when the process that sent it is killed meanwhile."""
        task = self._loop.create_task(self._respond(process, scope, body))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        return task

    async def _respond(self, process: Process, scope: Any, body: bytes) -> Response:
        await asyncio.sleep(0.01)
        creates = scope["path"].endswith(_CREATES)
        fault = self._fault(body) if creates else ""
        if creates:
            process.creates += 1
            process.pass_point(f"arrived {scope['path']} {fault}")
        if fault == "lost":
            raise SendError("reset", sent=True)
        if fault == "late":
            self._loop.call_later(_LATE, self.send, Process(None), scope, body)
            raise SendError("reset", sent=True)
        response = await self._carry_out(scope, body)
        if creates:
            process.pass_point(f"carried out {scope['path']} {fault}")
        await asyncio.sleep(0.01)
        if fault == "cut":
            raise SendError("reset", sent=True)
        return response

    def _fault(self, body: bytes) -> str:
        content = orjson.loads(body)
        key = (
            content["Command"]["WorkOrder"]["PoNumber"] if "Command" in content else content["Entity"]["Name"]
        )
        return self._faults.pop(key, "")

    async def _carry_out(self, scope: Any, body: bytes) -> Response:
        parts: list[Any] = []

        async def receive() -> Any:
            return {"type": "http.request", "body": body, "more_body": False}

        async def send(message: Any) -> None:
            parts.append(message)

        await self._app(scope, receive, send)
        content = b"".join(part.get("body", b"") for part in parts[1:])
        return Response(parts[0]["status"], {"content-type": "application/json"}, content)

    def ids(self, table: str, column: str) -> dict[str, list[int]]:
        """Return the ids of the records with each text."""
        found = defaultdict(list)
        for row in self.store.select(f'SELECT body FROM "{table}" ORDER BY id', []):
            if row.get(column):
                found[row[column]].append(row["Id"])
        return found


@attrs.define(eq=False)
class _Engine:
    """Engine of one process."""

    process: Process
    service: _Service
    capacity: int = 100

    async def send(
        self,
        method: str,
        url: str,
        headers: RequestHeaders,
        body: bytes | None,
        on_sending: OnSending,
        repeat_safe: bool = False,  # noqa: ARG002 - the interface of an engine
        read: Read = whole_response,
    ) -> Any:
        """Send a request, unless the process was killed."""
        self.process.require_alive()
        scope = scope_of(method, url, headers)
        self.process.pass_point(f"before {scope['path']}")
        self.process.require_alive()
        on_sending()
        response = await asyncio.shield(self.service.send(self.process, scope, body or b""))
        self.process.require_alive()
        return read(response)

    def statistics(self) -> PoolStatistics:
        """Return nothing of interest."""
        return PoolStatistics()

    async def aclose(self) -> None:
        """Do nothing."""


@attrs.frozen
class KilledJob:
    """A job that was killed and begun again until it was finished."""

    points: list[list[str]]
    """The points that each run passed."""
    broken: list[str]
    states: Counter[State]


def simulate(kills: Sequence[int], *, marked: bool, seed: int, folder: Path) -> KilledJob:
    """Carry an import out in ``folder``, killed at these points, and check what the service has."""
    rng = random.Random(f"job {seed}")
    loop = _Loop(rng, Network(rng, 1.0, lambda *_: None))
    with replayable(seed), _without_threads(), _running(loop):
        return loop.run_until_complete(_Scenario(kills, marked, folder).run())


@contextmanager
def _without_threads() -> Iterator[None]:
    """Let anyio carry out at once what belongs into a thread, as the loop does."""
    before = anyio.to_thread.run_sync, anyio.from_thread.run

    async def run_sync(function: Callable[..., Any], *args: Any, **_: Any) -> Any:
        return function(*args)

    anyio.to_thread.run_sync = run_sync  # type: ignore
    anyio.from_thread.run = lambda function, *args: _now(function(*args))  # type: ignore
    try:
        yield
    finally:
        anyio.to_thread.run_sync, anyio.from_thread.run = before


@contextmanager
def _running(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Close the loop, after what killed processes left on it has ended."""
    try:
        yield
    finally:
        if left := asyncio.all_tasks(loop):
            for task in left:
                task.cancel()
            loop.run_until_complete(asyncio.wait(left))
        loop.close()


@attrs.define(eq=False)
class _Scenario:
    kills: Sequence[int]
    marked: bool
    folder: Path
    broken: list[str] = attrs.field(factory=list)
    points: list[list[str]] = attrs.field(factory=list)
    _zombies: list[asyncio.Task[Any]] = attrs.field(factory=list)

    async def run(self) -> KilledJob:
        """Run the program again and again."""
        service = _Service(asyncio.get_running_loop())
        source = write_rows(self.folder / "rows.csv", ROWS)
        import_map = write_map(self.folder)
        finished = False
        for number in range(_MOST_RUNS):
            process = Process(self.kills[number] if number < len(self.kills) else None)
            before = self._states()
            program = asyncio.create_task(self._program(process, service, source, import_map))
            dead = asyncio.create_task(process.dead.wait())
            await asyncio.wait([program, dead], return_when=asyncio.FIRST_COMPLETED)
            self.points.append(process.points)
            if process.dead.is_set():
                program.cancel()  # it ends in the background, and does nothing that anyone sees
                self._zombies.append(program)
                self._check_kill(before)
                continue
            dead.cancel()
            was_finished, finished = finished, program.result()
            if was_finished:
                if process.creates:
                    self.broken.append("the command on a finished job sent something")
                break
        else:
            self.broken.append(f"not finished after {_MOST_RUNS} runs: {self.points}")
        await asyncio.sleep(2 * _LATE)  # what was on its way has arrived
        return self._checked(service)

    async def _program(self, process: Process, service: _Service, source: Path, import_map: Path) -> bool:
        _Journal.process = process
        clock = TransportClock(now=asyncio.get_running_loop().time)
        client = Client(
            region=Region("simulated", locator_url=_ROOT, token_url=f"{_ROOT}/OAuth/token"),
            credentials=service.credentials,
            company="AcmeFacilities",
            trusted_hosts=(_HOST,),
            options=CallOptions(deadline=_DEADLINE, settle=_SETTLE),
            clock=clock,
            telemetry=False,
            engine=lambda _: _Engine(process, service),
        )
        async with client:
            marker = MARKER if self.marked else None
            job = Import(CsvFile(source), ImportMap.load(import_map), marker=marker, limit=LIMIT)
            await job.open(client.company(), journals=_Journal)
            await job.run(client.company())
        return self._is_finished()

    def _rows(self) -> list[StoredRow]:
        folder = self.folder / "rows.csv.job"
        if not (folder / "journal.db").exists():
            return []
        journal = Journal.open(folder, read_only=True, synchronous=True)
        try:
            return _now(journal.rows_in())
        finally:
            journal.abandon()

    def _states(self) -> Counter[State]:
        return Counter(row.state for row in self._rows())

    def _is_finished(self) -> bool:
        states = self._states()
        left = states[State.PLANNED] + states[State.SENDING] + (states[State.IN_DOUBT] if self.marked else 0)
        return not left

    def _check_kill(self, before: Counter[State]) -> None:
        sending = self._states()[State.SENDING] - before[State.SENDING]
        if sending > 2 * LIMIT:
            self.broken.append(f"{sending} rows are being sent after a kill, with {LIMIT} calls at a time")

    def _checked(self, service: _Service) -> KilledJob:
        rows, there = self._rows(), service.ids("WorkOrder", "PoNumber")
        keys = {row: f"K{row}" for row in range(1, ROWS + 1)}
        broken = self.broken + broken_promises(rows, keys, there, marked=self.marked)
        customers = service.ids("Customer", "Name")[CUSTOMER]
        if len(customers) != 1:
            broken.append(f"the customer is there {len(customers)} times")
        return KilledJob(self.points, broken, Counter(row.state for row in rows))


def _now(coroutine: Any) -> Any:
    """Return the result of a coroutine that never waits."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        return end.value
