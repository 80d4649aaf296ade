"""Process that is killed on virtual time: its points, its journal, and a loop without threads."""

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
    """Error of a process that was killed."""


@attrs.define(eq=False)
class Process:
    """One run of the program, killed at point number ``kill_at``."""

    kill_at: int | None
    points: list[str] = attrs.field(factory=list)
    creates: int = 0
    """Create requests that the process sent."""
    dead: asyncio.Event = attrs.field(factory=asyncio.Event)
    journals: list[Journal] = attrs.field(factory=list)

    def pass_point(self, name: str) -> None:
        """Record a point; at point ``kill_at``, kill the process and abandon its journals."""
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
        """Carry out a transaction of the journal, unless the process is killed before it."""
        self.pass_point("before a commit")
        self.require_alive()
        write()
        self.pass_point("after a commit")
        self.require_alive()


KILLED = object()
"""Result of a program that was killed."""
_LONG = 3600.0  # seconds after which a program hangs


async def carry_out(process: Process, program: Coroutine[Any, Any, Any]) -> Any:
    """Return the program's result, or :data:`KILLED`. Raises TimeoutError if the program hangs."""
    KilledJournal.process = process
    tasks = task, dead = [asyncio.ensure_future(each) for each in (program, process.dead.wait())]
    await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED, timeout=_LONG)
    if process.dead.is_set() or not task.done():
        hangs = not process.dead.is_set()
        process.dead.set()
        task.cancel()  # the task ends in the background, without visible effects
        _zombies.add(task)
        task.add_done_callback(_zombies.discard)
        if hangs:
            raise TimeoutError(f"the program hangs after {len(process.points)} points")
        return KILLED
    dead.cancel()
    return task.result()


_zombies: set[asyncio.Future[Any]] = set()
"""Programs that were killed and have not ended yet."""


class KilledJournal(Journal):
    """Journal of the current process."""

    process: ClassVar[Process]

    @classmethod
    def create(cls, folder: Path, plan: JobPlan, **options: Any) -> Journal:
        cls.process.require_alive()
        return super().create(folder, plan, **options | cls._hooks())

    @classmethod
    def open(cls, folder: Path, **options: Any) -> Journal:
        cls.process.require_alive()
        journal = super().open(folder, **options | cls._hooks())
        cls.process.journals.append(journal)
        return journal

    @classmethod
    def _hooks(cls) -> dict[str, Any]:
        return {"commit": cls.process.commit, "synchronous": True}


class ThreadlessLoop(VirtualLoop):
    """Loop on virtual time that runs the work of threads immediately."""

    def run_in_executor(
        self,
        executor: Executor | None,
        func: Callable[[*_Arguments], _Result],
        *args: *_Arguments,
    ) -> asyncio.Future[_Result]:
        """Call the function, and return a finished future."""
        future: asyncio.Future[_Result] = self.create_future()
        try:
            future.set_result(func(*args))
        except BaseException as error:
            future.set_exception(error)
        return future


@contextmanager
def without_threads() -> Iterator[None]:
    """Let anyio run the work of threads immediately, as the loop does."""

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
    """Close the loop, once the tasks of killed processes have ended."""
    try:
        yield
    finally:
        for _ in range(_MAX_CANCELLED):  # the cleanup of a killed process may wait forever
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
