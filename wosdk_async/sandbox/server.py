"""A real HTTP server over a store: for a process of its own, or for a thread of this one."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import uvicorn
from starlette.applications import Starlette

from .app import create_app
from .clock import Clock
from .connection import Connection
from .faults import Faults
from .seed import open_store
from .store import Store

__all__ = ["LocalCompany", "listening", "running", "serve"]

Variables = dict[str, str]


def serve(
    store: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8900,
    faults: Faults | None = None,
    second_port: int = 0,
    announce: Callable[[Variables], None],
) -> None:
    """Serve the Company of a store file until SIGINT or SIGTERM.

    Args:
        store: the SQLite file; made and seeded when it does not exist.
        port: 0 picks a free one.
        faults: what goes wrong; nothing when left out.
        second_port: where a Company moves to when its faults say so; 0 picks a free one.
        announce: called with the variables a client needs, once connections are accepted.

    Raises:
        StoreError: the file cannot be used.
        OSError: the port cannot be had.
    """
    with (
        contextlib.closing(open_store(str(store))) as opened,
        listening(host, port) as listener,
        listening(host, second_port) as second,
    ):
        listeners = [listener, second]
        app = create_app(opened, faults=faults, ports=_ports(listeners))
        server = _Server(app, lambda: announce(_variables(opened, listener)))
        with _signals_end_quietly():
            server.run(sockets=listeners)


class LocalCompany:
    """The sandbox in a thread of this process, for a ``with`` block.

    Args:
        store: the SQLite file; None makes a temporary one that is removed afterwards.
        faults: what goes wrong: a TOML file, or plain data of its shape; nothing when left out.
        clock: the time there, as a ``VirtualClock()`` for tests; the system's when left out.

    Attributes:
        faults: to be changed, and its counters read, at any time.
        clock: to be moved on at any time.

    Raises:
        FaultScriptError: the faults are no script.
        StoreError: on entering, when the file cannot be used.
    """

    def __init__(
        self,
        store: str | Path | None = None,
        *,
        faults: Faults | Mapping[str, Any] | str | Path | None = None,
        clock: Clock | None = None,
    ) -> None:
        self._path = store
        self.faults = faults if isinstance(faults, Faults) else Faults(faults)
        self.clock = clock or Clock()
        self._exits = contextlib.ExitStack()
        self._variables: Variables = {}

    @property
    def variables(self) -> Variables:
        """The environment variables that lead a client here."""
        return dict(self._variables)

    def __enter__(self) -> LocalCompany:
        with contextlib.ExitStack() as exits:
            path = self._path
            if path is None:
                path = Path(exits.enter_context(tempfile.TemporaryDirectory())) / "sandbox.db"
            opened = exits.enter_context(contextlib.closing(open_store(str(path))))
            listeners = [exits.enter_context(listening("127.0.0.1", 0)) for _ in range(2)]
            app = create_app(opened, self.clock, faults=self.faults, ports=_ports(listeners))
            exits.enter_context(running(app, listeners))
            self._variables = _variables(opened, listeners[0])
            self._exits = exits.pop_all()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._exits.close()

    def __repr__(self) -> str:
        return f"LocalCompany({str(self._path) if self._path else None!r})"


class _Server(uvicorn.Server):
    """Says when it accepts connections, which uvicorn itself only logs."""

    def __init__(self, app: Starlette, started: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                http=Connection,
                lifespan="off",
                access_log=False,
                log_level="error",
                server_header=False,  # facts 3.8: not among the recorded headers
                timeout_graceful_shutdown=5,
            )
        )
        self._accepting = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._accepting()


@contextlib.contextmanager
def running(app: Starlette, listeners: Sequence[socket.socket]) -> Iterator[None]:
    """The server in a thread with its own event loop, stopped and joined at the end."""
    ready = threading.Event()
    server = _Server(app, ready.set)

    def run() -> None:
        try:
            asyncio.run(server.serve(sockets=list(listeners)))
        finally:
            ready.set()

    thread = threading.Thread(target=run, name="wosdk sandbox", daemon=True)
    thread.start()
    ready.wait()
    try:
        if not server.started:
            raise RuntimeError("The sandbox did not start; its error is above.")
        yield
    finally:
        server.should_exit = True
        thread.join()


@contextlib.contextmanager
def _signals_end_quietly() -> Iterator[None]:
    """uvicorn repeats the signal that stopped it, once it is done: here the caller goes on instead."""
    signals = (signal.SIGINT, signal.SIGTERM)
    before = {number: signal.signal(number, lambda *_: None) for number in signals}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """A bound socket: taken before anything else happens, so that a taken port is told at once."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio switches Nagle's delay off only for sockets that name their protocol
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            remedy = "Name another port, or 0 for a free one."
            raise OSError(
                error.errno, f"Cannot listen on {host} port {port}: {error.strerror}. {remedy}"
            ) from error
        yield listener


def _ports(listeners: Sequence[socket.socket]) -> list[int]:
    return [listener.getsockname()[1] for listener in listeners]


def _variables(store: Store, listener: socket.socket) -> Variables:
    host, port = listener.getsockname()[:2]
    root = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
    company = store.companies()[0]
    return {
        "WOSDK_TOKEN_URL": f"{root}/OAuth/token",
        "WOSDK_LOCATOR_URL": root,
        "WOSDK_COMPANY": company.name,
        "WOSDK_CLIENT_ID": company.client_id,
        "WOSDK_CLIENT_SECRET": company.client_secret,
    }
