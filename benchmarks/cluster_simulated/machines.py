"""Processes in one event loop, which can stand still, be killed, and have clocks of their own.

Every callback belongs to the machine in whose context it was scheduled. While a machine stands still, its
callbacks wait, as those of a process do after SIGSTOP: its timers run out meanwhile, and when it is woken all
that is due happens at once. A machine that is suspended does not count the time in its timers: only its boot
clock runs on. Of a machine that was killed nothing happens any more.
"""

from __future__ import annotations

import asyncio
import heapq
import random
from collections.abc import Callable, Coroutine
from contextvars import Context, ContextVar, copy_context
from typing import Any, TypeVar

import attrs

from benchmarks.jobs_process import Killed, ThreadlessLoop
from benchmarks.simulate.loop import StuckError
from benchmarks.simulate.network import Network
from benchmarks.simulate.plan import World

__all__ = ["Machine", "MachineLoop", "boottime_here"]

T = TypeVar("T")

_MOST_SECONDS = 2_000.0


_here: ContextVar[Machine | None] = ContextVar("machine", default=None)


@attrs.define(eq=False)
class Machine:
    """One process. Its clock shows another time than the loop's, and runs a little faster or slower."""

    name: str
    loop: MachineLoop
    offset: float
    drift: float
    alive: bool = True
    awake: bool = True
    stops: int = 0
    """How often it stood still."""
    slept: float = 0.0
    """Seconds for which it was suspended."""
    _asleep_since: float | None = None
    held: list[asyncio.Handle] = attrs.field(factory=list)
    _context: Context = attrs.field(factory=copy_context)

    def __attrs_post_init__(self) -> None:
        """Let everything that is started in its context belong to it."""
        self._context.run(_here.set, self)
        self.loop.machines.append(self)

    @classmethod
    def drawn(cls, name: str, loop: MachineLoop, rng: random.Random, most_drift: float) -> Machine:
        """Return a machine whose clock is the generator's choice."""
        return cls(name, loop, rng.uniform(0.0, 1e5), rng.uniform(-most_drift, most_drift))

    @staticmethod
    def nowhere() -> Context:
        """Return a context that belongs to no machine."""
        context = copy_context()
        context.run(_here.set, None)
        return context

    def boottime(self) -> float:
        """Return the time of its clock."""
        return self.offset + self.loop.time() * (1 + self.drift)

    def monotonic(self) -> float:
        """Return the time of its timers."""
        return self.loop.time() - self.slept

    def run(self, function: Callable[..., T], *args: Any) -> T:
        """Call a function that belongs to it."""
        return self._context.copy().run(function, *args)

    def start(self, coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """Start a task that belongs to it."""
        return self.loop.create_task(coroutine, context=self._context.copy())

    def call_later(self, seconds: float, function: Callable[..., Any], *args: Any) -> None:
        """Call a function after a while, or when the machine is awake again."""
        self.loop.call_later(seconds, function, *args, context=self._context.copy())

    def freeze(self) -> None:
        """Let it stand still."""
        self.awake = False
        self.stops += 1

    def suspend(self) -> None:
        """Let it stand still, its timers too."""
        if self.awake:
            self.freeze()
            self._asleep_since = self.loop.time()

    def wake(self) -> None:
        """Let it go on."""
        if self.alive and not self.awake:
            self.awake = True
            if self._asleep_since is not None:
                seconds = self.loop.time() - self._asleep_since
                self._asleep_since, self.slept = None, self.slept + seconds
                self.loop.put_off(self, seconds)
            self.loop.release(self)

    def kill(self) -> None:
        """End it at once."""
        self.alive = self.awake = False

    def require_alive(self) -> None:
        """Raise Killed if it was killed in this turn of the loop."""
        if not self.alive:
            raise Killed

    def tasks(self) -> list[asyncio.Task[Any]]:
        """Return its tasks that are not done."""
        return [task for task in self.loop.pending() if getattr(task, "machine", None) is self]


def boottime_here() -> float:
    """Return the time of the clock of the machine that runs now."""
    machine = _here.get()
    assert machine is not None
    return machine.boottime()


class MachineLoop(ThreadlessLoop):
    """Loop on virtual time with machines."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self.machines: list[Machine] = []

    @classmethod
    def of(cls, rng: random.Random) -> MachineLoop:
        """Return a loop without a network."""
        return cls(rng, Network(rng, World(), lambda *_: None))

    exorcised = False
    """Whether callbacks of dead machines run, too: their tasks are cancelled when all is checked."""

    def _task(
        self,
        loop: asyncio.AbstractEventLoop,
        coroutine: Coroutine[Any, Any, Any],
        context: Context | None = None,
        **named: Any,
    ) -> Any:
        task = super()._task(loop, coroutine, context, **named)
        task.machine = (context or copy_context()).get(_here)  # type: ignore[attr-defined]
        return task

    def put_off(self, machine: Machine, seconds: float) -> None:
        """Let the timers of a machine run out that much later, also those that have."""
        timers = self._scheduled  # type: ignore[attr-defined]
        held, machine.held = machine.held, []
        for each in held:
            if isinstance(each, asyncio.TimerHandle):
                each._scheduled = True  # type: ignore[attr-defined]
                timers.append(each)
            else:
                machine.held.append(each)
        for handle in timers:
            if handle._context.get(_here) is machine:
                handle._when += seconds
        heapq.heapify(timers)

    def release(self, machine: Machine) -> None:
        """Let the callbacks run that waited for a machine."""
        self._ready.extend(machine.held)  # type: ignore[attr-defined]
        machine.held.clear()

    def _collect_due(self, ready: Any) -> None:
        while True:
            super()._collect_due(ready)
            if self.exorcised:
                return
            self.steps = 0  # the seconds are bounded
            if self.time() > _MOST_SECONDS:
                raise StuckError(f"{self.time():.0f} virtual seconds without an end")
            handles = list(ready)
            ready.clear()
            ready.extend(handle for handle in handles if not self._waits(handle))
            if ready or self._stopping:  # type: ignore[attr-defined]
                return

    def _waits(self, handle: asyncio.Handle) -> bool:
        machine = handle._context.get(_here)  # type: ignore[attr-defined]
        if machine is None or machine.awake:
            return False
        machine.held.append(handle)
        return True

    def exorcise(self) -> None:
        """Let all callbacks run, also those of machines that were killed."""
        self.exorcised = True
        for machine in self.machines:
            self.release(machine)
