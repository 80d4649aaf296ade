"""Run of one plan, from its start to its violations."""

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

from tests.simulation.client.backend import LOCATOR_HOST, TOKEN_HOST, Backend, ServiceModel
from tests.simulation.client.checks import Checker, Violation
from tests.simulation.client.hosts import COMPANIES, Hosts
from tests.simulation.client.loop import StuckError, VirtualLoop
from tests.simulation.client.network import Network
from tests.simulation.client.outcomes import scripts_by_key
from tests.simulation.client.plan import Plan
from tests.simulation.client.program import Program
from tests.simulation.client.sandbox import SandboxBackend
from tests.simulation.client.service import Service
from tests.simulation.client.tls_wire import client_context
from wosdk_async import Client, Limits, Region, Timeouts
from wosdk_async.protocol import calls
from wosdk_async.transport.clock import Scope, TransportClock
from wosdk_async.transport.http.native.connection import Connection
from wosdk_async.transport.http.native.engine import NativeEngine

_LOG = logging.getLogger("wosdk_async")
_PROGRAM = ("wo", "base", "many", "get", "update", "query", "connect", "close")
_AFTERWARDS = 60.0  # seconds for the service to finish its work


@attrs.frozen
class Result:
    """Result of a run. ``digest`` is a hash of all events in order."""

    violations: list[Violation]
    windows: Counter[str]
    outcomes: Counter[str]
    steps: int
    seconds: float
    events: list[str]
    digest: str

    @property
    def names(self) -> list[str]:
        return sorted({violation.name for violation in self.violations})


def run(plan: Plan, *, keep: bool = False) -> Result:
    """Run a plan. With ``keep``, the result has all events as text."""
    return _Run(plan, keep).result()


@contextmanager
def replayable(seed: int) -> Iterator[None]:
    """Make the client deterministic within the block.

    Its random numbers come from the seed. Two of its classes are kept in sets, so their hashes become numbers
    that do not depend on memory addresses.
    """
    before = random.getstate()
    random.seed(seed)
    calls._random.seed(seed)
    Connection.__hash__ = lambda self: self.fd  # type: ignore
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
    def __init__(self, plan: Plan, keep: bool) -> None:
        self.plan = plan
        self.events: list[str] = []
        self.program: Program | None = None
        self._keep = keep
        self._hash = hashlib.blake2b(digest_size=8)
        rng = random.Random(f"run {plan.seed}")
        self.network = Network(rng, plan.world, self.note)
        self.loop = VirtualLoop(rng, self.network, shuffled=plan.world.shuffled)
        world = plan.world
        self.backend: Backend
        self._scheme = scheme = "https" if world.tls else "http"
        if world.sandbox:
            self.backend = SandboxBackend(self.loop, COMPANIES, scheme)
        else:
            self.backend = ServiceModel(self.loop.time, world.token_life, world.old_host, scheme)
        self.service = Service(plan, self.backend, scripts_by_key(plan))
        self.hosts = Hosts(plan, self.network, self.backend, self.service)
        self.violations: list[Violation] = []

    def note(self, *what: Any) -> None:
        text = f"{self.loop.time():.6f} {' '.join(map(str, what))}"
        self._hash.update(text.encode())
        if self.program is not None and self.loop.is_running():
            self.program.on_network_event()
        if self._keep:
            self.events.append(text)

    def result(self) -> Result:
        with replayable(self.plan.seed):
            stuck = ""
            try:
                self.loop.run_until_complete(self._main())
            except StuckError as error:
                stuck = str(error)
            program = self.program
            assert program is not None
            checker = self._check(program, stuck)
            self._end()
        outcomes = Counter(each.kind for each in program.outcomes)
        for each in program.outcomes:
            self.note(each.key, each.kind, type(each.error).__name__)
        return Result(
            checker.found,
            checker.windows,
            outcomes,
            self.loop.steps,
            self.loop.time(),
            self.events,
            self._hash.hexdigest(),
        )

    # --- the program ----------------------------------------------------------------------------

    async def _main(self) -> None:
        world = self.plan.world
        most = 128 if world.adaptive else world.connections  # adaptive needs both bounds above 32
        limits = Limits(connections=most, keepalive=world.keepalive)
        timeouts = Timeouts(read=world.read_timeout)
        now, scheme = self.loop.time, self._scheme
        region = Region("simulated", f"{scheme}://{LOCATOR_HOST}", f"{scheme}://{TOKEN_HOST}/OAuth/token")
        trusted = client_context(tuple(self.network.names)) if world.tls else None
        client = Client(
            region=region,
            trusted_hosts=("sim",),
            limits=limits,
            timeouts=timeouts,
            in_flight=most if world.adaptive else world.in_flight,
            rate=world.rate,
            max_queued=world.max_queued,
            adaptive=world.adaptive,
            retry_quota=world.retry_quota,
            on_in_doubt=lambda call, company: program.on_in_doubt(call, company),
            telemetry=False,
            clock=TransportClock(now=now),
            engine=lambda limits: NativeEngine(
                limits=limits, timeouts=timeouts, ssl_context=trusted, now=now
            ),
        )
        pairs = [self.backend.credentials(number) for number in range(COMPANIES)]
        self.program = program = Program(self.plan, client, pairs)
        for step in self.plan.steps:
            if step.kind not in _PROGRAM:
                self.loop.call_later(step.at, self.hosts.happen, step)
        await program.run([step for step in self.plan.steps if step.kind in _PROGRAM])
        await asyncio.sleep(1.0)
        self._check_slots(client)
        await self._close(client)
        await asyncio.sleep(_AFTERWARDS)

    def _check_slots(self, client: Client) -> None:
        """Check that no slot is held once nothing runs."""
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
        for task in self.loop.pending():
            if task is not here and not task.get_name().startswith("sandbox"):
                self.violations.append(Violation("task-left", f"{task.get_name()}, and the client is closed"))

    # --- the end --------------------------------------------------------------------------------

    def _check(self, program: Program, stuck: str) -> Checker:
        checker = Checker(self.network, self.service, self.backend, program, self.violations)
        if stuck:
            waiting = [task.get_name() for task in self.loop.pending()]
            checker.add("hang", f"{stuck}: {', '.join(waiting)}")
        else:
            checker.check()
            for task in self.loop.pending():
                checker.add("task-left", f"{task.get_name()} {task.get_coro()}")
            if self.network.sockets:
                checker.add("socket-left", f"{sorted(self.network.sockets)}")
        return checker

    def _end(self) -> None:
        """Cancel pending tasks, record errors that were not raised, and close the loop."""
        for task in self.loop.pending():
            task.cancel()
        ready = self.loop._ready  # type: ignore[attr-defined]
        for _ in range(50):
            if not ready:
                break
            self.loop.run_until_complete(asyncio.sleep(0))
        self.loop.tasks.clear()
        gc.collect(1)  # makes asyncio report tasks whose errors were not retrieved
        for context in self.loop.failures:
            self.violations.append(
                Violation("loop-error", f"{context.get('message')}: {context.get('exception')!r}")
            )
        self.loop.close()
        self.backend.close()
