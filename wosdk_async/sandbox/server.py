"""HTTP server over a store, in the foreground or in a thread."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import uvicorn
from starlette.types import ASGIApp

from wosdk_async.sandbox.access import WILDCARDS, is_loopback
from wosdk_async.sandbox.certificate import Certificate, read_certificate
from wosdk_async.sandbox.console.request_log import RequestLog
from wosdk_async.sandbox.env import Env, env_of
from wosdk_async.sandbox.faults.exchange import ClientConnection
from wosdk_async.sandbox.faults.state import Faults
from wosdk_async.sandbox.http.app import create_app
from wosdk_async.sandbox.schema.dialect import SPEC
from wosdk_async.sandbox.seed.initial import open_store, set_verification
from wosdk_async.sandbox.storage.companies import StoredCompany
from wosdk_async.sandbox.storage.store import Store

# Calls a function in the server's thread, the only thread that may use the store
RunInThread = Callable[[Callable[[], Any]], Any]


def serve(
    store: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8900,
    companies: Sequence[str] = (),
    verification: bool | None = None,
    dialect: str = SPEC.name,
    open_admin: bool = False,
    faults: Faults | None = None,
    second_port: int = 0,
    log: bool = True,
    certificate: Path | None = None,
    announce: Callable[[Env], None],
) -> None:
    """Serve the Companies of a store file until SIGINT or SIGTERM.

    Args:
        store: SQLite file; created and seeded if missing.
        host: listen address.
        port: listen port; 0 picks a free one.
        companies: Company names, created and seeded if missing.
        verification: whether all Companies have the verification step; None keeps the stored setting.
        dialect: see `create_app`.
        open_admin: whether other machines may use the addresses below ``/_sandbox/``.
        faults: fault script (default: no faults).
        second_port: port that faults move a Company to; 0 picks a free one.
        log: whether to record requests for the console; the console can switch this on and off.
        certificate: PEM file with a key and certificate, to serve https.
        announce: called when the server accepts connections, with the variables that connect a client to the
            first of ``companies`` (default: the store's first Company).

    Raises:
        StoreError: the file is unusable.
        FaultScriptError: a fault names an unknown Company.
        ValueError: a Company name, the certificate or the dialect is invalid.
        OSError: the host or a port cannot be used, for example because another server listens there.
    """
    loaded = None if certificate is None else read_certificate(certificate)
    faults = faults or Faults()
    with (
        listening(host, port) as listener,
        listening(host, second_port) as second,
        opened_store(store, companies, verification, faults) as (opened, first),
    ):
        ports, root = ports_of([listener, second]), web_root(listener, loaded)
        app = create_app(
            opened, dialect=dialect, faults=faults, ports=ports, open_admin=open_admin, log=RequestLog(log)
        )
        server = _Server(app, lambda: announce(env_of(first, root)), loaded)
        with _ignoring_reraised_signals():
            server.run(sockets=[listener, second])


@contextlib.contextmanager
def opened_store(
    path: str | Path,
    companies: Sequence[str],
    verification: bool | None,
    faults: Faults,
    *,
    empty: bool = False,
) -> Iterator[tuple[Store, StoredCompany]]:
    """Open a store for a block; yield it with the first of ``companies`` (default: its first Company).

    Missing ``companies`` are created; without names, a new store gets a default Company. With ``empty``, new
    Companies have no initial records. Raises StoreError for an unusable file, FaultScriptError for a fault of
    an unknown Company, ValueError for an invalid name.
    """
    with contextlib.closing(open_store(path, *companies, empty=empty)) as store:
        if verification is not None:
            set_verification(store, store.companies(), verification)
        faults.script.require_companies(company.name for company in store.companies())
        names = [name.strip().lower() for name in companies[:1]]
        yield store, next(each for each in store.companies() if not names or each.name.lower() in names)


class _Server(uvicorn.Server):
    """Server that calls ``started`` once it accepts connections; uvicorn only logs this."""

    def __init__(self, app: ASGIApp, started: Callable[[], None], certificate: Certificate | None) -> None:
        file = None if certificate is None else certificate.path
        super().__init__(
            uvicorn.Config(
                app,
                http=ClientConnection,
                lifespan="off",
                access_log=False,
                log_level="error",
                proxy_headers=False,  # access checks only trust the socket address
                server_header=False,  # facts 3.8: not among the recorded headers
                date_header=False,  # sent by the application, from the sandbox clock
                timeout_graceful_shutdown=5,
                ssl_certfile=file,
                ssl_keyfile=file,
            )
        )
        self._on_accepting = started
        self.loop: asyncio.AbstractEventLoop | None = None

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        self.loop = asyncio.get_running_loop()
        self.end = asyncio.Event()
        await super().startup(sockets)
        if self.started:
            self._on_accepting()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Send pending responses for up to 5 s, then cancel the remaining requests.

        uvicorn's own method would also wait for requests that a fault holds after the client disconnected.
        """
        for server in self.servers:
            for each in server.sockets:
                asyncio.get_running_loop().remove_reader(each)  # accepts no further connection
        for _ in range(3):  # turns of the loop from accepting a connection to its place in `connections`
            await asyncio.sleep(0)
        for server in self.servers:  # if closed earlier, asyncio would drop those connections unclosed
            server.close()
        for each in sockets or ():
            each.close()
        state, limit = self.server_state, self.config.timeout_graceful_shutdown
        for connection in list(state.connections):
            connection.shutdown()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(limit):
                while state.connections and not self.force_exit:  # noqa: ASYNC110  # uvicorn has no event
                    await asyncio.sleep(0.001)
        for connection in list(state.connections):  # clients that have stopped reading
            if connection.transport is not None:
                connection.transport.abort()
        dropped = list(state.tasks)
        for task in dropped:
            task.cancel()
        with _uvicorn_muted():
            await asyncio.gather(*dropped, return_exceptions=True)


class _ThreadServer(_Server):
    async def main_loop(self) -> None:
        """Serve until ``end`` is set; uvicorn's own loop polls ten times per second."""
        await self.on_tick(0)
        await self.end.wait()


@contextlib.contextmanager
def running(
    app: ASGIApp, listeners: Sequence[socket.socket], certificate: Certificate | None = None
) -> Iterator[RunInThread]:
    """Run a server in a thread for a block; yield a function that calls other functions in that thread.

    Raises OSError or RuntimeError if the server did not start.
    """
    ready = threading.Event()
    server = _ThreadServer(app, ready.set, certificate)
    failures: list[OSError] = []

    def run() -> None:
        try:
            asyncio.run(server.serve(sockets=list(listeners)))
        except OSError as error:
            failures.append(error)
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="wosdk sandbox", daemon=True)
    thread.start()
    ready.wait()
    loop = server.loop
    if not server.started or loop is None:
        thread.join()
        if failures:
            raise OSError(failures[0].errno, f"The sandbox did not start: {failures[0].strerror}.")
        raise RuntimeError("The sandbox did not start; see the error above.")

    async def call(work: Callable[[], Any]) -> Any:
        return work()

    try:
        yield lambda work: asyncio.run_coroutine_threadsafe(call(work), loop).result()
    finally:
        loop.call_soon_threadsafe(server.end.set)
        thread.join()


