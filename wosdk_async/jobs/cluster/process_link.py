"""One worker process, as its pool and the coordinator reach it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import socket

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

__all__ = ["NotStartedError", "ProcessLink"]

_START = 60.0  # seconds in which a process must be ready
_LAST_WORDS = 5.0  # seconds that a process gets that has closed its connection


class NotStartedError(Exception):
    """A process that could not be started, or ended before it was ready: the next one may do better."""


class ProcessLink:
    """One process; it has ended only when the system says so."""

    def __init__(
        self,
        process: asyncio.subprocess.Process,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        self.name = f"process {process.pid}"
        self.ended = asyncio.Event()
        self._process, self._reader, self._writer = process, reader, writer
        self._number = 0
        self._waiting: asyncio.Future[bytes] | None = None
        self._reading = asyncio.create_task(self._read())

    @classmethod
    async def connect(cls, process: asyncio.subprocess.Process, connection: socket.socket) -> ProcessLink:
        """Return the link to a process that was just started."""
        reader, writer = await asyncio.open_unix_connection(sock=connection)
        writer.transport.set_write_buffer_limits(0)  # one order at most waits for a process that stands still
        return cls(process, reader, writer)

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
            ConfigurationError: it refuses the job.
            NotStartedError: it ends, or is silent.
        """
        try:
            async with asyncio.timeout(_START):
                refusal = await self._request(to_bytes(setup))
        except (WorkerLostError, TimeoutError) as error:
            raise NotStartedError(f"{error}" or f"{self.name} is silent") from None
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
            with contextlib.suppress(TimeoutError):  # it says itself how it ended, if it can
                async with asyncio.timeout(_LAST_WORDS):
                    await self._process.wait()
            self._kill()
            await self._process.wait()
            self.ended.set()
            if self._waiting is not None and not self._waiting.done():
                self._waiting.set_exception(ConnectionError())

    async def aclose(self) -> None:
        """Let the process end after its calls under way; see :class:`WorkerLink`."""
        if not self._writer.is_closing():
            self._writer.write_eof()  # for the process its coordinator is gone

    async def end(self, grace: float) -> None:
        """End the process: after its calls under way, or by force when that takes longer than ``grace``."""
        await self.aclose()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(grace):
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
