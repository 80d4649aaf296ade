"""One plan, from its start to its violations."""

from __future__ import annotations

import asyncio
import gc
import hashlib
import logging
import random
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import attrs

from benchmarks.simulate.backend import LOCATOR, TOKENS, Backend, Model, host_name
from benchmarks.simulate.checks import Judge, Violation
from benchmarks.simulate.loop import Stuck, VirtualLoop
from benchmarks.simulate.network import Network
from benchmarks.simulate.plan import Plan, Step
from benchmarks.simulate.program import Program, keys
from benchmarks.simulate.sandbox import SandboxBackend
from benchmarks.simulate.service import Peer, Service
from wosdk_async import Client, Limits, Region, Timeouts
from wosdk_async.protocol import content
from wosdk_async.transport.clock import Scope, TransportClock
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.engine import NativeEngine

__all__ = ["Result", "run"]

_LOG = logging.getLogger("wosdk_async")
COMPANIES = 2
_PROGRAM = ("wo", "base", "many", "get", "update", "query", "connect", "close")
_AFTERWARDS = 60.0  # seconds for what the service still has to do
REGION = Region("simulated", locator_url=f"http://{LOCATOR}", token_url=f"http://{TOKENS}/OAuth/token")


@attrs.frozen
class Result:
    """What a run came to. ``digest`` is of everything that happened, in its order."""

    violations: list[Violation]
    windows: Counter[str]
    verdicts: Counter[str]
    steps: int
    seconds: float
    events: list[str]
    digest: str

    @property
    def names(self) -> list[str]:
        """The names of the violations, each once."""
        return sorted({violation.name for violation in self.violations})


def run(plan: Plan, *, keep: bool = False) -> Result:
    """Run a plan; with ``keep`` the result holds all events as text."""
    return _Run(plan, keep).result()


@contextmanager
def _replayable(seed: int) -> Iterator[None]:
    """Nothing of the client depends on chance or on addresses in memory.

    Its random numbers come from the seed. Two of its classes are kept in sets, whose order follows from the
    hash: meanwhile it is a number in their order, not an address of memory.
    """
    before = random.getstate()
    random.seed(seed)
    content._random.seed(seed)
    Connection.__hash__ = lambda self: self.socket  # type: ignore
    Scope.__hash__ = lambda self: hash(self._task)  # type: ignore
    automatic, level = gc.isenabled(), _LOG.level
    gc.disable()
    _LOG.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        _LOG.setLevel(level)
        del Connection.__hash__, Scope.__hash__
        random.setstate(before)
        if automatic:
            gc.enable()


