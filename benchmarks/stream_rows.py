"""Memory while a long query is read: records of about 1 KB, over a socket, from another process.

    python -m benchmarks.stream_rows [--rows 100000]

Reads the records by ``async for`` and by ``pages()``, each in a fresh process. Prints the memory after 5,000
records, and its peak at later thousands: resident memory, and memory that Python has allocated. Allocated
memory is measured in a second reading, because measuring it slows the reading down.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import re
import resource
import subprocess
import sys
import time
import tracemalloc
from collections.abc import AsyncIterator, Callable

from tests.support import arguments
from tests.support.order_pages import ROW, response_body
from wosdk_async import Client, Credentials, Region, WorkOrder
from wosdk_async.query.builder import Query

EARLY = 5000  # records after which memory must not grow
MB = 1024 * 1024

# --- the server -------------------------------------------------------------------------------


async def serve(rows: int) -> None:
    """Print the port, and serve until the process is ended."""

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = re.search(rb"(?i)content-length: (\d+)", head)
                body = await reader.readexactly(int(length[1]) if length else 0)
                made = response_body(head.split()[1].decode(), body, rows, port)
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(made), made))
                await writer.drain()

    server = await asyncio.start_server(connected, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    print(port, flush=True)
    await server.serve_forever()


# --- the readings -----------------------------------------------------------------------------


async def _by_row(query: Query[WorkOrder]) -> AsyncIterator[int]:
    async for _ in query:
        yield 1


async def _by_page(query: Query[WorkOrder]) -> AsyncIterator[int]:
    async with contextlib.aclosing(query.pages()) as pages:
        async for page in pages:
            yield len(page)


WAYS = {"async for": _by_row, "pages()": _by_page}


async def measure(way: str, port: int, held: Callable[[], float]) -> tuple[int, float, float, float]:
    """Read all records; return their number, the seconds, and ``held()`` early and at its peak."""
    url, rows, early, most, start = f"http://127.0.0.1:{port}", 0, 0.0, 0.0, time.perf_counter()
    region = Region("bench", locator_url=url, token_url=f"{url}/OAuth/token")
    async with Client(region=region, credentials=Credentials("id", "s")) as client:
        async for more in WAYS[way](client.company("Acme").query(WorkOrder)):
            rows += more
            if rows >= EARLY and rows % 1000 == 0:
                most = max(most, held())
                early = early or most
        return rows, time.perf_counter() - start, early, most


def resident() -> float:
    """Return the megabytes of this process that are in memory now."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1]) * resource.getpagesize() / MB


def allocated() -> float:
    """Return the megabytes that Python has allocated since tracemalloc was started."""
    return tracemalloc.get_traced_memory()[0] / MB


def read(way: str, port: int) -> None:
    """Read twice in one way and print the figures."""
    rows, seconds, early, most = asyncio.run(measure(way, port, resident))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    tracemalloc.start()
    _, _, early_python, most_python = asyncio.run(measure(way, port, allocated))
    print(
        f"{way:10} {rows:8} rows {seconds:7.2f} s {rows / seconds:8.0f} rows/s"
        f"   resident {early:6.1f} -> {most:6.1f} MB, peak {peak:6.1f}"
        f"   Python {early_python:6.2f} -> {most_python:6.2f} MB"
    )


def main() -> None:
    """Read the arguments, then compare or act as a child process."""
    parser = arguments.parser("benchmarks.stream_rows", __doc__)
    parser.add_argument("--rows", type=arguments.count, default=100_000, metavar="N", help="rows to read")
    parser.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--read", nargs=2, metavar=("WAY", "PORT"), help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.serve:
        asyncio.run(serve(args.rows))
    elif args.read:
        read(args.read[0], int(args.read[1]))
    else:
        compare(args.rows)


def compare(rows: int) -> None:
    """Start a server, and a process for each way to read from it."""
    this = [sys.executable, "-m", "benchmarks.stream_rows"]
    with subprocess.Popen(
        [*this, "--serve", "--rows", str(rows)], stdout=subprocess.PIPE, text=True
    ) as server:
        try:
            port = server.stdout.readline().strip() if server.stdout else ""
            print(f"rows of {len(ROW)} bytes; from row {EARLY} to the last:")
            for way in WAYS:
                subprocess.run([*this, "--read", way, port], check=True)
        finally:
            server.terminate()


if __name__ == "__main__":
    main()
