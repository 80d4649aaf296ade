"""Workers in processes of this machine."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import anyio.to_thread

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.frames import frame, read_frame
from wosdk_async.jobs.cluster.messages import (
    MessageError,
    Order,
    Report,
    Setup,
    WorkerLostError,
    from_bytes,
    to_bytes,
)
from wosdk_async.jobs.cluster.pool import LeftReport, WorkerLink
from wosdk_async.jobs.cluster.spool import LeftResults, read_left, remove_empty

__all__ = ["Processes"]

_START = 60.0  # seconds in which a process must be ready
_GRACE = 3.0  # seconds beyond the deadline of a row in which a process must have ended
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
        if count < 1:
            raise ConfigurationError(f"{count} processes; there must be 1 or more")
        if sys.platform == "win32" or not sys.executable:
            raise ConfigurationError(
                "workers in processes need Linux or macOS, and Python as a program of its own; "
                "import with one process, or start workers with Dask"
            )
        self.name = f"{count} process{'es' if count > 1 else ''}"
        self._count, self._deaths, self._pause = count, deaths, pause
        self._links: set[_ProcessLink] = set()
        self._keepers: set[asyncio.Task[None]] = set()
        self._left = LeftResults((), ())

    def __repr__(self) -> str:
        return f"Processes({self._count})"

    async def open(
        self, setup: Setup, joined: Callable[[WorkerLink], None], broken: Callable[[str], None]
    ) -> None:
        """Start the processes; see :class:`WorkerPool`."""
        self._setup, self._joined, self._broken = setup, joined, broken
        self._kept = self._count
        starts = await asyncio.gather(*(self._start() for _ in range(self._count)), return_exceptions=True)
        if errors := [each for each in starts if isinstance(each, BaseException)]:
            await self.aclose()
            raise errors[0]
        self._keepers = {
            asyncio.create_task(self._keep(link)) for link in starts if isinstance(link, _ProcessLink)
        }

    async def leftovers(self) -> Sequence[LeftReport]:
        """Return what processes of earlier runs left in the folder of the job; wait until they have ended."""
        folder, patience = Path(self._setup.folder), self._setup.deadline + _GRACE
        self._left = await anyio.to_thread.run_sync(
            lambda: read_left(folder, self._setup.job, before=self._setup.run, patience=patience)
        )
        return self._left.reports

    async def aclose(self) -> None:
        """End all processes, after the calls under way."""
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        await asyncio.gather(*(link.aclose() for link in self._links))
        self._left.forget()
        remove_empty(Path(self._setup.folder), self._setup.run)

    async def _keep(self, link: _ProcessLink) -> None:
        """Replace a process whenever it ends."""
        deaths, loop = 0, asyncio.get_running_loop()
        while True:
            began = loop.time()
            self._joined(link)
            await link.ended.wait()
            self._links.discard(link)
            deaths = 1 if loop.time() - began >= _LONG_LIFE else deaths + 1
            if deaths >= self._deaths:
                return self._give_up(f"it ended soon after its start {deaths} times in a row ({link.exit})")
            await asyncio.sleep(min(self._pause * 2 ** (deaths - 1), _LONGEST_PAUSE))
            try:
                link = await self._start()
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

    async def _start(self) -> _ProcessLink:
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
                raise ConfigurationError(f"a worker process cannot be started: {error}") from error
            on_failure.pop_all()
        link = await _ProcessLink.connect(process, ours, self._setup.deadline + _GRACE)
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


class _ProcessLink:
    """One process; it has ended only when the system says so."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        patience: float,
    ) -> None:
        self.name = f"process {process.pid}"
        self.ended = asyncio.Event()
        self._process, self._reader, self._writer, self._patience = process, reader, writer, patience
        self._number = 0
        self._waiting: asyncio.Future[bytes] | None = None
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def connect(
        cls, process: asyncio.subprocess.Process, connection: socket.socket, patience: float
    ) -> _ProcessLink:
        """Return the link to a process that was just started."""
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        writer.transport.set_write_buffer_limits(0)  # one order at most waits for a process that stands still
        return cls(process, reader, writer, patience)

    def __repr__(self) -> str:
        return f"<{self.name}>"

    @property
    def exit(self) -> str:
        """How the process ended, for people."""
        status = self._process.returncode
        return f"signal {-status}" if status is not None and status < 0 else f"exit status {status}"

    async def introduce(self, setup: Setup) -> None:
        """Tell the process its job.

        Raises:
            ConfigurationError: it does not start, or refuses the job.
        """
        try:
            async with asyncio.timeout(_START):
                refusal = await self._request(to_bytes(setup))
        except (WorkerLostError, TimeoutError) as error:
            raise ConfigurationError(f"a worker process does not start: {error or 'it is silent'}") from None
        if refusal:
            raise ConfigurationError(refusal.decode(errors="replace"))

    async def exchange(self, order: Order) -> Report:
        """Deliver an order and return the report; see :class:`WorkerLink`."""
        return from_bytes(await self._request(to_bytes(order)), Report)

    async def _request(self, data: bytes) -> bytes:
        try:
            await self._writer.drain()  # the order before, which may have been cancelled
            if not self._reading.done():
                self._number += 1
                self._waiting = asyncio.get_running_loop().create_future()
                self._writer.write(frame(self._number, data))
                return await self._waiting
        except ConnectionError:
            pass
        finally:
            self._waiting = None
        await self.ended.wait()
        raise WorkerLostError(f"{self.name} has ended ({self.exit})", ended=True)

    async def _read(self) -> None:
        """Read reports until the process is gone; then make sure that it has ended."""
        try:
            with contextlib.suppress(EOFError, MessageError):
                while True:
                    number, data = await read_frame(self._reader)
                    if number == self._number and self._waiting is not None and not self._waiting.done():
                        self._waiting.set_result(data)
        finally:
            self._writer.close()
            self._kill()
            await self._process.wait()
            self.ended.set()
            if self._waiting is not None and not self._waiting.done():
                self._waiting.set_exception(ConnectionError())

    async def aclose(self) -> None:
        """End the process: after its calls under way, or by force when that takes too long."""
        if not self._writer.is_closing():
            self._writer.write_eof()  # for the process its coordinator is gone
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._patience):
                await self.ended.wait()
        await self.kill()

    async def kill(self) -> None:
        """End the process at once."""
        self._kill()
        await self.ended.wait()

    def _kill(self) -> None:
        # Not Process.kill(): that reaps a process which has just ended, and asyncio then loses how it ended.
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process.pid, signal.SIGKILL)
