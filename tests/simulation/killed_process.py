"""Process that is killed on virtual time: its points, its journal, and a loop that needs no threads."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, ClassVar, TypeVar, TypeVarTuple
from unittest import mock

import anyio.from_thread
import anyio.to_thread
import attrs

from tests.simulation.client.loop import StuckError, VirtualLoop
from tests.simulation.client.network import Network
from tests.simulation.client.plan import World
from tests.simulation.client.runs import replayable
from wosdk_async.jobs.journal import JobPlan, Journal

_Result = TypeVar("_Result")
_Arguments = TypeVarTuple("_Arguments")
_MAX_CANCELLED = 10  # times that the tasks of killed processes are cancelled


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


KILLED = object()
"""Result of a program that was killed."""
_LONG = 3600.0  # seconds after which a program hangs


async def carry_out(process: Process, program: Coroutine[Any, Any, Any]) -> Any:
    """Return the result of a program, or :data:`KILLED`. One that hangs raises TimeoutError."""
    KilledJournal.process = process
    tasks = task, dead = [asyncio.ensure_future(each) for each in (program, process.dead.wait())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED, timeout=_LONG)
    if process.dead.is_set() or not task.done():
        hangs = not process.dead.is_set()
        process.dead.set()
        task.cancel()  # it ends in the background, and does nothing that anyone sees
        _zombies.add(task)
        task.add_done_callback(_zombies.discard)
        if hangs:
            raise TimeoutError(f"the program hangs after {len(process.points)} points")
        return KILLED
    dead.cancel()
    return task.result()


_zombies: set[asyncio.Future[Any]] = set()
"""Programs that were killed and have not ended."""


class KilledJournal(Journal):
    """Journal of the process that runs now."""

    process: ClassVar[Process]

    @classmethod
    def create(cls, folder: Path, plan: JobPlan, **options: Any) -> Journal:
        """Make a ledger."""
        cls.process.require_alive()
        return super().create(folder, plan, **options | cls._hooks())

    @classmethod
    def open(cls, folder: Path, **options: Any) -> Journal:
        """Open a job, unless the process was killed."""
        cls.process.require_alive()
        journal = super().open(folder, **options | cls._hooks())
        cls.process.journals.append(journal)
        return journal

    @classmethod
    def _hooks(cls) -> dict[str, Any]:
        return {"commit": cls.process.commit, "synchronous": True}


class ThreadlessLoop(VirtualLoop):
    """Loop on virtual time that carries out what belongs into a thread at once."""

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[*_Arguments], _Result],
        *args: *_Arguments,
    ) -> asyncio.Future[_Result]:
        """Carry a function out, and return a future that is done."""
        future: asyncio.Future[_Result] = self.create_future()
        try:
            future.set_result(func(*args))
        except BaseException as error:
            future.set_exception(error)
        return future


@contextmanager
def without_threads() -> Iterator[None]:
    """Let anyio carry out at once what belongs into a thread, as the loop does."""

    async def run_sync(function: Callable[..., Any], *args: Any, **_: Any) -> Any:
        return function(*args)

    def run(function: Callable[..., Any], *args: Any) -> Any:
        return run_now(function(*args))

    with (
        mock.patch.object(anyio.to_thread, "run_sync", run_sync),
        mock.patch.object(anyio.from_thread, "run", run),
    ):
        yield


def run_simulation(seed: int, name: str, main: Callable[[], Coroutine[Any, Any, _Result]]) -> _Result:
    """Return the result of a coroutine that runs on virtual time, without threads."""
    rng = random.Random(f"{name} {seed}")
    loop = ThreadlessLoop(rng, Network(rng, World(), lambda *_: None))
    with replayable(seed), without_threads(), running(loop):
        return loop.run_until_complete(main())


@contextmanager
def running(loop: asyncio.AbstractEventLoop) -> Iterator[None]:
    """Close the loop, after what killed processes left on it has ended."""
    try:
        yield
    finally:
        for _ in range(_MAX_CANCELLED):  # the cleanup of a killed process may wait for what never comes
            if not (left := asyncio.all_tasks(loop)):
                break
            for task in left:
                task.cancel()
            with suppress(StuckError):
                loop.run_until_complete(asyncio.wait(left))
        loop.close()


def run_now(coroutine: Coroutine[Any, Any, _Result]) -> _Result:
    """Return the result of a coroutine that never waits."""
    try:
        while True:
            coroutine.send(None)
    except StopIteration as end:
        result: _Result = end.value
        return result
