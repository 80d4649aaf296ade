"""A worker in a process of its own; its coordinator is at the other end of its standard input, a socket."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Sequence
from pathlib import Path

from wosdk_async.errors import ConfigurationError
from wosdk_async.jobs.cluster.frames import frame, read_frame
from wosdk_async.jobs.cluster.messages import MessageError, Order, RowReport, Setup, from_bytes, to_bytes
from wosdk_async.jobs.cluster.undelivered_file import UndeliveredFile
from wosdk_async.jobs.cluster.worker import Worker

__all__ = ["main"]


_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class _Newest:
    """The newest order that arrived: the coordinator waits for the report of no other one.

    A process that stood still finds many orders when it goes on; only the last one counts.
    """

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader
        self._frame: tuple[int, bytes] | None = None
        self._arrived = asyncio.Event()
        self._ended = False

    async def follow(self) -> None:
        """Read until the coordinator is gone."""
        try:
            while True:
                self._frame = await read_frame(self._reader)
                self._arrived.set()
        except (EOFError, MessageError):
            self._ended = True
            self._arrived.set()

    async def get(self) -> tuple[int, bytes]:
        """Return the newest order; raise EOFError when the coordinator is gone."""
        await self._arrived.wait()
        self._arrived.clear()
        if self._ended or self._frame is None:
            raise EOFError
        return self._frame


async def _serve(connection: socket.socket) -> None:
    reader, writer = await asyncio.open_unix_connection(sock=connection)
    number, data = await read_frame(reader)
    setup = from_bytes(data, Setup)
    try:
        worker = Worker(setup)
    except ConfigurationError as error:
        writer.write(frame(number, error.message.encode()))
        await writer.drain()
        return
    try:
        file = UndeliveredFile(Path(setup.folder), setup.job, setup.run, worker.nonce)
    except OSError as error:
        await worker.aclose()
        sys.exit(f"a worker process cannot write into {setup.folder}: {error.strerror}")
    try:
        writer.write(frame(number, b""))
        await _obey(worker, reader, writer)
    finally:
        await _keep_undelivered(await worker.end(), file)
        await worker.aclose()
        file.close()


async def _keep_undelivered(reports: Sequence[RowReport], file: UndeliveredFile) -> None:
    """Keep the results that the coordinator did not confirm for the next run."""
    if not reports:
        return
    try:
        file.write(reports)
    except OSError as error:
        print(
            f"a worker process cannot keep {len(reports)} results in {file.path} ({error.strerror}): their "
            "rows are looked up by the next run, or stay in doubt without a marker",
            file=sys.stderr,
        )


async def _obey(worker: Worker, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Carry out orders until the coordinator is gone, or until a signal and the end of what is under way."""
    newest = _Newest(reader)
    following = asyncio.create_task(newest.follow())
    for each in _SIGNALS:
        asyncio.get_running_loop().add_signal_handler(each, worker.drain)
    try:
        while not worker.is_drained:
            number, data = await newest.get()
            writer.write(frame(number, to_bytes(await worker.exchange(from_bytes(data, Order)))))
            await writer.drain()
    except (EOFError, ConnectionError):
        return
    finally:
        following.cancel()


def main() -> None:
    """Serve the coordinator until it is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # until there is something to end; then see _obey
    try:
        connection = socket.socket(fileno=os.dup(0))
    except OSError:
        sys.exit("this program is a worker of wosdk import --processes, which starts it; use that command")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    asyncio.run(_serve(connection))


if __name__ == "__main__":
    main()
