"""Workers in processes of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import sys
from collections.abc import Callable, Sequence

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.messages import Setup
from wosdk_async.jobs.cluster.pool import UndeliveredReport, WorkerLink
from wosdk_async.jobs.cluster.process_link import NotStartedError, ProcessLink

__all__ = ["Processes"]

_GRACE = 2.0  # seconds in which processes must have ended that are given up at the start
_LONG_LIFE = 5.0  # seconds after which the death of a process says nothing about the next one
_LONGEST_PAUSE = 5.0

_log = logging.getLogger("wosdk_async")


class Processes:
    """Pool of workers in processes of this machine, on Linux and macOS.

    A process that ends is replaced. Each is in a process group of its own, so that Ctrl-C reaches the
    coordinator alone; it ends when its coordinator has ended, after the calls under way.

    Args:
        count: number of processes.
        deaths: deaths in a row, each soon after the start, after which a process is not replaced any more.
        pause: seconds before a process is replaced; doubled with each death in a row.

    Raises:
        ConfigurationError: the system cannot run them.
    """

    def __init__(self, count: int, *, deaths: int = 10, pause: float = 0.1) -> None:
        if not isinstance(count, int) or isinstance(count, bool):
            raise ConfigurationError(f"{count!r} processes; their number must be a whole number, 1 or more")
        if count < 1:
            raise ConfigurationError(f"{count} processes; there must be 1 or more")
        if sys.platform == "win32" or not sys.executable:
            raise ConfigurationError(
                "workers in processes need Linux or macOS, and Python as a program of its own; "
                "import with one process, or start workers with Dask"
            )
        self.name = f"{count} process{'es' if count > 1 else ''}"
        self._count, self._deaths, self._pause = count, deaths, pause
        self._links: set[ProcessLink] = set()
        self._keepers: set[asyncio.Task[None]] = set()

    def __repr__(self) -> str:
        return f"Processes({self._count})"

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Start the processes; see :class:`WorkerPool`."""
        self._setup, self._joined, self._broken = setup, joined, broken
        self._kept = self._count
        starts = await asyncio.gather(*(self._start() for _ in range(self._count)), return_exceptions=True)
        failed = [each for each in starts if isinstance(each, BaseException)]
        final = [each for each in failed if not isinstance(each, NotStartedError)]
        if final or len(failed) == self._count:
            await self.aclose(_GRACE)
            if final:  # such as a refusal: the next one would say the same
                raise final[0]
            raise ConfigurationError(
                f"none of {self.name} could be started ({failed[0]}); see what was written to stderr, or "
                "import with one process"
            )
        self._keepers = {
            asyncio.create_task(self._keep(each))
            for each in starts
            if isinstance(each, (ProcessLink, NotStartedError))
        }

    async def undelivered(self) -> Sequence[UndeliveredReport]:
        """Return nothing: undelivered results are in the folder of the job."""
        return ()

    async def forget_undelivered(self) -> None:
        """Do nothing, as nothing is kept here."""

    async def aclose(self, grace: float) -> None:
        """End all processes; see :class:`WorkerPool`."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        await asyncio.gather(*(link.end(grace) for link in self._links))

    async def _keep(self, link: ProcessLink | NotStartedError) -> None:
        """Replace a process whenever it ends, or could not be started."""
        deaths, loop = 0, asyncio.get_running_loop()
        while True:
            began = loop.time()
            if isinstance(link, ProcessLink):
                self._joined(link)
                await link.ended.wait()
                self._links.discard(link)
            lived = isinstance(link, ProcessLink) and loop.time() - began >= _LONG_LIFE
            deaths = 1 if lived else deaths + 1
            if deaths >= self._deaths:
                why = link.exit if isinstance(link, ProcessLink) else str(link)
                return self._give_up(f"it ended soon after its start {deaths} times in a row ({why})")
            await asyncio.sleep(min(self._pause * 2 ** (deaths - 1), _LONGEST_PAUSE))
            try:
                link = await self._start()
            except NotStartedError as error:
                link = error
            except ConfigurationError as error:
                return self._give_up(error.message)

    def _give_up(self, why: str) -> None:
        """Do not replace a process any more; without any other one the pool is broken."""
        _log.warning("a worker process is not replaced: %s", why)
        self._kept -= 1
        if not self._kept:
            self._broken(
                f"no worker process is left: {why}; see what the processes wrote to stderr, and repeat "
                "the command to go on"
            )

    async def _start(self) -> ProcessLink:
        ours, theirs = socket.socketpair()
        with theirs, contextlib.ExitStack() as on_failure:
            on_failure.callback(ours.close)
            try:
                process = await asyncio.create_subprocess_exec(
                    # -P: no file of the working directory takes the place of a module.
                    *(sys.executable, "-P", "-m", "wosdk_async.jobs.cluster.process_main"),
                    stdin=theirs.fileno(),
                    stdout=2,  # what a worker prints is not what the command prints
                    env=_environment(),
                    start_new_session=True,  # Ctrl-C of the terminal does not reach it
                )
            except OSError as error:
                raise NotStartedError(f"a worker process cannot be started: {error}") from error
            on_failure.pop_all()
        link = await ProcessLink.connect(process, ours)
        self._links.add(link)
        try:
            await link.introduce(self._setup)
        except BaseException:
            self._links.discard(link)
            await link.kill()
            raise
        return link


def _environment() -> dict[str, str]:
    """Return the environment of a worker: modules are found as here, and no credentials are in it."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("WOSDK_")}
    return kept | {"PYTHONPATH": os.pathsep.join(path or os.getcwd() for path in sys.path)}