@contextlib.contextmanager
def _uvicorn_muted() -> Iterator[None]:
    """Drop uvicorn's log records in this thread, because it logs a traceback per cancelled request."""
    log, thread = logging.getLogger("uvicorn.error"), threading.get_ident()

    def is_from_other_thread(record: logging.LogRecord) -> bool:
        return record.thread != thread

    log.addFilter(is_from_other_thread)
    try:
        yield
    finally:
        log.removeFilter(is_from_other_thread)


@contextlib.contextmanager
def _ignoring_reraised_signals() -> Iterator[None]:
    """Ignore the signal that uvicorn raises again after shutdown, so that the caller continues."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: None) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Bind a socket for a block. A port in use is reported before anything else happens."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio disables Nagle's algorithm only for sockets with an explicit protocol
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            remedy = "Choose another port, or 0 for a free one."
            raise OSError(
                error.errno, f"Cannot listen on {host} port {port}: {error.strerror}. {remedy}"
            ) from error
        yield listener


def console_of(root: str) -> str | None:
    """Return the console address of a sandbox at ``root``; None if the host is not a loopback name."""
    parts = urlsplit(root)
    host = parts.hostname or ""
    if not is_loopback(host):
        return None
    return f"{parts.scheme}://{f'[{host}]' if ':' in host else host}:{parts.port}/console"


def ports_of(listeners: Sequence[socket.socket]) -> list[int]:
    """Return the listeners' ports."""
    return [listener.getsockname()[1] for listener in listeners]


def web_root(listener: socket.socket, certificate: Certificate | None) -> str:
    """Return the URL of a listener for clients. With a certificate, the host is a name in the certificate."""
    host, port = listener.getsockname()[:2]
    scheme = "http"
    if certificate is not None:
        scheme, host = "https", certificate.host(host)
    host = WILDCARDS.get(host, host)  # clients cannot connect to wildcard addresses
    return f"{scheme}://{f'[{host}]' if ':' in host else host}:{port}"
