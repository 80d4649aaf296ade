"""Servers that are not the service at all, each met by one create: what the client says, and what it cost.

wrong certificate   nothing may be sent: NotSentError, and the server saw no connection that got past TLS
gzip bomb           a body that grows without end: InDoubtError, in bounded memory
endless headers     a head without end: InDoubtError, in bounded memory
"""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import json
import resource
import ssl
import subprocess
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path

import attrs

from wosdk_async import (
    CallOptions,
    Client,
    Credentials,
    InDoubtError,
    NotSentError,
    Region,
    RetryPolicy,
    WoCreateCommand,
    WorkOrder,
)

__all__ = ["CASES", "Case", "Meeting", "meet", "run", "table"]

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
ROUNDS = 4096  # as often as a piece is written before the server gives up being hostile


@attrs.frozen
class Case:
    """A hostile server, and the error that its client has to raise."""

    name: str
    serve: Serve
    error: type[Exception]
    tls: bool = False


@attrs.frozen
class Meeting:
    """What a create came to: the error, seconds, and MiB by which the peak of memory grew."""

    error: str
    as_wanted: bool
    seconds: float
    grown: float


async def _gzip_bomb(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n")
    await _write_on(writer, b"%x\r\n%b\r\n" % (len(_BOMB), _BOMB))


async def _endless_headers(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _request(reader)
    writer.write(b"HTTP/1.1 200 OK\r\n")
    await _write_on(writer, b"".join(b"X-%d: %b\r\n" % (n, b"x" * 1000) for n in range(64)))


async def _write_on(writer: asyncio.StreamWriter, piece: bytes) -> None:
    for _ in range(ROUNDS):
        writer.write(piece)
        await writer.drain()


_BOMB = gzip.compress(bytes(16 * 1024 * 1024))  # one member; 4096 of them are 64 GiB

CASES = [
    Case("wrong certificate", _endless_headers, NotSentError, tls=True),
    Case("gzip bomb", _gzip_bomb, InDoubtError),
    Case("endless headers", _endless_headers, InDoubtError),
]


async def run() -> dict[str, Meeting]:
    """Every case, by its name."""
    return {case.name: await meet(case) for case in CASES}


def table(meetings: dict[str, Meeting]) -> str:
    lines = [
        "## Hostile servers",
        "",
        "| server | error | as wanted | seconds | MiB |",
        "|---|---|---|---:|---:|",
    ]
    for name, met in meetings.items():
        wanted = "yes" if met.as_wanted else "NO"
        lines.append(f"| {name} | {met.error} | {wanted} | {met.seconds:.2f} | {met.grown:.0f} |")
    return "\n".join(lines)


async def meet(case: Case) -> Meeting:
    """Send one create to the server of ``case``."""
    reached = 0

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal reached
        reached += 1
        await case.serve(reader, writer)

    async with _served(serve, tls=case.tls) as company, _answered(company) as locator:
        region = Region("hostile", locator_url=locator, token_url=f"{locator}/OAuth/token")
        options = CallOptions(deadline=20, retry=RetryPolicy(attempts=2, first_wait=0.01))
        async with Client(
            region=region, credentials=Credentials("id", "secret"), company="Acme", options=options
        ) as client:
            acme = client.company()
            await acme.connect()
            before, begun = _peak(), time.monotonic()
            try:
                await acme.run(WoCreateCommand(work_order=WorkOrder(po_number="PO-1")), check=False)
                error: Exception | None = None
            except Exception as raised:
                error = raised
            took = time.monotonic() - begun
    as_wanted = isinstance(error, case.error) and reached == (not case.tls)
    return Meeting(type(error).__name__, as_wanted, took, _peak() - before)


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


@contextlib.asynccontextmanager
async def _answered(company_url: str) -> AsyncIterator[str]:
    """Token endpoint and locator that lead to ``company_url``."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := await _request(reader):
            if b"/OAuth/token" in line:
                reply: object = {"access_token": "t", "token_type": "bearer", "expires_in": 1199}
            else:
                found = {"Url": company_url, "CompanyName": "Acme", "Protocol": "HTTPS", "CompanyId": 1}
                reply = {"CommandResult": found}
            body = json.dumps(reply).encode()
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%b" % (len(body), body))
            await writer.drain()

    async with _served(serve) as url:
        yield url.rstrip("/")


@contextlib.asynccontextmanager
async def _served(serve: Serve, *, tls: bool = False) -> AsyncIterator[str]:
    async def handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(ConnectionError):
            await serve(reader, writer)
        writer.close()

    context = _own_certificate() if tls else None
    server = await asyncio.start_server(handle, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    try:
        yield f"http{'s' if tls else ''}://127.0.0.1:{port}/"
    finally:
        server.close()


async def _request(reader: asyncio.StreamReader) -> bytes:
    """Read a request; its first line, empty at the end of the connection."""
    head = b""
    with contextlib.suppress(asyncio.IncompleteReadError):
        head = await reader.readuntil(b"\r\n\r\n")
        lines = head.lower().split(b"\r\n")
        lengths = [int(line.split(b":")[1]) for line in lines if line.startswith(b"content-length:")]
        await reader.readexactly(lengths[0] if lengths else 0)
    return head.partition(b"\r\n")[0]


def _own_certificate() -> ssl.SSLContext:
    """A certificate that nobody trusts, and of another host."""
    with tempfile.TemporaryDirectory() as folder:
        key, certificate = Path(folder) / "key", Path(folder) / "certificate"
        command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
        names = ["-subj", "/CN=elsewhere", "-addext", "subjectAltName=DNS:elsewhere.example"]
        files = ["-keyout", str(key), "-out", str(certificate)]
        subprocess.run([*command.split(), *names, *files], check=True, capture_output=True)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
    return context