class _Run:
    """Everything that belongs to one run."""

    def __init__(self, plan: Plan, keep: bool) -> None:
        self.plan = plan
        self.events: list[str] = []
        self.program: Program | None = None
        self._keep = keep
        self._hash = hashlib.blake2b(digest_size=8)
        draw = random.Random(f"run {plan.seed}")
        self.network = Network(draw, plan.world.pace, self.note)
        self.loop = VirtualLoop(draw, self.network, shuffled=plan.world.shuffled)
        world = plan.world
        self.backend: Backend
        if world.sandbox:
            self.backend = SandboxBackend(self.loop, COMPANIES)
        else:
            self.backend = Model(self.loop.time, world.token_life, world.old_host)
        self.service = Service(plan, self.backend, keys(plan))
        self._hosts()
        self.violations: list[Violation] = []

    def note(self, *what: Any) -> None:
        text = f"{self.loop.time():.6f} {' '.join(map(str, what))}"
        self._hash.update(text.encode())
        if self.program is not None and self.loop.is_running():
            self.program.event()
        if self._keep:
            self.events.append(text)

    def result(self) -> Result:
        with _replayable(self.plan.seed):
            stuck = ""
            try:
                self.loop.run_until_complete(self._main())
            except Stuck as error:
                stuck = str(error)
            program = self.program
            assert program is not None
            judge = self._judge(program, stuck)
            self._end()
        verdicts = Counter(each.how for each in program.verdicts)
        for each in program.verdicts:
            self.note(each.key, each.how, type(each.error).__name__)
        return Result(
            judge.found,
            judge.windows,
            verdicts,
            self.loop.steps,
            self.loop.time(),
            self.events,
            self._hash.hexdigest(),
        )

    # --- the service ----------------------------------------------------------------------------

    def _hosts(self) -> None:
        names = [LOCATOR, TOKENS, *(host_name(n, moves) for n in range(COMPANIES) for moves in range(4))]
        for name in names:
            self.network.names[name] = [name]
            self.network.hosts[name] = lambda wire, name=name: Peer(self.service, name, wire)  # type: ignore[misc]
        second = self.plan.world.two_addresses
        if second:
            first = f"{second}.sim"
            getattr(self.network, second).add(first)
            for name in names[2:]:
                self.network.names[name] = [first, name]

    def _event(self, step: Step) -> None:
        """Something happens to the service."""
        self.note("event", step.kind)
        backend, network, company = self.backend, self.network, step.company
        host = host_name(company, backend.moves[company])
        if step.kind == "move":
            if backend.moves[company] < 3:
                backend.move(company)
                if self.plan.world.old_host == "down":
                    network.down.add(host)
                    self._reset(host)
        elif step.kind == "kill_tokens":
            backend.kill_tokens()
        elif step.kind == "reset":
            self._reset("")
        elif step.kind == "overload":
            self.service.overloaded_until = self.loop.time() + step.seconds
        else:
            out = getattr(network, step.kind)
            out.add(host)
            self.loop.call_later(step.seconds, out.discard, host)

    def _reset(self, host: str) -> None:
        for wire in self.network.wires:
            if not wire.is_closing() and wire.host.endswith(host):
                wire.finish("rst")

    # --- the program ----------------------------------------------------------------------------

    async def _main(self) -> None:
        world = self.plan.world
        limits = Limits(connections=world.connections, keepalive=world.keepalive)
        timeouts = Timeouts(read=world.read_timeout)
        client = Client(
            region=REGION,
            trusted_hosts=("sim",),
            limits=limits,
            timeouts=timeouts,
            in_flight=world.in_flight,
            rate=world.rate,
            max_queued=world.max_queued,
            adaptive=world.adaptive,
            retry_quota=world.retry_quota,
            on_in_doubt=lambda call, request_id: program.tell(call, request_id),
            telemetry=False,
        )
        now = self.loop.time
        client._transport = client._transport.changed(
            clock=TransportClock(now=now),
            engine=lambda limits: NativeEngine(limits=limits, timeouts=timeouts, now=now),
        )
        pairs = [self.backend.credentials(number) for number in range(COMPANIES)]
        self.program = program = Program(self.plan, client, pairs)
        for step in self.plan.steps:
            if step.kind not in _PROGRAM:
                self.loop.call_later(step.at, self._event, step)
        await program.run([step for step in self.plan.steps if step.kind in _PROGRAM])
        await asyncio.sleep(1.0)
        self._slots(client)
        await self._close(client)
        await asyncio.sleep(_AFTERWARDS)

    def _slots(self, client: Client) -> None:
        """Nothing is under way any more, so nothing may be held."""
        stats = client.stats()
        held = {
            name: getattr(stats, name)
            for name in ("in_flight", "queued", "connections_busy")
            if getattr(stats, name)
        }
        if held:
            self.violations.append(Violation("slot-left", f"{held}"))

    async def _close(self, client: Client) -> None:
        try:
            await client.aclose()
        except Exception as error:
            self.violations.append(Violation("close-raised", f"{error!r}"))
        here = asyncio.current_task()
        for task in self.loop.under_way():
            if task is not here and not task.get_name().startswith("sandbox"):
                self.violations.append(Violation("task-left", f"{task.get_name()}, and the client is closed"))

    # --- the end --------------------------------------------------------------------------------

    def _judge(self, program: Program, stuck: str) -> Judge:
        judge = Judge(self.network, self.service, self.backend, program, self.violations)
        if stuck:
            waiting = [task.get_name() for task in self.loop.under_way()]
            judge.add("hang", f"{stuck}: {', '.join(waiting)}")
        else:
            judge.judge()
            for task in self.loop.under_way():
                judge.add("task-left", f"{task.get_name()} {task.get_coro()}")
            if self.network.sockets:
                judge.add("socket-left", f"{sorted(self.network.sockets)}")
        return judge

    def _end(self) -> None:
        """Close the loop; what still waits is cancelled, and nobody looks."""
        for task in self.loop.under_way():
            task.cancel()
        ready = self.loop._ready  # type: ignore[attr-defined]
        for _ in range(50):
            if not ready:
                break
            self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.tasks.clear()
        gc.collect(1)  # which tells of tasks whose error nobody has seen
        for context in self.loop.failures:
            self.violations.append(
                Violation("loop-error", f"{context.get('message')}: {context.get('exception')!r}")
            )
        self.loop.close()
        self.backend.close()
